//! The controls every action takes (contract §5): clamped timeouts, verification and response modes.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How much is read after the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerificationMode {
    /// No read: success means the adapter accepted it.
    None,
    /// One fresh observation.
    Light,
    /// Reads until the screen rests, compared with the one before.
    #[default]
    Full,
}

impl VerificationMode {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Light => "light",
            Self::Full => "full",
        }
    }
}

/// How much is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResponseMode {
    /// What a decision needs.
    Compact,
    /// Everything.
    #[default]
    Debug,
}

/// The controls as a caller gives them. The two timeouts clamp (to 100–30 000 and 100–60 000 ms) instead of
/// refusing, so their schema states no range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ControlArgs {
    /// Reads afterwards.
    #[schemars(description = "")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_mode: Option<VerificationMode>,
    /// How much is answered.
    #[schemars(description = "")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_mode: Option<ResponseMode>,
    /// Clamped to 100-30000.
    #[schemars(description = "")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default, deserialize_with = "saturating")]
    pub action_timeout_ms: Option<i64>,
    /// Clamped to 100-60000.
    #[schemars(description = "")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default, deserialize_with = "saturating")]
    pub verification_timeout_ms: Option<i64>,
}

/// A number of any size: what is clamped afterwards need not fit first.
pub(crate) fn saturating<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let given = Option::<f64>::deserialize(deserializer)?;
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, which is meant")]
    Ok(given.map(|ms| ms as i64))
}

/// What holds for an action when the caller says nothing.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    /// Dispatch, ms.
    pub action_ms: u64,
}

impl Defaults {
    /// Taps, text, keys.
    pub const INPUT: Self = Self { action_ms: 5_000 };
    /// Launch includes the adapter's own wait for the first frame.
    pub const START_APP: Self = Self { action_ms: 10_000 };
    /// To terminate and to launch together.
    pub const RESTART_APP: Self = Self { action_ms: 15_000 };
}

/// Light verification, ms.
const LIGHT_MS: u64 = 3_000;
/// Full verification, ms.
const FULL_MS: u64 = 10_000;

/// The controls in force.
#[derive(Clone, Copy, Debug)]
pub struct Controls {
    /// How much is read afterwards.
    pub verification: VerificationMode,
    /// How much is answered.
    pub response: ResponseMode,
    /// For target, preparation and input.
    pub action: Duration,
    /// Nobody gave it: an input of many commands gets more.
    pub grows: bool,
    /// For verification.
    pub verify: Duration,
}

impl ControlArgs {
    /// Fills in and clamps.
    #[must_use]
    pub fn resolve(&self, defaults: Defaults) -> Controls {
        let verification = self.verification_mode.unwrap_or_default();
        let verify_default = if verification == VerificationMode::Full { FULL_MS } else { LIGHT_MS };
        Controls {
            verification,
            response: self.response_mode.unwrap_or_default(),
            action: clamp(self.action_timeout_ms, defaults.action_ms, 30_000),
            grows: self.action_timeout_ms.is_none(),
            verify: clamp(self.verification_timeout_ms, verify_default, 60_000),
        }
    }
}

fn clamp(given: Option<i64>, default: u64, max: u64) -> Duration {
    Duration::from_millis(given.map_or(default, |ms| u64::try_from(ms).unwrap_or(0).clamp(100, max)))
}

impl Controls {
    /// For what takes no controls: `action` in all, and nothing is read afterwards.
    #[must_use]
    pub const fn unverified(action: Duration) -> Self {
        Self {
            grows: false,
            verification: VerificationMode::None,
            response: ResponseMode::Debug,
            action,
            verify: Duration::from_millis(LIGHT_MS),
        }
    }

    /// `effective_controls` of a debug answer.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "verificationMode": self.verification,
            "responseMode": self.response,
            "actionTimeoutMs": u64::try_from(self.action.as_millis()).unwrap_or(u64::MAX),
            "verificationTimeoutMs": u64::try_from(self.verify.as_millis()).unwrap_or(u64::MAX),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_clamp_to_the_contracts_bounds() {
        for (given, action, verify) in [(1, 100, 100), (-5, 100, 100), (1_000_000, 30_000, 60_000), (450, 450, 450)] {
            let args = ControlArgs {
                action_timeout_ms: Some(given),
                verification_timeout_ms: Some(given),
                ..ControlArgs::default()
            };
            let controls = args.resolve(Defaults::INPUT);
            assert_eq!((controls.action.as_millis(), controls.verify.as_millis()), (action, verify));
        }
    }

    #[test]
    fn defaults_follow_the_mode() {
        let light = ControlArgs { verification_mode: Some(VerificationMode::Light), ..ControlArgs::default() }
            .resolve(Defaults::START_APP);
        assert_eq!((light.action.as_millis(), light.verify.as_millis()), (10_000, 3_000));
        let full = ControlArgs::default().resolve(Defaults::INPUT);
        assert_eq!((full.action.as_millis(), full.verify.as_millis()), (5_000, 10_000));
    }
}
