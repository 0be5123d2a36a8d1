//! Buttons of dialogs that Android itself draws, known by their ids and never by what they say.

use serde_json::json;

use super::{Match, Tree, interactable};
use crate::{Code, Failure};

/// What a dialog is answered with when no button is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogAnswer {
    /// Yes, allow, go on waiting.
    Accept,
    /// No, deny, close.
    Dismiss,
}

struct Button {
    name: &'static str,
    id: &'static str,
    /// Drawn by the permission controller, whose ids stand in one of [`CONTROLLERS`]; else by the framework.
    permission: bool,
    answer: Option<DialogAnswer>,
}

const fn permission(name: &'static str, id: &'static str, answer: DialogAnswer) -> Button {
    Button { name, id, permission: true, answer: Some(answer) }
}

const fn system(name: &'static str, id: &'static str, answer: Option<DialogAnswer>) -> Button {
    Button { name, id, permission: false, answer }
}

/// Where the permission dialog's ids stand: it was a part of the package installer before Android 10.
const CONTROLLERS: [&str; 4] = [
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
    "com.android.packageinstaller",
    "com.google.android.packageinstaller",
];

use DialogAnswer::{Accept, Dismiss};

/// In the order in which they are looked for. Ids as the platform's `GrantPermissionsViewHandlerImpl`, `AlertController` and
/// `AppErrorDialog` name them.
const BUTTONS: [Button; 14] = [
    permission("while_using", "permission_allow_foreground_only_button", Accept),
    permission("allow", "permission_allow_button", Accept),
    permission("always", "permission_allow_always_button", Accept),
    permission("once", "permission_allow_one_time_button", Accept),
    permission("deny", "permission_deny_button", Dismiss),
    permission("deny_always", "permission_deny_and_dont_ask_again_button", Dismiss),
    permission("keep", "permission_no_upgrade_button", Dismiss),
    permission("keep_always", "permission_no_upgrade_and_dont_ask_again_button", Dismiss),
    system("wait", "aerr_wait", Some(Accept)),
    system("restart", "aerr_restart", Some(Accept)),
    system("close", "aerr_close", Some(Dismiss)),
    system("positive", "button1", Some(Accept)),
    system("negative", "button2", Some(Dismiss)),
    system("neutral", "button3", None),
];

/// Every button's name, as `accept_dialog` and `dismiss_dialog` take it.
pub fn dialog_buttons() -> impl Iterator<Item = &'static str> {
    BUTTONS.iter().map(|button| button.name)
}

impl Button {
    fn is(&self, id: &str) -> bool {
        let Some((package, id)) = id.split_once(":id/") else { return false };
        id == self.id && if self.permission { CONTROLLERS.contains(&package) } else { package == "android" }
    }

    /// Its first visible place in the tree.
    fn place(&self, tree: &Tree) -> Option<u32> {
        let there = |element: &super::Element| {
            element.traits.visible && element.resource_id.as_deref().is_some_and(|id| self.is(id))
        };
        tree.elements.iter().position(there).and_then(|at| u32::try_from(at).ok())
    }
}

/// The button that answers the dialog in front: the one named, or the first that means the answer.
///
/// # Errors
/// `ELEMENT_NOT_FOUND` with the names of the buttons that are there; `ELEMENT_NOT_INTERACTABLE`.
pub fn dialog_button(tree: &Tree, answer: DialogAnswer, named: Option<&str>) -> Result<Match, Failure> {
    let wanted = |button: &&Button| match named {
        Some(name) => button.name == name,
        None => button.answer == Some(answer),
    };
    if let Some(place) = BUTTONS.iter().filter(wanted).find_map(|button| button.place(tree)) {
        return interactable(tree, place);
    }
    let there: Vec<_> = BUTTONS.iter().filter(|button| button.place(tree).is_some()).collect();
    let front = tree.package.as_deref().unwrap_or("an app");
    let message = match (there.is_empty(), named) {
        (true, _) => format!("no dialog of the system's is in front; {front} is"),
        (false, Some(name)) => format!("the dialog in front has no button {name}"),
        (false, None) => "the dialog in front has no button that means this".to_owned(),
    };
    let remedy = if there.is_empty() {
        "Look with get_ui_tree, and tap what you mean with tap_element."
    } else {
        "Name one of its buttons, or tap one with tap_element."
    };
    let names = there.into_iter().map(|button| json!({ "button": button.name })).collect();
    Err(Failure::new(Code::ElementNotFound, message).with_remedy(remedy).with_candidates(names))
}
