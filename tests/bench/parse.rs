//! Bytes of a dump to a remembered screen.

use std::path::Path;
use std::sync::Arc;

use handset_model::snapshot::{Capture, DeviceKey, History, HistoryLimits, Observation, ScreenFacts};
use handset_model::ui::{ParseOptions, Size, parse_hierarchy};

use crate::report::{Row, Subject};
use crate::subject::{Runs, in_turns, timed};

/// Real screens, one after the other, until there are enough nodes.
const CAPTURES: [&str; 7] = [
    "keydroidx-launcher__ui_dump",
    "senior-shield__window_dump",
    "HyperXray__ui_dump",
    "LingBook-Android__window_dump2",
    "pocket-financer-android__window_dump",
    "PocketIDE__ui_settings",
    "AndroidViewClient__UIAUTOMATOR_DUMP_api27",
];

/// `parse`.
pub(crate) async fn parse(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "parse",
        "Parse and normalise",
        "From the bytes of a dump to a remembered screen: parsed, roles, visibility and stable ids, fingerprint and signature, \
         recorded in a history. Real captures, one after the other until the size is reached. \
         The floor reads the same bytes once with quick-xml, attributes included, and keeps nothing.",
        runs,
    );
    for nodes in [50, 280, 1_000, 5_000] {
        let dump = dump_of(nodes);
        let mut history = History::new(Arc::from("bench"), HistoryLimits::default());
        let seen = observation(&mut history, &dump);
        assert_eq!(seen.tree.node_count as usize, nodes, "as asked");
        let (whole, floor) = in_turns(
            runs.of(200),
            5,
            async || timed(|| observation(&mut history, &dump)),
            async || timed(|| strictly(&dump)),
        )
        .await;
        let what = format!("{nodes} nodes, {} KB", dump.len() / 1_000);
        let row = Row::new(what, "ms", whole).over(floor);
        subject.row(if nodes == 1_000 { row.median_at_most(5.0) } else { row });
    }
    subject
}

/// A screen of this many nodes, recorded as a read of it would be.
pub(crate) fn observation(history: &mut History, dump: &str) -> Arc<Observation> {
    let display = Some(Size { width: 1_080, height: 2_400 });
    let tree = parse_hierarchy(dump.as_bytes(), &ParseOptions { display, secret_key: 7 }).expect("a tree");
    let device = DeviceKey { platform: "android", id: "bench".to_owned() };
    let capture = Capture { device, connection: 1, started_ms: 0.0, captured_ms: 0.0, captured_at_ms: 0 };
    history.record(capture, tree, ScreenFacts::default())
}

fn strictly(dump: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(dump);
    let mut length = 0;
    loop {
        match reader.read_event().expect("real dumps are well formed") {
            quick_xml::events::Event::Eof => return length,
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) => {
                for attribute in tag.attributes() {
                    length += attribute.expect("well formed").value.len();
                }
            }
            _ => {}
        }
    }
}

/// A dump of real nodes.
pub(crate) fn dump_of(nodes: usize) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/captures/android");
    let all: String = CAPTURES
        .iter()
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(format!("{name}.xml"))).expect("a capture");
            let from = text.find("<node").expect("nodes");
            let until = text.rfind("</hierarchy>").expect("whole");
            text[from..until].to_owned()
        })
        .collect();
    let mut dump = String::from("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">");
    let (mut count, mut open) = (0, 0);
    for tag in std::iter::repeat_with(|| tags(&all)).flatten() {
        if tag.starts_with("</") {
            if open > 0 {
                open -= 1;
                dump.push_str(tag);
            }
            continue;
        }
        if count == nodes {
            break;
        }
        count += 1;
        open += usize::from(!tag.ends_with("/>"));
        dump.push_str(tag);
    }
    dump + &"</node>".repeat(open) + "</hierarchy>"
}

/// The tags of well-formed markup; a `>` inside quotes ends none.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[rest.find('<')?..];
        let mut quoted = false;
        let end = rest.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        })?;
        let (tag, after) = rest.split_at(end + 1);
        rest = after;
        Some(tag)
    })
}
