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
        Outcome::Complete { tree, .. } if tree.node_count == 0 => Err(classify_dump_error(&tokens.stray)
            .unwrap_or_else(|| Failure::new(Code::NullRoot, "The dump holds a hierarchy without a single node."))),
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
        Outcome::Nothing { foreign } => Err(nothing(&decoded, foreign)),
    }
}

/// A hierarchy that is not closed: the reader died, or the connection cut it.
fn cut(decoded: &Decoded<'_>, tokens: &Tokenizer<'_>, length: usize, from: usize, nodes: u32) -> Failure {
    if let Some(failure) = classify_dump_error(&tokens.stray).or_else(|| last_words(&decoded.text[from..])) {
        return failure;
    }
    let from = decoded.raw_offset(from);
    Failure::new(
        Code::TreeTruncated,
        format!("The tree that begins at byte {from} is not closed: it ends at byte {length}, after {nodes} nodes."),
    )
}

/// What the reader said after a cut inside a tag, where it is no text between tags: the lines that hold
/// no markup. Labels say "Killed" too, but inside an attribute.
fn last_words(from_the_cut: &str) -> Option<Failure> {
    let lines =
        from_the_cut.lines().skip(1).filter(|line| !line.contains("=\"") && !line.trim_start().starts_with('<'));
    classify_dump_error(&lines.collect::<Vec<_>>().join("\n"))
}

fn nothing(decoded: &Decoded<'_>, foreign: Option<(String, usize)>) -> Failure {
    let text = decoded.text.trim();
    if text.is_empty() {
        return Failure::new(Code::TreeInvalid, "The dump is empty: nothing was read.");
    }
    // Other markup may say anything in its labels; an error text may hold tags (`<init>` in a trace), but begins with words.
    if let Some((name, at)) = foreign.filter(|_| text.starts_with('<')) {
        let at = decoded.raw_offset(at);
        let name: String = name.chars().take(QUOTED_CHARACTERS).collect();
        let message =
            format!("This is other markup, not a UI Automator hierarchy: its first element is <{name}> at byte {at}.");
        return Failure::new(Code::TreeInvalid, message);
    }
    classify_dump_error(text).unwrap_or_else(|| {
        let start: String = text.chars().take(QUOTED_CHARACTERS).flat_map(char::escape_default).collect();
        Failure::new(Code::TreeInvalid, format!("There is no hierarchy in what was read; it begins with \"{start}\"."))
    })
}
