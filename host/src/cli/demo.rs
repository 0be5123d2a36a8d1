//! `handset demo`: a phone, a real server, a real MCP client; what an agent sees, and whether it is right.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Map, Value, json};
use simphone::adb::RealAdb;
use simphone::{Phone, PhoneOptions, Profile, Scene};

use super::output::{complain, fail, print};
use super::serve::stand_in;
use crate::process::{Peer, Processes, Program};
use crate::request::{ms, round};

mod story;

/// How long the server may take to go once its stdin is closed.
const GRACE: Duration = Duration::from_secs(5);

/// The whole demo: it promises 20 seconds, and says so when it cannot keep them.
const ALL: Duration = Duration::from_secs(60);

/// The plugin the demo brings, exactly as a third party's folder.
const PLUGIN: [(&str, &[u8]); 2] = [
    ("plugin.toml", include_bytes!("../../../plugins/dist/examples/login-flow/plugin.toml")),
    ("login-flow.wasm", include_bytes!("../../../plugins/dist/examples/login-flow/login-flow.wasm")),
];

/// What the operator grants it.
const CONFIG: &str = "[plugins.login-flow]\ngrants = [\"observe\", \"input:tap_element\", \"input:type_text\"]\n";

/// A step of the demo that did not do what it shows.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Broken(String);

fn broken(what: &str) -> impl Fn(&dyn std::fmt::Display) -> Broken + '_ {
    move |why| Broken(format!("{what}: {why}"))
}

pub(super) async fn main(as_json: bool) -> ExitCode {
    let told = match tokio::time::timeout(ALL, tell(!as_json)).await {
        Ok(told) => told,
        Err(_) => Err(Broken(format!("the demo did not end within {} s", ALL.as_secs()))),
    };
    match told {
        Ok(report) if as_json => {
            print(&format!("{report}\n"));
            if report["success"] == json!(true) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Ok(report) if report["success"] == json!(true) => ExitCode::SUCCESS,
        Ok(_) => {
            complain("the demo did not go as it should: see the lines marked ✗");
            ExitCode::FAILURE
        }
        Err(Broken(why)) if as_json => {
            print(&format!("{}\n", json!({ "success": false, "error": why })));
            ExitCode::FAILURE
        }
        Err(Broken(why)) => fail(&why),
    }
}

async fn tell(aloud: bool) -> Result<Value, Broken> {
    let scene = Scene::by_name("login").map_err(|error| broken("the scene")(&error))?;
    let options = PhoneOptions { profile: Profile::INSTANT, ..PhoneOptions::new(scene) };
    let phone = Phone::start(options).await.map_err(|error| broken("the phone")(&error))?;
    let folder = tempfile::tempdir().map_err(|error| broken("a temporary folder")(&error))?;
    let adb = Adb::choose(&phone)?;
    let mut client = Client::connect(&adb.program, folder.path()).await?;
    let mut story = story::Story::new(aloud);
    story.opening(&adb.shown, &phone.adb_addr().to_string());
    let outcome = story::tell(&mut story, &mut client, &phone).await;
    let calls = client.calls;
    let spent = client.spent;
    client.close().await;
    drop(phone);
    outcome?;
    Ok(story.closing(calls, round(ms(spent))))
}

/// The real adb with a server of its own where there is one, else the stand-in; either way a subprocess.
struct Adb {
    program: Program,
    shown: String,
    _server: Option<RealAdb>,
}

impl Adb {
    fn choose(phone: &Phone) -> Result<Self, Broken> {
        // A private server: the user's own on 5037 is never touched.
        if let Ok(Some(server)) = RealAdb::private()
            && server.connect(phone.adb_addr()).is_ok()
            && let Some(path) = RealAdb::find()
        {
            let mut env = server.env();
            // Where the user has set it, it wins over the port.
            env.push(("ADB_SERVER_SOCKET".into(), format!("tcp:localhost:{}", server.port()).into()));
            let shown = format!("{} (private server on port {})", path.display(), server.port());
            return Ok(Self { program: Program { path, leading: Vec::new(), env }, shown, _server: Some(server) });
        }
        let program = stand_in(&[phone.adb_addr().to_string()]).map_err(Broken)?;
        Ok(Self { program, shown: "the built-in stand-in (no adb found)".to_owned(), _server: None })
    }
}

/// A real MCP client on a real `handset serve`.
struct Client {
    service: RunningService<RoleClient, ()>,
    peer: Peer,
    calls: u32,
    spent: Duration,
}

impl Client {
    async fn connect(adb: &Program, folder: &Path) -> Result<Self, Broken> {
        let plugins = write_plugin(folder).map_err(|error| broken("the plugin's folder")(&error))?;
        let program = std::env::current_exe().map_err(|error| broken("this program")(&error))?;
        let mut args: Vec<OsString> = vec!["serve".into(), "--config".into(), folder.join("config.toml").into()];
        args.extend(["--plugins".into(), plugins.into(), "--adb".into(), adb.path.clone().into()]);
        for leading in &adb.leading {
            args.extend(["--adb-arg".into(), leading.clone()]);
        }
        // Which of the user's devices the user means is not asked here.
        let env = adb
            .env
            .iter()
            .cloned()
            .chain([("ANDROID_SERIAL".into(), OsString::new()), ("XDG_DATA_HOME".into(), folder.into())])
            .collect();
        let server = Program { path: program, leading: Vec::new(), env };
        let (peer, stdout, stdin) =
            Processes::default().peer(server.command(args)).map_err(|error| broken("handset serve")(&error))?;
        let service = ().serve((stdout, stdin)).await.map_err(|error| broken("the MCP handshake")(&error))?;
        Ok(Self { service, peer, calls: 0, spent: Duration::ZERO })
    }

    /// One round trip; the structured answer.
    async fn call(&mut self, tool: &'static str, arguments: Value) -> Result<Value, Broken> {
        let mut params = CallToolRequestParams::new(tool);
        params.arguments = match arguments {
            Value::Object(members) => Some(members),
            _ => Some(Map::new()),
        };
        let began = Instant::now();
        let answered = self.service.call_tool(params).await.map_err(|error| broken(tool)(&error));
        self.spent += began.elapsed();
        self.calls += 1;
        let result = completed(answered?).ok_or_else(|| Broken(format!("{tool} answered without a result")))?;
        result.structured_content.ok_or_else(|| Broken(format!("{tool} answered without structured content")))
    }

    async fn close(self) {
        let _ = self.service.cancel().await;
        let _ = self.peer.end(GRACE).await;
    }
}

fn completed(response: impl Into<CallToolResponse>) -> Option<rmcp::model::CallToolResult> {
    match response.into() {
        CallToolResponse::Complete(result) => Some(result),
        _ => None,
    }
}

fn write_plugin(folder: &Path) -> std::io::Result<PathBuf> {
    let plugins = folder.join("plugins");
    let home = plugins.join("login-flow");
    std::fs::create_dir_all(&home)?;
    for (name, bytes) in PLUGIN {
        std::fs::write(home.join(name), bytes)?;
    }
    std::fs::write(folder.join("config.toml"), CONFIG)?;
    Ok(plugins)
}
