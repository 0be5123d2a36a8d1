//! What every target does: gives its bytes to the parser of its name, which says itself what it promises.

/// Takes any bytes. `Ok` says whether they were something; `Err` names a promise that was not kept.
pub type Promise = fn(&[u8]) -> Result<bool, String>;

#[cfg(feature = "host")]
fn all() -> impl Iterator<Item = (&'static str, Promise)> {
    handset::parsers::all()
}

#[cfg(not(feature = "host"))]
fn all() -> impl Iterator<Item = (&'static str, Promise)> {
    handset_model::parsers::PARSERS.iter().chain(simphone::parsers::PARSERS).copied()
}

/// Ends the process, which is what a fuzzer looks for, where the parser does not keep what it promises.
pub fn keeps(name: &str, data: &[u8]) {
    let Some((_, promise)) = all().find(|(known, _)| *known == name) else { panic!("there is no parser {name:?}") };
    if let Err(broken) = promise(data) {
        panic!("{name}: {broken}");
    }
}
