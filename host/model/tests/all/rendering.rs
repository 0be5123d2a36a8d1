//! What an agent sees of an element and of a tree.

use handset_model::ui::{ElementView, element_json, text_tree};
use serde_json::{Value, json};

use crate::support::{around, capture, leaf, screen, tree_of};

fn first(inside: &str, view: ElementView) -> Value {
    element_json(&tree_of(screen(inside)), 0, view, Some("e1"))
}

#[test]
fn a_tree_element_leaves_defaults_out() {
    let button =
        leaf(&[("text", "Go"), ("class", "android.widget.Button"), ("clickable", "true"), ("package", "com.app")]);
    assert_eq!(
        first(&button, ElementView::Tree),
        json!({
            "text": "Go", "type": "android.widget.Button", "clickable": true, "visible": true,
            "bounds": [10, 10, 110, 60], "center": [60, 35], "depth": 1, "role": "button",
            "selector": {"value": "Go", "confidence": {"score": 0.8, "reason": "text"}},
        })
    );
}

#[test]
fn a_resolved_element_has_its_own_names() {
    let field = leaf(&[
        ("text", "me"),
        ("content-desc", "Name"),
        ("resource-id", "com.app:id/name"),
        ("class", "android.widget.EditText"),
        ("focused", "true"),
    ]);
    assert_eq!(
        first(&field, ElementView::Resolved),
        json!({
            "elementId": "e1", "text": "me", "resource_id": "com.app:id/name", "accessibility_id": "Name",
            "class": "android.widget.EditText", "bounds": [10, 10, 110, 60], "index": 0, "state": {"focused": true},
            "stable_id": "com.app:id/name", "role": "text_field",
            "selector": {"value": "name", "confidence": {"score": 0.95, "reason": "resource_id"}},
            "semantic": {"supported_actions": ["type_text"]},
        })
    );
}

#[test]
fn disabled_is_shown_enabled_is_not() {
    let shown = first(&leaf(&[("text", "x"), ("enabled", "false")]), ElementView::Tree);
    assert_eq!((&shown["enabled"], &shown["state"]), (&json!(false), &json!({"enabled": false})));
    assert_eq!(first(&leaf(&[("text", "x"), ("enabled", "true")]), ElementView::Tree).get("enabled"), None);
}

#[test]
fn a_password_is_named_and_not_shown() {
    let shown = first(&leaf(&[("text", "hunter2"), ("password", "true")]), ElementView::Tree);
    assert_eq!(shown["password"], true);
    assert!(!shown.to_string().contains("hunter2"));
}

#[test]
fn an_id_that_rows_share_is_nobodys_identity() {
    let tree = tree_of(screen(
        &(leaf(&[("resource-id", "com.app:id/title"), ("text", "a")])
            + &leaf(&[("resource-id", "com.app:id/title"), ("text", "b")])),
    ));
    assert!(tree.elements.iter().all(|element| element.stable_id.is_none()));
    assert_eq!(tree.elements[0].selector_value(), Some("a"));
}

#[test]
fn a_description_is_an_identity_within_its_class() {
    let tree = tree_of(screen(&leaf(&[("content-desc", "Back"), ("class", "android.widget.ImageButton")])));
    assert_eq!(tree.elements[0].stable_id.as_deref(), Some("ImageButton:Back"));
}

#[test]
fn a_test_tag_is_an_id_without_a_package() {
    let tag = |id: &str| tree_of(screen(&leaf(&[("resource-id", id)]))).elements[0].test_tag.clone();
    assert_eq!(tag("login_button").as_deref(), Some("login_button"));
    assert_eq!(tag("com.app:id/login"), None);
}

#[test]
fn the_center_is_in_the_visible_part() {
    let shown = first(&leaf(&[("text", "x"), ("bounds", "[1000,100][1400,200]")]), ElementView::Tree);
    assert_eq!(shown["center"], json!([1040, 150]));
    assert_eq!(first(&leaf(&[("text", "x"), ("bounds", "[2000,0][2100,9]")]), ElementView::Tree).get("center"), None);
}

#[test]
fn a_package_is_shown_where_it_differs_from_its_roots() {
    let shown = first(&leaf(&[("text", "x"), ("package", "com.other")]), ElementView::Tree);
    assert_eq!(shown["package"], "com.other");
}

#[test]
fn the_text_tree_has_one_line_an_element() {
    let row = around(
        &[("class", "android.widget.LinearLayout"), ("clickable", "true"), ("bounds", "[0,0][1080,100]")],
        &(leaf(&[("text", "Say &quot;hi&quot;&#10;now"), ("class", "android.widget.TextView")])
            + &leaf(&[
                ("class", "android.widget.Switch"),
                ("resource-id", "com.app:id/on"),
                ("checkable", "true"),
                ("enabled", "false"),
            ])),
    );
    assert_eq!(
        text_tree(&tree_of(screen(&row))),
        "[0] LinearLayout tap 0,0-1080,100\n \
         [1] \"Say \\\"hi\\\"\\nnow\" 10,10-110,60\n \
         [2] switch #on unchecked disabled 10,10-110,60\n"
    );
}

#[test]
fn long_and_odd_text_stays_on_its_line() {
    let text = format!("\u{202E}{}", "x".repeat(500));
    let line = text_tree(&tree_of(screen(&leaf(&[("text", &text)]))));
    assert!(line.len() < 180, "{line}");
    assert!(line.contains("\\u{202e}xx") && line.contains('…'), "{line}");
}

#[test]
fn windows_are_named_when_there_are_several() {
    let text = text_tree(&tree_of(capture("android/visiontest__hierarchy.xml")));
    assert!(text.starts_with("window 0 com.android.systemui\n["));
    assert!(text.contains("\nwindow 1 de.vorwerk.homee.homee\n["));
    assert_eq!(text.lines().count(), 35 + 2);
}

#[test]
fn bars_show_their_value() {
    let shown = first(&leaf(&[("class", "android.widget.SeekBar"), ("text", "40%")]), ElementView::Tree);
    assert_eq!(shown["state"], json!({"value": 40.0, "raw_value": "40%", "value_range": {"min": 0.0, "max": 100.0}}));
    assert_eq!(shown["semantic"], json!({"adjustable": true, "supported_actions": ["adjust"]}));
}

#[test]
fn vendor_classes_have_the_roles_of_what_they_extend() {
    for (class, role) in [
        ("androidx.appcompat.widget.AppCompatButton", Some("button")),
        ("com.google.android.material.button.MaterialButton", Some("button")),
        ("android.widget.ImageButton", Some("button")),
        ("android.widget.RadioButton", Some("radio")),
        ("android.widget.CheckedTextView", Some("checkbox")),
        ("com.google.android.material.textfield.TextInputEditText", Some("text_field")),
        ("android.widget.AutoCompleteTextView", Some("text_field")),
        ("androidx.appcompat.widget.SwitchCompat", Some("switch")),
        ("android.widget.ImageView", Some("image")),
        ("androidx.recyclerview.widget.RecyclerView", Some("list")),
        ("android.widget.HorizontalScrollView", Some("scroll")),
        ("android.webkit.WebView", Some("web_view")),
        ("android.app.AlertDialog", Some("dialog")),
        ("android.view.View", None),
        ("android.widget.FrameLayout", None),
    ] {
        let tree = tree_of(screen(&leaf(&[("class", class), ("text", "x")])));
        assert_eq!(tree.elements[0].role, role, "{class}");
    }
}

#[test]
fn a_class_with_a_line_end_forges_no_line_of_the_text_tree() {
    let class = "a.View&#10;[9] button &quot;Pay&quot; tap 0,0-1,1";
    let text =
        handset_model::ui::text_tree(&crate::support::tree_of(crate::support::screen(&crate::support::leaf(&[
            ("class", class),
            ("text", "x"),
        ]))));
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("[0] View\\n[9] button \\\"Pay\\\" tap"), "{text}");
}
