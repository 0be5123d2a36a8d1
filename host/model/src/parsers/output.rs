//! What adb and a device's commands print.

use super::{promised, sound, text};
use crate::android::{
    DeviceState, classify_adb_error, classify_dump_error, classify_input, parse_am_start, parse_devices,
    parse_field_focused, parse_getprop, parse_keyboard_shown, parse_process_records, parse_process_states,
    parse_resolved_activity, parse_resumed_activity, parse_screen_state, parse_wm_size, quote, state_remedy,
};

/// Devices with serial and state; a list as adb prints it reads as it was.
pub(super) fn devices(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let listed = parse_devices(&text);
    promised(listed.len() <= text.lines().count(), || format!("{} devices", listed.len()))?;
    for device in &listed {
        let at = || format!("{device:?}");
        let state = match &device.state {
            DeviceState::Device => "device",
            DeviceState::Other(name) => name,
        };
        promised(!device.serial.is_empty() && !state.is_empty() && !state_remedy(&device.state).is_empty(), at)?;
        promised(!device.serial.contains('\n') && device.serial.trim() == device.serial, at)?;
        // A serial is one word of adb's, but for those that mDNS makes up; what is no word may read otherwise.
        let word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte));
        let known = matches!(state, "device" | "offline" | "unauthorized" | "recovery");
        if word(&device.serial) && known && !device.serial.ends_with(':') {
            let id = device.transport_id.map_or_else(String::new, |id| format!(" transport_id:{id}"));
            let printed = format!("List of devices attached\n{:<22} {state}{id}\n\n", device.serial);
            let again = parse_devices(&printed);
            let same = again.len() == 1
                && again.iter().all(|one| {
                    (&one.serial, &one.state, one.transport_id) == (&device.serial, &device.state, device.transport_id)
                });
            // adb's own chatter begins like nobody's serial.
            let chatter = ["adb:", "error:"].iter().any(|start| device.serial.starts_with(start));
            promised(same || chatter, || format!("{device:?} was printed and reads {again:?}"))?;
        }
    }
    Ok(!listed.is_empty())
}

/// adb's own words, typed; the same when the device has more to say.
pub(super) fn adb_error(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let Some(failure) = classify_adb_error(&text) else { return Ok(false) };
    sound(&failure)?;
    let noisy = classify_adb_error(&format!("a device says: device offline\n{text}"));
    promised(noisy.is_some_and(|noisy| noisy.code == failure.code), || format!("{text:?}: the device's words count"))?;
    Ok(true)
}

/// As many records and states as lines say, each of a process that has a name and a pid.
pub(super) fn process_state(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let (records, states) = (parse_process_records(&text), parse_process_states(&text));
    promised(records.len() + states.len() <= text.lines().count(), || {
        format!("{} of {}", records.len(), states.len())
    })?;
    for record in &records {
        let named = !record.process.is_empty() && !record.process.contains(char::is_whitespace);
        promised(named, || format!("{record:?}"))?;
    }
    Ok(!records.is_empty() || !states.is_empty())
}

pub(super) fn dump_error(bytes: &[u8]) -> Result<bool, String> {
    let Some(failure) = classify_dump_error(&text(bytes)) else { return Ok(false) };
    sound(&failure).map(|()| true)
}

/// Nothing printed and status 0 is accepted; a failing status never is.
pub(super) fn input(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    for status in [0, 1, 126, 137, 255, i32::MIN] {
        match classify_input(&text, status) {
            None => promised(status == 0, || format!("status {status} is accepted"))?,
            Some(refusal) => sound(&refusal.failure)?,
        }
    }
    Ok(classify_input(&text, 0).is_some())
}

pub(super) fn am_start(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    match parse_am_start(&text) {
        Ok(started) => {
            let status = started.status.as_deref().unwrap_or_default();
            promised(!status.contains('\n') && text.contains(status), || format!("{started:?}"))?;
            Ok(true)
        }
        Err(refusal) => sound(&refusal.failure).map(|()| false),
    }
}

/// One component, as it stands in the text.
pub(super) fn resolved_activity(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let Some(component) = parse_resolved_activity(&text) else { return Ok(false) };
    promised(text.contains(&component) && component.contains('/'), || component.clone())?;
    promised(!component.contains(char::is_whitespace), || component.clone())?;
    let again = parse_resolved_activity(&component);
    promised(again.as_ref() == Some(&component), || format!("{component:?} alone reads {again:?}"))?;
    Ok(true)
}

/// A package and an activity, neither empty.
pub(super) fn resumed_activity(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let Some((package, activity)) = parse_resumed_activity(&text) else { return Ok(false) };
    let at = || format!("{package:?} {activity:?}");
    promised(!package.is_empty() && !activity.is_empty() && text.contains(&package), at)?;
    promised(!package.contains(['\n', ' ', '/']) && !activity.contains(['\n', ' ']), at)?;
    Ok(true)
}

pub(super) fn field_focused(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let focused = parse_field_focused(&text);
    let longer = parse_field_focused(&format!("{text}\nnothing of a field\n"));
    promised(focused == longer, || format!("{focused:?} became {longer:?}"))?;
    promised(focused != Some(false) || text.contains("mServed"), || "nothing says what is served".to_owned())?;
    Ok(focused.is_some())
}

pub(super) fn keyboard_shown(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let shown = parse_keyboard_shown(&text);
    let longer = parse_keyboard_shown(&format!("{text}\nnothing of a keyboard\n"));
    promised(shown == longer, || format!("{shown:?} became {longer:?}"))?;
    Ok(shown.is_some())
}

pub(super) fn screen_state(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let state = parse_screen_state(&text);
    let longer = parse_screen_state(&format!("{text}\nnothing of a screen\n"));
    promised(state == longer, || format!("{state:?} became {longer:?}"))?;
    Ok(state.on.is_some() || state.locked.is_some())
}

/// A size without a zero; printed as `wm` does, the same.
pub(super) fn wm_size(bytes: &[u8]) -> Result<bool, String> {
    let Some(size) = parse_wm_size(&text(bytes)) else { return Ok(false) };
    promised(size.width > 0 && size.height > 0, || format!("{size:?}"))?;
    let printed = format!("Physical size: 1x1\nOverride size: {}x{}\n", size.width, size.height);
    promised(parse_wm_size(&printed) == Some(size), || printed)?;
    Ok(true)
}

/// Properties; printed as `getprop` does, the same.
pub(super) fn getprop(bytes: &[u8]) -> Result<bool, String> {
    let properties = parse_getprop(&text(bytes));
    let printed: String = properties.iter().map(|(name, value)| format!("[{name}]: [{value}]\n")).collect();
    let again = parse_getprop(&printed);
    promised(again == properties, || format!("{properties:?} was printed and reads {again:?}"))?;
    Ok(!properties.is_empty())
}

/// A word quoted for the shell is one word, and the same.
pub(super) fn quoted_word(bytes: &[u8]) -> Result<bool, String> {
    let word = text(bytes);
    let quoted = quote(&word);
    promised(read_as_a_shell(&quoted).as_ref() == Some(&word), || format!("{word:?} became {quoted:?}"))?;
    let twice = quote(&quoted);
    promised(read_as_a_shell(&twice).as_ref() == Some(&quoted), || format!("{quoted:?} became {twice:?}"))?;
    Ok(!word.contains('\0'))
}

/// A POSIX shell's reading of one word made of single-quoted parts and escaped characters; `None`: not one word.
#[must_use]
pub fn read_as_a_shell(quoted: &str) -> Option<String> {
    let (mut word, mut characters) = (String::new(), quoted.chars());
    while let Some(character) = characters.next() {
        match character {
            '\'' => loop {
                match characters.next()? {
                    '\'' => break,
                    inside => word.push(inside),
                }
            },
            '\\' => word.push(characters.next()?),
            _ => return None,
        }
    }
    Some(word)
}

/// One error of bounded length, on one line; a line of it counts from the file's own.
pub(super) fn build(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let offered = crate::build::candidate_tasks(&text);
    for task in offered.iter().flatten() {
        promised(text.contains(task.as_str()), || format!("{task:?} was not offered"))?;
    }
    let Some(error) = crate::build::first_build_error(&text) else {
        promised(text.trim().is_empty(), || "something was said, and it is nothing".to_owned())?;
        return Ok(false);
    };
    promised(error.message.chars().count() <= 600 && !error.message.contains('\n'), || format!("{error:?}"))?;
    let whole = error.file.as_deref().is_none_or(|file| text.contains(file));
    promised(whole, || format!("{error:?} names a file that was not"))?;
    Ok(true)
}
