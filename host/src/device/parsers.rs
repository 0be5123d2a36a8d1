//! What reads an `elementId`, as a function of any bytes with what it promises.

use std::sync::{Arc, OnceLock};

use handset_model::Code;
use handset_model::parsers::{Promise, promised, sound};
use handset_model::snapshot::{Capture, DeviceKey, HistoryLimits, Observation, ScreenFacts};
use handset_model::ui::{ParseOptions, parse_hierarchy};

use super::Screens;
use crate::clock::Clock;

/// By the names of their fuzz targets.
pub(crate) const PARSERS: &[(&str, Promise)] = &[("element_id", element_id)];

const SCREEN: &[u8] = br#"<hierarchy rotation="0"><node class="android.widget.ListView" package="com.app" scrollable="true" bounds="[0,0][100,100]">
<node class="android.widget.Button" text="A" resource-id="com.app:id/a" clickable="true" bounds="[0,0][50,20]"/>
<node class="android.widget.Button" text="B" clickable="true" bounds="[0,20][50,40]"/>
<node class="android.widget.Button" text="B" clickable="true" bounds="[0,40][50,60]"/></node></hierarchy>"#;

fn seen() -> &'static (Screens, Arc<Observation>) {
    static SEEN: OnceLock<(Screens, Arc<Observation>)> = OnceLock::new();
    SEEN.get_or_init(|| {
        let clock = Clock::default();
        let limits = HistoryLimits { max_age_ms: f64::INFINITY, ..HistoryLimits::default() };
        let screens = Screens::new(Arc::from("session"), limits, clock);
        let now = screens.clock().now_ms();
        let capture = Capture {
            device: DeviceKey { platform: "android", id: "emulator-5554".to_owned() },
            connection: 1,
            started_ms: now,
            captured_ms: now,
            captured_at_ms: 0,
        };
        let tree = parse_hierarchy(SCREEN, &ParseOptions::default()).unwrap_or_default();
        let observation = screens.remember(capture, tree, ScreenFacts::default());
        (screens, observation)
    })
}

/// A handle names the node that it was handed out for, on its device and in its connection, and nothing else does.
/// In the bytes `$0` to `$3` stand for the handles of the screen's elements.
fn element_id(bytes: &[u8]) -> Result<bool, String> {
    let (screens, observation) = seen();
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    for index in 0..4 {
        let minted = screens.element_id(observation, index).unwrap_or_default();
        promised(screens.locate(&minted, observation) == Ok(index), || format!("{minted} does not name {index}"))?;
        text = text.replace(&format!("${index}"), &minted);
    }
    let elsewhere = DeviceKey { platform: "android", id: "other".to_owned() };
    match screens.locate(&text, observation) {
        Ok(index) => {
            let minted = screens.element_id(observation, index);
            let tag = minted.as_deref().and_then(|id| id.rsplit('.').next()).unwrap_or("none");
            let entry = text.contains('@') && observation.tree.get(index).is_some();
            promised(entry || text.ends_with(tag), || format!("{text:?} names element {index}, which is {minted:?}"))?;
            let other = screens.handle(&text, &elsewhere, 1);
            promised(!entry || other.is_err(), || format!("{text:?} names an entry of another device"))?;
            Ok(true)
        }
        Err(failure) => {
            let known = matches!(failure.code, Code::InvalidArgument | Code::StaleReference);
            promised(known, || format!("{text:?}: {failure:?}"))?;
            sound(&failure).map(|()| false)
        }
    }
}
