//! What holds for any input.

use std::collections::HashSet;
use std::sync::Arc;

use handset_model::android;
use handset_model::snapshot::{History, HistoryLimits, ScreenFacts};
use handset_model::ui::{ElementView, Tree, element_json, fingerprint, text_tree};
use proptest::prelude::*;

use crate::support::{capture, leaf, parse, phone, read_at, screen, tree_of};

/// What every tree promises; also runs what is built on trees.
fn check(tree: &Tree) {
    assert!(tree.node_count > 0);
    assert_eq!(tree.node_count, tree.elements.len() as u32 + tree.elided);
    for (index, element) in (0u32..).zip(&tree.elements) {
        assert!(element.parent.is_none_or(|parent| parent < index));
        assert_eq!(element.traits.visible, !element.visible_bounds.is_empty());
        assert!(!element_json(tree, index, ElementView::Resolved, None).is_null());
    }
    assert_eq!(fingerprint(tree, None).len(), 16);
    assert!(text_tree(tree).lines().count() >= tree.elements.len());
}

/// Where to change a capture, and how.
fn mutations() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0u8..5, any::<u8>()), 1..12)
}

fn mutate(bytes: &mut Vec<u8>, changes: &[(prop::sample::Index, u8, u8)]) {
    for (at, how, byte) in changes {
        if bytes.is_empty() {
            return;
        }
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = *byte,
            1 => bytes.insert(at, *byte),
            2 => drop(bytes.remove(at)),
            3 => bytes.truncate(at.max(1)),
            _ => {
                let part: Vec<u8> = bytes[at..(at + usize::from(*byte)).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
}

const MUTATED: [&str; 4] = [
    "301__window_dump.xml",
    "weditor__page.xml",
    "AndroidViewClient__UIAUTOMATOR_DUMP_api17_chinese.xml",
    "syaratiiq__window_dump_test.xml",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_a_tree_or_a_typed_failure(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(tree) = parse(bytes) {
            check(&tree);
        }
    }

    #[test]
    fn any_markup_is_a_tree_or_a_typed_failure(parts in prop::collection::vec(prop::sample::select(vec![
        "<hierarchy rotation=\"0\">", "</hierarchy>", "<node bounds=\"[0,0][9,9]\" text=\"", "\" clickable=\"true\"", ">", "/>", "</node>",
        "<node text=\"a\" bounds=\"[1,1][5,5]\"/>", "<node>", "<displays>", "<display id=\"0\">", "<window type=\"TYPE_APPLICATION\">",
        "</window>", "</display>", "</displays>", "&#55357;", "&#56832;", "&", "<", "\"", "'", "\n", "Killed\n", "<!--", "-->", "<![CDATA[", "é", "=",
    ]), 0..40)) {
        if let Ok(tree) = parse(parts.concat()) {
            check(&tree);
        }
    }

    #[test]
    fn a_damaged_capture_is_a_tree_or_a_typed_failure(file in prop::sample::select(&MUTATED[..]), changes in mutations()) {
        let mut bytes = capture(&format!("android/{file}"));
        mutate(&mut bytes, &changes);
        if let Ok(tree) = parse(&bytes) {
            check(&tree);
        }
    }

    #[test]
    fn a_capture_cut_anywhere_is_never_a_tree(file in prop::sample::select(&MUTATED[..3]), at in any::<prop::sample::Index>()) {
        let bytes = capture(&format!("android/{file}"));
        let end = String::from_utf8(bytes.clone()).unwrap().rfind("</hierarchy>").unwrap() + "</hierarchy>".len();
        prop_assert!(parse(&bytes[..at.index(end)]).is_err());
    }

    #[test]
    fn any_label_comes_back_as_it_was(text in "[^\\x00-\\x1F\\u{FFFE}\\u{FFFF}]{1,40}") {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let tree = tree_of(screen(&leaf(&[("text", &escaped)])));
        prop_assert_eq!(tree.elements[0].text.as_deref(), Some(text.as_str()));
    }

    #[test]
    fn device_parsers_take_any_text(text in "\\PC{0,200}(\n\\PC{0,80}){0,4}") {
        let _ = android::parse_devices(&text);
        let _ = android::parse_wm_size(&text);
        let _ = android::parse_resumed_activity(&text);
        let _ = android::parse_keyboard_shown(&text);
        let _ = android::parse_screen_state(&text);
        let _ = android::parse_getprop(&text);
        let _ = android::parse_am_start(&text);
        let _ = android::parse_resolved_activity(&text);
        let _ = android::classify_adb_error(&text);
        let _ = android::classify_dump_error(&text);
        let _ = android::classify_input(&text, 0);
    }

    #[test]
    fn a_shell_reads_a_quoted_word_as_it_was(word in "[^\\x00]{0,60}") {
        prop_assert_eq!(handset_model::parsers::read_as_a_shell(&android::quote(&word)), Some(word));
    }

    #[test]
    fn revisions_follow_the_screens(script in prop::collection::vec(steps(), 0..60)) {
        follow(&script);
    }
}

/// What happens to a history.
#[derive(Clone, Debug)]
enum Step {
    Record { device: u8, screen: u8 },
    Advance(u32),
    Forget(u8),
    Reconnect(u8),
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u8..2, 0u8..3).prop_map(|(device, screen)| Step::Record { device, screen }),
        2 => (0u32..700_000).prop_map(Step::Advance),
        1 => (0u8..2).prop_map(Step::Forget),
        1 => (0u8..2).prop_map(Step::Reconnect),
    ]
}

/// Runs a script beside the simplest model of it: what each device last showed, and when.
fn follow(script: &[Step]) {
    let limits = HistoryLimits { revisions: 3, ..HistoryLimits::default() };
    let mut history = History::new(Arc::from("s"), limits);
    let screens =
        [0, 1, 2].map(|screen_number| tree_of(screen(&leaf(&[("text", &format!("screen {screen_number}"))]))));
    let mut now = 0.0;
    let mut last: [Option<(u8, u64, f64)>; 2] = [None; 2];
    let mut connections = [1, 1];
    let (mut used, mut highest) = (HashSet::new(), 0);
    for step in script {
        match step {
            Step::Advance(ms) => now += f64::from(*ms),
            Step::Forget(device) => {
                history.forget(&phone(&device.to_string()));
                last[usize::from(*device)] = None;
            }
            Step::Reconnect(device) => {
                connections[usize::from(*device)] += 1;
                last[usize::from(*device)] = None;
            }
            Step::Record { device, screen } => {
                let (id, connection) = (device.to_string(), connections[usize::from(*device)]);
                let tree = screens[usize::from(*screen)].clone();
                let revision = history.record(read_at(&id, connection, now), tree, ScreenFacts::default()).revision;
                match last[usize::from(*device)] {
                    Some((shown, known, at)) if shown == *screen && now - at <= 600_000.0 => {
                        assert_eq!(revision, known)
                    }
                    _ => {
                        assert!(used.insert(revision), "{revision} was used before");
                        assert!(revision > highest, "{revision} after {highest}");
                    }
                }
                highest = highest.max(revision);
                last[usize::from(*device)] = Some((*screen, revision, now));
                assert_eq!(history.newest(&phone(&id), connection, now).unwrap().revision, revision);
                assert_eq!(history.owner(revision, now), Some(phone(&id)));
            }
        }
    }
}
