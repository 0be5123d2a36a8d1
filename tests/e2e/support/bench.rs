//! One test's own phone, server and client.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simphone::adb::{AdbFlavor, RealAdb};
use simphone::{Phone, PhoneOptions, Scene};

use super::server::binary;
use super::{Answer, Client, Mark, ServerOptions};

/// Which adb a test drives its phone with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// The handset binary itself.
    StandIn,
    /// The stock client with a private server.
    Real,
}

impl Flavor {
    /// Whether this machine has it. `HANDSET_REQUIRE_ADB=1` makes the absence of the stock adb a failure.
    pub(crate) fn there(self) -> bool {
        if self == Self::StandIn || RealAdb::find().is_some() {
            return true;
        }
        assert!(std::env::var("HANDSET_REQUIRE_ADB").as_deref() != Ok("1"), "adb is required and not here");
        false
    }

    /// The stock adb where it is installed, else the stand-in.
    pub(crate) fn best() -> Self {
        if Self::Real.there() { Self::Real } else { Self::StandIn }
    }

    /// This adb, with phones attached.
    pub(crate) async fn connected(self, phones: &[Phone]) -> AdbFlavor {
        let addrs: Vec<SocketAddr> = phones.iter().map(Phone::adb_addr).collect();
        match self {
            Self::StandIn => stand_in(&addrs),
            // The stock client blocks; the phone it connects to runs on this runtime.
            Self::Real => tokio::task::spawn_blocking(move || real(&addrs)).await.expect("adb connects"),
        }
    }
}

/// Runs an async test body once with each adb: `on_each_adb! { async fn name(flavor) { … } }`.
macro_rules! on_each_adb {
    ($($(#[$meta:meta])* async fn $name:ident($flavor:ident) $body:block)*) => {
        $(
            mod $name {
                use super::*;

                async fn body($flavor: crate::support::Flavor) $body

                $(#[$meta])*
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn stand_in() {
                    body(crate::support::Flavor::StandIn).await;
                }

                $(#[$meta])*
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn real_adb() {
                    if crate::support::Flavor::Real.there() {
                        body(crate::support::Flavor::Real).await;
                    }
                }
            }
        )*
    };
}
pub(crate) use on_each_adb;

/// What a bench is made of.
pub(crate) struct Setup {
    flavor: Flavor,
    phones: Vec<PhoneOptions>,
    server: ServerOptions,
}

impl Setup {
    /// One instant phone showing a scene of fixtures/scenes.
    pub(crate) fn new(scene: &str, flavor: Flavor) -> Self {
        Self { flavor, phones: vec![Self::showing(scene)], server: ServerOptions::default() }
    }

    /// A scene written down by the test itself.
    pub(crate) fn written(toml: &str, flavor: Flavor) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("written.toml");
        std::fs::write(&path, toml).expect("the scene is written");
        let scene = Scene::from_path(&path).expect("a scene");
        Self { flavor, phones: vec![PhoneOptions::new(scene)], server: ServerOptions::default() }
    }

    /// Options of an instant phone.
    pub(crate) fn showing(scene: &str) -> PhoneOptions {
        PhoneOptions::new(Scene::by_name(scene).expect("a scene of fixtures/scenes"))
    }

    /// Changes the first phone.
    pub(crate) fn phone(mut self, change: impl FnOnce(&mut PhoneOptions)) -> Self {
        change(&mut self.phones[0]);
        self
    }

    /// Another phone beside it.
    pub(crate) fn and(mut self, mut options: PhoneOptions) -> Self {
        options.seed += self.phones.len() as u64;
        self.phones.push(options);
        self
    }

    /// Changes the server.
    pub(crate) fn server(mut self, change: impl FnOnce(&mut ServerOptions)) -> Self {
        change(&mut self.server);
        self
    }

    /// Starts it all.
    pub(crate) async fn start(self) -> Bench {
        let mut phones = Vec::new();
        for options in self.phones {
            phones.push(Phone::start(options).await.expect("the phone starts"));
        }
        let adb = self.flavor.connected(&phones).await;
        let client = Client::start(&self.server, Some(&adb)).await;
        Bench { device: phones[0].adb_addr().to_string(), client, adb, phones, options: self.server }
    }
}

fn stand_in(phones: &[SocketAddr]) -> AdbFlavor {
    let list: Vec<String> = phones.iter().map(ToString::to_string).collect();
    let leading = ["phone", "adb", "--phones"].map(OsString::from).into_iter().chain([OsString::from(list.join(","))]);
    AdbFlavor::StandIn { program: binary(), leading: leading.collect() }
}

fn real(phones: &[SocketAddr]) -> AdbFlavor {
    let adb = RealAdb::private().expect("adb starts").expect("adb is here");
    for addr in phones {
        adb.connect(*addr).expect("adb connects");
    }
    AdbFlavor::Real(adb)
}

/// A phone, a server that sees it, and a client. Dropped in this order: server, adb, phones.
pub(crate) struct Bench {
    /// The client.
    pub(crate) client: Client,
    /// The adb in between.
    pub(crate) adb: AdbFlavor,
    /// The phones, at least one.
    pub(crate) phones: Vec<Phone>,
    /// Id of the first phone.
    pub(crate) device: String,
    options: ServerOptions,
}

impl Bench {
    /// An instant phone, a server with all defaults.
    pub(crate) async fn new(scene: &str, flavor: Flavor) -> Self {
        Setup::new(scene, flavor).start().await
    }

    /// The (first) phone.
    pub(crate) fn phone(&self) -> &Phone {
        &self.phones[0]
    }

    /// Another server process, and its client, on the same phones.
    pub(crate) async fn another_client(&self) -> Client {
        Client::start(&self.options, Some(&self.adb)).await
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.client.call(tool, arguments).await
    }

    /// `arguments` with the platform and id of the first phone.
    pub(crate) fn aimed(&self, mut arguments: Value) -> Value {
        arguments["platform"] = json!("android");
        arguments["deviceId"] = json!(self.device);
        arguments
    }

    /// Now, in the journal of the first phone.
    pub(crate) fn mark(&self) -> Mark {
        Mark::now(self.phone())
    }

    /// Unplugs the phone and plugs it in again, and waits until adb has the new transport.
    pub(crate) async fn replug(&self) {
        self.phone().replug();
        if let AdbFlavor::Real(adb) = &self.adb {
            let addr = self.phone().adb_addr();
            tokio::task::block_in_place(|| adb.reconnect(addr)).expect("adb connects again");
        }
    }
}

/// Waits until something holds; panics when it does not in ten seconds.
pub(crate) async fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(10), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
