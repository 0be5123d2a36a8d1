//! The tools: how each looks at a device, what it sends, and arguments that work on the login screen.

use serde_json::{Value, json};

/// When a tool looks at the device, and what it does with what it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// One tree, read until it is whole, is the answer.
    Once,
    /// Trees until they show what is waited for.
    Until,
    /// No tree: a question to the device.
    Asks,
    /// A tree that resolves the target of an input.
    ToAim,
    /// A guard's tree, right before an input.
    ToGuard,
    /// A tree after an input, as its evidence.
    Afterwards,
    /// None: a command alone.
    Never,
}

/// What a tool does to the device, as the phone's journal has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sends {
    /// First words of the command that does it.
    pub(super) command: &'static str,
    /// Whether the journal of inputs has it too.
    pub(super) touches: bool,
}

const INPUT: Option<Sends> = Some(Sends { command: "input", touches: true });
const START: Option<Sends> = Some(Sends { command: "am start", touches: false });

/// One way of calling a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) tool: &'static str,
    pub(super) looks: Looks,
    pub(super) sends: Option<Sends>,
    /// What is said where the screen does not show what the tool is after.
    pub(super) absent: &'static str,
    arguments: &'static str,
}

const fn looking(tool: &'static str, looks: Looks, absent: &'static str, arguments: &'static str) -> Row {
    Row { tool, looks, sends: None, absent, arguments }
}

const fn acting(tool: &'static str, looks: Looks, sends: Option<Sends>, arguments: &'static str) -> Row {
    Row { tool, looks, sends, absent: "ELEMENT_NOT_FOUND", arguments }
}

const fn sending(command: &'static str) -> Option<Sends> {
    Some(Sends { command, touches: false })
}

const APP: &str = r#"{"appId": "com.example.login"}"#;
const CAMERA: &str = r#"{"appId": "com.example.login", "permission": "android.permission.CAMERA"}"#;
const APK: &str = concat!(r#"{"appPath": ""#, env!("CARGO_MANIFEST_DIR"), r#"/../fixtures/apks/tiny.apk"}"#);
const POINT: &str = r#"{"x": 540, "y": 350}"#;
const STROKE: &str = r#"{"x1": 540, "y1": 2000, "x2": 540, "y2": 1500, "duration": 60}"#;
const TYPED: &str = r#"{"text": "abc"}"#;

/// Every tool that observes or acts, inputs with a guard and without. A guarded tap_element that fails does so at its target,
/// as one without a guard; what its guard's own read meets is in `guard`. A tool that is listed and not here fails [`super::every_tool_is_in_the_table`].
pub(super) const ROWS: [Row; 19] = [
    looking("get_ui_tree", Looks::Once, "", "{}"),
    looking("get_screen_fingerprint", Looks::Once, "", "{}"),
    looking("get_readiness", Looks::Once, "", r#"{"samples": 1}"#),
    looking("get_current_screen", Looks::Asks, "", "{}"),
    looking("wait_for_ui", Looks::Until, "TIMEOUT", r#"{"selector": {"text": "Sign in"}}"#),
    looking("expect_element_visible", Looks::Until, "ASSERTION_TIMEOUT", r#"{"selector": {"text": "Sign in"}}"#),
    looking(
        "expect_state",
        Looks::Until,
        "ELEMENT_NOT_FOUND",
        r#"{"selector": {"resource_id": "remember"}, "property": "enabled", "expected": true}"#,
    ),
    looking("wait_for_readiness", Looks::Until, "TIMEOUT", "{}"),
    acting("tap_element", Looks::ToAim, INPUT, r#"{"selector": {"resource_id": "remember"}}"#),
    acting("run_journey", Looks::ToAim, INPUT, r#"{"selector": {"resource_id": "remember"}}"#),
    acting("tap", Looks::ToGuard, INPUT, POINT),
    acting("swipe", Looks::ToGuard, INPUT, STROKE),
    acting("type_text", Looks::ToGuard, INPUT, TYPED),
    acting("press_back", Looks::ToGuard, INPUT, "{}"),
    acting("tap", Looks::Afterwards, INPUT, POINT),
    acting("swipe", Looks::Afterwards, INPUT, STROKE),
    acting("type_text", Looks::Afterwards, INPUT, TYPED),
    acting("press_back", Looks::Afterwards, INPUT, "{}"),
    acting("start_app", Looks::Afterwards, START, r#"{"appId": "com.example.login"}"#),
];

/// Tools whose ways to the device are those of a row above: they are struck by [`super::FEW`] alone.
pub(super) const MORE: &[Row] = &[
    looking("find_element", Looks::Until, "ELEMENT_NOT_FOUND", r#"{"query": "Sign in"}"#),
    looking("expect_screen", Looks::Once, "", r#"{"screen": ".MainActivity"}"#),
    looking("wait_for_screen_change", Looks::Until, "NAVIGATION_NO_CHANGE", r#"{"previousFingerprint": "another"}"#),
    looking("wait_for_ui_change", Looks::Until, "TIMEOUT", "{}"),
    looking("get_logs", Looks::Asks, "", "{}"),
    acting("restart_app", Looks::Afterwards, START, APP),
    acting("terminate_app", Looks::Never, sending("am force-stop"), APP),
    acting("reset_app_data", Looks::Never, sending("pm clear"), APP),
    acting("grant_permission", Looks::Never, sending("pm grant"), CAMERA),
    acting("revoke_permission", Looks::Never, sending("pm revoke"), CAMERA),
    acting("open_url", Looks::Never, START, r#"{"url": "simphone:a"}"#),
    acting("set_orientation", Looks::Never, sending("settings --user 0 put"), r#"{"orientation": "auto"}"#),
    acting("install_app", Looks::Never, sending("cmd package install"), APK),
    looking("get_network_activity", Looks::Asks, "", "{}"),
    looking("capture_screenshot", Looks::Asks, "", "{}"),
    acting("long_press", Looks::ToAim, INPUT, r#"{"selector": {"resource_id": "remember"}}"#),
    acting("drag", Looks::Afterwards, INPUT, STROKE),
    acting("press_key", Looks::Afterwards, INPUT, r#"{"key": "tab"}"#),
];

/// Tools whose inputs follow from what the screen shows after each: how faults meet them is in `tools::series`.
pub(super) const APART: &[&str] = &["adjust_control", "scroll_to_element"];

/// Tools that are about the server itself, or about all devices: no device's fault is theirs. And inputs that are no one
/// input here: double_tap is two, hide_keyboard and pinch none on this screen; they are struck in `tools::gestures` and
/// `tools::keys`.
pub(super) const ELSEWHERE: &[&str] = &[
    "build_app",
    // It is install_app once there is something to install.
    "build_and_install",
    "list_devices",
    "list_plugins",
    "reload_plugins",
    "get_system_status",
    "classify_action_outcome",
    // Their parts are asked for as those of the tools above, and each that fails is named beside the others.
    "capture_debug_snapshot",
    "start_log_stream",
    // What a stream kept is here.
    "read_log_stream",
    "stop_log_stream",
    "double_tap",
    "hide_keyboard",
    // As tap_element, on a screen of their own.
    "accept_dialog",
    "dismiss_dialog",
    "pinch",
    // They need an emulator, or a clipboard that Android has not.
    "boot_device",
    "get_clipboard",
    "set_clipboard",
    "set_location",
    "shutdown_device",
];

/// How long a call is given for whatever it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Its answer comes when this is over.
    Short,
    /// Its answer comes long before.
    Long,
}

impl Patience {
    const fn ms(self) -> u32 {
        match self {
            Self::Short => 2_500,
            Self::Long => 30_000,
        }
    }
}

impl Row {
    /// The row's name in what a test says.
    pub(super) fn label(&self) -> String {
        if self.looks == Looks::ToGuard { format!("guarded {}", self.tool) } else { self.tool.to_owned() }
    }

    /// The command on the device that its first look, or its input where it looks only afterwards, comes down to.
    pub(super) fn first_command(&self) -> &'static str {
        match (self.looks, self.sends) {
            _ if matches!(self.tool, "get_logs" | "get_network_activity") => "logcat",
            _ if self.tool == "capture_screenshot" => "screencap",
            (Looks::Afterwards | Looks::Never, Some(sends)) => sends.command,
            (Looks::Asks, _) => "dumpsys",
            _ => "dump",
        }
    }

    /// The whole call. A light verification, so that an acting tool also looks afterwards.
    pub(super) fn arguments(&self, device: &str, baseline: &Value, patience: Patience) -> Value {
        let mut arguments: Value = serde_json::from_str(self.arguments).unwrap();
        let ms = patience.ms();
        let mut put = |name: &str, value: Value| arguments[name] = value;
        match (self.tool, self.looks) {
            ("wait_for_readiness" | "find_element" | "wait_for_screen_change", _) => put("timeoutMs", json!(ms)),
            // On a screen that rests it waits in vain, which is no error.
            ("wait_for_ui_change", _) => put("timeout_ms", json!(Patience::Short.ms())),
            // All of its time in one: finding the device and asking it come first.
            ("install_app", _) => put("timeoutMs", json!(4 * ms)),
            (_, Looks::Until) => {
                put("timeout_ms", json!(ms));
                put("poll_interval_ms", json!(2_000));
            }
            (_, Looks::ToAim | Looks::ToGuard | Looks::Afterwards) => {
                put("verificationMode", json!("light"));
                put("actionTimeoutMs", json!(ms));
                put("verificationTimeoutMs", json!(ms));
            }
            _ => {}
        }
        if self.looks == Looks::ToGuard {
            let mut expected = baseline.clone();
            expected["timeoutMs"] = json!(ms);
            put("expectedState", expected);
        }
        if self.tool == "run_journey" {
            put("id", json!("only"));
            put("type", json!("tap"));
            arguments = json!({ "steps": [arguments] });
        }
        arguments["platform"] = json!("android");
        arguments["deviceId"] = json!(device);
        arguments
    }
}
