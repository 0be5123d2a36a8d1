//! `dumpsys activity` (`activities`, `top`, `processes`, `lastanr`) and `am stack list`: tasks, what is resumed, and who
//! crashed or hangs. Formats of Android 5 to 16, as ActivityStackSupervisor, ActivityTaskManagerService and
//! ActivityManagerService print them.

use serde_json::{Map, Value, json};

use super::screen::{component, parse_resumed_activity};
use super::{flag, no_capture};
use crate::Failure;

/// One activity in a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivityEntry {
    /// Package.
    pub package: String,
    /// Class in full.
    pub activity: String,
    /// User of the device.
    pub user: Option<u32>,
    /// Task.
    pub task: Option<u32>,
    /// `RESUMED`, `STOPPED`, … where the dump says so.
    pub state: Option<String>,
    /// Process, of `dumpsys activity top`.
    pub pid: Option<u32>,
}

/// One task, from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskEntry {
    /// Task id.
    pub id: u32,
    /// Affinity, mostly the package.
    pub affinity: Option<String>,
    /// User of the device.
    pub user: Option<u32>,
    /// `standard`, `home`, `recents`, ….
    pub kind: Option<String>,
    /// `fullscreen`, `pinned`, `freeform`, `multi-window`, ….
    pub mode: Option<String>,
    /// Shown, where the dump says so.
    pub visible: Option<bool>,
    /// Display.
    pub display: Option<u32>,
    /// Its activities, the top one first.
    pub activities: Vec<ActivityEntry>,
}

/// One process the activity manager knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessEntry {
    /// Process id.
    pub pid: u32,
    /// Name, with `:part` where it has one.
    pub name: String,
    /// `u0a150`, `1000`.
    pub owner: String,
    /// Its crash dialog is up.
    pub crashing: bool,
    /// It does not respond.
    pub not_responding: bool,
    /// A debugger is attached or waited for.
    pub debugging: bool,
}

/// What `dumpsys activity` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activities {
    /// In front.
    pub resumed: Option<ActivityEntry>,
    /// Every resumed activity that was named, one a display or a half of the screen.
    pub all_resumed: Vec<ActivityEntry>,
    /// Tasks as they stand.
    pub tasks: Vec<TaskEntry>,
    /// Processes as they stand.
    pub processes: Vec<ProcessEntry>,
    /// The keyguard: showing, occluded.
    pub keyguard: Option<(bool, bool)>,
    /// When and why the last ANR was, as it stands.
    pub last_anr: Option<String>,
}

/// Tasks, activities and processes kept: no device has so many, a damaged dump might.
const MOST: usize = 2_000;

/// `ActivityRecord{35dbb2a u0 com.app/.Main t27}`, also inside other braces.
fn record(line: &str) -> Option<ActivityEntry> {
    let inside = &line[line.find("ActivityRecord{")? + "ActivityRecord{".len()..];
    let mut entry = ActivityEntry::default();
    for word in inside.split([' ', '}', ',']).take(8) {
        if entry.package.is_empty() && word.contains('/') {
            (entry.package, entry.activity) = component(word)?;
        } else if let Some(user) = word.strip_prefix('u').and_then(|user| user.parse().ok()) {
            entry.user = Some(user);
        } else if let Some(task) = word.strip_prefix('t').and_then(|task| task.parse().ok()) {
            entry.task = Some(task);
            break;
        }
    }
    (!entry.package.is_empty()).then_some(entry)
}

/// The value of `name=` up to a blank or a brace.
fn member<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let found = line.match_indices(name).find(|(at, _)| *at == 0 || line[..*at].ends_with([' ', '{', ',']))?;
    let value = line[found.0 + name.len()..].split([' ', '}', ',']).next()?;
    (!value.is_empty()).then_some(value)
}

/// `* Task{c5ebfbb #8 type=standard A=10149:com.app U=0 visible=true mode=fullscreen sz=1}`, `* TaskRecord{abc #27 A=com.app U=0 sz=1}`,
/// `Task id #27`.
fn task(line: &str) -> Option<TaskEntry> {
    let line = line.strip_prefix("* ").unwrap_or(line);
    let inside = line
        .strip_prefix("Task{")
        .or_else(|| line.strip_prefix("TaskRecord{"))
        .or_else(|| line.strip_prefix("Task id "));
    let inside = inside?;
    let digits = &inside[inside.find('#')? + 1..];
    let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count()];
    let affinity = member(inside, "A=")
        .map(|name| name.split_once(':').filter(|(uid, _)| uid.parse::<u32>().is_ok()).map_or(name, |(_, name)| name));
    Some(TaskEntry {
        id: digits.parse().ok()?,
        affinity: affinity.map(str::to_owned),
        user: member(inside, "U=").and_then(|user| user.parse().ok()),
        kind: member(inside, "type=").map(str::to_owned),
        mode: member(inside, "mode=").map(str::to_owned),
        visible: member(inside, "visible=").and_then(|shown| shown.parse().ok()),
        ..TaskEntry::default()
    })
}

/// `1546:com.github.uiautomator/u0a150`, behind a hash.
fn process(inside: &str) -> Option<ProcessEntry> {
    let word = inside.split([' ', '}']).find(|word| word.contains(':') && word.contains('/'))?;
    let (pid, rest) = word.split_once(':')?;
    let (name, owner) = rest.rsplit_once('/')?;
    Some(ProcessEntry {
        pid: pid.parse().ok()?,
        name: name.to_owned(),
        owner: owner.to_owned(),
        ..ProcessEntry::default()
    })
    .filter(|process| !process.name.is_empty() && !process.owner.is_empty())
}

#[derive(Default)]
struct Reader {
    found: Activities,
    display: Option<u32>,
    /// In `dumpsys activity top`: its task.
    top: bool,
    seen: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let found = &mut self.found;
        if let Some(rest) = line.strip_prefix("Display #") {
            self.display = rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|id| id.parse().ok());
            self.seen |= line.contains("activities from top");
        } else if let Some(mut entry) = task(line).filter(|_| found.tasks.len() < MOST) {
            entry.display = self.display;
            self.seen = true;
            // A task is named again above its own record, with other members.
            match found.tasks.last_mut().filter(|last| last.id == entry.id && last.activities.is_empty()) {
                Some(last) => {
                    last.affinity = entry.affinity.or(last.affinity.take());
                    last.user = entry.user.or(last.user);
                    last.kind = entry.kind.or(last.kind.take());
                    last.mode = entry.mode.or(last.mode.take());
                    last.visible = entry.visible.or(last.visible);
                }
                None => found.tasks.push(entry),
            }
        } else if line.starts_with("* Hist") || line.starts_with("Hist") {
            let Some(entry) = record(line) else { return };
            self.seen = true;
            let at = found.tasks.iter().rposition(|task| entry.task.is_none_or(|id| id == task.id));
            let at = at.or_else(|| {
                (found.tasks.len() < MOST).then(|| {
                    let id = entry.task.unwrap_or_default();
                    found.tasks.push(TaskEntry { id, display: self.display, ..TaskEntry::default() });
                    found.tasks.len() - 1
                })
            });
            if let Some(task) = at.and_then(|at| found.tasks.get_mut(at)).filter(|task| task.activities.len() < MOST) {
                task.activities.push(entry);
            }
        } else if [
            "mResumedActivity",
            "ResumedActivity",
            "topResumedActivity",
            "mFocusedActivity",
            "mLastFocusedRootTask",
        ]
        .iter()
        .any(|name| line.starts_with(name))
        {
            self.seen = true;
            let resumed = record(line).filter(|_| line.contains("esumedActivity"));
            if let Some(entry) =
                resumed.filter(|entry| !found.all_resumed.contains(entry) && found.all_resumed.len() < MOST)
            {
                found.all_resumed.push(entry);
            }
        } else if let Some(rest) = line.strip_prefix("TASK ") {
            self.top = true;
            self.seen = true;
            let id = member(rest, "id=").and_then(|id| id.parse().ok()).unwrap_or_default();
            let affinity = rest.split(' ').next().filter(|name| *name != "null").map(str::to_owned);
            let user = member(rest, "userId=").and_then(|user| user.parse().ok());
            if found.tasks.len() < MOST {
                found.tasks.push(TaskEntry { id, affinity, user, ..TaskEntry::default() });
            }
        } else if let Some(rest) = line.strip_prefix("ACTIVITY ").filter(|rest| !rest.starts_with("MANAGER")) {
            let Some((package, activity)) = rest.split(' ').next().and_then(component) else { return };
            self.seen = true;
            self.top = true;
            let pid = member(rest, "pid=").and_then(|pid| pid.parse().ok());
            if found.tasks.is_empty() {
                found.tasks.push(TaskEntry::default());
            }
            if let Some(task) = found.tasks.last_mut().filter(|task| task.activities.len() < MOST) {
                let id = Some(task.id);
                task.activities.push(ActivityEntry { package, activity, pid, task: id, ..ActivityEntry::default() });
            }
        } else if let Some(rest) = line.strip_prefix("taskId=") {
            self.listed(rest);
        } else if let Some(at) = line.find("ProcessRecord{") {
            let listed = line.starts_with('*') || line.starts_with("PID #") || line.contains("#");
            let Some(entry) = process(&line[at..]).filter(|_| listed) else { return };
            self.process(entry);
        } else if (line.starts_with("Proc #") || line.starts_with("PERS #") || line.starts_with('#'))
            && line.contains("trm:")
        {
            // `Proc # 0: fore  F/A/T  trm: 0 3586:com.app/u0a29 (top-activity)`
            let Some(entry) = line.split_once("trm:").and_then(|(_, rest)| process(rest)) else { return };
            self.process(entry);
        } else {
            self.member(line);
        }
    }

    fn process(&mut self, entry: ProcessEntry) {
        self.seen = true;
        let known = self.found.processes.iter().rev().take(512).any(|known| known.pid == entry.pid);
        if !known && self.found.processes.len() < MOST {
            self.found.processes.push(entry);
        }
    }

    /// `12: com.app/.Main bounds=… userId=0 visible=true topActivity=ComponentInfo{com.app/com.app.Main}` of `am stack list`.
    fn listed(&mut self, rest: &str) {
        let Some((id, rest)) = rest.split_once(':') else { return };
        let Ok(id) = id.trim().parse() else { return };
        self.seen = true;
        let top = rest.split_once("ComponentInfo{").and_then(|(_, inside)| component(inside.split('}').next()?));
        let top = top.or_else(|| component(rest.trim().split(' ').next()?));
        let visible = member(rest, "visible=").and_then(|shown| shown.parse().ok());
        let user = member(rest, "userId=").and_then(|user| user.parse().ok());
        let entry =
            |(package, activity)| ActivityEntry { package, activity, user, task: Some(id), ..ActivityEntry::default() };
        let activities: Vec<ActivityEntry> = top.into_iter().map(entry).collect();
        if self.found.tasks.len() < MOST {
            self.found.tasks.push(TaskEntry { id, visible, user, activities, ..TaskEntry::default() });
        }
    }

    /// Members of what stands above them.
    fn member(&mut self, line: &str) {
        let activity = self.found.tasks.last_mut().and_then(|task| task.activities.last_mut());
        let state =
            line.split(' ').find_map(|word| word.strip_prefix("state=").or_else(|| word.strip_prefix("mState=")));
        let named =
            |state: &&str| state.len() > 3 && state.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if let (Some(activity), Some(state)) = (activity, state.filter(named)) {
            activity.state.get_or_insert_with(|| state.to_owned());
        }
        if self.top
            && line.starts_with("mResumed=true")
            && let Some(activity) = self.found.tasks.last_mut().and_then(|task| task.activities.last_mut())
        {
            activity.state = Some("RESUMED".to_owned());
            let resumed = activity.clone();
            if !self.found.all_resumed.contains(&resumed) && self.found.all_resumed.len() < MOST {
                self.found.all_resumed.push(resumed);
            }
        }
        let said = |names: [&str; 2]| names.iter().find_map(|name| flag(line, name));
        let (crashing, hangs) = (said(["mCrashing", "crashing"]), said(["mNotResponding", "notResponding"]));
        let debugging = said(["mDebugging", "debugging"]);
        if crashing.or(hangs).or(debugging).is_some() {
            self.seen = true;
            if let Some(process) = self.found.processes.last_mut() {
                process.crashing |= crashing == Some(true);
                process.not_responding |= hangs == Some(true);
                process.debugging |= debugging == Some(true);
            } else if crashing == Some(true) || hangs == Some(true) {
                // An excerpt: somebody hangs, whoever it is.
                self.found.processes.push(ProcessEntry {
                    crashing: crashing == Some(true),
                    not_responding: hangs == Some(true),
                    debugging: debugging == Some(true),
                    ..ProcessEntry::default()
                });
            }
        }
        if let Some(showing) = flag(line, "mKeyguardShowing") {
            self.seen = true;
            let occluded = self.found.keyguard.is_some_and(|(_, occluded)| occluded);
            self.found.keyguard = Some((showing, occluded));
        } else if let (Some((_, occluded)), Some(said)) = (&mut self.found.keyguard, flag(line, "mOccluded")) {
            *occluded |= said;
        }
        if line.starts_with("ANR time:") || line.starts_with("<no ANR has occurred") {
            self.seen = true;
            self.found.last_anr = Some(line.chars().take(300).collect::<String>()).filter(|_| line.starts_with("ANR"));
        } else if let (Some(anr), true) =
            (&mut self.found.last_anr, line.starts_with("Reason:") || line.starts_with("Subject:"))
            && anr.len() < 1_000
        {
            anr.push_str("; ");
            anr.extend(line.chars().take(500));
        }
    }
}

/// Reads what `dumpsys activity` or `am stack list` printed.
///
/// # Errors
/// `INVALID_ARGUMENT` for anything else, `UNSUPPORTED` where the service refused.
pub fn parse_activities(text: &str) -> Result<Activities, Failure> {
    let mut reader = Reader::default();
    let heading = text.contains("ACTIVITY MANAGER") || text.contains("DUMP OF SERVICE activity");
    if heading || !text.contains("WINDOW MANAGER") {
        text.lines().for_each(|line| reader.line(line.trim()));
    }
    let mut found = reader.found;
    if !reader.seen && !heading {
        return Err(no_capture("activity", "`adb shell dumpsys activity activities`, `… top` or `… processes`", text));
    }
    let front = parse_resumed_activity(text);
    found.resumed = match front {
        Some((package, activity)) => {
            let same = |entry: &&ActivityEntry| entry.package == package && entry.activity == activity;
            let known = found.all_resumed.iter().find(same).cloned();
            let known = known.or_else(|| found.tasks.iter().flat_map(|task| &task.activities).find(same).cloned());
            // A focused window of nobody's task is no activity's.
            Some(known.unwrap_or(ActivityEntry { package, activity, ..ActivityEntry::default() }))
        }
        None => found.all_resumed.first().cloned(),
    };
    if let Some(resumed) = &mut found.resumed {
        resumed.state = Some("RESUMED".to_owned());
    }
    Ok(found)
}

fn shown(members: Vec<(&str, Value)>) -> Value {
    let members = members.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(members.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

impl ActivityEntry {
    fn to_json(&self) -> Value {
        let short = self.activity.rsplit('.').next();
        shown(vec![
            ("package", json!(self.package)),
            ("activity", json!(self.activity)),
            ("shortActivity", json!(short)),
            ("user", json!(self.user)),
            ("task", json!(self.task)),
            ("state", json!(self.state)),
            ("pid", json!(self.pid)),
        ])
    }
}

impl Activities {
    /// As JSON; what the dump does not say is left out.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let tasks = self.tasks.iter().map(|task| {
            let activities: Vec<Value> = task.activities.iter().map(ActivityEntry::to_json).collect();
            shown(vec![
                ("id", json!(task.id)),
                ("affinity", json!(task.affinity)),
                ("user", json!(task.user)),
                ("type", json!(task.kind)),
                ("mode", json!(task.mode)),
                ("visible", json!(task.visible)),
                ("display", json!(task.display)),
                ("activities", json!(activities)),
            ])
        });
        let tasks: Vec<Value> = tasks.collect();
        let processes: Vec<Value> = self
            .processes
            .iter()
            .map(|process| {
                json!({
                    "pid": process.pid,
                    "name": process.name,
                    "owner": process.owner,
                    "crashing": process.crashing,
                    "not_responding": process.not_responding,
                    "debugging": process.debugging,
                })
            })
            .collect();
        let named = |chosen: fn(&ProcessEntry) -> bool| -> Vec<Value> {
            self.processes
                .iter()
                .filter(|process| chosen(process))
                .map(|process| json!({ "pid": process.pid, "name": process.name }))
                .collect()
        };
        let all: Vec<Value> = self.all_resumed.iter().map(ActivityEntry::to_json).collect();
        let keyguard = self.keyguard.map(|(showing, occluded)| json!({ "showing": showing, "occluded": occluded }));
        json!({
            "resumed": self.resumed.as_ref().map(ActivityEntry::to_json),
            "all_resumed": all,
            "tasks": tasks,
            "processes": processes,
            "crashing": named(|process| process.crashing),
            "not_responding": named(|process| process.not_responding),
            "keyguard": keyguard,
            "last_anr": self.last_anr,
        })
    }
}
