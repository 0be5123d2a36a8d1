//! A third party's plugin, with and without what it asks for.

use serde_json::{Value, json};
use simphone::{Counters, Fault, FaultKind};

use super::{dist, provided, shown};
use crate::support::{Bench, Flavor, Setup};

const GRANTS: [&str; 3] = ["observe", "input:tap_element", "input:type_text"];

async fn with_grants(grants: &[&str]) -> Bench {
    let config = format!("[plugins.login-flow]\ngrants = {grants:?}\n");
    let setup = Setup::new("login", Flavor::StandIn).server(|server| {
        server.plugins.push(dist("examples"));
        server.config = Some(config);
    });
    setup.start().await
}

fn sign_in(args: Value) -> Value {
    json!({ "platform": "android", "steps": [{ "id": "it", "type": "login-flow/sign-in", "args": args, "timeoutMs": 20_000 }] })
}

fn right() -> Value {
    json!({ "user": "ada", "password": "analytical" })
}

#[tokio::test(flavor = "multi_thread")]
async fn granted_all_it_signs_in() {
    let bench = with_grants(&GRANTS).await;
    let plugin = shown(&bench, "login-flow").await;
    assert_eq!(
        (&plugin["state"], &plugin["built_in"], &plugin["version"]),
        (&json!("ready"), &json!(false), &json!("0.1.0")),
        "{plugin:#}"
    );
    assert_eq!(provided(&plugin, "steps"), ["login-flow/sign-in"]);
    assert_eq!((&plugin["requests"], &plugin["granted"]), (&json!(GRANTS), &json!(GRANTS)));
    assert_eq!(plugin["provides"]["steps"][0]["schema"]["required"], json!(["user", "password"]));

    let mark = bench.mark();
    let answer = bench.call("run_journey", sign_in(right())).await.succeeded();
    let result = &answer["/steps/0/result"];
    assert_eq!(result["plugin"]["body"], json!({ "greeting": "Welcome, ada" }), "{result:#}");
    assert_eq!((&result["plugin"]["untrusted"], &result["plugin"]["name"]), (&json!(true), &json!("login-flow")));
    assert_eq!(result["shows"][0]["action_type"], "tap_element", "what it shows is the host's own record: {result:#}");
    let kinds: Vec<String> = mark.inputs().into_iter().map(|input| input.kind).collect();
    assert_eq!(kinds, ["tap", "text", "tap", "text", "tap"]);
    assert_eq!(bench.phone().screen_name(), "welcome");
    assert!(!bench.client.stderr().contains("analytical"), "a password was logged");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_runs_out_of_time_says_what_it_had_sent() {
    let bench = with_grants(&GRANTS).await;
    bench.phone().fault(Fault::once("input", FaultKind::Hang));
    let mut journey = sign_in(right());
    journey["steps"][0]["timeoutMs"] = json!(1_500);
    let answer = bench.call("run_journey", journey).await.fine();
    let result = &answer["/steps/0/result"];
    assert_eq!(result["failure_code"], "ACTION_TIMEOUT", "{result:#}");
    let record = &result["last_record"];
    assert_eq!(
        (&record["action_type"], &record["dispatch_started"], &record["delivery_status"]),
        (&json!("tap_element"), &json!(true), &json!("unknown")),
        "{result:#}"
    );
    bench.call("list_devices", json!({})).await.fine();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_one_of_its_grants_nothing_is_even_looked_at() {
    for missing in GRANTS {
        let others: Vec<&str> = GRANTS.into_iter().filter(|grant| *grant != missing).collect();
        let bench = with_grants(&others).await;
        assert_eq!(shown(&bench, "login-flow").await["granted"], json!(others));
        let answer = bench.call("run_journey", sign_in(right())).await.refused("PLUGIN_DENIED", None);
        let (message, remedy) = (answer["/error/message"].as_str().unwrap(), answer["/error/remedy"].as_str().unwrap());
        assert!(message.contains("login-flow") && message.contains(missing), "{message}");
        assert!(remedy.contains("[plugins.login-flow]") && remedy.contains(missing), "{remedy}");
        assert!(answer["/error/member"].as_str().unwrap().starts_with("steps[0]"), "{:#}", answer.structured);
        assert_eq!(bench.phone().journal().counters(), Counters::default(), "without {missing}");
        // Its neighbours are not hurt.
        bench.call("press_back", json!({})).await.fine();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_step_after_good_ones_denies_the_whole_journey() {
    let bench = with_grants(&[]).await;
    let mut journey = sign_in(right());
    journey["steps"]
        .as_array_mut()
        .unwrap()
        .insert(0, json!({ "id": "first", "type": "tap", "selector": { "text": "Remember me" } }));
    bench.call("run_journey", journey).await.refused("PLUGIN_DENIED", None);
    assert_eq!(bench.phone().journal().counters(), Counters::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn its_arguments_are_checked_by_its_schema_before_the_device() {
    let bench = with_grants(&GRANTS).await;
    let with = |member: &str, value: Value| {
        let mut args = right();
        args[member] = value;
        sign_in(args)
    };
    let stepped = |member: &str, value: Value| {
        let mut journey = sign_in(right());
        journey["steps"][0][member] = value;
        journey
    };
    for (arguments, member, meant) in [
        (sign_in(json!({ "user": "ada" })), "steps[0].args.password", None),
        (sign_in(json!({})), "steps[0].args.user", None),
        (sign_in(json!(null)), "steps[0].args", None),
        (sign_in(json!([])), "steps[0].args", None),
        (with("user", json!(5)), "steps[0].args.user", None),
        (with("pasword", json!("a")), "steps[0].args.pasword", Some("password")),
        (stepped("timeoutMs", json!(99)), "steps[0].timeoutMs", None),
        (stepped("timeoutMs", json!(300_001)), "steps[0].timeoutMs", None),
        (stepped("timeoutMs", json!(500.5)), "steps[0].timeoutMs", None),
        (stepped("timeoutMs", json!("500")), "steps[0].timeoutMs", None),
        (stepped("timeoutMs", json!(null)), "steps[0].timeoutMs", None),
        (stepped("user", json!("ada")), "steps[0].user", None),
        (stepped("type", json!("login-flow/sign-on")), "steps[0].type", Some("login-flow/sign-in")),
        (stepped("type", json!("login-flow")), "steps[0].type", Some("login-flow/sign-in")),
        (stepped("type", json!("sign-in")), "steps[0].type", Some("login-flow/sign-in")),
    ] {
        let shown = arguments.to_string();
        let answer = bench.call("run_journey", arguments).await.refused("INVALID_ARGUMENT", Some(member));
        if let Some(meant) = meant {
            assert!(
                answer["/error/candidates"].as_array().unwrap().contains(&json!(meant)),
                "{shown}: {:#}",
                answer.structured
            );
        }
    }
    assert_eq!(bench.phone().journal().counters(), Counters::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_plugin_says_so() {
    let setup = Setup::new("login", Flavor::StandIn).server(|server| {
        server.plugins.push(dist("examples"));
        server.config = Some("[plugins.login-flow]\nenabled = false\n".to_owned());
    });
    let bench = setup.start().await;
    assert_eq!(shown(&bench, "login-flow").await["state"], "disabled");
    let answer = bench.call("run_journey", sign_in(right())).await.refused("PLUGIN_FAULT", Some("steps[0].type"));
    assert!(answer["/error/remedy"].as_str().unwrap().contains("enabled = true"), "{:#}", answer.structured);
}
