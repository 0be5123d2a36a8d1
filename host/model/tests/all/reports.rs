//! What a report may hold of a device.

use handset_model::report::{Latency, Redaction, attributes, root, screenshot};
use proptest::prelude::*;

const LINES: &str = "  mCurrentFocus=Window{a1b2c3d u0 com.acme.bank/com.acme.bank.Transfer}
  mFocusedApp=ActivityRecord{35dbb2a u10 com.acme.bank/.Transfer t27}
  Window #4 Window{9f01e2a u0 Meet Anna at 5}:
    mAttrs={(0,0)(fillxfill) sim={adjust=resize} ty=BASE_APPLICATION wanim=0x10302f8}
  Window #5 Window{77aa001 u0 com.android.settings/com.android.settings.Settings}:
  Window #6 Window{77aa002 u0 org.secret.diary/.Main}:";

#[test]
fn lines_keep_their_format_and_lose_what_is_somebodys() {
    let shown = Redaction::with_app(Some("com.acme.bank")).apply(LINES);
    assert_eq!(
        shown,
        "  mCurrentFocus=Window{x0x0x0x u0 com.acme.bank/com.acme.bank.Transfer}
  mFocusedApp=ActivityRecord{00xxx0x u10 com.acme.bank/.Transfer t27}
  Window #4 Window{0x00x0x u0 xxxx xxxx at 5}:
    mAttrs={(0,0)(fillxfill) sim={adjust=resize} ty=BASE_APPLICATION wanim=0x00000x0}
  Window #5 Window{00xx000 u0 com.android.settings/com.android.settings.Settings}:
  Window #6 Window{00xx000 u0 xxx.xxxxxx.xxxxx/.xxxx}:"
    );
}

#[test]
fn without_an_app_in_front_no_app_is_named() {
    let shown = Redaction::default().apply(LINES);
    assert!(!shown.contains("acme") && !shown.contains("Transfer"), "{shown}");
    assert!(shown.contains("com.android.settings/com.android.settings.Settings"), "{shown}");
}

#[test]
fn serials_and_long_numbers_do_not_stay() {
    let shown =
        Redaction::default().apply("adb: device 'R58M123ABCD' 192.168.178.24:5555 356938035643809 1080x2400 420dpi");
    assert_eq!(shown, "xxx: xxxxxx 'x00x000xxxx' 000.000.000.00:5555 000000000000000 1080x2400 420dpi");
}

#[test]
fn the_attributes_of_a_dump_are_named_and_their_values_are_not() {
    let dump = br#"<?xml version='1.0'?><hierarchy rotation="0"><node text="a hint= b" hint="" bounds="[0,0][1,1]"/></hierarchy>"#;
    let names: Vec<String> = attributes(dump).into_iter().collect();
    assert_eq!(names, ["bounds", "hint", "rotation", "text"]);
    assert_eq!(root(dump).as_deref(), Some("hierarchy"));
    assert_eq!(
        root(br#"<displays><display id="0"><window><hierarchy/></window></display></displays>"#).as_deref(),
        Some("displays")
    );
    assert_eq!(root(b"ERROR"), None);
}

#[test]
fn of_a_picture_only_its_header_is_kept() {
    let mut output = b"[Warning] Multiple displays were found, but no display id was specified! Anna\n".to_vec();
    output.extend_from_slice(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\x38\0\0\x09\x60\x08\x06\0\0\0\x01\x02\x03\x04PIXELS",
    );
    let shown = screenshot(&output, 0, &Redaction::default());
    assert!(shown.png && shown.before.ends_with("specified! xxxx"), "{shown:?}");
    assert_eq!(shown.header.len(), 66);
    assert!(shown.header.starts_with("89504e470d0a1a0a") && shown.header.ends_with("01020304"), "{shown:?}");
    let none = screenshot(b"/system/bin/sh: screencap: not found", 127, &Redaction::default());
    assert_eq!((none.png, none.status, none.header.as_str()), (false, 127, ""));
}

#[test]
fn latencies_are_told_by_their_ends_and_middle() {
    let told = Latency::of(vec![30.0, 10.0, 20.04, 40.0]).unwrap();
    assert_eq!((told.count, told.min_ms, told.median_ms, told.max_ms), (4, 10.0, 25.0, 40.0));
    assert_eq!(Latency::of(Vec::new()), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Words of four letters and more that no format has: none comes through, wherever it stands in a line.
    #[test]
    fn no_text_of_a_screen_gets_into_a_report(words in prop::collection::vec("[a-zß-öа-яぁ-ん][a-zA-Zß-öа-яぁ-ん]{5,12}Q", 1..6), at in 0_usize..6) {
        let text = words.join(" ");
        let mut lines: Vec<String> = LINES.lines().map(str::to_owned).collect();
        let line = lines.get_mut(at).unwrap();
        let middle = line.find(' ').unwrap_or(0);
        line.insert_str(middle, &text);
        let shown = Redaction::with_app(Some("com.acme.bank")).apply(&lines.join("\n"));
        for word in &words {
            prop_assert!(!shown.contains(word.as_str()), "{word}: {shown}");
        }
    }

    /// Whatever it is: as long in characters, and redacted once is redacted.
    #[test]
    fn what_is_redacted_stays_as_it_is(text in "\\PC{0,200}") {
        let redaction = Redaction::with_app(Some("com.acme.bank"));
        let once = redaction.apply(&text);
        prop_assert_eq!(redaction.apply(&once), once.clone());
        prop_assert!(once.is_ascii() && once.chars().count() <= text.chars().count());
    }
}
