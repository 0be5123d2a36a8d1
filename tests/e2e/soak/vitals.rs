//! What a process holds: memory, descriptors, threads, children. Zeros where the system does not tell.

/// One look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vitals {
    /// RssAnon, KiB.
    pub(crate) anonymous: u64,
    /// Open file descriptors.
    pub(crate) descriptors: usize,
    /// Threads.
    pub(crate) threads: usize,
    /// Processes it started that are not reaped.
    pub(crate) children: usize,
}

/// A look at a process.
pub(crate) fn vitals(pid: u32) -> Vitals {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let tasks: Vec<_> = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten().collect();
    let children = |task: &std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        text.split_whitespace().count()
    };
    Vitals {
        anonymous: line.and_then(|rest| rest.trim().split(' ').next()?.parse().ok()).unwrap_or(0),
        descriptors: std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().count(),
        threads: tasks.len(),
        children: tasks.iter().map(children).sum(),
    }
}
