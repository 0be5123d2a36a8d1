//! Arguments of what acts.

use handset_model::ui::Selector;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{GuardMembers, MatchArgs, TargetArgs, coordinate};
use crate::action::ControlArgs;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct TapArgs {
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
pub(in crate::tools) enum WaitForCondition {
    #[default]
    Exists,
    Visible,
    Clickable,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::tools) struct WaitForArgs {
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
pub(in crate::tools) struct TapElementArgs {
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
pub(in crate::tools) struct SwipeArgs {
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
pub(in crate::tools) struct TypeTextArgs {
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
pub(in crate::tools) struct PressBackArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[serde(flatten)]
    pub controls: ControlArgs,
    #[serde(flatten)]
    pub guard: GuardMembers,
}
