//! Condition predicates.

use crate::bindings::condition::exports::handset::plugin::condition as world;
use crate::{Comparison, Evidence, Violation};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// Holds, fails, or cannot be told. Only `holds` lets the input go.
pub type Verdict = world::Verdict;

/// A verdict with its evidence.
pub type Finding = world::Finding;

/// A condition predicate. The implementing type is the predicate's arguments.
///
/// It is asked between the last read of the screen and the input, so it has no device: it decides
/// on what it is shown.
pub trait Predicate: DeserializeOwned + JsonSchema {
    /// Its kebab-case name; a precondition says `plugin-name/predicate-name`.
    const NAME: &str;
    /// One sentence for the agent that chooses among predicates.
    const SUMMARY: &str;

    /// Says what the schema cannot, before the device is touched.
    fn validate(&self) -> Vec<Violation> {
        Vec::new()
    }

    /// Decides.
    ///
    /// # Errors
    /// The predicate could not do its work; the input is blocked.
    fn check(self, screens: &Comparison) -> Result<Finding, String>;
}

impl Finding {
    /// The predicate holds.
    #[must_use]
    pub fn holds() -> Self {
        Self {
            verdict: Verdict::Holds,
            evidence: Vec::new(),
        }
    }

    /// It does not hold, and why.
    #[must_use]
    pub fn fails(reason: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Fails(reason.into()),
            evidence: Vec::new(),
        }
    }

    /// What was shown does not tell, and why.
    #[must_use]
    pub fn cannot_tell(reason: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::CannotTell(reason.into()),
            evidence: Vec::new(),
        }
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
    pub use world::PredicateInfo;

    pub fn predicate_info<T: Predicate>() -> PredicateInfo {
        PredicateInfo {
            name: T::NAME.to_owned(),
            summary: T::SUMMARY.to_owned(),
            arguments_schema: crate::arguments_schema::<T>(),
        }
    }

    pub fn validate_predicate<T: Predicate>(arguments: &str) -> Vec<Violation> {
        crate::step::export::read::<T>(arguments)
            .map_or_else(|wrong| vec![wrong], |predicate| predicate.validate())
    }

    pub fn check_predicate<T: Predicate>(
        arguments: &str,
        screens: &Comparison,
    ) -> Result<Finding, String> {
        let predicate: T =
            crate::step::export::read(arguments).map_err(|wrong: Violation| wrong.message)?;
        predicate.check(screens)
    }
}

/// Exports predicates: `export_predicates!(CartHolds);`, once per component.
#[macro_export]
macro_rules! export_predicates {
    ($($predicate:ty),+ $(,)?) => {
        const _: () = {
            struct Component;

            impl $crate::bindings::condition::exports::handset::plugin::condition::Guest
                for Component
            {
                fn predicates() -> Vec<$crate::export::PredicateInfo> {
                    $crate::export::install();
                    vec![$($crate::export::predicate_info::<$predicate>()),+]
                }

                fn validate(name: String, arguments: String) -> Vec<$crate::Violation> {
                    $crate::export::install();
                    $(if name == <$predicate as $crate::Predicate>::NAME {
                        return $crate::export::validate_predicate::<$predicate>(&arguments);
                    })+
                    vec![$crate::violation("predicate", format!("no predicate {name}"))]
                }

                fn check(
                    name: String,
                    arguments: String,
                    screens: &$crate::Comparison,
                ) -> Result<$crate::Finding, String> {
                    $crate::export::install();
                    $(if name == <$predicate as $crate::Predicate>::NAME {
                        return $crate::export::check_predicate::<$predicate>(&arguments, screens);
                    })+
                    Err(format!("no predicate {name}"))
                }
            }

            $crate::bindings::condition::export_condition_world!(
                Component with_types_in $crate::bindings::condition
            );
        };
    };
}
