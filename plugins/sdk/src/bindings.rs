//! What `wit-bindgen` makes of the door, one module per world. The other modules wrap it.
//!
//! The three worlds share the types of their common imports: an observation is the same Rust type
//! whichever world a component exports.

#![allow(
    missing_docs,
    clippy::all,
    reason = "generated from ../../wit, where the documentation is"
)]

/// The world of journey step types; the only one that imports a device.
pub mod step {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "journey-step",
        runtime_path: "::handset_plugin::rt",
        pub_export_macro: true,
        export_macro_name: "export_step_world",
        default_bindings_module: "::handset_plugin::bindings::step",
        generate_all,
    });
}

/// The world of condition predicates.
pub mod condition {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "condition-predicate",
        runtime_path: "::handset_plugin::rt",
        pub_export_macro: true,
        export_macro_name: "export_condition_world",
        default_bindings_module: "::handset_plugin::bindings::condition",
        with: {
            "handset:plugin/ui@0.1.0": super::step::handset::plugin::ui,
            "handset:plugin/log@0.1.0": super::step::handset::plugin::log,
            "handset:plugin/settings@0.1.0": super::step::handset::plugin::settings,
        },
    });
}

/// The world of readiness classifiers.
pub mod readiness {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "readiness-classifier",
        runtime_path: "::handset_plugin::rt",
        pub_export_macro: true,
        export_macro_name: "export_readiness_world",
        default_bindings_module: "::handset_plugin::bindings::readiness",
        with: {
            "handset:plugin/ui@0.1.0": super::step::handset::plugin::ui,
            "handset:plugin/log@0.1.0": super::step::handset::plugin::log,
            "handset:plugin/settings@0.1.0": super::step::handset::plugin::settings,
        },
    });
}
