//! Arguments of what reads logs and takes pictures.

use handset_model::logs::Level;
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

/// What a stream shows at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::tools) enum StreamLevel {
    Error,
    Warn,
    Info,
    Debug,
}

impl From<StreamLevel> for Level {
    fn from(level: StreamLevel) -> Self {
        match level {
            StreamLevel::Error => Self::Error,
            StreamLevel::Warn => Self::Warn,
            StreamLevel::Info => Self::Info,
            StreamLevel::Debug => Self::Debug,
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct StartLogStreamArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub package_name: String,
    /// At least; default error.
    pub level: Option<StreamLevel>,
    /// A name for it, default "default".
    pub session_id: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct ReadLogStreamArgs {
    pub session_id: Option<String>,
    /// Newest entries, default 100.
    #[schemars(range(min = 1, max = 2000))]
    pub limit: Option<u32>,
    /// The last answer's cursor, or a time in UTC.
    pub since: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct StopLogStreamArgs {
    pub session_id: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::tools) enum PictureFormat {
    Png,
    Jpeg,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct CaptureScreenshotArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Longest side in pixels, default 1568.
    #[schemars(range(min = 64, max = 4096))]
    pub max_long_edge: Option<u32>,
    /// Default png.
    pub format: Option<PictureFormat>,
    /// Also write it there, inside the operator's folder.
    pub save_path: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct CaptureDebugSnapshotArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Repeated in the answer.
    pub reason: Option<String>,
    pub include_logs: Option<bool>,
    /// Default 200.
    #[schemars(range(min = 1, max = 1000))]
    pub log_lines: Option<u32>,
    /// Logs of this app; default: the one in front.
    pub app_id: Option<String>,
    /// A log stream to read instead.
    pub session_id: Option<String>,
    pub include_screenshot: Option<bool>,
}
