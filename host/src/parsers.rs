//! Everything here that takes bytes from outside, in one table: each a function of any bytes with what it promises.
//!
//! `cargo test` gives each of them random and damaged inputs; `fuzz/` has a target of each name. A parser that is in no
//! row here is tried by neither.

mod calls;
#[cfg(test)]
mod tests;

pub use handset_model::parsers::{Promise, promised};

use handset_model::parsers::sound;

use crate::cli::Config;
use crate::mcp::Profile;

/// Those of this file and of [`calls`].
const OWN: &[(&str, Promise)] = &[
    ("config_toml", config),
    ("tools_profile", profile),
    ("journey_plan", calls::plan),
    ("precondition", calls::precondition),
    ("rpc_lines", calls::lines),
];

/// Every parser of the product, by name.
pub fn all() -> impl Iterator<Item = (&'static str, Promise)> {
    let rooms = [
        handset_model::parsers::PARSERS,
        crate::adapter::android::parsers::PARSERS,
        crate::device::parsers::PARSERS,
        crate::plugin::parsers::PARSERS,
        crate::tools::parsers::PARSERS,
        OWN,
        simphone::parsers::PARSERS,
    ];
    rooms.into_iter().flatten().copied()
}

/// Gives bytes to the parser of this name.
///
/// # Errors
/// The promise that it did not keep, or that there is no such parser.
pub fn try_with(name: &str, bytes: &[u8]) -> Result<bool, String> {
    let (_, promise) = all().find(|(known, _)| *known == name).ok_or_else(|| format!("there is no parser {name:?}"))?;
    promise(bytes)
}

/// The operator's config: read, or refused with a line.
fn config(bytes: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    match toml::from_str::<Config>(text) {
        Ok(config) => {
            let grants = config.plugins.values().flat_map(|plugin| &plugin.grants);
            promised(grants.clone().all(|grant| grant.len() <= text.len()), || format!("{config:?}"))?;
            Ok(true)
        }
        Err(error) => promised(!error.message().is_empty(), || format!("{error:?}")).map(|()| false),
    }
}

/// A choice of tools: with all of them added, all of them.
fn profile(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    match Profile::parse(&text) {
        Ok(profile) => {
            promised(Profile::parse(&format!("{text},all")) == Ok(Profile::default()), || format!("{profile:?}"))?;
            promised(Profile::parse(&format!("{text},{text}")) == Ok(profile.clone()), || format!("{profile:?}"))?;
            Ok(true)
        }
        Err(why) => sound(&handset_model::Failure::argument("--tools", why)).map(|()| false),
    }
}
