//! What a device is and what stands on its screen beside the tree; short questions, one round trip each.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use handset_model::android::{
    ScreenState, parse_keyboard_shown, parse_resumed_activity, parse_screen_state, parse_wm_size, quote,
};
use handset_model::snapshot::ScreenFacts;
use handset_model::ui::{Keyboard, Size};
use handset_model::{Code, Failure};
use tokio::time::Instant;

use super::Android;
use super::read::rotated;
use super::shell::Script;
use crate::budget::Budget;
use crate::device::{DeviceFacts, Leftover, Pinned};

macro_rules! activity_lines {
    () => {
        "$t dumpsys activity activities | grep -E 'ResumedActivity.*/|mFocusedActivity.*/'"
    };
}

macro_rules! window_lines {
    () => {
        "$t dumpsys window | grep -E 'mCurrentFocus|mFocused|Target in display|mObscuringWindow|Window #| ty=|mHasSurface=| layer='"
    };
}

/// Who is in front: a few lines on every Android. `dumpsys activity top` would cost seconds. Where no focus is named, the
/// windows themselves are needed: their headers, kinds, surfaces and layers.
pub(super) const ACTIVITY: &str = concat!(activity_lines!(), " || ", window_lines!());

/// The first half of [`ACTIVITY`].
pub(super) const ACTIVITY_LINES: &str = activity_lines!();

/// The second half of [`ACTIVITY`].
pub(super) const WINDOW_LINES: &str = window_lines!();

/// Whether a status says that a command was ended: 124 of `timeout`, or a signal's. 126 and 127 are a command that is not
/// there.
pub(super) fn was_ended(status: i32) -> bool {
    status == 124 || status > 128
}

/// Whether the keyboard is shown.
pub(super) const KEYBOARD: &str = "$t dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'";

/// Whether the display is on.
pub(super) const POWER: &str = "$t dumpsys power | grep -E 'mWakefulness=|Display Power: state=|mScreenOn='";

/// Whether the display is on and the keyguard in front.
pub(super) const POLICY: &str =
    "$t dumpsys window policy | grep -iE 'keyguard|showing|occluded|lockscreen|screenState|interactiveState|mAwake'";

/// What [`KEYBOARD`] printed.
pub(super) fn keyboard_of(text: &str) -> Option<Keyboard> {
    parse_keyboard_shown(text).map(|shown| Keyboard { shown, bounds: None })
}

/// `getprop` answers in milliseconds; where it does not within this, it hangs, and a connection's facts stay unknown.
const PROPERTIES: Duration = Duration::from_secs(3);

/// Connections remembered at most; the least use of one beyond that is a question asked twice.
const CONNECTIONS: usize = 64;

/// What is known of devices.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) connections: HashMap<(String, u64), Connection>,
}

/// One connection of one device.
#[derive(Debug, Default)]
pub(super) struct Connection {
    facts: Option<DeviceFacts>,
    swept: bool,
    /// A question was answered in it.
    pub(super) met: bool,
    /// What its logcat knows.
    pub(super) logcat: Option<super::logs::LogcatKnows>,
    /// Its physical displays.
    pub(super) displays: Option<Vec<u64>>,
    pub(super) boot_id: Option<String>,
    /// Another device was found in it.
    pub(super) suspect: bool,
    /// Package and activity that were last seen in front.
    front: Option<(String, String)>,
}

impl Known {
    /// The entry of one connection; another connection of the same device forgets the one before.
    pub(super) fn connection(&mut self, device: &Pinned) -> &mut Connection {
        let key = (device.key.id.clone(), device.connection);
        if !self.connections.contains_key(&key) {
            self.connections.retain(|(id, _), _| *id != device.key.id);
            if self.connections.len() >= CONNECTIONS {
                self.connections.clear();
            }
        }
        self.connections.entry(key).or_default()
    }
}

impl Android {
    /// True once per connection, and again after a read that may have left its file.
    pub(super) fn sweeps_now(&self, device: &Pinned) -> bool {
        !std::mem::replace(&mut self.known().connection(device).swept, true)
    }

    /// A read was cut off: its file is to be removed with the next one.
    pub(super) fn sweep_again(&self, device: &Pinned) {
        self.known().connection(device).swept = false;
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Facts, asked once per connection. A device whose `getprop` hangs has none, and is not asked again.
    pub(super) async fn device_facts(&self, device: &Pinned, budget: &Budget) -> Result<DeviceFacts, Failure> {
        if let Some(facts) = self.known().connection(device).facts.clone() {
            return Ok(facts);
        }
        let property = |name: &str| format!("echo \"=$(getprop {name})\"");
        let script = Script::new()
            .part("release", &property("ro.build.version.release"))
            .part("sdk", &property("ro.build.version.sdk"))
            .part("model", &property("ro.product.model"))
            .part("qemu", "getprop ro.kernel.qemu; getprop ro.boot.qemu; getprop ro.build.characteristics");
        let asked = self.ask(device, &script, "asking the device for its properties", &budget.child(PROPERTIES)).await;
        let facts = match asked {
            Ok(reply) => DeviceFacts {
                os_version: value(&reply.text("release")),
                model: value(&reply.text("model")),
                simulator: reply
                    .text("qemu")
                    .lines()
                    .any(|line| line.trim() == "1" || line.split(',').any(|kind| kind.trim() == "emulator")),
                sdk: value(&reply.text("sdk")).parse().ok(),
            },
            Err(failure) if failure.code == Code::Timeout && budget.check().is_ok() => {
                tracing::warn!("the device did not tell its properties in time; they stay unknown in this connection");
                DeviceFacts::default()
            }
            Err(failure) => return Err(failure),
        };
        self.known().connection(device).facts = Some(facts.clone());
        Ok(facts)
    }

    pub(super) async fn screen_facts(&self, device: &Pinned, budget: &Budget) -> Result<ScreenFacts, Failure> {
        let script = Script::new().bounding().part("activity", ACTIVITY);
        let reply = self.ask(device, &script, "asking which app is in front", budget).await?;
        let Some((package, activity)) = parse_resumed_activity(&reply.text("activity")) else {
            self.answers(device, budget).await?;
            return Ok(ScreenFacts::default());
        };
        Ok(ScreenFacts { package: Some(package), activity: Some(activity) })
    }

    /// Nothing in front is an answer only of a service that answers.
    async fn answers(&self, device: &Pinned, budget: &Budget) -> Result<(), Failure> {
        let script = Script::new().bounding().part("answers", "$t dumpsys activity activities >/dev/null 2>&1");
        let reply = self.ask(device, &script, "asking which app is in front", budget).await?;
        match reply.part("answers") {
            Some((_, status)) if was_ended(status) => {
                Err(Failure::new(Code::Timeout, "the device's activity service did not answer within 2 s")
                    .with_remedy("Try again in a moment; if it persists, the device hangs: restart it."))
            }
            _ => Ok(()),
        }
    }

    /// The window manager's current size, which knows rotation and override; else `wm size`, turned as the input system says.
    pub(super) async fn display_size(&self, device: &Pinned, budget: &Budget) -> Result<Size, Failure> {
        let script = Script::new()
            .bounding()
            .part("size", "$t wm size 2>&1")
            .part("current", "$t dumpsys window displays | grep cur=")
            .part("turned", "$t dumpsys input | grep SurfaceOrientation");
        let reply = self.ask(device, &script, "asking for the display's size", budget).await?;
        if let Some(size) = current(&reply.text("current")) {
            return Ok(size);
        }
        let turned = reply.text("turned");
        let turns = turned.lines().next().and_then(|line| line.rsplit(':').next()?.trim().parse().ok()).unwrap_or(0);
        parse_wm_size(&reply.text("size")).map(|size| rotated(size, turns)).ok_or_else(|| {
            Failure::new(
                Code::Unsupported,
                format!(
                    "this needs a display whose size the device tells (wm size); it said {:?}",
                    super::shell::last_line(&reply.text("size"))
                ),
            )
        })
    }

    pub(super) async fn is_installed(&self, device: &Pinned, app_id: &str, budget: &Budget) -> Result<bool, Failure> {
        let package = super::launch::component(app_id)?.0;
        let script = Script::new().part("path", &format!("pm path {} 2>&1", quote(package)));
        let reply = self.ask(device, &script, "asking whether the app is installed", budget).await?;
        Ok(reply.text("path").lines().any(|line| line.starts_with("package:")))
    }

    /// Whether `logcat` gives a line; the line itself is nobody's.
    pub(super) async fn gives_log(&self, device: &Pinned, budget: &Budget) -> Result<bool, Failure> {
        let script = Script::new().bounding().part("log", "$t logcat -d -t 1 2>/dev/null | grep -c .");
        let reply = self.ask(device, &script, "asking for a line of the log", budget).await?;
        Ok(reply.answer("log").parse::<u64>().is_ok_and(|lines| lines > 0))
    }

    /// What a read may say of the app in front. One that could not be asked stays as it was, as long as the tree is of that
    /// app: the activity is part of the fingerprint and the signature, and must not come and go with a slow service.
    pub(super) fn in_front(&self, device: &Pinned, said: Option<(String, String)>, shown: Option<&str>) -> ScreenFacts {
        let mut known = self.known();
        let front = &mut known.connection(device).front;
        let (package, activity) = match said {
            Some(said) => front.insert(said).clone(),
            None => match front {
                Some(last) if Some(last.0.as_str()) == shown => last.clone(),
                _ => return ScreenFacts::default(),
            },
        };
        ScreenFacts { package: Some(package), activity: Some(activity) }
    }

    /// `kill -0` for a dump or an input whose pid came through or was written down; for others, time alone.
    pub(super) async fn leftover_is_over(&self, device: &Pinned, leftover: &Leftover, budget: &Budget) -> bool {
        let alive = match (leftover.pid, &leftover.note) {
            (Some(pid), _) => format!("kill -0 {pid} 2>/dev/null"),
            (None, Some(note)) if Instant::now() >= note.due => {
                format!("a=1; for n in {}; do read p <$n && kill -0 $p && a=0; done 2>/dev/null; [ $a = 0 ]", note.path)
            }
            (None, Some(_)) => return false,
            (None, None) => return Instant::now() >= leftover.until,
        };
        let script = Script::new().part("alive", &alive);
        let over = async |device: &Pinned| {
            let reply = self.ask(device, &script, "asking whether earlier work is over", budget).await.ok()?;
            reply.part("alive").map(|(_, status)| status != 0)
        };
        match over(device).await {
            Some(over) => over,
            // Over a connection that is gone for good nothing can be asked: the device may have another one now.
            None => match self.connected_anew(device, budget).await {
                Some(anew) => over(&anew).await.unwrap_or(false),
                // What cannot be asked is bounded by time.
                None => false,
            },
        }
    }

    /// The connection a device has now, where that is another one.
    async fn connected_anew(&self, device: &Pinned, budget: &Budget) -> Option<Pinned> {
        let listed = self.devices(budget).await.ok()?.into_iter().find(|listed| listed.id == device.key.id)?;
        (listed.usable && listed.connection != device.connection)
            .then(|| Pinned { connection: listed.connection, ..device.clone() })
    }

    pub(super) async fn screen_state(&self, device: &Pinned, budget: &Budget) -> Result<ScreenState, Failure> {
        let script = Script::new().bounding().part("power", POWER).part("policy", POLICY);
        let reply = self.ask(device, &script, "asking whether the display is on", budget).await?;
        Ok(parse_screen_state(&format!("{}\n{}", reply.text("power"), reply.text("policy"))))
    }
}

/// What follows the `=`, without what a linker says as the command starts.
pub(super) fn value(text: &str) -> String {
    let (_, text) = text.rsplit_once("\n=").or_else(|| text.split_once('=')).unwrap_or_default();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.starts_with("WARNING: "));
    lines.next_back().unwrap_or_default().to_owned()
}

/// `cur=1080x2400`.
pub(super) fn current(text: &str) -> Option<Size> {
    let (width, height) = text.split_once("cur=")?.1.split_once('x')?;
    let digits = |text: &str| {
        text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok().filter(|pixels| *pixels > 0)
    };
    Some(Size { width: digits(width)?, height: digits(height)? })
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn a_linkers_warning_is_no_property() {
        const WARNING: &str = "WARNING: linker: libdvm.so has text relocations. This is wasting memory";
        assert_eq!(value("=Pixel 8"), "Pixel 8");
        assert_eq!(value(&format!("{WARNING}\r\n=Pixel = 8")), "Pixel = 8");
        assert_eq!(value(&format!("={WARNING}\n14")), "14");
        assert_eq!(value("="), "");
        assert_eq!(value(WARNING), "");
    }
}
