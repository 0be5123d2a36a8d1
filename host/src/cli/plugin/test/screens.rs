//! The screens a case shows: captures beside it, or what a scene's phone would dump.

use std::path::Path;
use std::sync::Arc;

use handset_model::snapshot::{Capture, DeviceKey, History, HistoryLimits, Observation, ScreenFacts};
use handset_model::ui::{ParseOptions, parse_hierarchy};
use simphone::{Phone, PhoneOptions, Profile, Scene};

use super::case::Source;

/// A dump is at most this large.
const MAX_CAPTURE: u64 = 32 << 20;

/// Reads of one device, as the host would remember them.
pub(super) struct Reel {
    history: History,
    at_ms: f64,
}

impl Reel {
    pub(super) fn new() -> Self {
        let limits = HistoryLimits { max_age_ms: f64::MAX, ..HistoryLimits::default() };
        Self { history: History::new("case".into(), limits), at_ms: 0.0 }
    }

    /// The next read, `after_ms` after the one before.
    ///
    /// # Errors
    /// What is wrong with the capture or scene, by its name.
    pub(super) async fn next(
        &mut self,
        source: &Source,
        folder: &Path,
        after_ms: u32,
    ) -> Result<Arc<Observation>, String> {
        let (shown, bytes) = match source {
            Source::Capture(file) => {
                let path = folder.join(file);
                let size = std::fs::metadata(&path).map_err(|why| format!("{}: {why}", path.display()))?.len();
                if size > MAX_CAPTURE {
                    return Err(format!("{}: larger than {} MiB", path.display(), MAX_CAPTURE >> 20));
                }
                let bytes = std::fs::read(&path).map_err(|why| format!("{}: {why}", path.display()))?;
                (path.display().to_string(), bytes)
            }
            Source::Scene(wanted) => {
                let phone = phone(&wanted.scene, wanted.screen.as_deref(), folder).await?;
                let bytes = phone.dump().ok_or_else(|| format!("scene {}: its display is off", wanted.scene))?;
                (format!("scene {}", wanted.scene), bytes)
            }
        };
        let tree =
            parse_hierarchy(&bytes, &ParseOptions::default()).map_err(|failure| format!("{shown}: {failure}"))?;
        self.at_ms += f64::from(after_ms);
        let capture = Capture {
            device: DeviceKey { platform: "android", id: "case".into() },
            connection: 1,
            started_ms: self.at_ms,
            captured_ms: self.at_ms,
            captured_at_ms: 0,
        };
        let facts = ScreenFacts { package: tree.package.clone(), activity: None };
        Ok(self.history.record(capture, tree, facts))
    }
}

/// A phone showing a scene: a built-in one, or a file beside the case.
///
/// # Errors
/// What is wrong with the scene, by its name.
pub(super) async fn phone(scene: &str, screen: Option<&str>, folder: &Path) -> Result<Phone, String> {
    let broken = |why: &dyn std::fmt::Display| format!("scene {scene}: {why}");
    let file = Path::new(scene).extension().is_some_and(|extension| extension == "toml");
    let found = if file { Scene::from_path(&folder.join(scene)) } else { Scene::by_name(scene) };
    let found = found.map_err(|why| broken(&why))?;
    let phone = Phone::start(PhoneOptions { profile: Profile::INSTANT, ..PhoneOptions::new(found) })
        .await
        .map_err(|why| broken(&why))?;
    match screen {
        Some(screen) if !phone.goto(screen) => Err(broken(&format!("it has no screen {screen:?}"))),
        _ => Ok(phone),
    }
}
