//! Readiness classifiers.

use crate::bindings::readiness::exports::handset::plugin::readiness as world;
use crate::{Evidence, Timeline};

/// What a screen is up to.
pub type State = world::State;

/// A state with its evidence. The host combines those of all classifiers.
pub type Assessment = world::Assessment;

/// A readiness classifier: pure, without a device or memory between calls.
pub trait Classifier {
    /// Its kebab-case name.
    const NAME: &str;
    /// One sentence for the reader of `list_plugins`.
    const SUMMARY: &str;
    /// The probes it asks the host for, where the host can: `anr`, `debugger`, …
    const PROBES: &[&str] = &[];

    /// Says what the samples show. A classifier that sees none of its signs says `unknown`.
    ///
    /// # Errors
    /// It could not do its work; it is left out of the verdict and named.
    fn classify(samples: &Timeline) -> Result<Assessment, String>;
}

impl Assessment {
    /// This state, without evidence so far.
    #[must_use]
    pub fn of(state: State) -> Self {
        Self {
            state,
            evidence: Vec::new(),
            limitations: Vec::new(),
            unsupported: Vec::new(),
        }
    }

    /// Says why.
    #[must_use]
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// Names what keeps it from saying more.
    #[must_use]
    pub fn limitation(mut self, limitation: impl Into<String>) -> Self {
        self.limitations.push(limitation.into());
        self
    }

    /// Names what could not be looked at here.
    #[must_use]
    pub fn unsupported(mut self, what: impl Into<String>) -> Self {
        self.unsupported.push(what.into());
        self
    }
}

#[doc(hidden)]
pub mod export {
    use super::*;
    pub use world::ClassifierInfo;

    pub fn classifier_info<T: Classifier>() -> ClassifierInfo {
        ClassifierInfo {
            name: T::NAME.to_owned(),
            summary: T::SUMMARY.to_owned(),
            probes: T::PROBES.iter().map(|&probe| probe.to_owned()).collect(),
        }
    }
}

/// Exports classifiers: `export_classifiers!(Splash);`, once per component.
#[macro_export]
macro_rules! export_classifiers {
    ($($classifier:ty),+ $(,)?) => {
        const _: () = {
            struct Component;

            impl $crate::bindings::readiness::exports::handset::plugin::readiness::Guest
                for Component
            {
                fn classifiers() -> Vec<$crate::export::ClassifierInfo> {
                    $crate::export::install();
                    vec![$($crate::export::classifier_info::<$classifier>()),+]
                }

                fn classify(
                    name: String,
                    samples: &$crate::Timeline,
                ) -> Result<$crate::Assessment, String> {
                    $crate::export::install();
                    $(if name == <$classifier as $crate::Classifier>::NAME {
                        return <$classifier as $crate::Classifier>::classify(samples);
                    })+
                    Err(format!("no classifier {name}"))
                }
            }

            $crate::bindings::readiness::export_readiness_world!(
                Component with_types_in $crate::bindings::readiness
            );
        };
    };
}
