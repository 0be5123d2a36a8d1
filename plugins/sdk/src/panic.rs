//! The panic hook: a panic's text goes to the log before the instance ends.

use std::sync::Once;

/// Installs the hook once per instance; every exported function begins with it.
pub fn install() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|panic| crate::log::error(panic.to_string()))));
}
