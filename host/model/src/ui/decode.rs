//! From bytes to text: the encodings a dump arrives in, and which characters had to be replaced.

use std::borrow::Cow;

/// How the bytes were encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8 { bom: bool },
    Utf16 { big: bool, bom: bool },
}

/// A dump as text, with where it was repaired.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub(super) text: Cow<'a, str>,
    /// Offsets in `text` of characters that stand for undecodable input, ascending.
    replaced: Vec<usize>,
    encoding: Encoding,
}

impl Decoded<'_> {
    /// How many characters of a part of the text were replaced.
    pub(super) fn replaced_within(&self, from: usize, to: usize) -> usize {
        self.replaced.partition_point(|at| *at < to) - self.replaced.partition_point(|at| *at < from)
    }

    /// The offset in the bytes as they were given of an offset in the text; exact unless characters were replaced before it.
    pub(super) fn raw_offset(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(&self.text);
        match self.encoding {
            Encoding::Utf8 { bom } => before.len() + if bom { 3 } else { 0 },
            Encoding::Utf16 { bom, .. } => (before.encode_utf16().count() + usize::from(bom)) * 2,
        }
    }
}

/// Decodes UTF-8 or UTF-16, with or without a byte order mark. Total: what cannot be decoded becomes U+FFFD.
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    let encoding = detect(bytes);
    let mut replaced = Vec::new();
    let text = match encoding {
        Encoding::Utf8 { bom } => decode_utf8(&bytes[if bom { 3 } else { 0 }..], &mut replaced),
        Encoding::Utf16 { big, bom } => Cow::Owned(decode_utf16(&bytes[if bom { 2 } else { 0 }..], big, &mut replaced)),
    };
    Decoded { text, replaced, encoding }
}

fn detect(bytes: &[u8]) -> Encoding {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => return Encoding::Utf8 { bom: true },
        [0xFF, 0xFE, ..] => {
            return Encoding::Utf16 { big: false, bom: true };
        }
        [0xFE, 0xFF, ..] => {
            return Encoding::Utf16 { big: true, bom: true };
        }
        _ => {}
    }
    // Markup is mostly ASCII, so without a mark one half of each UTF-16 unit is zero.
    let head = &bytes[..bytes.len().min(1024) & !1];
    let (mut even, mut odd) = (0, 0);
    for pair in head.chunks_exact(2) {
        even += usize::from(pair[0] == 0 && pair[1] != 0);
        odd += usize::from(pair[1] == 0 && pair[0] != 0);
    }
    let enough = (head.len() / 2) * 2 / 5;
    match (even > enough, odd > enough) {
        (true, false) if even >= 2 => Encoding::Utf16 { big: true, bom: false },
        (false, true) if odd >= 2 => Encoding::Utf16 { big: false, bom: false },
        _ => Encoding::Utf8 { bom: false },
    }
}

fn decode_utf8<'a>(bytes: &'a [u8], replaced: &mut Vec<usize>) -> Cow<'a, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let valid = match std::str::from_utf8(rest) {
            Ok(all) => all,
            Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        text.push_str(valid);
        rest = &rest[valid.len()..];
        if rest.is_empty() {
            break;
        }
        if let Some((character, used)) = joined_surrogates(rest) {
            text.push(character);
            rest = &rest[used..];
            continue;
        }
        replaced.push(text.len());
        text.push(char::REPLACEMENT_CHARACTER);
        rest = &rest[invalid_length(rest)..];
    }
    Cow::Owned(text)
}

/// Java's "modified UTF-8" writes each half of a surrogate pair as three bytes of its own.
fn joined_surrogates(bytes: &[u8]) -> Option<(char, usize)> {
    let [0xED, a @ 0xA0..=0xAF, b @ 0x80..=0xBF, 0xED, c @ 0xB0..=0xBF, d @ 0x80..=0xBF, ..] = bytes else {
        return None;
    };
    let high = (u32::from(a & 0x0F) << 6) | u32::from(b & 0x3F);
    let low = (u32::from(c & 0x0F) << 6) | u32::from(d & 0x3F);
    char::from_u32(0x1_0000 + (high << 10) + low).map(|character| (character, 6))
}

/// Bytes that one replacement character stands for: a lone surrogate's three, else what UTF-8 decoding rejects at once.
fn invalid_length(bytes: &[u8]) -> usize {
    if let [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] = bytes {
        return 3;
    }
    let length = std::str::from_utf8(bytes).err().and_then(|error| error.error_len());
    length.unwrap_or(bytes.len()).max(1)
}

fn decode_utf16(bytes: &[u8], big: bool, replaced: &mut Vec<usize>) -> String {
    let pairs = bytes.chunks_exact(2);
    let odd_byte = !pairs.remainder().is_empty();
    let units = pairs.map(|pair| {
        let pair = [pair[0], pair[1]];
        if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    });
    let mut text = String::with_capacity(bytes.len() / 2);
    for unit in char::decode_utf16(units) {
        text.push(unit.unwrap_or_else(|_| {
            replaced.push(text.len());
            char::REPLACEMENT_CHARACTER
        }));
    }
    if odd_byte {
        replaced.push(text.len());
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}
