//! `handset tree`: real dumps of many phones, and files that hold none.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::support::fed;

/// Other markup that stands among the captures on purpose.
const FOREIGN: [&str; 2] = ["argent__vega-page-source.xml", "argent__vega-webview-grid.xml"];

fn captures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/captures/android");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn is_foreign(file: &Path) -> bool {
    FOREIGN.contains(&file.file_name().unwrap().to_str().unwrap())
}

fn tree(args: &[&str], stdin: &[u8]) -> Output {
    fed(&[&["tree"], args].concat(), stdin)
}

fn parsed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[track_caller]
fn assert_no_tree(output: &Output, code: &str, case: &str) -> Value {
    assert_eq!(output.status.code(), Some(3), "{case}: {output:?}");
    let told = parsed(output);
    assert_eq!(told["error"]["code"], code, "{case}: {told:#}");
    for member in ["message", "remedy"] {
        assert!(told["error"][member].as_str().is_some_and(|text| text.len() > 10), "{case}: {told:#}");
    }
    assert!(output.stderr.is_empty(), "{case}: {output:?}");
    told
}

#[test]
fn every_capture_gives_its_whole_tree() {
    let files = captures();
    assert!(files.len() >= 20, "{files:?}");
    for file in files.iter().filter(|file| !is_foreign(file)) {
        let name = file.display().to_string();
        let output = tree(&[&name], b"");
        assert!(output.status.success() && output.stderr.is_empty(), "{name}: {output:?}");
        let told = parsed(&output);
        let elements = told["elements"].as_array().unwrap();
        let (nodes, elided) = (told["node_count"].as_u64().unwrap(), told["elided"].as_u64().unwrap());
        assert_eq!(nodes, elements.len() as u64 + elided, "{name}");
        assert!(
            !elements.is_empty() && told["resolution"]["width"].as_u64() > Some(0),
            "{name}: {}",
            told["resolution"]
        );
        // Dumps name each element by its class, and some tools rename the tags: count what opens.
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let opened = text.matches("<node ").count() as u64;
        assert!(opened == 0 || opened == nodes, "{name}: {opened} nodes in the file, {nodes} told");
        for (index, element) in elements.iter().enumerate() {
            let parent = element["parentId"].as_u64();
            assert!(parent.is_none_or(|parent| parent < index as u64), "{name}: {element}");
            let children = element["children"].as_array().into_iter().flatten().filter_map(Value::as_u64);
            for child in children {
                assert_eq!(elements[usize::try_from(child).unwrap()]["parentId"], index, "{name}: child {child}");
            }
            assert_eq!(element["bounds"].as_array().map(Vec::len), Some(4), "{name}: {element}");
        }
    }
}

#[test]
fn other_markup_is_told_from_a_tree() {
    for file in captures().iter().filter(|file| is_foreign(file)) {
        let name = file.display().to_string();
        let told = assert_no_tree(&tree(&[&name], b""), "TREE_INVALID", &name);
        assert!(told["error"]["message"].as_str().unwrap().contains("<root>"), "{name}: {told:#}");
    }
}

#[test]
fn as_text_it_has_a_line_an_element() {
    for file in captures().iter().filter(|file| !is_foreign(file)) {
        let name = file.display().to_string();
        let elements = parsed(&tree(&[&name], b""))["elements"].as_array().unwrap().len();
        let output = tree(&[&name, "--format", "text"], b"");
        assert!(output.status.success(), "{name}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let shown = text.lines().filter(|line| line.trim_start().starts_with('[')).count();
        assert_eq!(shown, elements, "{name}:\n{text}");
        let besides = text.lines().count() - shown;
        assert!(besides <= 5, "{name}: {besides} further lines\n{text}");
    }
}

#[test]
fn standard_input_is_read_as_a_file_is() {
    for file in captures() {
        let name = file.display().to_string();
        let (named, piped) = (tree(&[&name], b""), tree(&["-"], &std::fs::read(&file).unwrap()));
        assert_eq!((named.status.code(), named.stdout), (piped.status.code(), piped.stdout), "{name}");
    }
}

#[test]
fn the_size_of_the_display_is_what_it_is_told() {
    let file = captures().into_iter().find(|file| !is_foreign(file)).unwrap().display().to_string();
    for given in ["500x300", "500X300"] {
        let told = parsed(&tree(&[&file, "--size", given], b""));
        assert_eq!(
            (&told["resolution"]["width"], &told["resolution"]["height"]),
            (&500.into(), &300.into()),
            "{given}"
        );
    }
    for wrong in ["500", "0x300", "500x", "500x-1", "axb", "500x300x1", "99999999999x1", ""] {
        let output = tree(&[&file, "--size", wrong], b"");
        assert_eq!(output.status.code(), Some(2), "{wrong}: {output:?}");
        assert!(
            output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("--size"),
            "{wrong}: {output:?}"
        );
    }
}

fn dump() -> Vec<u8> {
    std::fs::read(captures().into_iter().find(|file| file.ends_with("uiautomator__layout.xml")).unwrap()).unwrap()
}

/// As Windows tools save it.
fn utf16(text: &str) -> Vec<u8> {
    [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

#[test]
fn another_encoding_is_the_same_tree() {
    let whole = dump();
    let wide = utf16(&String::from_utf8(whole.clone()).unwrap());
    let marked = [b"\xef\xbb\xbf".as_slice(), &whole].concat();
    let told = parsed(&tree(&["-"], &whole));
    assert_eq!(parsed(&tree(&["-"], &wide)), told, "UTF-16");
    assert_eq!(parsed(&tree(&["-"], &marked)), told, "a byte order mark");
}

#[test]
fn what_is_no_tree_is_named_with_its_code() {
    let whole = dump();
    let text = String::from_utf8(whole.clone()).unwrap();
    let wide = utf16(&text);
    let cases: [(&str, Vec<u8>, &str); 14] = [
        ("empty", Vec::new(), "TREE_INVALID"),
        ("blank", b" \n\t ".to_vec(), "TREE_INVALID"),
        (
            "garbage",
            (0..2_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect(),
            "TREE_INVALID",
        ),
        ("nulls", vec![0; 4_096], "TREE_INVALID"),
        ("words", b"ERROR: could not get idle state.\n".to_vec(), "NOT_IDLE"),
        ("null root", b"ERROR: null root node returned by UiTestAutomationBridge.\n".to_vec(), "NULL_ROOT"),
        ("killed", b"Killed\n".to_vec(), "READER_KILLED"),
        ("html", b"<!doctype html><html><body>no</body></html>".to_vec(), "TREE_INVALID"),
        ("json", b"{\"hierarchy\": []}".to_vec(), "TREE_INVALID"),
        ("cut in half", whole[..whole.len() / 2].to_vec(), "TREE_TRUNCATED"),
        ("cut before its end", whole[..whole.len() - 20].to_vec(), "TREE_TRUNCATED"),
        ("no root", b"<?xml version='1.0'?><hierarchy rotation=\"0\"></hierarchy>".to_vec(), "NULL_ROOT"),
        ("half of another encoding", wide[..1_000].to_vec(), "TREE_TRUNCATED"),
        ("an odd byte of another encoding", wide[..1_001].to_vec(), "TREE_TRUNCATED"),
    ];
    for (case, bytes, code) in cases {
        assert_no_tree(&tree(&["-"], &bytes), code, case);
    }
}

#[test]
fn a_cut_anywhere_is_an_error_and_never_a_panic() {
    let whole = dump();
    let end = whole.len() - whole.iter().rev().position(|byte| *byte == b'>').unwrap();
    for at in (1..end).step_by(end / 20) {
        let output = tree(&["-"], &whole[..at]);
        assert_eq!(output.status.code(), Some(3), "cut at {at}: {output:?}");
        assert!(parsed(&output)["error"]["code"].as_str().unwrap().starts_with("TREE_"), "cut at {at}");
    }
}

#[test]
fn a_file_that_is_not_there_is_said_on_stderr() {
    let output = tree(&["/nowhere/dump.xml"], b"");
    assert!(!output.status.success() && output.status.code() != Some(3) && output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/dump.xml"), "{output:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let file = captures().into_iter().find(|file| file.ends_with("senior-shield__window_dump.xml")).unwrap();
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_handset"))
        .arg("tree")
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
}
