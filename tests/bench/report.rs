//! What was measured, as JSON and as Markdown made of it.

use std::fmt::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::machine::{Machine, Versions};
use crate::stats::{Summary, round};

/// Everything that was measured on one machine with one build.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) versions: Versions,
    pub(crate) subjects: Vec<Subject>,
}

/// One file of this folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) title: String,
    /// What is measured, and against what.
    pub(crate) about: String,
    /// Load of the machine (one minute) as it began.
    pub(crate) load_at_start: f64,
    /// UTC.
    pub(crate) taken: String,
    /// Of the sources, where git tells.
    pub(crate) commit: String,
    /// Fewer measurements than usual.
    pub(crate) quick: bool,
    pub(crate) rows: Vec<Row>,
    /// Sentences below the table.
    pub(crate) notes: Vec<String>,
    /// Sums over the records of some requests, by whose they are.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) counters: Value,
}

/// One figure.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) what: String,
    /// `ms`, `MB`, or what is counted.
    pub(crate) unit: String,
    pub(crate) measured: Summary,
    /// The same work without Handset, in the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) floor: Option<Summary>,
    /// The difference of the medians.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) beyond: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bound: Option<Bound>,
}

/// What a figure is judged by.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Bound {
    /// `median`, `beyond`, ….
    pub(crate) of: String,
    pub(crate) at_most: f64,
    pub(crate) value: f64,
    pub(crate) kept: bool,
}

impl Row {
    /// Measurements of one thing.
    pub(crate) fn new(what: impl Into<String>, unit: &str, values: Vec<f64>) -> Self {
        Self { what: what.into(), unit: unit.to_owned(), measured: Summary::of(values), ..Self::default() }
    }

    /// The floor under it.
    pub(crate) fn over(mut self, floor: Vec<f64>) -> Self {
        let floor = Summary::of(floor);
        self.beyond = Some(round(self.measured.median - floor.median));
        self.floor = Some(floor);
        self
    }

    /// Judges the median.
    pub(crate) fn median_at_most(self, at_most: f64) -> Self {
        let value = self.measured.median;
        self.judged("median", value, at_most)
    }

    /// Judges what is beyond the floor.
    pub(crate) fn beyond_at_most(self, at_most: f64) -> Self {
        let value = self.beyond.unwrap_or(f64::INFINITY);
        self.judged("beyond the floor", value, at_most)
    }

    /// Judges something made of the measurements.
    pub(crate) fn judged(mut self, of: &str, value: f64, at_most: f64) -> Self {
        let value = round(value);
        self.bound = Some(Bound { of: of.to_owned(), at_most, value, kept: value <= at_most });
        self
    }
}

/// A number as people read it.
pub(crate) fn shown(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl Report {
    /// What an earlier run left in a folder, if it was of the same machine and build.
    pub(crate) fn continued(folder: &Path, machine: Machine, versions: Versions) -> Self {
        let earlier = std::fs::read(folder.join("report.json")).ok();
        let earlier: Option<Self> = earlier.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        match earlier {
            Some(earlier) if earlier.machine == machine && earlier.versions == versions => earlier,
            _ => Self { machine, versions, subjects: Vec::new() },
        }
    }

    /// Puts a subject in its place among `order`.
    pub(crate) fn take(&mut self, subject: Subject, order: &[&str]) {
        self.subjects.retain(|one| one.name != subject.name);
        self.subjects.push(subject);
        self.subjects.sort_by_key(|one| order.iter().position(|name| *name == one.name));
    }

    /// Writes both files.
    pub(crate) fn write(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let json = serde_json::to_string_pretty(self)?;
        std::fs::write(folder.join("report.json"), json + "\n")?;
        std::fs::write(folder.join("README.md"), self.markdown())
    }

    fn markdown(&self) -> String {
        let mut out = String::from(
            "# Benchmarks\n\n\
             Written by `cargo bench` from [report.json](report.json); do not edit. `cargo bench -- NAME…` measures only what is\n\
             named, `--quick` less often, `--runs N` as often as it says, `--out FOLDER` writes elsewhere;\n\
             `cargo bench -- soak --minutes N` puts sixteen phones under load.\n\n\
             The floor is the same work without Handset, measured in turns with it in the same run. *Beyond* is the difference of\n\
             the two medians: what Handset adds.\n\n",
        );
        let _ = writeln!(out, "| | |\n|---|---|\n{}{}", self.machine.rows(), self.versions.rows());
        for subject in &self.subjects {
            subject.markdown(&mut out);
        }
        out
    }
}

impl Subject {
    fn markdown(&self, out: &mut String) {
        let quick = if self.quick { ", a quick run" } else { "" };
        let _ = writeln!(out, "## {}\n\n{}\n", self.title, self.about);
        let Self { name, taken, commit, .. } = self;
        let load = shown(self.load_at_start);
        let _ = writeln!(out, "`{name}`, {taken}, commit {commit}, load at start {load}{quick}.\n");
        let floors = self.rows.iter().any(|row| row.floor.is_some());
        let (head, line) = if floors { (" floor | beyond |", "---:|---:|") } else { ("", "") };
        let _ = writeln!(out, "| | n | median | p5–p95 |{head} bound | |\n|---|---:|---:|---:|{line}---|---|");
        for row in &self.rows {
            let one = &row.measured;
            let _ = write!(
                out,
                "| {} | {} | {} {} | {}–{} |",
                row.what,
                one.count,
                shown(one.median),
                row.unit,
                shown(one.p5),
                shown(one.p95)
            );
            if floors {
                let floor = row
                    .floor
                    .as_ref()
                    .map(|floor| format!("{} ({}–{})", shown(floor.median), shown(floor.p5), shown(floor.p95)));
                let _ = write!(
                    out,
                    " {} | {} |",
                    floor.unwrap_or_default(),
                    row.beyond.map(|beyond| format!("**{}**", shown(beyond))).unwrap_or_default()
                );
            }
            let (bound, kept) = match &row.bound {
                Some(bound) => (
                    format!("{} ≤ {}: {}", bound.of, shown(bound.at_most), shown(bound.value)),
                    if bound.kept { "kept" } else { "**NOT KEPT**" },
                ),
                None => (String::new(), ""),
            };
            let _ = writeln!(out, " {bound} | {kept} |");
        }
        let _ = writeln!(out);
        for note in &self.notes {
            let _ = writeln!(out, "- {note}");
        }
        if !self.notes.is_empty() {
            let _ = writeln!(out);
        }
        for (whose, counters) in self.counters.as_object().into_iter().flatten() {
            let _ = writeln!(out, "Counters of {whose}, one run, as `--measure` writes them:\n\n| | |\n|---|---:|");
            for (name, value) in counters.as_object().into_iter().flatten() {
                let _ = writeln!(out, "| {name} | {} |", value.as_f64().map_or_else(|| value.to_string(), shown));
            }
            let _ = writeln!(out);
        }
    }
}
