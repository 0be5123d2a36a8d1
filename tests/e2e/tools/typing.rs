//! type_text into a field: which one, what stood there, what comes after, and what is read back.

use serde_json::{Value, json};
use simphone::{Change, Mutation};

use crate::support::{Answer, Bench, Flavor, Setup, on_each_adb};

const IME: &str = "com.android.adbkeyboard/.AdbIME";
const OWN: &str = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME";

fn scene(sdk: u32) -> String {
    format!(
        r#"
[device]
sdk = {sdk}
clients = true

[app]
package = "com.example.typing"
start = "main"

[[screen]]
name = "main"

[[screen.element]]
class = "EditText"
rid = "name"
hint = "Name"
bounds = [0, 300, 1080, 400]
submit = [{{ set = "sent", visible = true }}]

[[screen.element]]
class = "EditText"
rid = "secret"
flags = "password"
bounds = [0, 500, 1080, 600]

[[screen.element]]
class = "TextView"
rid = "sent"
text = "Sent"
flags = "hidden"
bounds = [0, 700, 1080, 800]
"#
    )
}

async fn bench(flavor: Flavor, sdk: u32) -> Bench {
    Setup::written(&scene(sdk), flavor).start().await
}

fn name() -> Value {
    json!({ "resource_id": "name" })
}

async fn with_ime(flavor: Flavor) -> Bench {
    let bench = bench(flavor, 34).await;
    bench.phone().put_setting("secure", "enabled_input_methods", &format!("{OWN}:{IME}"));
    bench
}

fn text(bench: &Bench) -> String {
    bench.phone().text_of("main.name").unwrap()
}

on_each_adb! {
    async fn a_named_field_is_tapped_first_and_typed_into(flavor) {
        let bench = bench(flavor, 34).await;
        let mark = bench.mark();
        let answer = bench.call("type_text", json!({ "text": "it's 100%s", "selector": name() })).await.succeeded();
        assert_eq!((text(&bench).as_str(), &answer["/details/read_back"]), ("it's 100%s", &json!("equal")));
        let kinds: Vec<String> = mark.inputs().iter().map(|input| input.kind.clone()).collect();
        assert_eq!(kinds, ["tap", "text", "text"]);
        assert_eq!(answer["/target/resolved/resource_id"], "com.example.typing:id/name");
    }

    async fn what_stood_there_is_replaced_on_new_androids_and_on_old_ones(flavor) {
        for sdk in [34, 28] {
            let bench = bench(flavor, sdk).await;
            bench.phone().set_text("main.name", "what stood here");
            let call = json!({ "text": "new", "selector": name(), "replace": true });
            let answer = bench.call("type_text", call).await.succeeded();
            assert_eq!((text(&bench).as_str(), &answer["/details/read_back"]), ("new", &json!("equal")), "{sdk}");
        }
        let old = bench(flavor, 28).await;
        old.call("tap_element", json!({ "selector": name(), "verificationMode": "none" })).await.succeeded();
        let mark = old.mark();
        let blind = old.call("type_text", json!({ "text": "new", "replace": true, "verificationMode": "none" })).await.fine();
        assert_eq!(blind["failure_code"], "UNSUPPORTED", "{:#}", blind.structured);
        mark.no_input("nothing is deleted by guess");
    }

    async fn text_beyond_ascii_goes_through_an_input_method_that_is_set_back(flavor) {
        let bench = with_ime(flavor).await;
        let long = "naïve 日本 😀 \"$HOME\" 'x'".repeat(90);
        for typed in ["é", "日本語 😀", long.as_str()] {
            let call = json!({ "text": typed, "selector": name(), "replace": true });
            let answer = bench.call("type_text", call).await.succeeded();
            assert_eq!((text(&bench).as_str(), &answer["/details/read_back"]), (typed, &json!("equal")));
            assert_eq!(current(&bench), OWN);
        }
        // Nor is it left behind by a call that is cut off.
        bench.phone().fault(simphone::Fault::once("am broadcast", simphone::FaultKind::Slow { ms: 1_500 }));
        let call = json!({ "text": "ü", "verificationMode": "none", "actionTimeoutMs": 800 });
        let cut = bench.call("type_text", call).await.fine();
        assert_eq!((&cut["failure_code"], &cut["delivery_status"]), (&json!("ACTION_TIMEOUT"), &json!("unknown")));
        crate::support::wait_until("the input method is set back", || current(&bench) == OWN).await;
    }
}

/// The input method as the phone's settings have it.
fn current(bench: &Bench) -> String {
    bench.phone().setting("secure", "default_input_method").unwrap()
}

async fn typed(bench: &Bench, call: Value) -> Answer {
    bench.call("type_text", call).await.fine()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_typed_where_no_field_has_the_focus() {
    let bench = bench(Flavor::best(), 34).await;
    for verification in ["none", "light", "full"] {
        let mark = bench.mark();
        let answer = typed(&bench, json!({ "text": "abc", "verificationMode": verification })).await;
        assert_eq!(answer["failure_code"], "NOTHING_FOCUSED", "{:#}", answer.structured);
        assert_eq!((&answer["dispatch_started"], &answer["delivery_status"]), (&json!(false), &json!("not_delivered")));
        mark.no_input(verification);
    }
    // Neither is text that no key stands for, though a field is named: it is refused before the tap.
    let mark = bench.mark();
    let answer = typed(&bench, json!({ "text": "é", "selector": name() })).await;
    assert_eq!(answer["failure_code"], "UNSUPPORTED_TEXT", "{:#}", answer.structured);
    mark.no_input("no input method takes it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_that_holds_something_else_is_no_success() {
    let bench = bench(Flavor::best(), 34).await;
    // The app cuts what was typed before anybody looks.
    bench.phone().on_dump(2, Mutation::before(Change::Text("main.name".into(), "Zanzi".into())));
    let answer = typed(&bench, json!({ "text": "Zanzibar42", "selector": name() })).await;
    assert_eq!(
        (&answer["success"], &answer["failure_code"], &answer["/verification/status"]),
        (&json!(false), &json!("VERIFICATION_FAILED"), &json!("failed")),
        "{:#}",
        answer.structured
    );
    let message = answer["/error/message"].as_str().unwrap();
    assert!(message.contains("holds 5 characters") && !message.contains("Zanzi"), "{message}");
    assert_eq!(answer["delivery_status"], "delivered");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_and_a_field_that_was_sent_are_not_read_back_and_that_is_said() {
    let bench = bench(Flavor::best(), 34).await;
    let secret = json!({ "text": "Zanzibar42", "selector": { "resource_id": "secret" } });
    let answer = bench.call("type_text", secret).await.succeeded();
    assert!(answer["/details/read_back"].as_str().unwrap().contains("password"), "{:#}", answer["details"]);
    assert_eq!(bench.phone().text_of("main.secret").as_deref(), Some("Zanzibar42"));
    let sent = bench.call("type_text", json!({ "text": "Ann", "selector": name(), "submit": true })).await.succeeded();
    assert!(sent["/details/read_back"].as_str().unwrap().contains("not compared"), "{:#}", sent["details"]);
    bench.call("expect_element_visible", json!({ "selector": { "text": "Sent" } })).await.succeeded();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_text_has_more_time_than_a_short_one_unless_its_time_is_given() {
    let bench = bench(Flavor::StandIn, 34).await;
    let long = "a%s".repeat(300);
    let mut call = json!({ "text": long, "selector": name(), "verificationMode": "none" });
    let grown = bench.call("type_text", call.clone()).await.succeeded();
    let ms = grown["/effective_controls/actionTimeoutMs"].as_u64().unwrap();
    assert!(ms > 150_000, "{ms}: hundreds of commands, each with a JVM's start on an old device");
    assert_eq!(text(&bench), long);
    call["actionTimeoutMs"] = json!(30_000);
    call["replace"] = json!(true);
    let given = bench.call("type_text", call).await.fine();
    assert_eq!(given["/effective_controls/actionTimeoutMs"], 30_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guard_covers_the_focused_field_and_not_one_that_is_tapped_first() {
    let bench = bench(Flavor::best(), 34).await;
    bench.call("tap_element", json!({ "selector": name(), "verificationMode": "none" })).await.succeeded();
    let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
    let mut call = bench.aimed(json!({ "text": "abc", "replace": true, "submit": true, "verificationMode": "none" }));
    call["expectedState"] =
        json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
    let mut named = call.clone();
    named["selector"] = name();
    let mark = bench.mark();
    bench.call("type_text", named).await.refused("INVALID_ARGUMENT", Some("expectedState"));
    mark.no_input("several children");
    let answer = bench.call("type_text", call).await.succeeded();
    assert_eq!((&answer["/condition/status"], text(&bench).as_str()), (&json!("matched"), "abc"));
}
