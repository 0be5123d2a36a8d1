//! What a device is and what stands on its screen beside the tree; short questions, one round trip each.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};

use handset_model::android::{ScreenState, parse_resumed_activity, parse_screen_state, parse_wm_size, quote};
use handset_model::snapshot::ScreenFacts;
use handset_model::ui::Size;
use handset_model::{Code, Failure};
use tokio::time::Instant;

use super::Android;
use super::read::rotated;
use super::shell::Script;
use crate::budget::Budget;
use crate::device::{DeviceFacts, Leftover, Pinned};

/// Who is in front: a few lines on every Android. `dumpsys activity top` would cost seconds.
pub(super) const ACTIVITY: &str = "dumpsys activity activities | grep -E 'ResumedActivity|mFocusedActivity' || dumpsys window | grep -E 'mCurrentFocus|mFocused|Target in display|mObscuringWindow'";

/// Whether the keyboard is shown.
pub(super) const KEYBOARD: &str = "dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'";

/// Connections remembered at most; the least use of one beyond that is a question asked twice.
const CONNECTIONS: usize = 64;

/// What is known of each connection.
pub(super) type Known = HashMap<(String, u64), Connection>;

/// One connection of one device.
#[derive(Debug, Default)]
pub(super) struct Connection {
    facts: Option<DeviceFacts>,
    swept: bool,
    pub(super) boot_id: Option<String>,
}

impl Android {
    /// True once per connection, and again after a read that may have left its file.
    pub(super) fn sweeps_now(&self, device: &Pinned) -> bool {
        let mut known = self.known();
        !std::mem::replace(&mut connection(&mut known, device).swept, true)
    }

    /// A read was cut off: its file is to be removed with the next one.
    pub(super) fn sweep_again(&self, device: &Pinned) {
        connection(&mut self.known(), device).swept = false;
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn device_facts(&self, device: &Pinned, budget: &Budget) -> Result<DeviceFacts, Failure> {
        if let Some(facts) = connection(&mut self.known(), device).facts.clone() {
            return Ok(facts);
        }
        let script = Script::new()
            .part("release", "getprop ro.build.version.release")
            .part("sdk", "getprop ro.build.version.sdk")
            .part("model", "getprop ro.product.model")
            .part("qemu", "getprop ro.kernel.qemu; getprop ro.boot.qemu; getprop ro.build.characteristics");
        let reply = self.ask(device, &script, "asking the device for its properties", budget).await?;
        let facts = DeviceFacts {
            os_version: reply.text("release"),
            model: reply.text("model"),
            simulator: reply
                .text("qemu")
                .lines()
                .any(|line| line.trim() == "1" || line.split(',').any(|kind| kind.trim() == "emulator")),
            sdk: reply.text("sdk").parse().ok(),
        };
        connection(&mut self.known(), device).facts = Some(facts.clone());
        Ok(facts)
    }

    pub(super) async fn screen_facts(&self, device: &Pinned, budget: &Budget) -> Result<ScreenFacts, Failure> {
        let reply =
            self.ask(device, &Script::new().part("activity", ACTIVITY), "asking which app is in front", budget).await?;
        let (package, activity) = parse_resumed_activity(&reply.text("activity")).unzip();
        Ok(ScreenFacts { package, activity })
    }

    /// The window manager's current size, which knows rotation and override; else `wm size`, turned as the input system says.
    pub(super) async fn display_size(&self, device: &Pinned, budget: &Budget) -> Result<Size, Failure> {
        let script = Script::new()
            .part("size", "wm size 2>&1")
            .part("current", "dumpsys window displays | grep cur=")
            .part("turned", "dumpsys input | grep SurfaceOrientation");
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
                    "the device does not say its display's size: {:?}",
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

    /// `kill -0` for a dump; for a gesture, whose process says nothing about it, time alone.
    pub(super) async fn leftover_is_over(&self, device: &Pinned, leftover: &Leftover, budget: &Budget) -> bool {
        let Some(pid) = leftover.pid else { return Instant::now() >= leftover.until };
        let script = Script::new().part("alive", &format!("kill -0 {pid} 2>/dev/null"));
        match self.ask(device, &script, "asking whether an earlier read is over", budget).await {
            Ok(reply) => reply.part("alive").is_some_and(|(_, status)| status != 0),
            // What cannot be asked is bounded by time.
            Err(_) => false,
        }
    }

    pub(super) async fn screen_state(&self, device: &Pinned, budget: &Budget) -> Result<ScreenState, Failure> {
        let script = Script::new()
            .part("power", "dumpsys power | grep -E 'mWakefulness=|Display Power: state=|mScreenOn='")
            .part("policy", "dumpsys window policy | grep -iE 'keyguard|showing|occluded|lockscreen|screenState|interactiveState|mAwake'");
        let reply = self.ask(device, &script, "asking whether the display is on", budget).await?;
        Ok(parse_screen_state(&format!("{}\n{}", reply.text("power"), reply.text("policy"))))
    }
}

/// The entry of one connection; another connection of the same device forgets the one before.
pub(super) fn connection<'a>(known: &'a mut Known, device: &Pinned) -> &'a mut Connection {
    let key = (device.key.id.clone(), device.connection);
    if !known.contains_key(&key) {
        known.retain(|(id, _), _| *id != device.key.id);
        if known.len() >= CONNECTIONS {
            known.clear();
        }
    }
    known.entry(key).or_default()
}

/// `cur=1080x2400`.
fn current(text: &str) -> Option<Size> {
    let (width, height) = text.split_once("cur=")?.1.split_once('x')?;
    let digits = |text: &str| {
        text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok().filter(|pixels| *pixels > 0)
    };
    Some(Size { width: digits(width)?, height: digits(height)? })
}
