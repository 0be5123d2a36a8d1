//! What is typed arrives: two thousand generated texts through every shell on the way, or refused before anything is sent.

use handset_model::Code;
use simphone::Phone;
use tokio::io::{empty, sink};

use super::super::input::joined;
use super::super::judge::{DONE, SAY};
use super::super::text::{Stroke, strokes};
use super::rig::instant;

/// Splitmix64: the same texts on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn text(&mut self) -> String {
        let pieces = match self.below(40) {
            0 => 400,
            1..=4 => 60,
            _ => 1 + self.below(12),
        };
        let plain = self.below(8) > 0;
        (0..pieces).map(|_| self.piece(plain)).collect()
    }

    fn piece(&mut self, plain: bool) -> String {
        const HARD: [&str; 24] = [
            "'", "\"", "\\", "$", "`", "%s", "%", "%%s", "% s", "$(id)", "${x}", "&&", "||", ";", "|", "<", ">", "#",
            "~", "*", "?", "!", "'\\''", "-n ",
        ];
        const BREAKS: [&str; 4] = ["\n", "\t", "\r\n", "\n\n"];
        const FOREIGN: [&str; 8] = ["é", "日本", "😀", "ß", "\u{301}", "\u{7f}", "\u{200b}", "Ω"];
        match self.below(if plain { 20 } else { 22 }) {
            0..=9 => self.of(&HARD).to_owned(),
            10..=11 => " ".repeat(1 + self.below(4)),
            12 => self.of(&BREAKS).to_owned(),
            20.. => self.of(&FOREIGN).to_owned(),
            _ => (0..1 + self.below(9)).map(|_| char::from(u8::try_from(0x20 + self.below(0x5f)).unwrap())).collect(),
        }
    }
}

/// One line on the phone, as adb brings it there.
async fn run(phone: &Phone, line: &str) {
    let words = ["--phones", &phone.adb_addr().to_string(), "shell", line].map(Into::into).to_vec();
    assert_eq!(simphone::standin::standin_main(words, empty(), sink(), sink()).await, 0, "{line}");
}

/// What the phone's journal says was typed, Enter and Tab as the characters they stand for.
fn arrived(phone: &Phone, from: usize) -> String {
    let inputs = phone.journal().inputs().split_off(from);
    inputs
        .iter()
        .map(|input| match (input.kind.as_str(), input.args[0].as_str()) {
            ("text", raw) => raw.replace("%s", " "),
            ("keyevent", "ENTER") => "\n".to_owned(),
            ("keyevent", "TAB") => "\t".to_owned(),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_texts_arrive_or_are_refused_before_they_are_typed() {
    let mut random = Random(0x1eaf);
    let phone = Phone::start(instant("dialogs")).await.unwrap();
    run(&phone, "input tap 500 1370").await;
    let (mut typed, mut refused, mut long, mut in_field) = (0, 0, 0, 0);
    for _ in 0..2_000 {
        let text = random.text();
        let foreign = text.chars().any(|one| !matches!(one, ' '..='~' | '\n' | '\r' | '\t'));
        let sent = match strokes(&text) {
            Ok(sent) => sent,
            Err(failure) => {
                assert_eq!((failure.code, foreign), (Code::UnsupportedText, true), "{text:?}: {failure:?}");
                refused += 1;
                continue;
            }
        };
        assert!(!foreign, "{text:?}");
        phone.set_text("main.note", "");
        let from = phone.journal().counters().inputs;
        let commands: Vec<String> = sent.iter().map(Stroke::command).collect();
        for line in joined(&commands, 1) {
            run(&phone, &format!("{SAY}; {line}; {DONE}")).await;
        }
        let should = text.replace("\r\n", "\n").replace('\r', "\n");
        assert_eq!(arrived(&phone, from), should, "{text:?}");
        if !should.contains(['\n', '\t']) {
            assert_eq!(phone.text_of("main.note").unwrap(), should, "{text:?}");
            in_field += 1;
        } else {
            // Enter and Tab took the focus elsewhere.
            assert!(phone.goto("main"));
            run(&phone, "input tap 500 1370").await;
        }
        typed += 1;
        long += usize::from(should.len() > 1_000);
    }
    assert!(typed > 1_500 && refused > 100 && long > 20 && in_field > 500, "{typed} {refused} {long} {in_field}");
}
