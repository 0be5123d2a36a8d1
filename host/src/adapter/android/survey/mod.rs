//! What one device answers, question by question: each bounded, and one that fails is recorded while the rest goes on.

mod questions;

use std::sync::atomic::Ordering;
use std::time::Duration;

use handset_model::android::{parse_resumed_activity, quote};
use handset_model::report::{
    DumpAnswer, Latency, Redaction, Report, ReportAnswer, SCHEMA, attributes, root, screenshot,
};
use handset_model::ui::{ParseOptions, parse_hierarchy};
use tokio::time::Instant;

use self::questions::{COMMANDS, PROPERTIES, QUESTIONS};
use super::Android;
use super::facts::value;
use super::read::{TREE_CAP, TreeSource, leftover, why_no_tree, without_pid, without_status};
use super::shell::{Broken, Reply, Script};
use crate::budget::Budget;
use crate::device::{Leftover, Pinned, Wants};

/// One question and its answer.
const QUESTION: Duration = Duration::from_secs(6);

/// One dump: what it may wait for an idle screen, and a slow phone's own time.
const DUMP: Duration = Duration::from_secs(30);

/// Round trips timed for the floor under everything.
const ROUND_TRIPS: usize = 5;

/// Bytes of a picture that are fetched: a vendor's warning and the header.
const PICTURE: usize = 1_024;

impl Android {
    /// Asks everything. The caller holds the device's lane; what a dump left running is given back for it.
    pub(super) async fn survey_device(
        &self,
        device: &Pinned,
        reads: usize,
        budget: &Budget,
    ) -> (Report, Option<Leftover>) {
        let mut report = Report {
            schema: SCHEMA,
            handset: env!("CARGO_PKG_VERSION").to_owned(),
            adb: self.tools_health(budget).await.version.unwrap_or_default(),
            features: self.features(device, budget).await,
            ..Report::default()
        };
        self.ask_properties(device, &mut report, budget).await;
        self.ask_commands(device, &mut report, budget).await;
        let said = self.asked(device, budget).await;
        let in_front =
            ["activity", "window"].iter().find_map(|name| front(said.iter().find(|said| said.name == *name)?));
        let redaction = Redaction::with_app(in_front.as_deref().and_then(|front| front.split('/').next()));
        report.front = in_front;
        for Said { name, asked, status, failed, text } in said {
            report.answers.insert(name, ReportAnswer { asked, status, failed, text: redaction.apply(&text) });
        }
        self.time_round_trips(device, &mut report, budget).await;
        self.look_at_picture(device, &redaction, &mut report, budget).await;
        let left = self.try_dumps(device, reads, &redaction, &mut report, budget).await;
        (report, left)
    }

    async fn features(&self, device: &Pinned, budget: &Budget) -> Vec<String> {
        let command = self.on_device(device, &["features"], 64 * 1024);
        match self.processes.run(command, &budget.child(QUESTION)).await {
            Ok(output) if output.code == Some(0) => {
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                said.split_whitespace().map(str::to_owned).collect()
            }
            // An adb that does not know the question, or a device that is gone: the answers that follow say which.
            _ => Vec::new(),
        }
    }

    async fn ask_properties(&self, device: &Pinned, report: &mut Report, budget: &Budget) {
        let script = PROPERTIES.iter().fold(Script::new(), |script, (name, property)| {
            script.part(name, &format!("echo \"=$(getprop {property})\""))
        });
        let reply = self.reply(device, &script, budget).await.unwrap_or_else(|broken| broken.reply);
        for (name, property) in PROPERTIES {
            let said = value(&reply.text(name));
            if !said.is_empty() {
                report.properties.insert((*property).to_owned(), said);
            }
        }
    }

    async fn ask_commands(&self, device: &Pinned, report: &mut Report, budget: &Budget) {
        let script = COMMANDS.iter().fold(Script::new(), |script, name| {
            script.part(name, &format!("command -v {} >/dev/null 2>&1", quote(name)))
        });
        let reply = self.reply(device, &script, budget).await.unwrap_or_else(|broken| broken.reply);
        for name in COMMANDS {
            if let Some((_, status)) = reply.part(name) {
                report.commands.insert((*name).to_owned(), status == 0);
            }
        }
    }

    /// Each question in a round trip of its own, so that none can take another's answer with it.
    async fn asked(&self, device: &Pinned, budget: &Budget) -> Vec<Said> {
        let mut all = Vec::new();
        for (name, command) in QUESTIONS {
            let script = Script::new().bounding().part(name, command);
            let reply = self.reply(device, &script, budget).await;
            let (answer, failed) = match &reply {
                Ok(reply) => (reply, None),
                Err(broken) => (&broken.reply, Some(broken.failure.code.to_string())),
            };
            let status = answer.part(name).map(|(_, status)| status);
            // Not trimmed in front: indentation is a format's.
            let text = answer.part(name).map(|(bytes, _)| String::from_utf8_lossy(bytes).replace('\r', ""));
            all.push(Said {
                name: (*name).to_owned(),
                asked: command.replace("$t ", ""),
                failed: failed.filter(|_| status.is_none()),
                status,
                text: text.unwrap_or_default(),
            });
        }
        all
    }

    /// A line that does nothing, and one that starts a program.
    async fn time_round_trips(&self, device: &Pinned, report: &mut Report, budget: &Budget) {
        for (name, command) in [("round_trip", ":"), ("command", "getprop ro.build.version.sdk")] {
            let script = Script::new().part("timed", command);
            let mut taken = Vec::new();
            for _ in 0..ROUND_TRIPS {
                match self.reply(device, &script, budget).await {
                    Ok(reply) => taken.push(reply.output.elapsed_ms),
                    Err(_) => break,
                }
            }
            report.latency.extend(Latency::of(taken).map(|latency| (name.to_owned(), latency)));
        }
    }

    async fn look_at_picture(&self, device: &Pinned, redaction: &Redaction, report: &mut Report, budget: &Budget) {
        let script =
            Script::new().bounding().part("picture", &format!("$t screencap -p 2>/dev/null | head -c {PICTURE}"));
        if let Ok(reply) = self.reply(device, &script, budget).await
            && let Some((bytes, status)) = reply.part("picture")
        {
            report.screenshot = Some(screenshot(bytes, status, redaction));
        }
    }

    /// The ways to dump, the first of them several times over.
    async fn try_dumps(
        &self,
        device: &Pinned,
        reads: usize,
        redaction: &Redaction,
        report: &mut Report,
        budget: &Budget,
    ) -> Option<Leftover> {
        let sources =
            [("stock", TreeSource::Stock), ("compressed", TreeSource::Compressed), ("windows", TreeSource::Windows)];
        for (name, source) in sources {
            let times = if source == TreeSource::Stock { reads.max(1) } else { 1 };
            let mut taken = Vec::new();
            for _ in 0..times {
                let (answer, elapsed_ms, left) = self.dump_once(device, source, redaction, budget).await;
                if answer.tree {
                    taken.push(elapsed_ms);
                }
                // The best of several is what the device can do.
                let known = report.dumps.entry(name.to_owned()).or_default();
                if answer.tree || known.asked.is_empty() {
                    *known = answer;
                }
                if left.is_some() {
                    // It may hold its slot for seconds: what comes after it would be told of it, not of the device.
                    return left;
                }
            }
            let key = if source == TreeSource::Stock { "dump".to_owned() } else { format!("dump_{name}") };
            report.latency.extend(Latency::of(taken).map(|latency| (key, latency)));
        }
        None
    }

    async fn dump_once(
        &self,
        device: &Pinned,
        source: TreeSource,
        redaction: &Redaction,
        budget: &Budget,
    ) -> (DumpAnswer, f64, Option<Leftover>) {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let name = self.dump_file(number);
        let script = self.read_script(device, source, Wants::default(), &name);
        let started = Instant::now();
        let exchange = self.exchange(device, &script, TREE_CAP, "dumping the screen", &budget.child(DUMP)).await;
        let asked = source.dump().trim_start_matches("exec ").replace("\"$0.xml\"", "FILE");
        let mut answer = DumpAnswer { asked, ..DumpAnswer::default() };
        let (reply, left) = match exchange {
            Ok(reply) => (reply, None),
            Err(broken) => {
                self.sweep_again(device);
                answer.failed = Some(broken.failure.code.to_string());
                let left = leftover(&broken, started, &name);
                (broken.reply, left)
            }
        };
        let bytes = &without_status(reply.part("tree").unwrap_or_default().0, &name);
        answer.words = redaction.apply(&called_file(&without_pid(&reply.text("dump")), &name));
        if answer.failed.is_none() {
            match parse_hierarchy(bytes, &ParseOptions::default()) {
                Ok(tree) => {
                    answer.tree = true;
                    answer.nodes = usize::try_from(tree.node_count).unwrap_or(usize::MAX);
                    answer.root = root(bytes);
                    answer.attributes = attributes(bytes);
                }
                Err(unread) => answer.failed = Some(why_no_tree(&reply, bytes, unread).code.to_string()),
            }
        }
        (answer, reply.output.elapsed_ms, left)
    }

    async fn reply(&self, device: &Pinned, script: &Script, budget: &Budget) -> Result<Reply, Box<Broken>> {
        self.exchange(device, script, 256 * 1024, "asking", &budget.child(QUESTION)).await
    }
}

/// An answer before it is redacted.
struct Said {
    name: String,
    asked: String,
    status: Option<i32>,
    failed: Option<String>,
    text: String,
}

/// The component in front, as these lines write it.
fn front(said: &Said) -> Option<String> {
    let (package, class) = parse_resumed_activity(&said.text)?;
    let short =
        class.strip_prefix(&package).filter(|rest| rest.starts_with('.')).map(|rest| format!("{package}/{rest}"));
    let full = format!("{package}/{class}");
    Some(short.filter(|short| said.text.contains(short.as_str())).unwrap_or(full))
}

/// Words about a file of ours, without its name.
fn called_file(words: &str, name: &str) -> String {
    let Some((before, after)) = words.split_once(name) else { return words.to_owned() };
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = after.strip_prefix(".xml").unwrap_or(after);
    format!("{before}FILE{}", called_file(after, name))
}
