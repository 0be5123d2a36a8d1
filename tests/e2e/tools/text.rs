//! type_text: what is sent arrives, byte for byte, through every shell on the way.

use serde_json::json;

use crate::support::{Bench, on_each_adb};

/// What shells, adb and `input` itself make something of.
const SPECIAL: [&str; 30] = [
    "'", "\"", "$", "`", "\\", "%", "%s", ";", "&", "|", "<", ">", "(", ")", "*", "?", "[", "]", "!", "#", "~", "=",
    "^", "@", ",", ".", "-", "_", "+", " ",
];

const WORDS: [&str; 40] = [
    "hello",
    "hello world",
    "it's",
    "say \"hi\"",
    "$HOME",
    "${HOME}",
    "$(reboot)",
    "`id`",
    "a\\b",
    "a\\nb",
    "100%",
    "100%s",
    "%s",
    "%%s",
    "%d",
    "% s",
    "a;b",
    "a && b",
    "a || b",
    "-d 1",
    "--help",
    "-",
    "a > /sdcard/x",
    "a < b",
    "* ? [a-z]",
    "!history",
    "~",
    "~root",
    "#hash",
    "a  b",
    " leading",
    "trailing ",
    "'; rm -rf /; '",
    "\"; reboot; \"",
    "$'\\x41'",
    "user@example.com",
    "P@$$w0rd!",
    "C:\\Windows\\x",
    "1 + 1 = 2",
    "end\\",
];

/// Two hundred strings: all of the words, each special alone, doubled, in front, at the end and inside, and neighbours.
fn strings() -> Vec<String> {
    let mut all: Vec<String> = WORDS.iter().map(ToString::to_string).collect();
    for (at, special) in SPECIAL.iter().enumerate() {
        let next = SPECIAL[(at + 1) % SPECIAL.len()];
        let further = SPECIAL[(at + 7) % SPECIAL.len()];
        all.push(special.to_string());
        all.push(format!("{special}{special}"));
        all.push(format!("{special}a{next}"));
        all.push(format!("a{special}{further}b"));
        all.push(format!("x {special} y"));
    }
    all.push(SPECIAL.concat());
    all.push(SPECIAL.iter().rev().copied().collect());
    all.push("a".repeat(300));
    all.push(" % s ".repeat(40));
    all.push("'\"".repeat(60));
    all.push("\\".repeat(50));
    all.push("$`".repeat(50));
    all.push("%s".repeat(40));
    all.push(WORDS.concat());
    all.push((' '..='~').filter(|c| !"{}".contains(*c)).collect());
    all
}

on_each_adb! {
    async fn two_hundred_hard_strings_arrive_byte_for_byte(flavor) {
        let bench = Bench::new("dialogs", flavor).await;
        bench
            .call("tap_element", json!({ "selector": { "resource_id": "note" }, "verificationMode": "none" }))
            .await
            .succeeded();
        let strings = strings();
        assert_eq!(strings.len(), 200);
        for text in strings {
            bench.phone().set_text("main.note", "");
            let mark = bench.mark();
            let answer = bench
                .call("type_text", json!({ "text": text, "verificationMode": "none", "responseMode": "compact" }))
                .await
                .fine();
            assert_eq!(answer["success"], true, "{text:?}: {:#}", answer.structured);
            assert_eq!(bench.phone().text_of("main.note").as_deref(), Some(text.as_str()), "{:?}", mark.inputs());
            assert!(mark.dumps().is_empty(), "{text:?}: mode none reads nothing");
        }
    }

    async fn a_line_break_is_the_enter_key_and_a_tab_the_tab_key(flavor) {
        let bench = Bench::new("dialogs", flavor).await;
        for (text, strokes) in [
            ("one\ntwo", vec!["text one", "keyevent ENTER", "text two"]),
            ("one\r\ntwo\n", vec!["text one", "keyevent ENTER", "text two", "keyevent ENTER"]),
            ("a\tb", vec!["text a", "keyevent TAB", "text b"]),
            ("\n", vec!["keyevent ENTER"]),
        ] {
            let mark = bench.mark();
            bench.call("type_text", json!({ "text": text, "verificationMode": "none" })).await.succeeded();
            let seen: Vec<String> =
                mark.inputs().iter().map(|input| format!("{} {}", input.kind, input.args.join(" "))).collect();
            let seen: Vec<String> = seen
                .iter()
                .map(|stroke| {
                    stroke
                        .replace("KEYCODE_", "")
                        .replace("keyevent 66", "keyevent ENTER")
                        .replace("keyevent 61", "keyevent TAB")
                })
                .collect();
            assert_eq!(seen, strokes, "{text:?}");
        }
    }

    async fn what_no_key_stands_for_is_refused_whole(flavor) {
        let bench = Bench::new("dialogs", flavor).await;
        for (text, named) in [
            ("smile 😀", "U+1F600"),
            ("naïve", "U+00EF"),
            ("日本", "U+65E5"),
            ("bell\u{7}", "U+0007"),
            ("zero\u{200b}width", "U+200B"),
        ] {
            for verification in ["none", "light", "full"] {
                let mark = bench.mark();
                let answer =
                    bench.call("type_text", json!({ "text": text, "verificationMode": verification })).await.fine();
                mark.no_input(text);
                assert_eq!(answer["failure_code"], "UNSUPPORTED_TEXT", "{text:?}: {:#}", answer.structured);
                assert!(answer["/error/message"].as_str().unwrap().contains(named), "{text:?}: {:#}", answer["error"]);
                assert_eq!(
                    (&answer["dispatch_started"], &answer["delivery_status"]),
                    (&json!(false), &json!("not_delivered")),
                    "{text:?}"
                );
            }
        }
    }

    async fn what_was_typed_is_in_no_log(flavor) {
        let bench = crate::support::Setup::new("dialogs", flavor)
            .server(|server| server.env.push(("RUST_LOG".into(), "handset=trace,handset_model=trace".into())))
            .start()
            .await;
        bench
            .call("tap_element", json!({ "selector": { "resource_id": "note" }, "verificationMode": "none" }))
            .await
            .succeeded();
        bench.call("type_text", json!({ "text": "Zanzibar42secret", "verificationMode": "full" })).await.succeeded();
        let log = bench.client.stderr();
        assert!(!log.is_empty(), "trace logs something");
        assert!(
            !log.contains("Zanzibar42secret"),
            "{}",
            log.lines().find(|line| line.contains("Zanzibar42secret")).unwrap()
        );
    }
}
