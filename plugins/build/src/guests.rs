//! The guests, as data.

/// Where a guest's component goes, below `plugins/dist`.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// Built into the host.
    BuiltIn,
    /// For the host's tests.
    Test,
    /// A plugin's folder, with its manifest, as a third party ships it.
    Example,
}

/// One guest: a package of `plugins/Cargo.toml` and its component's name.
pub(crate) struct Guest {
    pub(crate) package: &'static str,
    pub(crate) name: &'static str,
    pub(crate) place: Place,
}

/// Every guest there is.
pub(crate) const GUESTS: &[Guest] = &[
    guest("handset-readiness", "readiness", Place::BuiltIn),
    guest("handset-conditions", "conditions", Place::BuiltIn),
    guest("handset-steps", "steps", Place::BuiltIn),
    guest("login-flow", "login-flow", Place::Example),
    guest("all-three", "all-three", Place::Test),
    guest("contrary-readiness", "contrary-readiness", Place::Test),
    guest("contrary-tap", "contrary-tap", Place::Test),
    guest("describe-hangs", "describe-hangs", Place::Test),
    guest("hostile", "hostile", Place::Test),
    guest("snapshot-fails", "snapshot-fails", Place::Test),
    guest("snapshot-holds", "snapshot-holds", Place::Test),
    guest("table-flood", "table-flood", Place::Test),
];

const fn guest(package: &'static str, name: &'static str, place: Place) -> Guest {
    Guest {
        package,
        name,
        place,
    }
}

impl Guest {
    /// The component's path below `dist`, with forward slashes.
    pub(crate) fn file(&self) -> String {
        let name = self.name;
        match self.place {
            Place::BuiltIn => format!("{name}.wasm"),
            Place::Test => format!("tests/{name}.wasm"),
            Place::Example => format!("examples/{name}/{name}.wasm"),
        }
    }

    /// The core module's file name, as cargo names it.
    pub(crate) fn module(&self) -> String {
        format!("{}.wasm", self.package.replace('-', "_"))
    }
}
