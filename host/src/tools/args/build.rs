//! Arguments of what builds apps.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ProjectType, TargetArgs};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct BuildAppArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Default: by the project's files.
    #[schemars(description = "")]
    pub project_type: Option<ProjectType>,
    /// Its folder; absolute.
    #[schemars(length(min = 1))]
    pub project_path: String,
    /// debug (default), release, freeDebug …
    #[schemars(length(min = 1, max = 100))]
    pub variant: Option<String>,
    /// Ms; default 900000.
    #[schemars(range(min = 1000, max = 3600000))]
    pub timeout: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct BuildAndInstallArgs {
    #[serde(flatten)]
    pub build: BuildAppArgs,
    /// Default: the current one.
    #[schemars(description = "")]
    pub user: Option<u32>,
}
