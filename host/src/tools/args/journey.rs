//! Arguments of a journey.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Platform;
use crate::action::{ResponseMode, VerificationMode};

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
pub(in crate::tools) struct RunJourneyArgs {
    pub platform: Platform,
    #[schemars(length(min = 1))]
    pub device_id: Option<String>,
    /// Default compact.
    pub response_mode: Option<ResponseMode>,
    /// In debug, adds the failing step's tree.
    pub capture_on_failure: Option<bool>,
    pub defaults: Option<JourneyDefaults>,
    /// Each {id, type, …}: start_app, wait, tap, assert, type_text, press_back, press_key, swipe, scroll_to_element, terminate_app, wait_for_readiness, or a plugin's plugin/step with args and timeoutMs. Members: list_plugins with name steps, or the plugin's.
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
