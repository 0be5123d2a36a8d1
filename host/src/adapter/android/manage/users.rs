//! Which of the device's users something is done for: the one that is named, else the one in front. An app may live in a
//! work profile or a second user alone.

use handset_model::Failure;
use handset_model::android::parse_users;
use serde_json::json;

use super::super::shell::{Reply, Script};

/// What stands before the last number is a linker's or a framework's warning.
const CURRENT: &str = "u=$(am get-current-user 2>/dev/null); u=${u##*[!0-9]}; u=${u:-0}";

/// Leaves the user in `$u`, and asks for the list where one was named.
pub(in super::super) fn asking(script: Script, user: Option<u32>) -> Script {
    match user {
        Some(user) => script.quietly(&format!("u={user}")).part("users", "pm list users 2>&1").part("user", "echo $u"),
        None => script.quietly(CURRENT).part("user", "echo $u"),
    }
}

/// The user that was asked about.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `user`, when the device lists its users and the named one is not among them.
pub(in super::super) fn asked(reply: &Reply, user: Option<u32>) -> Result<u32, Failure> {
    let Some(user) = user else { return Ok(reply.answer("user").parse().unwrap_or(0)) };
    let listed = parse_users(&reply.text("users"));
    if listed.is_empty() || listed.iter().any(|one| one.id == user) {
        return Ok(user);
    }
    Err(Failure::argument("user", format!("the device has no user {user}"))
        .with_remedy("Pass the id of one of the device's users, or none for the one in front.")
        .with_candidates(listed.iter().map(|one| json!({ "user": one.id, "running": one.running })).collect()))
}
