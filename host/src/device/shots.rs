//! Screenshots that were handed out: what coordinates of the space `screenshot` mean.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use handset_model::snapshot::DeviceKey;
use handset_model::ui::Size;
use tokio::time::Instant;

use super::{Pinned, Screens};

/// Screenshots remembered of all devices; the oldest is forgotten first.
const SHOTS: usize = 64;

/// One screenshot, without its pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The device it shows.
    pub key: DeviceKey,
    /// The connection it was taken in.
    pub connection: u64,
    /// The display, in device pixels, as it was turned then.
    pub device: Size,
    /// The image that was handed out.
    pub image: Size,
    /// Quarter turns of the display, 0 to 3, where the device told them.
    pub rotation: Option<u32>,
}

impl Shot {
    /// The device pixel under a point of the image, both counted from 0.
    #[must_use]
    pub fn on_device(&self, x: f64, y: f64) -> (f64, f64) {
        let scale = |at: f64, device: u32, image: u32| at * f64::from(device) / f64::from(image.max(1));
        (scale(x, self.device.width, self.image.width), scale(y, self.device.height, self.image.height))
    }
}

/// What a device was captured as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenCapture {
    /// A whole PNG.
    pub png: Vec<u8>,
    /// The display's size as it is turned, where the device told it.
    pub display: Option<Size>,
    /// Quarter turns, where the device told them.
    pub rotation: Option<u32>,
}

/// The screenshots this process remembers.
#[derive(Debug, Default)]
pub(super) struct Shots {
    kept: Mutex<(u64, VecDeque<(u64, Shot)>)>,
    /// When an input was last dispatched, by device.
    acted: Mutex<HashMap<DeviceKey, Instant>>,
}

impl Shots {
    fn keep(&self, shot: Shot) -> u64 {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0 += 1;
        let number = kept.0;
        if kept.1.len() >= SHOTS {
            kept.1.pop_front();
        }
        kept.1.push_back((number, shot));
        number
    }

    fn find(&self, number: u64) -> Option<Shot> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.1.iter().find(|(known, _)| *known == number).map(|(_, shot)| shot.clone())
    }

    /// Forgets the screenshots of every device that does not pass.
    pub(super) fn retain(&self, keep: impl Fn(&DeviceKey) -> bool) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.1.retain(|(_, shot)| keep(&shot.key));
    }
}

impl Screens {
    /// Remembers a screenshot and names it: `s`, its number, and a piece of the session's id, which no other process answers to.
    pub fn remember_shot(&self, device: &Pinned, size: Size, image: Size, rotation: Option<u32>) -> String {
        let shot = Shot { key: device.key.clone(), connection: device.connection, device: size, image, rotation };
        format!("s{}.{}", self.shots().keep(shot), self.tail())
    }

    /// The screenshot an answer named so; `None` for one that is no longer remembered, or was never made here. Whether
    /// the device, its connection, rotation and size are still those is for the caller to see.
    #[must_use]
    pub fn screenshot(&self, id: &str) -> Option<Shot> {
        let (number, tail) = id.strip_prefix('s')?.split_once('.')?;
        let number = number.parse().ok().filter(|_| tail == self.tail())?;
        self.shots().find(number)
    }

    /// An input was dispatched to this device: what its app sends from now on follows from it.
    pub fn acted(&self, device: &DeviceKey, at: Instant) {
        self.shots().acted.lock().unwrap_or_else(PoisonError::into_inner).insert(device.clone(), at);
    }

    /// When an input was last dispatched to this device; a blocked one was not.
    #[must_use]
    pub fn last_action(&self, device: &DeviceKey) -> Option<Instant> {
        self.shots().acted.lock().unwrap_or_else(PoisonError::into_inner).get(device).copied()
    }

    fn tail(&self) -> String {
        self.session_id().chars().filter(char::is_ascii_alphanumeric).take(8).collect()
    }
}
