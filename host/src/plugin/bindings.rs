//! What `bindgen!` makes of the door, twice: everything synchronous for pure calls, `device` and the
//! step's own exports asynchronous for steps. The types of `ui`, `log` and `settings` are the same in both.

#![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated from `wit/`, where the documentation is")]

/// All three interfaces, synchronous; `device` is there to be linked and never called.
pub mod pure {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "everything",
        imports: { default: trappable },
        with: {
            "handset:plugin/ui.observation": crate::plugin::lent::Screen,
            "handset:plugin/ui.timeline": crate::plugin::lent::Timeline,
            "handset:plugin/ui.comparison": crate::plugin::lent::Comparison,
            "handset:plugin/device.session": crate::plugin::lent::Session,
        },
    });
}

/// A step with a device behind it.
pub mod step {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "journey-step",
        imports: {
            "handset:plugin/device.[method]session.observe": async | trappable,
            "handset:plugin/device.[method]session.wait-for": async | trappable,
            "handset:plugin/device.[method]session.wait-for-screen": async | trappable,
            "handset:plugin/device.[method]session.call": async | trappable,
            default: trappable,
        },
        exports: { default: async },
        with: {
            "handset:plugin/ui": crate::plugin::bindings::pure::handset::plugin::ui,
            "handset:plugin/log": crate::plugin::bindings::pure::handset::plugin::log,
            "handset:plugin/settings": crate::plugin::bindings::pure::handset::plugin::settings,
            "handset:plugin/device.session": crate::plugin::lent::Session,
        },
    });
}
