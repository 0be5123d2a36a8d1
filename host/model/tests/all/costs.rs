//! What a tree may cost: depth, size, time.

use handset_model::ui::Limitation;

use crate::support::{leaf, parse, screen, tree_of};

#[test]
fn very_deep_trees_are_read_without_recursion() {
    let dump = format!("<hierarchy>{}{}</hierarchy>", "<node text=\"x\">".repeat(50_000), "</node>".repeat(50_000));
    let tree = tree_of(dump);
    assert_eq!(tree.node_count, 50_000);
    assert_eq!(tree.node_count, tree.elements.len() as u32 + tree.elided);
    assert_eq!(tree.limitations, [Limitation::Truncated]);
}

#[test]
fn very_wide_trees_are_capped_and_say_so() {
    let tree = tree_of(screen(&leaf(&[("text", "x")]).repeat(60_000)));
    assert_eq!((tree.node_count, tree.limitations.as_slice()), (60_001, [Limitation::Truncated].as_slice()));
    assert!(tree.elements.len() < 50_001);
}

#[test]
fn a_tree_of_a_thousand_nodes_takes_milliseconds() {
    let row = |index: usize| {
        let (id, text) = (format!("com.app:id/row{}", index % 50), format!("Label {index}"));
        leaf(&[
            ("index", "0"),
            ("text", &text),
            ("resource-id", &id),
            ("class", "android.widget.TextView"),
            ("package", "com.app"),
            ("content-desc", ""),
            ("checkable", "false"),
            ("checked", "false"),
            ("clickable", "true"),
            ("enabled", "true"),
            ("focusable", "false"),
            ("focused", "false"),
            ("scrollable", "false"),
            ("long-clickable", "false"),
            ("password", "false"),
        ])
    };
    let dump = screen(&(0..1000).map(row).collect::<String>());
    // The best of several: other work on the machine is not ours to measure.
    let once = || {
        let started = std::time::Instant::now();
        assert_eq!(tree_of(&dump).node_count, 1001);
        started.elapsed()
    };
    let best = (0..20).map(|_| once()).min().unwrap();
    eprintln!("1 001 nodes, {} bytes: {best:?}", dump.len());
    assert!(cfg!(debug_assertions) || best.as_millis() < 5, "{best:?}");
}

#[test]
fn no_input_takes_more_than_linear_time() {
    for part in [
        "<!--",
        "<![CDATA[",
        "<?",
        "<!",
        "<",
        "</",
        "&",
        "\"",
        "=\"",
        "<node",
        "<node a=\"b\"c",
        " a=\"b\"c",
        "<node a=\"",
        "<node>",
        "</node>",
        "<hierarchy>",
        "<hierarchy><node a='",
        "'\n",
        "a=\"          ",
        "&#55357;",
        "<init>",
        "Killed\n",
        "\tat x.Y\n",
    ] {
        for start in ["", "<hierarchy><node text=\"x\" "] {
            let dump = format!("{start}{}", part.repeat(300_000 / part.len()));
            let once = || {
                let started = std::time::Instant::now();
                assert!(parse(&dump).is_err());
                started.elapsed()
            };
            // A machine that is busy elsewhere slows one of them; what grows with the square of its input takes minutes each time.
            let took: Vec<_> = std::iter::repeat_with(once).take(5).take_while(|took| took.as_secs() >= 3).collect();
            assert!(took.len() < 5, "{start}{part}…: {took:?}");
        }
    }
}
