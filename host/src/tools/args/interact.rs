//! Arguments of what acts.

use handset_model::ui::Selector;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{GuardMembers, MatchArgs, TargetArgs, coordinate};
use crate::action::{ControlArgs, Space};

/// What every input takes beside its own: how it is verified, and what guards it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(in crate::tools) struct ActingMembers {
    #[serde(flatten)]
    pub controls: ControlArgs,
    #[serde(flatten)]
    pub guard: GuardMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct SpaceMembers {
    /// Default device: pixels.
    #[schemars(description = "")]
    pub space: Option<Space>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct TapArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(schema_with = "coordinate")]
    pub x: f64,
    #[schemars(schema_with = "coordinate")]
    pub y: f64,
    #[serde(flatten)]
    pub space: SpaceMembers,
    #[serde(flatten)]
    pub acting: ActingMembers,
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
    pub acting: ActingMembers,
}

/// A point, or an element.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct AtArgs {
    #[serde(default)]
    #[schemars(schema_with = "coordinate")]
    pub x: Option<f64>,
    #[serde(default)]
    #[schemars(schema_with = "coordinate")]
    pub y: Option<f64>,
    #[serde(flatten)]
    pub space: SpaceMembers,
    pub element_id: Option<String>,
    pub selector: Option<Selector>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct LongPressArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[serde(flatten)]
    pub at: AtArgs,
    /// ms, default 800.
    #[schemars(range(min = 400, max = 10000))]
    pub duration: Option<u32>,
    #[serde(flatten)]
    pub acting: ActingMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct DoubleTapArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[serde(flatten)]
    pub at: AtArgs,
    #[serde(flatten)]
    pub acting: ActingMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct StrokeArgs {
    #[schemars(schema_with = "coordinate")]
    pub x1: f64,
    #[schemars(schema_with = "coordinate")]
    pub y1: f64,
    #[schemars(schema_with = "coordinate")]
    pub x2: f64,
    #[schemars(schema_with = "coordinate")]
    pub y2: f64,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct DragArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[serde(flatten)]
    pub stroke: StrokeArgs,
    #[serde(flatten)]
    pub space: SpaceMembers,
    /// ms of the move, default 1000.
    #[schemars(range(min = 1, max = 10000))]
    pub duration: Option<u32>,
    #[serde(flatten)]
    pub acting: ActingMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct PinchArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(schema_with = "coordinate")]
    pub x: f64,
    #[schemars(schema_with = "coordinate")]
    pub y: f64,
    #[serde(flatten)]
    pub space: SpaceMembers,
    /// Above 1 fingers part.
    #[schemars(range(min = 0.1, max = 10.0))]
    pub scale: f64,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct SwipeArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[serde(flatten)]
    pub stroke: StrokeArgs,
    #[serde(flatten)]
    pub space: SpaceMembers,
    /// ms, default 300.
    #[schemars(range(min = 1, max = 10000))]
    pub duration: Option<u32>,
    #[serde(flatten)]
    pub acting: ActingMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct TypeTextArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(length(min = 1))]
    pub text: String,
    /// Tapped first; instead of selector.
    pub element_id: Option<String>,
    pub selector: Option<Selector>,
    /// Empty the field first.
    pub replace: Option<bool>,
    /// Enter afterwards.
    pub submit: Option<bool>,
    #[serde(flatten)]
    pub acting: ActingMembers,
}

/// An input that is aimed at nothing and takes nothing of its own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct BareInputArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[serde(flatten)]
    pub acting: ActingMembers,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct PressKeyArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Such as enter, recents, delete, up, volume_up, wakeup; KEYCODE_*; or its number.
    #[schemars(length(min = 1))]
    pub key: String,
    #[serde(flatten)]
    pub acting: ActingMembers,
}

/// A dialog's buttons by name, so that a client sees which there are.
fn button(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = handset_model::ui::dialog_buttons().collect();
    schemars::json_schema!({ "type": "string", "enum": names })
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct DialogArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Instead of the one that means it.
    #[serde(default)]
    #[schemars(schema_with = "button")]
    pub button: Option<String>,
    #[serde(flatten)]
    pub acting: ActingMembers,
}
