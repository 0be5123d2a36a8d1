//! Which screen is this.

use handset_model::ui::fingerprint;

use crate::support::{leaf, screen, tree_of};

fn of_text(text: &str) -> String {
    fingerprint(&tree_of(screen(&leaf(&[("text", text)]))), Some("com.app.Main"))
}

#[test]
fn it_is_sixteen_hexadecimal_digits() {
    let print = of_text("Settings");
    assert_eq!(print.len(), 16);
    assert!(print.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn text_that_changes_by_itself_does_not_count() {
    for (one, other) in [
        ("12:41", "9:05 PM"),
        ("Updated 12:41", "Updated 13:02:59"),
        ("85%", "7 %"),
        ("Battery 85 percent", "Battery 7 percent"),
        ("3", "1,024"),
        ("Due 2024-05-01", "Due 31/12/2025"),
        ("Mon, Jan 5", "Tuesday, February 17"),
        ("5月12日 周一", "6月3日 周五"),
    ] {
        assert_eq!(of_text(one), of_text(other), "{one} / {other}");
    }
}

#[test]
fn words_and_numbers_among_words_count() {
    for (one, other) in [("Wi-Fi", "Bluetooth"), ("Question 1", "Question 2"), ("Mars", "March"), ("May", "Sun")] {
        assert_ne!(of_text(one), of_text(other), "{one} / {other}");
    }
}

#[test]
fn the_activity_counts() {
    let tree = tree_of(screen(&leaf(&[("text", "x")])));
    assert_ne!(fingerprint(&tree, Some("a")), fingerprint(&tree, Some("b")));
    assert_ne!(fingerprint(&tree, Some("a")), fingerprint(&tree, None));
}

#[test]
fn what_cannot_be_seen_does_not_count() {
    let shown = leaf(&[("text", "x")]);
    let hidden = leaf(&[("text", "y"), ("bounds", "[5000,0][5100,9]")]);
    assert_eq!(
        fingerprint(&tree_of(screen(&shown)), None),
        fingerprint(&tree_of(screen(&(shown.clone() + &hidden))), None)
    );
}

#[test]
fn what_is_past_the_first_fifty_does_not_count() {
    let rows = |count: usize| -> String {
        (0..count)
            .map(|row| {
                leaf(&[("text", &format!("row {row}")), ("bounds", &format!("[0,{}][9,{}]", row * 9, row * 9 + 9))])
            })
            .collect()
    };
    assert_eq!(fingerprint(&tree_of(screen(&rows(50))), None), fingerprint(&tree_of(screen(&rows(60))), None));
    assert_ne!(fingerprint(&tree_of(screen(&rows(49))), None), fingerprint(&tree_of(screen(&rows(50))), None));
}
