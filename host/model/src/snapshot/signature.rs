//! What counts as a change of the screen.

use sha2::{Digest, Sha256};

use super::record::Record;
use crate::ui::text::normalize;
use crate::ui::{Size, Tree};

/// A digest; equal digests mean the same screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signature(pub [u8; 16]);

/// Hash over *all* elements (contract §1): text, description, id, type, stable id, role, test tag,
/// selector value (each trimmed, lower-cased), clickable, enabled, visible, state, bounds; plus screen and resolution.
///
/// The order of elements counts too: it is the order in which they are drawn.
#[must_use]
pub fn signature(tree: &Tree, screen: &str, resolution: Size) -> Signature {
    let mut digest = Sha256::new();
    let mut put = |bytes: &[u8]| digest.update(bytes);
    let screen = normalize(screen);
    put(&(screen.len() as u64).to_le_bytes());
    put(screen.as_bytes());
    put(&resolution.width.to_le_bytes());
    put(&resolution.height.to_le_bytes());
    for element in &tree.elements {
        Record::of(element).feed(&mut put);
    }
    let mut signature = [0; 16];
    for (to, from) in signature.iter_mut().zip(digest.finalize()) {
        *to = from;
    }
    Signature(signature)
}
