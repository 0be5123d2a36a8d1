//! The device itself: its screen's orientation, its place, its clipboard, its end.

use handset_model::android::{parse_wm_size, quote};
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::super::Android;
use super::super::shell::{Script, last_line};
use super::{Plan, Work, users};
use crate::budget::Budget;
use crate::device::{Orientation, Pinned};

impl Android {
    /// Two settings of the user in front: whether the sensor decides, and the rotation where it does not. An app that holds
    /// an orientation of its own keeps it.
    pub(super) async fn orient(&self, device: &Pinned, wanted: Orientation, budget: &Budget) -> Result<Plan, Failure> {
        let get = |name: &str| format!("settings --user $u get system {name} 2>&1");
        let script = users::asking(Script::new(), None)
            .part("auto", &get("accelerometer_rotation"))
            .part("rotation", &get("user_rotation"))
            .part("size", "wm size 2>&1");
        let reply = self.ask(device, &script, "asking how its screen is held", budget).await?;
        let user = users::asked(&reply, None)?;
        let sideways = parse_wm_size(&reply.text("size")).is_some_and(|size| size.width > size.height);
        let put = |name: &str, value: u32| format!("settings --user {user} put system {name} {value}");
        let line = match rotation(wanted, sideways) {
            None => put("accelerometer_rotation", 1),
            Some(turns) => {
                let both = format!("{} && {}", put("accelerometer_rotation", 0), put("user_rotation", turns));
                format!("sh -c {}", quote(&both))
            }
        };
        let before = named(&reply.answer("auto"), &reply.answer("rotation"), sideways);
        Ok(Plan::shell(line).noting("user", json!(user)).noting("before", before))
    }

    /// `adb emu`: the emulator's console takes it. Its port is in the serial.
    pub(super) fn console(&self, device: &Pinned, words: &[&str]) -> Result<Plan, Failure> {
        let serial = device.key.id.as_str();
        if !is_emulator(serial) {
            return Err(Failure::new(
                Code::Unsupported,
                format!("this needs an emulator with a console (emulator-NNNN in list_devices); {serial:?} is none"),
            )
            .with_remedy("Use an emulator, or do it on the device by hand."));
        }
        let words = ["-s", serial, "emu"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        Ok(Plan { work: Work::Console(words), notes: serde_json::Map::new() })
    }

    /// Android has no shell command for the clipboard, and since Android 10 only the app in front may read it. What the
    /// device itself says of such a command is told.
    pub(in super::super) async fn clipboard_need(&self, device: &Pinned, budget: &Budget) -> Failure {
        let script = Script::new().bounding().part("clipboard", "$t cmd clipboard 2>&1");
        match self.ask(device, &script, "asking for a clipboard command", budget).await {
            Ok(reply) => {
                let said = last_line(&reply.text("clipboard"));
                Failure::new(
                    Code::Unsupported,
                    format!(
                        "this needs a shell command for the clipboard, which Android has not; the device says {said:?}"
                    ),
                )
                .with_remedy("Type the text with type_text, or read it from the screen with get_ui_tree.")
            }
            Err(failure) => failure,
        }
    }
}

/// Whether a serial is that of an emulator's console.
pub(in super::super) fn is_emulator(serial: &str) -> bool {
    serial.strip_prefix("emulator-").is_some_and(|port| port.parse::<u16>().is_ok())
}

/// Quarter turns from how the device is built, as the framework has them where nothing is configured otherwise; `None`
/// where the sensor decides.
fn rotation(wanted: Orientation, sideways: bool) -> Option<u32> {
    Some(match (wanted, sideways) {
        (Orientation::Auto, _) => return None,
        (Orientation::Portrait, false) | (Orientation::Landscape, true) => 0,
        (Orientation::Landscape, false) | (Orientation::ReversePortrait, true) => 1,
        (Orientation::ReversePortrait, false) | (Orientation::ReverseLandscape, true) => 2,
        (Orientation::ReverseLandscape, false) | (Orientation::Portrait, true) => 3,
    })
}

/// What was in force, by the names the tool takes; null where the device does not tell.
fn named(auto: &str, turns: &str, sideways: bool) -> Value {
    const ALL: [(Orientation, &str); 4] = [
        (Orientation::Portrait, "portrait"),
        (Orientation::Landscape, "landscape"),
        (Orientation::ReversePortrait, "reverse-portrait"),
        (Orientation::ReverseLandscape, "reverse-landscape"),
    ];
    match (auto, turns.parse()) {
        ("1", _) => json!("auto"),
        ("0", Ok(turns)) => {
            json!(ALL.iter().find(|(one, _)| rotation(*one, sideways) == Some(turns)).map(|(_, name)| name))
        }
        // Never set since the device was new: upright.
        ("0", Err(_)) => json!(if sideways { "landscape" } else { "portrait" }),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tablet_is_built_sideways() {
        assert_eq!(
            (rotation(Orientation::Portrait, false), rotation(Orientation::Landscape, false)),
            (Some(0), Some(1))
        );
        assert_eq!((rotation(Orientation::Portrait, true), rotation(Orientation::Landscape, true)), (Some(3), Some(0)));
        for sideways in [false, true] {
            for (turns, name) in [("0", true), ("1", false), ("2", true), ("3", false)] {
                let upright = named("0", turns, sideways).as_str().is_some_and(|name| name.contains("portrait"));
                assert_eq!(upright, name != sideways, "{turns} {sideways}");
            }
        }
        assert_eq!((named("1", "3", false), named("null", "x", false)), (json!("auto"), Value::Null));
    }

    #[test]
    fn only_a_consoles_port_makes_an_emulator() {
        assert!(is_emulator("emulator-5554"));
        for other in ["emulator-", "emulator-x", "192.168.56.101:5555", "emulator-5554 ", "R5CT"] {
            assert!(!is_emulator(other), "{other}");
        }
    }
}
