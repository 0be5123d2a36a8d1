//! Compiling: small components here, large ones and the built-in ones in a child process with a bound on time and memory.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use wasmtime::component::Component;
use wasmtime::{Engine, Precompiled};

use super::cache::Cache;
use super::problem::Problem;
use crate::budget::{Budget, Stopped};
use crate::process::{Command, ProcessError, Processes, Program};

/// A component larger than this is compiled in a child: 12–18 MB take 4–10 s and leave 330 MB behind.
pub(super) const IN_PROCESS: usize = 4 << 20;
/// Time for one child: thirty times what the largest known guest takes on two cores.
const CHILD_TIME: Duration = Duration::from_secs(300);
/// Address space of one child, bytes: five times what an 18 MB component needs.
const CHILD_MEMORY: u64 = 4 << 30;
/// What is kept of a child's output.
const CHILD_OUTPUT: usize = 8 << 10;

/// Compiles the component in `input` ahead of time into `output`: what `plugin precompile IN OUT` runs.
/// The calling process bounds its own memory first, so it does nothing else afterwards.
///
/// # Errors
/// One sentence for stderr.
pub fn precompile(input: &Path, output: &Path) -> Result<(), String> {
    bound_memory();
    let wasm = std::fs::read(input).map_err(|why| format!("{}: {why}", input.display()))?;
    let engine = Engine::new(&super::engine::config()).map_err(|why| why.to_string())?;
    let compiled = engine.precompile_component(&wasm).map_err(|why| format!("{}: {why:#}", input.display()))?;
    std::fs::write(output, compiled).map_err(|why| format!("{}: {why}", output.display()))
}

#[cfg(unix)]
fn bound_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let hard = getrlimit(Resource::As).maximum;
    let limit = Rlimit { current: Some(hard.map_or(CHILD_MEMORY, |hard| hard.min(CHILD_MEMORY))), maximum: hard };
    if let Err(why) = setrlimit(Resource::As, limit) {
        tracing::debug!(%why, "the compiler's memory could not be bounded");
    }
}

#[cfg(not(unix))]
fn bound_memory() {}

/// Says what bytes are that are no component.
///
/// # Errors
/// `CORE_MODULE` or `NOT_A_COMPONENT`, naming `shown`.
pub(super) fn check_kind(wasm: &[u8], shown: &str) -> Result<(), Problem> {
    // The preamble: magic, then version 1 and layer 0 for a module, version 13 and layer 1 for a component.
    match wasm.get(..8) {
        Some([0, b'a', b's', b'm', 1, 0, 0, 0]) => {
            Err(Problem::core_module(format!("{shown}: a core module, not a component")))
        }
        Some([0, b'a', b's', b'm', _, _, 1, 0]) => Ok(()),
        _ => Err(Problem::not_a_component(format!("{shown}: not WebAssembly"))),
    }
}

/// Compiles in this process, and keeps the result.
///
/// # Errors
/// `COMPILE_FAILED`.
pub(super) fn here(
    engine: &Engine,
    cache: Option<&Cache>,
    wasm: &[u8],
    digest: &str,
    shown: &str,
) -> Result<Component, Problem> {
    let failed = |why: wasmtime::Error| {
        Problem::compile(format!("{shown}: {}", super::evidence::clean(&format!("{why:#}"), 400)))
    };
    let component = Component::new(engine, wasm).map_err(failed)?;
    if let Some(cache) = cache {
        let kept = component
            .serialize()
            .map_err(std::io::Error::other)
            .and_then(|compiled| cache.store(engine, digest, &compiled));
        if let Err(why) = kept {
            tracing::warn!(%why, "a compiled component could not be kept");
        }
    }
    Ok(component)
}

/// Compiles in a child process; the result comes back through the cache or, without one, a private folder
/// that stands in for it.
///
/// # Errors
/// `COMPILE_FAILED` with the child's last words.
pub(super) async fn in_child(
    processes: &Processes,
    engine: &Engine,
    cache: Option<&Cache>,
    program: Option<&Program>,
    wasm: &[u8],
    digest: &str,
    shown: &str,
) -> Result<Component, Problem> {
    let failed = |why: String| Problem::compile(format!("{shown}: {why}"));
    let io = |why: std::io::Error| failed(why.to_string());
    let work = match cache {
        Some(cache) => tempfile::Builder::new().prefix(".part-").tempdir_in(cache.dir()),
        None => tempfile::tempdir(),
    }
    .map_err(io)?;
    let (input, output) = (work.path().join("in.wasm"), work.path().join("out"));
    // The child reads our copy: the plugin's own file may be replaced meanwhile.
    std::fs::write(&input, wasm).map_err(io)?;
    let program = match program {
        Some(program) => program.clone(),
        None => Program { path: std::env::current_exe().map_err(io)?, leading: Vec::new(), env: Vec::new() },
    };
    let args: Vec<OsString> = vec!["plugin".into(), "precompile".into(), input.into(), output.clone().into()];
    let command = Command { program, args, stdout_cap: CHILD_OUTPUT, stderr_cap: CHILD_OUTPUT, folder: None };
    let budget = Budget::new(CHILD_TIME, CancellationToken::new());
    match processes.run(command, &budget).await {
        Ok(done) if done.code == Some(0) => {}
        Ok(done) => {
            let said = super::evidence::clean(&String::from_utf8_lossy(&done.stderr), 400);
            let how = done.code.map_or_else(|| "was killed".to_owned(), |code| format!("ended with status {code}"));
            return Err(failed(format!("its compiler {how}: {said}")));
        }
        Err(ProcessError::Stopped { why: Stopped::Cancelled, .. }) => {
            return Err(failed("the server is ending".to_owned()));
        }
        Err(ProcessError::Stopped { .. }) => {
            return Err(failed(format!("compiling took more than {} s", CHILD_TIME.as_secs())));
        }
        Err(why) => return Err(failed(format!("its compiler could not be run: {why}"))),
    }
    let compiled = std::fs::read(&output).map_err(io)?;
    if !matches!(Engine::detect_precompiled(&compiled), Some(Precompiled::Component)) {
        return Err(failed("its compiler wrote something else".to_owned()));
    }
    let standing_in;
    let keep = match cache {
        Some(cache) => cache,
        None => {
            standing_in = Cache::open(&work.path().join("cache"), u64::MAX).map_err(failed)?;
            &standing_in
        }
    };
    keep.store(engine, digest, &compiled).map_err(io)?;
    keep.load(engine, digest).ok_or_else(|| failed("its compiled form could not be loaded".to_owned()))
}
