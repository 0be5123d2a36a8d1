//! What a plugin's author is told beyond what an agent is.

use super::faults::Fault;
use super::registry::Plugins;

impl Plugins {
    /// The last fault of a plugin, with the guest's own output as it wrote it.
    #[must_use]
    pub fn last_fault(&self, plugin: &str) -> Option<Fault> {
        self.set().iter().find(|entry| &*entry.name == plugin)?.faults.standing().last
    }
}

/// Whether a plugin may be called that: lower-case words joined by hyphens, a letter first, at most 64 bytes.
#[must_use]
pub fn is_name(text: &str) -> bool {
    super::evidence::is_kebab(text)
}

/// What a manifest's `sha256` says of these bytes.
#[must_use]
pub fn digest(component: &[u8]) -> String {
    super::manifest::sha256(component)
}
