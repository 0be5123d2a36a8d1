//! Android through a stock `adb`: every question is one `adb -t TRANSPORT shell LINE`, one round trip.

mod emulator;
mod facts;
mod follow;
mod gestures;
mod identity;
mod input;
mod judge;
mod launch;
mod list;
mod logs;
mod manage;
pub(crate) mod parsers;
mod probe;
mod read;
mod reread;
mod screenshot;
mod shell;
mod survey;
#[cfg(test)]
mod tests;
mod text;
mod typing;

use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use handset_model::Failure;
use handset_model::logs::Level;
use handset_model::report::Report;
use handset_model::snapshot::ScreenFacts;
use handset_model::ui::{Keyboard, Size};
use tokio::time::Instant;

use crate::budget::Budget;
use crate::clock::Clock;
use crate::device::{
    Accepted, Adapter, Boot, Booted, BoxFuture, DeviceFacts, Follow, Health, Input, Leftover, Listed, LogListener,
    LogQuery, Logs, Pinned, Prepared, Probes, Read, ReadFailure, Refused, ScreenCapture, Wants,
};
use crate::process::{Output, ProcessError, Processes, Program};

/// What the adapter is made of.
#[derive(Clone, Debug)]
pub struct AndroidConfig {
    /// The adb to run: a program, leading arguments, and its environment (`ANDROID_ADB_SERVER_PORT` and its kin are inherited).
    pub adb: Program,
    /// Spawns it.
    pub processes: Processes,
    /// This server process's session id: names our files on the device, so that two servers never share one.
    pub session: String,
    /// Stamps captures.
    pub clock: Clock,
    /// `ANDROID_SERIAL`, where it is set.
    pub env_serial: Option<String>,
}

/// Drives Android devices through `adb`.
#[derive(Debug)]
pub struct Android {
    /// The adb to run.
    pub adb: Program,
    /// Spawns it.
    pub processes: Processes,
    session: String,
    clock: Clock,
    env_serial: Option<String>,
    /// Keys the hash of password contents; never leaves the process.
    secret_key: u64,
    files: AtomicU64,
    known: Mutex<facts::Known>,
}

impl Android {
    /// An adapter that has not asked anything yet.
    #[must_use]
    pub fn new(config: AndroidConfig) -> Self {
        let AndroidConfig { adb, processes, session, clock, env_serial } = config;
        // What goes into a file name: a serial or an id never does raw.
        let session: String = session.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
        Self {
            adb,
            processes,
            session,
            clock,
            env_serial: env_serial.filter(|serial| !serial.is_empty()),
            secret_key: RandomState::new().hash_one(std::process::id()),
            files: AtomicU64::new(1),
            known: Mutex::default(),
        }
    }
}

impl Adapter for Android {
    fn platform(&self) -> &'static str {
        "android"
    }

    fn default_device(&self) -> Option<String> {
        self.env_serial.clone()
    }

    fn list<'a>(&'a self, budget: &'a Budget) -> BoxFuture<'a, Result<Vec<Listed>, Failure>> {
        Box::pin(async move {
            let listed = self.devices(budget).await?;
            self.listed_anew(&listed);
            Ok(listed)
        })
    }

    fn facts<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<DeviceFacts, Failure>> {
        Box::pin(self.device_facts(device, budget))
    }

    fn read<'a>(
        &'a self,
        device: &'a Pinned,
        wants: Wants,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Read, ReadFailure>> {
        Box::pin(self.read_until_whole(device, wants, budget))
    }

    fn display<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<Size, Failure>> {
        Box::pin(self.display_size(device, budget))
    }

    fn screen<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<ScreenFacts, Failure>> {
        Box::pin(self.screen_facts(device, budget))
    }

    fn keyboard<'a>(
        &'a self,
        device: &'a Pinned,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Option<Keyboard>, Failure>> {
        Box::pin(self.keyboard_state(device, budget))
    }

    fn offers(&self, input: &Input) -> Result<(), Failure> {
        gestures::offered(input)
    }

    fn prepare<'a>(
        &'a self,
        device: &'a Pinned,
        input: Input,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Prepared, Failure>> {
        Box::pin(self.prepare_input(device, input, budget))
    }

    fn judge(
        &self,
        device: &Pinned,
        prepared: &Prepared,
        began: Instant,
        output: Result<&Output, &ProcessError>,
    ) -> Result<Accepted, Box<Refused>> {
        self.judge_input(device, prepared, began, output)
    }

    fn probe<'a>(
        &'a self,
        device: &'a Pinned,
        package: Option<&'a str>,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Probes, Failure>> {
        Box::pin(self.probe_app(device, package, budget))
    }

    fn installed<'a>(
        &'a self,
        device: &'a Pinned,
        app_id: &'a str,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<bool, Failure>> {
        Box::pin(self.is_installed(device, app_id, budget))
    }

    fn clipboard<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<String, Failure>> {
        Box::pin(async move { Err(self.clipboard_need(device, budget).await) })
    }

    fn boot<'a>(&'a self, wanted: &'a Boot, budget: &'a Budget) -> BoxFuture<'a, Result<Booted, Failure>> {
        Box::pin(self.boot_emulator(wanted, budget))
    }

    fn health<'a>(&'a self, budget: &'a Budget) -> BoxFuture<'a, Health> {
        Box::pin(self.tools_health(budget))
    }

    fn logs<'a>(
        &'a self,
        device: &'a Pinned,
        query: &'a LogQuery,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Logs, Failure>> {
        Box::pin(self.read_logs(device, query, budget))
    }

    fn logs_available<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<bool, Failure>> {
        Box::pin(self.gives_log(device, budget))
    }

    fn survey<'a>(
        &'a self,
        device: &'a Pinned,
        reads: usize,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<(Report, Option<Leftover>), Failure>> {
        Box::pin(async move { Ok(self.survey_device(device, reads, budget).await) })
    }

    fn follow<'a>(
        &'a self,
        device: &'a Pinned,
        app: &'a str,
        level: Level,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Follow, Failure>> {
        Box::pin(self.prepare_follow(device, app, level, budget))
    }

    fn follow_on<'a>(
        &'a self,
        device: &'a Pinned,
        follow: Follow,
        budget: &'a Budget,
        listener: LogListener,
    ) -> BoxFuture<'a, Failure> {
        Box::pin(self.follow_until_end(device, follow, budget, listener))
    }

    fn screenshot<'a>(
        &'a self,
        device: &'a Pinned,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<ScreenCapture, Failure>> {
        Box::pin(self.screen_capture(device, budget))
    }

    fn secure_window<'a>(
        &'a self,
        device: &'a Pinned,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Option<String>, Failure>> {
        Box::pin(self.secure_window_title(device, budget))
    }

    fn is_over<'a>(&'a self, device: &'a Pinned, leftover: &'a Leftover, budget: &'a Budget) -> BoxFuture<'a, bool> {
        Box::pin(self.leftover_is_over(device, leftover, budget))
    }
}
