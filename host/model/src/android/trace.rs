//! Java stack traces in a command's output: which are the command's end, and which only noise.

/// Frames of traces that vendors print and survive.
const NOISE: [&str; 2] = ["miui.content.res.ThemeCompatibility", "miui.content.res.MiuiResourcesImpl"];

/// The output without traces that mean nothing.
pub(super) fn without_noise(output: &str) -> String {
    let mut kept = String::with_capacity(output.len());
    let mut block = String::new();
    let mut flush = |block: &mut String| {
        if !NOISE.iter().any(|frame| block.contains(frame)) {
            kept.push_str(block);
        }
        block.clear();
    };
    for line in output.lines() {
        if !continues(line) {
            flush(&mut block);
        }
        block.push_str(line);
        block.push('\n');
    }
    flush(&mut block);
    kept
}

/// Whether a line goes on with the trace begun above it.
fn continues(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ")
        || line.starts_with("... ")
        || line.starts_with("Caused by:")
        || line.starts_with("Suppressed:")
}

/// The line that names an exception, if one was thrown.
pub(super) fn exception(output: &str) -> Option<&str> {
    let names = |line: &&str| {
        let line = line.trim_start_matches("Exception in thread \"main\" ");
        let name = line.split([':', ' ']).next().unwrap_or_default();
        name.contains('.') && (name.ends_with("Exception") || name.ends_with("Error") || name.ends_with("Throwable"))
    };
    let lines = || output.lines().map(str::trim);
    lines().find(names).or_else(|| lines().find(|line| line.starts_with("Exception occurred while executing")))
}
