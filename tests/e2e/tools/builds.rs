//! build_app: projects whose wrapper is a script of the test's, as every project's is a script of its own.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::json;

use crate::support::{Bench, Flavor, Setup, wait_until};

/// A project with one app module, built by this script.
fn project(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "settings.gradle.kts", "include(\":app\")\n");
    put(folder.path(), "app/build.gradle.kts", "plugins { id(\"com.android.application\") }\n");
    put(folder.path(), "gradlew", &format!("#!/bin/sh\necho \"$*\" >>args\n{script}\n"));
    folder
}

fn put(folder: &Path, file: &str, text: &str) -> PathBuf {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

/// A server that finds a Java of the test's.
async fn with_java() -> (Bench, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "bin/java", "");
    put(folder.path(), "release", "JAVA_VERSION=\"17.0.9\"\n");
    let home = folder.path().to_owned();
    let setup =
        Setup::new("login", Flavor::StandIn).server(|server| server.env = vec![("JAVA_HOME".into(), home.into())]);
    (setup.start().await, folder)
}

/// A Flutter project that pins its Flutter, and needs no Java of this machine: one for all tests that only want an answer.
pub(crate) fn flutter_project() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("flutter-{}", std::process::id()));
        put(&folder, "pubspec.yaml", "name: x\n");
        let apk = "build/app/outputs/flutter-apk";
        let script = put(
            &folder,
            ".fvm/flutter_sdk/bin/flutter",
            &format!(
                "#!/bin/sh\necho \"$*\" >>args\nmkdir -p {apk}\n: >{apk}/app-debug.apk\n: >{apk}/app-free-release.apk\n"
            ),
        );
        #[cfg(unix)]
        std::fs::set_permissions(script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        folder
    })
}

const BUILT: &str = r#"echo "java: $JAVA_HOME"
echo "> Task :app:assembleDebug"
sleep 0.4
mkdir -p app/build/outputs/apk/debug
: >app/build/outputs/apk/debug/shop.apk
echo '{"variantName": "debug", "elements": [{"filters": [], "outputFile": "shop.apk"}]}' >app/build/outputs/apk/debug/output-metadata.json
echo "BUILD SUCCESSFUL in 1s""#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_build_gives_its_apk_its_output_as_it_comes_and_a_file_with_all_of_it() {
    let (bench, java) = with_java().await;
    let project = project(BUILT);
    let mark = bench.mark();
    let answer = bench.call("build_app", json!({ "projectPath": project.path() })).await.fine();
    assert_eq!(answer["success"], true, "{:#}", answer.structured);
    let root = project.path().canonicalize().unwrap();
    assert_eq!(answer["artifactPath"], json!(root.join("app/build/outputs/apk/debug/shop.apk")));
    assert_eq!((&answer["projectType"], &answer["variant"]), (&json!("native"), &json!("debug")));
    let java = java.path().display().to_string();
    assert_eq!(answer["javaHome"], format!("{java} (17.0.9, from JAVA_HOME)"));
    assert_eq!(std::fs::read_to_string(root.join("args")).unwrap(), ":app:assembleDebug --no-daemon --console=plain\n");
    let log = std::fs::read_to_string(answer["logPath"].as_str().unwrap()).unwrap();
    assert_eq!(log, format!("java: {java}\n> Task :app:assembleDebug\nBUILD SUCCESSFUL in 1s\n"));
    let told: Vec<&str> = answer.progress.iter().filter_map(|progress| progress["message"].as_str()).collect();
    assert!(told.len() >= 2 && told[0] == "building debug", "{told:?}");
    assert!(told.iter().any(|line| log.lines().any(|of| of == *line)), "{told:?}");
    assert!(mark.commands().is_empty() && mark.dumps().is_empty(), "no device is touched");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_built_is_installed_and_what_was_not_is_not() {
    let (bench, _java) = with_java().await;
    let apk = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/apks/tiny.apk");
    let good = project(&BUILT.replace(
        ": >app/build/outputs/apk/debug/shop.apk",
        &format!("cp '{apk}' app/build/outputs/apk/debug/shop.apk"),
    ));
    let mark = bench.mark();
    let answer = bench.call("build_and_install", json!({ "projectPath": good.path() })).await.fine();
    assert_eq!((&answer["success"], &answer["installed"]), (&json!(true), &json!(true)), "{:#}", answer.structured);
    assert_eq!(answer["delivery_status"], "delivered");
    assert!(answer["artifactPath"].as_str().unwrap().ends_with("debug/shop.apk"), "{:#}", answer.structured);
    assert!(answer["output"].as_str().unwrap().contains("BUILD SUCCESSFUL"), "{:#}", answer.structured);
    let installs =
        |commands: Vec<Vec<String>>| commands.iter().filter(|argv| argv.join(" ").contains("install")).count();
    assert!(installs(mark.commands().into_iter().map(|command| command.argv).collect()) >= 1);

    let bad = project("echo 'e: file:///p/Main.kt:12:5 Unresolved reference: foo' >&2; exit 1");
    let mark = bench.mark();
    let answer = bench.call("build_and_install", json!({ "projectPath": bad.path() })).await.fine();
    assert_eq!((&answer["success"], &answer["installed"]), (&json!(false), &json!(false)), "{:#}", answer.structured);
    assert_eq!((&answer["delivery_status"], &answer["dispatch_started"]), (&json!("not_delivered"), &json!(false)));
    assert_eq!(installs(mark.commands().into_iter().map(|command| command.argv).collect()), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_build_that_fails_is_told_by_its_first_real_error() {
    let (bench, _java) = with_java().await;
    let project = project(
        "echo '> Task :app:compileDebugKotlin FAILED'
echo 'e: file:///p/Main.kt:12:5 Unresolved reference: foo' >&2
printf '\\nFAILURE: Build failed with an exception.\\n\\n* What went wrong:\\nCompilation error. See log\\n\\n* Try:\\n' >&2
exit 1",
    );
    let answer = bench.call("build_app", json!({ "projectPath": project.path() })).await.fine();
    assert_eq!((&answer["success"], &answer["failure_code"]), (&json!(false), &json!("ACTION_REJECTED")));
    assert_eq!(answer["/error/message"], "the build failed: /p/Main.kt:12: Unresolved reference: foo");
    assert_eq!((&answer["/firstError/kind"], &answer["/firstError/line"]), (&json!("kotlin"), &json!(12)));
    assert!(answer["output"].as_str().unwrap().contains("> Task :app:compileDebugKotlin FAILED"));
    assert!(answer["artifactPath"].is_null(), "{:#}", answer.structured);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_variant_that_is_not_there_is_answered_with_those_that_are() {
    let (bench, _java) = with_java().await;
    let project = project(
        "printf \"\\n* What went wrong:\\nCannot locate tasks that match ':app:assemblePaid' as task 'assemblePaid' not found in project ':app'. Some candidates are: 'assemble', 'assembleFreeDebug'.\\n\" >&2; exit 1",
    );
    let answer = bench.call("build_app", json!({ "projectPath": project.path(), "variant": "paid" })).await;
    let answer = answer.refused("INVALID_ARGUMENT", Some("variant"));
    assert_eq!(answer["/error/candidates"], json!(["FreeDebug"]), "{:#}", answer.structured);
}

#[cfg(target_os = "linux")]
fn alive(pid: &str) -> bool {
    Path::new("/proc").join(pid.trim()).join("status").is_file()
        && !std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"))
            .unwrap_or_default()
            .contains(") Z ")
}

/// Hangs with a child of its own, whose pid it leaves in `child`.
#[cfg(target_os = "linux")]
const HANGS: &str = "echo begun; sleep 1000 & echo $! >child.new; mv child.new child; wait";

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_build_that_is_cancelled_ends_with_all_it_started() {
    let (bench, _java) = with_java().await;
    let project = project(HANGS);
    let mut call = bench.client.begin("build_app", json!({ "projectPath": project.path() })).await;
    let child = project.path().join("child");
    wait_until("it runs", || child.is_file()).await;
    let pid = std::fs::read_to_string(&child).unwrap();
    assert!(alive(&pid), "{pid}");
    call.cancel().await;
    wait_until("its child is gone", || !alive(&pid)).await;
    assert!(!call.answered());
    bench.call("list_plugins", json!({})).await.fine();
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_build_that_hangs_ends_at_its_deadline_and_that_is_no_success() {
    let (bench, _java) = with_java().await;
    let project = project(HANGS);
    let answer = bench.call("build_app", json!({ "projectPath": project.path(), "timeout": 3_000 })).await.fine();
    assert_eq!((&answer["success"], &answer["failure_code"]), (&json!(false), &json!("ACTION_TIMEOUT")));
    assert_eq!(answer["output"], "begun", "{:#}", answer.structured);
    let pid = std::fs::read_to_string(project.path().join("child")).unwrap();
    wait_until("its child is gone", || !alive(&pid)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_missing_is_named_with_what_to_do_and_nothing_runs() {
    let nothing = tempfile::tempdir().unwrap();
    let home = nothing.path().to_owned();
    let setup = Setup::new("login", Flavor::StandIn).server(|server| {
        server.env =
            vec![("PATH".into(), home.clone().into()), ("HOME".into(), home.into()), ("JAVA_HOME".into(), "".into())];
    });
    let bench = setup.start().await;
    let built = project(BUILT);
    let answer = bench.call("build_app", json!({ "projectPath": built.path() })).await.refused("TOOL_NOT_FOUND", None);
    assert!(answer["/error/message"].as_str().unwrap().contains("Gradle needs Java"), "{:#}", answer.structured);
    assert!(answer["/error/remedy"].as_str().unwrap().contains("JAVA_HOME"), "{:#}", answer.structured);
    assert!(!built.path().join("args").exists());

    std::fs::remove_file(built.path().join("gradlew")).unwrap();
    let answer = bench.call("build_app", json!({ "projectPath": built.path() })).await.refused("TOOL_NOT_FOUND", None);
    assert!(answer["/error/remedy"].as_str().unwrap().contains("gradle wrapper"), "{:#}", answer.structured);

    put(nothing.path(), "pubspec.yaml", "name: x\n");
    let answer =
        bench.call("build_app", json!({ "projectPath": nothing.path() })).await.refused("TOOL_NOT_FOUND", None);
    assert!(answer["/error/message"].as_str().unwrap().contains("flutter"), "{:#}", answer.structured);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arguments_that_do_not_fit_are_refused_before_anything_runs() {
    let (bench, _java) = with_java().await;
    let built = project(BUILT);
    let path = built.path();
    for (arguments, member) in [
        (json!({ "projectPath": path, "variant": "debug; touch x" }), "variant"),
        (json!({ "projectPath": path, "variant": "--init-script" }), "variant"),
        (json!({ "projectPath": path.join("nowhere") }), "projectPath"),
        (json!({ "projectPath": path.join("gradlew") }), "projectPath"),
        (json!({ "projectPath": path, "timeout": 10 }), "timeout"),
        (json!({ "projectPath": path, "projectType": "react-native" }), "projectPath"),
    ] {
        bench.call("build_app", arguments).await.refused("INVALID_ARGUMENT", Some(member));
    }
    assert!(!path.join("args").exists());
    bench.call("build_app", json!({ "projectPath": path, "platform": "ios" })).await.refused("UNSUPPORTED", None);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flutter_builds_with_the_flutter_that_the_project_pins() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let folder = flutter_project();
    let answer = bench.call("build_app", json!({ "projectPath": folder, "variant": "freeRelease" })).await.fine();
    assert_eq!(
        (&answer["success"], &answer["projectType"]),
        (&json!(true), &json!("flutter")),
        "{:#}",
        answer.structured
    );
    assert!(answer["artifactPath"].as_str().unwrap().ends_with("flutter-apk/app-free-release.apk"));
    let args = std::fs::read_to_string(folder.join("args")).unwrap();
    assert!(args.lines().any(|line| line == "--no-color build apk --release --flavor free"), "{args}");
}
