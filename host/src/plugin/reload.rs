//! Looking again while requests are served: the new set takes the old one's place as a whole, between requests.

use std::sync::Arc;

use serde_json::{Value, json};

use super::config::PluginConfig;
use super::discover::builtins;
use super::entry::{Entry, State};
use super::registry::{Plugins, Set, search};

/// What a reload found, beside what it left as it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reloaded {
    /// Plugins that were not there before.
    pub came: Vec<Value>,
    /// Names of plugins that are no longer there.
    pub went: Vec<Value>,
    /// Plugins that are there in another form: of their component, manifest, or table in the config.
    pub changed: Vec<Value>,
    /// Every plugin that is not taken in now, with its problem.
    pub broke: Vec<Value>,
    /// How many are as they were.
    pub kept: usize,
}

impl Plugins {
    /// Looks again: the config where it can be read again, then every folder. What has not changed stays compiled, with
    /// its record of calls; quarantines end. Requests are served by the old set until the new one is ready as a whole,
    /// and those that began with the old one end with it. Reloads come one after the other; once begun, one goes on
    /// also when nobody waits for it.
    ///
    /// # Errors
    /// What is wrong with the config, naming file, line and member; everything is then as before.
    pub async fn reload(&self) -> Result<Reloaded, String> {
        let shared = Arc::clone(&self.shared);
        let reloading = tokio::spawn(async move {
            let _one = shared.one_search.lock().await;
            let was = shared.config();
            let config = match was.reread.clone() {
                Some(reread) => {
                    let chosen =
                        tokio::task::spawn_blocking(move || reread()).await.map_err(|why| why.to_string())??;
                    let super::config::Choices { dirs, plugins } = chosen;
                    Arc::new(PluginConfig { dirs, plugins, ..(*was).clone() })
                }
                None => was,
            };
            let old = shared.current();
            let mut found = builtins(&config);
            found.extend(search(Arc::clone(&config), &old).await);
            let mut set = Set::with_capacity(found.len());
            found.retain(|one| {
                let twin = old.iter().find(|was| was.is_still(&one.entry));
                set.push(Arc::clone(twin.unwrap_or(&one.entry)));
                twin.is_none()
            });
            shared.compile_all(&config, &found).await;
            set.iter().for_each(|entry| entry.faults.forgive());
            let reloaded = Reloaded::between(&old, &set);
            shared.choose(config);
            shared.publish(set);
            Ok(reloaded)
        });
        let reloaded: Result<Reloaded, String> = reloading.await.map_err(|why| why.to_string())?;
        match &reloaded {
            Ok(Reloaded { came, went, changed, broke, kept }) => tracing::info!(
                came = came.len(),
                went = went.len(),
                changed = changed.len(),
                broke = broke.len(),
                kept,
                "plugins reloaded"
            ),
            Err(why) => tracing::warn!(why, "plugins were not reloaded"),
        }
        reloaded
    }
}

impl Reloaded {
    fn between(old: &Set, new: &Set) -> Self {
        let mut reloaded = Self::default();
        // A name that is taken twice is told apart by its folder.
        let twin = |set: &Set, of: &Arc<Entry>| {
            let same = |one: &&Arc<Entry>| one.name == of.name && one.folder == of.folder;
            set.iter().find(same).cloned()
        };
        for entry in new {
            let was = twin(old, entry);
            if let State::Refused(problem) = entry.state() {
                let folder = entry.folder.as_ref().map(|folder| folder.display().to_string());
                reloaded.broke.push(json!({ "name": &*entry.name, "folder": folder, "problem": problem }));
                continue;
            }
            let shown = |what: Option<Vec<&str>>| {
                let mut shown = json!({ "name": &*entry.name, "version": entry.version, "state": entry.word() });
                if let Some(what) = what {
                    shown["what"] = json!(what);
                }
                shown
            };
            match was {
                None => reloaded.came.push(shown(None)),
                Some(was) if Arc::ptr_eq(&was, entry) => reloaded.kept += 1,
                Some(was) => match was.differs(entry) {
                    what if what.is_empty() => reloaded.kept += 1,
                    what => reloaded.changed.push(shown(Some(what))),
                },
            }
        }
        let gone = old.iter().filter(|entry| twin(new, entry).is_none());
        reloaded.went = gone.map(|entry| json!(&*entry.name)).collect();
        reloaded
    }
}
