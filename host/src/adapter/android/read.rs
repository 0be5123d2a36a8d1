//! One physical read: one dump and the retrieval of its tree, with its size, rotation and activity, in one shell line.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use handset_model::android::{classify_dump_error, parse_resumed_activity, parse_wm_size};
use handset_model::snapshot::{Capture, ScreenFacts};
use handset_model::ui::{Keyboard, Limitation, ParseOptions, Size, Tree, parse_hierarchy};
use handset_model::{Code, Failure};
use tokio::time::Instant;

use super::Android;
use super::facts::{ACTIVITY, KEYBOARD, keyboard_of};
use super::shell::{Broken, Reply, Script};
use crate::budget::Budget;
use crate::device::{Leftover, Note, PhysicalRead, Pinned, Wants};

/// Bytes of one tree with all that comes with it; real ones are 5–400 KB.
pub(super) const TREE_CAP: usize = 16 << 20;

/// A dump waits ten seconds for an idle screen at most, and its JVM needs a moment to start and to end.
const DUMP_BOUND: Duration = Duration::from_secs(12);

/// How a tree is got from a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeSource {
    /// `uiautomator dump`.
    Stock,
    /// `uiautomator dump --compressed`: leaves out what accessibility deems unimportant, and sometimes reads a
    /// screen that never rests.
    Compressed,
    /// `uiautomator dump --windows`: every window of every display, from Android 11. Before that the option is ignored.
    Windows,
}

impl TreeSource {
    /// The command, its file being `$0.xml`.
    pub(super) fn dump(self) -> &'static str {
        match self {
            Self::Stock => r#"exec uiautomator dump "$0.xml""#,
            Self::Compressed => r#"exec uiautomator dump --compressed "$0.xml""#,
            Self::Windows => r#"exec uiautomator dump --windows "$0.xml""#,
        }
    }

    /// Says on the tree what this source cannot tell.
    fn flag(self, tree: &mut Tree) {
        if self == Self::Compressed && !tree.limitations.contains(&Limitation::Truncated) {
            tree.limitations.push(Limitation::Truncated);
        }
    }
}

/// A tree and all that came with it.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) capture: Capture,
    pub(super) tree: Tree,
    pub(super) screen: ScreenFacts,
}

/// One read that brought no tree.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) failure: Failure,
    pub(super) server_lost: bool,
    /// The dump may still be running on the device.
    pub(super) leftover: Option<Leftover>,
}

impl Android {
    /// One read, and what it cost; nothing is tried again.
    pub(super) async fn read_once(
        &self,
        device: &Pinned,
        source: TreeSource,
        wants: Wants,
        budget: &Budget,
    ) -> (Result<Whole, Box<Failed>>, PhysicalRead) {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let name = self.dump_file(number);
        let script = self.read_script(device, source, wants, &name);
        let started = Instant::now();
        let exchange = self.exchange(device, &script, TREE_CAP, "reading the screen", budget).await;
        let ended = Instant::now();
        let whole = self.whole(device, exchange, source, wants, &name, (started, ended));
        let read = ended.duration_since(started);
        let cost = PhysicalRead { waited: Duration::ZERO, read, parse: ended.elapsed(), failed: None };
        (whole, cost)
    }

    /// A file of our own on the device, but for the pid of the shell that reads it, and its ending.
    pub(super) fn dump_file(&self, number: u64) -> String {
        format!("{FOLDER}handset-{}-{number}-", self.session)
    }

    /// What a finished exchange brought.
    fn whole(
        &self,
        device: &Pinned,
        exchange: Result<Reply, Box<Broken>>,
        source: TreeSource,
        wants: Wants,
        name: &str,
        (started, ended): (Instant, Instant),
    ) -> Result<Whole, Box<Failed>> {
        let reply = match exchange {
            Ok(reply) => reply,
            Err(broken) => {
                self.sweep_again(device);
                let leftover = leftover(&broken, started, name);
                if !tree_is_usable(&broken) {
                    let Broken { failure, server_lost, .. } = *broken;
                    return Err(Box::new(Failed { failure, server_lost, leftover }));
                }
                tracing::debug!(code = %broken.failure.code, "what comes with a tree was cut off");
                broken.reply
            }
        };
        let (tree, screen) = self
            .understand(device, &reply, source, wants, name)
            .map_err(|failure| Box::new(Failed { failure, server_lost: false, leftover: None }))?;
        let capture = Capture {
            device: device.key.clone(),
            connection: device.connection,
            started_ms: self.clock.ms_at(started),
            captured_ms: self.clock.ms_at(ended),
            captured_at_ms: self.clock.wall_ms(),
        };
        Ok(Whole { capture, tree, screen })
    }

    /// The dump runs under a `sh` that first says the pid it will have, into a file that no other read names: by our session,
    /// a number, and the pid of the shell that reads it, by which a sweep can tell a leaked file from one in use. The pid of
    /// the dump is also written down beside it, for a lane that has to wait for a dump whose answer was cut off before that.
    pub(super) fn read_script(&self, device: &Pinned, source: TreeSource, wants: Wants, name: &str) -> Script {
        let mut script = Script::new().quietly(&format!("f={name}$$"));
        if self.sweeps_now(device) {
            script = script.quietly(SWEEP);
        }
        script = script
            .part("dump", &format!(r#"sh -c 'echo {PID}$$; echo $$ >"$0.pid"; {}' "$f" 2>&1"#, source.dump()))
            .part("tree", r#"cat "$f.xml""#)
            .quietly(r#"rm -f "$f.xml" "$f.pid""#)
            .bounding();
        if wants.activity {
            script = script.part("activity", ACTIVITY);
        }
        if wants.keyboard {
            script = script.part("keyboard", KEYBOARD);
        }
        script.part("size", "$t wm size 2>&1")
    }

    /// A tree with what came along: where that did not, the display is taken from the tree's own roots, and the app in
    /// front from before if the tree shows it.
    fn understand(
        &self,
        device: &Pinned,
        reply: &Reply,
        source: TreeSource,
        wants: Wants,
        name: &str,
    ) -> Result<(Tree, ScreenFacts), Failure> {
        let bytes = &without_status(reply.part("tree").unwrap_or_default().0, name);
        let natural = parse_wm_size(&reply.text("size"));
        let display = natural.map(|size| rotated(size, rotation(bytes)));
        let mut tree = match parse_hierarchy(bytes, &ParseOptions { display, secret_key: self.secret_key }) {
            Ok(tree) => tree,
            Err(unread) => return Err(why_no_tree(reply, bytes, unread)),
        };
        source.flag(&mut tree);
        let mut screen = ScreenFacts::default();
        if wants.activity {
            let said = parse_resumed_activity(&reply.text("activity"));
            screen = self.in_front(device, said, tree.package.as_deref());
        }
        if wants.keyboard
            && let Some(said) = keyboard_of(&reply.text("keyboard"))
        {
            let bounds = said.bounds.or_else(|| tree.keyboard.and_then(|keyboard| keyboard.bounds));
            tree.keyboard = Some(Keyboard { bounds, ..said });
        }
        Ok((tree, screen))
    }
}

/// Where dumps go.
const FOLDER: &str = "/data/local/tmp/";

/// Removes files of ours whose shell is gone: of servers that died, or of reads that were cut off.
const SWEEP: &str = r#"for o in /data/local/tmp/handset-*.xml /data/local/tmp/handset-*.pid; do p=${o##*-}; kill -0 "${p%.*}" 2>/dev/null || rm -f "$o"; done"#;

/// A dump that has not begun by then, after adb was ended, is not going to: a question goes the same way as the line that
/// would begin it, and behind it.
const BEGINS: Duration = Duration::from_secs(1);

/// Both spellings of the line a dump ends with.
const STATUS: [&str; 2] = ["UI hierchary dumped to: ", "UI hierarchy dumped to: "];

/// Takes a dump's status line out of its tree, wherever it stands: some devices print both into one stream. It names a file
/// of ours, which no screen does.
pub(super) fn without_status<'a>(bytes: &'a [u8], name: &str) -> Cow<'a, [u8]> {
    let (mut rest, mut kept) = (bytes, Vec::new());
    while let Some((from, to)) = status_line(rest, name.as_bytes()) {
        kept.extend_from_slice(rest.get(..from).unwrap_or_default());
        rest = rest.get(to..).unwrap_or_default();
    }
    if rest.len() == bytes.len() {
        return Cow::Borrowed(bytes);
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

/// Where the first one begins and ends, its line's end included.
fn status_line(bytes: &[u8], name: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'/')?;
        let (before, after) = bytes.split_at_checked(at)?;
        let words = STATUS.iter().find(|words| after.starts_with(name) && before.ends_with(words.as_bytes()));
        if let (Some(words), Some(after)) = (words, after.strip_prefix(name)) {
            let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if let Some(end) = after.get(digits..)?.strip_prefix(b".xml") {
                let end = end.strip_prefix(b"\r").unwrap_or(end);
                let end = end.strip_prefix(b"\n").unwrap_or(end);
                return Some((at - words.len(), bytes.len() - end.len()));
            }
        }
        at += 1;
    }
}

/// The dump's own words say more than the bytes it did not write; where it has none, the bytes do.
pub(super) fn why_no_tree(reply: &Reply, bytes: &[u8], unread: Failure) -> Failure {
    let dump = reply.text("dump");
    let said = &without_pid(&dump);
    let stderr = String::from_utf8_lossy(&reply.output.stderr);
    // What `cat` said about a file that is not there comes last: the dump's words say why.
    if let Some(failure) = classify_dump_error(said).or_else(|| classify_dump_error(&stderr)) {
        return failure;
    }
    if bytes.trim_ascii().is_empty() {
        let said = super::shell::last_line(said);
        return Failure::new(Code::TreeInvalid, format!("the dump left no file with a tree; it said: {said:?}"));
    }
    unread
}

/// Before the pid of a dump, in the words of the device's shell.
const PID: &str = "handset:pid:";

pub(super) fn without_pid(dump: &str) -> String {
    dump.lines().filter(|line| !line.starts_with(PID)).collect::<Vec<_>>().join("\n")
}

/// A tree that came whole is one, whatever happened to what was asked after it.
fn tree_is_usable(broken: &Broken) -> bool {
    broken.identified && broken.failure.code != Code::Cancelled && broken.reply.part("tree").is_some()
}

/// What may still be running: a dump whose end was not seen.
pub(super) fn leftover(broken: &Broken, started: Instant, name: &str) -> Option<Leftover> {
    let reply = &broken.reply;
    // Over, or never begun: adb was not even spawned, or ended by itself before the device's shell had said a word.
    let never = reply.output.elapsed_ms <= 0.0 || (!broken.stopped && !reply.begun());
    if reply.part("dump").is_some() || never {
        return None;
    }
    let text = String::from_utf8_lossy(reply.unfinished().get(..4096).unwrap_or(reply.unfinished())).into_owned();
    // A pid is whole only when its line is.
    let pid =
        text.split_once(PID).and_then(|(_, rest)| rest.split_once('\n')).and_then(|(pid, _)| pid.trim().parse().ok());
    let note = Note { path: format!("{name}*.pid"), due: Instant::now() + BEGINS };
    Some(Leftover { pid, note: Some(note), until: started + DUMP_BOUND })
}

/// Quarter turns as the dump's root says, whatever its encoding.
fn rotation(bytes: &[u8]) -> u32 {
    let head: Vec<u8> = bytes.iter().take(4096).copied().filter(|byte| *byte != 0).collect();
    let head = String::from_utf8_lossy(&head);
    head.split_once("rotation=\"")
        .and_then(|(_, rest)| rest.chars().next())
        .and_then(|turns| turns.to_digit(4))
        .unwrap_or(0)
}

/// `wm size` gives the size of the unturned display.
pub(super) fn rotated(size: Size, turns: u32) -> Size {
    if turns % 2 == 1 { Size { width: size.height, height: size.width } } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_line_of_our_own_dump_is_no_part_of_its_tree_and_any_other_text_is() {
        let name = "/data/local/tmp/handset-ab-7-";
        let kept = |text: &str| String::from_utf8(without_status(text.as_bytes(), name).into_owned()).unwrap();
        let status = format!("UI hierchary dumped to: {name}4711.xml\n");
        let spelled = status.replace("hierchary", "hierarchy");
        for (text, tree) in [
            (format!("{status}<hierarchy/>"), "<hierarchy/>"),
            (format!("<hierarchy/>{status}"), "<hierarchy/>"),
            (format!("<node te{status}xt=\"a\"/>"), "<node text=\"a\"/>"),
            (format!("<node text=\"us{spelled}er\"/>{status}"), "<node text=\"user\"/>"),
            (format!("a{}b", status.replace('\n', "\r\n")), "ab"),
            (format!("a{}", status.trim_end()), "a"),
        ] {
            assert_eq!(kept(&text), tree, "{text}");
        }
        let other =
            ["", "UI hierchary dumped to: /sdcard/x.xml\n", "UI hierchary dumped to: /data/local/tmp/handset-ab-7-x"];
        for other in other {
            assert_eq!(kept(other), other);
        }
    }
}
