//! Journey step types.

use crate::bindings::step::exports::handset::plugin::step as world;
use crate::{Answer, Condition, Evidence, Failure, Selector, Session, Violation};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What [`Step::run`] looks for with its very first read.
pub type Look = world::Look;

/// What came of a step.
pub type Report = world::Report;

/// A journey step type. The implementing type is the step's arguments.
pub trait Step: DeserializeOwned + JsonSchema {
    /// Its kebab-case name; a journey says `plugin-name/step-name`.
    const NAME: &str;
    /// One sentence for the agent that chooses among steps.
    const SUMMARY: &str;
    /// What it may ask of the host: `observe`, `input:tap_element`, …
    const GRANTS: &[&str] = &["observe"];

    /// Says what the schema cannot: asked for every step of a journey before the device is touched.
    fn validate(&self) -> Vec<Violation> {
        Vec::new()
    }

    /// What [`Step::run`] looks for first, when that is known beforehand.
    fn first_look(&self) -> Option<Look> {
        None
    }

    /// Does the step.
    ///
    /// # Errors
    /// The step failed, with a code of the contract.
    fn run(self, session: &Session) -> Result<Report, Failure>;
}

impl Look {
    /// Looks for `selector` in the way of `condition`.
    #[must_use]
    pub fn new(selector: &Selector, condition: Condition) -> Self {
        Self {
            selector: selector.to_json(),
            condition: condition.as_str().to_owned(),
        }
    }
}

impl Report {
    /// The step passed.
    #[must_use]
    pub fn passed() -> Self {
        Self {
            passed: true,
            failure_code: None,
            message: None,
            body: "{}".to_owned(),
            evidence: Vec::new(),
            shows: Vec::new(),
        }
    }

    /// The step failed: a code of the contract, and why.
    #[must_use]
    pub fn failed(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            passed: false,
            failure_code: Some(code.into()),
            message: Some(message.into()),
            ..Self::passed()
        }
    }

    /// What the client reads under `plugin`; `{}` when nothing is said.
    #[must_use]
    pub fn body(mut self, body: &impl Serialize) -> Self {
        if let Ok(json) = serde_json::to_string(body) {
            self.body = json;
        }
        self
    }

    /// Has the host show its own record of this answer.
    #[must_use]
    pub fn shows(mut self, answer: &Answer) -> Self {
        self.shows.push(answer.id);
        self
    }

    /// Says why.
    #[must_use]
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }
}

#[doc(hidden)]
pub mod export {
    use super::*;
    use crate::bindings::step::handset::plugin::device::Session as Handle;
    pub use world::StepInfo;

    pub fn step_info<T: Step>() -> StepInfo {
        StepInfo {
            name: T::NAME.to_owned(),
            summary: T::SUMMARY.to_owned(),
            arguments_schema: crate::arguments_schema::<T>(),
            grants: T::GRANTS.iter().map(|&grant| grant.to_owned()).collect(),
        }
    }

    pub fn validate_step<T: Step>(arguments: &str) -> Vec<Violation> {
        read::<T>(arguments).map_or_else(|wrong| vec![wrong], |step| step.validate())
    }

    pub fn look_step<T: Step>(arguments: &str) -> Option<Look> {
        read::<T>(arguments).ok()?.first_look()
    }

    pub fn run_step<T: Step>(arguments: &str, handle: &Handle) -> Result<Report, Failure> {
        let step = read::<T>(arguments)
            .map_err(|wrong| Failure::new(crate::code::INVALID_ARGUMENT, wrong.message))?;
        step.run(&Session::new(handle, arguments))
    }

    pub fn no_such_step(name: &str) -> Failure {
        Failure::new(crate::code::INVALID_ARGUMENT, format!("no step {name}"))
    }

    /// Arguments as their type, or what is wrong with them.
    pub fn read<T: DeserializeOwned>(arguments: &str) -> Result<T, Violation> {
        let refuse = |error: serde_json::Error| crate::violation("", error.to_string());
        T::deserialize(parse(arguments).map_err(refuse)?).map_err(refuse)
    }

    /// Parsing apart from reading: the parser is then compiled once, not once for every type.
    #[inline(never)]
    fn parse(arguments: &str) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::from_str(arguments)
    }
}

/// Exports step types: `export_steps!(SignIn, SignOut);`, once per component.
#[macro_export]
macro_rules! export_steps {
    ($($step:ty),+ $(,)?) => {
        const _: () = {
            struct Component;

            impl $crate::bindings::step::exports::handset::plugin::step::Guest for Component {
                fn steps() -> Vec<$crate::export::StepInfo> {
                    $crate::export::install();
                    vec![$($crate::export::step_info::<$step>()),+]
                }

                fn validate(name: String, arguments: String) -> Vec<$crate::Violation> {
                    $crate::export::install();
                    $(if name == <$step as $crate::Step>::NAME {
                        return $crate::export::validate_step::<$step>(&arguments);
                    })+
                    vec![$crate::violation("type", format!("no step {name}"))]
                }

                fn first_look(name: String, arguments: String) -> Option<$crate::Look> {
                    $crate::export::install();
                    $(if name == <$step as $crate::Step>::NAME {
                        return $crate::export::look_step::<$step>(&arguments);
                    })+
                    None
                }

                fn run(
                    name: String,
                    arguments: String,
                    session: &$crate::bindings::step::handset::plugin::device::Session,
                ) -> Result<$crate::Report, $crate::Failure> {
                    $crate::export::install();
                    $(if name == <$step as $crate::Step>::NAME {
                        return $crate::export::run_step::<$step>(&arguments, session);
                    })+
                    Err($crate::export::no_such_step(&name))
                }
            }

            $crate::bindings::step::export_step_world!(
                Component with_types_in $crate::bindings::step
            );
        };
    };
}
