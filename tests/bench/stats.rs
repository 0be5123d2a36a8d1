//! Medians and spread.

use serde::{Deserialize, Serialize};

/// What many measurements of one thing say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// How many.
    pub(crate) count: usize,
    /// The middle one.
    pub(crate) median: f64,
    /// One in twenty is below.
    pub(crate) p5: f64,
    /// One in twenty is above.
    pub(crate) p95: f64,
}

impl Summary {
    /// Of any measurements; zeros of none.
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self {
            count: values.len(),
            median: round(quantile(&values, 0.5)),
            p5: round(quantile(&values, 0.05)),
            p95: round(quantile(&values, 0.95)),
        }
    }
}

/// Between the two nearest of sorted values.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    #[allow(clippy::cast_precision_loss, reason = "a few thousand measurements")]
    let at = share * last as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the list")]
    let below = at.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (at - at.floor())
}

/// Four digits that count say enough.
pub(crate) fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    #[allow(clippy::cast_possible_truncation, reason = "an exponent of ten")]
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 6);
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}
