//! `handset plugin list`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::loaded;
use crate::cli::Serve;
use crate::cli::output::{fail, print};

/// Options of `plugin list`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ListArgs {
    /// A folder of plugins; may be repeated
    #[arg(long, value_name = "DIR")]
    plugins: Vec<PathBuf>,
    /// Config file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(super) async fn main(args: ListArgs) -> ExitCode {
    let options = Serve { plugins: args.plugins, config: args.config, ..Serve::default() };
    match loaded::all(&options).await {
        Ok(list) => {
            print(&format!("{list:#}\n"));
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error),
    }
}
