//! `handset plugin`: what is loaded, whether a folder is sound, and compiling apart from the server.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::output::{fail, print};
use super::{Serve, config};
use crate::budget::Budget;
use crate::tools::{House, HouseConfig};

/// Compiling everything, cold, on a small machine.
const COMPILED: Duration = Duration::from_secs(120);

#[derive(Debug, Subcommand)]
pub(super) enum PluginCommand {
    /// List what would be loaded, as list_plugins does
    List {
        /// A folder of plugins; may be repeated
        #[arg(long, value_name = "DIR")]
        plugins: Vec<PathBuf>,
        /// Config file
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Load one plugin's folder and say what is wrong with it; exit status 3 when something is
    Check {
        /// The folder with plugin.toml
        dir: PathBuf,
    },
    /// Compile one component into a file of the cache
    #[command(hide = true)]
    Precompile {
        /// The component
        input: PathBuf,
        /// Where to
        output: PathBuf,
    },
}

pub(super) async fn main(command: PluginCommand) -> ExitCode {
    match command {
        PluginCommand::List { plugins, config } => {
            let options = Serve { plugins, config, ..Serve::default() };
            match listed(&options).await {
                Ok(list) => {
                    print(&format!("{list:#}\n"));
                    ExitCode::SUCCESS
                }
                Err(error) => fail(&error),
            }
        }
        PluginCommand::Check { dir } => {
            let options = Serve { no_cache: true, ..Serve::default() };
            match only(&options, dir).await {
                Ok(list) => check(&list),
                Err(error) => fail(&error),
            }
        }
        PluginCommand::Precompile { input, output } => match crate::plugin::precompile(&input, &output) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
    }
}

async fn listed(options: &Serve) -> Result<Value, String> {
    loaded(config::house(options, None).map_err(|error| error.to_string())?).await
}

async fn loaded(config: HouseConfig) -> Result<Value, String> {
    let house = House::open(config);
    let budget = Budget::new(COMPILED, CancellationToken::new());
    house.plugins.ready(&budget).await.map_err(|failure| failure.to_string())?;
    Ok(house.plugins.list())
}

/// That folder alone: what else the user has is not in question.
async fn only(options: &Serve, dir: PathBuf) -> Result<Value, String> {
    let mut config = config::house(options, None).map_err(|error| error.to_string())?;
    config.plugin_dirs = vec![dir];
    loaded(config).await
}

fn check(list: &Value) -> ExitCode {
    let external: Vec<&Value> =
        list.as_array().into_iter().flatten().filter(|plugin| plugin["built_in"] != Value::Bool(true)).collect();
    if external.is_empty() {
        return fail("no plugin.toml was found there");
    }
    print(&format!("{:#}\n", Value::Array(external.iter().map(|plugin| (*plugin).clone()).collect())));
    let sound = external.iter().all(|plugin| plugin["problem"].is_null());
    if sound { ExitCode::SUCCESS } else { ExitCode::from(3) }
}
