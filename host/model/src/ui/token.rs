//! A tolerant tokenizer for the markup of a dump.
//!
//! Dumps are nearly XML: `&#55357;&#56832;` for an emoji, bare `&`, `<` or `"` in values, log lines
//! between and inside tags. A strict reader loses the whole screen to one such character, so this one
//! reads tags and attributes only, and keeps everything else as stray text for the error classifier.

use std::borrow::Cow;

/// Stray text is kept for classifying errors, not as content.
const MAX_STRAY_BYTES: usize = 64 * 1024;
/// No attribute name of any Android version is longer; bounds the look-ahead for a value's end.
const MAX_NAME_BYTES: usize = 64;

/// One piece of markup; `at` is its offset in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// `<name …>` or `<name …/>`; its attributes are in [`Tokenizer::attributes`].
    Open {
        name: &'a str,
        at: usize,
        closed: bool,
    },
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
            if let Some(length) = skippable(&self.text[at..]) {
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
                    return Some(Token::Open {
                        name,
                        at,
                        closed: false,
                    });
                }
                b'/' if self.rest().starts_with("/>") => {
                    self.position += 2;
                    return Some(Token::Open {
                        name,
                        at,
                        closed: true,
                    });
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
        let Some((quote, skipped)) = quote_after_equals(self.rest()) else {
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
            if ends_value(&self.text[at + 1..]) {
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

/// The length of a comment, declaration, instruction or CDATA section at the start of `text`.
fn skippable(text: &str) -> Option<usize> {
    const KINDS: [(&str, &str); 4] = [
        ("<!--", "-->"),
        ("<![CDATA[", "]]>"),
        ("<?", "?>"),
        ("<!", ">"),
    ];
    let (opening, closing) = KINDS
        .into_iter()
        .find(|(opening, _)| text.starts_with(opening))?;
    // An unclosed one is stray text: skip only its opening, the tree may follow.
    Some(
        text[opening.len()..]
            .find(closing)
            .map_or(opening.len(), |at| opening.len() + at + closing.len()),
    )
}

fn begins_tag(text: &str) -> bool {
    text.starts_with("<node")
        || text.starts_with("</")
        || text.starts_with("<hierarchy")
        || text.starts_with("<window")
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The name at the start of `text`, if there is one.
fn name_at_start(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if !bytes
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
    {
        return None;
    }
    let named = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'$')
    };
    let length = bytes
        .iter()
        .position(|byte| !named(byte))
        .unwrap_or(bytes.len());
    text.get(..length)
}

/// `= "`: the quote, and how many bytes to skip to stand behind it.
fn quote_after_equals(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let space = |from: usize| {
        from + bytes[from..]
            .iter()
            .take_while(|byte| is_space(**byte))
            .count()
    };
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
fn ends_value(after: &str) -> bool {
    let trimmed = after.trim_start_matches([' ', '\t', '\n', '\r']);
    if trimmed.is_empty() || trimmed.starts_with('>') || trimmed.starts_with("/>") {
        return true;
    }
    let window = match trimmed.char_indices().nth(MAX_NAME_BYTES) {
        Some((end, _)) => &trimmed[..end],
        None => trimmed,
    };
    if name_at_start(window).is_some_and(|name| quote_after_equals(&window[name.len()..]).is_some())
    {
        return true;
    }
    after[..after.len() - trimmed.len()].contains('\n')
}

/// A raw value with its references resolved and illegal characters replaced by U+FFFD, each counted.
pub(super) fn unescape<'a>(raw: &'a str, replaced: &mut u32) -> Cow<'a, str> {
    if !raw.contains(|character| character == '&' || !is_legal(character)) {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(character) = rest.chars().next() {
        if character != '&' {
            text.push(legal_or_replaced(Some(character), replaced));
            rest = &rest[character.len_utf8()..];
            continue;
        }
        match reference(rest) {
            Some(Reference { character, length }) => {
                text.push(legal_or_replaced(character, replaced));
                rest = &rest[length..];
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    Cow::Owned(text)
}

struct Reference {
    /// `None`: a lone surrogate or no code point at all.
    character: Option<char>,
    length: usize,
}

/// The reference at the start of `text`; a surrogate pair written as two is one. `None`: a bare `&`.
fn reference(text: &str) -> Option<Reference> {
    const NAMED: [(&str, char); 5] = [
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&apos;", '\''),
    ];
    if let Some((name, character)) = NAMED.into_iter().find(|(name, _)| text.starts_with(name)) {
        return Some(Reference {
            character: Some(character),
            length: name.len(),
        });
    }
    let (code, length) = numeric(text)?;
    if (0xD800..0xDC00).contains(&code)
        && let Some((low @ 0xDC00..0xE000, low_length)) = numeric(&text[length..])
    {
        let joined = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        return Some(Reference {
            character: char::from_u32(joined),
            length: length + low_length,
        });
    }
    Some(Reference {
        character: char::from_u32(code),
        length,
    })
}

/// `&#10;` or `&#xA;`: its number (`u32::MAX` when too large) and length.
fn numeric(text: &str) -> Option<(u32, usize)> {
    let body = text.strip_prefix("&#")?;
    let (radix, digits) = match body.strip_prefix(['x', 'X']) {
        Some(digits) => (16, digits),
        None => (10, body),
    };
    let count = digits
        .bytes()
        .take_while(|byte| char::from(*byte).is_digit(radix))
        .count();
    if count == 0 || !digits[count..].starts_with(';') {
        return None;
    }
    let length = text.len() - digits.len() + count + 1;
    Some((
        u32::from_str_radix(&digits[..count], radix).unwrap_or(u32::MAX),
        length,
    ))
}

/// What XML 1.0 allows.
fn is_legal(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => true,
        '\u{FFFE}' | '\u{FFFF}' => false,
        _ => character >= ' ',
    }
}

fn legal_or_replaced(character: Option<char>, replaced: &mut u32) -> char {
    match character {
        Some(character) if is_legal(character) => character,
        _ => {
            *replaced = replaced.saturating_add(1);
            char::REPLACEMENT_CHARACTER
        }
    }
}
