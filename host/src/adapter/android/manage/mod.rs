//! Managing apps and the device, as commands that can be spawned. Nothing here is spawned.

mod device;
pub(super) mod grammar;
mod judge;
pub(super) mod users;

pub(super) use device::is_emulator;
pub(super) use judge::judged;

use std::path::{Path, PathBuf};

use handset_model::Failure;
use handset_model::android::quote;
use serde_json::{Map, Value, json};

use super::shell::Script;
use super::{Android, judge as inputs, launch};
use crate::budget::Budget;
use crate::device::{Input, Manage, Pinned, Prepared};
use crate::process::Command;

/// What is to be run.
enum Work {
    /// A command of the device's shell.
    Shell(String),
    /// Words of adb, for the connection.
    Adb(Vec<String>),
    /// Words of adb that name the device themselves.
    Console(Vec<String>),
}

/// What preparing came to.
struct Plan {
    work: Work,
    notes: Map<String, Value>,
}

impl Plan {
    fn shell(line: String) -> Self {
        Self { work: Work::Shell(line), notes: Map::new() }
    }

    fn noting(mut self, name: &str, value: Value) -> Self {
        self.notes.insert(name.to_owned(), value);
        self
    }
}

impl Android {
    /// Checks the words, asks the device what the command line needs, and builds it.
    pub(super) async fn prepare_manage(
        &self,
        device: &Pinned,
        what: Manage,
        user: Option<u32>,
        budget: &Budget,
    ) -> Result<Prepared, Failure> {
        let plan = self.plan(device, &what, user, budget).await?;
        self.meet(device, budget).await?;
        let command = match &plan.work {
            Work::Shell(line) => self.input_child(device, &format!("sh -c \"$s\" 1 {line}")),
            Work::Adb(words) => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                self.on_device(device, &words, inputs::OUTPUT)
            }
            Work::Console(words) => self.adb.command(words),
        };
        Ok(prepared(Input::Manage { what, user }, command, plan.notes))
    }

    async fn plan(&self, device: &Pinned, what: &Manage, user: Option<u32>, budget: &Budget) -> Result<Plan, Failure> {
        match what {
            Manage::Terminate { app_id } => {
                let (package, user) = self.app(device, app_id, user, budget).await?;
                let line = format!("am force-stop --user {user} {}", quote(package));
                Ok(Plan::shell(line).noting("user", json!(user)))
            }
            Manage::Reset { app_id } => {
                let (package, user) = self.app(device, app_id, user, budget).await?;
                let line = format!("pm clear --user {user} {}", quote(package));
                Ok(Plan::shell(line).noting("user", json!(user)))
            }
            Manage::Permission { app_id, permission, granted } => {
                let permission = grammar::permission(permission)?;
                let (package, user) = self.app(device, app_id, user, budget).await?;
                let verb = if *granted { "grant" } else { "revoke" };
                // Before Android 6 there is no such option, and no second user's permission.
                let whose = if user == 0 { String::new() } else { format!("--user {user} ") };
                let line = format!("pm {verb} {whose}{} {}", quote(package), quote(permission));
                Ok(Plan::shell(line).noting("user", json!(user)))
            }
            Manage::Install { files } => self.install(device, files, user, budget).await,
            Manage::OpenUrl { url, app_id } => self.open(device, url, app_id.as_deref(), user, budget).await,
            Manage::Orientation(wanted) => self.orient(device, *wanted, budget).await,
            Manage::Location { latitude, longitude, altitude } => {
                let (latitude, longitude) = (latitude.to_string(), longitude.to_string());
                let altitude = altitude.map(|metres| metres.to_string());
                // The console takes the longitude first.
                let mut words = vec!["geo", "fix", longitude.as_str(), latitude.as_str()];
                words.extend(altitude.as_deref());
                self.console(device, &words)
            }
            Manage::Shutdown => self.console(device, &["kill"]),
            Manage::SetClipboard { .. } => Err(self.clipboard_need(device, budget).await),
        }
    }

    /// `am start` with the VIEW action: the app that is named, or the one the device chooses.
    async fn open(
        &self,
        device: &Pinned,
        url: &str,
        app_id: Option<&str>,
        user: Option<u32>,
        budget: &Budget,
    ) -> Result<Plan, Failure> {
        const VIEW: &str = "am start -W --user";
        let url = quote(grammar::url(url)?);
        let (package, user) = match app_id {
            Some(app_id) => {
                let (package, user) = self.app(device, app_id, user, budget).await?;
                (format!(" {}", quote(package)), user)
            }
            None => {
                let script = users::asking(Script::new(), user);
                let reply = self.ask(device, &script, "asking for the user in front", budget).await?;
                (String::new(), users::asked(&reply, user)?)
            }
        };
        let line = format!("{VIEW} {user} -a android.intent.action.VIEW -d {url}{package}");
        Ok(Plan::shell(line).noting("user", json!(user)))
    }

    /// The package of an app that is installed, and the user it is for.
    async fn app<'a>(
        &self,
        device: &Pinned,
        app_id: &'a str,
        user: Option<u32>,
        budget: &Budget,
    ) -> Result<(&'a str, u32), Failure> {
        let package = launch::package(app_id)?;
        let script = launch::installed(users::asking(Script::new(), user), &quote(package));
        let reply = self.ask(device, &script, "asking whether the app is installed", budget).await?;
        let user = users::asked(&reply, user)?;
        if launch::is_there(&reply) {
            return Ok((package, user));
        }
        Err(self.not_installed(device, package, budget).await)
    }

    /// `adb install`, or `install-multiple` for an app in several files. Test builds are taken too: most that a developer
    /// has are. Without a user adb would install for all of them.
    async fn install(
        &self,
        device: &Pinned,
        files: &[PathBuf],
        user: Option<u32>,
        budget: &Budget,
    ) -> Result<Plan, Failure> {
        let script = users::asking(Script::new(), user);
        let reply = self.ask(device, &script, "asking for the user in front", budget).await?;
        let user = users::asked(&reply, user)?;
        let several = files.len() > 1;
        let mut words: Vec<String> = if several { vec!["install-multiple".into()] } else { vec!["install".into()] };
        words.extend(["-r", "-t", "--user"].map(str::to_owned));
        words.push(user.to_string());
        for file in files {
            words.push(path(file, several)?.to_owned());
        }
        Ok(Plan { work: Work::Adb(words), notes: Map::new() }.noting("user", json!(user)))
    }
}

/// A path as adb takes it: an absolute one, so that it is no option. The names of several files become words of the device's
/// shell, which adb does not quote.
fn path(file: &Path, several: bool) -> Result<&str, Failure> {
    let refused = |why: &str, remedy: &str| {
        Err(Failure::argument("appPath", format!("{} {why}", file.display())).with_remedy(remedy.to_owned()))
    };
    let Some(text) = file.to_str().filter(|text| file.is_absolute() && !text.contains(char::is_control)) else {
        return refused("cannot be passed to adb", "Move it to a path without control characters.");
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._+".contains(c);
    let name = text.rsplit('/').next().unwrap_or_default();
    if several && (name.starts_with('-') || !name.chars().all(plain)) {
        return refused("has a name that adb would not pass on whole", "Rename it: letters, digits and -._+ alone.");
    }
    Ok(text)
}

fn prepared(input: Input, command: Command, notes: Map<String, Value>) -> Prepared {
    Prepared { input, commands: vec![command], gesture_ms: 0, strokes: 1, bounds: Vec::new(), notes }
}
