//! What reads manifests, grants, schemas, cache entries and guests' texts, as functions of any bytes with what it promises.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use handset_model::parsers::{Promise, promised, sound};
use serde_json::{Value, json};
use wasmtime::Engine;

use super::cache::Cache;
use super::engine;
use super::evidence::{clean, clean_json, is_kebab};
use super::grants::{Grant, GrantOf, ToolGrant};
use super::manifest::{MANIFEST, read, sha256};
use super::names::nearest;
use super::precompile::check_kind;
use super::problem::Problem;
use super::schema::Arguments;

/// By the names of their fuzz targets.
pub(crate) const PARSERS: &[(&str, Promise)] = &[
    ("plugin_manifest", manifest),
    ("plugin_grant", grant),
    ("plugin_schema", schema),
    ("plugin_arguments", arguments),
    ("plugin_text", text),
    ("plugin_name", name),
    ("plugin_component", component),
    ("cache_entry", entry),
];

/// A problem is a sentence on one line.
fn stated(problem: &Problem) -> Result<bool, String> {
    let message = &problem.message;
    let fits = !message.is_empty() && message.len() <= 4_096 && !problem.remedy.is_empty();
    promised(fits && !message.contains(['\n', '\r', '\u{1b}']), || format!("{}: {message:?}", problem.code))?;
    Ok(false)
}

/// A folder of this thread's, removed with it.
fn folder() -> Result<PathBuf, String> {
    thread_local! {
        static FOLDER: std::io::Result<tempfile::TempDir> = tempfile::tempdir();
    }
    FOLDER.with(|dir| dir.as_ref().map(|dir| dir.path().to_path_buf()).map_err(ToString::to_string))
}

/// A manifest whose names are names, and whose component is the file inside its folder.
fn manifest(bytes: &[u8]) -> Result<bool, String> {
    let folder = folder()?;
    let wasm = b"\0asm\x0d\0\x01\0";
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).map_err(|why| why.to_string());
    write("guest.wasm", wasm)?;
    write(MANIFEST, bytes)?;
    match read(&folder) {
        Ok(package) => {
            let at = || format!("{:?}", package.manifest);
            promised(is_kebab(&package.manifest.name) && package.manifest.sha256 == sha256(wasm), at)?;
            promised(package.component.starts_with(&folder) && package.wasm == wasm, at)?;
            Ok(true)
        }
        Err((name, problem)) => {
            // What a refusal is listed under is shown as it is.
            promised(name.as_ref().is_none_or(|name| !name.contains(char::is_control)), || format!("{name:?}"))?;
            stated(&problem)
        }
    }
}

fn grant_of(tool: &str) -> Option<ToolGrant> {
    Some(match tool {
        "get_ui_tree" => ToolGrant::Observe,
        "tap_element" | "type_text" => ToolGrant::Input,
        "start_app" => ToolGrant::Lifecycle,
        "get_logs" => ToolGrant::Logs,
        "install_app" => ToolGrant::Never,
        _ => return None,
    })
}

/// A grant reads as it is written.
fn grant(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let of: GrantOf = Arc::new(grant_of);
    match Grant::parse(&text, &of) {
        Ok(grant) => {
            let written = grant.to_string();
            promised(written == text, || format!("{text:?} became {written:?}"))?;
            promised(Grant::parse(&written, &of).as_ref() == Ok(&grant), || written)?;
            Ok(true)
        }
        Err(why) => stated(&Problem::grant(why)),
    }
}

/// What is asked of a schema once it was taken.
fn ask(arguments: &Arguments, values: &[Value]) -> Result<(), String> {
    for value in values {
        if let Err(failure) = arguments.check(value) {
            sound(&failure)?;
        }
    }
    Ok(())
}

/// A schema that can be checked against, or a sentence.
fn schema(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    match Arguments::compile(&text) {
        Ok(arguments) => {
            promised(arguments.schema.get("type") == Some(&json!("object")), || text.clone().into_owned())?;
            let values = [json!({}), json!({ "a": [{ "b": 1 }], "name": "x" }), json!([]), Value::Null, json!(1e308)];
            ask(&arguments, &values)?;
            Ok(true)
        }
        Err(why) => stated(&Problem::provides(clean(&why, 300))),
    }
}

const ARGUMENTS: &str = r##"{"type":"object","additionalProperties":false,"required":["user"],"properties":{"user":{"type":"string","maxLength":9},
"tries":{"type":"integer","minimum":1},"fields":{"type":"array","items":{"$ref":"#/$defs/field"}},"mode":{"enum":["a","b"]}},
"$defs":{"field":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"string","pattern":"^[a-z]+$"},"inner":{"$ref":"#/$defs/field"}}}}}"##;

/// JSON as arguments of a step: taken, or refused by a member that is named.
fn arguments(bytes: &[u8]) -> Result<bool, String> {
    static COMPILED: OnceLock<Result<Arguments, String>> = OnceLock::new();
    let arguments = COMPILED.get_or_init(|| Arguments::compile(ARGUMENTS)).as_ref().map_err(Clone::clone)?;
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return Ok(false) };
    match arguments.check(&value) {
        Ok(()) => promised(value.is_object(), || format!("{value} is taken")).map(|()| true),
        Err(failure) => sound(&failure).map(|()| false),
    }
}

/// A guest's text, cleaned: bounded, one line, and cleaned again the same.
fn text(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    for limit in [0, 1, 7, 300, 4_096] {
        let cleaned = clean(&text, limit);
        let fits = cleaned.len() <= limit && !cleaned.contains(|c: char| c.is_control());
        promised(fits, || format!("{text:?} became {cleaned:?}"))?;
        let again = clean(&cleaned, limit);
        promised(again == cleaned, || format!("{cleaned:?} became {again:?}"))?;
    }
    let value = serde_json::from_slice(bytes).unwrap_or_else(|_| Value::String(text.clone().into_owned()));
    let cleaned = clean_json(value);
    let again = clean_json(cleaned.clone());
    promised(again == cleaned, || format!("{cleaned} became {again}"))?;
    Ok(!text.is_empty())
}

/// A kebab-case name, and what could be meant by one that does not exist.
fn name(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let kebab = is_kebab(&text);
    let plain = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') && text.len() <= 64;
    promised(!kebab || (plain && !text.is_empty() && clean(&text, 64) == text), || format!("{text:?} is a name"))?;
    let known = ["login-flow/login", "login-flow/log-out", "shop/buy", "tap", "wait", "assert"];
    let near = nearest(&text, known);
    promised(near.len() <= 5 && near.iter().all(|name| known.contains(&name.as_str())), || format!("{near:?}"))?;
    Ok(kebab)
}

fn engine() -> Result<&'static Engine, String> {
    static ENGINE: OnceLock<Result<Engine, String>> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new(&engine::config()).map_err(|why| why.to_string())).as_ref().map_err(Clone::clone)
}

/// Bytes that claim to be a component: told by their first ones, and by the engine's own reader.
fn component(bytes: &[u8]) -> Result<bool, String> {
    match check_kind(bytes, "plugin") {
        Err(problem) => stated(&problem),
        Ok(()) => match super::precompile::here(engine()?, None, bytes, &sha256(bytes), "plugin") {
            Ok(_) => Ok(true),
            Err(problem) => stated(&problem),
        },
    }
}

/// A file in the cache's folder that is not what was written there: a miss, and gone. The name is cut off at a NUL.
fn entry(bytes: &[u8]) -> Result<bool, String> {
    let cut = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
    let (named, content) = bytes.split_at(cut);
    let named: String =
        String::from_utf8_lossy(named).chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(64).collect();
    let dir = folder()?.join("cache");
    let cache = Cache::open(&dir, u64::MAX)?;
    let engine = engine()?;
    let wasm = sha256(b"any");
    let kept = cache.store(engine, &wasm, content).map_err(|why| why.to_string())?;
    let path = dir.join(format!(
        "{}{named}.cwasm",
        kept.file_name().and_then(|n| n.to_str()).and_then(|n| n.get(..82)).unwrap_or_default()
    ));
    if path != kept {
        std::fs::rename(&kept, &path).map_err(|why| why.to_string())?;
    }
    let loaded = cache.load(engine, &wasm).is_some();
    promised(!loaded, || format!("{named:?} with {} bytes is a component", content.len()))?;
    promised(!path.exists(), || format!("{} is still there", path.display()))?;
    Ok(true)
}
