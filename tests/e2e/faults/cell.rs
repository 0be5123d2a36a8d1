//! One fault, one tool: struck, answered, healed, served again.

use std::time::Duration;

use serde_json::{Value, json};
use simphone::Fault;

use super::expect::{Expected, Outcome, differences, expected};
use super::scripts::{Accident, Lane, Script, Strike};
use super::stage::{Stage, baseline, begins, running};
use super::tools::{Patience, Row, Sends};
use crate::support::{Answer, Mark};

/// A free lane is entered at once; one that is kept opens after a question to the device, or seconds later.
const AT_ONCE_MS: f64 = 1_000.0;

/// What is left for a moment is asked about, not waited out: a dump's own bound is 12 s.
const BRIEF_MS: f64 = 8_000.0;

/// How long a kept lane is watched: several questions of the lane's.
const WATCHED: Duration = Duration::from_millis(900);

pub(super) struct Cell<'a> {
    pub(super) stage: &'a Stage,
    pub(super) number: usize,
    pub(super) row: &'a Row,
    pub(super) script: &'a Script,
}

impl Cell<'_> {
    /// What is wrong with it, in words.
    pub(super) async fn run(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let Expected { outcome, at_deadline, lane } = expected(self.script, self.row);
        let whole = self.mark();
        let mut sent = (0, 0);
        let mut seen = self.stage.seen(self.number).await;
        if self.script.passes {
            self.strike_once();
            let answer = self.call(&seen, Patience::Long).await;
            wrong.extend(self.compare("struck once", Outcome::Fine, &answer, &whole, &mut sent));
            seen = self.stage.seen(self.number).await;
        }

        self.stage.strike(self.number, self.row, &self.script.strike).await;
        let mark = self.mark();
        let patience = if at_deadline { Patience::Short } else { Patience::Long };
        let answer = match self.script.strike {
            Strike::InFlight(accident) => self.call_and_strike(&seen, &mark, accident).await,
            _ => self.call(&seen, patience).await,
        };
        let left = self.stage.left_here(self.number);
        if !left.is_empty() {
            wrong.push(format!("left running here: {left:?}"));
        }
        wrong.extend(self.compare("struck", outcome, &answer, &mark, &mut sent));
        if let Strike::OurDump(_) = self.script.strike {
            wrong.extend(self.waited_for(&whole));
        }

        self.stage.heal(self.number, &self.script.strike).await;
        let (problems, tree) = self.lane(lane).await;
        wrong.extend(problems);
        let mark = self.mark();
        let answer = self.call(&baseline(&tree), Patience::Long).await;
        wrong.extend(self.compare("healed", Outcome::Fine, &answer, &mark, &mut sent));
        let all = self.sent_since(&whole);
        if all != sent {
            wrong.push(format!("commands and inputs in all are {all:?}, not {sent:?}: one was late, or sent twice"));
        }
        wrong
    }

    fn mark(&self) -> Mark {
        Mark::now(self.stage.phone(self.number))
    }

    async fn call(&self, seen: &Value, patience: Patience) -> Answer {
        let arguments = self.row.arguments(&self.stage.device(self.number), seen, patience);
        self.stage.bench.call(self.row.tool, arguments).await
    }

    async fn call_and_strike(&self, seen: &Value, mark: &Mark, accident: Accident) -> Answer {
        let arguments = self.row.arguments(&self.stage.device(self.number), seen, Patience::Long);
        let pending = self.stage.bench.client.begin(self.row.tool, arguments).await;
        self.stage.strike_in_flight(self.number, self.row, mark, accident).await;
        pending.answer().await
    }

    fn strike_once(&self) {
        let phone = self.stage.phone(self.number);
        match &self.script.strike {
            Strike::Dumps(kind) | Strike::Looks(kind) => phone.fault(Fault::once("dump", kind.clone())),
            other => panic!("{other:?} does not strike once"),
        }
    }

    /// The answer, and what the phone's journal has of it.
    fn compare(
        &self,
        when: &str,
        outcome: Outcome,
        answer: &Answer,
        mark: &Mark,
        sent: &mut (usize, usize),
    ) -> Vec<String> {
        let mut wrong = differences(self.script, self.row, outcome, answer);
        let wanted = match (outcome, self.row.sends) {
            (_, None) | (Outcome::Refused(_) | Outcome::NotSeen(_) | Outcome::NotSent(_) | Outcome::Blocked(..), _) => {
                (0, 0)
            }
            (Outcome::Fine | Outcome::Unseen(_), Some(sends)) => (1, usize::from(sends.touches)),
            (Outcome::Sent(how), Some(sends)) => (1, if sends.touches { how.touched } else { 0 }),
        };
        let found = self.sent_since(mark);
        if found != wanted {
            wrong.push(format!("commands and inputs sent are {found:?}, not {wanted:?}"));
        }
        if !wrong.is_empty() {
            wrong.push(format!("the answer: {}", answer.structured));
        }
        let late = match (outcome, self.row.sends) {
            (Outcome::Sent(how), Some(sends)) if sends.touches => how.late,
            _ => 0,
        };
        *sent = (sent.0 + wanted.0, sent.1 + wanted.1 + late);
        wrong.into_iter().map(|what| format!("{when}: {what}")).collect()
    }

    /// Commands that send something, and inputs that reached the screen.
    fn sent_since(&self, mark: &Mark) -> (usize, usize) {
        let sends = |argv: &[String]| {
            let Sends { command, .. } = self.row.sends.unwrap_or(Sends { command: "input", touches: true });
            begins(argv, command) || begins(argv, "input")
        };
        (mark.commands().iter().filter(|command| sends(&command.argv)).count(), mark.inputs().len())
    }

    /// Nothing of the call began on the phone before the earlier dump was over.
    fn waited_for(&self, whole: &Mark) -> Vec<String> {
        let earlier = whole.dumps().into_iter().find(|dump| dump.end_ms.is_none_or(|end| end - dump.start_ms > 500.0));
        let Some(over) = earlier.and_then(|dump| dump.end_ms) else {
            return vec!["the earlier dump never ended".into()];
        };
        let touches = |argv: &[String]| {
            ["input", "uiautomator", "am start", "dumpsys", "wm"].iter().any(|words| begins(argv, words))
        };
        let early = whole.commands().into_iter().skip_while(|command| command.end_ms.is_none_or(|end| end < over));
        let early: Vec<_> = early.filter(|command| command.start_ms < over && touches(&command.argv)).skip(1).collect();
        let mut wrong = Vec::new();
        if !early.is_empty() {
            wrong.push(format!("begun while a dump of ours still ran: {early:?}"));
        }
        if whole.dumps().iter().any(|dump| dump.error.as_deref() == Some("slot-busy")) {
            wrong.push("a dump found the slot taken by one of ours".to_owned());
        }
        wrong
    }

    /// The next read: served at once, or not before what is left on the device is gone.
    async fn lane(&self, lane: Lane) -> (Vec<String>, Answer) {
        let phone = self.stage.phone(self.number);
        let mut wrong = Vec::new();
        let left =
            running(phone, "uiautomator").or_else(|| self.row.sends.and_then(|sends| running(phone, sends.command)));
        if let (Lane::Past, Some(pid)) = (lane, left) {
            phone.kill(pid);
        }
        let mark = self.mark();
        let arguments = json!({ "deviceId": self.stage.device(self.number) });
        let mut next = self.stage.bench.client.begin("get_ui_tree", arguments.clone()).await;
        if lane == Lane::Kept {
            tokio::time::sleep(WATCHED).await;
            if next.answered() {
                wrong.push("the lane opened while something of ours still ran on the device".to_owned());
                next = self.stage.bench.client.begin("get_ui_tree", arguments).await;
            } else if !mark.dumps().is_empty() {
                wrong.push("a read began while something of ours still ran on the device".to_owned());
            }
            if left.is_none_or(|pid| !phone.kill(pid)) {
                wrong.push("nothing is left on the device".to_owned());
            }
        }
        let tree = next.answer().await;
        if tree.is_error {
            wrong.push(format!("the next read fails: {}", tree.structured));
            return (wrong, tree);
        }
        let queued = tree["/timing/queue_ms"].as_f64().unwrap_or(0.0);
        let bound = if lane == Lane::Brief { BRIEF_MS } else { AT_ONCE_MS };
        if lane != Lane::Kept && queued >= bound {
            wrong.push(format!("the next read waited {queued} ms for the lane"));
        }
        if mark.dumps().iter().any(|dump| dump.error.as_deref() == Some("slot-busy")) {
            wrong.push("the next read found the slot taken".to_owned());
        }
        let shown = mark.dumps().last().and_then(|dump| dump.screen.clone());
        if shown != Some(phone.screen_name()) {
            wrong.push(format!("the next read shows {shown:?}, not {}", phone.screen_name()));
        }
        (wrong, tree)
    }
}
