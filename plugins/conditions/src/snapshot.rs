//! `snapshot`: the screen is still the one the agent saw.

use handset_plugin::{Comparison, Evidence, Finding, Observation, Predicate, Violation, violation};
use schemars::JsonSchema;
use serde::Deserialize;

const MOST_CHANGES: u32 = 4;

/// The arguments of `snapshot`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "The snapshot the input was decided on.")]
pub struct Snapshot {
    /// `snapshot_session_id` of the tree.
    #[schemars(length(min = 1))]
    snapshot_session_id: String,
    /// `snapshot_revision` of the tree.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    snapshot_revision: u64,
}

impl Predicate for Snapshot {
    const NAME: &str = "snapshot";
    const SUMMARY: &str =
        "Holds while the screen has the session and revision of an earlier snapshot.";

    fn validate(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        if self.snapshot_session_id.trim().is_empty() {
            found.push(violation("snapshotSessionId", "must not be empty"));
        }
        if self.snapshot_revision == 0 {
            found.push(violation("snapshotRevision", "must be at least 1"));
        }
        found
    }

    fn check(self, screens: &Comparison) -> Result<Finding, String> {
        let Some(baseline) = screens.baseline() else {
            return Ok(Finding::cannot_tell(format!(
                "revision {} is not retained",
                self.snapshot_revision
            )));
        };
        if !self.is(&baseline) {
            return Ok(Finding::cannot_tell(
                "the baseline at hand is another snapshot",
            ));
        }
        let current = screens.current();
        let info = current.info();
        if info.session_id != self.snapshot_session_id {
            return Ok(Finding::cannot_tell(
                "the screen belongs to another session",
            ));
        }
        let about = format!("revision {}", info.revision);
        if self.is(&current) {
            return Ok(Finding::holds().evidence(Evidence::firm("same-revision").detail(about)));
        }
        let mut finding = Finding::fails(format!(
            "the screen is at revision {}, not {}",
            info.revision, self.snapshot_revision
        ));
        for change in current.changes_since(&baseline, MOST_CHANGES) {
            let what = format!("{} {}", change.kind, change.fields.join(", "));
            let evidence = Evidence::firm("element-changed").detail(what.trim_end());
            finding.evidence.push(match (change.now, change.was) {
                (Some(index), _) => evidence.at(&current, index),
                (None, Some(index)) => evidence.at(&baseline, index),
                (None, None) => evidence,
            });
        }
        Ok(finding.evidence(Evidence::firm("revision-changed").detail(about)))
    }
}

impl Snapshot {
    fn is(&self, screen: &Observation) -> bool {
        let info = screen.info();
        info.session_id == self.snapshot_session_id
            && u64::from(info.revision) == self.snapshot_revision
    }
}
