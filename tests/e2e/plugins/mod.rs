//! Components decide, and cannot do more: swapped built-ins, a third party's plugin, broken folders, hostile guests.

mod authoring;
mod bounds;
mod callers;
mod dozen;
mod folders;
mod granted;
mod hostile;
mod neighbours;
mod reloading;
mod swapped;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Bench, Flavor, Setup};

/// A component as committed, such as `tests/hostile.wasm`.
pub(crate) fn dist(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/dist").join(file)
}

/// The built-in components with one of them replaced.
pub(crate) fn swapped(scene: &str, name: &str, file: &str) -> Setup {
    let builtin = (name.to_owned(), dist(file));
    Setup::new(scene, Flavor::StandIn).server(|server| server.builtins.push(builtin))
}

/// A folder of plugins, made by the test.
pub(crate) struct Folder(tempfile::TempDir);

/// What a manifest says, to be changed by the test.
pub(crate) struct Manifest {
    pub(crate) name: String,
    pub(crate) wit: String,
    pub(crate) sha256: String,
    pub(crate) component: String,
    pub(crate) grants: Vec<String>,
    /// Further lines, before the first table.
    pub(crate) more: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// A plugin of these bytes; `change` may spoil its manifest.
    pub(crate) fn add(&self, folder: &str, wasm: &[u8], change: impl FnOnce(&mut Manifest)) -> &Self {
        let home = self.path().join(folder);
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("c.wasm"), wasm).unwrap();
        let mut manifest = Manifest {
            name: folder.to_owned(),
            wit: "handset:plugin@0.1.0".to_owned(),
            sha256: Sha256::digest(wasm).iter().map(|byte| format!("{byte:02x}")).collect(),
            component: "c.wasm".to_owned(),
            grants: vec!["observe".to_owned()],
            more: String::new(),
        };
        change(&mut manifest);
        let Manifest { name, wit, sha256, component, grants, more } = manifest;
        let text = format!(
            "name = {name:?}\nversion = \"1.0.0\"\ncomponent = {component:?}\nsha256 = {sha256:?}\nwit = {wit:?}\n{more}\n[requests]\ngrants = {grants:?}\n"
        );
        std::fs::write(home.join("plugin.toml"), text).unwrap();
        self
    }

    /// A plugin from `plugins/dist`.
    pub(crate) fn add_dist(&self, folder: &str, file: &str) -> &Self {
        self.add(folder, &std::fs::read(dist(file)).unwrap(), |_| {})
    }

    /// The login scene, this folder, and what the operator grants.
    pub(crate) fn setup(&self, config: &str) -> Setup {
        let (dir, config) = (self.path().to_owned(), config.to_owned());
        Setup::new("login", Flavor::StandIn).server(move |server| {
            server.plugins.push(dir);
            server.config = Some(config);
        })
    }

    pub(crate) async fn bench(&self, config: &str) -> Bench {
        self.setup(config).start().await
    }
}

/// One plugin as `list_plugins` shows it.
pub(crate) async fn shown(bench: &Bench, name: &str) -> Value {
    let plugins = bench.client.plugins().await;
    let found = plugins.iter().find(|plugin| plugin["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not listed: {plugins:#?}")).clone()
}

/// Names of what a plugin provides of a kind.
pub(crate) fn provided<'a>(plugin: &'a Value, kind: &str) -> Vec<&'a str> {
    plugin["provides"][kind].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect()
}

/// A journey of one step.
pub(crate) fn journey(step: &str) -> Value {
    json!({ "platform": "android", "steps": [{ "id": "it", "type": step, "timeoutMs": 2_000 }] })
}
