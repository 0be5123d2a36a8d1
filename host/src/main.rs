//! The `handset` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    handset::cli::main()
}
