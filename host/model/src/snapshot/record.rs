//! What of an element counts as a change: one normalised record, which signatures hash and deltas compare.

use crate::ui::Element;
use crate::ui::text::normalize;

/// An element's members as they are compared; positions in the tree are not among them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Record {
    text: String,
    secret: Option<u64>,
    description: String,
    resource_id: String,
    class: String,
    stable_id: String,
    role: &'static str,
    test_tag: String,
    selector: String,
    clickable: bool,
    enabled: bool,
    visible: bool,
    checked: bool,
    selected: bool,
    focused: bool,
    expanded: Option<bool>,
    /// Bit patterns: equal values are equal, and nothing is lost.
    value: Option<u64>,
    value_range: Option<(u64, u64)>,
    bounds: [i32; 4],
}

impl Record {
    pub(super) fn of(element: &Element) -> Self {
        let text = |value: &Option<String>| value.as_deref().map(normalize).unwrap_or_default();
        let traits = &element.traits;
        Self {
            text: text(&element.text),
            secret: element.secret,
            description: text(&element.description),
            resource_id: text(&element.resource_id),
            class: normalize(&element.class),
            stable_id: text(&element.stable_id),
            role: element.role.unwrap_or_default(),
            test_tag: text(&element.test_tag),
            selector: element.selector_value().map(normalize).unwrap_or_default(),
            clickable: traits.clickable,
            enabled: traits.enabled,
            visible: traits.visible,
            checked: traits.checked,
            selected: traits.selected,
            focused: traits.focused,
            expanded: traits.expanded,
            value: element.value.map(f64::to_bits),
            value_range: element.value_range.map(|(min, max)| (min.to_bits(), max.to_bits())),
            bounds: element.bounds.to_array(),
        }
    }

    /// Who it is, where it has a stable id.
    pub(super) fn stable_id(&self) -> Option<&str> {
        (!self.stable_id.is_empty()).then_some(self.stable_id.as_str())
    }

    /// Who it is by what it says: type, id, text, description.
    pub(super) fn described(&self) -> [&str; 4] {
        [&self.class, &self.resource_id, &self.text, &self.description]
    }

    /// The members, under their names in answers, that differ.
    pub(super) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let members = [
            ("text", self.text != other.text || self.secret != other.secret),
            ("contentDescription", self.description != other.description),
            ("resourceId", self.resource_id != other.resource_id),
            ("type", self.class != other.class),
            ("stable_id", self.stable_id != other.stable_id),
            ("role", self.role != other.role),
            ("test_tag", self.test_tag != other.test_tag),
            ("selector", self.selector != other.selector),
            ("clickable", self.clickable != other.clickable),
            ("enabled", self.enabled != other.enabled),
            ("visible", self.visible != other.visible),
            ("checked", self.checked != other.checked),
            ("selected", self.selected != other.selected),
            ("focused", self.focused != other.focused),
            ("expanded", self.expanded != other.expanded),
            ("value", self.value != other.value),
            ("value_range", self.value_range != other.value_range),
            ("bounds", self.bounds != other.bounds),
        ];
        members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }

    /// Feeds every member, each delimited, so that no two records feed the same bytes.
    pub(super) fn feed(&self, put: &mut impl FnMut(&[u8])) {
        let strings = [
            &self.text,
            &self.description,
            &self.resource_id,
            &self.class,
            &self.stable_id,
            &self.test_tag,
            &self.selector,
        ];
        for value in strings.into_iter().map(String::as_str).chain([self.role]) {
            put(&(value.len() as u64).to_le_bytes());
            put(value.as_bytes());
        }
        let flags = [self.clickable, self.enabled, self.visible, self.checked, self.selected, self.focused];
        put(&flags.map(u8::from));
        put(&[self.expanded.map_or(2, u8::from)]);
        let (least, most) = self.value_range.unzip();
        for number in [self.secret, self.value, least, most] {
            put(&[u8::from(number.is_some())]);
            put(&number.unwrap_or_default().to_le_bytes());
        }
        for edge in self.bounds {
            put(&edge.to_le_bytes());
        }
    }
}
