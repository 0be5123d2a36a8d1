//! A tolerant tokenizer for the markup of a dump.
//!
//! Dumps are nearly XML: `&#55357;&#56832;` for an emoji, bare `&`, `<` or `"` in values, log lines
//! between and inside tags. A strict reader loses the whole screen to one such character, so this one
//! reads tags and attributes only, and keeps everything else as stray text for the error classifier.

/// Stray text is kept for classifying errors, not as content.
const MAX_STRAY_BYTES: usize = 64 * 1024;
/// No attribute name of any Android version is longer; bounds the look-ahead for a value's end.
const MAX_NAME_BYTES: usize = 64;

/// What is skipped, by its opening and closing; the first that fits counts.
const SECTIONS: [(&str, &str); 4] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];

/// One piece of markup; `at` is its offset in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// `<name …>` or `<name …/>`; its attributes are in [`Tokenizer::attributes`].
    Open { name: &'a str, at: usize, closed: bool },
    /// `</name>`.
    Close { name: &'a str, at: usize },
    /// A tag in which another tag begins: bytes are missing.
    Broken { name: &'a str, at: usize },
    /// A tag that the end of the input cuts.
    Cut { at: usize },
}

/// Reads tokens from a text; never fails, ends at the end of the text.
#[derive(Debug)]
pub(super) struct Tokenizer<'a> {
    text: &'a str,
    position: usize,
    /// Names and raw values of the tag just opened.
    pub(super) attributes: Vec<(&'a str, &'a str)>,
    /// What stood outside of tags, capped.
    pub(super) stray: String,
    /// Bytes that looking for the real end of a value may still cost, so that no input makes it quadratic.
    repair_budget: usize,
    /// Sections whose closing is known not to follow any more.
    unclosed: [bool; SECTIONS.len()],
}

impl<'a> Tokenizer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let repair_budget = text.len().saturating_mul(4).max(4096);
        Self {
            text,
            position: 0,
            attributes: Vec::with_capacity(32),
            stray: String::new(),
            repair_budget,
            unclosed: [false; SECTIONS.len()],
        }
    }

    /// Where the last token ended.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The text from `at` on.
    pub(super) fn text_from(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.rest();
            let Some(at) = rest.find('<').map(|found| self.position + found) else {
                self.keep_stray(rest);
                self.position = self.text.len();
                return None;
            };
            self.keep_stray(&self.text[self.position..at]);
            self.position = at;
            if let Some(length) = self.skippable(at) {
                self.position += length;
            } else if let Some(token) = self.tag(at) {
                return Some(token);
            } else {
                self.keep_stray("<");
                self.position = at + 1;
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.position += 1;
        }
    }

    /// The length of a comment, declaration, instruction or CDATA section at `at`. An unclosed one is stray
    /// text of which only the opening is skipped, since the tree may follow.
    fn skippable(&mut self, at: usize) -> Option<usize> {
        let text = &self.text[at..];
        let kind = SECTIONS.iter().position(|(opening, _)| text.starts_with(opening))?;
        let (opening, closing) = SECTIONS[kind];
        if !self.unclosed[kind]
            && let Some(end) = text[opening.len()..].find(closing)
        {
            return Some(opening.len() + end + closing.len());
        }
        self.unclosed[kind] = true;
        Some(opening.len())
    }

    fn keep_stray(&mut self, text: &str) {
        let room = MAX_STRAY_BYTES.saturating_sub(self.stray.len());
        if room == 0 || (text.trim().is_empty() && self.stray.is_empty()) {
            return;
        }
        let mut end = text.len().min(room);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.stray.push_str(&text[..end]);
    }

    /// Keeps the tag that began at `at` as stray text: stack traces hold `<init>`.
    pub(super) fn keep_tag(&mut self, at: usize) {
        self.keep_stray(&self.text[at..self.position]);
    }

    /// Ends the line of stray text: a tag of the tree stood there.
    pub(super) fn separate(&mut self) {
        if !self.stray.is_empty() && !self.stray.ends_with('\n') {
            self.stray.push('\n');
        }
    }

    /// The tag at `at`, or `None` when that `<` begins no tag.
    fn tag(&mut self, at: usize) -> Option<Token<'a>> {
        let closing = self.text[at + 1..].starts_with('/');
        let name_at = at + 1 + usize::from(closing);
        let name = name_at_start(&self.text[name_at..])?;
        self.position = name_at + name.len();
        if closing {
            self.skip_space();
            return match self.peek() {
                Some(b'>') => {
                    self.position += 1;
                    Some(Token::Close { name, at })
                }
                None => Some(Token::Cut { at }),
                Some(_) => None,
            };
        }
        self.attributes.clear();
        loop {
            self.skip_space();
            let Some(byte) = self.peek() else {
                return Some(Token::Cut { at });
            };
            match byte {
                b'>' => {
                    self.position += 1;
                    return Some(Token::Open { name, at, closed: false });
                }
                b'/' if self.rest().starts_with("/>") => {
                    self.position += 2;
                    return Some(Token::Open { name, at, closed: true });
                }
                b'<' if begins_tag(self.rest()) => return Some(Token::Broken { name, at }),
                _ => self.attribute(),
            }
        }
    }

    /// Takes one attribute, or one word of whatever got between the attributes.
    fn attribute(&mut self) {
        let rest = self.rest();
        let Some(name) = name_at_start(rest) else {
            self.position += rest.chars().next().map_or(1, char::len_utf8);
            return;
        };
        self.position += name.len();
        let Some((quote, skipped)) = quote_after_equals(self.rest().as_bytes()) else {
            return;
        };
        self.position += skipped;
        let start = self.position;
        let end = self.value_end(start, quote);
        self.attributes.push((name, &self.text[start..end]));
        self.position = (end + 1).min(self.text.len());
    }

    /// Where the value ends: at the first quote that can be the last, since labels hold bare quotes on old devices.
    fn value_end(&mut self, start: usize, quote: char) -> usize {
        let mut from = start;
        let mut first = None;
        while let Some(found) = self.text[from..].find(quote) {
            let at = from + found;
            if ends_value(&self.text.as_bytes()[at + 1..]) {
                return at;
            }
            first = first.or(Some(at));
            let cost = at + 1 - from;
            if cost > self.repair_budget {
                break;
            }
            self.repair_budget -= cost;
            from = at + 1;
        }
        first.unwrap_or(self.text.len())
    }
}

fn begins_tag(text: &str) -> bool {
    text.starts_with("<node") || text.starts_with("</") || text.starts_with("<hierarchy") || text.starts_with("<window")
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'$')
}

/// The name at the start of `text`, if there is one.
fn name_at_start(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
        return None;
    }
    let length = bytes.iter().position(|byte| !is_name(*byte)).unwrap_or(bytes.len());
    text.get(..length)
}

/// `= "`: the quote, and how many bytes to skip to stand behind it.
fn quote_after_equals(bytes: &[u8]) -> Option<(char, usize)> {
    let space = |from: usize| from + bytes[from..].iter().take_while(|byte| is_space(**byte)).count();
    let equals = space(0);
    if bytes.get(equals) != Some(&b'=') {
        return None;
    }
    let quote = space(equals + 1);
    match bytes.get(quote) {
        Some(b'"') => Some(('"', quote + 1)),
        Some(b'\'') => Some(('\'', quote + 1)),
        _ => None,
    }
}

/// Whether a quote followed by `after` can be the end of its value: a tag end, the next attribute, or a log line.
fn ends_value(after: &[u8]) -> bool {
    let space = after.iter().take_while(|byte| is_space(**byte)).count();
    match &after[space..] {
        [] | [b'>', ..] | [b'/', b'>', ..] => true,
        rest => begins_attribute(rest) || after[..space].contains(&b'\n'),
    }
}

/// `name=`, then a quote.
fn begins_attribute(bytes: &[u8]) -> bool {
    let name = bytes.iter().take(MAX_NAME_BYTES).take_while(|byte| is_name(**byte)).count();
    name > 0 && quote_after_equals(&bytes[name..]).is_some()
}
