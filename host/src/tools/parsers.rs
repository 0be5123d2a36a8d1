//! What reads a tool's arguments, as functions of any bytes with what it promises.

use handset_model::parsers::{Promise, promised, sound};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args;
use super::schema::nearest;
use super::table::{TOOLS, find};

/// By the names of their fuzz targets.
pub(crate) const PARSERS: &[(&str, Promise)] = &[("tool_arguments", arguments), ("tool_name", name)];

/// What a schema lets through, the argument type takes.
fn taken<T: DeserializeOwned>(value: &Value) -> Result<(), String> {
    serde_json::from_value::<T>(value.clone()).map(drop).map_err(|why| why.to_string())
}

type Taken = fn(&Value) -> Result<(), String>;

/// Each tool's argument type, as its handler reads it.
const TAKEN: &[(&str, Taken)] = &[
    ("accept_dialog", taken::<args::DialogArgs>),
    ("adjust_control", taken::<args::AdjustControlArgs>),
    ("boot_device", taken::<args::BootArgs>),
    ("build_and_install", taken::<args::BuildAndInstallArgs>),
    ("build_app", taken::<args::BuildAppArgs>),
    ("capture_debug_snapshot", taken::<args::CaptureDebugSnapshotArgs>),
    ("capture_screenshot", taken::<args::CaptureScreenshotArgs>),
    ("classify_action_outcome", taken::<args::ClassifyActionOutcomeArgs>),
    ("dismiss_dialog", taken::<args::DialogArgs>),
    ("double_tap", taken::<args::DoubleTapArgs>),
    ("drag", taken::<args::DragArgs>),
    ("expect_element_visible", taken::<args::ExpectElementVisibleArgs>),
    ("expect_screen", taken::<args::ExpectScreenArgs>),
    ("expect_state", taken::<args::ExpectStateArgs>),
    ("find_element", taken::<args::FindElementArgs>),
    ("get_clipboard", taken::<args::DeviceOnlyArgs>),
    ("get_current_screen", taken::<args::DeviceOnlyArgs>),
    ("get_logs", taken::<args::GetLogsArgs>),
    ("get_network_activity", taken::<args::DeviceOnlyArgs>),
    ("get_readiness", taken::<args::GetReadinessArgs>),
    ("get_screen_fingerprint", taken::<args::DeviceOnlyArgs>),
    ("get_system_status", taken::<args::NoArgs>),
    ("get_ui_tree", taken::<args::GetUiTreeArgs>),
    ("grant_permission", taken::<args::PermissionArgs>),
    ("hide_keyboard", taken::<args::BareInputArgs>),
    ("install_app", taken::<args::InstallAppArgs>),
    ("list_devices", taken::<args::ListDevicesArgs>),
    ("list_plugins", taken::<args::ListPluginsArgs>),
    ("long_press", taken::<args::LongPressArgs>),
    ("open_url", taken::<args::OpenUrlArgs>),
    ("pinch", taken::<args::PinchArgs>),
    ("press_back", taken::<args::BareInputArgs>),
    ("press_key", taken::<args::PressKeyArgs>),
    ("read_log_stream", taken::<args::ReadLogStreamArgs>),
    ("reload_plugins", taken::<args::NoArgs>),
    ("reset_app_data", taken::<args::AppArgs>),
    ("restart_app", taken::<args::StartAppArgs>),
    ("revoke_permission", taken::<args::PermissionArgs>),
    ("run_journey", taken::<args::RunJourneyArgs>),
    ("scroll_to_element", taken::<args::ScrollToElementArgs>),
    ("set_clipboard", taken::<args::SetClipboardArgs>),
    ("set_location", taken::<args::SetLocationArgs>),
    ("set_orientation", taken::<args::SetOrientationArgs>),
    ("shutdown_device", taken::<args::DeviceOnlyArgs>),
    ("start_app", taken::<args::StartAppArgs>),
    ("start_log_stream", taken::<args::StartLogStreamArgs>),
    ("stop_log_stream", taken::<args::StopLogStreamArgs>),
    ("swipe", taken::<args::SwipeArgs>),
    ("tap", taken::<args::TapArgs>),
    ("tap_element", taken::<args::TapElementArgs>),
    ("terminate_app", taken::<args::AppArgs>),
    ("type_text", taken::<args::TypeTextArgs>),
    ("wait_for_readiness", taken::<args::WaitForReadinessArgs>),
    ("wait_for_screen_change", taken::<args::WaitForScreenChangeArgs>),
    ("wait_for_ui", taken::<args::WaitForUiArgs>),
    ("wait_for_ui_change", taken::<args::WaitForUiChangeArgs>),
];

/// A tool's name, a line end, and JSON: refused by a member that is named, or taken whole.
fn arguments(bytes: &[u8]) -> Result<bool, String> {
    let cut = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (name, json) = bytes.split_at(cut);
    // Another name is another tool: bytes that are none would try nothing.
    let index = name.iter().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    let named = std::str::from_utf8(name).ok().and_then(find);
    let Some(tool) = named.or_else(|| TOOLS.get(index % TOOLS.len())) else { return Ok(false) };
    let Ok(mut value) = serde_json::from_slice::<Value>(json) else { return Ok(false) };
    if let Err(failure) = tool.check(&mut value) {
        let member = failure.member.as_deref().unwrap_or_default();
        promised(!member.is_empty(), || format!("{}: no member is named: {failure:?}", tool.name))?;
        return sound(&failure).map(|()| false);
    }
    let Some((_, taken)) = TAKEN.iter().find(|(name, _)| *name == tool.name) else {
        return Err(format!("the arguments of {} are in no table here", tool.name));
    };
    taken(&value).map_err(|why| format!("{}: the schema lets {value} through, its type does not: {why}", tool.name))?;
    let before = value.clone();
    tool.check(&mut value)
        .map_err(|failure| format!("{}: {before} is refused the second time: {failure:?}", tool.name))?;
    promised(value == before, || format!("{}: {before} became {value}", tool.name))?;
    Ok(true)
}

/// Tools that could be meant by a name.
fn name(bytes: &[u8]) -> Result<bool, String> {
    let name = String::from_utf8_lossy(bytes);
    let near = nearest(&name, TOOLS.iter().map(|tool| tool.name));
    promised(near.len() <= 5 && near.iter().all(|name| find(name).is_some()), || format!("{near:?}"))?;
    let exact = find(&name);
    promised(exact.is_none_or(|tool| near.first().is_some_and(|first| first == tool.name)), || format!("{near:?}"))?;
    Ok(exact.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_its_arguments_here() {
        let known: Vec<&str> = TAKEN.iter().map(|(name, _)| *name).collect();
        assert_eq!(known, TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>());
    }
}
