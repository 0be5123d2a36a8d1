//! `capture_screenshot`: one picture, scaled and bounded, remembered for coordinates, written to a file where that is allowed.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use handset_model::ui::Size;
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::args::{CaptureScreenshotArgs, PictureFormat};
use super::picture::{Format, MOST, Picture, fit};
use super::{Answer, Call};
use crate::action::device_json;
use crate::budget::Budget;
use crate::device::Session;
use crate::request::{Request, ms};

/// A tool that states no timeout has this in all (contract §4).
const ALL: Duration = Duration::from_secs(25);

/// The longest side by default, pixels: what models look at without scaling it down themselves.
pub(super) const LONG_EDGE: u32 = 1_568;

/// From this share of black pixels on, a window that refuses to be captured is looked for: its system bars stay visible.
const BLACK: f64 = 0.8;

/// A picture with the id that names it.
pub(super) struct Taken {
    pub(super) picture: Picture,
    pub(super) id: String,
    pub(super) device: Size,
    pub(super) rotation: Option<u32>,
}

impl Taken {
    /// What an answer says of it.
    pub(super) fn json(&self) -> Value {
        let Size { width, height } = self.picture.size;
        let mut body = json!({
            "screenshotId": self.id,
            "width": width,
            "height": height,
            "resolution": { "width": self.device.width, "height": self.device.height },
            "scale": f64::from(width) / f64::from(self.device.width.max(1)),
            "format": self.picture.format.as_str(),
            "bytes": self.picture.bytes.len(),
        });
        if let Some(rotation) = self.rotation {
            body["rotation"] = json!(rotation);
        }
        if self.picture.uniform {
            body["uniform"] = json!(true);
        }
        if !self.picture.reduced.is_empty() {
            body["reduced"] = json!(self.picture.reduced);
        }
        body
    }
}

/// Takes one picture and makes it fit `most` bytes.
pub(super) async fn take(
    session: &Session,
    request: &Request,
    budget: &Budget,
    edge: u32,
    format: Format,
    most: usize,
) -> Result<Taken, Failure> {
    let began = tokio::time::Instant::now();
    let turn = session.enter(request, budget).await?;
    let captured = session.adapter.screenshot(&session.pinned, budget).await;
    drop(turn);
    let captured = captured.inspect_err(|failure| {
        session.screens.lost(&session.pinned.key, failure);
    })?;
    let png = Arc::new(captured.png);
    let fitting = tokio::task::spawn_blocking(move || fit(&png, edge, format, most));
    let doing = "making the screenshot fit";
    let fitted = budget.run(fitting).await.map_err(|why| why.failure(Code::Timeout, doing))?;
    let picture = fitted.map_err(|error| Failure::new(Code::Unknown, format!("{doing} failed: {error}")))??;
    request.timings.add("screenshot_ms", ms(began.elapsed()));
    let dark = picture.black >= BLACK;
    let secure = if dark { session.adapter.secure_window(&session.pinned, budget).await.ok().flatten() } else { None };
    if let Some(title) = secure {
        let title: String = title.chars().take(120).collect();
        let message = format!("the window {title:?} has FLAG_SECURE: it is black in every picture");
        return Err(Failure::new(Code::SecureWindow, message)
            .with_remedy("Read the screen with get_ui_tree: it works where a screenshot is refused."));
    }
    let device = captured.display.filter(|size| same_shape(*size, picture.original)).unwrap_or(picture.original);
    let id = session.screens.remember_shot(&session.pinned, device, picture.size, captured.rotation);
    Ok(Taken { picture, id, device, rotation: captured.rotation })
}

/// Whether a display's size fits a picture of it: another display's, or one of before a rotation, does not.
fn same_shape(display: Size, picture: Size) -> bool {
    let (a, b) =
        (u64::from(display.width) * u64::from(picture.height), u64::from(display.height) * u64::from(picture.width));
    a.abs_diff(b) * 50 <= a.max(b)
}

pub(super) async fn capture_screenshot(call: Call) -> Result<Answer, Failure> {
    let args: CaptureScreenshotArgs = call.parse()?;
    let place = match &args.save_path {
        Some(path) => Some(Place::of(path, args.format, call.house.screenshots.as_deref())?),
        None => None,
    };
    let format = match args.format.or(place.as_ref().map(|place| place.format)) {
        Some(PictureFormat::Jpeg) => Format::Jpeg,
        _ => Format::Png,
    };
    let session = call.session(&args.target).await?;
    let budget = call.budget(ALL);
    let facts = session.facts(&call.request, &budget).await?;
    let edge = args.max_long_edge.unwrap_or(LONG_EDGE);
    let taken = take(&session, &call.request, &budget, edge, format, MOST).await?;
    let mut body = taken.json();
    body["device"] = device_json(&session.pinned, facts.as_ref());
    if let Some(place) = place {
        body["savedTo"] = json!(place.write(&taken.picture)?);
    }
    body["timing"] = call.request.timings.compact();
    Ok(Answer::picture(body, taken.picture.bytes, taken.picture.format.mime()))
}

/// Where a picture is written: inside the operator's folder, and nowhere else.
struct Place {
    folder: PathBuf,
    path: PathBuf,
    format: PictureFormat,
}

fn refused(message: String) -> Failure {
    Failure::argument("savePath", message)
}

impl Place {
    fn of(path: &str, format: Option<PictureFormat>, folder: Option<&Path>) -> Result<Self, Failure> {
        let Some(folder) = folder else {
            return Err(refused("the operator allows no folder for screenshots".to_owned())
                .with_remedy("Leave savePath out, or have [screenshots] folder = \"…\" set in Handset's config."));
        };
        let plain = Path::new(path);
        let inside = !path.is_empty()
            && path.len() <= 512
            && !path.contains(['\0', '\\'])
            && plain.components().all(|part| matches!(part, Component::Normal(_)));
        if !inside {
            return Err(refused(format!("{path:?} is no path inside the folder for screenshots"))
                .with_remedy("Pass a relative path without .., such as login/after.png."));
        }
        let named =
            match plain.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
                Some("png") => PictureFormat::Png,
                Some("jpg" | "jpeg") => PictureFormat::Jpeg,
                _ => {
                    return Err(refused(format!("{path:?} ends in neither .png nor .jpg"))
                        .with_remedy("End it in .png or .jpg."));
                }
            };
        if format.is_some_and(|format| format != named) {
            return Err(refused(format!("{path:?} and format name two formats")).with_remedy("Leave format out."));
        }
        Ok(Self { folder: folder.to_owned(), path: plain.to_owned(), format: named })
    }

    /// Writes beside and renames, so that nobody sees half a picture. cap-std keeps every step inside the folder, whatever
    /// links lie in it.
    fn write(&self, picture: &Picture) -> Result<String, Failure> {
        let failed = |error: std::io::Error| {
            refused(format!("{} could not be written: {error}", self.path.display()))
                .with_remedy("Choose another name; see that the operator's folder exists and may be written.")
        };
        // An answer that had to become a JPEG is no .png.
        let mut path = self.path.clone();
        if picture.format == Format::Jpeg && self.format == PictureFormat::Png {
            path.set_extension("jpg");
        }
        let folder = cap_std::fs::Dir::open_ambient_dir(&self.folder, cap_std::ambient_authority()).map_err(failed)?;
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            folder.create_dir_all(parent).map_err(failed)?;
        }
        match folder.symlink_metadata(&path) {
            Ok(meta) if !meta.is_file() => {
                return Err(refused(format!("{} is there and no plain file", path.display()))
                    .with_remedy("Choose another name."));
            }
            _ => {}
        }
        let mut beside = path.clone().into_os_string();
        beside.push(".part");
        let beside = PathBuf::from(beside);
        let _ = folder.remove_file(&beside);
        let mut options = cap_std::fs::OpenOptions::new();
        let mut file = folder.open_with(&beside, options.write(true).create_new(true)).map_err(failed)?;
        let written =
            std::io::Write::write_all(&mut file, &picture.bytes).and_then(|()| folder.rename(&beside, &folder, &path));
        if written.is_err() {
            let _ = folder.remove_file(&beside);
        }
        written.map_err(failed)?;
        Ok(self.folder.join(path).display().to_string())
    }
}
