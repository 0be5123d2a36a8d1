//! Arguments of what reads logs.

use schemars::JsonSchema;
use serde::Deserialize;

use super::TargetArgs;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct GetLogsArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Package: its lines, across restarts.
    #[serde(rename = "appId")]
    pub app_id: Option<String>,
    #[schemars(range(min = 1, max = 4_194_304))]
    pub pid: Option<u32>,
    /// Exactly this tag.
    pub tag: Option<String>,
    /// At least: verbose, debug, info, warn, error.
    pub level: Option<String>,
    /// In the message, whatever its case.
    pub contains: Option<String>,
    #[schemars(range(min = 1, max = 604_800))]
    pub since_seconds: Option<u32>,
    /// Newest entries, default lines, else 200.
    #[schemars(range(min = 1, max = 2000))]
    pub limit: Option<u32>,
    #[schemars(range(min = 1, max = 2000))]
    pub lines: Option<u32>,
}
