//! One or more simulated phones, and an adb that knows them.

use std::sync::Arc;
use std::time::Duration;

use handset_model::Failure;
use handset_model::snapshot::DeviceKey;
use simphone::adb::RealAdb;
use simphone::{Fault, FaultKind, Phone, PhoneOptions, Profile, Scene};
use tokio_util::sync::CancellationToken;

use crate::adapter::android::{Android, AndroidConfig};
use crate::budget::Budget;
use crate::clock::Clock;
use crate::device::{Accepted, Adapter, Input, Listed, Pinned, Prepared, Reached, Read, ReadFailure, Refused, Wants};
use crate::process::{Processes, Program};

pub(super) const WANTS: Wants = Wants { activity: true, keyboard: true };

pub(super) fn budget(ms: u64) -> Budget {
    Budget::new(Duration::from_millis(ms), CancellationToken::new())
}

pub(super) fn instant(scene: &str) -> PhoneOptions {
    PhoneOptions::new(Scene::by_name(scene).unwrap())
}

pub(super) fn paced(scene: &str, profile: Profile) -> PhoneOptions {
    PhoneOptions { profile, ..instant(scene) }
}

pub(super) struct Rig {
    pub(super) android: Arc<Android>,
    pub(super) phones: Vec<Phone>,
    /// Ends its server when the test is over, also by a panic.
    server: Option<RealAdb>,
}

/// Runs a test with a phone behind the real adb, where there is one, and behind the stand-in.
pub(super) async fn on_each(options: PhoneOptions, test: impl AsyncFn(Rig)) {
    if let Some(rig) = Rig::real(options.clone()).await {
        test(rig).await;
    }
    #[cfg(unix)]
    test(Rig::stand_in(options).await).await;
}

impl Rig {
    /// `None` where there is no adb; that is a failure when `HANDSET_REQUIRE_ADB` is 1.
    pub(super) async fn without_phones() -> Option<Self> {
        let Some(server) = RealAdb::private().unwrap() else {
            assert_ne!(std::env::var("HANDSET_REQUIRE_ADB").as_deref(), Ok("1"), "adb is required and not there");
            eprintln!("skipped: there is no adb");
            return None;
        };
        assert_ne!(server.port(), 5037, "a user's server is never spoken to");
        let env = server.env().into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let adb = Program { env, ..Program::new(RealAdb::find().unwrap()) };
        Some(Self { android: Arc::new(android(adb)), phones: Vec::new(), server: Some(server) })
    }

    pub(super) async fn real(options: PhoneOptions) -> Option<Self> {
        let mut rig = Self::without_phones().await?;
        rig.add(options).await;
        Some(rig)
    }

    /// This test binary as the stand-in: see [`stand_in_process`].
    #[cfg(unix)]
    pub(super) async fn stand_in(options: PhoneOptions) -> Self {
        let phone = Phone::start(options).await.unwrap();
        // The harness talks on stdout: the stand-in gets the real one as descriptor 3.
        let script = format!(
            r#"HANDSET_STANDIN=$(printf '%s\037' "$@"); export HANDSET_STANDIN; exec 3>&1; exec "$0" --exact {NAME} --nocapture >/dev/null"#
        );
        let me = std::env::current_exe().unwrap();
        let phones = phone.adb_addr().to_string();
        let leading = vec!["-c".into(), script.into(), me.into(), "--phones".into(), phones.into()];
        let adb = Program { leading, ..Program::new("sh") };
        Self { android: Arc::new(android(adb)), phones: vec![phone], server: None }
    }

    /// One more phone for the real adb.
    pub(super) async fn add(&mut self, options: PhoneOptions) {
        let phone = Phone::start(options).await.unwrap();
        let serial = phone.adb_addr().to_string();
        self.adb(&["connect", &serial]).await;
        self.phones.push(phone);
        for _ in 0..200 {
            if self.list().await.iter().any(|listed| listed.id == serial && listed.usable) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the phone did not come up: {:?}", self.list().await);
    }

    pub(super) fn is_real(&self) -> bool {
        self.server.is_some()
    }

    pub(super) async fn adb(&self, args: &[&str]) -> String {
        let output =
            self.android.processes.run(self.android.adb.command(args.iter().copied()), &budget(20_000)).await.unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(super) async fn shell(&self, line: &str) -> String {
        let serial = self.serial();
        self.adb(&["-s", &serial, "shell", line]).await
    }

    pub(super) fn phone(&self) -> &Phone {
        &self.phones[0]
    }

    pub(super) fn serial(&self) -> String {
        self.phone().adb_addr().to_string()
    }

    pub(super) fn fault(&self, on: &str, kind: FaultKind) {
        self.phone().fault(Fault::once(on, kind));
    }

    pub(super) async fn list(&self) -> Vec<Listed> {
        self.android.list(&budget(10_000)).await.unwrap()
    }

    pub(super) async fn pin(&self) -> Pinned {
        let listed = self.list().await.into_iter().find(|listed| listed.id == self.serial()).unwrap();
        Pinned {
            key: DeviceKey { platform: "android", id: listed.id },
            connection: listed.connection,
            model: listed.model,
        }
    }

    pub(super) async fn read(&self) -> Result<Read, ReadFailure> {
        self.android.read(&self.pin().await, WANTS, &budget(20_000)).await
    }

    /// Prepares, spawns and judges as `action` does, without its guards.
    pub(super) async fn act(&self, input: Input) -> Result<Accepted, Failure> {
        self.act_within(input, 10_000).await
    }

    pub(super) async fn act_within(&self, input: Input, ms: u64) -> Result<Accepted, Failure> {
        self.try_within(input, ms).await.map_err(|refused| refused.failure)
    }

    /// As [`Rig::act_within`], with what is known of the delivery.
    pub(super) async fn try_within(&self, input: Input, ms: u64) -> Result<Accepted, Refused> {
        let (pinned, budget) = (self.pin().await, budget(ms));
        let prepared = self.android.prepare(&pinned, input, &budget).await;
        let prepared = prepared.map_err(|failure| Refused { failure, reached: Reached::No, leftover: None });
        self.send(&pinned, prepared?, &budget).await
    }

    /// Spawns and judges what was prepared.
    pub(super) async fn send(&self, pinned: &Pinned, prepared: Prepared, budget: &Budget) -> Result<Accepted, Refused> {
        let mut accepted = Accepted::default();
        for command in prepared.commands.clone() {
            let began = tokio::time::Instant::now();
            let output = self.android.processes.run(command, budget).await;
            accepted = self.android.judge(pinned, &prepared, began, output.as_ref()).map_err(|refused| *refused)?;
        }
        Ok(accepted)
    }

    pub(super) async fn tap(&self, id: &str) -> Result<Accepted, Failure> {
        let [left, top, right, bottom] = self.phone().bounds_of(id).unwrap();
        self.act(Input::Tap { x: (left + right) / 2, y: (top + bottom) / 2 }).await
    }

    pub(super) fn dumps(&self) -> usize {
        self.phone().journal().dumps().len()
    }

    /// Files of ours on the device.
    pub(super) fn leaked(&self) -> Vec<String> {
        self.phone().files("/data/local/tmp").into_iter().filter(|name| name.starts_with("handset-")).collect()
    }
}

pub(super) fn android(adb: Program) -> Android {
    let session = "te/st".to_owned();
    Android::new(AndroidConfig {
        adb,
        processes: Processes::default(),
        session,
        clock: Clock::start(),
        env_serial: Some("x".to_owned()),
    })
}

#[cfg(unix)]
const NAME: &str = "adapter::android::tests::rig::stand_in_process";

/// Not a test: what this binary does when it is spawned as the stand-in.
#[cfg(unix)]
#[test]
fn stand_in_process() {
    let Ok(words) = std::env::var("HANDSET_STANDIN") else { return };
    let args: Vec<_> = words.split('\u{1f}').map(std::ffi::OsString::from).collect();
    let args = args[..args.len() - 1].to_vec();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let status = runtime.block_on(async {
        let out = tokio::net::unix::pipe::OpenOptions::new().open_sender("/dev/fd/3").unwrap();
        simphone::standin::standin_main(args, tokio::io::empty(), out, tokio::io::stderr()).await
    });
    std::process::exit(status);
}
