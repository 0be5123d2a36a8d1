//! Readiness: every classifier asked about the reads of a request.

use std::sync::Arc;

use handset_model::{Code, Failure};
use wasmtime::Store;
use wasmtime::component::Instance;

use super::bindings::pure::exports::handset::plugin::readiness;
use super::component::{Classifier, Loaded};
use super::entry::Entry;
use super::evidence::{check_all, text, texts};
use super::faults::Breach;
use super::lent::{CallState, Timeline};
use super::ops::{EvidenceNote, TimelineData};
use super::pure::{Answers, Asked, Went, no_interface};
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
    /// Asks every classifier about the reads of a request, side by side; the built-in ones, which are quick, one after
    /// the other. A plugin that is still being compiled is not waited for: it is named with its reason.
    pub async fn classify(&self, timeline: Arc<TimelineData>) -> Vec<Voice> {
        if timeline.observations.is_empty() {
            // Never lent empty: the host answers `unknown` itself.
            return Vec::new();
        }
        let set = self.set();
        let voices = set.iter().map(|entry| async {
            match entry.ready() {
                Ok(loaded) => self.ask_classifiers(entry, &loaded, &timeline).await,
                Err(failure) if failure.is_retryable() => vec![silent(entry.name.to_string(), failure, 0.0)],
                Err(_) => Vec::new(),
            }
        });
        futures::future::join_all(voices).await.concat()
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

    async fn ask_classifiers(
        &self,
        entry: &Arc<Entry>,
        loaded: &Arc<Loaded>,
        timeline: &Arc<TimelineData>,
    ) -> Vec<Voice> {
        let classifiers = &loaded.provides.classifiers;
        if classifiers.is_empty() {
            return Vec::new();
        }
        let asked = classifiers.iter().enumerate().map(|(index, one)| {
            let (local, timeline) = (one.name.clone(), Arc::clone(timeline));
            Asked {
                target: Target { entry: Arc::clone(entry), loaded: Arc::clone(loaded), index },
                function: format!("readiness.classify {local}"),
                run: move |loaded: &Loaded, store: &mut Store<CallState>, instance: &Instance| {
                    classify(&local, timeline, loaded, store, instance)
                },
            }
        });
        let went = if entry.builtin {
            self.pure_calls(asked.collect(), Answers::Work).await
        } else {
            // One that spins delays no other.
            let each = asked.map(|one| self.pure_calls(vec![one], Answers::Work));
            futures::future::join_all(each).await.into_iter().flatten().collect()
        };
        let voice = |(one, (answer, elapsed_ms)): (&Classifier, Went<Result<Voice, String>>)| {
            let name = entry.full_name(&one.name);
            match answer {
                Ok(Ok(voice)) => Voice { classifier: name, elapsed_ms, ..voice },
                Ok(Err(why)) => {
                    let why = format!("the classifier could not tell: {why}");
                    silent(name, Failure::new(Code::Unsupported, why), elapsed_ms)
                }
                Err(failure) => silent(name, failure, elapsed_ms),
            }
        };
        classifiers.iter().zip(went).map(voice).collect()
    }
}

fn classify(
    local: &str,
    timeline: Arc<TimelineData>,
    loaded: &Loaded,
    store: &mut Store<CallState>,
    instance: &Instance,
) -> wasmtime::Result<Result<Voice, String>> {
    let Some(indices) = &loaded.readiness else { return Err(no_interface("readiness")) };
    for screen in &timeline.observations {
        store.data_mut().lent.add(screen);
    }
    let handle = store.data_mut().table.push(Timeline(timeline))?;
    let guest = indices.load(&mut *store, instance)?;
    Ok(match guest.call_classify(&mut *store, local, handle)? {
        Ok(assessment) => Ok(judge(assessment, store.data())?),
        Err(why) => Err(text(&why, "a reason")?),
    })
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
