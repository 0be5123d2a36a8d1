//! Every capture of a tree, against what is expected of it.

use handset_model::ui::{ElementView, Limitation, element_json, text_tree};
use quick_xml::events::Event;

use crate::support::{capture, captures_dir, parse, tree_of};

/// File, nodes, elements, elided.
const TREES: &[(&str, u32, usize, u32)] = &[
    ("301__window_dump.xml", 16, 9, 7),
    ("AndroidViewClient__UIAUTOMATOR_DUMP_api17_chinese.xml", 21, 12, 9),
    ("AndroidViewClient__UIAUTOMATOR_DUMP_api27.xml", 29, 23, 6),
    ("HyperXray__ui_dump.xml", 75, 66, 9),
    ("LingBook-Android__window_dump2.xml", 72, 49, 23),
    ("PocketIDE__ui_settings.xml", 58, 31, 27),
    ("argent_tv__offscreen.xml", 6, 5, 1),
    ("flutter-fractal-forge__ui_dump.xml", 23, 15, 8),
    ("free4g__window_dump.xml", 30, 23, 7),
    ("keydroidx-launcher__ui_dump.xml", 104, 98, 6),
    ("pocket-financer-android__window_dump.xml", 64, 44, 20),
    ("projet-nx__ui_debug.xml", 16, 10, 6),
    ("senior-shield__window_dump.xml", 109, 100, 9),
    ("syaratiiq__ui_add_car_scroll.xml", 32, 17, 15),
    ("syaratiiq__window_dump_test.xml", 37, 21, 16),
    ("uiautomator__layout.xml", 12, 11, 1),
    ("visiontest__hierarchy.xml", 50, 35, 15),
    ("weditor__page.xml", 13, 12, 1),
];

/// File, code, words of the message.
const NOT_TREES: &[(&str, &str, &str)] = &[
    ("argent__vega-page-source.xml", "TREE_INVALID", "<root> at byte 22"),
    ("argent__vega-webview-grid.xml", "TREE_INVALID", "<root> at byte 0"),
];

fn trees() -> impl Iterator<Item = (&'static str, handset_model::ui::Tree)> {
    TREES.iter().map(|(file, ..)| (*file, tree_of(capture(&format!("android/{file}")))))
}

#[test]
fn every_tree_has_the_expected_counts() {
    for (file, nodes, elements, elided) in TREES {
        let tree = tree_of(capture(&format!("android/{file}")));
        assert_eq!((tree.node_count, tree.elements.len(), tree.elided), (*nodes, *elements, *elided), "{file}");
        assert_eq!(tree.replaced_characters, 0, "{file}");
    }
}

#[test]
fn other_markup_is_refused_by_what_it_is() {
    for (file, code, words) in NOT_TREES {
        let failure = parse(capture(&format!("android/{file}"))).unwrap_err();
        assert_eq!(failure.code.as_str(), *code, "{file}");
        assert!(failure.message.contains(words), "{file}: {}", failure.message);
    }
}

#[test]
fn every_capture_is_in_a_table() {
    let known = TREES.len() + NOT_TREES.len();
    assert_eq!(std::fs::read_dir(captures_dir().join("android")).unwrap().count(), known);
}

#[test]
fn every_capture_has_its_attribution() {
    let index = std::fs::read_to_string(captures_dir().join("INDEX.tsv")).unwrap();
    for (file, ..) in TREES {
        let line = index.lines().find(|line| line.starts_with(&format!("android/{file}\t"))).expect(file);
        assert_eq!(line.split('\t').count(), 8, "{file}");
    }
}

#[test]
fn an_element_takes_at_most_350_bytes_on_average_and_60_as_text() {
    let mut table = String::new();
    let (mut lines, mut elements) = (0, 0);
    for (file, tree) in trees() {
        let count = tree.elements.len();
        let json: usize =
            (0..count as u32).map(|index| element_json(&tree, index, ElementView::Tree, None).to_string().len()).sum();
        let text = text_tree(&tree).len();
        table +=
            &format!("{file:55} {count:4} elements, JSON {:4}, text {:3} bytes each\n", json / count, text / count);
        assert!(json / count <= 350, "{file}: {} bytes an element", json / count);
        (lines, elements) = (lines + text, elements + count);
    }
    assert!(lines <= 60 * elements, "{lines} bytes of text for {elements} elements\n{table}");
    eprintln!("{table}");
}

#[test]
fn parents_and_children_are_positions_of_kept_elements() {
    for (file, tree) in trees() {
        for (index, element) in (0u32..).zip(&tree.elements) {
            for child in &element.children {
                assert_eq!(tree.elements[*child as usize].parent, Some(index), "{file}");
            }
            if let Some(parent) = element.parent {
                assert!(parent < index, "{file}");
                assert!(tree.elements[parent as usize].children.contains(&index), "{file}");
                assert!(tree.elements[parent as usize].depth < element.depth, "{file}");
            }
        }
    }
}

#[test]
fn only_what_is_inside_the_display_is_visible() {
    for (file, tree) in trees() {
        for element in &tree.elements {
            assert_eq!(element.traits.visible, !element.visible_bounds.is_empty(), "{file}: {element:?}");
            assert!(!element.traits.visible || tree.display().encloses(&element.visible_bounds), "{file}: {element:?}");
        }
    }
}

#[test]
fn inverted_bounds_of_the_tv_launcher_are_not_visible() {
    let tree = tree_of(capture("android/argent_tv__offscreen.xml"));
    let inverted: Vec<_> = tree.elements.iter().filter(|element| element.bounds.is_empty()).collect();
    assert_eq!(inverted.len(), 3);
    assert!(inverted.iter().all(|element| !element.traits.visible));
}

#[test]
fn compose_screens_without_ids_say_so() {
    let without: Vec<_> = trees()
        .filter(|(_, tree)| tree.limitations.contains(&Limitation::ComposeNoIds))
        .map(|(file, _)| file)
        .collect();
    assert_eq!(
        without,
        [
            "LingBook-Android__window_dump2.xml",
            "PocketIDE__ui_settings.xml",
            "pocket-financer-android__window_dump.xml"
        ]
    );
}

#[test]
fn the_app_is_in_front_of_the_status_bar() {
    let tree = tree_of(capture("android/visiontest__hierarchy.xml"));
    assert_eq!(tree.windows.len(), 2);
    assert_eq!(tree.package.as_deref(), Some("de.vorwerk.homee.homee"));
}

#[test]
fn the_password_of_a_settings_screen_is_not_in_its_tree() {
    let tree = tree_of(capture("android/PocketIDE__ui_settings.xml"));
    let password = tree.elements.iter().find(|element| element.traits.password).unwrap();
    assert_eq!(password.text, None);
}

#[test]
fn what_a_strict_reader_can_read_is_read_alike() {
    for (file, ..) in TREES {
        let bytes = capture(&format!("android/{file}"));
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        let tree = tree_of(&text);
        let mut strict = quick_xml::Reader::from_str(&text);
        let (mut nodes, mut texts) = (0, Vec::new());
        loop {
            match strict.read_event().unwrap() {
                Event::Start(tag) | Event::Empty(tag) if tag.name().as_ref() == "node" => {
                    nodes += 1;
                    let attribute = |name: &str| {
                        let value = tag.try_get_attribute(name).unwrap()?;
                        Some(quick_xml::escape::unescape(&value.value).unwrap().into_owned())
                    };
                    if attribute("password").as_deref() != Some("true") {
                        texts.extend(attribute("text").filter(|text| !text.is_empty()));
                    }
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(tree.node_count, nodes, "{file}");
        let ours: Vec<String> = tree.elements.iter().filter_map(|element| element.text.clone()).collect();
        assert_eq!(ours, texts, "{file}");
    }
}
