//! Arguments of what manages devices and apps.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Platform, TargetArgs};
use crate::action::ControlArgs;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct ListDevicesArgs {
    pub platform: Option<Platform>,
    /// Also tell whether this app is installed.
    #[schemars(length(min = 1))]
    pub app_id: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct StartAppArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Package, or package/activity.
    #[schemars(length(min = 1))]
    pub app_id: String,
    #[serde(flatten)]
    pub controls: ControlArgs,
}
