//! What commands print. `serve` never comes here: its stdout belongs to the protocol.

use std::io::Write;
use std::process::ExitCode;

/// Prints to stdout; a closed pipe is the reader's business.
pub(super) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Says what went wrong on stderr; exit status 2.
pub(super) fn fail(message: &str) -> ExitCode {
    complain(message);
    ExitCode::from(2)
}

/// A line on stderr.
pub(super) fn complain(message: &str) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "handset: {message}");
}
