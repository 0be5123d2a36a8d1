//! Captures and small trees for the tests.

use std::fmt::Write as _;
use std::path::PathBuf;

use handset_model::snapshot::{Capture, DeviceKey};
use handset_model::ui::{ParseOptions, Selector, Tree, parse_hierarchy};
use handset_model::{Code, Failure};

pub(crate) fn captures_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/captures")
}

pub(crate) fn capture(path: &str) -> Vec<u8> {
    let path = captures_dir().join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn capture_text(path: &str) -> String {
    String::from_utf8(capture(path)).unwrap()
}

pub(crate) fn parse(dump: impl AsRef<[u8]>) -> Result<Tree, Failure> {
    parse_hierarchy(dump.as_ref(), &ParseOptions::default())
}

pub(crate) fn tree_of(dump: impl AsRef<[u8]>) -> Tree {
    parse(dump).unwrap()
}

pub(crate) fn code_of(dump: impl AsRef<[u8]>) -> Code {
    parse(dump).unwrap_err().code
}

/// A root of 1080×1920 around `inside`, in a hierarchy.
pub(crate) fn screen(inside: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" \
         package=\"com.app\" bounds=\"[0,0][1080,1920]\">{inside}</node></hierarchy>"
    )
}

/// A node without children, from `name=value` pairs; `bounds` defaults to a visible rectangle.
pub(crate) fn leaf(attributes: &[(&str, &str)]) -> String {
    let mut node = String::from("<node");
    if attributes.iter().all(|(name, _)| *name != "bounds") {
        node.push_str(" bounds=\"[10,10][110,60]\"");
    }
    for (name, value) in attributes {
        let _ = write!(node, " {name}=\"{value}\"");
    }
    node.push_str(" />");
    node
}

/// A node around `inside`.
pub(crate) fn around(attributes: &[(&str, &str)], inside: &str) -> String {
    leaf(attributes).replace(" />", ">") + inside + "</node>"
}

pub(crate) fn selector(json: serde_json::Value) -> Selector {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn phone(id: &str) -> DeviceKey {
    DeviceKey { platform: "android", id: id.to_owned() }
}

pub(crate) fn read_at(id: &str, connection: u64, captured_ms: f64) -> Capture {
    Capture {
        device: phone(id),
        connection,
        started_ms: captured_ms - 1.0,
        captured_ms,
        captured_at_ms: 1_700_000_000_000,
    }
}

/// All texts of a dump, in order.
pub(crate) fn texts(dump: impl AsRef<[u8]>) -> Vec<String> {
    tree_of(dump).elements.into_iter().filter_map(|element| element.text).collect()
}

/// A screen with one label, its text written as it is.
pub(crate) fn labelled(text: &str) -> String {
    screen(&leaf(&[("text", text)]))
}
