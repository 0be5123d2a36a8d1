//! The plugin's own settings.

use crate::bindings::step::handset::plugin::settings as host;
use serde::de::DeserializeOwned;

/// The settings the operator wrote for this plugin (`[plugins.NAME.settings]`), read as `T`.
///
/// # Errors
/// What serde says when they do not fit `T`.
pub fn settings<T: DeserializeOwned>() -> Result<T, String> {
    serde_json::from_str(&host::get()).map_err(|error| format!("settings: {error}"))
}
