//! `handset plugin check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::loaded;
use crate::cli::Serve;
use crate::cli::output::{fail, print};

/// Options of `plugin check`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArgs {
    /// The folder with plugin.toml
    dir: PathBuf,
}

pub(super) async fn main(args: CheckArgs) -> ExitCode {
    let options = Serve { no_cache: true, ..Serve::default() };
    match loaded::only(&options, args.dir).await {
        Ok(list) => check(&list),
        Err(error) => fail(&error),
    }
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
