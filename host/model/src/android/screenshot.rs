//! What `screencap -p` printed: a PNG, behind whatever a vendor says first, and perhaps through a terminal; and which
//! displays there are to capture.

use std::borrow::Cow;

use super::quoted;
use crate::{Code, Failure};

const MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The magic as a terminal passes it on, which puts a carriage return before every line feed; some do it twice.
const THROUGH_TERMINALS: [&[u8]; 2] = [b"\x89PNG\r\r\n\x1a\r\n", b"\x89PNG\r\r\r\n\x1a\r\r\n"];

/// CRC-32 of ISO 3309, as PNG has it.
fn crc(data: &[u8]) -> u32 {
    const fn entry(mut value: u32) -> u32 {
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
            bit += 1;
        }
        value
    }
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < 256 {
            table[at] = entry(at as u32);
            at += 1;
        }
        table
    };
    let step = |crc: u32, byte: &u8| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ crc >> 8;
    !data.iter().fold(!0, step)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Takes one carriage return away before each line feed: exactly what a terminal put there.
fn undone(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for byte in bytes {
        if *byte == b'\n' && out.last() == Some(&b'\r') {
            out.pop();
        }
        out.push(*byte);
    }
    out
}

/// The whole picture in what was printed, with every chunk's sum checked.
///
/// # Errors
/// `UNSUPPORTED`, retryable: none was printed, with the device's own words; or it is cut or damaged.
pub fn parse_screencap(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Failure> {
    if let Some(at) = find(bytes, MAGIC) {
        let picture = bytes.get(at..).unwrap_or_default();
        return whole(picture).map(|length| Cow::Borrowed(picture.get(..length).unwrap_or_default()));
    }
    for (turns, magic) in (1..).zip(THROUGH_TERMINALS) {
        let Some(at) = find(bytes, magic) else { continue };
        let mut picture = bytes.get(at..).unwrap_or_default().to_vec();
        for _ in 0..turns {
            picture = undone(&picture);
        }
        let length = whole(&picture)?;
        picture.truncate(length);
        return Ok(Cow::Owned(picture));
    }
    let head = String::from_utf8_lossy(bytes.get(..bytes.len().min(2_000)).unwrap_or_default()).into_owned();
    let said = quoted(&head);
    let message = if said.is_empty() {
        "this needs a screencap that prints a picture; it printed nothing".to_owned()
    } else {
        format!("this needs a screencap that prints a picture; it said {said:?}")
    };
    Err(Failure::new(Code::Unsupported, message)
        .with_retryable(true)
        .with_remedy("Turn the display on and try again; read the tree with get_ui_tree meanwhile."))
}

/// Length of the picture up to the end of its last chunk.
fn whole(picture: &[u8]) -> Result<usize, Failure> {
    let broken = |why: &str| {
        Failure::new(Code::Unsupported, format!("the picture that screencap printed {why}"))
            .with_retryable(true)
            .with_remedy("Try again; if it persists, check the cable or the network to the device.")
    };
    let mut at = MAGIC.len();
    loop {
        let head = picture.get(at..at + 8).ok_or_else(|| broken("was cut off"))?;
        let [a, b, c, d, kind @ ..] = head else { return Err(broken("was cut off")) };
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let end = at.checked_add(8).and_then(|body| body.checked_add(length)).ok_or_else(|| broken("is damaged"))?;
        let sum = end.checked_add(4).and_then(|after| picture.get(end..after)).ok_or_else(|| broken("was cut off"))?;
        let summed = picture.get(at + 4..end).map(crc);
        if summed.map(u32::to_be_bytes).as_ref().map(<[u8; 4]>::as_slice) != Some(sum) {
            return Err(broken("is damaged: a chunk's checksum is wrong"));
        }
        if kind == b"IEND" {
            return Ok(end + 4);
        }
        at = end + 4;
    }
}

/// Ids of the physical displays in `dumpsys SurfaceFlinger --display-id`, in their order; virtual ones are not captured.
#[must_use]
pub fn parse_display_ids(text: &str) -> Vec<u64> {
    let line = |line: &str| {
        let rest = line.trim().strip_prefix("Display ")?;
        let (id, rest) = rest.split_once(' ')?;
        rest.starts_with("(HWC").then(|| id.parse().ok())?
    };
    text.lines().filter_map(line).take(16).collect()
}

/// Those of them that are on, in `dumpsys display`: `DisplayDeviceInfo{"…": uniqueId="local:4619827259835644672", … state ON, …`.
#[must_use]
pub fn parse_displays_on(text: &str) -> Vec<u64> {
    let line = |line: &str| {
        let (_, rest) = line.split_once("uniqueId=\"local:")?;
        let (id, rest) = rest.split_once('"')?;
        rest.contains("state ON").then(|| id.parse().ok())?
    };
    let mut on: Vec<u64> = Vec::new();
    for id in text.lines().filter(|line| line.contains("DisplayDeviceInfo{")).filter_map(line) {
        if !on.contains(&id) && on.len() < 16 {
            on.push(id);
        }
    }
    on
}
