//! What `serve --measure` writes down of each request, against what the phone's journal says happened.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use crate::support::{Bench, Flavor, Setup, on_each_adb};

struct Measured {
    bench: Bench,
    file: std::path::PathBuf,
    _folder: tempfile::TempDir,
}

impl Measured {
    async fn new(scene: &str, flavor: Flavor) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("measures.jsonl");
        let args = vec!["--measure".into(), file.clone().into()];
        let bench = Setup::new(scene, flavor).server(|server| server.args = args).start().await;
        Self { bench, file, _folder: folder }
    }

    /// The lines written so far.
    fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.file).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn last(&self) -> Value {
        self.lines().pop().unwrap()
    }
}

fn by<'a>(record: &'a Value, step: &str, purpose: &str) -> Vec<&'a Value> {
    let all = record["acquisitions"].as_array().unwrap();
    all.iter().filter(|read| read["step"] == step && read["purpose"] == purpose).collect()
}

on_each_adb! {
    async fn each_read_of_a_journey_is_counted_once_by_step_and_purpose(flavor) {
        let measured = Measured::new("counter", flavor).await;
        let bench = &measured.bench;
        let mark = bench.mark();
        let steps = json!([
            { "id": "tap", "type": "tap", "selector": { "text": "Increment" }, "verificationMode": "light" },
            { "id": "visible", "type": "assert",
              "assertion": { "kind": "element_visible", "selector": { "text": "Count: 1" } } },
        ]);
        bench.call("run_journey", bench.aimed(json!({ "steps": steps }))).await.fine();
        let record = measured.last();
        let totals = &record["totals"];
        assert_eq!(
            (&totals["physical_tree_reads"], &totals["failed_tree_reads"], &totals["dispatches"]),
            (&json!(mark.dumps().len()), &json!(0), &json!(1)),
            "{record:#}"
        );
        assert_eq!(totals["reused_observations"], 1, "the assertion's first read is the tap's verification: {record:#}");
        let (target, asserted) = (by(&record, "tap", "target"), by(&record, "visible", "assertion"));
        assert_eq!((target.len(), asserted.len()), (1, 2), "{record:#}");
        assert_eq!((&target[0]["phase"], &asserted[0]["phase"]), (&json!("before_dispatch"), &json!("after_dispatch")));
        assert!(target[0]["tree_read_ms"].as_f64().unwrap() > 0.0 && totals["dispatch_ms"].as_f64().unwrap() > 0.0);
        let shared = json!({ "acquisition": asserted[0]["id"], "step": "tap", "purpose": "verification" });
        assert!(record["consumers"].as_array().unwrap().contains(&shared), "{record:#}");
        assert_eq!(record["verifications"][0]["verification_outcome"], "observed", "{record:#}");
    }

    async fn failed_reads_are_counted_and_serve_nobody(flavor) {
        let measured = Measured::new("counter", flavor).await;
        measured.bench.phone().fault(Fault::times("dump", 2, FaultKind::NullRoot));
        let mark = measured.bench.mark();
        measured.bench.call("get_screen_fingerprint", json!({})).await.fine();
        let record = measured.last();
        assert_eq!(mark.dumps().len(), 3);
        assert_eq!(
            (&record["totals"]["physical_tree_reads"], &record["totals"]["failed_tree_reads"]),
            (&json!(3), &json!(2)),
            "{record:#}"
        );
        let failed: Vec<&Value> = record["acquisitions"].as_array().unwrap().iter().map(|read| &read["failed"]).collect();
        assert_eq!(failed, [&json!("NULL_ROOT"), &json!("NULL_ROOT"), &Value::Null]);
        assert_eq!(record["consumers"], json!([{ "acquisition": 3, "step": null, "purpose": "answer" }]));
    }

    async fn a_guards_read_is_the_conditions_and_comes_before_the_dispatch(flavor) {
        let measured = Measured::new("counter", flavor).await;
        let bench = &measured.bench;
        let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
        let expected =
            json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
        let tap = json!({
            "selector": { "text": "Increment" }, "expectedState": expected, "verificationMode": "light",
        });
        bench.call("tap_element", bench.aimed(tap)).await.fine();
        let record = measured.last();
        let reads: Vec<(&Value, &Value)> = record["acquisitions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|read| (&read["purpose"], &read["follows_dispatch"]))
            .collect();
        let (before, after) = (json!(0), json!(1));
        assert_eq!(
            reads,
            [(&json!("target"), &before), (&json!("condition"), &before), (&json!("verification"), &after)],
            "{record:#}"
        );
        assert_eq!(record["verifications"][0]["verification_budget_ms"], 3_000.0, "{record:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_holds_no_screen_text_no_app_and_no_serial() {
    let measured = Measured::new("login", Flavor::StandIn).await;
    let bench = &measured.bench;
    bench.call("get_ui_tree", json!({})).await.fine();
    bench
        .call("tap_element", json!({ "selector": { "text": "No such label" }, "waitFor": { "timeoutMs": 100 } }))
        .await
        .fine();
    bench.call("type_text", json!({ "text": "sEcret", "verificationMode": "none" })).await;
    assert_eq!(measured.lines().len(), 3, "one line a request");
    let text = std::fs::read_to_string(&measured.file).unwrap();
    for told in ["Sign in", "No such label", "sEcret", "com.example", &bench.device] {
        assert!(!text.contains(told), "{told}: {text}");
    }
}
