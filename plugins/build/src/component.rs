//! From a core module to a component.

use crate::Outcome;
use wit_component::ComponentEncoder;

/// Makes a component of a core module that carries its WIT in a custom section, and validates it.
pub(crate) fn encode(name: &str, module: &[u8]) -> Outcome<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(ComponentEncoder::encode)
        .map_err(|error| format!("{name}: {error:#}"))
}
