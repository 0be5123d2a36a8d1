//! Argument types of every tool, by group. The advertised schema and the runtime check are both made from these.

mod build;
mod interact;
mod journey;
mod judge;
mod logs;
mod manage;
mod observe;
mod series;
mod system;
mod waits;

pub(super) use build::{BuildAndInstallArgs, BuildAppArgs};
pub(super) use interact::{
    ActingMembers, AtArgs, BareInputArgs, DialogArgs, DoubleTapArgs, DragArgs, LongPressArgs, PinchArgs, PressKeyArgs,
    SpaceMembers, StrokeArgs, SwipeArgs, TapArgs, TapElementArgs, TypeTextArgs, WaitForArgs, WaitForCondition,
};
pub(crate) use journey::JourneyDefaults;
pub(super) use journey::RunJourneyArgs;
pub(super) use judge::{
    ChangeScope, ClassifyActionOutcomeArgs, ExpectScreenArgs, FindElementArgs, RequestStatus, WaitForScreenChangeArgs,
    WaitForUiChangeArgs,
};
pub(super) use logs::{
    CaptureDebugSnapshotArgs, CaptureScreenshotArgs, GetLogsArgs, PictureFormat, ReadLogStreamArgs, StartLogStreamArgs,
    StopLogStreamArgs,
};
pub(super) use manage::{
    AppArgs, BootArgs, InstallAppArgs, ListDevicesArgs, OpenUrlArgs, PermissionArgs, ProjectType, SetClipboardArgs,
    SetLocationArgs, SetOrientationArgs, StartAppArgs,
};
pub(super) use observe::{GetReadinessArgs, GetUiTreeArgs, TreeFormat, WaitForReadinessArgs};
pub(super) use series::{AdjustControlArgs, AdjustProperty, Direction, ScrollSelector, ScrollToElementArgs};
pub(super) use system::ListPluginsArgs;
pub(super) use waits::{ExpectElementVisibleArgs, ExpectStateArgs, WaitForUiArgs};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::action::{ExpectedState, GuardArgs, Precondition};
use crate::device::Target;

/// Platforms an adapter exists for in the contract; those without one answer `UNSUPPORTED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Platform {
    Android,
    Ios,
}

impl Platform {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Android => "android",
            Self::Ios => "ios",
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetArgs {
    pub platform: Option<Platform>,
    /// Serial or UDID, see list_devices; optional with one device.
    #[schemars(description = "")]
    pub device_id: Option<String>,
}

impl TargetArgs {
    pub(super) fn target(&self) -> Target {
        Target {
            platform: self.platform.map(|platform| platform.as_str().to_owned()),
            device_id: self.device_id.clone(),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GuardMembers {
    /// Send only if the screen is still this.
    pub expected_state: Option<ExpectedState>,
    /// Sent only if these predicates hold.
    #[schemars(description = "")]
    pub precondition: Option<Precondition>,
}

impl GuardMembers {
    pub(super) fn guard(&self) -> GuardArgs {
        GuardArgs { expected: self.expected_state.clone(), precondition: self.precondition.clone() }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct NoArgs {}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct DeviceOnlyArgs {
    #[serde(flatten)]
    pub target: TargetArgs,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchArgs {
    /// From 0.
    #[schemars(range(min = 0, max = 50000))]
    pub index: Option<u32>,
}

/// A whole pixel or point of the display, or a part of it: which of them `space` says.
pub(super) fn coordinate(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "number", "minimum": 0, "maximum": 100_000 })
}
