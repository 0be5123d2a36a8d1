//! A value that a local HTTP server sends late, in place: no assertion passes on a read begun before it was sent.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Answer, Bench, Flavor, Setup, wait_until};

/// What the server sends; the screen says something else before.
const SENT: &str = "Balance paid";
const SELECTOR: &str = r#"{"text": "Balance paid"}"#;

fn scene(port: u16) -> String {
    format!(
        r#"
[app]
package = "com.example.bank"
start = "account"

[[screen]]
name = "account"

[[screen.element]]
class = "TextView"
rid = "balance"
text = "Balance due"
bounds = [64, 200, 1016, 300]

[[screen.element]]
class = "Button"
rid = "refresh"
text = "Refresh"
bounds = [64, 400, 1016, 520]
tap = [{{ fetch = "http://127.0.0.1:{port}/balance", set = "balance" }}]
"#
    )
}

/// A server whose one answer comes `delay` after it is asked, and when it was sent by the phone's own clock.
struct Server {
    bench: Bench,
    sent_ms: Arc<Mutex<Option<f64>>>,
}

impl Server {
    async fn start(delay: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let bench = Setup::written(&scene(port), Flavor::best()).start().await;
        let sent_ms = Arc::new(Mutex::new(None));
        let (journal, sent) = (bench.phone().journal(), Arc::clone(&sent_ms));
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).unwrap();
            std::thread::sleep(Duration::from_millis(delay));
            *sent.lock().unwrap() = Some(journal.now_ms());
            let length = SENT.len();
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{SENT}").unwrap();
        });
        Self { bench, sent_ms }
    }

    async fn refresh(&self) {
        let arguments = json!({ "selector": { "resource_id": "refresh" }, "verificationMode": "none" });
        self.bench.call("tap_element", arguments).await.succeeded();
    }

    /// The read that decided began after the answer was sent.
    fn decided_late(&self, case: &str, answer: &Answer) {
        let sent = self
            .sent_ms
            .lock()
            .unwrap()
            .unwrap_or_else(|| panic!("{case}: passed before anything was sent: {:#}", answer.structured));
        let last = self.bench.phone().journal().dumps().pop().unwrap();
        assert!(last.start_ms > sent, "{case}: decided on a read begun at {}, sent at {sent}", last.start_ms);
    }
}

fn selector() -> Value {
    serde_json::from_str(SELECTOR).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_assertion_passes_on_a_read_begun_before_the_answer_was_sent() {
    for delay in [100, 1_500] {
        for (tool, arguments) in [
            ("expect_element_visible", json!({ "selector": selector(), "timeout_ms": 20_000, "poll_interval_ms": 50 })),
            (
                "expect_state",
                json!({ "selector": { "resource_id": "balance" }, "property": "text_value", "expected": SENT, "timeout_ms": 20_000 }),
            ),
            ("wait_for_ui", json!({ "selector": selector(), "timeout_ms": 20_000, "poll_interval_ms": 50 })),
        ] {
            let server = Server::start(delay).await;
            server.refresh().await;
            let answer = server.bench.call(tool, arguments).await.succeeded();
            server.decided_late(&format!("{tool} after {delay} ms"), &answer);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_not_seen_before_it_was_sent() {
    for delay in [100, 1_500] {
        let before = Server::start(delay).await;
        let fingerprint = before.bench.call("get_screen_fingerprint", json!({})).await.fine()["fingerprint"].clone();
        for (tool, arguments) in [
            ("wait_for_ui_change", json!({ "expected_change": "text_change", "timeout_ms": 20_000 })),
            ("wait_for_screen_change", json!({ "previousFingerprint": fingerprint, "timeoutMs": 20_000 })),
        ] {
            let server = Server::start(delay).await;
            let mark = server.bench.mark();
            let pending = server.bench.client.begin(tool, arguments).await;
            // It has seen how the screen is before.
            wait_until("a first look", || mark.good_dumps() > 0).await;
            server.refresh().await;
            let answer = pending.answer().await.succeeded();
            server.decided_late(&format!("{tool} after {delay} ms"), &answer);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journeys_assertion_waits_for_what_its_tap_sets_going() {
    for (delay, verification) in [(100, "light"), (1_500, "light"), (1_500, "none")] {
        let server = Server::start(delay).await;
        let steps = json!([
            { "id": "refresh", "type": "tap", "selector": { "resource_id": "refresh" }, "verificationMode": verification },
            { "id": "paid", "type": "assert", "assertion": { "kind": "element_visible", "selector": selector() }, "timeoutMs": 20_000 },
        ]);
        let answer =
            server.bench.call("run_journey", json!({ "platform": "android", "steps": steps })).await.succeeded();
        server.decided_late(&format!("a journey after {delay} ms, {verification}"), &answer);
    }
}
