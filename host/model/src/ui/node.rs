//! One `<node>` or `<window>`: its attributes read into an element or a window.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::escape::unescape;
use super::roles::{role_of, simple_class, speaks_for_itself};
use super::token::Tokenizer;
use super::{Element, Limitation, Rect, Traits, Window};

/// A UI framework whose own view tells what its tree may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framework {
    WebView,
    Flutter,
    Compose,
}

impl Framework {
    fn of(class: &str) -> Option<Self> {
        let simple = simple_class(class);
        if simple.ends_with("WebView") {
            Some(Self::WebView)
        } else if simple.starts_with("Flutter") && simple.ends_with("View") {
            Some(Self::Flutter)
        } else if simple.ends_with("ComposeView") {
            Some(Self::Compose)
        } else {
            None
        }
    }

    /// What a view of this framework with this content cannot tell.
    pub(super) fn limitation(self, content: &[Element]) -> Option<Limitation> {
        match self {
            Self::WebView => content.is_empty().then_some(Limitation::WebviewEmpty),
            Self::Flutter => content.is_empty().then_some(Limitation::FlutterSemanticsOff),
            Self::Compose => (!content.is_empty() && content.iter().all(|element| element.resource_id.is_none()))
                .then_some(Limitation::ComposeNoIds),
        }
    }
}

/// A node as its attributes say.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) element: Element,
    pub(super) framework: Option<Framework>,
}

impl Node {
    /// Contract §3: kept is what is actionable, stateful, scrollable, or has text, description, id, test tag or hint.
    pub(super) fn says_something(&self) -> bool {
        let Element { traits, text, secret, description, resource_id, hint, value, role, .. } = &self.element;
        let actionable = traits.clickable || traits.long_clickable || traits.focusable || traits.editable;
        let stateful = traits.checkable || traits.checked || traits.selected || traits.focused || traits.password;
        let said =
            text.is_some() || secret.is_some() || description.is_some() || resource_id.is_some() || hint.is_some();
        actionable
            || stateful
            || traits.scrollable
            || traits.expanded.is_some()
            || said
            || value.is_some()
            || speaks_for_itself(*role)
    }
}

/// Reads the attributes of the tag just opened. `tag` is the class where no `class` is given.
pub(super) fn parse(tag: &str, tokens: &Tokenizer<'_>, secret_key: u64, replaced: &mut u32) -> Node {
    let mut element =
        Element { traits: Traits { enabled: true, visible: true, ..Traits::default() }, ..Element::default() };
    let mut class = None;
    let mut text = None;
    for (name, raw) in &tokens.attributes {
        let traits = &mut element.traits;
        match *name {
            "text" => text = given(raw, replaced),
            "content-desc" => element.description = given(raw, replaced),
            "resource-id" => element.resource_id = given(raw, replaced),
            "class" => class = given(raw, replaced),
            "package" => element.package = given(raw, replaced),
            "hint" => element.hint = given(raw, replaced),
            "bounds" => element.bounds = rect(raw).unwrap_or_default(),
            "clickable" => traits.clickable = truth(raw),
            "long-clickable" => traits.long_clickable = truth(raw),
            "enabled" => traits.enabled = truth(raw),
            "visible-to-user" => traits.visible = truth(raw),
            "checkable" => traits.checkable = truth(raw),
            "checked" => traits.checked = truth(raw),
            "selected" => traits.selected = truth(raw),
            "focusable" => traits.focusable = truth(raw),
            "focused" => traits.focused = truth(raw),
            "expanded" => traits.expanded = Some(truth(raw)),
            "scrollable" => traits.scrollable = truth(raw),
            "password" => traits.password = truth(raw),
            _ => {}
        }
    }
    element.class = class.unwrap_or_else(|| if tag == "node" { String::new() } else { tag.to_owned() });
    element.role = role_of(&element.class);
    element.traits.editable = element.role == Some("text_field");
    element.test_tag = element.resource_id.as_deref().and_then(test_tag).map(str::to_owned);
    if element.traits.password {
        element.secret = text.map(|text| keyed_hash(secret_key, &text));
    } else {
        element.text = text;
    }
    if matches!(element.role, Some("slider" | "progress")) {
        (element.value, element.value_range) = element.text.as_deref().map_or((None, None), value_of);
    }
    let framework = Framework::of(&element.class);
    Node { element, framework }
}

/// Reads the attributes of a `<window>`.
pub(super) fn window(tokens: &Tokenizer<'_>, replaced: &mut u32) -> Window {
    let mut window = Window::default();
    for (name, raw) in &tokens.attributes {
        match *name {
            "title" => window.title = given(raw, replaced),
            "package" => window.package = given(raw, replaced),
            "type" => window.kind = given(raw, replaced).map(|kind| window_kind(&kind)),
            "layer" => window.layer = raw.trim().parse().ok(),
            "bounds" => window.bounds = rect(raw).unwrap_or_default(),
            "active" => window.active = Some(truth(raw)),
            "focused" => window.active = window.active.or(Some(truth(raw))),
            _ => {}
        }
    }
    window
}

/// `application` of `TYPE_APPLICATION`, or of the number AccessibilityWindowInfo gives it.
fn window_kind(kind: &str) -> String {
    const NUMBERED: [(&str, &str); 6] = [
        ("1", "application"),
        ("2", "input_method"),
        ("3", "system"),
        ("4", "accessibility_overlay"),
        ("5", "split_screen_divider"),
        ("6", "magnification_overlay"),
    ];
    let kind = kind.trim();
    let named = NUMBERED.into_iter().find(|(number, _)| *number == kind).map(|(_, name)| name.to_owned());
    named.unwrap_or_else(|| kind.trim_start_matches("TYPE_").to_ascii_lowercase())
}

/// A value, or `None` when empty.
fn given(raw: &str, replaced: &mut u32) -> Option<String> {
    (!raw.is_empty()).then(|| unescape(raw, replaced)).map(Cow::into_owned)
}

/// Pasted and hand-edited dumps carry stray spaces: `enabled=" true"`.
fn truth(raw: &str) -> bool {
    raw.trim().eq_ignore_ascii_case("true")
}

/// `[l,t][r,b]`, spaces allowed, numbers possibly negative.
fn rect(raw: &str) -> Option<Rect> {
    let mut numbers = raw.split(['[', ']', ',']).map(str::trim).filter(|part| !part.is_empty()).map(str::parse::<i32>);
    let mut next = || numbers.next()?.ok();
    let rect = Rect::new(next()?, next()?, next()?, next()?);
    numbers.next().is_none().then_some(rect)
}

/// Compose's `testTag` and React Native's `testID` arrive as an id without a package.
fn test_tag(resource_id: &str) -> Option<&str> {
    (!resource_id.contains(":id/")).then_some(resource_id)
}

/// `63`, `63.0` or `63%` of a bar that speaks its value.
fn value_of(text: &str) -> (Option<f64>, Option<(f64, f64)>) {
    let trimmed = text.trim();
    let percent = trimmed.strip_suffix('%');
    let value = percent.unwrap_or(trimmed).trim().parse::<f64>().ok().filter(|value| value.is_finite());
    (value, value.and(percent).map(|_| (0.0, 100.0)))
}

/// Moves with the content, tells nothing of it without the session's key.
fn keyed_hash(key: u64, content: &str) -> u64 {
    let digest = Sha256::new().chain_update(key.to_le_bytes()).chain_update(content.as_bytes()).finalize();
    digest.iter().take(8).fold(0, |hash, byte| (hash << 8) | u64::from(*byte))
}
