//! @NAME@: a condition. It is asked between the last read of the screen and the input; only `holds` lets the input go.

use handset_plugin::{Comparison, Element, Evidence, Finding, Observation, Predicate, Selector, export_predicates};

/// The arguments of `@NAME@/same-text`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct SameText {
    /// Its resource id.
    #[schemars(length(min = 1))]
    id: String,
}

impl Predicate for SameText {
    const NAME: &str = "same-text";
    const SUMMARY: &str = "Holds while an element shows the text it had in the baseline.";

    fn check(self, screens: &Comparison) -> Result<Finding, String> {
        let Some(baseline) = screens.baseline() else {
            return Ok(Finding::cannot_tell("there is no baseline to compare with"));
        };
        let current = screens.current();
        let (Some(was), Some(is)) = (only(&baseline, &self.id)?, only(&current, &self.id)?) else {
            return Ok(Finding::cannot_tell(format!("there is not one {} in both screens", self.id)));
        };
        let finding = if was.text == is.text {
            Finding::holds()
        } else {
            Finding::fails(format!("{} has changed", self.id))
        };
        let detail = format!("{} / {}", was.text.unwrap_or_default(), is.text.unwrap_or_default());
        Ok(finding.evidence(Evidence::firm("compared-text").at(&current, is.index).detail(detail)))
    }
}

/// The only element with that id.
fn only(screen: &Observation, id: &str) -> Result<Option<Element>, String> {
    let found = screen.select(&Selector::resource_id(id))?;
    Ok(match found[..] {
        [one] => screen.element(one),
        _ => None,
    })
}

export_predicates!(SameText);
