//! A search for words in a whole screen. It is the one host call whose work a guest can make large, so it ends with its call.

use handset_model::snapshot::Observation;
use handset_model::ui::Element;

use crate::plugin::faults::Breach;
use crate::plugin::limits::Meter;

/// Bytes compared, at most, between two looks at the clock: some tens of microseconds.
const UNWATCHED: usize = 1 << 14;

/// Classes and roles remembered in one search: a screen has few of them, each many times.
const KINDS: usize = 32;

/// Words to look for, lower-case, those with one first byte side by side.
pub(super) struct Words {
    words: Vec<String>,
    /// By first byte.
    ranges: Vec<std::ops::Range<usize>>,
    /// A bit for each pair of bytes that a word may begin with.
    pairs: Vec<u64>,
}

fn bit(first: u8, second: u8) -> (usize, u64) {
    let pair = usize::from(first) << 8 | usize::from(second);
    (pair / 64, 1 << (pair % 64))
}

impl Words {
    pub(super) fn new(words: &[String]) -> Self {
        let mut words: Vec<String> =
            words.iter().filter(|word| !word.is_empty()).map(|word| word.to_lowercase()).collect();
        words.sort();
        words.dedup();
        let first = |word: &String| word.as_bytes().first().copied();
        let range = |byte: u8| {
            words.partition_point(|word| first(word) < Some(byte))
                ..words.partition_point(|word| first(word) <= Some(byte))
        };
        let ranges = (0..=u8::MAX).map(range).collect();
        let mut pairs = vec![0; (1 << 16) / 64];
        let mut may_begin = |first, second| {
            let (at, bit) = bit(first, second);
            if let Some(bits) = pairs.get_mut(at) {
                *bits |= bit;
            }
        };
        for word in &words {
            match *word.as_bytes() {
                [first] => (0..=u8::MAX).for_each(|second| may_begin(first, second)),
                [first, second, ..] => may_begin(first, second),
                [] => {}
            }
        }
        Self { words, ranges, pairs }
    }

    /// Indexes of the elements whose class, role, text or description holds any of them.
    ///
    /// # Errors
    /// The call's time is up.
    pub(super) fn find(&self, screen: &Observation, meter: &Meter) -> Result<Vec<u32>, Breach> {
        let mut found = Vec::new();
        let mut work = 0;
        let mut kinds = Vec::with_capacity(KINDS);
        for (index, element) in (0_u32..).zip(&screen.tree.elements) {
            if self.any(element, &mut kinds, &mut work, meter)? {
                found.push(index);
            }
        }
        Ok(found)
    }

    fn any<'a>(
        &self,
        element: &'a Element,
        kinds: &mut Vec<(&'a str, bool)>,
        work: &mut usize,
        meter: &Meter,
    ) -> Result<bool, Breach> {
        for kind in [Some(&*element.class), element.role].into_iter().flatten() {
            let holds = match kinds.iter().find(|(known, _)| *known == kind) {
                Some((_, holds)) => *holds,
                None => {
                    let holds = self.within(kind, work, meter)?;
                    if kinds.len() < KINDS {
                        kinds.push((kind, holds));
                    }
                    holds
                }
            };
            if holds {
                return Ok(true);
            }
        }
        for text in [element.text.as_deref(), element.description.as_deref()].into_iter().flatten() {
            if self.within(text, work, meter)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a text holds any of the words, ignoring case. The common case, plain ASCII, allocates nothing.
    fn within(&self, text: &str, work: &mut usize, meter: &Meter) -> Result<bool, Breach> {
        let lowered;
        let bytes = if text.is_ascii() {
            text.as_bytes()
        } else {
            lowered = text.to_lowercase();
            lowered.as_bytes()
        };
        let mut first = bytes.first().map_or(0, u8::to_ascii_lowercase);
        for at in 0..bytes.len() {
            let second = bytes.get(at + 1).map_or(0, u8::to_ascii_lowercase);
            let begins = std::mem::replace(&mut first, second);
            *work += 1;
            let (place, bit) = bit(begins, second);
            let words = if self.pairs.get(place).is_some_and(|bits| bits & bit != 0) {
                self.beginning_with(begins)
            } else {
                &[]
            };
            *work += words.iter().map(String::len).sum::<usize>();
            if *work >= UNWATCHED {
                *work = 0;
                meter.at_work()?;
            }
            let here = |word: &String| {
                bytes.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
            };
            if words.iter().any(here) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn beginning_with(&self, byte: u8) -> &[String] {
        let range = self.ranges.get(usize::from(byte)).cloned().unwrap_or_default();
        self.words.get(range).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::limits::Pace;

    fn holds(words: &[&str], text: &str) -> bool {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        Words::new(&words).within(text, &mut 0, &Meter::new(Pace::Pure)).unwrap()
    }

    #[test]
    fn words_are_found_in_any_case_and_any_script() {
        for (words, text) in [
            (&["loading"][..], "Now LOADING it"),
            (&["zebra", "Zoo"], "the zoo"),
            (&["не отвечает"], "Приложение НЕ ОТВЕЧАЕТ"),
            (&["isn’t responding", "a"], "Shop ISN’T responding"),
            (&["ab", "abc"], "xxabc"),
            (&["İ"], "İstanbul"),
        ] {
            assert!(holds(words, text), "{words:?} in {text:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        for (words, text) in
            [(&["loading"][..], "loadin"), (&["", "b"], "aaa"), (&[], "a"), (&["é"], "e"), (&["ab"], "")]
        {
            assert!(!holds(words, text), "{words:?} in {text:?}");
        }
    }

    /// The same as looking for each word by itself, for many texts.
    #[test]
    fn it_agrees_with_the_plain_way() {
        let parts = ["a", "B", "ab", "bA", "é", "É", " ", "ß", "ı", "K", "\u{212a}"];
        let texts: Vec<String> = (0..parts.len().pow(3))
            .map(|n| [n, n / parts.len(), n / parts.len().pow(2)].map(|part| parts[part % parts.len()]).concat())
            .collect();
        for words in [&["ab"][..], &["é", "aB"], &["k"], &["ß", "ba b"], &["ı"]] {
            for text in &texts {
                let plain = words.iter().any(|word| text.to_lowercase().contains(&word.to_lowercase()));
                assert_eq!(holds(words, text), plain, "{words:?} in {text:?}");
            }
        }
    }
}
