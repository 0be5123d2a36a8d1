//! What must be there for Handset to work, as one list of checks: for `get_system_status`, and for `handset doctor`.

mod machine;
mod phones;

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::House;
use super::sdk::Surroundings;
use crate::budget::Budget;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Fine,
    /// Not there, and only some things need it.
    Note,
    /// It works, not as well as it could.
    Warning,
    /// Handset cannot do its work.
    Broken,
}

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// adb and devices.
    Android,
    /// What builds need.
    Gradle,
    /// iOS simulators.
    Ios,
    /// Handset's own files and plugins.
    Handset,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name, a word or two.
    pub name: String,
    /// What it is about.
    pub area: Area,
    /// How it came out.
    pub verdict: Verdict,
    /// What was found, a sentence.
    pub found: String,
    /// What to do, where something is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Check {
    fn new(area: Area, name: impl Into<String>, verdict: Verdict, found: impl Into<String>) -> Self {
        Self { name: name.into(), area, verdict, found: found.into(), fix: None }
    }

    fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// A broken one.
    #[must_use]
    pub fn broken(area: Area, name: &str, found: String, fix: &str) -> Self {
        Self::new(area, name, Verdict::Broken, found).fix(fix)
    }

    /// One that is as it should be.
    #[must_use]
    pub fn fine(area: Area, name: &str, found: String) -> Self {
        Self::new(area, name, Verdict::Fine, found)
    }
}

/// What `get_system_status` says beside its checks.
#[derive(Clone, Debug, Default)]
pub struct Examined {
    /// In the order a person reads them.
    pub checks: Vec<Check>,
    /// adb can be run.
    pub adb: bool,
    /// Its version.
    pub adb_version: Option<String>,
    /// Every attached device and its state.
    pub states: Vec<(String, String)>,
    /// Devices that can be driven.
    pub usable: usize,
    /// A device gave a line of its log.
    pub logs: bool,
    /// The app that the environment names is installed, where it names one.
    pub app: Option<bool>,
}

impl Examined {
    /// What is wrong in an area, what weighs most first.
    pub fn blockers(&self, area: Area) -> Vec<&Check> {
        let mut wrong: Vec<&Check> =
            self.checks.iter().filter(|check| check.area == area && check.verdict != Verdict::Fine).collect();
        wrong.sort_by_key(|check| std::cmp::Reverse(check.verdict));
        wrong
    }

    /// The worst of an area.
    #[must_use]
    pub fn worst(&self, area: Area) -> Verdict {
        self.checks.iter().filter(|check| check.area == area).map(|check| check.verdict).max().unwrap_or(Verdict::Fine)
    }
}

/// adb, devices, and what builds need.
pub async fn examine(house: &House, budget: &Budget) -> Examined {
    let here = Surroundings::here();
    let mut examined = Examined::default();
    phones::examine(house, &here, &mut examined, budget).await;
    machine::emulator(&here, &mut examined);
    machine::gradle(&here, &mut examined);
    machine::ios(&mut examined);
    examined
}

/// Handset's own files and plugins, for a person.
pub async fn examine_house(house: &House, folders: &Folders, budget: &Budget) -> Vec<Check> {
    let mut checks = machine::folders(folders);
    checks.extend(plugins(house, budget).await);
    checks
}

/// Folders of Handset's own.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// Of compiled components; none when it is switched off.
    pub cache: Option<PathBuf>,
}

/// Compiling everything, cold, on a small machine.
pub const COMPILED: Duration = Duration::from_secs(120);

async fn plugins(house: &House, budget: &Budget) -> Vec<Check> {
    let ready = house.plugins.ready(budget).await;
    let listed = house.plugins.list();
    let mut checks = Vec::new();
    let mut fine = 0;
    for plugin in listed.as_array().into_iter().flatten() {
        let word = |name: &str| plugin.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        let (name, state) = (word("name"), word("state"));
        match state {
            "ready" | "disabled" => fine += 1,
            "refused" => {
                let why = plugin.get("problem").map(ToString::to_string).unwrap_or_default();
                let fix = "Correct it and see `handset plugin check FOLDER`, or disable it with [plugins.NAME] enabled = false.";
                checks.push(
                    Check::new(
                        Area::Handset,
                        format!("plugin {name}"),
                        Verdict::Broken,
                        format!("it is refused: {why}"),
                    )
                    .fix(fix),
                );
            }
            other => {
                let fix = "Run `handset plugin list` for the whole of it.";
                checks.push(
                    Check::new(Area::Handset, format!("plugin {name}"), Verdict::Warning, format!("it is {other}"))
                        .fix(fix),
                );
            }
        }
    }
    if ready.is_err() {
        let fix = "Run it again: what is compiled by then is kept.";
        checks.push(Check::new(Area::Handset, "plugins", Verdict::Warning, "they are still being compiled").fix(fix));
    }
    checks.insert(0, Check::new(Area::Handset, "plugins", Verdict::Fine, format!("{fine} load")));
    checks
}
