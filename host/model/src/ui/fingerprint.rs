//! "Which screen is this": a digest of what does not change by itself.

use sha2::{Digest, Sha256};

use super::text::normalize;
use super::{Element, Tree};

/// Contract §1: enough to tell screens apart, few enough that a long list does not drown the top.
const MAX_SIGNIFICANT: usize = 50;

/// Digest over at most 50 significant visible elements, top to bottom, left to right, dynamic text
/// removed, plus the activity. 16 hexadecimal digits.
///
/// Significant is what has text, description or id, or takes a tap. Removed are clock times, dates and
/// percentages wherever they stand, and texts that are nothing but a number; positions and states do
/// not count, so an animation is not another screen.
#[must_use]
pub fn fingerprint(tree: &Tree, activity: Option<&str>) -> String {
    let mut significant: Vec<&Element> = tree.elements.iter().filter(|element| is_significant(element)).collect();
    significant.sort_by_key(|element| (element.visible_bounds.top, element.visible_bounds.left));
    let mut digest = Sha256::new();
    let mut put = |value: &str| {
        digest.update((value.len() as u64).to_le_bytes());
        digest.update(value.as_bytes());
    };
    put(activity.unwrap_or_default());
    for element in significant.into_iter().take(MAX_SIGNIFICANT) {
        put(&element.class);
        put(element.resource_id.as_deref().unwrap_or_default());
        put(&steady(element.text.as_deref().unwrap_or_default()));
        put(&steady(element.description.as_deref().unwrap_or_default()));
        // Typing into a password field is a change; what was typed stays unknown.
        put(&element.secret.map(|secret| secret.to_string()).unwrap_or_default());
    }
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn is_significant(element: &Element) -> bool {
    let said = element.text.is_some() || element.description.is_some() || element.resource_id.is_some();
    element.traits.visible && (said || element.secret.is_some() || element.traits.clickable)
}

/// Words that belong to a time or a date once a number stands beside them.
const DATE_WORDS: &[&str] = &[
    "am",
    "pm",
    "a.m.",
    "p.m.",
    "percent",
    "%",
    "o'clock",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Characters of times and dates as they are written without spaces in Chinese, Japanese and Korean.
const DATE_SIGNS: &str = "年月日时時分秒点點上下午午前後周星期曜年월일시분초오전후";

/// What follows 周, 星期 or stands for 曜日 and 요일.
const WEEKDAY_SIGNS: &str = "一二三四五六七天月火水木金土요화수목금토";

/// The text without what changes by itself.
fn steady(text: &str) -> String {
    let text = normalize(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let moving = words.iter().any(|word| kind_of(word) == Word::Moving);
    let number = words.iter().any(|word| kind_of(word) == Word::Number);
    let date_word = |word: &str| {
        let bare = word.trim_matches([',', '.', ';', '(', ')']);
        DATE_WORDS.contains(&bare) || bare.chars().all(|sign| DATE_SIGNS.contains(sign) || WEEKDAY_SIGNS.contains(sign))
    };
    let dated = (moving || number) && words.iter().any(|word| date_word(word));
    let kept: Vec<&str> = (words.iter().copied())
        .filter(|word| kind_of(word) != Word::Moving)
        .filter(|word| !(dated && (date_word(word) || kind_of(word) == Word::Number)))
        .collect();
    if kept.iter().all(|word| kind_of(word) == Word::Number || *word == "/" || *word == "-") {
        return String::new();
    }
    kept.join(" ")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// A clock time, date or percentage.
    Moving,
    /// A bare number.
    Number,
    Steady,
}

fn kind_of(word: &str) -> Word {
    if !word.chars().any(|character| character.is_ascii_digit()) {
        return Word::Steady;
    }
    let digits_apart = |marks: &[char]| {
        let parts: Vec<&str> = word.trim_matches([',', '.', '(', ')', '[', ']']).split(marks).collect();
        parts.len() > 1 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let clock = word.trim_end_matches("am").trim_end_matches("pm");
    let is_time =
        clock.contains(':') && clock.chars().all(|character| character.is_ascii_digit() || ":.,()".contains(character));
    let is_date = (digits_apart(&['/', '-']) || digits_apart(&['.'])) && word.matches(['/', '-', '.']).count() >= 2;
    let is_percent = word.contains('%') && !word.chars().any(char::is_alphabetic);
    let cjk_date =
        word.chars().all(|character| character.is_ascii_digit() || character == ':' || DATE_SIGNS.contains(character))
            && word.chars().any(|character| DATE_SIGNS.contains(character));
    if is_time || is_date || is_percent || cjk_date {
        Word::Moving
    } else if !word.chars().any(char::is_alphabetic) {
        Word::Number
    } else {
        Word::Steady
    }
}
