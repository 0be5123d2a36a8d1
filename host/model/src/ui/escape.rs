//! Attribute values as they were meant: references resolved, what no text can hold replaced.

use std::borrow::Cow;

/// A raw value with its references resolved and illegal characters replaced by U+FFFD, each counted.
pub(super) fn unescape<'a>(raw: &'a str, replaced: &mut u32) -> Cow<'a, str> {
    // 0xEF begins the noncharacters; most values hold none of these.
    if raw.bytes().all(|byte| byte >= b' ' && byte != b'&' && byte != 0xEF) {
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
    const NAMED: [(&str, char); 5] = [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&apos;", '\'')];
    if let Some((name, character)) = NAMED.into_iter().find(|(name, _)| text.starts_with(name)) {
        return Some(Reference { character: Some(character), length: name.len() });
    }
    let (code, length) = numeric(text)?;
    if (0xD800..0xDC00).contains(&code)
        && let Some((low @ 0xDC00..0xE000, low_length)) = numeric(&text[length..])
    {
        let joined = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        return Some(Reference { character: char::from_u32(joined), length: length + low_length });
    }
    Some(Reference { character: char::from_u32(code), length })
}

/// `&#10;` or `&#xA;`: its number (`u32::MAX` when too large) and length.
fn numeric(text: &str) -> Option<(u32, usize)> {
    let body = text.strip_prefix("&#")?;
    let (radix, digits) = match body.strip_prefix(['x', 'X']) {
        Some(digits) => (16, digits),
        None => (10, body),
    };
    let count = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    if count == 0 || !digits[count..].starts_with(';') {
        return None;
    }
    let length = text.len() - digits.len() + count + 1;
    Some((u32::from_str_radix(&digits[..count], radix).unwrap_or(u32::MAX), length))
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
