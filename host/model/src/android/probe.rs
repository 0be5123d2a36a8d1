//! Whether an app's process answers, or is held: the activity manager's records and the kernel's.

/// A process as the activity manager records it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessRecord {
    /// Its name: the package, or `package:name`.
    pub process: String,
    /// Its pid.
    pub pid: u32,
    /// It did not answer in time.
    pub not_responding: bool,
    /// It was started for a debugger, or one is attached.
    pub debugging: bool,
}

/// A process as the kernel has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessState {
    /// Its pid.
    pub pid: u32,
    /// `S` sleeping, `R` running, `T` stopped, `t` stopped by what traces it, `Z` dead, …
    pub state: char,
    /// Who traces it; 0 for nobody.
    pub tracer: u32,
}

impl ProcessState {
    /// Held by a debugger or a signal: it does nothing until it is let go.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.tracer != 0 || matches!(self.state, 'T' | 't')
    }
}

/// Records in `dumpsys activity processes`, or in the lines of it that name a process or a fault.
///
/// A record begins with `*APP* UID 10110 ProcessRecord{8f70e56 15082:com.app/u0a110}` (`*PERS*` of the system's own). Its
/// faults follow where it has any: `notResponding=true` up to Android 10, `mNotResponding=true` since, and `debugging=true`
/// or `mDebugging=true`. Names of processes stand in other lines as well; only a record's own line begins one.
#[must_use]
pub fn parse_process_records(text: &str) -> Vec<ProcessRecord> {
    let mut records: Vec<ProcessRecord> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("*APP*") || line.starts_with("*PERS*") {
            records.extend(record(line));
            continue;
        }
        let Some(current) = records.last_mut() else { continue };
        for word in line.split_whitespace() {
            match word.strip_prefix('m').unwrap_or(word).to_ascii_lowercase().as_str() {
                "notresponding=true" => current.not_responding = true,
                "debugging=true" => current.debugging = true,
                _ => {}
            }
        }
    }
    records
}

/// `ProcessRecord{hash pid:name/user}`.
fn record(line: &str) -> Option<ProcessRecord> {
    let inside = line.split_once("ProcessRecord{")?.1.split('}').next()?;
    let (pid, name) = inside.split_once(' ')?.1.split_once(':')?;
    let process = name.rsplit_once('/').map_or(name, |(name, _)| name);
    let known = !process.is_empty() && !process.contains(char::is_whitespace);
    known.then(|| {
        Some(ProcessRecord { process: process.to_owned(), pid: pid.parse().ok()?, ..ProcessRecord::default() })
    })?
}

/// Processes in one `/proc/PID/status` after another, of which `State`, `Pid` and `TracerPid` are needed.
#[must_use]
pub fn parse_process_states(text: &str) -> Vec<ProcessState> {
    let mut states = Vec::new();
    let (mut state, mut pid) = (None, None);
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let first = value.split_whitespace().next().unwrap_or_default();
        match name.trim() {
            "State" => state = first.chars().next(),
            "Pid" => pid = first.parse::<u32>().ok(),
            // It stands after the others, and ends what is known of a process.
            "TracerPid" => {
                if let (Some(state), Some(pid), Ok(tracer)) = (state.take(), pid.take(), first.parse()) {
                    states.push(ProcessState { pid, state, tracer });
                }
            }
            _ => {}
        }
    }
    states
}
