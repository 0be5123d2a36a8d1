//! Readiness: every classifier asked about the reads of a request.

use std::sync::Arc;
use std::time::Instant;

use handset_model::{Code, Failure};

use super::bindings::pure::exports::handset::plugin::readiness;
use super::component::Classifier;
use super::evidence::{check_all, text, texts};
use super::faults::Breach;
use super::lent::{CallState, Timeline};
use super::ops::{EvidenceNote, TimelineData};
use super::pure::{Answers, millis, no_interface};
use super::registry::{Plugins, Target};

/// What a classifier makes of the screen, in the order the contract combines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadinessState {
    /// Cannot tell.
    Unknown,
    /// Nothing says that it is not ready; the host decides on samples and stability.
    Settled,
    /// Moving from one screen to the next.
    Transitioning,
    /// Something is being loaded.
    Loading,
    /// The app does not answer.
    Unresponsive,
    /// A debugger holds the app.
    DebuggerPaused,
}

impl ReadinessState {
    /// The name on the wire, such as `debugger_paused`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Settled => "settled",
            Self::Transitioning => "transitioning",
            Self::Loading => "loading",
            Self::Unresponsive => "unresponsive",
            Self::DebuggerPaused => "debugger_paused",
        }
    }

    const fn from_guest(state: readiness::State) -> Self {
        match state {
            readiness::State::Unknown => Self::Unknown,
            readiness::State::Settled => Self::Settled,
            readiness::State::Transitioning => Self::Transitioning,
            readiness::State::Loading => Self::Loading,
            readiness::State::Unresponsive => Self::Unresponsive,
            readiness::State::DebuggerPaused => Self::DebuggerPaused,
        }
    }
}

/// One classifier's word.
#[derive(Clone, Debug, PartialEq)]
pub struct Voice {
    /// `readiness` or `plugin/name`.
    pub classifier: String,
    /// Its state; `Unknown` where it has none.
    pub state: ReadinessState,
    /// Why, checked.
    pub evidence: Vec<EvidenceNote>,
    /// What it could not see.
    pub limitations: Vec<String>,
    /// Probes it would have needed.
    pub unsupported: Vec<String>,
    /// Why it is left out of the verdict: `PLUGIN_FAULT` for a fault, `UNSUPPORTED` when it said that it could not do its work.
    pub fault: Option<Failure>,
    /// The call, milliseconds.
    pub elapsed_ms: f64,
}

impl Plugins {
    /// Asks every classifier about the reads of a request; several at once. A plugin that is still being
    /// compiled is not waited for: it is named with its reason.
    pub async fn classify(&self, timeline: Arc<TimelineData>) -> Vec<Voice> {
        if timeline.observations.is_empty() {
            // Never lent empty: the host answers `unknown` itself.
            return Vec::new();
        }
        let mut asked = Vec::new();
        for entry in self.set().iter() {
            match entry.ready() {
                Ok(loaded) => {
                    for index in 0..loaded.provides.classifiers.len() {
                        asked.push(Ok(Target { entry: Arc::clone(entry), loaded: Arc::clone(&loaded), index }));
                    }
                }
                Err(failure) if failure.is_retryable() => asked.push(Err((Arc::clone(entry), failure))),
                Err(_) => {}
            }
        }
        let voices = asked.into_iter().map(|target| async {
            match target {
                Ok(target) => self.ask_classifier(target, Arc::clone(&timeline)).await,
                Err((entry, failure)) => silent(entry.name.to_string(), failure, 0.0),
            }
        });
        futures::future::join_all(voices).await
    }

    /// Names of every classifier and the probes they know how to use.
    #[must_use]
    pub fn classifiers(&self) -> Vec<(String, Vec<String>)> {
        let set = self.set();
        let ready = set.iter().filter_map(|entry| Some((entry, entry.ready().ok()?)));
        ready
            .flat_map(|(entry, loaded)| {
                let of = |one: &Classifier| (entry.full_name(&one.name), one.probes.clone());
                loaded.provides.classifiers.iter().map(of).collect::<Vec<_>>()
            })
            .collect()
    }

    async fn ask_classifier(&self, target: Target, timeline: Arc<TimelineData>) -> Voice {
        let Some(local) = target.loaded.provides.classifiers.get(target.index).map(|one| one.name.clone()) else {
            return silent(target.entry.name.to_string(), Failure::new(Code::Unknown, "no such classifier"), 0.0);
        };
        let name = target.entry.full_name(&local);
        let started = Instant::now();
        let asked = self
            .pure_call(target, format!("readiness.classify {local}"), Answers::Work, move |loaded, store, instance| {
                let Some(indices) = &loaded.readiness else { return Err(no_interface("readiness")) };
                for screen in &timeline.observations {
                    store.data_mut().lent.add(screen);
                }
                let handle = store.data_mut().table.push(Timeline(timeline))?;
                let guest = indices.load(&mut *store, instance)?;
                let answer = guest.call_classify(&mut *store, &local, handle)?;
                Ok(match answer {
                    Ok(assessment) => Ok(judge(assessment, store.data())?),
                    Err(why) => Err(text(&why, "a reason")?),
                })
            })
            .await;
        let elapsed_ms = millis(started);
        match asked {
            Ok(Ok(mut voice)) => {
                voice.classifier = name;
                voice.elapsed_ms = elapsed_ms;
                voice
            }
            Ok(Err(why)) => silent(
                name,
                Failure::new(Code::Unsupported, format!("the classifier could not tell: {why}")),
                elapsed_ms,
            ),
            Err(failure) => silent(name, failure, elapsed_ms),
        }
    }
}

fn judge(assessment: readiness::Assessment, state: &CallState) -> Result<Voice, Breach> {
    Ok(Voice {
        classifier: String::new(),
        state: ReadinessState::from_guest(assessment.state),
        evidence: check_all(assessment.evidence, &state.lent)?,
        limitations: texts(assessment.limitations, "limitations")?,
        unsupported: texts(assessment.unsupported, "unsupported probes")?,
        fault: None,
        elapsed_ms: 0.0,
    })
}

fn silent(classifier: String, fault: Failure, elapsed_ms: f64) -> Voice {
    Voice {
        classifier,
        state: ReadinessState::Unknown,
        evidence: Vec::new(),
        limitations: Vec::new(),
        unsupported: Vec::new(),
        fault: Some(fault),
        elapsed_ms,
    }
}
