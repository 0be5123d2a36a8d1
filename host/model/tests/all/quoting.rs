//! Quoting for the device's shell, checked by the shell itself: Android's is mksh, and so is Debian's.

use std::io::Write as _;
use std::process::Command;

use handset_model::android::quote;

use crate::inputs::Rng;

/// Words to check.
const WORDS: usize = 2_000;
/// Words per shell: a line of adb's is one argument, and the system takes 128 KiB of one.
const AT_ONCE: usize = 250;

/// The real shell. `HANDSET_REQUIRE_ADB=1` makes its absence a failure.
fn mksh() -> Option<&'static str> {
    let found = ["/bin/mksh", "/usr/bin/mksh"].into_iter().find(|path| std::path::Path::new(path).exists());
    if found.is_none() {
        assert!(std::env::var("HANDSET_REQUIRE_ADB").as_deref() != Ok("1"), "mksh is required and not here");
        let _ = writeln!(std::io::stderr(), "skipped: no mksh here");
    }
    found
}

/// What a shell does something with, and what only looks so.
const PIECES: &[&str] = &[
    "'",
    "''",
    "\"",
    "\\",
    "\\'",
    "`",
    "`id`",
    "$(id)",
    "$((1+1))",
    "$HOME",
    "${HOME:-x}",
    "$$",
    "$'\\n'",
    "$\"x\"",
    "%s",
    "%",
    "%%",
    "~",
    "~root",
    "*",
    "?",
    "[a-z]",
    "{a,b}",
    "!",
    "!!",
    "#",
    " # x",
    "&",
    "&&",
    "|",
    "||",
    ";",
    ";;",
    "(",
    ")",
    "<",
    ">",
    ">&2",
    "<<EOF",
    "=",
    "A=1",
    "-",
    "--",
    "-n",
    "-e",
    "-",
    "^",
    "@",
    "+",
    ":",
    ",",
    ".",
    "..",
    "/",
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\u{1}",
    "\u{7}",
    "\u{8}",
    "\u{b}",
    "\u{c}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{80}",
    "\u{a0}",
    "é",
    "ß",
    "\u{feff}",
    "\u{200f}",
    "\u{202e}",
    "שלום",
    "日本語",
    "😀",
    "👩‍👩‍👧",
    "\u{10ffff}",
    "\u{fffd}",
    "exit",
    "if",
    "done",
    "}",
    "then",
    "0",
    "a",
];

fn word(rng: &mut Rng, number: usize) -> String {
    match number {
        // Every character of one byte by itself, and once in the middle.
        1..=127 => char::from(number as u8).to_string(),
        128..=254 => format!("a{}b", char::from((number - 127) as u8)),
        255 => String::new(),
        256 => "'".repeat(3_000),
        257 => "x' $(id) `id` \n".repeat(300),
        258 => PIECES.concat(),
        _ => match rng.below(4) {
            0 => (0..rng.below(20)).filter_map(|_| char::from_u32(1 + rng.below(0x10_ffff) as u32)).collect(),
            1 => (0..rng.below(40)).map(|_| char::from(1 + rng.below(127) as u8)).collect(),
            _ => (0..1 + rng.below(8)).map(|_| *rng.pick(PIECES)).collect(),
        },
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "it runs the real shell")]
fn the_real_mksh_reads_two_thousand_quoted_words_as_they_were() {
    let Some(mksh) = mksh() else { return };
    let mut rng = Rng::new(crate::inputs::seed());
    let words: Vec<String> = (1..=WORDS).map(|number| word(&mut rng, number)).collect();
    assert!(words.iter().all(|word| !word.contains('\0')));
    let mut checked = 0;
    for words in words.chunks(AT_ONCE) {
        // `print` takes what follows `--` as it is; a NUL is in no word.
        let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
        let line = format!("for w in {}; do print -rn -- \"$w\"; print -n '\\0000'; done", quoted.join(" "));
        let ran = Command::new(mksh).arg("-c").arg(&line).env_clear().output().unwrap();
        assert!(ran.status.success() && ran.stderr.is_empty(), "{:?}", String::from_utf8_lossy(&ran.stderr));
        let mut read = ran.stdout.split(|byte| *byte == 0);
        for (word, quoted) in words.iter().zip(&quoted) {
            let got = read.next().unwrap_or_default();
            assert!(got == word.as_bytes(), "{word:?}, quoted {quoted}, is read as {:?}", String::from_utf8_lossy(got));
            checked += 1;
        }
        assert_eq!(read.collect::<Vec<_>>(), [b""], "more words than there were");
    }
    assert_eq!(checked, WORDS);
}
