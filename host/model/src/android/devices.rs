//! `adb devices -l`: which devices are attached, in which state, and what to do about it.

/// A device's state as `adb devices` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// Usable.
    Device,
    /// Any other: `offline`, `unauthorized`, `authorizing`, `no permissions`, `recovery`, `sideload`, …
    Other(String),
}

/// One line of `adb devices -l`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDevice {
    /// Serial; may hold colons, dots and spaces.
    pub serial: String,
    /// State.
    pub state: DeviceState,
    /// `transport_id:` where given.
    pub transport_id: Option<u64>,
    /// `model:` where given.
    pub model: Option<String>,
    /// `product:` where given.
    pub product: Option<String>,
}

/// States adb names in one word, each with its remedy.
const STATES: &[(&str, &str)] = &[
    ("device", "Nothing to do: the device is ready."),
    ("offline", "Reconnect the cable or network (adb reconnect offline), or restart the device."),
    (
        "unauthorized",
        "Unlock the device and accept its USB debugging dialog; if none shows, revoke and re-enable USB debugging.",
    ),
    ("authorizing", "Wait for the connection to be authorised; look for a dialog on the device."),
    ("connecting", "Wait a moment: the connection is being made."),
    ("recovery", "Reboot the device into Android."),
    ("rescue", "Reboot the device into Android."),
    ("sideload", "Finish or cancel the sideload, then reboot the device into Android."),
    ("bootloader", "Reboot the device into Android (fastboot reboot)."),
    ("host", "This is the adb host itself, not a device: connect a device."),
    ("detached", "Attach the device to this adb server (adb attach)."),
    ("unknown", "Unplug the device and plug it in again, or restart adb."),
    ("nodevice", "Unplug the device and plug it in again."),
];

/// adb has two words and an explanation for it: `no permissions (…); see [http://…]`.
const NO_PERMISSIONS: &str = "no permissions";
const NO_PERMISSIONS_REMEDY: &str = "Give your user access to the USB device (udev rules and the plugdev group on Linux), then replug it and restart adb.";
const OTHER_REMEDY: &str = "Check the device and its connection, then list the devices again.";

/// Members adb puts behind the state.
const FIELDS: [&str; 6] = ["usb:", "product:", "model:", "device:", "features:", "transport_id:"];

/// Beginnings of lines that are adb talking, not a device.
const CHATTER: [&str; 7] = ["List of devices", "* ", "adb server", "adb: ", "error:", "- waiting", "ADB server"];

/// Parses `adb devices -l`, whatever server chatter stands around the list.
#[must_use]
pub fn parse_devices(stdout: &str) -> Vec<ListedDevice> {
    let lines = stdout.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(|line| !CHATTER.iter().any(|start| line.starts_with(start))).filter_map(parse_line).collect()
}

/// What to do about a device in this state, in one sentence.
#[must_use]
pub fn state_remedy(state: &DeviceState) -> &'static str {
    let name = match state {
        DeviceState::Device => "device",
        DeviceState::Other(name) if name.starts_with(NO_PERMISSIONS) => {
            return NO_PERMISSIONS_REMEDY;
        }
        DeviceState::Other(name) => name,
    };
    STATES.iter().find(|(known, _)| *known == name).map_or(OTHER_REMEDY, |(_, remedy)| remedy)
}

fn parse_line(line: &str) -> Option<ListedDevice> {
    let fields_at = FIELDS.iter().filter_map(|field| line.find(&format!(" {field}"))).min();
    let (head, fields) = line.split_at(fields_at.unwrap_or(line.len()));
    let (serial, state) = split_state(head.trim(), fields_at.is_some())?;
    let field = |name: &str| field(fields, name);
    Some(ListedDevice {
        serial: serial.to_owned(),
        state: if state == "device" { DeviceState::Device } else { DeviceState::Other(state.to_owned()) },
        transport_id: field("transport_id:").and_then(|id| id.parse().ok()),
        model: field("model:"),
        product: field("product:"),
    })
}

/// Serial and state. The state is found from the right, since a serial may hold spaces:
/// `adb-R5CT-x (2)._adb-tls-connect._tcp device`.
fn split_state(head: &str, has_fields: bool) -> Option<(&str, &str)> {
    let cut = |at: usize| (head[..at].trim_end(), head[at..].trim());
    let split = if let Some((at, _)) = head.match_indices(NO_PERMISSIONS).find(|(at, _)| begins_word(head, *at)) {
        let (serial, state) = cut(at);
        // The explanation may name a URL; the state is the words before it.
        (serial, state.split(['(', ';']).next().unwrap_or(state).trim())
    } else if let Some(tab) = head.find('\t') {
        cut(tab)
    } else {
        let (at, _) = head.char_indices().rfind(|(_, character)| character.is_whitespace())?;
        let (serial, state) = cut(at);
        let known = STATES.iter().any(|(known, _)| *known == state);
        (known || has_fields).then_some((serial, state))?
    };
    (!split.0.is_empty() && !split.1.is_empty()).then_some(split)
}

fn begins_word(text: &str, at: usize) -> bool {
    text[..at].ends_with(char::is_whitespace)
}

/// The value of a member: up to the next member, since a product may hold spaces.
fn field(fields: &str, name: &str) -> Option<String> {
    let start = fields.find(&format!(" {name}"))? + 1 + name.len();
    let rest = &fields[start..];
    let end = FIELDS.iter().filter_map(|field| rest.find(&format!(" {field}"))).min().unwrap_or(rest.len());
    let value = rest[..end].trim();
    (!value.is_empty()).then(|| value.to_owned())
}
