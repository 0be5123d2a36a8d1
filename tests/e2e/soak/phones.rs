//! Phones that can be told apart by every word on their screens.

use simphone::{PhoneOptions, Scene};

/// The word that only phone `number` shows.
pub(crate) fn word(number: usize) -> String {
    format!("phone-{number:02}")
}

/// A phone whose every text carries its word; its button flips between two screens.
pub(crate) fn marked(number: usize) -> PhoneOptions {
    let word = word(number);
    let screen = |name: &str, other: &str| {
        format!(
            r#"
[[screen]]
name = "{name}"

[[screen.element]]
class = "TextView"
rid = "heading"
text = "{word} shows {name}"
bounds = [64, 120, 1016, 220]

[[screen.element]]
class = "Button"
rid = "flip"
text = "Flip {word}"
bounds = [64, 240, 1016, 360]
tap = [{{ goto = "{other}" }}]

[[screen.element]]
id = "row{{n}}"
class = "TextView"
rid = "row"
text = "{word} {name} row {{n}}"
bounds = [64, 400, 1016, 480]
repeat = {{ count = 8, step = 90 }}
"#
        )
    };
    let toml = format!(
        "[app]\npackage = \"com.example.soak{number}\"\nstart = \"one\"\n{}{}",
        screen("one", "two"),
        screen("two", "one")
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("marked.toml");
    std::fs::write(&path, toml).expect("the scene is written");
    let mut options = PhoneOptions::new(Scene::from_path(&path).expect("a scene"));
    options.seed = 1 + number as u64;
    options
}

/// Words of other phones in an answer of phone `number`.
pub(crate) fn strangers(line: &[u8], number: usize) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let own = word(number);
    let mut rest = &*text;
    while let Some(at) = rest.find("phone-") {
        let found = rest.get(at..at + own.len()).unwrap_or(rest);
        if found != own {
            return Some(found.to_owned());
        }
        rest = &rest[at + own.len()..];
    }
    None
}

/// A point no two calls share, below everything that is drawn.
pub(crate) fn point(call: u64) -> (u64, u64) {
    (100 + call % 880, 1_300 + call / 880 % 900)
}
