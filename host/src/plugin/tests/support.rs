//! What the tests share: the guests as built, a screen, a session that answers from memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use handset_model::snapshot::{DeviceKey, Observation, ScreenFacts, signature};
use handset_model::ui::{Element, Rect, Size, Traits, Tree};
use handset_model::{Code, Failure};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::budget::Budget;
use crate::device::BoxFuture;
use crate::plugin::{
    Answer, Builtins, EvidenceNote, Found, PluginConfig, PluginSettings, Plugins, SessionOps, TimelineData, ToolGrant,
    WaitOptions,
};

/// Longer than any bound of the room, shorter than a hung test run.
pub(super) const LONG: Duration = Duration::from_secs(60);

/// A guest as `cargo plugins` built it, such as `tests/hostile.wasm`.
pub(super) fn guest(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/dist").join(path);
    std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

pub(super) fn budget(time: Duration) -> Budget {
    Budget::new(time, CancellationToken::new())
}

/// Groups as in the tool table, of the few tools that the tests name.
pub(super) fn grant_of(tool: &str) -> Option<ToolGrant> {
    Some(match tool {
        "get_ui_tree" | "wait_for_ui" => ToolGrant::Observe,
        "tap_element" | "type_text" | "swipe" => ToolGrant::Input,
        "start_app" => ToolGrant::Lifecycle,
        "get_logs" => ToolGrant::Logs,
        "install_app" => ToolGrant::Never,
        _ => return None,
    })
}

pub(super) fn config() -> PluginConfig {
    PluginConfig {
        dirs: Vec::new(),
        plugins: BTreeMap::new(),
        cache_dir: None,
        protected: Vec::new(),
        grant_of: Arc::new(grant_of),
        element_id: Arc::new(|screen, index| Some(format!("pure-{}-{index}", screen.revision))),
        builtins: Builtins::none(),
        precompiler: None,
        reread: None,
    }
}

/// Starts and waits.
pub(super) async fn started(config: PluginConfig) -> Arc<Plugins> {
    let plugins = Plugins::start(config);
    plugins.ready(&budget(LONG)).await.unwrap();
    plugins
}

/// One built-in component, whatever it is called.
pub(super) async fn builtin(name: &str, path: &str) -> Arc<Plugins> {
    started(PluginConfig { builtins: Builtins::none().replace(name, guest(path)), ..config() }).await
}

/// Writes a plugin's folder; `edit` may spoil the manifest.
pub(super) fn plugin(
    parent: &Path,
    name: &str,
    wasm: &[u8],
    requests: &[&str],
    edit: impl Fn(String) -> String,
) -> PathBuf {
    let folder = parent.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("guest.wasm"), wasm).unwrap();
    let manifest = format!(
        "name = \"{name}\"\nversion = \"1.0.0\"\ncomponent = \"guest.wasm\"\nsha256 = \"{}\"\nwit = \"handset:plugin@0.1.0\"\n\n[requests]\ngrants = {requests:?}\n",
        crate::plugin::manifest::sha256(wasm)
    );
    std::fs::write(folder.join("plugin.toml"), edit(manifest)).unwrap();
    folder
}

pub(super) fn granted(grants: &[&str]) -> PluginSettings {
    PluginSettings { grants: grants.iter().map(ToString::to_string).collect(), ..PluginSettings::default() }
}

/// A third party's hostile plugin with some grants.
pub(super) async fn hostile(dir: &Path, grants: &[&str]) -> Arc<Plugins> {
    plugin(
        dir,
        "hostile",
        &guest("tests/hostile.wasm"),
        &["observe", "input:tap_element", "input:type_text"],
        |text| text,
    );
    let plugins = BTreeMap::from([("hostile".to_owned(), granted(grants))]);
    started(PluginConfig { dirs: vec![dir.to_path_buf()], plugins, ..config() }).await
}

/// The entry of `list` under a name.
pub(super) fn listed(plugins: &Plugins, name: &str) -> Value {
    let list = plugins.list();
    list.as_array().unwrap().iter().find(|entry| entry["name"] == name).cloned().unwrap_or_else(|| panic!("{list:#}"))
}

/// A screen of a title and buttons.
pub(super) fn screen(revision: u64, buttons: u32) -> Arc<Observation> {
    let traits = Traits { clickable: true, enabled: true, visible: true, ..Traits::default() };
    let mut elements = vec![Element {
        class: "android.widget.FrameLayout".into(),
        bounds: Rect::new(0, 0, 1080, 2400),
        visible_bounds: Rect::new(0, 0, 1080, 2400),
        traits: Traits { clickable: false, ..traits },
        children: (1..=buttons).collect(),
        ..Element::default()
    }];
    for number in 1..=buttons {
        let top = i32::try_from(number).unwrap() * 100;
        elements.push(Element {
            class: "android.widget.Button".into(),
            text: Some(format!("Button {number}")),
            resource_id: Some(format!("com.example:id/button_{number}")),
            role: Some("button"),
            stable_id: Some(format!("com.example:id/button_{number}#android.widget.Button")),
            bounds: Rect::new(0, top, 1080, top + 90),
            visible_bounds: Rect::new(0, top, 1080, top + 90),
            parent: Some(0),
            depth: 1,
            traits,
            ..Element::default()
        });
    }
    let count = u32::try_from(elements.len()).unwrap();
    let resolution = Size { width: 1080, height: 2400 };
    let tree = Tree { elements, node_count: count, resolution, package: Some("com.example".into()), ..Tree::default() };
    Arc::new(Observation {
        device: DeviceKey { platform: "android", id: "emulator-5554".into() },
        connection: 1,
        session_id: Arc::from("session"),
        revision,
        signature: signature(&tree, "", resolution),
        fingerprint: "0123456789abcdef".into(),
        started_ms: 1_000.0,
        captured_ms: 1_100.0,
        captured_at_ms: 1_700_000_000_000,
        tree,
        screen: ScreenFacts { package: Some("com.example".into()), activity: Some("com.example.Main".into()) },
    })
}

pub(super) fn timeline() -> TimelineData {
    TimelineData { observations: vec![screen(1, 3), screen(2, 3)], ..TimelineData::default() }
}

/// A session over a fresh screen for each read.
#[derive(Debug)]
pub(super) struct Pretended {
    pub(super) budget: Budget,
    pub(super) buttons: u32,
    reads: AtomicU32,
    answers: AtomicU32,
    pub(super) called: Mutex<Vec<String>>,
    pub(super) said: Mutex<Vec<String>>,
    pub(super) noted: Mutex<Vec<EvidenceNote>>,
}

impl Pretended {
    pub(super) fn new(budget: &Budget) -> Arc<Self> {
        Self::with_buttons(budget, 3)
    }

    pub(super) fn with_buttons(budget: &Budget, buttons: u32) -> Arc<Self> {
        Arc::new(Self {
            budget: budget.clone(),
            buttons,
            reads: AtomicU32::new(0),
            answers: AtomicU32::new(0),
            called: Mutex::default(),
            said: Mutex::default(),
            noted: Mutex::default(),
        })
    }

    fn read(&self) -> Arc<Observation> {
        screen(u64::from(self.reads.fetch_add(1, Ordering::Relaxed)) + 1, self.buttons)
    }
}

impl SessionOps for Pretended {
    fn platform(&self) -> String {
        "android".to_owned()
    }

    fn remaining_ms(&self) -> u32 {
        u32::try_from(self.budget.remaining().as_millis()).unwrap_or(u32::MAX)
    }

    fn observe(&self) -> BoxFuture<'_, Result<Arc<Observation>, Failure>> {
        Box::pin(async { Ok(self.read()) })
    }

    fn wait_for(&self, _: String, _: String, _: WaitOptions) -> BoxFuture<'_, Result<Found, Failure>> {
        Box::pin(async {
            self.called.lock().unwrap().push("wait_for".to_owned());
            let ran = self.budget.run(std::future::pending::<()>()).await;
            match ran {
                Ok(()) => Ok(Found { screen: self.read(), element: Some(1) }),
                Err(stopped) => Err(stopped
                    .failure(Code::Timeout, "an element was awaited")
                    .with_candidates(vec![json!("Button 1")])),
            }
        })
    }

    fn wait_for_screen(&self, _: String, _: WaitOptions) -> BoxFuture<'_, Result<Arc<Observation>, Failure>> {
        Box::pin(async { Ok(self.read()) })
    }

    fn call(&self, tool: String, _: String) -> BoxFuture<'_, Result<Answer, Failure>> {
        Box::pin(async move {
            self.called.lock().unwrap().push(tool);
            Ok(Answer {
                id: self.answers.fetch_add(1, Ordering::Relaxed) + 1,
                success: true,
                failure_code: None,
                dispatch_started: true,
                body: json!({ "success": true }).to_string(),
            })
        })
    }

    fn progress(&self, message: String) {
        self.said.lock().unwrap().push(message);
    }

    fn note(&self, evidence: EvidenceNote) {
        self.noted.lock().unwrap().push(evidence);
    }

    fn element_id(&self, observation: &Arc<Observation>, index: u32) -> Option<String> {
        Some(format!("step-{}-{index}", observation.revision))
    }
}
