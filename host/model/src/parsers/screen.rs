//! Trees and what is asked of them.

use std::sync::{Arc, OnceLock};

use super::{promised, sound, text as as_text};
use crate::snapshot::{
    DeviceKey, MAX_DELTA_CHANGES, Observation, ScreenFacts, counterpart, delta as delta_of, diff, identity, signature,
};
use crate::ui::{
    ElementView, ParseOptions, Selector, SelectorKind, Size, Tree, element_json, fingerprint, interactable,
    parse_hierarchy, resolve_target, text_tree,
};
use crate::{Code, Failure, member};

/// Most elements of a tree that are looked at one by one: each costs a walk over the tree.
const LOOKED_AT: u32 = 24;
/// Nodes that are kept; deeper or later ones are counted.
const MAX_NODES: u32 = 50_000;

fn parsed(bytes: &[u8]) -> Result<Result<Tree, Failure>, String> {
    match parse_hierarchy(bytes, &ParseOptions::default()) {
        Ok(tree) => Ok(Ok(tree)),
        Err(failure) => sound(&failure).map(|()| Err(failure)),
    }
}

/// A tree that hangs together, the same each time, or a typed failure.
pub(super) fn dump(bytes: &[u8]) -> Result<bool, String> {
    let Ok(tree) = parsed(bytes)? else { return Ok(false) };
    let count = u32::try_from(tree.elements.len()).unwrap_or(u32::MAX);
    promised(tree.node_count > 0 && count <= MAX_NODES, || format!("{} nodes, {count} kept", tree.node_count))?;
    promised(tree.node_count == count.saturating_add(tree.elided), || {
        format!("{} nodes are not {count} elements and {} elided", tree.node_count, tree.elided)
    })?;
    for (index, element) in (0u32..).zip(&tree.elements) {
        let at = || format!("element {index}: {element:?}");
        promised(element.parent.is_none_or(|parent| parent < index), at)?;
        let children = |child: &u32| tree.get(*child).is_some_and(|child| child.parent == Some(index));
        promised(element.children.iter().all(children), at)?;
        promised((element.window as usize) < tree.windows.len(), at)?;
        promised(element.traits.visible != element.visible_bounds.is_empty(), at)?;
        promised(!element.traits.visible || tree.display().encloses(&element.visible_bounds), at)?;
        promised(!(element.traits.password && element.text.is_some()), at)?;
        let texts = [&element.text, &element.description, &element.hint, &element.resource_id];
        let illegal = |text: &String| text.contains(|c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r'));
        promised(!texts.into_iter().flatten().any(illegal), at)?;
    }
    let again = parse_hierarchy(bytes, &ParseOptions::default());
    promised(again.as_ref() == Ok(&tree), || "read again it is another tree".to_owned())?;
    let digest = fingerprint(&tree, Some("a/.B"));
    promised(digest.len() == 16 && digest.bytes().all(|b| b.is_ascii_hexdigit()), || digest)?;
    asked(&tree, count)?;
    Ok(true)
}

/// What an agent asks of a tree holds on it.
fn asked(tree: &Tree, count: u32) -> Result<(), String> {
    for index in 0..count.min(LOOKED_AT) {
        let at = |what: &str| format!("element {index}, {what}: {:?}", tree.get(index));
        promised(!element_json(tree, index, ElementView::Tree, None).is_null(), || at("no JSON"))?;
        promised(!identity(tree, index).is_empty(), || at("no identity"))?;
        promised(counterpart(index, tree, tree) == Some(index), || at("is not its own counterpart"))?;
        match interactable(tree, index) {
            Ok(target) => {
                let shown = target.point(tree).is_some_and(|(x, y)| tree.display().contains(x, y));
                promised(shown, || at("its point is not on the display"))?;
            }
            Err(failure) => sound(&failure)?,
        }
        let best = tree.get(index).and_then(|element| Some((element.best_selector?, element.selector_value()?)));
        if let Some((best, value)) = best {
            let mut selector = Selector::default();
            let member = match best.by {
                SelectorKind::ResourceId => &mut selector.resource_id,
                SelectorKind::AccessibilityId => &mut selector.accessibility_id,
                SelectorKind::Text => &mut selector.text,
            };
            *member = Some(value.to_owned());
            promised(selector.find(tree).contains(&index), || at("its own selector does not find it"))?;
        }
    }
    Ok(())
}

/// One line an element, in order, ending in its bounds.
pub(super) fn text(bytes: &[u8]) -> Result<bool, String> {
    let Ok(tree) = parsed(bytes)? else { return Ok(false) };
    let shown = text_tree(&tree);
    let mut lines = shown.lines();
    let mut window = None;
    for (index, element) in tree.elements.iter().enumerate() {
        if tree.windows.len() > 1 && window != Some(element.window) {
            window = Some(element.window);
            let line = lines.next().unwrap_or_default();
            promised(line.starts_with(&format!("window {}", element.window)), || format!("{index}: {line:?}"))?;
        }
        let line = lines.next().unwrap_or_default();
        let bounds = element.bounds;
        let end = format!(" {},{}-{},{}", bounds.left, bounds.top, bounds.right, bounds.bottom);
        let whole = line.trim_start_matches(' ').starts_with(&format!("[{index}] ")) && line.ends_with(&end);
        promised(whole, || format!("element {index} reads {line:?}"))?;
        promised(!line.contains(char::is_control), || format!("element {index} has control characters: {line:?}"))?;
        promised(line.len() < 8_192, || format!("element {index} takes {} bytes", line.len()))?;
    }
    promised(lines.next().is_none(), || "there are more lines than elements".to_owned())?;
    Ok(true)
}

/// Two screens, cut at a NUL: nothing changed between equal ones, and a delta accounts for every element.
pub(super) fn delta(bytes: &[u8]) -> Result<bool, String> {
    let cut = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len() / 2);
    let (before, after) = bytes.split_at(cut);
    let (Ok(before), Ok(after)) = (parsed(before)?, parsed(after.strip_prefix(&[0]).unwrap_or(after))?) else {
        return Ok(false);
    };
    let (before, after) = (observed(before, 1), observed(after, 2));
    let same = delta_of(Some(&before), &before);
    let none = ["added", "removed", "changed"].iter().all(|kind| same[*kind].as_array().is_some_and(Vec::is_empty));
    promised(none, || format!("a screen differs from itself: {same}"))?;
    let found = diff(Some(&before), &after);
    promised(found.changes.len() <= MAX_DELTA_CHANGES, || format!("{} changes", found.changes.len()))?;
    let equal = before.signature == after.signature;
    promised(!equal || found.changes.is_empty(), || format!("equal signatures, and yet {:?}", found.changes))?;
    for change in &found.changes {
        let there = |at: Option<u32>, tree: &Tree| at.is_none_or(|at| tree.get(at).is_some());
        let known = there(change.now, &after.tree) && there(change.was, &before.tree);
        promised(known && (change.now.is_some() || change.was.is_some()), || format!("{change:?}"))?;
    }
    let shown = delta_of(Some(&before), &after).to_string();
    promised(serde_json::from_str::<serde_json::Value>(&shown).is_ok(), || shown)?;
    Ok(true)
}

fn observed(tree: Tree, revision: u64) -> Observation {
    Observation {
        device: DeviceKey { platform: "android", id: "a".to_owned() },
        connection: 1,
        session_id: Arc::from("s"),
        revision,
        signature: signature(&tree, "", Size::default()),
        fingerprint: String::new(),
        started_ms: 0.0,
        captured_ms: 0.0,
        captured_at_ms: 0,
        tree,
        screen: ScreenFacts::default(),
    }
}

/// A screen to select on: nested, with equal labels and hidden elements.
const SCREEN: &[u8] = br#"<hierarchy rotation="0"><node class="android.widget.FrameLayout" package="com.app" bounds="[0,0][100,100]">
<node class="android.widget.ListView" resource-id="com.app:id/list" scrollable="true" bounds="[0,0][100,60]">
<node class="android.widget.Button" text="Login" resource-id="com.app:id/login" clickable="true" enabled="true" bounds="[0,0][50,20]"/>
<node class="android.widget.Button" text="login" content-desc="Again" clickable="true" enabled="false" bounds="[0,20][50,40]"/>
<node class="android.widget.Switch" resource-id="wifi" checkable="true" checked="true" clickable="true" bounds="[0,40][50,60]"/></node>
<node class="android.widget.TextView" text="LOGIN" bounds="[0,200][50,220]"/></node></hierarchy>"#;

/// JSON as a selector: the same after it was written and read, and what it finds is in order and on the screen.
pub(super) fn selector(bytes: &[u8]) -> Result<bool, String> {
    static TREE: OnceLock<Tree> = OnceLock::new();
    let tree = TREE.get_or_init(|| parse_hierarchy(SCREEN, &ParseOptions::default()).unwrap_or_default());
    let Ok(selector) = serde_json::from_slice::<Selector>(bytes) else { return Ok(false) };
    let written = serde_json::to_vec(&selector).map_err(|why| why.to_string())?;
    let again: Selector = serde_json::from_slice(&written).map_err(|why| format!("not read again: {why}"))?;
    promised(again == selector, || format!("{selector:?} became {again:?}"))?;
    let valid = selector.validate("selector");
    if let Err(failure) = &valid {
        sound(failure)?;
        let member = failure.member.as_deref().unwrap_or_default();
        promised(member.starts_with("selector"), || format!("it names {member}"))?;
    }
    let found = selector.find(tree);
    promised(found.is_sorted() && found.iter().all(|index| tree.get(*index).is_some()), || format!("{found:?}"))?;
    promised(valid.is_ok() || found.is_empty(), || format!("a blank selector finds {found:?}"))?;
    for index in [None, Some(0), Some(u32::MAX)] {
        match resolve_target(tree, &selector, index) {
            Ok(target) => promised(found.contains(&target.matched), || format!("{target:?} is none of {found:?}"))?,
            Err(failure) => sound(&failure)?,
        }
    }
    Ok(valid.is_ok())
}

/// A label: a fingerprint that does not care about white space around it, nor about what time it is.
pub(super) fn steady(bytes: &[u8]) -> Result<bool, String> {
    let label = as_text(bytes);
    let of = |label: String| {
        let mut tree = parse_hierarchy(SCREEN, &ParseOptions::default()).unwrap_or_default();
        if let Some(element) = tree.elements.iter_mut().find(|element| element.traits.visible) {
            element.text = Some(label);
        }
        fingerprint(&tree, None)
    };
    let plain = of(label.clone());
    promised(plain == of(format!("  {label}\n")), || format!("white space around {label:?} is another screen"))?;
    let with_clock = |clock: &str| of(format!("{label} {clock}"));
    promised(with_clock("12:34") == with_clock("9:01"), || format!("the time after {label:?} is another screen"))?;
    Ok(plain != of(String::new()))
}

/// A JSON pointer as a path: every part in its place.
pub(super) fn pointer(bytes: &[u8]) -> Result<bool, String> {
    let pointer = as_text(bytes);
    let path = member::of_pointer(&pointer);
    promised(path.len() <= 3 * pointer.len() + 2, || format!("{} bytes became {}", pointer.len(), path.len()))?;
    let inner = member::of_pointer(&format!("{pointer}/inner"));
    promised(inner == member::join(&path, "inner"), || format!("{path:?} and then inner is {inner:?}"))?;
    let third = member::of_pointer(&format!("{pointer}/3"));
    promised(third == format!("{path}[3]"), || format!("{path:?} and then 3 is {third:?}"))?;
    Ok(!path.is_empty())
}

/// A code's name is read as that code and as no other.
pub(super) fn code(bytes: &[u8]) -> Result<bool, String> {
    let name = as_text(bytes);
    let code = Code::from_name(&name);
    promised(code.is_none_or(|code| code.as_str() == name), || format!("{name:?} is {code:?}"))?;
    Ok(code.is_some())
}
