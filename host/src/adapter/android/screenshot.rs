//! The screen as a picture: `screencap`, of the display that is in use, through a shell that may be a terminal.

use handset_model::android::{parse_display_ids, parse_displays_on, parse_screencap, parse_windows};
use handset_model::{Code, Failure};

use super::Android;
use super::facts::current;
use super::shell::Script;
use crate::budget::Budget;
use crate::device::{Pinned, ScreenCapture};

/// Bytes of one picture, as the device prints it: 4 bytes a pixel of the largest phones.
const PICTURE: usize = 64 << 20;

/// Bytes of all windows.
const WINDOWS: usize = 4 << 20;

impl Android {
    /// One picture of the display that is in use, whole and checked.
    pub(super) async fn screen_capture(&self, device: &Pinned, budget: &Budget) -> Result<ScreenCapture, Failure> {
        const DOING: &str = "taking a screenshot";
        let display = self.display_in_use(device, budget).await?;
        let of = display.map_or_else(String::new, |id| format!(" -d {id}"));
        let script = Script::new().bounding().part("png", &format!("screencap -p{of}")).part(
            "displays",
            "$t dumpsys window displays | grep -E 'Display: mDisplayId=|cur=|mRotation=|mCurrentRotation='",
        );
        let reply = match self.exchange(device, &script, PICTURE, DOING, budget).await {
            Err(broken) if broken.server_lost => {
                self.same_connection(device, budget).await?;
                self.exchange(device, &script, PICTURE, DOING, budget).await
            }
            ended => ended,
        };
        let reply = reply.map_err(|broken| broken.failure)?;
        let (printed, _) = reply.part("png").unwrap_or_default();
        let png = match parse_screencap(printed) {
            Ok(png) => png.into_owned(),
            Err(failure) => {
                let secure = self.secure_window_title(device, budget).await.ok().flatten();
                let said = super::shell::last_line(&String::from_utf8_lossy(&reply.output.stderr));
                return Err(match secure {
                    Some(title) => refused(&title),
                    None if said.is_empty() => failure,
                    None => Failure { message: format!("{} ({said})", failure.message), ..failure },
                });
            }
        };
        let displays = reply.text("displays");
        let rotation = parse_windows(&displays).ok().and_then(|found| found.rotation);
        Ok(ScreenCapture { png, display: current(&displays), rotation })
    }

    /// The physical display to name, where there are several: `None` for the only one.
    async fn display_in_use(&self, device: &Pinned, budget: &Budget) -> Result<Option<u64>, Failure> {
        let known = self.known().connection(device).displays.clone();
        let ids = match known {
            Some(ids) => ids,
            None => {
                let script = Script::new().bounding().part("ids", "$t dumpsys SurfaceFlinger --display-id 2>/dev/null");
                let reply = self.ask(device, &script, "asking which displays there are", budget).await?;
                let ids = parse_display_ids(&reply.text("ids"));
                if !ids.is_empty() {
                    self.known().connection(device).displays = Some(ids.clone());
                }
                ids
            }
        };
        if ids.len() < 2 {
            return Ok(None);
        }
        // A phone that folds has a panel on each side, and one of them is on.
        let script = Script::new().bounding().part("on", "$t dumpsys display | grep 'DisplayDeviceInfo{'");
        let reply = self.ask(device, &script, "asking which display is on", budget).await?;
        let on = parse_displays_on(&reply.text("on"));
        Ok(ids.iter().find(|id| on.contains(id)).or_else(|| ids.first()).copied())
    }

    /// Title of a window that can be seen and refuses to be captured.
    pub(super) async fn secure_window_title(
        &self,
        device: &Pinned,
        budget: &Budget,
    ) -> Result<Option<String>, Failure> {
        let script = Script::new().bounding().part("windows", "$t dumpsys window");
        let reply = self.exchange(device, &script, WINDOWS, "asking which windows are secure", budget).await;
        let text = reply.map_err(|broken| broken.failure)?.text("windows");
        Ok(parse_windows(&text).ok().and_then(|found| found.secure_in_front().map(|window| window.title.clone())))
    }
}

/// A window with `FLAG_SECURE` is black in every picture.
pub(super) fn refused(title: &str) -> Failure {
    let title: String = title.chars().take(120).collect();
    Failure::new(Code::SecureWindow, format!("the window {title:?} has FLAG_SECURE: no picture of it can be taken"))
        .with_remedy("Read the screen with get_ui_tree: it works where a screenshot is refused.")
}
