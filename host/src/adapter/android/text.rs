//! Text as strokes of the device's `input`: what it can type, and how its one escape is kept from biting.

use handset_model::Failure;
use handset_model::android::quote;

use super::input::unsupported;

/// Bytes of one `input text` as the shell reads it, where a quote is four: it injects a pair of key events per character
/// and fails as a whole.
const CHUNK: usize = 1_000;

const KEY_TAB: u16 = 61;
pub(super) const KEY_ENTER: u16 = 66;

/// One `input` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// As `input text` takes it: spaces are `%s`.
    Text(String),
    /// A key code.
    Key(u16),
}

impl Stroke {
    pub(super) fn command(&self) -> String {
        match self {
            Self::Text(text) => format!("input text {}", quote(text)),
            Self::Key(code) => format!("input keyevent {code}"),
        }
    }
}

/// The strokes that type `text`.
///
/// # Errors
/// `UNSUPPORTED_TEXT` naming the characters that no key event stands for, before anything is sent;
/// `INVALID_ARGUMENT` for no text at all.
pub(super) fn strokes(text: &str) -> Result<Vec<Stroke>, Failure> {
    if text.is_empty() {
        return Err(Failure::argument("text", "there is nothing to type"));
    }
    refuse_untypable(text)?;
    let mut strokes = Vec::new();
    let mut chunk = String::new();
    // A percent sign before an `s` must be the end of its command: `input` makes a space of the two, and has no way around.
    let mut after_percent = false;
    let mut size = 0;
    for character in text.replace("\r\n", "\n").chars() {
        let key = match character {
            '\n' | '\r' => Some(KEY_ENTER),
            '\t' => Some(KEY_TAB),
            _ => None,
        };
        let width = match character {
            '\'' => 4,
            ' ' => 2,
            _ => 1,
        };
        if key.is_some() || (after_percent && character == 's') || size + width > CHUNK {
            finish(&mut chunk, &mut strokes);
            size = 0;
        }
        size += width;
        after_percent = character == '%';
        match key {
            Some(code) => strokes.push(Stroke::Key(code)),
            None if character == ' ' => chunk.push_str("%s"),
            None => chunk.push(character),
        }
    }
    finish(&mut chunk, &mut strokes);
    Ok(strokes)
}

fn finish(chunk: &mut String, strokes: &mut Vec<Stroke>) {
    if !chunk.is_empty() {
        strokes.push(Stroke::Text(std::mem::take(chunk)));
    }
}

fn refuse_untypable(text: &str) -> Result<(), Failure> {
    let mut untypable: Vec<char> = Vec::new();
    for character in text.chars().filter(|c| !matches!(c, ' '..='~' | '\n' | '\r' | '\t')) {
        if !untypable.contains(&character) {
            untypable.push(character);
        }
    }
    if untypable.is_empty() {
        return Ok(());
    }
    const NAMED: usize = 8;
    let mut named: Vec<String> = untypable.iter().take(NAMED).map(|character| name(*character)).collect();
    if untypable.len() > NAMED {
        named.push(format!("{} more", untypable.len() - NAMED));
    }
    Err(unsupported(format!("the device's input command cannot type {}; nothing was typed", named.join(", "))))
}

/// Whether there is a control character in it, which no input method commits.
pub(super) fn has_controls(text: &str) -> bool {
    text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
}

fn name(character: char) -> String {
    let code = u32::from(character);
    if character.is_control() { format!("U+{code:04X}") } else { format!("'{character}' (U+{code:04X})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Vec<Stroke> {
        strokes(text).unwrap()
    }

    fn text(text: &str) -> Stroke {
        Stroke::Text(text.to_owned())
    }

    /// `input text` as the platform has it since Android 4.
    fn device_types(text: &str) -> String {
        let mut buffer: Vec<char> = text.chars().collect();
        let (mut escape, mut at) = (false, 0);
        while at < buffer.len() {
            if escape {
                escape = false;
                if buffer[at] == 's' {
                    buffer[at] = ' ';
                    at -= 1;
                    buffer.remove(at);
                }
            }
            if buffer[at] == '%' {
                escape = true;
            }
            at += 1;
        }
        buffer.into_iter().collect()
    }

    fn arrives(sent: &str) {
        let got: String = typed(sent)
            .into_iter()
            .map(|stroke| match stroke {
                Stroke::Text(text) => device_types(&text),
                Stroke::Key(KEY_ENTER) => "\n".to_owned(),
                Stroke::Key(_) => "\t".to_owned(),
            })
            .collect();
        assert_eq!(got, sent.replace("\r\n", "\n").replace('\r', "\n"));
    }

    #[test]
    fn a_literal_percent_s_is_broken_between_two_calls() {
        assert_eq!(typed("100%s off"), [text("100%"), text("s%soff")]);
        assert_eq!(typed("100% off"), [text("100%%soff")]);
    }

    #[test]
    fn what_is_sent_arrives() {
        for sent in [
            "hello world",
            "100%s",
            "100% s",
            "%%s",
            "%s%s%%ss",
            "%",
            " ",
            "a%\ns",
            "a\tb\r\nc\rd",
            "~#;'\"$(x)`\\&|<>*?[]{}!^",
            "-d 1",
            "%s %s",
        ] {
            arrives(sent);
        }
        arrives(&"% s%s ab".repeat(700));
    }

    #[test]
    fn long_text_is_cut_and_no_escape_is_torn() {
        let strokes = typed(&" ".repeat(1_500));
        assert_eq!(strokes.len(), 3);
        assert!(
            strokes
                .iter()
                .all(|stroke| matches!(stroke, Stroke::Text(text) if text.len() <= CHUNK && text.len() % 2 == 0))
        );
    }

    #[test]
    fn no_stroke_is_longer_than_an_old_devices_service_name() {
        for sent in ["'".repeat(3_000), "ab'".repeat(1_500), "x".repeat(5_000)] {
            assert!(typed(&sent).iter().all(|stroke| stroke.command().len() < 1_100), "{sent}");
            arrives(&sent);
        }
    }

    #[test]
    fn quotes_reach_the_device_quoted_once() {
        assert_eq!(text("it's $HOME; rm").command(), r"input text 'it'\''s $HOME; rm'");
        assert_eq!(typed("\n"), [Stroke::Key(KEY_ENTER)]);
    }

    #[test]
    fn untypable_text_names_its_characters() {
        let failure = strokes("naïve café\u{7}\0 😀").unwrap_err();
        assert_eq!(failure.code, handset_model::Code::UnsupportedText);
        for named in ["'ï' (U+00EF)", "'é' (U+00E9)", "U+0007", "U+0000", "'😀' (U+1F600)"] {
            assert!(failure.message.contains(named), "{}", failure.message);
        }
        assert!(strokes("").is_err());
    }
}
