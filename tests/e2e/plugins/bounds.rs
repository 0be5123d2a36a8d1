//! What a bound is measured with: the server's memory, and whether the machine can show a bound at all.

/// More that wants to run than the processors can: whoever is late here may be so through no fault of the server.
pub(super) fn overloaded() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    load > 2.0 * std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64)
}

/// The memory a process has resident, from a moment on. Known on Linux alone.
pub(super) struct Resident {
    pid: u32,
    before: Option<u64>,
}

impl Resident {
    /// From now on.
    pub(super) fn of(pid: u32) -> Self {
        // Makes the most it has had what it has now.
        let reset = std::fs::write(format!("/proc/{pid}/clear_refs"), "5").ok();
        Self { pid, before: reset.and_then(|()| kib(pid, "VmRSS:")) }
    }

    /// The most by which it has grown since, MiB.
    pub(super) fn grown_mib(&self) -> Option<f64> {
        let most = kib(self.pid, "VmHWM:")?;
        Some(most.saturating_sub(self.before?) as f64 / 1_024.0)
    }
}

fn kib(pid: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_taken_for_a_moment_is_seen() {
    let memory = Resident::of(std::process::id());
    drop(std::hint::black_box(vec![1_u8; 32 << 20]));
    let grown = memory.grown_mib().expect("this process may be looked at");
    // Other tests of this process take and give memory meanwhile.
    assert!(grown > 16.0, "{grown}");
}
