//! The clock observations and answers are stamped by.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Monotonic milliseconds since one origin, shared by all clones, and the wall clock beside it.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that starts at 0 now: one per server process.
    #[must_use]
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// Milliseconds since the start; never goes back.
    #[must_use]
    pub fn now_ms(&self) -> f64 {
        self.ms_at(Instant::now())
    }

    /// Milliseconds from the start to `moment`; 0 for a moment before it.
    #[must_use]
    pub fn ms_at(&self, moment: Instant) -> f64 {
        moment.saturating_duration_since(self.origin).as_secs_f64() * 1000.0
    }

    /// The wall clock, milliseconds since the epoch; it may jump.
    #[must_use]
    pub fn wall_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::start()
    }
}
