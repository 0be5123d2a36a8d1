//! Logs, and the dumps of the activity and window managers.

use super::{promised, sound, text};
use crate::android::{parse_activities, parse_display_ids, parse_displays_on, parse_screencap, parse_windows};
use crate::capture::{CaptureKind, decode, parse_capture};
use crate::logs::{
    LogFormat, LogTime, TimeBase, crashes_in_text, network_requests, parse_log_time, parse_logcat, redacted_url,
};

/// A log with its entries in order and their words in the text, or a typed failure; threadtime lines read as they were.
pub(super) fn logcat(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let log = match parse_logcat(&text) {
        Ok(log) => log,
        Err(failure) => return sound(&failure).map(|()| false),
    };
    promised(log.entries.len() <= text.split('\n').count(), || format!("{} entries", log.entries.len()))?;
    promised(log.format.is_some() || log.entries.is_empty(), || "entries of no format".to_owned())?;
    for entry in log.entries.iter().take(64) {
        let at = || format!("{entry:?}");
        promised(entry.tag.as_deref().is_none_or(|tag| tag.trim() == tag && !tag.contains('\n')), at)?;
        promised(entry.to_json(&TimeBase::default()).is_object(), at)?;
        let (Some(time @ LogTime::Wall { .. }), Some(pid), Some(tid), Some(level), Some(tag)) =
            (entry.time, entry.pid, entry.tid, entry.level, &entry.tag)
        else {
            continue;
        };
        // A tag that holds what ends a tag reads otherwise.
        if entry.message.contains('\n')
            || tag.contains(": ")
            || tag.ends_with(':')
            || entry.message.contains(['\r', '\u{1b}'])
        {
            continue;
        }
        let letter = &level.as_str()[..1];
        let printed = format!("{time} {pid:>5} {tid:>5} {letter} {tag:<8}: {}\n", entry.message);
        if printed.contains("--------- ") {
            continue;
        }
        let again = parse_logcat(&printed).map_err(|failure| format!("{printed:?} is refused: {failure}"))?;
        let same = again.entries.first().is_some_and(|one| {
            (one.pid, one.tid, one.level, &one.tag, &one.message)
                == (entry.pid, entry.tid, entry.level, &entry.tag, &entry.message)
        });
        promised(same && again.format == Some(LogFormat::Threadtime), || format!("{printed:?} reads {again:?}"))?;
    }
    Ok(!log.entries.is_empty() || !log.crashes.is_empty())
}

/// A time at the start of a text, the same when it is printed.
pub(super) fn time(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let Some((time, rest)) = parse_log_time(&text) else { return Ok(false) };
    promised(text.ends_with(rest) && rest.len() < text.len(), || format!("{rest:?} is left of {text:?}"))?;
    let base = TimeBase { now: Some((2024, 12)), zone: Some(0) };
    let wall = matches!(time, LogTime::Monotonic { .. });
    promised(wall || time.iso(&base).is_some_and(|iso| iso.len() >= 24), || format!("{time:?} has no date"))?;
    let printed = time.to_string();
    let again = parse_log_time(&printed);
    promised(again.is_some_and(|(again, _)| again.to_string() == printed), || format!("{printed:?} reads {again:?}"))?;
    Ok(true)
}

/// Crashes of bounded size, each with something that ended.
pub(super) fn crash(bytes: &[u8]) -> Result<bool, String> {
    let crashes = crashes_in_text(&text(bytes));
    promised(crashes.len() <= 64, || format!("{} crashes", crashes.len()))?;
    for crash in &crashes {
        let shown = crash.to_json(&[], &TimeBase::default());
        promised(shown.to_string().len() < 64 * 1024, || format!("{} bytes", shown.to_string().len()))?;
        promised(shown["kind"].is_string(), || shown.to_string())?;
    }
    Ok(!crashes.is_empty())
}

/// Tasks, activities and processes with names, or a typed failure.
pub(super) fn activities(bytes: &[u8]) -> Result<bool, String> {
    let found = match parse_activities(&text(bytes)) {
        Ok(found) => found,
        Err(failure) => return sound(&failure).map(|()| false),
    };
    let named = found.tasks.iter().flat_map(|task| &task.activities).chain(&found.all_resumed).chain(&found.resumed);
    for entry in named {
        promised(!entry.package.is_empty() && !entry.activity.is_empty(), || format!("{entry:?}"))?;
    }
    promised(found.resumed.is_some() || found.all_resumed.is_empty(), || {
        "nobody of those resumed is in front".to_owned()
    })?;
    Ok(found.to_json().is_object())
}

/// Windows and displays, each once, or a typed failure.
pub(super) fn windows(bytes: &[u8]) -> Result<bool, String> {
    let found = match parse_windows(&text(bytes)) {
        Ok(found) => found,
        Err(failure) => return sound(&failure).map(|()| false),
    };
    for (at, display) in found.displays.iter().enumerate() {
        let twice = found.displays.iter().skip(at + 1).any(|other| other.id == display.id);
        promised(!twice, || format!("display {} twice", display.id))?;
    }
    promised(found.rotation.is_none_or(|turns| turns < 4), || format!("{:?}", found.rotation))?;
    Ok(found.to_json().is_object())
}

/// Any file as any kind: what it is, or a typed failure.
pub(super) fn capture(bytes: &[u8]) -> Result<bool, String> {
    let kinds =
        [CaptureKind::Logcat, CaptureKind::Activity, CaptureKind::Window, CaptureKind::Devices, CaptureKind::Getprop];
    let mut any = false;
    for kind in kinds {
        match parse_capture(kind, bytes) {
            Ok(found) => {
                promised(found.is_object(), || found.to_string())?;
                any = true;
            }
            Err(failure) => sound(&failure)?,
        }
    }
    let words: Vec<u8> = decode(bytes).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&[0xff, 0xfe], words.as_slice()].concat();
    promised(decode(&marked) == decode(bytes), || "read otherwise in UTF-16".to_owned())?;
    Ok(any)
}

/// Requests with a URL that shows no query, as many as there can be.
pub(super) fn network(bytes: &[u8]) -> Result<bool, String> {
    let Ok(log) = parse_logcat(&text(bytes)) else { return Ok(false) };
    let requests = network_requests(&log.entries);
    promised(requests.len() <= 200, || format!("{} requests", requests.len()))?;
    for request in &requests {
        let endpoint = &request.endpoint;
        let bare = endpoint.strip_suffix("?redacted").unwrap_or(endpoint);
        promised(bare.contains("://") && !bare.contains(['?', '#', ' ']), || format!("{request:?}"))?;
        promised(!request.done || request.status_code.is_some() || request.network_error.is_some(), || {
            format!("{request:?}")
        })?;
        promised(redacted_url(endpoint).is_some(), || format!("{endpoint:?} is no URL"))?;
    }
    Ok(!requests.is_empty())
}

/// A whole PNG wherever it begins, the same through a terminal; or a typed failure.
pub(super) fn screencap(bytes: &[u8]) -> Result<bool, String> {
    let png = match parse_screencap(bytes) {
        Ok(png) => png,
        Err(failure) => return sound(&failure).map(|()| false),
    };
    promised(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() >= 20, || format!("{} bytes", png.len()))?;
    let mut through = b"[Warning] said first\r\n".to_vec();
    for byte in png.iter() {
        if *byte == b'\n' {
            through.push(b'\r');
        }
        through.push(*byte);
    }
    let again = parse_screencap(&through).map_err(|failure| format!("through a terminal: {failure}"))?;
    promised(again == png, || "a terminal changed it".to_owned())?;
    Ok(true)
}

/// Displays, each once where they are on.
pub(super) fn displays(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let (ids, on) = (parse_display_ids(&text), parse_displays_on(&text));
    promised(ids.len() <= 16 && on.len() <= 16, || format!("{ids:?} {on:?}"))?;
    let printed: String = ids.iter().map(|id| format!("Display {id} (HWC display 0): port=0\n")).collect();
    promised(parse_display_ids(&printed) == ids, || printed)?;
    Ok(!ids.is_empty() || !on.is_empty())
}
