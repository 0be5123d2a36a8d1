//! From a dump's bytes to a [`Tree`], or to a typed failure that says what was wrong and where.
//!
//! One way for every input: decode, find the markup among whatever surrounds it, read it tolerantly,
//! then judge. A complete hierarchy with nodes is a success whatever was printed around it; nothing else is.

use super::build::{Outcome, build};
use super::decode::{Decoded, decode};
use super::finish::finish;
use super::token::Tokenizer;
use super::{Size, Tree};
use crate::android::classify_dump_error;
use crate::{Code, Failure};

/// How much of what was read instead of a tree is quoted in a message.
const QUOTED_CHARACTERS: usize = 80;

/// What the reader knows beside the bytes.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// The display in its current rotation; `None`: the union of the root nodes' bounds.
    pub display: Option<Size>,
    /// Keys the hash of password contents; random per session.
    pub secret_key: u64,
}

/// Parses a `uiautomator dump` (a `<hierarchy>`, or `<displays>` from `--windows`).
///
/// Lines before, between and after the markup are ignored; a lone `<node>` subtree is read as a root.
/// Of several hierarchies the last one counts; of several displays the first, which is where inputs go.
///
/// # Errors
/// The typed failure of what was found instead of a complete tree: `NULL_ROOT` (also for a hierarchy
/// without nodes), `NOT_IDLE`, `SLOT_BUSY`, `READER_KILLED`, `TREE_TRUNCATED`, `TREE_INVALID`.
pub fn parse_hierarchy(bytes: &[u8], options: &ParseOptions) -> Result<Tree, Failure> {
    let decoded = decode(bytes);
    let mut tokens = Tokenizer::new(&decoded.text);
    match build(&mut tokens, options) {
        Outcome::Complete { tree, .. } if tree.node_count == 0 => Err(classify_dump_error(&tokens.stray).unwrap_or_else(|| {
            Failure::new(Code::NullRoot, "The dump holds a hierarchy without a single node.")
        })),
        Outcome::Complete { mut tree, from, to } => {
            let undecodable = u32::try_from(decoded.replaced_within(from, to)).unwrap_or(u32::MAX);
            tree.replaced_characters = tree.replaced_characters.saturating_add(undecodable);
            finish(&mut tree, options.display);
            Ok(tree)
        }
        Outcome::Cut { from, nodes } => Err(cut(&decoded, &tokens, bytes.len(), from, nodes)),
        Outcome::Broken { at, nodes, what } => Err(classify_dump_error(&tokens.stray).unwrap_or_else(|| {
            let at = decoded.raw_offset(at);
            Failure::new(Code::TreeInvalid, format!("The tree is damaged at byte {at}, after {nodes} nodes: {what}."))
        })),
        Outcome::Nothing { foreign } => Err(nothing(&decoded, &tokens, foreign)),
    }
}

/// A hierarchy that is not closed: the reader died, or the connection cut it.
fn cut(decoded: &Decoded<'_>, tokens: &Tokenizer<'_>, length: usize, from: usize, nodes: u32) -> Failure {
    let last_tag = decoded.text.rfind('<').filter(|at| *at > from).unwrap_or(from);
    let tail = decoded.text.get(last_tag..).unwrap_or_default();
    if let Some(failure) = classify_dump_error(&tokens.stray).or_else(|| killed_in(tail)) {
        return failure;
    }
    let from = decoded.raw_offset(from);
    Failure::new(
        Code::TreeTruncated,
        format!("The tree that begins at byte {from} is not closed: it ends at byte {length}, after {nodes} nodes."),
    )
}

/// The reader's last words inside a tag it did not finish; only whole lines count, since labels say "Killed" too.
fn killed_in(tail: &str) -> Option<Failure> {
    let mut lines = tail.lines().skip(1);
    lines.find_map(|line| classify_dump_error(line).filter(|failure| failure.code == Code::ReaderKilled))
}

fn nothing(decoded: &Decoded<'_>, tokens: &Tokenizer<'_>, foreign: Option<(String, usize)>) -> Failure {
    let text: &str = &decoded.text;
    if text.trim().is_empty() {
        return Failure::new(Code::TreeInvalid, "The dump is empty: nothing was read.");
    }
    if let Some(failure) = classify_dump_error(&tokens.stray) {
        return failure;
    }
    if let Some((name, at)) = foreign {
        let at = decoded.raw_offset(at);
        let message = format!("This is other markup, not a UI Automator hierarchy: its first element is <{name}> at byte {at}.");
        return Failure::new(Code::TreeInvalid, message);
    }
    let start: String = text.trim_start().chars().take(QUOTED_CHARACTERS).flat_map(char::escape_default).collect();
    Failure::new(Code::TreeInvalid, format!("There is no hierarchy in what was read; it begins with \"{start}\"."))
}
