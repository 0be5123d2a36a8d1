//! Arguments of what judges a whole screen, or finds something on it.

use handset_model::ui::Selector;
use schemars::JsonSchema;
use serde::Deserialize;

use super::TargetArgs;
use crate::wait::ChangeType;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct WaitForScreenChangeArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// From get_screen_fingerprint.
    #[schemars(length(min = 1))]
    pub previous_fingerprint: String,
    /// Default 5000.
    #[schemars(range(min = 100, max = 300000))]
    pub timeout_ms: Option<u64>,
    /// Default 300.
    #[schemars(range(min = 50, max = 2000))]
    pub poll_interval_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::tools) enum ChangeScope {
    #[default]
    Screen,
    Subtree,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct WaitForUiChangeArgs {
    #[serde(flatten)]
    pub target_device: TargetArgs,
    /// Any, unless given.
    pub expected_change: Option<ChangeType>,
    /// Default 60000.
    #[schemars(range(min = 100, max = 300000))]
    pub timeout_ms: Option<u64>,
    /// How long it must stay so, default 250.
    #[schemars(range(min = 0, max = 10000))]
    pub stability_window_ms: Option<u64>,
    /// Default screen.
    pub scope: Option<ChangeScope>,
    /// Of scope subtree: the element whose inside counts.
    pub target: Option<Selector>,
    /// Also wait until the app is settled.
    pub readiness: Option<bool>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct ExpectScreenArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(length(min = 1))]
    pub fingerprint: Option<String>,
    /// Instead of it: activity, full or short.
    #[schemars(length(min = 1))]
    pub screen: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct FindElementArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// What it says or is called.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Only whole matches.
    pub exact: Option<bool>,
    /// Default 3000.
    #[schemars(range(min = 100, max = 300000))]
    pub timeout_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::tools) enum RequestStatus {
    Success,
    Failure,
    Retryable,
}

/// As get_network_activity lists them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "taken as get_network_activity gives them; only endpoint and status are weighed")]
pub(in crate::tools) struct NetworkRequestArgs {
    pub endpoint: Option<String>,
    pub status: RequestStatus,
    pub method: Option<String>,
    pub status_code: Option<u32>,
    pub network_error: Option<String>,
    pub duration_ms: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct ClassifyActionOutcomeArgs {
    pub ui_changed: bool,
    pub expected_element_visible: Option<bool>,
    /// The action's action_type.
    pub action_type: Option<String>,
    pub network_requests: Option<Vec<NetworkRequestArgs>>,
    pub has_log_errors: Option<bool>,
}
