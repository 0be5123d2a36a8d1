//! Errors of builds, in the words of the tools that report them.

use handset_model::build::{candidate_tasks, first_build_error};

fn told(output: &str) -> (&'static str, String, Option<u32>, String) {
    let error = first_build_error(output).unwrap();
    (error.kind, error.file.unwrap_or_default(), error.line, error.message)
}

const GRADLE: &str = "
FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:compileDebugKotlin'.
> A failure occurred while executing org.jetbrains.kotlin.compilerRunner.GradleCompilerRunnerWithWorkers$GradleKotlinCompilerWorkAction
   > Compilation error. See log for more details

* Try:
> Run with --stacktrace option to get the stack trace.

BUILD FAILED in 12s
";

#[test]
fn a_compilers_error_is_told_by_file_and_line_and_not_gradles_account_of_it() {
    for (said, kind, file, line, message) in [
        (
            "w: file:///p/A.kt:3:1 unused\ne: file:///p/app/src/Main.kt:12:5 Unresolved reference: foo",
            "kotlin",
            "/p/app/src/Main.kt",
            12,
            "Unresolved reference: foo",
        ),
        ("e: /p/Main.kt: (12, 5): Unresolved reference: foo", "kotlin", "/p/Main.kt", 12, "Unresolved reference: foo"),
        ("/p/Main.java:7: error: cannot find symbol\n    x();\n    ^", "java", "/p/Main.java", 7, "cannot find symbol"),
        ("C:\\p\\Main.java:7: error: ';' expected", "java", "C:\\p\\Main.java", 7, "';' expected"),
        (
            "ERROR:/p/res/layout/a.xml:5: AAPT: error: resource style/X (aka com.a:style/X) not found.",
            "resource",
            "/p/res/layout/a.xml",
            5,
            "resource style/X (aka com.a:style/X) not found.",
        ),
        ("/p/values.xml:3:5-20: AAPT: error: duplicate value", "resource", "/p/values.xml", 3, "duplicate value"),
        (
            "/p/src/a.cpp:31:9: error: use of undeclared identifier 'y'",
            "native",
            "/p/src/a.cpp",
            31,
            "use of undeclared identifier 'y'",
        ),
        (
            "lib/main.dart:12:5: Error: Expected ';' after this.",
            "dart",
            "lib/main.dart",
            12,
            "Expected ';' after this.",
        ),
        (
            "error: SyntaxError: /p/App.js: Unexpected token, expected \",\" (12:5)",
            "metro",
            "/p/App.js",
            12,
            "Unexpected token, expected \",\" (12:5)",
        ),
    ] {
        assert_eq!(
            told(&format!("> Task :app:x\n{said}\n{GRADLE}")),
            (kind, file.to_owned(), Some(line), message.to_owned()),
            "{said}"
        );
    }
}

#[test]
fn an_error_without_a_line_keeps_its_file_or_its_words() {
    let metro = "error Unable to resolve module ./missing from /p/App.js: \n\nNone of these files exist:\n";
    assert_eq!(told(metro).1, "/p/App.js");
    let merger =
        "Manifest merger failed : uses-sdk:minSdkVersion 19 cannot be smaller than version 21 declared in library";
    assert_eq!((told(merger).0, told(merger).3.starts_with("uses-sdk")), ("manifest", true));
    assert_eq!(told("/p/app/src/main/AndroidManifest.xml:12:5-44 Error:\n\tAttribute x").2, Some(12));
}

#[test]
fn where_no_compiler_says_anything_gradles_account_is_the_error() {
    let (kind, file, line, message) = told(GRADLE);
    assert_eq!((kind, file.as_str(), line), ("gradle", "", None));
    assert!(
        message.starts_with("Execution failed for task ':app:compileDebugKotlin'. A failure occurred"),
        "{message}"
    );
    assert!(!message.contains("stacktrace"), "{message}");
    let sdk = "* What went wrong:\nSDK location not found. Define a valid SDK location with an ANDROID_HOME environment variable\n\n* Try:\n";
    assert!(told(sdk).3.starts_with("SDK location not found."));
}

#[test]
fn what_the_wrapper_says_before_there_is_a_gradle_is_an_error_too() {
    let said = "\nERROR: JAVA_HOME is set to an invalid directory: /x\n\nPlease set the JAVA_HOME variable.\n";
    assert_eq!(told(said).3, "ERROR: JAVA_HOME is set to an invalid directory: /x");
    assert_eq!(told("sh: gradle-wrapper.jar: gone\n\n").3, "sh: gradle-wrapper.jar: gone");
    assert_eq!(first_build_error(" \n\r\n"), None);
}

#[test]
fn a_task_that_is_not_there_is_answered_with_those_that_are() {
    let said = "Task 'assembleFree' not found in project ':app'. Some candidates are: 'assemble', 'assembleFreeDebug'.";
    assert_eq!(candidate_tasks(said), Some(vec!["assemble".to_owned(), "assembleFreeDebug".to_owned()]));
    let none = "Cannot locate tasks that match ':app:assembleX' as task 'assembleX' not found in project ':app'.";
    assert_eq!(candidate_tasks(none), Some(Vec::new()));
    assert_eq!(candidate_tasks("Task :app:x FAILED"), None);
}
