//! Elements as answers show them: with the handle that names them later.

use handset_model::snapshot::Observation;
use handset_model::ui::{ElementView, element_json};
use serde_json::Value;

use crate::device::Screens;

/// `shapes.md`'s resolved element.
pub(super) fn resolved(screens: &Screens, observation: &Observation, index: u32) -> Value {
    let id = screens.element_id(observation, index);
    element_json(&observation.tree, index, ElementView::Resolved, id.as_deref())
}
