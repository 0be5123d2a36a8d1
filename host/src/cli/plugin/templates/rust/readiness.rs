//! @NAME@: a readiness classifier. It sees the reads of one request and says what the screen is up to.

use handset_plugin::{Assessment, Classifier, Evidence, State, Timeline, Traits, export_classifiers};

/// Names that apps give to the grey boxes they show while content is on its way.
const WORDS: [&str; 3] = ["skeleton", "shimmer", "placeholder"];

/// As many elements as are looked at.
const MOST: u32 = 500;

struct Placeholder;

impl Classifier for Placeholder {
    const NAME: &str = "placeholder";
    const SUMMARY: &str = "Loading, as a guess, while placeholders stand where content will be.";

    fn classify(samples: &Timeline) -> Result<Assessment, String> {
        let screen = samples.latest();
        let mut evidence = Vec::new();
        for element in screen.elements(0, MOST) {
            let name = element.resource_id.as_deref().unwrap_or(&element.class_name);
            if element.traits.contains(Traits::VISIBLE) && element.text.is_none() && says(name) {
                evidence.push(Evidence::guess("placeholder").at(&screen, element.index).detail(name));
            }
        }
        if evidence.len() < 2 {
            return Ok(Assessment::of(State::Unknown));
        }
        evidence.truncate(4);
        Ok(evidence.into_iter().fold(Assessment::of(State::Loading), Assessment::evidence))
    }
}

fn says(name: &str) -> bool {
    let lower = name.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

export_classifiers!(Placeholder);
