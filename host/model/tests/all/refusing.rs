//! What is no complete tree, each by what it is.

use handset_model::Code;

use crate::support::{code_of, labelled, parse, screen, texts};

#[test]
fn labels_that_say_error_do_not_fail_a_complete_tree() {
    let words = "ERROR: null root node returned by UiTestAutomationBridge. Killed";
    assert_eq!(texts(labelled(words) + "Killed\n"), [words]);
}

#[test]
fn nothing_complete_is_typed() {
    let whole = labelled("OK");
    let cut = &whole[..whole.len() - 20];
    let cases: &[(&str, String, Code)] = &[
        ("empty", String::new(), Code::TreeInvalid),
        ("blank", "\r\n".into(), Code::TreeInvalid),
        ("null root", "ERROR: null root node returned by UiTestAutomationBridge.\n".into(), Code::NullRoot),
        ("never idle", "ERROR: could not get idle state.\n".into(), Code::NotIdle),
        ("no nodes", "<?xml version='1.0'?><hierarchy rotation=\"0\" />".into(), Code::NullRoot),
        (
            "no nodes, and why",
            "<hierarchy rotation=\"0\"></hierarchy>\nERROR: could not get idle state.".into(),
            Code::NotIdle,
        ),
        ("killed", "Killed \n".into(), Code::ReaderKilled),
        ("killed in the middle", format!("{cut}\nKilled\n"), Code::ReaderKilled),
        ("killed inside a tag", format!("{}\nKilled\n", &whole[..whole.len() - 40]), Code::ReaderKilled),
        (
            "crash while walking",
            format!("{cut}\njava.lang.NullPointerException: x\n\tat android.view.View.<init>(View.java:1)\n"),
            Code::ReaderKilled,
        ),
        ("cut", cut.into(), Code::TreeTruncated),
        ("cut in the opening tag", "<?xml version='1.0'?><hierarchy rot".into(), Code::TreeTruncated),
        (
            "cut, a label says killed",
            screen("<node text=\"Killed\"").replace("</node></hierarchy>", ""),
            Code::TreeTruncated,
        ),
        ("bytes missing inside", whole.replace(" /></node>", " />"), Code::TreeInvalid),
        ("end without beginning", "class=\"x\" /></node></hierarchy>".into(), Code::TreeInvalid),
        ("full disk", "java.io.IOException: write failed: ENOSPC (No space left on device)".into(), Code::TreeInvalid),
        ("no file", "cat: /data/local/tmp/x.xml: No such file or directory".into(), Code::TreeInvalid),
        ("only the status line", "UI hierchary dumped to: /sdcard/window_dump.xml".into(), Code::TreeInvalid),
    ];
    for (name, dump, code) in cases {
        assert_eq!(code_of(dump), *code, "{name}: {}", parse(dump).unwrap_err());
    }
}

#[test]
fn a_cut_says_where_and_how_much_was_read() {
    let dump = format!("log\n{}", labelled("OK"));
    let failure = parse(&dump[..dump.len() - 5]).unwrap_err();
    let expected = format!("ends at byte {}, after 2 nodes", dump.len() - 5);
    assert!(failure.message.contains(&expected), "{}", failure.message);
}

#[test]
fn garbage_is_quoted_escaped() {
    let failure = parse(b"\x00\x01\x02 not a \"tree\"\xFF").unwrap_err();
    assert_eq!(failure.code, Code::TreeInvalid);
    assert!(failure.message.contains(r#"begins with "\u{0}\u{1}\u{2} not a \"tree\"\u{fffd}""#), "{}", failure.message);
}

#[test]
fn a_name_of_any_length_is_named_in_a_sentence() {
    let long = "n".repeat(100_000);
    for dump in [
        format!("<{long}/>"),
        format!("<hierarchy><{long} bounds=\"[0,0][1,1]\"></node></hierarchy>"),
        format!("<hierarchy><{long} bounds=\"[0,0][1,1]\" <node/></hierarchy>"),
    ] {
        let failure = parse(&dump).unwrap_err();
        assert_eq!(failure.code, Code::TreeInvalid);
        assert!(failure.message.len() < 300, "{} bytes", failure.message.len());
    }
}
