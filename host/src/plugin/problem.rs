//! Why a plugin was not taken in: a code, a sentence naming file and member, and what to do.

use serde::Serialize;

/// A typed reason for a refusal, shown by `list_plugins`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Stable code, such as `SHA256_MISMATCH`.
    pub code: &'static str,
    /// What is wrong and where.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

macro_rules! problems {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $remedy:literal;)*) => {
        impl Problem {
            $($(#[doc = $doc])* pub(super) fn $name(message: impl Into<String>) -> Self {
                Self { code: $code, message: handset_model::code::sentence(message.into()), remedy: $remedy.to_owned() }
            })*
        }
    };
}

impl Problem {
    /// The operator's config is not what it should be.
    #[must_use]
    pub fn config(message: impl Into<String>) -> Self {
        Self {
            code: "CONFIG_INVALID",
            message: handset_model::code::sentence(message.into()),
            remedy: "Correct the named place and call reload_plugins again; until then everything stays as it was."
                .to_owned(),
        }
    }
}

problems! {
    /// The manifest or component cannot be read.
    unreadable = "UNREADABLE", "Check that the file exists and that Handset may read it.";
    /// The manifest is not the TOML it should be.
    manifest = "MANIFEST_INVALID", "Correct plugin.toml; `handset plugin check DIR` says what it takes.";
    /// A name that is none.
    name = "NAME_INVALID", "Use lower-case words joined by hyphens, a letter first, at most 64 characters.";
    /// A second plugin of the same name.
    duplicate = "NAME_DUPLICATE", "Rename or remove one of the two; the first keeps the name.";
    /// The component's bytes are not the manifest's.
    sha256 = "SHA256_MISMATCH", "If the component was rebuilt on purpose, write its new sha256 into plugin.toml.";
    /// Another version of the door.
    wit = "WIT_UNSUPPORTED", "Rebuild the plugin against the supported version, or update Handset.";
    /// A core module.
    core_module = "CORE_MODULE", "Turn the module into a component, for example with `wasm-tools component new`.";
    /// Not wasm, or broken.
    not_a_component = "NOT_A_COMPONENT", "Point `component` at the WebAssembly component that the build wrote.";
    /// Nothing Handset asks for.
    no_exports = "NO_EXPORTS", "Export readiness, condition or step of handset:plugin.";
    /// It wants what the host does not have.
    imports = "IMPORT_UNSUPPORTED", "Build it against Handset's WIT alone; WASI 0.2 without http is there, but empty.";
    /// A grant that is none.
    grant = "GRANT_INVALID", "Correct the named grant.";
    /// A limit out of range.
    limit = "LIMIT_INVALID", "Give memory_mib between 1 and 512.";
    /// It could not be compiled.
    compile = "COMPILE_FAILED", "Rebuild the component; if it is very large, build it without debug information.";
    /// What it says it provides is not acceptable.
    provides = "PROVIDES_INVALID", "Correct the named entry of the plugin and rebuild it.";
    /// It broke while it was asked what it provides.
    fault = "PLUGIN_FAULT", "The plugin must answer what it provides at once; fix it or disable it.";
    /// The engine cannot run here.
    engine = "ENGINE_UNAVAILABLE", "WebAssembly cannot be run on this machine; the message says why.";
}
