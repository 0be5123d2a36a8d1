//! What of a device's words may leave it: those a format is made of. Everything else keeps its length and nothing more.

use super::words::{SYSTEM, WORDS};

/// Longest text kept of one answer, bytes.
const LONGEST: usize = 16 * 1024;

/// Digits a number may have and stay: sizes, densities, counts. Longer ones may name a person or a device.
const DIGITS: usize = 5;

/// What is let through beside a format's own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// The app in front.
    package: Option<String>,
}

impl Redaction {
    /// Lets through `package`, the app in front, beside Android's own and the makers'.
    #[must_use]
    pub fn with_app(package: Option<&str>) -> Self {
        Self { package: package.map(str::to_owned) }
    }

    /// The text with every word replaced that no format has: letters by `x`, digits by `0`, one for one. What is left is
    /// at most as long, and the same when it is redacted again.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        // A class name stays or goes with the package before its slash.
        let mut with_package = None;
        while let Some(first) = rest.chars().next() {
            if out.len() >= LONGEST {
                break;
            }
            let word = rest.find(|c| !is_word(c)).map_or(rest, |end| rest.split_at(end).0);
            if word.is_empty() {
                // Punctuation and white space are a format's; a picture is somebody's words as much as letters are.
                out.push(if first.is_ascii() && (!first.is_ascii_control() || first == '\n') { first } else { ' ' });
                rest = rest.split_at(first.len_utf8()).1;
                if first != '/' {
                    with_package = None;
                }
                continue;
            }
            rest = rest.split_at(word.len()).1;
            let keep = with_package.take().unwrap_or_else(|| self.keeps(word)) && word.is_ascii();
            if keep {
                out.push_str(word)
            } else {
                out.extend(word.chars().map(masked))
            }
            if rest.starts_with('/') && word.contains('.') {
                with_package = Some(self.names(word));
            }
        }
        out.trim_end().to_owned()
    }

    fn keeps(&self, word: &str) -> bool {
        let bare = word.trim_matches('.');
        let number = |digits: &str| (1..=DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let halves = |by| bare.split_once(by).is_some_and(|(left, right)| number(left) && number(right));
        // `2038`, `24.0`, `1080x2400`, `u10`, `t27`, `420dpi`.
        let figures = number(bare)
            || halves('.')
            || halves('x')
            || ["u", "t"].iter().any(|sign| bare.strip_prefix(sign).is_some_and(number))
            || bare.strip_suffix("dpi").is_some_and(number);
        figures || WORDS.contains(&bare.trim_end_matches(|c: char| c.is_ascii_digit())) || self.names(word)
    }

    /// Whether a word is a name of the app in front, of Android or of a maker: the package, or one in it.
    fn names(&self, word: &str) -> bool {
        let of =
            |package: &str| word.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.package.as_deref().is_some_and(of) || (word.contains('.') && SYSTEM.iter().any(|package| of(package)))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// One ASCII character for each, so that a mask is masked again to itself.
fn masked(c: char) -> char {
    match c {
        '.' | '_' | '$' => c,
        c if c.is_numeric() => '0',
        _ => 'x',
    }
}
