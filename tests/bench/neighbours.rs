//! What a spinning guest costs everybody else.

use std::time::Duration;

use crate::callers::{CALLERS, run, server};
use crate::report::{Row, Subject};
use crate::stats::Summary;
use crate::subject::Runs;

/// Of one run.
const LENGTH: Duration = Duration::from_secs(3);

/// `neighbours`.
pub(crate) async fn neighbours(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "neighbours",
        "A spinning guest",
        &format!(
            "{CALLERS} concurrent callers of one server (lists, status, waits on an instant phone behind the stand-in), each pausing \
             100 ms between calls, for 3 s at a time; with and without a guest that spins in readiness calls on another phone, in \
             turns. Each row is the p95 of a run."
        ),
        runs,
    );
    let bench = server().await;
    let p95 = async |spinning| Summary::of(run(&bench, spinning, LENGTH).await.concat()).p95;
    p95(false).await;
    let (mut calm, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..runs.of(8) {
        calm.push(p95(false).await);
        beside.push(p95(true).await);
    }
    subject.row(Row::new("p95 of a call beside a spinning guest", "ms", beside).over(calm).beyond_at_most(10.0));
    subject.note("The floor is the p95 of the same calls with nobody spinning.");
    subject
}
