//! Where and with what it was measured; nothing that names the machine or its owner.

use serde::{Deserialize, Serialize};
use simphone::adb::RealAdb;

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cores: usize,
    pub(crate) cpu: String,
    pub(crate) memory_mib: u64,
    pub(crate) system: String,
    pub(crate) kernel: String,
}

/// The software.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Versions {
    pub(crate) handset: String,
    pub(crate) rustc: String,
    pub(crate) wasmtime: String,
    pub(crate) adb: String,
}

/// A line of a file such as `/proc/cpuinfo`.
fn field(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The first line a program prints, if it is there.
fn says(program: &std::path::Path, args: &[&str]) -> Option<String> {
    #[allow(clippy::disallowed_methods, reason = "the product spawns in one place; this is no part of it")]
    let output = std::process::Command::new(program).args(args).output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(|line| line.trim().to_owned())
}

const UNKNOWN: &str = "unknown";

impl Machine {
    pub(crate) fn here() -> Self {
        let memory = field("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        Self {
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| UNKNOWN.into()),
            memory_mib: memory.unwrap_or(0) / 1024,
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease")
                .map_or_else(|_| UNKNOWN.into(), |text| text.trim().to_owned()),
        }
    }

    pub(crate) fn rows(&self) -> String {
        format!(
            "| machine | {} × {}, {} MiB |\n| system | {}, kernel {} |\n",
            self.cores, self.cpu, self.memory_mib, self.system, self.kernel
        )
    }
}

impl Versions {
    pub(crate) fn here() -> Self {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let adb = RealAdb::find().and_then(|adb| {
            #[allow(clippy::disallowed_methods, reason = "as above")]
            let output = std::process::Command::new(adb).arg("version").output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let mut lines = text.lines();
            let protocol = lines.next()?.rsplit(' ').next()?.to_owned();
            let tools = lines.next()?.strip_prefix("Version ")?.to_owned();
            Some(format!("stock adb {protocol}, {tools}"))
        });
        Self {
            handset: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: says(rustc.as_ref(), &["-V"]).unwrap_or_else(|| UNKNOWN.into()),
            wasmtime: locked("wasmtime").unwrap_or_else(|| UNKNOWN.into()),
            adb: adb.unwrap_or_else(|| "none here: the stand-in".into()),
        }
    }

    pub(crate) fn rows(&self) -> String {
        format!(
            "| handset | {} |\n| rustc | {} |\n| wasmtime | {} |\n| adb | {} |\n",
            self.handset, self.rustc, self.wasmtime, self.adb
        )
    }
}

/// The commit measured, with a `+` where files differ from it.
pub(crate) fn commit() -> String {
    let head = says("git".as_ref(), &["rev-parse", "--short", "HEAD"]).filter(|head| !head.is_empty());
    let changed = says("git".as_ref(), &["status", "--porcelain", "--", "host", "plugins", "Cargo.lock"]);
    head.map_or_else(|| UNKNOWN.into(), |head| head + changed.filter(|line| !line.is_empty()).map_or("", |_| "+"))
}

/// The version of a dependency that the lock file names.
fn locked(name: &str) -> Option<String> {
    let lock = include_str!("../../Cargo.lock");
    let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    Some(rest.split('"').next()?.to_owned())
}

/// Processes that wanted to run in the last minute; 0 where the system does not tell.
pub(crate) fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0.0)
}

/// Today and now, UTC, to the minute.
pub(crate) fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, minutes) = (i64::try_from(since / 86_400).unwrap_or(0), since % 86_400 / 60);
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// Days since 1970 as a date (proleptic Gregorian).
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
