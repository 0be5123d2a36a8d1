//! What reads a device's answers here, and what reaches its command line, as functions of any bytes with what they promise.

use handset_model::android::quote;
use handset_model::parsers::{Promise, promised, sound};

use super::facts::{current, value};
use super::judge::Said;
use super::launch::{component, first_of, similar};
use super::list::version;
use super::manage::grammar::{permission, url};
use super::shell::{Reply, last_line, never_sent, server_started};
use super::text::{KEY_ENTER, Stroke, strokes};
use crate::process::Output;

/// By the names of their fuzz targets.
pub(crate) const PARSERS: &[(&str, Promise)] = &[
    ("shell_reply", reply),
    ("input_said", said),
    ("app_id", app_id),
    ("managing_words", words),
    ("launcher_output", launcher),
    ("device_facts", facts),
    ("adb_said", adb),
    ("typed_text", typed),
];

const NONCE: &str = "@0123456789abcdef";

fn output(bytes: &[u8]) -> Output {
    Output { stdout: bytes.to_vec(), ..Output::default() }
}

/// Parts lie in order, none in another, and what a command printed comes back as it was.
fn reply(bytes: &[u8]) -> Result<bool, String> {
    let found = Reply::of(output(bytes), NONCE);
    let mut rest = bytes;
    for (name, status, content) in found.all() {
        let end = [content, NONCE.as_bytes(), format!(".{name}.").as_bytes()].concat();
        let at = || format!("part {name:?} with status {status} of {:?}", String::from_utf8_lossy(bytes));
        promised(rest.starts_with(&end), at)?;
        let line = rest.iter().skip(end.len()).position(|byte| *byte == b'\n').ok_or_else(at)?;
        rest = rest.get(end.len() + line + 1..).unwrap_or_default();
    }
    promised(rest == found.unfinished(), || "what is left is not what came last".to_owned())?;
    let printed = [bytes, format!("{NONCE}.tree.0\n").as_bytes()].concat();
    let again = Reply::of(output(&printed), NONCE);
    let whole = again.part("tree").is_some();
    // Output may hold a nonce only where somebody who cannot know it wrote it.
    let foreign = bytes.windows(NONCE.len()).any(|window| window == NONCE.as_bytes());
    promised(foreign || again.part("tree") == Some((bytes, 0)), || "a part is not what was printed".to_owned())?;
    promised(whole || foreign, || "a part's end was not seen".to_owned())?;
    Ok(found.all().next().is_some())
}

/// What an input's line said, whatever stands around it.
fn said(bytes: &[u8]) -> Result<bool, String> {
    let said = Said::of(&output(bytes));
    let text = String::from_utf8_lossy(bytes);
    promised(text.contains(said.last.as_str()), || format!("{:?} was not said", said.last))?;
    let ended = text.contains("handset:done:");
    promised(said.status.is_some() == ended, || format!("status {:?} of {text:?}", said.status))?;
    let numbers = said.stroke.is_none_or(|(number, pid)| {
        text.contains("handset:stroke:") && text.contains(&number.to_string()) && text.contains(&pid.to_string())
    });
    // `+7` reads as 7, too.
    promised(numbers || text.contains('+') || text.contains('0'), || format!("{:?} of {text:?}", said.stroke))?;
    let clean = b"handset:stroke:1:4711\nInjected\nhandset:done:0\n";
    let last = Said::of(&output(&[bytes, b"\n", clean].concat()));
    promised(last.status == Some(0) && last.stroke == Some((1, 4711)), || {
        format!("after {text:?} the end is not seen")
    })?;
    Ok(said.status.is_some() || said.stroke.is_some())
}

/// Only Android's grammar gets through: nothing of it means anything to a shell.
fn app_id(bytes: &[u8]) -> Result<bool, String> {
    let id = String::from_utf8_lossy(bytes);
    match component(&id) {
        Ok((package, activity)) => {
            let again = activity.map_or_else(|| package.to_owned(), |activity| format!("{package}/{activity}"));
            promised(again == id, || format!("{id:?} became {again:?}"))?;
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/$".contains(&byte);
            promised(id.bytes().all(plain) && id.len() <= 511, || format!("{id:?} gets through"))?;
            promised(!id.starts_with(|first: char| !first.is_ascii_alphabetic()), || format!("{id:?} gets through"))?;
            Ok(true)
        }
        Err(failure) => sound(&failure).map(|()| false),
    }
}

/// A permission or a URL as given: none holds what a shell, or a second line, would be made of.
fn words(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let (permission, url) = (permission(&text), url(&text));
    for read in [&permission, &url] {
        match read {
            Ok(word) => {
                promised(*word == text, || format!("{text:?} became {word:?}"))?;
                let plain = word.bytes().all(|byte| matches!(byte, b'!'..=b'~'))
                    && !word.contains(['"', '`', '\\', '<', '>', '|']);
                promised(plain && !word.starts_with('-'), || format!("{word:?} gets through"))?;
            }
            Err(failure) => sound(failure)?,
        }
    }
    let lower = text.to_ascii_lowercase();
    let refused = ["intent:", "file:", "content:", "javascript:"].iter().any(|scheme| lower.starts_with(scheme));
    promised(url.is_err() || !refused, || format!("{text:?} gets through"))?;
    Ok(permission.is_ok() || url.is_ok())
}

/// A component of the app itself, and few packages like it.
fn launcher(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let found = first_of(&text, "com.acme.shop");
    if let Some(found) = &found {
        promised(found.starts_with("com.acme.shop/") && text.contains(found.as_str()), || found.clone())?;
    }
    let like = similar(&text, "com.acme.shops");
    let listed = |package: &String| text.contains(&format!("package:{package}"));
    promised(like.len() <= 5 && like.iter().all(listed), || format!("{like:?}"))?;
    Ok(found.is_some() || !like.is_empty())
}

fn facts(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let property = value(&text);
    promised(!property.contains('\n') && property.trim() == property, || format!("{property:?}"))?;
    let again = value(&format!("={property}"));
    let warning = property.starts_with("WARNING: ");
    promised(warning || again == property, || format!("{property:?} became {again:?}"))?;
    let size = current(&text);
    promised(size.is_none_or(|size| size.width > 0 && size.height > 0), || format!("{size:?}"))?;
    Ok(size.is_some() || !property.is_empty())
}

/// adb's own words: its version, whether it started a server, whether it sent anything.
fn adb(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let version = version(&text);
    promised(version.as_ref().is_none_or(|version| text.contains(version.as_str())), || format!("{version:?}"))?;
    let line = last_line(&text);
    promised(!line.contains('\n') && line.chars().count() <= 200, || format!("{line:?}"))?;
    let output = Output { stderr: bytes.to_vec(), ..Output::default() };
    let printed = Output { stdout: b"x".to_vec(), ..output.clone() };
    promised(!never_sent(&printed), || "what printed something was sent".to_owned())?;
    let device = format!("a device says\n{text}");
    promised(!server_started(&device), || "the device's words are adb's".to_owned())?;
    Ok(version.is_some() || server_started(&text) || never_sent(&output))
}

/// What is sent arrives, through the shell and the one escape of `input text`.
fn typed(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let strokes = match strokes(&text) {
        Ok(strokes) => strokes,
        Err(failure) => return sound(&failure).map(|()| false),
    };
    let mut arrived = String::new();
    for stroke in &strokes {
        let command = stroke.command();
        promised(command.len() < 1_100, || format!("{} bytes in one command", command.len()))?;
        match stroke {
            Stroke::Text(text) => {
                let sent = !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'!'..=b'~'));
                promised(sent, || format!("{text:?} is typed"))?;
                promised(command == format!("input text {}", quote(text)), || command.clone())?;
                arrived.push_str(&decoded(text));
            }
            Stroke::Key(code) => arrived.push(if *code == KEY_ENTER { '\n' } else { '\t' }),
        }
    }
    let wanted = text.replace("\r\n", "\n").replace('\r', "\n");
    promised(arrived == wanted, || format!("{wanted:?} arrives as {arrived:?}"))?;
    Ok(true)
}

/// `input text` as the platform has it since Android 4.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut percent = false;
    for character in text.chars() {
        if percent && character == 's' {
            out.pop();
            out.push(' ');
            percent = false;
        } else {
            out.push(character);
            percent = character == '%';
        }
    }
    out
}
