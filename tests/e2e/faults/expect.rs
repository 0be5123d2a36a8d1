//! What each cell of the matrix must come to, derived from its fault and its tool.

use serde_json::{Value, json};

use super::scripts::{Lane, Read, Script, Sent, Strike};
use super::tools::{Looks, Row};
use crate::support::Answer;

/// What a call comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// What it should, as if nothing were wrong.
    Fine,
    /// An error; where it is an action's, nothing was sent.
    Refused(&'static str),
    /// An answer that says what was waited for is not there.
    NotSeen(&'static str),
    /// An action that failed before anything was sent.
    NotSent(&'static str),
    /// A guard that let nothing be sent.
    Blocked(&'static str, &'static str, Option<&'static str>),
    /// An input sent and accepted, and nothing to be seen of it.
    Unseen(&'static str),
    /// An input sent, and what became of it.
    Sent(Sent),
}

/// One cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) outcome: Outcome,
    /// The outcome comes when the call's own time is over, not before.
    pub(super) at_deadline: bool,
    /// What keeps the lane afterwards.
    pub(super) lane: Lane,
}

/// Codes with whether an action that sent nothing may be repeated as it is, and words of the remedy.
const CODES: [(&str, bool, &str); 19] = [
    ("TIMEOUT", true, "Raise the timeout"),
    ("ACTION_TIMEOUT", true, "raise actionTimeoutMs"),
    ("ASSERTION_TIMEOUT", true, "raise timeoutMs if reads are slow"),
    ("NULL_ROOT", true, "try again in a moment"),
    ("NOT_IDLE", true, "turn off animations"),
    ("READER_KILLED", true, "free memory on the device"),
    ("TREE_INVALID", true, "the message says what was read"),
    ("TREE_TRUNCATED", true, "check the connection"),
    ("SLOT_BUSY", true, "Stop the other UI automation"),
    ("SCREEN_OFF", false, "Wake the display"),
    ("DEVICE_LOCKED", false, "Unlock the device"),
    ("DEVICE_OFFLINE", true, ""),
    ("DEVICE_NOT_FOUND", false, "Attach or start a device"),
    ("ADB_VERSION_CONFLICT", false, "Use one adb for all tools"),
    ("ELEMENT_NOT_FOUND", true, "choose a selector from it"),
    ("PRECONDITION_FAILED", false, "condition.observed"),
    ("PRECONDITION_UNAVAILABLE", false, "new session and revision"),
    ("ACTION_REJECTED", false, ""),
    ("INPUT_DENIED", false, "USB debugging (Security settings)"),
];

fn known(code: &str) -> (bool, &'static str) {
    let (_, retryable, remedy) = CODES.iter().find(|(name, ..)| *name == code).expect("the code is in the table");
    (*retryable, remedy)
}

pub(super) fn expected(script: &Script, row: &Row) -> Expected {
    let outcome = outcome(script, row);
    let struck = outcome != Outcome::Fine;
    let waits = matches!(row.looks, Looks::Until | Looks::Afterwards | Looks::ToGuard);
    let ended = matches!(
        outcome,
        Outcome::Refused(code) | Outcome::NotSent(code) if code == "TIMEOUT" || code == "ACTION_TIMEOUT"
    );
    let at_deadline = match outcome {
        Outcome::Fine => false,
        Outcome::Sent(sent) => sent.code == "ACTION_TIMEOUT",
        // Nothing a further read could mend ends a wait at once.
        Outcome::Refused(code) | Outcome::Unseen(code) if FATAL.contains(&code) => false,
        Outcome::Refused(_) | Outcome::Unseen(_) => waits || ended,
        Outcome::NotSeen(_) => true,
        Outcome::NotSent(_) => ended,
        Outcome::Blocked(code, ..) => code == "PRECONDITION_UNAVAILABLE" && script.strike.is_of_the_device(),
    };
    let lane = match script.lane {
        _ if !struck => Lane::Free,
        // It has no time of its own but the 25 s of every tool: a dump's 12 s are long over.
        Lane::Kept if row.looks == Looks::Once => Lane::Past,
        // Its last read was cut by the deadline, wherever it was.
        Lane::Free if at_deadline && script.read != Read::Fails("TIMEOUT") => Lane::Brief,
        lane => lane,
    };
    Expected { outcome, at_deadline, lane }
}

const FATAL: [&str; 3] = ["DEVICE_OFFLINE", "DEVICE_NOT_FOUND", "ADB_VERSION_CONFLICT"];

/// What an exception says of a cell.
pub(super) fn excepted(script: &Script, row: &Row) -> Option<Outcome> {
    let label = row.label();
    script.exceptions.iter().find(|(name, ..)| *name == label).map(|(_, outcome, _)| *outcome)
}

fn outcome(script: &Script, row: &Row) -> Outcome {
    if let Some(outcome) = excepted(script, row) {
        return outcome;
    }
    let in_flight =
        matches!(script.strike, Strike::InFlight(_)) && matches!(row.looks, Looks::Afterwards | Looks::Never);
    if row.sends.is_some() && (in_flight || matches!(script.strike, Strike::Inputs(_))) {
        return script.sent.map_or(Outcome::Fine, Outcome::Sent);
    }
    let asks = script.strike.reaches_questions();
    match (script.read, row.looks) {
        (Read::Whole, _) => Outcome::Fine,
        (Read::Never(code), _) => Outcome::Refused(code),
        // It looks at nothing.
        (_, Looks::Never) => Outcome::Fine,
        (Read::Fails(code), Looks::Asks) if asks => Outcome::Refused(code),
        (_, Looks::Asks) => Outcome::Fine,
        (Read::Fails(code), Looks::Once | Looks::Until) => Outcome::Refused(code),
        (Read::Fails("TIMEOUT"), Looks::ToAim) => Outcome::NotSent("ACTION_TIMEOUT"),
        (Read::Fails(code), Looks::ToAim) => Outcome::NotSent(code),
        (Read::Fails(code), Looks::ToGuard) => {
            let reason = match code {
                "TIMEOUT" => "CONDITION_TIMEOUT",
                "TREE_INVALID" | "TREE_TRUNCATED" => "OBSERVATION_INVALID",
                _ => "OBSERVATION_FAILED",
            };
            Outcome::Blocked("PRECONDITION_UNAVAILABLE", "unavailable", Some(reason))
        }
        (Read::Fails(code), Looks::Afterwards) => Outcome::Unseen(code),
        (Read::Other, Looks::Once | Looks::Afterwards) => Outcome::Fine,
        (Read::Other, Looks::Until) => Outcome::NotSeen(row.absent),
        (Read::Other, Looks::ToAim) => Outcome::NotSent(row.absent),
        (Read::Other, Looks::ToGuard) => Outcome::Blocked("PRECONDITION_FAILED", "mismatch", None),
    }
}

/// Compares an answer with what its cell must come to; each difference in words.
pub(super) fn differences(script: &Script, row: &Row, outcome: Outcome, answer: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    let journey = row.tool == "run_journey" && answer.has("steps");
    let body = if journey { &answer["/steps/0/result"] } else { &answer.structured };
    let mut must = |path: &str, wanted: Value| {
        let found = body.pointer(path).cloned().unwrap_or(Value::Null);
        if found != wanted {
            wrong.push(format!("{path} is {found}, not {wanted}"));
        }
    };
    let mut facts = |facts: &[(&str, Value)]| facts.iter().for_each(|(path, wanted)| must(path, wanted.clone()));
    let acts = row.sends.is_some();
    let (is_error, code) = match outcome {
        Outcome::Fine => {
            if acts {
                facts(&sent(true, "delivered"));
                facts(&[("/success", json!(true))]);
            }
            if acts && row.looks != Looks::Never {
                facts(&[("/verification/status", json!("observed"))]);
            }
            if row.looks == Looks::ToGuard {
                facts(&[("/condition/status", json!("matched"))]);
            }
            (false, None)
        }
        Outcome::Refused(code) => {
            if acts {
                facts(&sent(false, "not_delivered"));
                facts(&failed(code, known(code).0));
            }
            facts(&[("/error/code", json!(code))]);
            (true, Some(code))
        }
        Outcome::NotSeen(code) => {
            facts(&[("/success", json!(false)), ("/error/code", json!(code))]);
            (false, Some(code))
        }
        Outcome::NotSent(code) => {
            facts(&sent(false, "not_delivered"));
            facts(&failed(code, known(code).0));
            facts(&[("/verification/status", json!("not_requested")), ("/error/code", json!(code))]);
            (false, Some(code))
        }
        Outcome::Blocked(code, status, reason) => {
            facts(&sent(false, "not_delivered"));
            facts(&failed(code, false));
            facts(&[("/condition/status", json!(status)), ("/condition/reason", json!(reason))]);
            (false, Some(code))
        }
        Outcome::Unseen(cause) => {
            facts(&sent(true, "delivered"));
            facts(&[
                ("/success", json!(true)),
                ("/verification/status", json!("unavailable")),
                ("/verification_diagnostic/code", json!("VERIFICATION_UNAVAILABLE")),
                ("/verification_diagnostic/retryable", json!(true)),
                ("/verification_diagnostic/cause", json!(cause)),
            ]);
            (false, None)
        }
        Outcome::Sent(how) => {
            facts(&sent(true, how.delivery));
            facts(&failed(how.code, how.retryable));
            facts(&[("/error/code", json!(how.code))]);
            if row.looks != Looks::Never {
                facts(&[("/verification/status", json!("not_requested"))]);
            }
            (false, Some(how.code))
        }
    };
    if answer.is_error != is_error {
        wrong.push(format!("isError is {}", answer.is_error));
    }
    if journey {
        let stopped = if code.is_some() { json!("only") } else { Value::Null };
        if answer["success"] != code.is_none() || answer["stopped_at_step_id"] != stopped {
            wrong.push(format!("the journey stopped at {}", answer["stopped_at_step_id"]));
        }
    }
    wrong.extend(code.and_then(|code| words(script, outcome, code, &body["error"])));
    wrong
}

fn sent(started: bool, delivery: &str) -> [(&'static str, Value); 2] {
    [("/dispatch_started", json!(started)), ("/delivery_status", json!(delivery))]
}

fn failed(code: &str, retryable: bool) -> [(&'static str, Value); 3] {
    [("/success", json!(false)), ("/failure_code", json!(code)), ("/retryable", json!(retryable))]
}

/// An error says what was wrong, and what to do about it.
fn words(script: &Script, outcome: Outcome, code: &str, error: &Value) -> Option<String> {
    let blocked = matches!(outcome, Outcome::Blocked(..));
    let text = |member: &str| error[member].as_str().unwrap_or_default().to_owned();
    let (message, remedy) = (text("message"), text("remedy"));
    let wanted = match outcome {
        Outcome::Sent(sent) => sent.remedy,
        Outcome::Refused(_) | Outcome::NotSent(_) if !script.remedy.is_empty() => script.remedy,
        _ => known(code).1,
    };
    if message.is_empty() || remedy.is_empty() || !remedy.contains(wanted) {
        return Some(format!("the remedy of {message:?} is {remedy:?}, without {wanted:?}"));
    }
    let told = blocked || message.contains(script.says) || matches!(outcome, Outcome::NotSeen(_) | Outcome::Sent(_));
    (!told).then(|| format!("{message:?} does not say {:?}", script.says))
}
