//! `cargo plugins check`.

use crate::guests::{GUESTS, Place};
use crate::lock::{Lock, wit_component};
use crate::make::{components, locked, manifest, manifest_file};
use crate::toolchain::installed;
use crate::{Outcome, Places, at, say, sources};
use std::collections::BTreeSet;
use std::fs;

const REBUILD: &str = "run `cargo plugins` and commit plugins/dist";

pub(crate) fn check(places: &Places) -> Outcome<()> {
    let lock = Lock::read(places)?;
    committed_is_locked(places, &lock)?;
    let digest = sources::digest(places)?;
    if digest != lock.sources {
        return Err(format!(
            "the guests' sources have changed since plugins/dist was built (digest {digest}, \
             locked {}): {REBUILD}",
            lock.sources
        ));
    }
    let encoder = wit_component(places)?;
    if encoder != lock.toolchain.wit_component {
        return Err(format!(
            "plugins/dist was made with wit-component {}, Cargo.lock has {encoder}: {REBUILD}",
            lock.toolchain.wit_component
        ));
    }
    rebuilt_is_committed(places, &lock)
}

/// The files in `dist` are the ones the lock describes.
fn committed_is_locked(places: &Places, lock: &Lock) -> Outcome<()> {
    let known: BTreeSet<String> = GUESTS.iter().map(crate::guests::Guest::file).collect();
    let listed: BTreeSet<String> = lock.components.keys().cloned().collect();
    if let Some(file) = known.symmetric_difference(&listed).next() {
        return Err(format!(
            "{file}: in the lock or among the guests, but not in both: {REBUILD}"
        ));
    }
    for (name, component) in &lock.components {
        let file = places.dist.join(name);
        let bytes = fs::read(&file).map_err(at(&file))?;
        if locked(&bytes) != *component {
            return Err(format!(
                "{name}: is not the component the lock describes: {REBUILD}"
            ));
        }
    }
    for guest in GUESTS
        .iter()
        .filter(|guest| matches!(guest.place, Place::Example))
    {
        let component = places.dist.join(guest.file());
        let bytes = fs::read(&component).map_err(at(&component))?;
        let file = manifest_file(&places.dist, guest);
        let shipped = fs::read_to_string(&file).map_err(at(&file))?;
        if shipped.replace("\r\n", "\n") != manifest(places, guest, &bytes)? {
            return Err(format!(
                "{}: does not follow from its source: {REBUILD}",
                file.display()
            ));
        }
    }
    Ok(())
}

/// The same bytes come out again, where the same toolchain is there to say so.
fn rebuilt_is_committed(places: &Places, lock: &Lock) -> Outcome<()> {
    let here = installed(places)?;
    let Some(toolchain) = here
        .iter()
        .find(|toolchain| toolchain.named == lock.toolchain)
    else {
        say("plugins/dist belongs to its sources");
        say(&format!("not rebuilt: that takes {}", lock.toolchain));
        for other in &here {
            say(&format!("             here is {}", other.named));
        }
        return Ok(());
    };
    for (name, bytes) in components(places, toolchain)? {
        let file = places.dist.join(&name);
        if fs::read(&file).map_err(at(&file))? != bytes {
            return Err(format!(
                "{name}: rebuilding gives other bytes than the committed ones"
            ));
        }
    }
    say("plugins/dist belongs to its sources; rebuilt, byte for byte the same");
    Ok(())
}
