//! One or more simulated phones, connected to a private adb server that ends with the test.

use std::sync::Arc;
use std::time::Duration;

use handset_model::Failure;
use handset_model::snapshot::DeviceKey;
use simphone::{Fault, FaultKind, Phone, PhoneOptions, Scene};
use tokio_util::sync::CancellationToken;

use crate::adapter::android::{Android, AndroidConfig};
use crate::budget::Budget;
use crate::clock::Clock;
use crate::device::{Accepted, Adapter, Input, Listed, Pinned, Read, ReadFailure, Wants};
use crate::process::{Processes, Program};

pub(super) const WANTS: Wants = Wants { activity: true, keyboard: true };

pub(super) fn budget(ms: u64) -> Budget {
    Budget::new(Duration::from_millis(ms), CancellationToken::new())
}

/// The adb of this system on a port of its own: a user's server on 5037 is never spoken to.
pub(super) struct Rig {
    pub(super) android: Arc<Android>,
    pub(super) phones: Vec<Phone>,
}

impl Rig {
    /// `None` where there is no adb; that is a failure when `HANDSET_REQUIRE_ADB` is 1.
    pub(super) async fn without_phones() -> Option<Self> {
        let port = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        assert_ne!(port, 5037);
        let mut adb = Program::new("adb");
        adb.env.push(("ANDROID_ADB_SERVER_PORT".into(), port.to_string().into()));
        let config = AndroidConfig { adb, processes: Processes::default(), session: "te/st".to_owned(), clock: Clock::start(), env_serial: None };
        let rig = Self { android: Arc::new(Android::new(config)), phones: Vec::new() };
        if !rig.android.health(&budget(10_000)).await.available {
            assert_ne!(std::env::var("HANDSET_REQUIRE_ADB").as_deref(), Ok("1"), "adb is required and not there");
            eprintln!("skipped: there is no adb");
            return None;
        }
        Some(rig)
    }

    /// A phone with a built-in scene, connected.
    pub(super) async fn with(scene: &str) -> Option<Self> {
        Self::with_options(PhoneOptions::new(Scene::by_name(scene).unwrap())).await
    }

    /// As [`Rig::with`], its scene changed before.
    pub(super) async fn with_options(options: PhoneOptions) -> Option<Self> {
        let mut rig = Self::without_phones().await?;
        rig.add(options).await;
        Some(rig)
    }

    pub(super) async fn add(&mut self, options: PhoneOptions) {
        let phone = Phone::start(options).await.unwrap();
        self.adb(&["connect", &phone.adb_addr().to_string()]).await;
        let serial = phone.adb_addr().to_string();
        self.phones.push(phone);
        for _ in 0..200 {
            if self.list().await.iter().any(|listed| listed.id == serial && listed.usable) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the phone did not come up: {:?}", self.list().await);
    }

    pub(super) async fn adb(&self, args: &[&str]) -> String {
        let output = self.android.processes.run(self.android.adb.command(args.iter().copied()), &budget(20_000)).await.unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(super) fn phone(&self) -> &Phone {
        &self.phones[0]
    }

    pub(super) fn fault(&self, on: &str, kind: FaultKind) {
        self.phone().fault(Fault::once(on, kind));
    }

    pub(super) async fn list(&self) -> Vec<Listed> {
        self.android.list(&budget(10_000)).await.unwrap()
    }

    pub(super) async fn pin(&self) -> Pinned {
        let serial = self.phone().adb_addr().to_string();
        let listed = self.list().await.into_iter().find(|listed| listed.id == serial).unwrap();
        Pinned { key: DeviceKey { platform: "android", id: listed.id }, connection: listed.connection, model: listed.model }
    }

    pub(super) async fn read(&self) -> Result<Read, ReadFailure> {
        self.read_within(20_000).await
    }

    pub(super) async fn read_within(&self, ms: u64) -> Result<Read, ReadFailure> {
        self.android.read(&self.pin().await, WANTS, &budget(ms)).await
    }

    /// Prepares, spawns and judges as `action` does, without its guards.
    pub(super) async fn act(&self, input: Input) -> Result<Accepted, Failure> {
        self.act_within(input, 10_000).await
    }

    pub(super) async fn act_within(&self, input: Input, ms: u64) -> Result<Accepted, Failure> {
        let (pinned, budget) = (self.pin().await, budget(ms));
        let prepared = self.android.prepare(&pinned, input, &budget).await?;
        let mut accepted = Accepted::default();
        for command in prepared.commands {
            let output = self.android.processes.run(command, &budget).await;
            accepted = self.android.judge(&pinned, &prepared.input, output.as_ref())?;
        }
        Ok(accepted)
    }

    /// Ends the private server; a test that failed leaves that to `Drop`.
    pub(super) fn dumps(&self) -> usize {
        self.phone().journal().dumps().len()
    }

    /// Files of ours on the device.
    pub(super) fn leaked(&self) -> Vec<String> {
        self.phone().files("/data/local/tmp").into_iter().filter(|name| name.starts_with("handset-")).collect()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        let adb = &self.android.adb;
        #[expect(clippy::disallowed_methods, reason = "a private server ends with its test, also when that panics")]
        let mut kill = std::process::Command::new(&adb.path);
        let _ = kill.arg("kill-server").envs(adb.env.iter().cloned()).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status();
    }
}
