//! Progress bars, spinners, busy indicators, skeletons.

use crate::indicators::{ID_STEMS, STEMS, is_gauge, native, suggested};
use handset_plugin::{
    Assessment, Classifier, Element, Evidence, Observation, Selector, State, Timeline, Traits,
};

/// More loaders than these say nothing more.
const MOST_EVIDENCE: usize = 8;

/// Finds native loaders by class, role and id.
pub struct NativeProgress;

impl Classifier for NativeProgress {
    const NAME: &str = "native-progress";
    const SUMMARY: &str = "Loading while a progress bar, spinner, busy indicator or skeleton shows; a bar with a value only while it moves.";

    fn classify(samples: &Timeline) -> Result<Assessment, String> {
        let screen = samples.latest();
        let earlier = samples.last_two().map(|(earlier, _)| earlier);
        let mut found = Assessment::of(State::Unknown);
        let mut still_bars = 0;
        for element in candidates(&screen)? {
            let guess = || {
                element
                    .resource_id
                    .as_deref()
                    .and_then(suggested)
                    .map(Sign::Guess)
            };
            let Some(sign) = native_sign(&element).or_else(guess) else {
                continue;
            };
            match sign {
                Sign::Bar(signal) => match moved(&element, &screen, earlier.as_ref()) {
                    Some(true) => found.evidence.push(
                        Evidence::guess(format!("{signal}-moving"))
                            .at(&screen, element.index)
                            .detail(element.class_name),
                    ),
                    Some(false) => {}
                    None => still_bars += 1,
                },
                Sign::Native(signal) => found.evidence.push(
                    Evidence::firm(signal)
                        .at(&screen, element.index)
                        .detail(element.class_name),
                ),
                Sign::Guess(signal) => found.evidence.push(
                    Evidence::guess(format!("{signal}-id"))
                        .at(&screen, element.index)
                        .detail(element.resource_id.unwrap_or_default()),
                ),
            }
            if found.evidence.len() == MOST_EVIDENCE {
                break;
            }
        }
        if !found.evidence.is_empty() {
            found.state = State::Loading;
        } else if still_bars > 0 {
            found
                .limitations
                .push("determinate_progress_needs_two_reads".to_owned());
        }
        Ok(found)
    }
}

/// The visible elements that may be loaders. The host looks for them, so that few are copied.
fn candidates(screen: &Observation) -> Result<impl Iterator<Item = Element>, String> {
    let stems: Vec<String> = STEMS.iter().map(|&stem| stem.to_owned()).collect();
    let mut found = screen.find_words(&stems);
    for &stem in ID_STEMS {
        let mut named = Selector::resource_id(stem);
        named.contains = Some(true);
        found.extend(screen.select(&named)?);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found
        .into_iter()
        .filter_map(|index| screen.element(index))
        .filter(|element| element.traits.contains(Traits::VISIBLE)))
}

enum Sign {
    /// Shows a value: a loader only while it moves.
    Bar(&'static str),
    Native(&'static str),
    Guess(&'static str),
}

fn native_sign(element: &Element) -> Option<Sign> {
    let signal = native(&element.class_name, element.role.as_deref())?;
    if element.value.is_none() {
        return Some(Sign::Native(signal));
    }
    let gauge =
        is_gauge(&element.class_name) || element.resource_id.as_deref().is_some_and(is_gauge);
    (!gauge).then_some(Sign::Bar(signal))
}

/// Whether a bar's value changed since the earlier read; unknown without one to compare with.
fn moved(element: &Element, screen: &Observation, earlier: Option<&Observation>) -> Option<bool> {
    let earlier = earlier?;
    let before = earlier.element(screen.counterpart(element.index, earlier)?)?;
    Some(before.value? != element.value?)
}
