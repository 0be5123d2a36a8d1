//! Argument types of every tool. The advertised schema and the runtime check are both made from these.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use handset_model::ui::Selector;

use crate::action::{ControlArgs, ExpectedState, GuardArgs, Precondition, ResponseMode, VerificationMode};
use crate::device::Target;
use crate::plugin::ReadinessState;
use crate::wait::{Condition, Property};

/// Platforms an adapter exists for in the contract; those without one answer `UNSUPPORTED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Platform {
    Android,
    Ios,
}

impl Platform {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Android => "android",
            Self::Ios => "ios",
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetArgs {
    pub platform: Option<Platform>,
    /// Serial or UDID, see list_devices; optional with one device.
    #[schemars(description = "")]
    pub device_id: Option<String>,
}

impl TargetArgs {
    pub(super) fn target(&self) -> Target {
        Target {
            platform: self.platform.map(|platform| platform.as_str().to_owned()),
            device_id: self.device_id.clone(),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GuardMembers {
    /// Send only if the screen is still this.
    pub expected_state: Option<ExpectedState>,
    /// Sent only if these predicates hold.
    #[schemars(description = "")]
    pub precondition: Option<Precondition>,
}

impl GuardMembers {
    pub(super) fn guard(&self) -> GuardArgs {
        GuardArgs { expected: self.expected_state.clone(), precondition: self.precondition.clone() }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct NoArgs {}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListDevicesArgs {
    pub platform: Option<Platform>,
    /// Also tell whether this app is installed.
    #[schemars(length(min = 1))]
    pub app_id: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TreeFormat {
    #[default]
    Json,
    Text,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GetUiTreeArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// compact: only what changed since sinceSnapshotRevision.
    pub response_mode: Option<ResponseMode>,
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub since_snapshot_revision: Option<u64>,
    /// text: one line an element, far smaller.
    pub format: Option<TreeFormat>,
    /// Only inside elements that match.
    pub scope: Option<Selector>,
    /// Only what can be acted on.
    pub interactive_only: Option<bool>,
    #[schemars(range(min = 1, max = 50000))]
    pub max_elements: Option<u32>,
    #[schemars(range(min = 0, max = 50000))]
    pub offset: Option<u32>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct DeviceOnlyArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchArgs {
    /// From 0.
    #[schemars(range(min = 0, max = 50000))]
    pub index: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RetryArgs {
    #[schemars(range(min = 1, max = 100))]
    pub max_attempts: Option<u32>,
    #[schemars(range(min = 0, max = 10000))]
    pub backoff_ms: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct WaitForUiArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub selector: Selector,
    pub condition: Option<Condition>,
    /// Default 60000.
    #[schemars(range(min = 100, max = 300000))]
    pub timeout_ms: Option<u64>,
    /// Default 300.
    #[schemars(range(min = 50, max = 2000))]
    pub poll_interval_ms: Option<u64>,
    #[serde(rename = "match")]
    pub matching: Option<MatchArgs>,
    pub retry: Option<RetryArgs>,
    /// Also wait until the app is settled.
    pub readiness: Option<bool>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct ExpectElementVisibleArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub selector: Option<Selector>,
    /// Instead of selector.
    pub element_id: Option<String>,
    /// Default 5000.
    #[schemars(range(min = 100, max = 300000))]
    pub timeout_ms: Option<u64>,
    /// Default 300.
    #[schemars(range(min = 50, max = 2000))]
    pub poll_interval_ms: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct ExpectStateArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub selector: Option<Selector>,
    /// Instead of selector.
    pub element_id: Option<String>,
    pub property: Property,
    /// Boolean, number or string.
    #[schemars(schema_with = "scalar")]
    pub expected: Value,
    /// Default 5000.
    #[schemars(range(min = 100, max = 60000))]
    pub timeout_ms: Option<u64>,
    /// Default 100.
    #[schemars(range(min = 50, max = 2000))]
    pub poll_interval_ms: Option<u64>,
}

fn scalar(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["boolean", "number", "string"] })
}

/// A whole pixel or point of the display.
fn coordinate(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 0, "maximum": 100_000 })
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct TapArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(schema_with = "coordinate")]
    pub x: i32,
    #[schemars(schema_with = "coordinate")]
    pub y: i32,
    #[serde(flatten)]
    pub controls: ControlArgs,
    #[serde(flatten)]
    pub guard: GuardMembers,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum WaitForCondition {
    #[default]
    Exists,
    Visible,
    Clickable,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WaitForArgs {
    pub condition: Option<WaitForCondition>,
    /// Default 1500.
    #[schemars(range(min = 100, max = 10000))]
    pub timeout_ms: Option<u64>,
    /// Default 100.
    #[schemars(range(min = 50, max = 1000))]
    pub poll_interval_ms: Option<u64>,
    #[serde(rename = "match")]
    pub matching: Option<MatchArgs>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TapElementArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Instead of selector; N@REVISION for [N] of a tree.
    pub element_id: Option<String>,
    pub selector: Option<Selector>,
    /// Wait for the selector's target first.
    pub wait_for: Option<WaitForArgs>,
    #[serde(flatten)]
    pub controls: ControlArgs,
    #[serde(flatten)]
    pub guard: GuardMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct SwipeArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(schema_with = "coordinate")]
    pub x1: i32,
    #[schemars(schema_with = "coordinate")]
    pub y1: i32,
    #[schemars(schema_with = "coordinate")]
    pub x2: i32,
    #[schemars(schema_with = "coordinate")]
    pub y2: i32,
    /// ms, default 300.
    #[schemars(range(min = 1, max = 10000))]
    pub duration: Option<u32>,
    #[serde(flatten)]
    pub controls: ControlArgs,
    #[serde(flatten)]
    pub guard: GuardMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct TypeTextArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(length(min = 1))]
    pub text: String,
    #[serde(flatten)]
    pub controls: ControlArgs,
    #[serde(flatten)]
    pub guard: GuardMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct PressBackArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[serde(flatten)]
    pub controls: ControlArgs,
    #[serde(flatten)]
    pub guard: GuardMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StartAppArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Package, or package/activity.
    #[schemars(length(min = 1))]
    pub app_id: String,
    #[serde(flatten)]
    pub controls: ControlArgs,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GetReadinessArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Reads, default 2; one can never say settled.
    #[schemars(range(min = 1, max = 2))]
    pub samples: Option<u32>,
    /// Default 300.
    #[schemars(range(min = 100, max = 10000))]
    pub stability_ms: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WaitForReadinessArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Default settled.
    pub state: Option<ReadinessName>,
    /// Default 10000.
    #[schemars(range(min = 100, max = 60000))]
    pub timeout_ms: Option<u64>,
    /// Default 300.
    #[schemars(range(min = 100, max = 10000))]
    pub stability_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReadinessName {
    Loading,
    Transitioning,
    #[default]
    Settled,
    Unresponsive,
    DebuggerPaused,
    Unknown,
}

impl From<ReadinessName> for ReadinessState {
    fn from(name: ReadinessName) -> Self {
        match name {
            ReadinessName::Loading => Self::Loading,
            ReadinessName::Transitioning => Self::Transitioning,
            ReadinessName::Settled => Self::Settled,
            ReadinessName::Unresponsive => Self::Unresponsive,
            ReadinessName::DebuggerPaused => Self::DebuggerPaused,
            ReadinessName::Unknown => Self::Unknown,
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct JourneyDefaults {
    pub verification_mode: Option<VerificationMode>,
    #[serde(default, deserialize_with = "crate::action::saturating")]
    pub action_timeout_ms: Option<i64>,
    #[serde(default, deserialize_with = "crate::action::saturating")]
    pub verification_timeout_ms: Option<i64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunJourneyArgs {
    pub platform: Platform,
    #[schemars(length(min = 1))]
    pub device_id: Option<String>,
    /// Default compact.
    pub response_mode: Option<ResponseMode>,
    /// In debug, adds the failing step's tree.
    pub capture_on_failure: Option<bool>,
    pub defaults: Option<JourneyDefaults>,
    /// Each {id, type, …}: start_app, wait, tap, assert, type_text, press_back, swipe, wait_for_readiness, or a plugin's plugin/step with args and timeoutMs. Members: list_plugins.
    #[schemars(length(min = 1, max = 50), schema_with = "steps")]
    pub steps: Vec<Map<String, Value>>,
}

fn steps(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "array",
        "minItems": 1,
        "maxItems": 50,
        "items": {
            "type": "object",
            "properties": { "id": { "type": "string", "minLength": 1 }, "type": { "type": "string", "minLength": 1 } },
            "required": ["id", "type"],
        },
    })
}
