//! Lines for the host's log. They are counted and capped, and never reach the MCP client.

use crate::bindings::step::handset::plugin::log::{self, Level};

/// Something failed that should not have.
pub fn error(message: impl AsRef<str>) {
    log::write(Level::Error, message.as_ref());
}

/// Something the plugin's author should look at.
pub fn warn(message: impl AsRef<str>) {
    log::write(Level::Warn, message.as_ref());
}

/// Something worth knowing when all is well.
pub fn info(message: impl AsRef<str>) {
    log::write(Level::Info, message.as_ref());
}

/// Something only its author wants to read.
pub fn debug(message: impl AsRef<str>) {
    log::write(Level::Debug, message.as_ref());
}
