//! Arguments of actions of several inputs.

use handset_model::ui::Selector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::TargetArgs;
use crate::action::ControlArgs;

/// One that names something is needed; all that are given must hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::tools) struct ScrollSelector {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_desc: Option<String>,
    /// Full or simple.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_name: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::tools) enum Direction {
    #[default]
    Down,
    Up,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct ScrollToElementArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub selector: ScrollSelector,
    /// Default down.
    pub direction: Option<Direction>,
    /// Default 10.
    #[schemars(range(min = 1, max = 100))]
    pub max_scrolls: Option<u32>,
    /// Share of the container, default 0.7.
    #[schemars(range(min = 0.1, max = 1.0))]
    pub scroll_amount: Option<f64>,
    #[serde(flatten)]
    pub controls: ControlArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::tools) enum AdjustProperty {
    #[default]
    Value,
    Checked,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct AdjustControlArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub selector: Option<Selector>,
    /// Instead of selector.
    pub element_id: Option<String>,
    /// Default value.
    pub property: Option<AdjustProperty>,
    /// A number, or true and false of what is on or off.
    #[serde(rename = "targetValue")]
    #[schemars(schema_with = "number_or_truth")]
    pub target_value: Value,
    /// Default 0.
    #[schemars(range(min = 0.0))]
    pub tolerance: Option<f64>,
    /// Default 3.
    #[serde(rename = "maxAttempts")]
    #[schemars(range(min = 1, max = 100))]
    pub max_attempts: Option<u32>,
}

fn number_or_truth(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["number", "boolean"] })
}
