//! Going through what is on the screen.

use handset_plugin::{Element, Observation, Traits};

/// Elements are copied this many at a time; few screens have more.
const PAGE: u32 = 500;

/// The visible elements, in order.
pub fn visible(screen: &Observation) -> impl Iterator<Item = Element> {
    let pages = (0..screen.info().element_count).step_by(PAGE as usize);
    pages
        .flat_map(|from| screen.elements(from, PAGE))
        .filter(|element| element.traits.contains(Traits::VISIBLE))
}
