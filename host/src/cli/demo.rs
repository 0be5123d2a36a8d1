//! Demo.
use std::process::ExitCode;
pub(super) async fn main(_json: bool) -> ExitCode { ExitCode::SUCCESS }
