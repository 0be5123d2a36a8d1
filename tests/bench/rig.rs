//! Phones, the adb in between, servers on them, and the children a call makes, to be run bare.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use simphone::adb::AdbFlavor;
use simphone::{Phone, PhoneOptions, Scene};

use crate::stats::round;
use crate::support::{Flavor, ServerOptions};
use crate::wire::{Called, Wire};

/// Phones and an adb that knows them. Dropped in this order: adb, phones.
pub(crate) struct Rig {
    pub(crate) adb: AdbFlavor,
    pub(crate) phones: Vec<Phone>,
}

/// An instant phone with a scene of fixtures/scenes.
pub(crate) fn showing(scene: &str) -> PhoneOptions {
    PhoneOptions::new(Scene::by_name(scene).expect("a scene of fixtures/scenes"))
}

/// An instant phone with a screen of this many nodes, the root of the window among them: rows of two labels.
pub(crate) fn of_size(nodes: usize) -> PhoneOptions {
    // Window, list, and three a row; what is left are labels beside the list.
    let (rows, rest) = ((nodes - 2) / 3, (nodes - 2) % 3);
    let mut toml = format!(
        r#"
[app]
package = "com.example.long"
start = "long"

[[screen]]
name = "long"

[[screen.element]]
class = "LinearLayout"
rid = "list"
bounds = [0, 0, 1080, 2200]

[[screen.element.children]]
id = "row{{n}}"
class = "LinearLayout"
rid = "row"
bounds = [0, 0, 1080, 20]
flags = "clickable"
repeat = {{ count = {rows}, step = 2 }}
children = [
    {{ id = "label{{n}}", class = "TextView", rid = "label", text = "Label of row {{n}}", bounds = [64, 0, 700, 10] }},
    {{ id = "value{{n}}", class = "TextView", rid = "value", text = "Value {{n}} of the row", bounds = [64, 10, 700, 20] }},
]
"#
    );
    for number in 0..rest {
        toml += &format!(
            "\n[[screen.element]]\nclass = \"TextView\"\nrid = \"rest{number}\"\ntext = \"Rest {number}\"\nbounds = [0, 2300, 500, 2400]\n"
        );
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("long.toml");
    std::fs::write(&path, toml).expect("the scene is written");
    PhoneOptions::new(Scene::from_path(&path).expect("a scene"))
}

impl Rig {
    /// Starts phones behind the stock adb, or the stand-in where there is none.
    pub(crate) async fn start(options: impl IntoIterator<Item = PhoneOptions>) -> Self {
        let mut phones = Vec::new();
        for (number, mut one) in options.into_iter().enumerate() {
            one.seed += number as u64;
            phones.push(Phone::start(one).await.expect("the phone starts"));
        }
        let adb = Flavor::best().connected(&phones).await;
        Self { adb, phones }
    }

    /// Id of the first phone.
    pub(crate) fn device(&self) -> String {
        self.phones[0].adb_addr().to_string()
    }

    /// A server on these phones.
    pub(crate) async fn server(&self) -> Wire {
        Wire::start(&ServerOptions::default(), Some(&self.adb)).await.0
    }

    /// A server that writes down the record of each request.
    pub(crate) async fn measured(&self) -> (Wire, Measures) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("measures.jsonl");
        let args = vec!["--measure".into(), file.clone().into_os_string()];
        let options = ServerOptions { args, ..ServerOptions::default() };
        (Wire::start(&options, Some(&self.adb)).await.0, Measures { file, _folder: folder })
    }

    /// A server whose children are written down.
    pub(crate) async fn recorded(&self) -> Recorded {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let log = folder.path().join("children.jsonl");
        let leading = [RECORD.into(), log.clone().into_os_string(), self.adb.program().into()];
        let recorder = AdbFlavor::StandIn {
            program: std::env::current_exe().expect("this program is somewhere"),
            leading: leading.into_iter().chain(self.adb.leading()).collect(),
        };
        let options = ServerOptions { env: self.adb.env(), ..ServerOptions::default() };
        let (wire, _) = Wire::start(&options, Some(&recorder)).await;
        Recorded { wire, log, env: self.adb.env(), _folder: folder }
    }
}

/// The first argument that makes this program write down an adb command line and become it.
pub(crate) const RECORD: &str = "record-and-run";

/// Writes down `PROGRAM ARGUMENTS…` in `LOG` and runs it in this process's place.
pub(crate) fn record_and_run(mut args: impl Iterator<Item = OsString>) -> std::process::ExitCode {
    let (Some(log), line) = (args.next(), args.collect::<Vec<_>>()) else { return std::process::ExitCode::FAILURE };
    let told: Vec<_> = line.iter().map(|part| part.to_string_lossy()).collect();
    let told = serde_json::to_string(&told).expect("text") + "\n";
    let file = std::fs::OpenOptions::new().append(true).create(true).open(log);
    file.and_then(|mut file| file.write_all(told.as_bytes())).expect("the log can be written");
    let Some((program, args)) = line.split_first() else { return std::process::ExitCode::FAILURE };
    #[allow(clippy::disallowed_methods, reason = "the product spawns in one place; this is no part of it")]
    let mut child = Command::new(program);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        panic!("{program:?}: {}", child.args(args).exec());
    }
    #[cfg(not(unix))]
    {
        let status = child.args(args).status().expect("adb starts");
        std::process::ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1))
    }
}

/// Where a server writes the records of its requests.
pub(crate) struct Measures {
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Measures {
    /// The records of calls of these tools.
    pub(crate) fn of(&self, tools: &[&str]) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let all = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        all.filter(|record| record["tool"].as_str().is_some_and(|tool| tools.contains(&tool))).collect()
    }

    /// Sums over all of them: reads by purpose, and the milliseconds of each part.
    pub(crate) fn sums(&self, tools: &[&str]) -> Value {
        let (mut reads, mut parts) = (BTreeMap::<String, f64>::new(), BTreeMap::<String, f64>::new());
        for record in self.of(tools) {
            for read in record["acquisitions"].as_array().into_iter().flatten() {
                let (purpose, phase) = (read["purpose"].as_str(), read["phase"].as_str());
                let phase = if phase == Some("after_dispatch") { "after" } else { "before" };
                let name = format!("reads for {}, {phase} an input of the request", purpose.unwrap_or("?"));
                *reads.entry(name).or_default() += 1.0;
            }
            for (part, value) in record["totals"].as_object().into_iter().flatten() {
                *parts.entry(part.clone()).or_default() += value.as_f64().unwrap_or(0.0);
            }
            *parts.entry("total_ms".to_owned()).or_default() += record["total_ms"].as_f64().unwrap_or(0.0);
        }
        reads.into_iter().chain(parts).map(|(name, value)| (name, Value::from(round(value)))).collect()
    }
}

/// What of a request was neither waiting for the device's turn nor for adb.
pub(crate) fn own_ms(record: &serde_json::Value) -> f64 {
    let part = |name: &str| record["totals"][name].as_f64().unwrap_or(0.0);
    let elsewhere = ["queue_ms", "device_resolution_ms", "tree_read_ms", "observation_wait_ms"];
    record["total_ms"].as_f64().unwrap_or(0.0) - elsewhere.into_iter().map(part).sum::<f64>()
}

/// A server whose children are written down.
pub(crate) struct Recorded {
    pub(crate) wire: Wire,
    log: PathBuf,
    env: Vec<(OsString, OsString)>,
    _folder: tempfile::TempDir,
}

impl Recorded {
    /// Calls a tool; its answer, and the children it took.
    pub(crate) async fn call(&self, tool: &str, arguments: &Value) -> (Called, Children) {
        let _ = std::fs::remove_file(&self.log);
        let called = self.wire.call(tool, arguments).await;
        (called, Children { lines: lines(&self.log), env: self.env.clone() })
    }
}

fn lines(log: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("as written")).collect()
}

/// Command lines, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Children {
    lines: Vec<Vec<String>>,
    env: Vec<(OsString, OsString)>,
}

impl Children {
    /// How many.
    pub(crate) fn count(&self) -> usize {
        self.lines.len()
    }

    /// How many run something on the device.
    pub(crate) fn shells(&self) -> usize {
        self.lines.iter().filter(|line| line.iter().any(|part| part == "shell")).count()
    }

    /// Those of several calls.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.lines.extend(more.lines);
        self.env = more.env;
        self
    }

    /// Runs them bare, one after the other, each to its end and the end of its output; milliseconds.
    pub(crate) fn run(&self) -> f64 {
        let began = Instant::now();
        tokio::task::block_in_place(|| {
            for line in &self.lines {
                #[allow(clippy::disallowed_methods, reason = "the product spawns in one place; this is no part of it")]
                let mut child = Command::new(&line[0]);
                child.args(&line[1..]).envs(self.env.iter().cloned()).stdin(Stdio::null());
                child.output().expect("adb starts");
            }
        });
        began.elapsed().as_secs_f64() * 1_000.0
    }
}
