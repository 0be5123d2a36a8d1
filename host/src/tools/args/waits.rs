//! Arguments of what waits and judges.

use handset_model::ui::Selector;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{MatchArgs, TargetArgs};
use crate::wait::{Condition, Property};

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::tools) struct RetryArgs {
    #[schemars(range(min = 1, max = 100))]
    pub max_attempts: Option<u32>,
    #[schemars(range(min = 0, max = 10000))]
    pub backoff_ms: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct WaitForUiArgs {
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
pub(in crate::tools) struct ExpectElementVisibleArgs {
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
pub(in crate::tools) struct ExpectStateArgs {
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
