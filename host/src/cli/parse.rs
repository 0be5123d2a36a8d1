//! `handset parse KIND FILE`: what a device or adb printed, through the adapter's own parsers.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use handset_model::capture::{CaptureKind, MAX_CAPTURE_BYTES, parse_capture};
use serde_json::json;

use super::output::{fail, print};

/// Exit status of a file that is not what it was said to be, as of `tree`.
const OTHER: u8 = 3;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// logcat in any -v format, a tombstone or a stack trace
    Logcat,
    /// dumpsys activity (activities, top, processes), am stack list
    Activity,
    /// dumpsys window (windows, displays, policy)
    Window,
    /// adb devices [-l]
    Devices,
    /// getprop
    Getprop,
}

impl From<Kind> for CaptureKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Logcat => Self::Logcat,
            Kind::Activity => Self::Activity,
            Kind::Window => Self::Window,
            Kind::Devices => Self::Devices,
            Kind::Getprop => Self::Getprop,
        }
    }
}

/// Options of `parse`.
#[derive(Debug, Args)]
pub(super) struct ParseArgs {
    /// What it is
    #[arg(value_enum)]
    kind: Kind,
    /// The captured output; `-` is standard input
    file: PathBuf,
}

pub(super) fn main(args: &ParseArgs) -> ExitCode {
    // One byte past the limit is enough to see that it is past it.
    let most = MAX_CAPTURE_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if args.file.as_os_str() == "-" {
        std::io::stdin().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(&args.file).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    if let Err(error) = read {
        return fail(&format!("{}: {error}", args.file.display()));
    }
    match parse_capture(args.kind.into(), &bytes) {
        Ok(found) => {
            print(&format!("{found:#}\n"));
            ExitCode::SUCCESS
        }
        Err(failure) => {
            print(&format!("{:#}\n", json!({ "error": failure.to_json() })));
            ExitCode::from(OTHER)
        }
    }
}
