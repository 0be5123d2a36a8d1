//! `cargo plugins build`.

use crate::guests::{GUESTS, Guest, Place};
use crate::lock::{Component, Lock};
use crate::toolchain::{Installed, preferred};
use crate::{Outcome, Places, at, component, say, sources};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every component by its path below `dist`.
pub(crate) type Components = BTreeMap<String, Vec<u8>>;

pub(crate) fn build(places: &Places) -> Outcome<()> {
    let toolchain = preferred(places)?;
    let made = components(places, &toolchain)?;
    for (file, bytes) in &made {
        write(&places.dist.join(file), bytes)?;
        say(&format!("{:>8} {file}", bytes.len()));
    }
    for guest in GUESTS {
        if let (Place::Example, Some(bytes)) = (guest.place, made.get(&guest.file())) {
            let text = manifest(places, guest, bytes)?;
            write(&manifest_file(&places.dist, guest), text.as_bytes())?;
        }
    }
    let lock = Lock {
        sources: sources::digest(places)?,
        toolchain: toolchain.named,
        components: made
            .iter()
            .map(|(file, bytes)| (file.clone(), locked(bytes)))
            .collect(),
    };
    lock.write(places)
}

/// Compiles the guests and makes components of them.
pub(crate) fn components(places: &Places, toolchain: &Installed) -> Outcome<Components> {
    let modules = toolchain.compile(places)?;
    GUESTS
        .iter()
        .map(|guest| {
            let file = modules.join(guest.module());
            let module = fs::read(&file).map_err(at(&file))?;
            Ok((guest.file(), component::encode(guest.name, &module)?))
        })
        .collect()
}

/// What the lock says of a component.
pub(crate) fn locked(bytes: &[u8]) -> Component {
    Component {
        sha256: sources::sha256(bytes),
        size: bytes.len() as u64,
    }
}

/// Where an example's manifest is shipped.
pub(crate) fn manifest_file(dist: &Path, guest: &Guest) -> std::path::PathBuf {
    dist.join("examples").join(guest.name).join("plugin.toml")
}

/// An example's manifest with its component's digest filled in.
pub(crate) fn manifest(places: &Places, guest: &Guest, component: &[u8]) -> Outcome<String> {
    let file = places
        .plugins
        .join("examples")
        .join(guest.name)
        .join("plugin.toml");
    let text = fs::read_to_string(&file).map_err(at(&file))?;
    let empty = "\nsha256 = \"\"\n";
    if !text.contains(empty) {
        return Err(format!(
            "{}: has no line `sha256 = \"\"` to fill in",
            file.display()
        ));
    }
    let filled = text.replacen(
        empty,
        &format!("\nsha256 = \"{}\"\n", sources::sha256(component)),
        1,
    );
    let about = filled.lines().skip_while(|line| line.starts_with('#'));
    Ok(about.map(|line| format!("{line}\n")).collect())
}

fn write(file: &Path, bytes: &[u8]) -> Outcome<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    fs::write(file, bytes).map_err(at(file))
}
