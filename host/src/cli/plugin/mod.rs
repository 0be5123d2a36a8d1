//! `handset plugin`: what is loaded, whether a folder is sound, and compiling apart from the server.

mod build;
mod check;
mod list;
mod loaded;
mod new;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use super::output::fail;

#[derive(Debug, Subcommand)]
pub(super) enum PluginCommand {
    /// List what would be loaded, as list_plugins does
    List(list::ListArgs),
    /// Load one plugin's folder and say what is wrong with it; exit status 3 when something is
    Check(check::CheckArgs),
    /// Write a new plugin's project, with cases that pass
    New(new::NewArgs),
    /// Build a plugin's component with its language's toolchain and fill in its sha256
    Build(build::BuildArgs),
    /// Run a plugin's declared cases (cases/*.toml); exit status 3 when one fails
    Test(test::TestArgs),
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
        PluginCommand::List(args) => list::main(args).await,
        PluginCommand::Check(args) => check::main(args).await,
        PluginCommand::New(args) => new::main(&args),
        PluginCommand::Build(args) => build::main(args).await,
        PluginCommand::Test(args) => test::main(args).await,
        PluginCommand::Precompile { input, output } => match crate::plugin::precompile(&input, &output) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
    }
}
