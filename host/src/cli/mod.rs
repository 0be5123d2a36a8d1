//! The command line: each command a front over the same rooms.

mod config;
mod demo;
mod docs;
mod doctor;
mod output;
mod parse;
mod phone;
mod plugin;
mod selfcheck;
mod serve;
mod tree;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

pub use config::{Config, ConfigError};

#[derive(Debug, Parser)]
#[command(name = "handset", version, about = "Lets agents see and drive mobile apps over MCP, and prove what they saw")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speak MCP on stdin and stdout
    Serve(Serve),
    /// Show the main job on a simulated phone, as a real MCP client sees it
    Demo {
        /// One JSON object instead of the story
        #[arg(long)]
        json: bool,
    },
    /// Parse a uiautomator dump as the adapter would
    Tree(tree::TreeArgs),
    /// Parse what a device or adb printed as the adapter would
    Parse(parse::ParseArgs),
    /// The simulated phone, and the adb stand-in
    Phone {
        #[command(subcommand)]
        command: phone::PhoneCommand,
    },
    /// Check what Handset needs: adb, devices, config, plugins, build tools; exit status 1 when something is broken
    Doctor(doctor::DoctorArgs),
    /// Ask one device everything that tells it from others, and write a report without anybody's data
    Selfcheck(selfcheck::SelfcheckArgs),
    /// Plugins: list, check, precompile
    Plugin {
        #[command(subcommand)]
        command: plugin::PluginCommand,
    },
    /// Print generated documentation
    #[command(hide = true)]
    Docs {
        #[command(subcommand)]
        command: docs::DocsCommand,
    },
}

/// Options of `serve`.
#[derive(Clone, Debug, Default, Args)]
pub struct Serve {
    /// Config file (default: handset/config.toml in the user's config folder)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// A folder of plugins; may be repeated
    #[arg(long, value_name = "DIR")]
    pub plugins: Vec<PathBuf>,
    /// Drive a simulated phone showing this scene instead of real devices
    #[arg(long, value_name = "SCENE")]
    pub phone: Option<String>,
    /// Which tools are listed: core, all, or groups (manage, observe, interact, system)
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub tools: String,
    /// The adb to run (default: HANDSET_ADB, the config, then adb in PATH)
    #[arg(long, value_name = "PROGRAM")]
    pub adb: Option<PathBuf>,
    /// An argument before ours for that adb; may be repeated
    #[arg(long, value_name = "ARG", hide = true, allow_hyphen_values = true)]
    pub adb_arg: Vec<OsString>,
    /// Replace a built-in component, for tests: NAME=FILE
    #[arg(long, value_name = "NAME=FILE", hide = true)]
    pub builtin: Vec<String>,
    /// Age at which a remembered screen is forgotten, for tests, ms
    #[arg(long, value_name = "MS", hide = true)]
    pub history_age_ms: Option<u64>,
    /// Append one line of JSON a request to this file: its reads, what they were for, and how long each part took
    #[arg(long, value_name = "FILE")]
    pub measure: Option<PathBuf>,
    /// Keep no compiled components on disk
    #[arg(long)]
    pub no_cache: bool,
}

/// Which adb a command for a person runs.
#[derive(Clone, Debug, Default, Args)]
struct AdbOptions {
    /// Config file (default: handset/config.toml in the user's config folder)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The adb to run (default: HANDSET_ADB, the config, then adb in PATH)
    #[arg(long, value_name = "PROGRAM")]
    adb: Option<PathBuf>,
    /// An argument before ours for that adb; may be repeated
    #[arg(long, value_name = "ARG", hide = true, allow_hyphen_values = true)]
    adb_arg: Vec<OsString>,
}

impl AdbOptions {
    /// As `serve` would be started.
    fn serve(&self) -> Serve {
        let Self { config, adb, adb_arg } = self.clone();
        Serve { config, adb, adb_arg, ..Serve::default() }
    }
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(&format!("the runtime could not start: {error}")),
    };
    let code = runtime.block_on(async {
        match cli.command {
            Command::Serve(options) => serve::main(options).await,
            Command::Demo { json } => demo::main(json).await,
            Command::Tree(args) => tree::main(&args),
            Command::Parse(args) => parse::main(&args),
            Command::Doctor(args) => doctor::main(args).await,
            Command::Selfcheck(args) => selfcheck::main(args).await,
            Command::Phone { command } => phone::main(command).await,
            Command::Plugin { command } => plugin::main(command).await,
            Command::Docs { command } => docs::main(&command),
        }
    });
    // A read of stdin cannot be cancelled; the process need not wait for it.
    runtime.shutdown_background();
    code
}
