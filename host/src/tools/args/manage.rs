//! Arguments of what manages devices and apps.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Platform, TargetArgs};
use crate::action::ControlArgs;
use crate::device::Orientation;

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
    /// Android user id; default the one in front.
    #[schemars(range(min = 0, max = 21474))]
    pub user: Option<u32>,
    #[serde(flatten)]
    pub controls: ControlArgs,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct AppArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Package.
    #[schemars(length(min = 1))]
    pub app_id: String,
    /// Android user id; default the one in front.
    #[schemars(range(min = 0, max = 21474))]
    pub user: Option<u32>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct PermissionArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Package.
    #[schemars(length(min = 1))]
    pub app_id: String,
    /// Full name, such as android.permission.CAMERA.
    #[schemars(length(min = 1))]
    pub permission: String,
    /// Android user id; default the one in front.
    #[schemars(range(min = 0, max = 21474))]
    pub user: Option<u32>,
}

/// What a project is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::tools) enum ProjectType {
    Native,
    Kmp,
    ReactNative,
    Flutter,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct InstallAppArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub project_type: Option<ProjectType>,
    /// APK, folder with one app's APKs, or project folder.
    #[schemars(length(min = 1))]
    pub app_path: String,
    /// More APKs of the same app.
    #[schemars(length(max = 100))]
    #[serde(default)]
    pub split_paths: Vec<String>,
    /// Android user id; default the one in front.
    #[schemars(range(min = 0, max = 21474))]
    pub user: Option<u32>,
    /// Default 300000.
    #[schemars(range(min = 1000, max = 1800000))]
    pub timeout_ms: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct OpenUrlArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(length(min = 1, max = 2048))]
    pub url: String,
    /// Package that opens it; default the device's choice.
    #[schemars(length(min = 1))]
    pub app_id: Option<String>,
    /// Android user id; default the one in front.
    #[schemars(range(min = 0, max = 21474))]
    pub user: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::tools) enum Held {
    Portrait,
    Landscape,
    ReversePortrait,
    ReverseLandscape,
    Auto,
}

impl Held {
    pub(in crate::tools) fn wanted(self) -> Orientation {
        match self {
            Self::Portrait => Orientation::Portrait,
            Self::Landscape => Orientation::Landscape,
            Self::ReversePortrait => Orientation::ReversePortrait,
            Self::ReverseLandscape => Orientation::ReverseLandscape,
            Self::Auto => Orientation::Auto,
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct SetOrientationArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub orientation: Held,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct SetLocationArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    #[schemars(range(min = -90, max = 90))]
    pub latitude: f64,
    #[schemars(range(min = -180, max = 180))]
    pub longitude: f64,
    /// Metres.
    #[schemars(range(min = -1000, max = 100000))]
    pub altitude: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct SetClipboardArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
    pub text: String,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::tools) struct BootArgs {
    pub platform: Option<Platform>,
    /// Virtual device; optional with one.
    #[schemars(length(min = 1))]
    pub avd: Option<String>,
    /// Without a window.
    pub headless: Option<bool>,
    /// Default 180000.
    #[schemars(range(min = 1000, max = 900000))]
    pub timeout_ms: Option<u64>,
}
