//! What adb says of devices and of itself.

use handset_model::Code;
use handset_model::android::{DeviceState, ListedDevice, classify_adb_error, parse_devices, state_remedy};

use crate::support::{capture_text, captures_dir};

fn listed(file: &str) -> Vec<ListedDevice> {
    parse_devices(&capture_text(&format!("commands/adb_devices/{file}")))
}

fn state(device: &ListedDevice) -> &str {
    match &device.state {
        DeviceState::Device => "device",
        DeviceState::Other(name) => name,
    }
}

#[test]
fn captured_lists_have_their_devices() {
    for (file, devices) in [
        ("awesome-adb_offline.txt", &["aa000a04 offline"][..]),
        ("awesome-adb_usb_emulator_tcp.txt", &["aa000a04 device", "emulator-5554 device", "10.129.164.6:5555 device"]),
        ("gapid_empty_after_daemon_start.txt", &[]),
        ("local29_daemon_start.txt", &[]),
        ("local29_empty.txt", &[]),
        (
            "local29_emulator_and_two_tcp.txt",
            &["127.0.0.1:21001 device", "127.0.0.1:21012 device", "emulator-5556 device"],
        ),
        ("native-run_no_usb_field.txt", &["00000a000000000002 device"]),
        (
            "quern_l_four_states.txt",
            &["emulator-5554 device", "R5CR10XXXXX device", "AAAA1234BBBB unauthorized", "offline-device offline"],
        ),
        ("scrcpy_daemon_start_before_header.txt", &["0123456789abcdef device"]),
        ("scrcpy_mdns_serial_with_spaces.txt", &["adb-0123456789AB-CDdefg (2)._adb-tls-connect._tcp device"]),
        ("scrcpy_no_header.txt", &["0123456789abcdef device"]),
        ("scrcpy_version_mismatch_after_header.txt", &["0123456789abcdef unauthorized", "87654321 device"]),
        ("sharpadb_emulator_product_with_spaces.txt", &["169.254.138.177:5555 offline"]),
        ("sim-use_three_states.txt", &["emulator-5554 device", "A0AA0AAAA08 unauthorized", "emulator-5556 offline"]),
    ] {
        let found: Vec<String> =
            listed(file).iter().map(|device| format!("{} {}", device.serial, state(device))).collect();
        assert_eq!(found, devices, "{file}");
    }
}

#[test]
fn every_state_of_a_long_list_is_read() {
    let states: Vec<String> =
        listed("local29_l_all_states.txt").iter().map(|device| state(device).to_owned()).collect();
    assert_eq!(
        states,
        [
            "device",
            "recovery",
            "sideload",
            "unauthorized",
            "authorizing",
            "offline",
            "device",
            "device",
            "bootloader",
            "rescue"
        ]
    );
    assert_eq!(listed("gapid_all_states_old_daemon_lines.txt").len(), 20);
}

#[test]
fn members_are_read_where_given() {
    let device = listed("scrcpy_mdns_serial_with_spaces.txt").remove(0);
    assert_eq!(
        (device.transport_id, device.model.as_deref(), device.product.as_deref()),
        (Some(3), Some("Pixel_10_Pro"), Some("blazer"))
    );
    let emulator = listed("sharpadb_emulator_product_with_spaces.txt").remove(0);
    assert_eq!(emulator.product.as_deref(), Some("VS Emulator Android Device - 480 x 800"));
    assert_eq!(emulator.transport_id, None);
}

#[test]
fn no_permissions_is_a_state_of_two_words() {
    for line in [
        "0123ABC\tno permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html]",
        "0123ABC                no permissions; see [http://developer.android.com/tools/device.html] usb:1-2 transport_id:4",
        "0123ABC                no permissions (missing udev rules? user is in the plugdev group); see [http://x/] usb:1-2",
    ] {
        let device = parse_devices(&format!("List of devices attached\n{line}\n")).remove(0);
        assert_eq!((device.serial.as_str(), state(&device)), ("0123ABC", "no permissions"), "{line}");
        assert!(state_remedy(&device.state).contains("udev"));
    }
}

#[test]
fn every_state_has_a_remedy() {
    for name in ["offline", "unauthorized", "authorizing", "recovery", "sideload", "no permissions", "something new"] {
        assert!(!state_remedy(&DeviceState::Other(name.into())).is_empty(), "{name}");
    }
}

#[test]
fn captured_errors_are_typed() {
    let offline = Some(Code::DeviceOffline);
    let table = [
        ("awesome-adb_protocol_fault_no_error.txt", offline),
        ("local29_closed_dropped.stderr.txt", offline),
        ("local29_device_offline.stderr.txt", offline),
        ("local29_device_offline_never_answered.stderr.txt", offline),
        ("local29_more_than_one_device_emulator.stderr.txt", Some(Code::AmbiguousDevice)),
        ("local29_more_than_one_emulator.stderr.txt", Some(Code::AmbiguousDevice)),
        ("local29_no_devices.stderr.txt", Some(Code::DeviceNotFound)),
        ("local29_no_emulator.stderr.txt", Some(Code::DeviceNotFound)),
        ("local29_no_usb_device.stderr.txt", Some(Code::DeviceNotFound)),
        ("local29_protocol_fault_status_garbage.stderr.txt", offline),
        ("local29_protocol_fault_success.stderr.txt", offline),
        ("local29_push_protocol_fault_abort.stderr.txt", offline),
        ("local29_serial_not_found.stderr.txt", Some(Code::DeviceNotFound)),
        ("local29_smartsocket_port_in_use.stderr.txt", offline),
        ("local29_unknown_command.stderr.txt", Some(Code::Unsupported)),
        ("local29_usage_devices.stderr.txt", None),
    ];
    for (file, code) in table {
        let text = capture_text(&format!("commands/adb_errors/{file}"));
        assert_eq!(classify_adb_error(&text).map(|failure| failure.code), code, "{file}");
    }
    assert_eq!(std::fs::read_dir(captures_dir().join("commands/adb_errors")).unwrap().count(), table.len());
}

#[test]
fn errors_of_newer_versions_are_typed() {
    for (text, code) in [
        ("adb: device 'x y' not found", Code::DeviceNotFound),
        ("adb.exe: device offline", Code::DeviceOffline),
        ("adb: no devices/emulators found", Code::DeviceNotFound),
        ("adb: more than one device/emulator", Code::AmbiguousDevice),
        ("error: device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", Code::DeviceOffline),
        ("error: device still authorizing", Code::DeviceOffline),
        ("error: no device with transport id '9'", Code::DeviceNotFound),
        ("error: transport '9' not found", Code::DeviceNotFound),
        ("error: insufficient permissions for device: user in plugdev group", Code::DeviceOffline),
        ("adb: error: failed to get feature set: device offline", Code::DeviceOffline),
        ("* cannot connect to daemon at tcp:5037: Connection refused", Code::DeviceOffline),
        ("adb server version (41) doesn't match this client (39); killing...", Code::AdbVersionConflict),
        (
            "adb server version (41) doesn't match this client (39); killing...\nerror: device offline",
            Code::DeviceOffline,
        ),
        // The other server stays, and has the port.
        (
            "adb server version (40) doesn't match this client (41); killing...\nADB server didn't ACK\n* failed to start daemon\nadb: failed to check server version: cannot connect to daemon",
            Code::AdbVersionConflict,
        ),
    ] {
        assert_eq!(classify_adb_error(text).map(|failure| failure.code), Some(code), "{text}");
    }
}

#[test]
fn an_unauthorized_device_gets_the_remedy_of_its_state() {
    let failure = classify_adb_error("error: device unauthorized.").unwrap();
    assert!(failure.remedy.unwrap().contains("USB debugging dialog"));
}

#[test]
fn what_a_program_on_the_device_prints_is_not_adbs() {
    for text in ["", "device offline", "app: more than one device/emulator", "cat: x: No such file or directory"] {
        assert_eq!(classify_adb_error(text), None, "{text}");
    }
}
