//! What went wrong in a build, from its output: the first real error, not the last thing that was said.

use serde::Serialize;

/// Longest message kept, characters.
const LONGEST: usize = 600;

/// Lines of Gradle's own account that are kept.
const ACCOUNT: usize = 8;

/// The first real error of a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BuildError {
    /// `kotlin`, `java`, `resource`, `manifest`, `native`, `dart`, `metro`, `gradle`, or `other` for a last line.
    pub kind: &'static str,
    /// The file it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
}

impl BuildError {
    fn new(kind: &'static str, place: Option<(String, Option<u32>)>, message: &str) -> Self {
        let (file, line) = place.map_or((None, None), |(file, line)| (Some(file), line));
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect();
        Self { kind, file, line, message }
    }
}

/// The first error a compiler reports; where none does, Gradle's account of what went wrong; else the last line.
/// `None` of an output that says nothing at all.
#[must_use]
pub fn first_build_error(output: &str) -> Option<BuildError> {
    let lines: Vec<&str> = output.lines().map(|line| line.trim_end_matches('\r')).collect();
    let compiler = lines.iter().enumerate().find_map(|(at, line)| compiler(line, lines.get(at + 1).copied()));
    compiler.or_else(|| account(&lines)).or_else(|| wrapper(&lines)).or_else(|| {
        let last = lines.iter().rev().map(|line| line.trim()).find(|line| !line.is_empty())?;
        Some(BuildError::new("other", None, last))
    })
}

/// Tasks Gradle offers instead of one that is not there: `Some candidates are: 'assembleDebug', 'assemble'.`
#[must_use]
pub fn candidate_tasks(output: &str) -> Option<Vec<String>> {
    let line = output.lines().find(|line| {
        let line = line.trim_start();
        (line.starts_with("Task '") || line.starts_with("Cannot locate tasks that match '"))
            && line.contains("not found")
            || line.starts_with("Cannot locate tasks that match '")
    })?;
    let offered = line.split_once("andidates are:").map_or("", |(_, offered)| offered);
    Some(offered.split('\'').skip(1).step_by(2).map(str::to_owned).collect())
}

fn compiler(line: &str, next: Option<&str>) -> Option<BuildError> {
    let line = line.trim();
    kotlin(line)
        .or_else(|| resource(line))
        .or_else(|| manifest(line))
        .or_else(|| placed(line))
        .or_else(|| metro(line, next))
}

/// `e: file:///a/B.kt:12:5 Unresolved reference: x`, or before Kotlin 1.8 `e: /a/B.kt: (12, 5): Unresolved …`.
fn kotlin(line: &str) -> Option<BuildError> {
    let rest = line.strip_prefix("e: ")?;
    let rest = rest.strip_prefix("file://").unwrap_or(rest);
    if let Some((file, after)) = rest.split_once(": (") {
        let (place, message) = after.split_once("): ")?;
        let number = place.split(',').next().and_then(|number| number.trim().parse().ok());
        return Some(BuildError::new("kotlin", Some((file.to_owned(), number)), message));
    }
    for ending in [".kt:", ".kts:", ".java:"] {
        if let Some(at) = rest.find(ending) {
            let (file, after) = rest.split_at(at + ending.len());
            let (place, message) = after.split_once(' ').unwrap_or((after, ""));
            let number = place.split(':').next().and_then(|number| number.parse().ok());
            return Some(BuildError::new("kotlin", Some((file.trim_end_matches(':').to_owned(), number)), message));
        }
    }
    // An error of the compiler itself, or of a plugin of it.
    (!rest.starts_with("warnings found")).then(|| BuildError::new("kotlin", None, rest))
}

/// `ERROR:/a/x.xml:5: AAPT: error: resource style/X not found.`, with line and columns as AAPT2 has them, or without a file.
fn resource(line: &str) -> Option<BuildError> {
    let (before, message) = line.split_once("AAPT: error: ")?;
    let place = before.trim().trim_start_matches("ERROR:").trim().trim_end_matches(':');
    Some(BuildError::new("resource", (!place.is_empty()).then(|| file_and_line(place)), message))
}

/// `/a/AndroidManifest.xml:12:5-44 Error:`, whose message stands below, or `Manifest merger failed : …`.
fn manifest(line: &str) -> Option<BuildError> {
    if let Some((_, message)) = line.split_once("Manifest merger failed : ") {
        return Some(BuildError::new("manifest", None, message));
    }
    let place = line.strip_suffix(" Error:").filter(|place| place.contains("AndroidManifest.xml"))?;
    Some(BuildError::new(
        "manifest",
        Some(file_and_line(place)),
        "the manifest cannot be merged; see the lines below it",
    ))
}

/// `/a/B.java:12: error: …`, `/a/b.cpp:3:7: error: …`, `lib/main.dart:12:5: Error: …`.
fn placed(line: &str) -> Option<BuildError> {
    let (place, message) =
        [": error: ", ": Error: ", ": fatal error: "].iter().find_map(|mark| line.split_once(mark))?;
    let (file, number) = file_and_line(place);
    number?;
    let kind = match file.rsplit('.').next() {
        Some("java") => "java",
        Some("dart") => "dart",
        Some("kt" | "kts") => "kotlin",
        Some("c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "mm") => "native",
        _ => return None,
    };
    Some(BuildError::new(kind, Some((file, number)), message))
}

/// `error: SyntaxError: /a/App.js: Unexpected token (12:5)`, `Error: Unable to resolve module ./x from /a/App.js: …`.
fn metro(line: &str, next: Option<&str>) -> Option<BuildError> {
    let rest = line
        .strip_prefix("error ")
        .or_else(|| line.strip_prefix("error: "))
        .or_else(|| line.strip_prefix("Error: "))
        .unwrap_or(line);
    if let Some(rest) = rest.strip_prefix("SyntaxError: ").or_else(|| rest.strip_prefix("TransformError SyntaxError: "))
    {
        let (file, message) = rest.split_once(": ").unwrap_or(("", rest));
        let number = message.rsplit_once('(').and_then(|(_, place)| place.split(':').next()?.parse().ok());
        let place = file.contains('/').then(|| (file.to_owned(), number));
        return Some(BuildError::new("metro", place, message));
    }
    let after = rest.strip_prefix("Unable to resolve module ")?;
    let file =
        after.split_once(" from ").map(|(_, file)| file.split(": ").next().unwrap_or(file).trim_end_matches(':'));
    let message = if rest.ends_with(':') { format!("{rest} {}", next.unwrap_or_default()) } else { rest.to_owned() };
    Some(BuildError::new("metro", file.map(|file| (file.to_owned(), None)), &message))
}

/// `/a/b.xml:5:3-20` and its kin; a drive's colon is no line.
fn file_and_line(place: &str) -> (String, Option<u32>) {
    let mut file = place.trim();
    let mut number = None;
    while let Some((before, last)) = file.rsplit_once(':') {
        let digits = last.split('-').next().unwrap_or_default();
        let Some(parsed) = digits.parse().ok().filter(|_| !before.is_empty()) else { break };
        number = Some(parsed);
        file = before;
    }
    (file.to_owned(), number)
}

/// What stands under `* What went wrong:`.
fn account(lines: &[&str]) -> Option<BuildError> {
    let at = lines.iter().position(|line| line.trim() == "* What went wrong:")?;
    let said = lines.iter().skip(at + 1).take_while(|line| !line.trim_start().starts_with("* ")).take(ACCOUNT);
    let said: Vec<&str> =
        said.map(|line| line.trim().trim_start_matches("> ")).filter(|line| !line.is_empty()).collect();
    (!said.is_empty()).then(|| BuildError::new("gradle", None, &said.join(" ")))
}

/// What the wrapper says before there is a Gradle: `ERROR: JAVA_HOME is set to an invalid directory: …`.
fn wrapper(lines: &[&str]) -> Option<BuildError> {
    const MARKS: [&str; 5] = ["ERROR: ", "Error: ", "FAILURE: ", "Exception in thread ", "Target of URI doesn't exist"];
    let line = lines.iter().map(|line| line.trim()).find(|line| MARKS.iter().any(|mark| line.starts_with(mark)))?;
    Some(BuildError::new("other", None, line))
}
