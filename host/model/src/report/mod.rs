//! What one device answered: the file `handset selfcheck` writes, and what may stand in it.
//!
//! A report tells formats, not contents: what comes from a device passes [`Redaction`], which lets through only words
//! that are known to be a format's own.

mod redact;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use redact::Redaction;

/// The version of the file's shape.
pub const SCHEMA: u32 = 1;

/// One device's answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of Handset that asked.
    pub handset: String,
    /// adb's own version; empty where it did not tell.
    pub adb: String,
    /// `adb features` of this device: what client and device both know.
    pub features: Vec<String>,
    /// `package/activity` in front, as the device writes it; kept in clear, so that its lines can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front: Option<String>,
    /// `getprop`, by property.
    pub properties: BTreeMap<String, String>,
    /// Whether the device has a command of this name.
    pub commands: BTreeMap<String, bool>,
    /// How long things took.
    pub latency: BTreeMap<String, Latency>,
    /// Each way to dump the screen.
    pub dumps: BTreeMap<String, DumpAnswer>,
    /// `screencap -p`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<Screenshot>,
    /// All other questions, by name.
    pub answers: BTreeMap<String, ReportAnswer>,
}

/// Round trips of one kind, ms from spawning adb to its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// How many.
    pub count: usize,
    /// The shortest.
    pub min_ms: f64,
    /// The middle one; of an even number, the mean of both.
    pub median_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

impl Latency {
    /// Of these; `None` of none.
    #[must_use]
    pub fn of(mut taken: Vec<f64>) -> Option<Self> {
        taken.sort_by(f64::total_cmp);
        let (min, max) = (*taken.first()?, *taken.last()?);
        let (low, high) = (taken.get((taken.len() - 1) / 2)?, taken.get(taken.len() / 2)?);
        let rounded = |ms: f64| (ms * 10.0).round() / 10.0;
        let median_ms = rounded(low.midpoint(*high));
        Some(Self { count: taken.len(), min_ms: rounded(min), median_ms, max_ms: rounded(max) })
    }
}

/// What one way to dump the screen gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DumpAnswer {
    /// The command.
    pub asked: String,
    /// What the dump said, its file called `FILE`.
    pub words: String,
    /// A whole tree came.
    pub tree: bool,
    /// Why none did: the code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Nodes in it.
    pub nodes: usize,
    /// The root element: `hierarchy` or `displays`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Names of the attributes its elements have, of those that are known.
    pub attributes: BTreeSet<String>,
}

/// How a picture begins; never its pixels.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Screenshot {
    /// A PNG came.
    pub png: bool,
    /// Exit status of the command.
    pub status: i32,
    /// What stands before its first byte, such as a vendor's warning.
    pub before: String,
    /// Its signature and header, in hexadecimal: 33 bytes at most.
    pub header: String,
}

/// One question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReportAnswer {
    /// The command, without what bounds it.
    pub asked: String,
    /// Exit status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// Why there is no answer: the code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What it printed.
    pub text: String,
}

/// Attributes dumps are known to write, from captures and from AOSP's `AccessibilityNodeInfoDumper`.
const ATTRIBUTES: &[&str] = &[
    "NAF",
    "active",
    "bounds",
    "checkable",
    "checked",
    "class",
    "clickable",
    "content-desc",
    "display-id",
    "drawing-order",
    "enabled",
    "focusable",
    "focused",
    "hint",
    "id",
    "index",
    "layer",
    "long-clickable",
    "package",
    "password",
    "pane-title",
    "resource-id",
    "rotation",
    "scrollable",
    "selected",
    "text",
    "title",
    "type",
    "visible-to-user",
    "z-order",
];

/// Which of the known attributes stand in a dump. In a tree no value holds a quotation mark, so that a name between a
/// blank and `="` is markup.
#[must_use]
pub fn attributes(dump: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(dump);
    let there = |name: &&&str| text.contains(&format!(" {name}=\""));
    ATTRIBUTES.iter().filter(there).map(|name| (**name).to_owned()).collect()
}

/// `hierarchy` or `displays`, whichever opens first.
#[must_use]
pub fn root(dump: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(dump);
    let at = |name: &str| text.find(&format!("<{name}"));
    ["displays", "hierarchy"]
        .into_iter()
        .filter_map(|name| Some((at(name)?, name)))
        .min()
        .map(|(_, name)| name.to_owned())
}

/// How a picture begins, in the output of `screencap -p`.
#[must_use]
pub fn screenshot(output: &[u8], status: i32, redaction: &Redaction) -> Screenshot {
    const SIGNATURE: &[u8] = b"\x89PNG";
    const HEADER: usize = 33;
    let at = output.windows(SIGNATURE.len()).position(|window| window == SIGNATURE);
    let (before, header) = output.split_at(at.unwrap_or(output.len()));
    let header = header.iter().take(HEADER).map(|byte| format!("{byte:02x}")).collect();
    let before = redaction.apply(&String::from_utf8_lossy(before));
    Screenshot { png: at.is_some(), status, before, header }
}
