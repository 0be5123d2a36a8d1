//! Arguments of what looks.

use handset_model::ui::Selector;
use schemars::JsonSchema;
use serde::Deserialize;

use super::TargetArgs;
use crate::action::ResponseMode;
use crate::plugin::ReadinessState;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::tools) enum TreeFormat {
    #[default]
    Json,
    Text,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct GetUiTreeArgs {
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
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct GetReadinessArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Reads, default 2; one can never say settled.
    #[schemars(range(min = 1, max = 2))]
    pub samples: Option<u32>,
    /// Default 300.
    #[schemars(range(min = 100, max = 10000))]
    pub stability_ms: Option<u64>,
    /// Also ask for an ANR and a debugger.
    pub probes: Option<bool>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct WaitForReadinessArgs {
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
    /// Also ask for an ANR and a debugger.
    pub probes: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::tools) enum ReadinessName {
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
