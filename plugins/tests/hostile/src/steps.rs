//! Hostile journey steps.

use crate::misdeeds::{commit, provided, text};
use handset_plugin::bindings::step as world;
use handset_plugin::{ElementAt, Evidence, Failure, Look, Report, Violation, violation};
use world::exports::handset::plugin::step::{Guest, StepInfo};
use world::handset::plugin::device::{Session, WaitOptions};

/// Beside what every interface offers.
const OWN: &[&str] = &[
    "bad-evidence",
    "unlent-evidence",
    "flood-evidence",
    "bad-body",
    "nan-body",
    "bad-shows",
    "million-calls",
    "many-handles",
    "progress-flood",
    "note-flood",
    "forbidden-tool",
    "device-override",
    "control-characters",
    "bad-code",
    "wait-forever",
    "validate-spin",
    "validate-panic",
    "look-spin",
    "two-reads",
];

struct Hostile;

impl Guest for Hostile {
    fn steps() -> Vec<StepInfo> {
        provided("step", OWN)
            .into_iter()
            .map(|name| StepInfo {
                name: name.to_owned(),
                summary: "Hostile, as its name says.".to_owned(),
                arguments_schema: r#"{"type":"object"}"#.to_owned(),
                grants: vec!["observe".to_owned()],
            })
            .collect()
    }

    fn validate(name: String, _: String) -> Vec<Violation> {
        match name.as_str() {
            "validate-spin" => commit("spin"),
            "validate-panic" => commit("panic"),
            _ => {}
        }
        Vec::new()
    }

    fn first_look(name: String, _: String) -> Option<Look> {
        if name == "look-spin" {
            commit("spin");
        }
        None
    }

    fn run(name: String, _: String, session: &Session) -> Result<Report, Failure> {
        handset_plugin::export::install();
        commit(&name);
        match name.as_str() {
            "huge-string" | "large-string" | "long-reason" => {
                return Ok(Report::failed("ACTION_REJECTED", text(&name)));
            }
            "bad-body" => return Ok(with_body("{\"open\": ")),
            "nan-body" => return Ok(with_body("{\"confidence\": NaN}")),
            "bad-shows" => {
                let mut report = Report::passed();
                report.shows = vec![0, u32::MAX, 4_000_000];
                return Ok(report);
            }
            "million-calls" => {
                for _ in 0..1_000_000 {
                    session.remaining_ms();
                }
            }
            "many-handles" => {
                let mut held = Vec::new();
                loop {
                    held.push(session.observe()?);
                }
            }
            "progress-flood" => loop {
                session.progress(&text("long-reason"));
            },
            "note-flood" => loop {
                session.note(&Evidence::firm("flood").detail("note ".repeat(100)));
            },
            "forbidden-tool" => {
                let answer =
                    session.call("install_app", r#"{"projectType":"native","appPath":"/"}"#)?;
                return Ok(Report::passed().shows(&answer));
            }
            "device-override" => {
                let answer =
                    session.call("get_ui_tree", r#"{"platform":"ios","deviceId":"other"}"#)?;
                return Ok(with_body(&answer.body).shows(&answer));
            }
            "control-characters" => {
                let text = "\u{1b}[2J\u{7}\u{0}\u{202e}gone";
                return Ok(Report::passed()
                    .body(&text)
                    .evidence(Evidence::firm(text).detail(text)));
            }
            "bad-code" => {
                return Err(Failure {
                    code: "NO_SUCH_CODE".to_owned(),
                    message: "a code the contract does not have".to_owned(),
                    retryable: true,
                });
            }
            "wait-forever" => loop {
                let longest = Some(u32::MAX);
                let options = WaitOptions {
                    timeout_ms: longest,
                    poll_interval_ms: longest,
                    index: None,
                };
                let _ = session.wait_for(r#"{"text":"never there"}"#, "exists", options);
            },
            "two-reads" => {
                let (first, second) = (session.observe()?, session.observe()?);
                let body = [first.info().revision, second.info().revision];
                return Ok(Report::passed().body(&body));
            }
            "bad-evidence" => {
                let revision = session.observe()?.info().revision;
                return Ok(pointing(revision, u32::MAX));
            }
            "unlent-evidence" => return Ok(pointing(u32::MAX, 0)),
            "flood-evidence" => {
                let mut report = Report::passed();
                report.evidence = vec![Evidence::firm("flood"); 100_000];
                return Ok(report);
            }
            other => {
                return Ok(Report::failed(
                    "INVALID_ARGUMENT",
                    violation("", other).message,
                ));
            }
        }
        Ok(Report::passed())
    }
}

fn with_body(body: &str) -> Report {
    let mut report = Report::passed();
    report.body = body.to_owned();
    report
}

fn pointing(revision: u32, index: u32) -> Report {
    let mut evidence = Evidence::firm("bad-pointer");
    evidence.at = Some(ElementAt { revision, index });
    Report::passed().evidence(evidence)
}

world::export_step_world!(Hostile with_types_in world);
