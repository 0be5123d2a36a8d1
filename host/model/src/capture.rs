//! A captured output of a device, whatever its encoding, by the kind it is said to be.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::Failure;
use crate::android::{
    DeviceState, no_capture, parse_activities, parse_devices, parse_getprop, parse_windows, state_remedy,
};
use crate::logs::{TimeBase, parse_logcat};

/// What a capture is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    /// `logcat`, in any format; a tombstone or a trace.
    Logcat,
    /// `dumpsys activity`.
    Activity,
    /// `dumpsys window`.
    Window,
    /// `adb devices`.
    Devices,
    /// `getprop`.
    Getprop,
}

/// Bytes of a capture.
pub const MAX_CAPTURE_BYTES: usize = 64 << 20;

/// As text: UTF-8, or the UTF-16 that a redirection of Windows' PowerShell writes; with or without a mark.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        // No mark, but every other of the first bytes is nothing.
        [first, 0, second, 0, third, 0, ..] if [first, second, third].iter().all(|byte| **byte != 0) => {
            units(bytes, u16::from_le_bytes)
        }
        _ => String::from_utf8_lossy(bytes),
    }
}

/// Reads a capture.
///
/// # Errors
/// A typed failure for what is not of that kind, adb's own errors among it; never an empty success.
pub fn parse_capture(kind: CaptureKind, bytes: &[u8]) -> Result<Value, Failure> {
    if bytes.len() > MAX_CAPTURE_BYTES {
        return Err(Failure::argument("FILE", format!("the capture is larger than {MAX_CAPTURE_BYTES} bytes")));
    }
    let text = decode(bytes);
    match kind {
        CaptureKind::Logcat => logcat(&text),
        CaptureKind::Activity => parse_activities(&text).map(|found| found.to_json()),
        CaptureKind::Window => parse_windows(&text).map(|found| found.to_json()),
        CaptureKind::Devices => devices(&text),
        CaptureKind::Getprop => getprop(&text),
    }
}

fn logcat(text: &str) -> Result<Value, Failure> {
    let log = parse_logcat(text)?;
    let base = TimeBase::default();
    let entries: Vec<Value> = log
        .entries
        .iter()
        .map(|entry| {
            let mut shown = entry.to_json(&base);
            if let (Some(time), Value::Object(members)) = (entry.time, &mut shown) {
                members.insert("time".into(), json!(time.to_string()));
            }
            shown
        })
        .collect();
    let crashes: Vec<Value> = log.crashes.iter().map(|crash| crash.to_json(&log.entries, &base)).collect();
    Ok(json!({
        "format": log.format.map(|format| format.as_str()),
        "count": entries.len(),
        "buffers": log.buffers,
        "unparsed_lines": log.strangers,
        "crashes": crashes,
        "entries": entries,
    }))
}

/// A list with its heading, or lines that can be nothing else.
fn devices(text: &str) -> Result<Value, Failure> {
    let listed = parse_devices(text);
    let headed = text.lines().any(|line| line.trim_start().starts_with("List of devices"));
    if !headed {
        if let Some(failure) = crate::android::classify_adb_error(text) {
            return Err(failure);
        }
        let known = |state: &DeviceState| !state_remedy(state).starts_with("Check the device");
        let lines = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with(['*', '-']) && !line.starts_with("adb"))
            .count();
        let own = |state: &DeviceState| known(state) || *state == DeviceState::Device;
        if listed.is_empty() || listed.len() < lines || !listed.iter().all(|device| own(&device.state)) {
            return Err(no_capture("device list", "`adb devices` or `adb devices -l`", text));
        }
    }
    let shown: Vec<Value> = listed
        .iter()
        .map(|device| {
            let (state, usable) = match &device.state {
                DeviceState::Device => ("device", true),
                DeviceState::Other(state) => (state.as_str(), false),
            };
            let remedy = (!usable).then(|| state_remedy(&device.state));
            json!({
                "id": device.serial,
                "state": state,
                "usable": usable,
                "model": device.model,
                "product": device.product,
                "transport_id": device.transport_id,
                "remedy": remedy,
            })
        })
        .collect();
    Ok(json!({ "count": shown.len(), "devices": shown }))
}

fn getprop(text: &str) -> Result<Value, Failure> {
    if let Some(failure) = crate::android::classify_adb_error(text) {
        return Err(failure);
    }
    let properties = parse_getprop(text);
    // A name is one word; JSON and other brackets are not.
    let named = |name: &String| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
    if properties.is_empty() || !properties.keys().all(named) {
        return Err(no_capture("list of properties", "`adb shell getprop`", text));
    }
    let value = |name: &str| properties.get(name).filter(|value| !value.is_empty());
    Ok(json!({
        "count": properties.len(),
        "device": {
            "model": value("ro.product.model"),
            "manufacturer": value("ro.product.manufacturer"),
            "osVersion": value("ro.build.version.release"),
            "sdk": value("ro.build.version.sdk").and_then(|sdk| sdk.parse::<u32>().ok()),
            "abi": value("ro.product.cpu.abi"),
            "simulator": value("ro.kernel.qemu").or_else(|| value("ro.boot.qemu")).is_some_and(|value| value == "1"),
        },
        "properties": properties,
    }))
}
