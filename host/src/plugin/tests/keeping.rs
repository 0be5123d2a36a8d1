//! The cache: hit, miss, bad entry, foreign folder, eviction; and compiling in a child.

use std::path::{Path, PathBuf};
use std::time::Duration;

use wasmtime::Engine;

use super::support::{LONG, budget, config, guest, listed, plugin, started};
use crate::plugin::cache::Cache;
use crate::plugin::engine::config as engine_config;
use crate::plugin::manifest::sha256;
use crate::plugin::precompile::{here, in_child, precompile};
use crate::plugin::{Builtins, PluginConfig};
use crate::process::{Processes, Program};

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn what_was_stored_is_found_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("cache");
    let cache = Cache::open(&folder, u64::MAX).unwrap();
    let engine = Engine::new(&engine_config()).unwrap();
    let wasm = guest("tests/describe-hangs.wasm");
    let digest = sha256(&wasm);
    assert!(cache.load(&engine, &digest).is_none());
    here(&engine, Some(&cache), &wasm, &digest, "test").unwrap();
    assert!(cache.load(&engine, &digest).is_some());
    assert!(cache.load(&engine, &sha256(b"another")).is_none());
    // Another compiler setting is another key.
    let mut other = engine_config();
    other.epoch_interruption(false);
    assert!(cache.load(&Engine::new(&other).unwrap(), &digest).is_none());
    assert!(cache.load(&engine, &digest).is_some(), "the other engine's miss removed nothing");
}

#[test]
fn a_bad_entry_is_a_miss_and_goes() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::open(&dir.path().join("cache"), u64::MAX).unwrap();
    let engine = Engine::new(&engine_config()).unwrap();
    let wasm = guest("tests/describe-hangs.wasm");
    let digest = sha256(&wasm);
    let spoil: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.clear(),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
        |bytes| *bytes = b"garbage".to_vec(),
    ];
    for spoil in spoil {
        here(&engine, Some(&cache), &wasm, &digest, "test").unwrap();
        let entry = entries(cache.dir()).pop().unwrap();
        let mut bytes = std::fs::read(&entry).unwrap();
        spoil(&mut bytes);
        std::fs::write(&entry, bytes).unwrap();
        assert!(cache.load(&engine, &digest).is_none());
        assert!(entries(cache.dir()).is_empty());
    }
}

#[cfg(unix)]
#[test]
fn a_folder_open_to_others_or_behind_a_link_stays_unused() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let open = dir.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(Cache::open(&open, u64::MAX).unwrap_err().contains("open to other users"));
    let private = dir.path().join("private");
    Cache::open(&private, u64::MAX).unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&private, &link).unwrap();
    assert!(Cache::open(&link, u64::MAX).unwrap_err().contains("not a folder"));
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(Cache::open(&file, u64::MAX).is_err());
    if rustix::process::geteuid().is_root() {
        let foreign = dir.path().join("foreign");
        Cache::open(&foreign, u64::MAX).unwrap();
        std::os::unix::fs::chown(&foreign, Some(12_345), None).unwrap();
        assert!(Cache::open(&foreign, u64::MAX).unwrap_err().contains("another user"));
    }
}

#[test]
fn the_least_recently_used_goes_first() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::new(&engine_config()).unwrap();
    let wasm = guest("tests/describe-hangs.wasm");
    let compiled = engine.precompile_component(&wasm).unwrap();
    let length = compiled.len() as u64;
    let cache = Cache::open(&dir.path().join("cache"), length * 2 + length / 2).unwrap();
    let digests: Vec<String> = ["a", "b", "c"].iter().map(|name| sha256(name.as_bytes())).collect();
    for digest in &digests[..2] {
        cache.store(&engine, digest, &compiled).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(cache.load(&engine, &digests[0]).is_some());
    std::thread::sleep(Duration::from_millis(20));
    cache.store(&engine, &digests[2], &compiled).unwrap();
    let kept: Vec<bool> = digests.iter().map(|digest| cache.load(&engine, digest).is_some()).collect();
    assert_eq!(kept, [true, false, true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_start_compiles_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let cache_dir = Some(dir.path().join("cache"));
    let with = || PluginConfig { builtins: Builtins::embedded(), cache_dir: cache_dir.clone(), ..config() };
    let timed = async |config| {
        let from = std::time::Instant::now();
        let plugins = started(config).await;
        (plugins, from.elapsed())
    };
    let (_, cold) = timed(with()).await;
    let before = entries(&dir.path().join("cache"));
    assert_eq!(before.len(), 3);
    let (plugins, warm) = timed(with()).await;
    assert_eq!(entries(&dir.path().join("cache")), before);
    assert_eq!(listed(&plugins, "steps")["state"], "ready");
    println!("cold {cold:?}, warm {warm:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cache_that_cannot_be_used_is_done_without() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("cache"), "a file").unwrap();
    let cache_dir = Some(dir.path().join("cache"));
    let builtins = Builtins::none().replace("all", guest("tests/all-three.wasm"));
    let plugins = started(PluginConfig { builtins, cache_dir, ..config() }).await;
    assert_eq!(listed(&plugins, "all")["state"], "ready");
}

/// This test program as the compiler: it runs `the_compiling_child` and that finds its files at the end of the line.
fn this_program() -> Program {
    let path = std::env::current_exe().unwrap();
    let leading = ["--exact", "plugin::tests::keeping::the_compiling_child", "--"].map(Into::into).to_vec();
    Program { path, leading: leading[..2].to_vec(), env: vec![("HANDSET_TEST_COMPILE".into(), "1".into())] }
}

#[test]
fn the_compiling_child() {
    if std::env::var_os("HANDSET_TEST_COMPILE").is_none() {
        return;
    }
    let args: Vec<PathBuf> = std::env::args_os().map(PathBuf::from).collect();
    let [.., input, output] = &args[..] else { panic!("{args:?}") };
    precompile(input, output).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_compiles_and_what_it_wrote_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::new(&engine_config()).unwrap();
    let wasm = guest("tests/describe-hangs.wasm");
    let digest = sha256(&wasm);
    in_child(&Processes::default(), &engine, None, Some(&this_program()), &wasm, &digest, "test").await.unwrap();
    let cache = Cache::open(&dir.path().join("cache"), u64::MAX).unwrap();
    in_child(&Processes::default(), &engine, Some(&cache), Some(&this_program()), &wasm, &digest, "test")
        .await
        .unwrap();
    assert!(cache.load(&engine, &digest).is_some());
    assert_eq!(entries(cache.dir()).len(), 1);
    let broken = in_child(
        &Processes::default(),
        &engine,
        Some(&cache),
        Some(&this_program()),
        b"\0asm\x0d\0\x01\0rubbish",
        "00",
        "test",
    )
    .await;
    assert_eq!(broken.err().unwrap().code, "COMPILE_FAILED");
    let nobody = Program { path: "/nonexistent/compiler".into(), leading: Vec::new(), env: Vec::new() };
    let nobody = in_child(&Processes::default(), &engine, Some(&cache), Some(&nobody), &wasm, "00", "test").await;
    assert!(nobody.err().unwrap().message.contains("could not be run"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_component_goes_through_the_child() {
    let dir = tempfile::tempdir().unwrap();
    let mut wasm = guest("tests/all-three.wasm");
    // A custom section of five megabytes: id 0, size, name "x", and zeros.
    let size = (5 << 20) + 2_usize;
    wasm.push(0);
    let mut rest = size;
    while rest >= 0x80 {
        wasm.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    wasm.push(rest as u8);
    wasm.extend_from_slice(&[1, b'x']);
    wasm.resize(wasm.len() + (5 << 20), 0);
    plugin(dir.path(), "large", &wasm, &[], |text| text);
    let precompiler = Some(this_program());
    let plugins = started(PluginConfig { dirs: vec![dir.path().into()], precompiler, ..config() }).await;
    assert_eq!(listed(&plugins, "large")["state"], "ready", "{:#}", listed(&plugins, "large"));
    plugins.ready(&budget(LONG)).await.unwrap();
}
