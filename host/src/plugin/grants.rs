//! Grants: what a manifest asks for, what the operator gives, and the check before every call of a tool.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use handset_model::{Code, Failure};

use super::problem::Problem;

/// The group of a tool, from its row in the tool table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolGrant {
    /// Looks at the screen; one grant for all of these.
    Observe,
    /// Touches the screen; granted tool by tool.
    Input,
    /// Starts and ends apps; granted tool by tool.
    Lifecycle,
    /// Reads logs; granted tool by tool.
    Logs,
    /// Not for plugins, whatever the operator says.
    Never,
}

impl ToolGrant {
    /// The word before the colon.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Input => "input",
            Self::Lifecycle => "lifecycle",
            Self::Logs => "logs",
            Self::Never => "never",
        }
    }
}

/// The group of a tool by its name; `None` for a name that is no tool.
pub type GrantOf = Arc<dyn Fn(&str) -> Option<ToolGrant> + Send + Sync>;

/// One grant: `observe`, `input:TOOL`, `lifecycle:TOOL`, `logs:TOOL` or `files:DIR`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Grant {
    Observe,
    Tool(ToolGrant, String),
    Files(PathBuf),
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Observe => f.write_str("observe"),
            Self::Tool(group, tool) => write!(f, "{}:{tool}", group.as_str()),
            Self::Files(dir) => write!(f, "files:{}", dir.display()),
        }
    }
}

impl Grant {
    /// Reads one grant.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub(super) fn parse(text: &str, grant_of: &GrantOf) -> Result<Self, String> {
        if text == "observe" {
            return Ok(Self::Observe);
        }
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        let group = match word {
            "files" if rest.is_empty() => return Err(format!("{text:?} names no folder: write \"files:DIR\"")),
            "files" => return Ok(Self::Files(PathBuf::from(rest))),
            "input" => ToolGrant::Input,
            "lifecycle" => ToolGrant::Lifecycle,
            "logs" => ToolGrant::Logs,
            _ => {
                return Err(format!(
                    "{text:?} is no grant: write \"observe\", \"input:TOOL\", \"lifecycle:TOOL\", \"logs:TOOL\" or \"files:DIR\""
                ));
            }
        };
        if rest.is_empty() {
            return Err(format!("{text:?} names no tool: write \"{word}:TOOL\""));
        }
        match grant_of(rest) {
            None => Err(format!("{text:?}: there is no tool {rest:?}")),
            Some(ToolGrant::Never) => Err(format!("{text:?}: {rest} is never open to plugins")),
            Some(ToolGrant::Observe) => Err(format!("{text:?}: {rest} belongs to the grant \"observe\"")),
            Some(is) if is != group => Err(format!("{text:?}: {rest} belongs to \"{}:{rest}\"", is.as_str())),
            Some(_) => Ok(Self::Tool(group, rest.to_owned())),
        }
    }
}

/// Reads a list of grants; `place` says whose, such as `[requests] grants`.
///
/// # Errors
/// `GRANT_INVALID` for the first that is none.
pub(super) fn parse_all(list: &[String], place: &str, grant_of: &GrantOf) -> Result<BTreeSet<Grant>, Problem> {
    list.iter()
        .map(|text| Grant::parse(text, grant_of).map_err(|why| Problem::grant(format!("{place}: {why}"))))
        .collect()
}

/// Refuses a `files` grant that reaches into what Handset itself runs from, or holds it.
///
/// # Errors
/// `GRANT_INVALID` naming both folders.
pub(super) fn check_files(grants: &BTreeSet<Grant>, protected: &[PathBuf]) -> Result<(), Problem> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    for grant in grants {
        let Grant::Files(dir) = grant else { continue };
        let dir = real(dir);
        for kept in protected {
            let kept = real(kept);
            if dir.starts_with(&kept) || kept.starts_with(&dir) {
                return Err(Problem::grant(format!(
                    "{grant} touches {}, which Handset itself runs from",
                    kept.display()
                )));
            }
        }
    }
    Ok(())
}

/// What one plugin may do.
#[derive(Clone)]
pub(super) struct Granted {
    plugin: Arc<str>,
    everything: bool,
    requested: Arc<BTreeSet<Grant>>,
    granted: Arc<BTreeSet<Grant>>,
    grant_of: GrantOf,
}

impl Granted {
    /// Everything but what is never open: for built-ins.
    pub(super) fn everything(plugin: Arc<str>, grant_of: GrantOf) -> Self {
        Self { plugin, everything: true, requested: Arc::default(), granted: Arc::default(), grant_of }
    }

    /// What was both asked for and given: for a third party.
    pub(super) fn only(
        plugin: Arc<str>,
        requested: BTreeSet<Grant>,
        given: &BTreeSet<Grant>,
        grant_of: GrantOf,
    ) -> Self {
        let granted = requested.intersection(given).cloned().collect();
        Self { plugin, everything: false, requested: Arc::new(requested), granted: Arc::new(granted), grant_of }
    }

    /// What was asked for, as written.
    pub(super) fn requested(&self) -> Vec<String> {
        self.requested.iter().map(ToString::to_string).collect()
    }

    /// What may be done, as written.
    pub(super) fn granted(&self) -> Vec<String> {
        self.granted.iter().map(ToString::to_string).collect()
    }

    /// Folders of `files` grants.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        self.granted
            .iter()
            .filter_map(|grant| if let Grant::Files(dir) = grant { Some(dir.clone()) } else { None })
            .collect()
    }

    /// Whether it may look at the screen.
    ///
    /// # Errors
    /// `PLUGIN_DENIED`.
    pub(super) fn observe(&self) -> Result<(), Failure> {
        self.holds(&Grant::Observe)
    }

    /// Whether it may call a tool.
    ///
    /// # Errors
    /// `PLUGIN_DENIED` naming the grant, or `INVALID_ARGUMENT` for a name that is no tool.
    pub(super) fn tool(&self, tool: &str) -> Result<(), Failure> {
        match (self.grant_of)(tool) {
            None => Err(Failure::argument("tool", format!("there is no tool {:?}", super::evidence::clean(tool, 64)))),
            Some(ToolGrant::Never) => Err(Failure::new(
                Code::PluginDenied,
                format!("plugin {} called {tool}, which is never open to plugins", self.plugin),
            )
            .with_remedy("Do it before or after the step; no grant opens this tool to a plugin.")),
            Some(ToolGrant::Observe) => self.observe(),
            Some(group) => self.holds(&Grant::Tool(group, tool.to_owned())),
        }
    }

    /// Whether a grant a step declares is given.
    ///
    /// # Errors
    /// `PLUGIN_DENIED` naming it, or saying that it is no grant.
    pub(super) fn declared(&self, text: &str) -> Result<(), Failure> {
        match Grant::parse(text, &self.grant_of) {
            Ok(grant) => self.holds(&grant),
            Err(why) => Err(Failure::new(Code::PluginDenied, format!("plugin {}: {why}", self.plugin))
                .with_remedy("The plugin's author has to correct the grants its step declares.")),
        }
    }

    fn holds(&self, grant: &Grant) -> Result<(), Failure> {
        if self.everything || self.granted.contains(grant) {
            return Ok(());
        }
        let mut remedy = format!("Add \"{grant}\" to grants under [plugins.{}] in the host's config", self.plugin);
        if !self.requested.contains(grant) {
            remedy.push_str(", and to [requests] grants in its plugin.toml");
        }
        remedy.push('.');
        Err(Failure::new(Code::PluginDenied, format!("plugin {} is not granted {grant}", self.plugin))
            .with_remedy(remedy))
    }
}
