//! Polling on a budget: reads that name the evidence they wait for and end when they have it.

mod change;
mod element;
mod readiness;
mod reads;
mod state;

pub use change::{ChangeEnd, ChangeSummary, ChangeType, ChangeWait, wait_for_change};
pub use element::{Condition, ElementEnd, ElementWait, Wanted, wait_for_element};
pub use readiness::{ReadinessReport, ReadinessWait, assess, wait_for_readiness, wait_for_settled_element};
pub use reads::{End, Pace, Reads};
pub use state::{NEEDED as STATE_NEEDED, Property, StateEnd, StateWait, observed_state, wait_for_state};

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;

/// Two reads that agree on a screen are at least this far apart (contract §8).
pub const FINGERPRINT_GAP: Duration = Duration::from_millis(100);

/// Reads until two consecutive fingerprints, at least [`FINGERPRINT_GAP`] apart, satisfy `wanted`.
pub async fn stable_fingerprint(
    reads: &mut Reads<'_>,
    wanted: impl Fn(&Observation) -> bool,
) -> Option<Arc<Observation>> {
    let mut previous: Option<Arc<Observation>> = None;
    loop {
        let pace = match &previous {
            None => Pace::Interval,
            Some(_) => Pace::Gap(FINGERPRINT_GAP),
        };
        let now = reads.next(pace).await?;
        if !wanted(&now) {
            previous = None;
            continue;
        }
        if previous.is_some_and(|before| before.fingerprint == now.fingerprint) {
            return Some(now);
        }
        previous = Some(now);
    }
}
