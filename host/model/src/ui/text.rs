//! How strings of a screen are compared: trimmed, ignoring case and the marks nobody sees.

/// Byte order mark, zero-width characters, direction marks, embeddings and isolates, word joiner, soft hyphen.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{FEFF}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{061C}' | '\u{00AD}'
    )
}

fn trim(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || is_invisible(character))
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    trim(text).chars().filter(|character| !is_invisible(*character)).flat_map(char::to_lowercase)
}

/// The form in which two strings are compared.
pub(crate) fn normalize(text: &str) -> String {
    let trimmed = trim(text);
    if trimmed.is_ascii() { trimmed.to_ascii_lowercase() } else { folded(trimmed).collect() }
}

/// True when nothing remains to compare.
pub(crate) fn is_blank(text: &str) -> bool {
    trim(text).is_empty()
}

/// Whether `text` is `wanted`, or holds it; `wanted` is already normalised.
pub(crate) fn matches(text: &str, wanted: &str, part: bool) -> bool {
    let trimmed = trim(text);
    // The common case allocates nothing: a search asks this of each element.
    match (trimmed.is_ascii() && wanted.is_ascii(), part) {
        (true, true) => holds(trimmed.as_bytes(), wanted.as_bytes()),
        (true, false) => trimmed.eq_ignore_ascii_case(wanted),
        (false, true) => normalize(text).contains(wanted),
        (false, false) => folded(trimmed).eq(wanted.chars()),
    }
}

/// Whether `text` holds `wanted`, which is in lower case; both are ASCII.
fn holds(text: &[u8], wanted: &[u8]) -> bool {
    let Some((first, rest)) = wanted.split_first() else { return true };
    text.windows(wanted.len()).any(|window| {
        window
            .split_first()
            .is_some_and(|(begins, on)| begins.to_ascii_lowercase() == *first && on.eq_ignore_ascii_case(rest))
    })
}
