//! A `snapshot` predicate that always holds. Loaded in the built-in one's place, it shows what a
//! component decides, and what the host does not leave to it.

use handset_plugin::{Comparison, Finding, Predicate, export_predicates};

/// The arguments of `snapshot`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "whatever they are, the answer is the same")]
struct Snapshot {
    snapshot_session_id: String,
    snapshot_revision: u64,
}

impl Predicate for Snapshot {
    const NAME: &str = "snapshot";
    const SUMMARY: &str = "Holds always.";

    fn check(self, _screens: &Comparison) -> Result<Finding, String> {
        Ok(Finding::holds())
    }
}

export_predicates!(Snapshot);
