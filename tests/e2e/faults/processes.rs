//! What a server has left running on this machine.

/// Command lines of the children of a process, zombies included.
#[cfg(target_os = "linux")]
pub(super) fn children(parent: u32) -> Vec<Vec<String>> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent)).map(command_line).collect()
}

/// Nothing is told elsewhere.
#[cfg(not(target_os = "linux"))]
pub(super) fn children(_parent: u32) -> Vec<Vec<String>> {
    Vec::new()
}

/// The fourth field; the second, in brackets, may hold anything.
#[cfg(target_os = "linux")]
fn parent_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
fn command_line(pid: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// A closed lane asks the device whether what was left there is over.
pub(super) fn asks_for_the_lane(line: &[String]) -> bool {
    line.iter().any(|word| word.contains(".alive."))
}

/// Whether a child speaks to this connection.
pub(super) fn speaks_to(line: &[String], transport: &str) -> bool {
    line.windows(2).any(|pair| pair == ["-t", transport])
}
