//! Starting an app the way a launcher does: its grammar, its launcher activity, the user in front.

use handset_model::android::{parse_resolved_activity, quote};
use handset_model::{Code, Failure};
use serde_json::json;

use super::Android;
use super::manage::users;
use super::shell::{Reply, Script};
use crate::budget::Budget;
use crate::device::Pinned;

const MAIN: &str = "android.intent.action.MAIN";
const LAUNCHER: &str = "android.intent.category.LAUNCHER";
const LEANBACK: &str = "android.intent.category.LEANBACK_LAUNCHER";

/// What `am start` is to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LaunchTarget {
    user: String,
    /// `package/activity`; a package alone where the device cannot resolve it beforehand.
    what: String,
    /// The launcher's category; none for an activity that was named.
    category: Option<&'static str>,
}

impl LaunchTarget {
    /// With a launcher's action and category, an app that is running comes to the front as it was.
    pub(super) fn line(&self) -> String {
        let what = if self.what.contains('/') { format!("-n {}", quote(&self.what)) } else { quote(&self.what) };
        match self.category {
            Some(category) => format!("am start -W --user {} -a {MAIN} -c {category} {what}", self.user),
            None => format!("am start -W --user {} {what}", self.user),
        }
    }

    /// Ends the app that is to be started.
    pub(super) fn end(&self, package: &str) -> String {
        format!("am force-stop --user {} {}", self.user, quote(package))
    }
}

/// The way an app was started, where that is not `am start`.
pub(super) fn way(_said: &str) -> Option<&'static str> {
    None
}

/// A package alone.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `appId`.
pub(super) fn package(app_id: &str) -> Result<&str, Failure> {
    match component(app_id)? {
        (package, None) => Ok(package),
        (package, Some(_)) => Err(Failure::argument("appId", format!("{app_id:?} names an activity"))
            .with_remedy(format!("Pass the package alone: {package}."))),
    }
}

/// Asks for the app's files, for the user in `$u`.
pub(super) fn installed(script: Script, quoted: &str) -> Script {
    script.part("path", &format!("if [ $u = 0 ]; then pm path {quoted} 2>&1; else pm path --user $u {quoted} 2>&1; fi"))
}

/// Whether it has any.
pub(super) fn is_there(reply: &Reply) -> bool {
    reply.text("path").lines().any(|line| line.starts_with("package:"))
}

/// `package` or `package/activity`, by Android's grammar: nothing else reaches a command line.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `appId`.
pub(super) fn component(app_id: &str) -> Result<(&str, Option<&str>), Failure> {
    let (package, activity) =
        app_id.split_once('/').map_or((app_id, None), |(package, activity)| (package, Some(activity)));
    let word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let dotted = package.contains('.') && package.len() <= 255 && package.split('.').all(word);
    let class = activity.is_none_or(|activity| {
        activity.len() <= 255
            && activity.strip_prefix('.').unwrap_or(activity).split('.').all(|part| {
                part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
            })
    });
    if dotted && class {
        return Ok((package, activity));
    }
    Err(Failure::argument("appId", format!("{app_id:?} is no Android app id"))
        .with_remedy("Pass a package name such as com.android.settings, optionally with /activity."))
}

impl Android {
    /// Finds what to start; starts nothing.
    pub(super) async fn launch_target(
        &self,
        device: &Pinned,
        package: &str,
        activity: Option<&str>,
        user: Option<u32>,
        budget: &Budget,
    ) -> Result<LaunchTarget, Failure> {
        const DOING: &str = "resolving the app's activity";
        let quoted = quote(package);
        let script =
            installed(users::asking(Script::new(), user), &quoted).part("launcher", &resolve(LAUNCHER, &quoted));
        let reply = self.ask(device, &script, DOING, budget).await?;
        let user = users::asked(&reply, user)?;
        let target = |what: String, category| LaunchTarget { user: user.to_string(), what, category };
        if !is_there(&reply) {
            return Err(self.not_installed(device, package, budget).await);
        }
        if let Some(activity) = activity {
            return Ok(target(format!("{package}/{activity}"), None));
        }
        if let Some(component) = resolved(&reply, "launcher", package) {
            return Ok(target(component, Some(LAUNCHER)));
        }
        if cannot_resolve(&reply) {
            // Before Android 7: the activity manager resolves a bare package itself.
            return Ok(target(package.to_owned(), Some(LAUNCHER)));
        }
        // A television's app, or one with several launcher activities, for which the resolver itself is named.
        let script = Script::new().quietly(&format!("u={user}")).part("leanback", &resolve(LEANBACK, &quoted)).part(
            "all",
            &format!("cmd package query-activities --brief --user $u -a {MAIN} -c {LAUNCHER} {quoted} 2>&1"),
        );
        let reply = self.ask(device, &script, DOING, budget).await?;
        if let Some(component) = resolved(&reply, "leanback", package) {
            return Ok(target(component, Some(LEANBACK)));
        }
        match first_of(&reply.text("all"), package) {
            Some(component) => Ok(target(component, Some(LAUNCHER))),
            None => Err(Failure::new(
                Code::ActionRejected,
                format!("{package} is installed but has no activity that a launcher could start"),
            )
            .with_remedy("Name one as package/activity.")),
        }
    }

    pub(super) async fn not_installed(&self, device: &Pinned, package: &str, budget: &Budget) -> Failure {
        let script = Script::new().part("packages", "pm list packages");
        let similar = match self.ask(device, &script, "listing packages", budget).await {
            Ok(reply) => similar(&reply.text("packages"), package),
            // The failure stands without candidates.
            Err(_) => Vec::new(),
        };
        Failure::new(Code::ActionRejected, format!("{package} is not installed"))
            .with_remedy("Install the app, or pass the package name of one that is installed.")
            .with_candidates(similar.into_iter().map(|package| json!(package)).collect())
    }
}

fn resolve(category: &str, quoted: &str) -> String {
    format!("cmd package resolve-activity --brief --user $u -a {MAIN} -c {category} {quoted} 2>&1")
}

/// A component of the app itself: where several match, the device names its own chooser.
fn resolved(reply: &Reply, part: &str, package: &str) -> Option<String> {
    parse_resolved_activity(&reply.text(part)).filter(|component| component.split('/').next() == Some(package))
}

/// The device has no `cmd`, or its package service takes no such command.
fn cannot_resolve(reply: &Reply) -> bool {
    let text = reply.text("launcher");
    let status = reply.part("launcher").map(|(_, status)| status);
    status == Some(127)
        || text.contains("not found")
        || text.contains("Unknown command")
        || text.contains("Can't find service")
}

/// The first activity of the app that is not a tool's own (LeakCanary adds a launcher entry to debug builds).
pub(super) fn first_of(text: &str, package: &str) -> Option<String> {
    let own = |line: &&str| {
        line.split_once('/').is_some_and(|(name, activity)| name == package && !activity.contains("leakcanary"))
    };
    text.lines().map(str::trim).find(own).map(str::to_owned)
}

/// Installed packages that share a part of the name with what was asked, the most alike first.
pub(super) fn similar(listed: &str, package: &str) -> Vec<String> {
    let parts = |name: &str| -> Vec<String> {
        name.split('.')
            .filter(|part| part.len() > 2 && !matches!(*part, "com" | "org" | "net" | "android" | "app" | "google"))
            .map(str::to_ascii_lowercase)
            .collect()
    };
    let asked = parts(package);
    let mut found: Vec<(usize, String)> = listed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("package:"))
        .filter_map(|name| {
            let own = parts(name);
            let shared = asked
                .iter()
                .filter(|part| own.iter().any(|other| other.contains(part.as_str()) || part.contains(other.as_str())))
                .count();
            (shared > 0).then(|| (shared, name.to_owned()))
        })
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().take(5).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn app_ids_follow_the_grammar() {
        assert_eq!(component("com.example.app"), Ok(("com.example.app", None)));
        assert_eq!(component("com.example/.Main$Inner"), Ok(("com.example", Some(".Main$Inner"))));
        for bad in [
            "",
            "app",
            "com.example; reboot",
            "com.example/",
            "com..x",
            "com.example/.A B",
            "--user",
            "com.1x",
            "com.example/$(id)",
            "com.é.x",
        ] {
            assert!(component(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn packages_that_share_a_name_are_similar() {
        let listed = "package:com.acme.shop\npackage:com.acme.shop.debug\npackage:com.android.settings\n";
        assert_eq!(similar(listed, "com.acme.shops"), ["com.acme.shop", "com.acme.shop.debug"]);
        assert!(similar(listed, "org.other.thing").is_empty());
    }

    #[test]
    fn a_tools_own_launcher_entry_is_passed_over() {
        let text =
            "2 activities found:\n  com.acme/leakcanary.internal.activity.LeakLauncherActivity\n  com.acme/.Main\n";
        assert_eq!(first_of(text, "com.acme"), Some("com.acme/.Main".to_owned()));
    }

    #[test]
    fn a_running_app_is_brought_to_the_front_as_a_launcher_does() {
        let target =
            LaunchTarget { user: "10".to_owned(), what: "com.acme/.Main".to_owned(), category: Some(LAUNCHER) };
        assert_eq!(
            target.line(),
            "am start -W --user 10 -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n 'com.acme/.Main'"
        );
    }
}
