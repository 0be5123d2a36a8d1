//! The conversation itself: eras, lines, listing, answers and their schemas, what may stand on stdout, progress, cancelling, and how the server ends.

mod answers;
mod cancelling;
mod ending;
mod eras;
mod lines;
mod listing;
mod sockets;
mod stdout;

use simphone::{Fault, FaultKind};

use crate::support::{Bench, wait_until};

/// Reads hang until their caller gives up.
pub(crate) fn hang_reads(bench: &Bench) {
    bench.phone().fault(Fault::forever("dump", FaultKind::Hang));
}

/// Waits until a read is under way on the phone.
pub(crate) async fn a_read_runs(bench: &Bench) {
    wait_until("a read begins", || bench.phone().journal().dumps().iter().any(|dump| dump.end_ms.is_none())).await;
}

/// Process ids and command lines of the children of a process, and theirs.
pub(crate) fn descendants(of: u32) -> Vec<(u32, String)> {
    #[allow(clippy::disallowed_methods, reason = "the tests look; the product spawns in one place")]
    let listed =
        std::process::Command::new("ps").args(["-A", "-ww", "-o", "pid=,ppid=,args="]).output().expect("ps is here");
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let rows: Vec<(u32, u32, &str)> = text
        .lines()
        .filter_map(|line| {
            let (pid, rest) = line.trim_start().split_once(char::is_whitespace)?;
            let (parent, command) = rest.trim_start().split_once(char::is_whitespace)?;
            Some((pid.parse().ok()?, parent.parse().ok()?, command.trim_start()))
        })
        .collect();
    let mut parents = vec![of];
    let mut found = Vec::new();
    while let Some(parent) = parents.pop() {
        for (pid, _, command) in
            rows.iter().filter(|(_, its, command)| *its == parent && !command.contains("<defunct>"))
        {
            parents.push(*pid);
            found.push((*pid, (*command).to_owned()));
        }
    }
    found
}

/// Whether a process is there and no zombie.
pub(crate) fn lives(pid: u32) -> bool {
    #[allow(clippy::disallowed_methods, reason = "the tests look; the product spawns in one place")]
    let shown =
        std::process::Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().expect("ps is here");
    let stat = String::from_utf8_lossy(&shown.stdout).trim().to_owned();
    !stat.is_empty() && !stat.starts_with('Z')
}
