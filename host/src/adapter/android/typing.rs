//! Text into a field: what it takes on this device, in which children, and what is refused before anything is typed.

use handset_model::android::{parse_field_focused, quote};
use handset_model::{Code, Failure};

use super::Android;
use super::gestures::Line;
use super::input::{joined, numbered};
use super::shell::Script;
use super::text::{KEY_ENTER, Stroke, has_controls, strokes};
use crate::budget::Budget;
use crate::device::{Input, Pinned, Typing};

/// Input methods that take text from a shell, by the id `ime list -s` shows.
const METHODS: &[Method] = &[Method { id: "com.android.adbkeyboard/.AdbIME", package: "com.android.adbkeyboard" }];

/// An input method that commits what a broadcast `ADB_INPUT_B64` brings, base64 of UTF-8 in its extra `msg`.
#[derive(Clone, Copy, Debug)]
struct Method {
    id: &'static str,
    package: &'static str,
}

/// Bytes of text in one broadcast: as base64 in its line it stays within what an old device takes.
const BROADCAST: usize = 1_800;

/// How long a switch of the input method and its way back may take on the device, ms: the lane waits for it.
const SWITCHING: u32 = 5_000;

/// What a line says when the input method it switched to did not start.
pub(super) const UNBOUND: &str = "handset:unbound";

/// What a line says when the input method from before could not be set again.
pub(super) const LEFT: &str = "handset:ime-left";

/// Waits, after a tap on a field, until the keyboard is shown, a second and a half at most: a device may have none.
const FOCUS: &str = "n=0; while [ $n -lt 10 ]; do case \"$(dumpsys input_method 2>/dev/null)\" in *mInputShown=true*) break;; esac; n=$((n+1)); sleep 0.1; done; :";

/// Keys that one `input keyevent` presses.
const KEYS: usize = 100;

impl Android {
    /// The children that type: a tap on the field where one is named, then what clears it, the text, and Enter.
    pub(super) async fn typing_line(&self, device: &Pinned, typing: &Typing, budget: &Budget) -> Result<Line, Failure> {
        let text = strokes(&typing.text);
        let method = match &text {
            Err(failure) if failure.code == Code::UnsupportedText && !has_controls(&typing.text) => {
                Some(self.method(device, budget).await?.ok_or_else(|| failure.clone())?)
            }
            Err(failure) => return Err(failure.clone()),
            Ok(_) => None,
        };
        if typing.into.is_none() {
            self.something_focused(device, budget).await?;
        }
        let clearing = match typing.replace {
            true => self.clearing(device, typing.standing, budget).await?,
            false => Vec::new(),
        };
        let mut all = clearing;
        if method.is_none() {
            all.extend(text?.iter().map(Stroke::command));
        }
        if typing.submit && method.is_none() {
            all.push(Stroke::Key(KEY_ENTER).command());
        }
        if typing.into.is_none() && method.is_none() {
            return Ok(Line::strokes(all));
        }
        let mut line = Line::default();
        let mut number = 1;
        if let Some((x, y)) = typing.into {
            line.whole.push(format!("{} && {{ {FOCUS}; }}", numbered(number, &format!("input tap {x} {y}"))));
            number += 1;
        }
        line.whole.extend(joined(&all, number));
        number += all.len();
        if let Some(method) = method {
            line.gesture_ms = SWITCHING;
            for part in parts(&typing.text) {
                line.whole.push(method.line(number, part));
                number += 1;
            }
            if typing.submit {
                line.whole.extend(joined(&[Stroke::Key(KEY_ENTER).command()], number));
                number += 1;
            }
        }
        line.strokes = vec![String::new(); number - 1];
        Ok(line)
    }

    /// The first of [`METHODS`] that is enabled.
    async fn method(&self, device: &Pinned, budget: &Budget) -> Result<Option<Method>, Failure> {
        let script = Script::new().bounding().part("imes", "$t ime list -s 2>/dev/null");
        let reply = self.ask(device, &script, "asking for its input methods", budget).await?;
        let listed = reply.text("imes");
        Ok(METHODS.iter().find(|method| listed.lines().any(|line| line.trim() == method.id)).copied())
    }

    /// Only what is firm refuses: nothing is served and no keyboard shown. An app may take keys without any field.
    async fn something_focused(&self, device: &Pinned, budget: &Budget) -> Result<(), Failure> {
        const SERVED: &str =
            "$t dumpsys input_method | grep -E 'mServedView=|mServedInputConnection|mInputShown=|mIsInputViewShown='";
        let script = Script::new().bounding().part("served", SERVED);
        let reply = self.ask(device, &script, "asking whether a field has the focus", budget).await?;
        match parse_field_focused(&reply.text("served")) {
            Some(false) => Err(Failure::new(Code::NothingFocused, "no field has the focus; nothing was typed")
                .with_remedy("Tap a text field first, or name it with selector or elementId.")),
            _ => Ok(()),
        }
    }

    /// What empties the field, whatever its cursor's place.
    async fn clearing(
        &self,
        device: &Pinned,
        standing: Option<usize>,
        budget: &Budget,
    ) -> Result<Vec<String>, Failure> {
        // `keycombination` came with Android 12: Ctrl and A, then delete.
        if self.device_facts(device, budget).await?.sdk.is_none_or(|sdk| sdk >= 31) {
            return Ok(vec!["input keycombination 113 29".to_owned(), "input keyevent 67".to_owned()]);
        }
        let Some(standing) = standing else {
            let message = "replace needs Android 12, or a field named by selector or elementId whose text can be read";
            return Err(Failure::new(Code::Unsupported, message));
        };
        let press = |key: &str, times: usize| format!("input keyevent{}", format!(" {key}").repeat(times));
        let mut strokes = Vec::new();
        for begun in (0..standing).step_by(KEYS) {
            let times = (standing - begun).min(KEYS);
            strokes.extend([press("67", times), press("112", times)]);
        }
        Ok(strokes)
    }
}

impl Method {
    /// Switches to the method, waits until it is bound, sends, and sets back what was set before, whatever happened. All of it
    /// in the background of its own line: what ends adb's stream ends the shell that waits, and not this.
    fn line(self, number: usize, text: &str) -> String {
        let Self { id, package } = self;
        let current = "settings get secure default_input_method";
        let send = numbered(
            number,
            &format!("am broadcast -a ADB_INPUT_B64 -p {package} --es msg {}", quote(&base64(text.as_bytes()))),
        );
        format!(
            "{{ p=$({current}); ime set {id} >/dev/null 2>&1; n=0; f=1; while [ $n -lt 30 ]; do \
             case \"$(dumpsys input_method 2>/dev/null)\" in *mCurId={id}*) f=0; break;; esac; n=$((n+1)); sleep 0.1; done; \
             if [ $f = 0 ]; then {send}; f=$?; else echo {UNBOUND}; fi; \
             case \"$p\" in */*) ime set \"$p\" >/dev/null 2>&1; [ \"$p\" = \"$({current})\" ] || echo {LEFT};; esac; \
             [ $f = 0 ]; }} & k=$!; wait $k"
        )
    }
}

/// The text in pieces of a broadcast, none torn inside a character.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(BROADCAST));
        parts.push(part);
        rest = after;
    }
    parts
}

/// RFC 4648, padded.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let six = (bits >> (18 - 6 * place) & 63) as usize;
            let digit = ALPHABET.get(six).filter(|_| place <= chunk.len());
            out.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    out
}

/// What is said of an input that types, whose line found no input method to type with.
pub(super) fn unbound(input: &Input, said: &str) -> Option<Failure> {
    (matches!(input, Input::Text(_)) && said.contains(UNBOUND)).then(|| {
        Failure::new(
            Code::UnsupportedText,
            "the input method that takes this text did not start; the one before is set again",
        )
        .with_remedy(
            "Tap the field first so that a keyboard is asked for, and check that the input method works on its own.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_what_everybody_writes() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("fööb", "ZsO2w7Zi"), ("😀", "8J+YgA==")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn a_long_text_goes_in_parts_and_no_character_is_torn() {
        let text = "aé日😀".repeat(700);
        let parts = parts(&text);
        assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= BROADCAST));
        assert_eq!(parts.concat(), text);
        let longest = METHODS.iter().flat_map(|method| parts.iter().map(|part| method.line(999, part).len())).max();
        assert!(longest.unwrap() < 3_600, "{longest:?}: an old device takes 4096 with what goes before it");
    }

    #[test]
    fn the_method_from_before_is_set_again_whatever_became_of_the_text() {
        let line = METHODS[0].line(3, "é");
        let (before, after) = line.split_once("am broadcast").unwrap();
        assert!(before.starts_with("{ p=$(settings get secure default_input_method); ime set "));
        assert!(after.contains("ime set \"$p\"") && after.ends_with("} & k=$!; wait $k"), "{after}");
    }
}
