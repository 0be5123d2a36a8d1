//! A phone for every row, on one server and one adb.

use std::process::Stdio;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simphone::adb::AdbFlavor;
use simphone::{Fault, FaultKind, Phone};
use tokio::sync::Barrier;

use super::foreign::ForeignServer;
use super::processes::{asks_for_the_lane, children, speaks_to};
use super::scripts::{Accident, Strike};
use super::tools::{Looks, MORE, ROWS, Row};
use crate::support::{Answer, Bench, Flavor, Mark, Setup, wait_until};

pub(super) struct Stage {
    pub(super) bench: Bench,
    pub(super) server: u32,
    transports: Vec<String>,
    together: Barrier,
    foreign: Mutex<Option<ForeignServer>>,
}

impl Stage {
    /// `phones` phones, for as many cells at once.
    pub(super) async fn new(flavor: Flavor, phones: usize) -> Self {
        let setup = (1..phones).fold(Setup::new("login", flavor), |setup, _| setup.and(Setup::showing("login")));
        let bench = setup.start().await;
        let listed = adb(&bench.adb, &["devices", "-l"]).await;
        let transports = bench.phones.iter().map(|phone| {
            let serial = phone.adb_addr().to_string();
            let line = listed.lines().find(|line| line.split_whitespace().next() == Some(&serial));
            let id = line.and_then(|line| line.split_once("transport_id:")).map(|(_, id)| id.trim().to_owned());
            id.unwrap_or_else(|| panic!("{serial} is not in {listed}"))
        });
        Self {
            transports: transports.collect(),
            server: bench.client.pid().await,
            together: Barrier::new(phones),
            foreign: Mutex::default(),
            bench,
        }
    }

    pub(super) fn phone(&self, number: usize) -> &Phone {
        &self.bench.phones[number]
    }

    pub(super) fn device(&self, number: usize) -> String {
        self.phone(number).adb_addr().to_string()
    }

    /// The screen of one phone as it is, as the `expectedState` it makes.
    pub(super) async fn seen(&self, number: usize) -> Value {
        let arguments = json!({ "deviceId": self.device(number), "responseMode": "compact" });
        baseline(&self.bench.call("get_ui_tree", arguments).await.fine())
    }

    /// Children of the server that still speak to this phone, but for those that ask whether its lane may open.
    pub(super) fn left_here(&self, number: usize) -> Vec<Vec<String>> {
        let ours = |line: &Vec<String>| speaks_to(line, &self.transports[number]) && !asks_for_the_lane(line);
        children(self.server).into_iter().filter(ours).collect()
    }

    /// Shows that nothing at all is left here once all is over.
    pub(super) async fn nothing_left(&self) {
        wait_until("the server has no children", || children(self.server).is_empty()).await;
    }

    /// Waits for all rows; what happens to all at once is done by one of them.
    pub(super) async fn all_at_once(&self, what: impl FnOnce()) {
        if self.together.wait().await.is_leader() {
            tokio::task::block_in_place(what);
        }
        self.together.wait().await;
    }

    /// Strikes a phone, or everything, before the call.
    pub(super) async fn strike(&self, number: usize, row: &Row, strike: &Strike) {
        let phone = self.phone(number);
        let input = row.sends.map_or("input", |sends| sends.command);
        match strike {
            Strike::Dumps(kind) => phone.fault(Fault::forever("dump", kind.clone())),
            Strike::Looks(kind) if row.looks == Looks::Asks => {
                phone.fault(Fault::forever(row.first_command(), kind.clone()))
            }
            Strike::Looks(kind) => phone.fault(Fault::forever("dump", kind.clone())),
            Strike::FirstDump(kind) => phone.fault(Fault::once("dump", kind.clone())),
            Strike::Retrievals(kind) => phone.fault(Fault::forever("cat", kind.clone())),
            Strike::Services(kind) => phone.fault(Fault::forever("dumpsys", kind.clone())),
            Strike::Inputs(kind) => phone.fault(Fault::forever(input, kind.clone())),
            Strike::Now(kind) => {
                phone.fault(Fault::now(kind.clone()));
                self.settled(number, kind).await;
            }
            Strike::InFlight(_) => phone.fault(Fault::once(row.first_command(), FaultKind::Hang)),
            Strike::Before(Accident::Replug) => self.replug(number).await,
            Strike::Before(Accident::ServerKilled) => {
                self.all_at_once(|| self.kill_server()).await;
                // The next adb is the server's own, and starts another server.
                self.bench.call("list_devices", json!({})).await;
            }
            Strike::Before(version @ (Accident::ServerOfAnotherVersion | Accident::ServerThatGivesWay)) => {
                let yields = *version == Accident::ServerThatGivesWay;
                self.all_at_once(|| {
                    self.kill_server();
                    *self.foreign.lock().unwrap() = Some(ForeignServer::on(self.real().port(), yields));
                })
                .await;
            }
            Strike::OurDump(ms) => self.leave_a_dump(number, *ms).await,
        }
    }

    /// Strikes in the middle of the call, once its first command hangs on the phone.
    pub(super) async fn strike_in_flight(&self, number: usize, row: &Row, mark: &Mark, accident: Accident) {
        let first = match row.first_command() {
            "dump" => "uiautomator",
            other => other,
        };
        let began = || mark.commands().iter().any(|command| begins(&command.argv, first));
        wait_until(&format!("{first} runs"), began).await;
        match accident {
            Accident::Replug => self.replug(number).await,
            _ => self.all_at_once(|| self.kill_server()).await,
        }
    }

    /// An earlier call of ours runs out of time while its dump goes on.
    async fn leave_a_dump(&self, number: usize, ms: u64) {
        let phone = self.phone(number);
        phone.fault(Fault::once("dump", FaultKind::Slow { ms }));
        let wait = json!({ "deviceId": self.device(number), "selector": { "text": "a" }, "timeout_ms": 600 });
        let pending = self.bench.client.begin("wait_for_ui", wait).await;
        wait_until("the dump runs", || running(phone, "uiautomator").is_some()).await;
        assert_eq!(pending.answer().await.code(), "TIMEOUT", "the earlier call");
    }

    /// Everything as it was; what hung is ended, and adb has every phone again.
    pub(super) async fn heal(&self, number: usize, script: &Strike) {
        let phone = self.phone(number);
        phone.clear_faults();
        if let Strike::InFlight(_) = script {
            let sent = ROWS.iter().chain(MORE).filter_map(|row| row.sends).map(|sends| sends.command);
            for first in ["uiautomator", "dumpsys"].into_iter().chain(sent) {
                running(phone, first).map(|pid| phone.kill(pid));
            }
        }
        phone.fault(Fault::now(FaultKind::HugeTree { nodes: 0 }));
        phone.fault(Fault::now(FaultKind::SlotBusy { ms: 0 }));
        phone.set_awake(true);
        phone.set_locked(false);
        phone.goto("login");
        let dropped = matches!(
            script,
            Strike::Now(FaultKind::Offline { .. } | FaultKind::Unauthorized)
                | Strike::Looks(FaultKind::GoneMidCommand { .. })
                | Strike::Inputs(FaultKind::GoneMidCommand { .. })
        );
        if dropped {
            phone.set_online(true);
            self.plug_in(number).await;
        }
        if let Strike::InFlight(Accident::ServerKilled) | Strike::Before(_) = script
            && *script != Strike::Before(Accident::Replug)
        {
            self.all_at_once(|| {
                drop(self.foreign.lock().unwrap().take());
                for phone in &self.bench.phones {
                    self.real().connect(phone.adb_addr()).expect("adb connects again");
                }
            })
            .await;
        }
    }

    fn real(&self) -> &simphone::adb::RealAdb {
        match &self.bench.adb {
            AdbFlavor::Real(adb) => adb,
            AdbFlavor::StandIn { .. } => panic!("the stand-in has no server"),
        }
    }

    fn kill_server(&self) {
        self.real().kill_server().expect("the server ends");
    }

    async fn replug(&self, number: usize) {
        self.phone(number).replug();
        self.plug_in(number).await;
    }

    /// The stock adb has to be told of a phone on the network; a cable tells it by itself. Its own attempts to have a
    /// lost one back may come in between.
    async fn plug_in(&self, number: usize) {
        if matches!(self.bench.adb, AdbFlavor::StandIn { .. }) {
            return;
        }
        let device = self.device(number);
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            adb(&self.bench.adb, &["disconnect", &device]).await;
            adb(&self.bench.adb, &["connect", &device]).await;
            for _ in 0..20 {
                if self.is_listed(number, "device ").await {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        panic!("{device} does not come back");
    }

    async fn is_listed(&self, number: usize, state: &str) -> bool {
        let serial = self.device(number);
        let listed = adb(&self.bench.adb, &["devices", "-l"]).await;
        listed.lines().any(|line| line.strip_prefix(&serial).is_some_and(|rest| rest.trim_start().starts_with(state)))
    }

    /// Waits until adb knows what state a phone is in.
    async fn settled(&self, number: usize, kind: &FaultKind) {
        let state = match kind {
            FaultKind::Offline { .. } => "offline",
            FaultKind::Unauthorized => "unauthorized",
            _ => return,
        };
        let began = Instant::now();
        while !self.is_listed(number, state).await {
            assert!(began.elapsed() < Duration::from_secs(20), "never {state}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// An adb of the test's own, beside those of the server under test; an adb server runs already.
async fn adb(adb: &AdbFlavor, args: &[&str]) -> String {
    #[allow(clippy::disallowed_methods, reason = "the tests look for themselves; the product spawns in one place")]
    let mut command = tokio::process::Command::new(adb.program());
    let output = command.args(adb.leading()).envs(adb.env()).args(args).stdin(Stdio::null()).output().await;
    String::from_utf8_lossy(&output.expect("adb runs").stdout).into_owned()
}

/// The pid of a command that runs on a phone now, by its first words.
pub(super) fn running(phone: &Phone, first: &str) -> Option<u32> {
    let mut commands = phone.journal().commands().into_iter();
    commands.rfind(|command| command.end_ms.is_none() && begins(&command.argv, first)).map(|command| command.pid)
}

/// Whether a command line begins with these words.
pub(super) fn begins(argv: &[String], words: &str) -> bool {
    words.split(' ').enumerate().all(|(at, word)| argv.get(at).is_some_and(|given| given == word))
}

/// A tree's answer as the `expectedState` it makes.
pub(super) fn baseline(tree: &Answer) -> Value {
    json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] })
}
