//! From bytes to a tree, or to the failure that says what was there instead.

use handset_model::ui::{Limitation, ParseOptions, Rect, Size, parse_hierarchy};

use crate::support::{around, labelled, leaf, parse, screen, texts, tree_of};

fn utf16(text: &str, big: bool, bom: bool) -> Vec<u8> {
    let mark = bom.then_some(0xFEFF);
    mark.into_iter()
        .chain(text.encode_utf16())
        .flat_map(|unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

#[test]
fn all_encodings_give_the_same_tree() {
    let dump = labelled("Grüße 🎬 中文");
    let plain = tree_of(&dump);
    for (big, bom) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(tree_of(utf16(&dump, big, bom)), plain, "big endian {big}, mark {bom}");
    }
    let marked = [b"\xEF\xBB\xBF".as_slice(), dump.as_bytes()].concat();
    assert_eq!(tree_of(marked), plain);
}

#[test]
fn crlf_and_pretty_printing_change_nothing() {
    let dump = labelled("OK");
    assert_eq!(tree_of(dump.replace("><", ">\r\n    <").replace(" text", "\r\n  text")), tree_of(&dump));
}

#[test]
fn log_lines_around_between_and_inside_the_markup_are_ignored() {
    let plain = labelled("OK");
    let noisy = format!("WARNING: linker: libdvm.so has text relocations\n{plain}\nUI hierchary dumped to: /sdcard/window_dump.xml\nKilled\n")
        .replace("><node", ">\nW/vendor( 123): a < b & c \"quoted\"\n<node")
        .replace("\"OK\"", "\"OK\"\nUI hierchary dumped to: /dev/tty\n");
    assert_eq!(tree_of(noisy), tree_of(plain));
}

#[test]
fn split_surrogates_are_one_character() {
    let tree = tree_of(labelled("&#55357;&#56832; &#xD83D;&#xDE00;"));
    assert_eq!(tree.elements[0].text.as_deref(), Some("😀 😀"));
    assert_eq!(tree.replaced_characters, 0);
}

#[test]
fn surrogates_written_as_bytes_are_one_character() {
    let dump = labelled("@");
    let at = dump.find('@').unwrap();
    let bytes = [&dump.as_bytes()[..at], b"\xED\xA0\xBD\xED\xB8\x80", &dump.as_bytes()[at + 1..]].concat();
    assert_eq!(texts(bytes), ["😀"]);
}

#[test]
fn illegal_characters_are_replaced_and_counted() {
    let tree = tree_of(labelled("a&#55357;b&#0;c&#x110000;d\u{1}e&#56832;&#55357;f"));
    assert_eq!(tree.elements[0].text.as_deref(), Some("a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}\u{FFFD}f"));
    assert_eq!(tree.replaced_characters, 6);
}

#[test]
fn undecodable_bytes_count_only_inside_the_tree() {
    let dump = labelled("@");
    let at = dump.find('@').unwrap();
    let bytes = [b"\xFF\xFE log".as_slice(), &[b'x'; 3], dump.as_bytes()].concat();
    assert_eq!(parse(&bytes[2..]).unwrap().replaced_characters, 0);
    let inside = [b"\xC3\x28 ".as_slice(), &dump.as_bytes()[..at], b"\xC3", &dump.as_bytes()[at + 1..]].concat();
    assert_eq!(tree_of(inside).replaced_characters, 1);
}

#[test]
fn bare_markup_in_values_is_text() {
    assert_eq!(texts(labelled("Tom & Jerry <b>3 < 5</b> &nope; &amp;")), ["Tom & Jerry <b>3 < 5</b> &nope; &"]);
}

#[test]
fn bare_quotes_in_values_are_text() {
    let dump = screen("<node text=\"say \"hi\" now\" class=\"android.widget.TextView\" bounds=\"[0,0][9,9]\" />");
    let tree = tree_of(dump);
    assert_eq!(tree.elements[0].text.as_deref(), Some("say \"hi\" now"));
    assert_eq!(tree.elements[0].class, "android.widget.TextView");
}

#[test]
fn single_quoted_values_are_read() {
    assert_eq!(texts(screen("<node text='it&apos;s \"so\"' bounds='[0,0][9,9]'/>")), ["it's \"so\""]);
}

#[test]
fn booleans_are_trimmed() {
    let tree = tree_of(screen(&leaf(&[("enabled", " true"), ("clickable", "true "), ("checkable", " TRUE ")])));
    let traits = tree.elements[0].traits;
    assert!(traits.enabled && traits.clickable && traits.checkable);
}

#[test]
fn missing_attributes_take_their_defaults() {
    let tree = tree_of("<hierarchy><node text=\"x\"/></hierarchy>");
    let element = &tree.elements[0];
    assert!(element.traits.enabled);
    assert!(!element.traits.visible, "without bounds nothing is on the display");
    assert_eq!(element.bounds, Rect::default());
}

#[test]
fn negative_bounds_are_kept_and_clipped() {
    let tree = tree_of(screen(&leaf(&[("text", "x"), ("bounds", "[-50,-20][100,40]")])));
    assert_eq!(tree.elements[0].bounds, Rect::new(-50, -20, 100, 40));
    assert_eq!(tree.elements[0].visible_bounds, Rect::new(0, 0, 100, 40));
}

#[test]
fn a_page_beside_the_display_is_not_visible() {
    let page =
        around(&[("bounds", "[1080,0][2160,1920]")], &leaf(&[("text", "next"), ("bounds", "[1100,10][1200,60]")]));
    assert!(!tree_of(screen(&page)).elements[0].traits.visible);
}

#[test]
fn what_scrolled_out_of_its_list_is_not_visible() {
    let list = around(
        &[("scrollable", "true"), ("bounds", "[0,500][1080,1000]")],
        &leaf(&[("text", "above"), ("bounds", "[0,400][1080,480]")]),
    );
    assert!(!tree_of(screen(&list)).elements[1].traits.visible);
}

#[test]
fn a_container_without_size_does_not_hide_its_children() {
    let container = around(&[("bounds", "[0,0][0,0]")], &leaf(&[("text", "shown")]));
    assert!(tree_of(screen(&container)).elements[0].traits.visible);
}

#[test]
fn what_says_it_is_not_visible_is_not() {
    let tree = tree_of(screen(&leaf(&[("text", "x"), ("visible-to-user", "false")])));
    assert!(!tree.elements[0].traits.visible);
    assert!(tree.elements[0].visible_bounds.is_empty());
}

#[test]
fn nodes_that_say_nothing_are_counted_not_kept() {
    let tree = tree_of(screen(&around(&[], &(leaf(&[]) + &leaf(&[("text", "kept")])))));
    assert_eq!((tree.node_count, tree.elements.len(), tree.elided), (4, 1, 3));
    assert_eq!(tree.elements[0].parent, None);
    assert_eq!(tree.elements[0].depth, 2);
}

#[test]
fn each_reason_to_keep_a_node_keeps_it() {
    let reasons = [
        ("text", "x"),
        ("content-desc", "x"),
        ("resource-id", "com.app:id/x"),
        ("hint", "x"),
        ("clickable", "true"),
        ("long-clickable", "true"),
        ("focusable", "true"),
        ("scrollable", "true"),
        ("checkable", "true"),
        ("checked", "true"),
        ("selected", "true"),
        ("focused", "true"),
        ("password", "true"),
        ("expanded", "false"),
        ("class", "android.widget.ProgressBar"),
    ];
    for reason in reasons {
        assert_eq!(tree_of(screen(&leaf(&[reason]))).elements.len(), 1, "{reason:?}");
    }
}

#[test]
fn a_password_moves_its_secret_and_shows_nothing() {
    let read = |content: &str, key: u64| {
        let dump = screen(&leaf(&[("text", content), ("password", "true")]));
        parse_hierarchy(dump.as_bytes(), &ParseOptions { display: None, secret_key: key }).unwrap().elements.remove(0)
    };
    let (one, two, other_key) = (read("•••", 1), read("••••", 1), read("•••", 2));
    assert_eq!(one.text, None);
    assert!(one.secret.is_some() && one.secret != two.secret && one.secret != other_key.secret);
    assert_eq!(read("", 1).secret, None);
}

#[test]
fn the_display_given_overrules_the_roots() {
    let display = Some(Size { width: 500, height: 900 });
    let dump = screen(&leaf(&[("text", "x"), ("bounds", "[600,0][700,50]")]));
    let tree = parse_hierarchy(dump.as_bytes(), &ParseOptions { display, secret_key: 0 }).unwrap();
    assert_eq!(Some(tree.resolution), display);
    assert!(!tree.elements[0].traits.visible);
}

#[test]
fn a_saved_subtree_is_a_tree() {
    assert_eq!(texts(around(&[("text", "row")], &leaf(&[("text", "label")]))), ["row", "label"]);
}

#[test]
fn a_page_source_named_by_class_is_a_tree() {
    let dump = "<hierarchy rotation=\"0\"><android.widget.Button text=\"Go\" bounds=\"[0,0][9,9]\"></android.widget.Button></hierarchy>";
    let tree = tree_of(dump);
    assert_eq!(tree.elements[0].class, "android.widget.Button");
    assert_eq!(tree.elements[0].role, Some("button"));
}

#[test]
fn of_two_dumps_the_later_one_counts() {
    assert_eq!(texts(labelled("old") + &labelled("new")), ["new"]);
    let cut = labelled("old").replace("</node></hierarchy>", "\nERROR: retrying\n");
    assert_eq!(texts(cut + &labelled("new")), ["new"]);
}

#[test]
fn an_empty_webview_says_so() {
    let web = leaf(&[("class", "android.webkit.WebView"), ("focusable", "true")]);
    assert_eq!(tree_of(screen(&web)).limitations, [Limitation::WebviewEmpty]);
    let full = around(&[("class", "android.webkit.WebView")], &leaf(&[("text", "page")]));
    assert_eq!(tree_of(screen(&full)).limitations, []);
}

#[test]
fn flutter_without_semantics_says_so() {
    let flutter = around(&[("class", "io.flutter.embedding.android.FlutterView")], &leaf(&[]));
    assert_eq!(tree_of(screen(&flutter)).limitations, [Limitation::FlutterSemanticsOff]);
}

/// An Android 11+ `dump --windows`: an app under its keyboard, and a second display.
const WINDOWS: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><displays><display id="0">
<window index="0" title="InputMethod" bounds="[0,1200][1080,1920]" active="false" type="TYPE_INPUT_METHOD" layer="2" id="7"><hierarchy rotation="1"><node index="0" text="q" class="android.view.View" package="com.keys" bounds="[0,1200][100,1300]" /></hierarchy></window>
<window index="1" title="Shop" bounds="[0,0][1080,1920]" active="true" type="TYPE_APPLICATION" layer="1" id="5"><hierarchy rotation="1"><node index="0" text="Pay" class="android.widget.Button" package="com.shop" bounds="[0,0][100,100]" /></hierarchy></window>
</display><display id="2"><window index="0" title="Cover" bounds="[0,0][300,300]" active="true" type="TYPE_APPLICATION" layer="0"><hierarchy rotation="0"><node text="elsewhere" bounds="[0,0][9,9]" /></hierarchy></window></display></displays>"#;

#[test]
fn a_dump_with_windows_has_their_facts() {
    let tree = tree_of(WINDOWS);
    assert_eq!(tree.windows.len(), 2);
    assert_eq!(tree.package.as_deref(), Some("com.shop"));
    assert_eq!(tree.rotation, 1);
    assert_eq!((tree.windows[0].kind.as_deref(), tree.windows[0].layer), (Some("input_method"), Some(2)));
    let keyboard = tree.keyboard.unwrap();
    assert!(keyboard.shown);
    assert_eq!(keyboard.bounds, Some(Rect::new(0, 1200, 1080, 1920)));
}

#[test]
fn nodes_of_a_second_display_are_counted_not_kept() {
    let tree = tree_of(WINDOWS);
    assert_eq!((tree.node_count, tree.elements.len(), tree.elided), (3, 2, 1));
}

#[test]
fn a_plain_dump_says_nothing_of_the_keyboard() {
    assert_eq!(tree_of(labelled("x")).keyboard, None);
}
