//! Does the app in front answer, and does anything hold it: both asked in one round trip.

use handset_model::Failure;
use handset_model::android::{ProcessRecord, ProcessState, parse_process_records, parse_process_states, quote};
use serde_json::json;

use super::Android;
use super::facts::was_ended;
use super::shell::Script;
use crate::budget::Budget;
use crate::device::{Pinned, Probes};

/// The records of the activity manager: who each is of, and its faults, out of some thousand lines.
/// The end says how the question ended: a pipe's own status is its last command's.
const RECORDS: &str =
    "{ $t dumpsys activity processes; echo ended:$?; } | grep -E 'ProcessRecord|otResponding=|ebugging=|^ended:'";

impl Android {
    pub(super) async fn probe_app(
        &self,
        device: &Pinned,
        package: Option<&str>,
        budget: &Budget,
    ) -> Result<Probes, Failure> {
        let mut script = Script::new().bounding().part("records", RECORDS);
        // A device's own word: no package holds anything else, and what is none is not asked about.
        let package =
            package.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte)));
        if let Some(package) = package {
            // Devices before Android 6 have no pidof; their ps ends a line with the name.
            let find = format!(
                "n={}; p=$(pidof $n 2>/dev/null) || p=$(ps | grep \" $n.\\{{0,1\\}}$\" | while read u q r; do echo $q; done)",
                quote(package)
            );
            let status = "for q in $p; do grep -E '^State:|^Pid:|^TracerPid:' /proc/$q/status; done";
            script = script.quietly(&find).part("states", status);
        }
        let reply = self.ask(device, &script, "asking whether the app answers", budget).await?;
        let mut probes = Probes::default();
        match reply.part("records") {
            // A device that prints its records otherwise says nothing of the app.
            Some((bytes, _)) if ended_well(&String::from_utf8_lossy(bytes)) => {
                let records = parse_process_records(&String::from_utf8_lossy(bytes));
                let ours: Vec<&ProcessRecord> = records.iter().filter(|record| is_of(record, package)).collect();
                if records.is_empty() || (package.is_some() && ours.is_empty()) {
                    probes.limitations.push("anr_probe: the activity manager has no record of the app".to_owned());
                } else {
                    let silent = ours.iter().find(|record| record.not_responding);
                    probes.facts.push((
                        "anr".to_owned(),
                        json!({
                            "active": silent.is_some(),
                            "process": silent.map(|record| &record.process),
                            "reason": silent.map(|_| "the activity manager's record says notResponding"),
                        }),
                    ));
                }
                self.held(&reply.text("states"), package, &ours, &mut probes);
            }
            _ => {
                probes.limitations.push("anr_probe: the activity manager did not answer in time".to_owned());
                self.held(&reply.text("states"), package, &[], &mut probes);
            }
        }
        Ok(probes)
    }

    fn held(&self, states: &str, package: Option<&str>, records: &[&ProcessRecord], probes: &mut Probes) {
        let states = parse_process_states(states);
        let debugged = records.iter().find(|record| record.debugging);
        if states.is_empty() && debugged.is_none() {
            probes.limitations.push("debugger_probe: the state of the app's process could not be read".to_owned());
            return;
        }
        let held = states.iter().find(|state| state.is_held());
        let reason = held.map(reason).or_else(|| debugged.map(|_| "its record says debugging".to_owned()));
        let process = debugged.filter(|_| held.is_none()).map(|record| record.process.as_str()).or(package);
        probes.facts.push((
            "debugger".to_owned(),
            json!({
                "active": reason.is_some(),
                "process": process.filter(|_| reason.is_some()),
                "reason": reason,
            }),
        ));
    }
}

/// The service answered, and was not cut off.
fn ended_well(records: &str) -> bool {
    let status = records.lines().rev().find_map(|line| line.trim().strip_prefix("ended:")?.parse().ok());
    status.is_some_and(|status: i32| !was_ended(status))
}

fn reason(state: &ProcessState) -> String {
    match state.tracer {
        0 => format!("process {} is stopped (state {})", state.pid, state.state),
        tracer => format!("process {} is traced by {tracer} (state {})", state.pid, state.state),
    }
}

/// A package's own process, or one of its others; without a package any.
fn is_of(record: &ProcessRecord, package: Option<&str>) -> bool {
    package.is_none_or(|package| record.process.split(':').next() == Some(package))
}
