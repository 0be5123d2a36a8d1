//! The build itself: run to its end within its time, told as it goes, and what came of it.

use std::path::PathBuf;
use std::time::Duration;

use handset_model::build::{candidate_tasks, first_build_error};
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::found::artefact;
use super::log::Log;
use super::project::{Plan, plan, word};
use crate::budget::{Budget, Stopped};
use crate::process::ProcessError;
use crate::request::{ms, round};
use crate::tools::args::{BuildAndInstallArgs, BuildAppArgs};
use crate::tools::manage::{answer, find, install};
use crate::tools::sdk::Surroundings;
use crate::tools::{Answer, Call};

/// Where no timeout is stated: a first build fetches Gradle and all its dependencies.
const BUILD: Duration = Duration::from_secs(900);

/// Characters of the output's end that an answer shows; the file has all of it.
const END: usize = 4_000;

pub(in crate::tools) async fn build_app(call: Call) -> Result<Answer, Failure> {
    let args: BuildAppArgs = call.parse()?;
    let budget = call.budget(args.timeout.map_or(BUILD, Duration::from_millis));
    let built = build(&call, &args, &budget).await?;
    let mut body = built.told;
    body.insert("timing".into(), call.request.timings.compact());
    let failure_code = built.failure.as_ref().map(|failure| failure.code);
    Ok(Answer::Body { body: Value::Object(body), success: Some(failure_code.is_none()), failure_code, text: None })
}

/// The app goes onto the device that is meant, found before minutes are spent on a build and again after it.
pub(in crate::tools) async fn build_and_install(call: Call) -> Result<Answer, Failure> {
    let BuildAndInstallArgs { build: args, user }: BuildAndInstallArgs = call.parse()?;
    let budget = call.budget(args.timeout.map_or(BUILD, Duration::from_millis));
    call.session(&args.target).await?;
    let Built { mut told, failure, artefact } = build(&call, &args, &budget).await?;
    let Some(path) = artefact.filter(|_| failure.is_none()) else {
        told.insert("installed".into(), json!(false));
        told.insert("delivery_status".into(), json!("not_delivered"));
        told.insert("dispatch_started".into(), json!(false));
        told.insert("timing".into(), call.request.timings.compact());
        let failure_code = failure.map(|failure| failure.code);
        return Ok(Answer::Body { body: Value::Object(told), success: Some(false), failure_code, text: None });
    };
    let found = tokio::task::spawn_blocking(move || find(&path.to_string_lossy(), &[], None)).await;
    let found = found.map_err(|error| Failure::new(Code::Unknown, error.to_string()))??;
    let session = call.session(&args.target).await?;
    let report = install(&call, &session, found, user, "build_and_install", &budget).await;
    let mut answered = answer(&report, "installed")?;
    if let Answer::Body { body: Value::Object(body), .. } = &mut answered {
        if let Some(output) = body.remove("output") {
            body.insert("installOutput".into(), output);
        }
        // What the installation says of the whole stands over what the build said of itself.
        told.extend(std::mem::take(body));
        *body = told;
    }
    Ok(answered)
}

/// A build that came to its end, or to its deadline.
pub(super) struct Built {
    /// The answer's members.
    pub(super) told: Map<String, Value>,
    /// Why there is none.
    pub(super) failure: Option<Failure>,
    /// What it made.
    pub(super) artefact: Option<PathBuf>,
}

/// Builds, with progress.
///
/// # Errors
/// What was refused before anything ran; a variant that is not there; a cancelled call.
pub(super) async fn build(call: &Call, args: &BuildAppArgs, budget: &Budget) -> Result<Built, Failure> {
    if args.target.platform.is_some_and(|platform| platform.as_str() == "ios") {
        return Err(Failure::new(Code::Unsupported, "building for iOS needs an adapter that this build does not have"));
    }
    let (path, kind, variant) = (args.project_path.clone(), args.project_type, args.variant.clone());
    let planned = tokio::task::spawn_blocking(move || plan(&path, kind, variant.as_deref(), &Surroundings::here()));
    let Plan { kind, variant, command, outputs, java } =
        planned.await.map_err(|error| Failure::new(Code::Unknown, error.to_string()))??;
    let folder = crate::device::lock_folder().and_then(|locks| Some(locks.parent()?.join("builds")));
    let log = Log::begin(folder.as_deref());
    call.request.progress(0.0, None, format!("building {variant}"));
    let began = std::time::Instant::now();
    let ended = call.house.processes.watch(command, budget, log.listener(call.request.clone())).await;
    let said = log.text();
    let mut told = Map::new();
    let mut put = |name: &str, value: Value| told.insert(name.to_owned(), value);
    put("projectType", json!(word(kind)));
    put("variant", json!(variant));
    if let Some(java) = java {
        put("javaHome", json!(java));
    }
    put("elapsed_ms", json!(round(ms(began.elapsed()))));
    put("output", json!(end(&said)));
    if let Some(path) = &log.path {
        put("logPath", json!(path.display().to_string()));
    }
    let failure = match ended {
        Ok(output) if output.code == Some(0) => None,
        Ok(output) => Some(failed(&said, output.code, &variant)?),
        Err(ProcessError::Stopped { why: Stopped::Cancelled, .. }) => {
            return Err(Stopped::Cancelled.failure(Code::ActionTimeout, "building"));
        }
        Err(ProcessError::Stopped { why, .. }) => Some(
            why.failure(Code::ActionTimeout, "building; the build was ended")
                .with_retryable(false)
                .with_remedy("Pass a longer timeout, or see in the output what it waited for: a first build fetches Gradle and its dependencies."),
        ),
        Err(error) => return Err(Failure::new(Code::ToolNotFound, error.to_string())),
    };
    let wanted = variant.clone();
    let artefact = match failure {
        None => tokio::task::spawn_blocking(move || artefact(&outputs, &wanted)).await.ok().flatten(),
        Some(_) => None,
    };
    let failure = failure.or_else(|| {
        artefact.is_none().then(|| {
            Failure::new(Code::ActionRejected, format!("the build ended well, and left no APK of {variant}"))
                .with_remedy("See in the output where it put it; a library or a bundle has none.")
        })
    });
    put("artifactPath", artefact.as_ref().map_or(Value::Null, |path| json!(path.display().to_string())));
    put("success", json!(failure.is_none()));
    if let Some(failure) = &failure {
        put("failure_code", json!(failure.code));
        put("retryable", json!(failure.is_retryable()));
        put("error", failure.to_json());
        if failure.code == Code::ActionRejected
            && let Some(first) = first_build_error(&said)
        {
            put("firstError", json!(first));
        }
    }
    Ok(Built { told, failure, artefact })
}

/// Why a build failed: its first real error, in one sentence.
///
/// # Errors
/// `INVALID_ARGUMENT` for a variant that the project does not have, with those it has.
fn failed(said: &str, code: Option<i32>, variant: &str) -> Result<Failure, Failure> {
    if let Some(tasks) = candidate_tasks(said) {
        let variants = tasks.iter().filter_map(|task| task.strip_prefix("assemble")).filter(|name| !name.is_empty());
        return Err(Failure::argument("variant", format!("the project has no variant {variant}"))
            .with_remedy("Pass one that it has: flavour and build type in one word, such as freeDebug.")
            .with_candidates(variants.map(|name| json!(name)).collect()));
    }
    let how = code.map_or_else(|| "was ended by a signal".to_owned(), |code| format!("exited with status {code}"));
    let Some(first) = first_build_error(said) else {
        return Ok(
            Failure::new(Code::ActionRejected, format!("the build {how} and said nothing")).with_retryable(false)
        );
    };
    let place = match (&first.file, first.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        _ => String::new(),
    };
    let message = format!("the build failed: {place}{}", first.message);
    Ok(Failure::new(Code::ActionRejected, message).with_retryable(false).with_remedy(remedy(&first.message)))
}

/// What to do about what is not in the sources.
fn remedy(message: &str) -> &'static str {
    const KNOWN: [(&str, &str); 5] = [
        (
            "SDK location not found",
            "Install the Android SDK and set ANDROID_HOME to it, or sdk.dir in local.properties.",
        ),
        (
            "class file major version",
            "The project's Gradle does not know this Java: set JAVA_HOME to the version it needs.",
        ),
        ("requires Java", "Set JAVA_HOME to the version of Java that is named."),
        ("licences", "Accept the SDK's licences: sdkmanager --licenses."),
        ("JAVA_HOME", "Set JAVA_HOME to the folder of a JDK, and start the server again."),
    ];
    let known = KNOWN.iter().find(|(words, _)| message.contains(words));
    known.map_or("Mend the first error and build again; the file of the output has all of it.", |(_, remedy)| remedy)
}

/// The last characters of the output, from a line's beginning.
fn end(said: &str) -> String {
    let said = said.trim_end();
    let Some((at, _)) = said.char_indices().rev().nth(END) else { return said.to_owned() };
    let (_, tail) = said.split_at(at);
    tail.split_once('\n').map_or(tail, |(_, whole)| whole).to_owned()
}
