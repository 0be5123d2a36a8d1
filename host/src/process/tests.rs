#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};
use tokio_util::sync::CancellationToken;

use super::*;

fn sh(script: &str) -> Command {
    Program::new("sh").command(["-c", script])
}

fn budget(ms: u64) -> Budget {
    Budget::new(Duration::from_millis(ms), CancellationToken::new())
}

fn first_pid(output: &Output) -> i32 {
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap().trim().parse().unwrap()
}

/// No process has this pid: not even a zombie. Grandchildren are reaped by whoever runs this system, so a zombie of one is gone enough.
fn gone(pid: i32) -> bool {
    test_kill_process(Pid::from_raw(pid).unwrap()) == Err(rustix::io::Errno::SRCH)
}

async fn dead(pid: i32) -> bool {
    for _ in 0..100 {
        let zombie = std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "));
        if gone(pid) || zombie {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

fn stopped_by(result: Result<Output, ProcessError>) -> (Stopped, Output) {
    match result {
        Err(ProcessError::Stopped { why, partial }) => (why, partial),
        other => panic!("not stopped: {other:?}"),
    }
}

#[tokio::test]
async fn both_streams_the_status_and_the_time_come_back() {
    let output =
        Processes::default().run(sh("echo out; echo err >&2; sleep 0.05; exit 3"), &budget(5_000)).await.unwrap();
    assert_eq!(
        (output.code, output.stdout.as_slice(), output.stderr.as_slice()),
        (Some(3), &b"out\n"[..], &b"err\n"[..])
    );
    assert!(!output.truncated);
    assert!((50.0..1_000.0).contains(&output.elapsed_ms), "{}", output.elapsed_ms);
}

#[tokio::test]
async fn stdin_is_empty_and_the_environment_is_set() {
    let mut command = sh("cat; echo \"$HANDSET_TEST\"");
    command.program.env.push(("HANDSET_TEST".into(), "a b".into()));
    assert_eq!(Processes::default().run(command, &budget(5_000)).await.unwrap().stdout, b"a b\n");
}

#[tokio::test]
async fn leading_arguments_come_before_ours() {
    let program = Program { leading: vec!["-c".into(), "echo \"$0 $1\"".into()], ..Program::new("sh") };
    let output = Processes::default().run(program.command(["one", "two"]), &budget(5_000)).await.unwrap();
    assert_eq!(output.stdout, b"one two\n");
}

#[tokio::test]
async fn a_hung_child_is_gone_and_reaped_before_the_answer() {
    let asked = Instant::now();
    let (why, partial) = stopped_by(Processes::default().run(sh("echo $$; exec sleep 60"), &budget(300)).await);
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    assert_eq!(why, Stopped::Expired);
    assert!(gone(first_pid(&partial)));
    assert!(partial.elapsed_ms >= 300.0 - 1.0);
}

#[tokio::test]
async fn ignoring_sigterm_does_not_help_and_the_whole_group_ends() {
    let script = "trap '' TERM HUP INT; echo $$; (trap '' TERM; sleep 60) & echo $!; while :; do sleep 60; done";
    let (_, partial) = stopped_by(Processes::default().run(sh(script), &budget(300)).await);
    assert!(gone(first_pid(&partial)));
    let grandchild = String::from_utf8_lossy(&partial.stdout).lines().nth(1).unwrap().parse().unwrap();
    assert!(dead(grandchild).await);
}

#[tokio::test]
async fn a_cancelled_request_ends_its_child_before_the_answer() {
    let token = CancellationToken::new();
    let budget = Budget::new(Duration::from_secs(60), token.clone());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        token.cancel();
    });
    let (why, partial) = stopped_by(Processes::default().run(sh("echo $$; exec sleep 60"), &budget).await);
    assert_eq!(why, Stopped::Cancelled);
    assert!(gone(first_pid(&partial)));
}

#[tokio::test]
async fn a_grandchild_holding_the_pipe_does_not_hold_us() {
    let asked = Instant::now();
    let output = Processes::default().run(sh("sleep 60 & echo $!; exit 0"), &budget(30_000)).await.unwrap();
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    assert_eq!(output.code, Some(0));
    assert!(output.elapsed_ms < 500.0);
    assert!(dead(first_pid(&output)).await);
}

#[tokio::test]
async fn a_silent_grandchild_is_ended_with_its_leader() {
    let output = Processes::default().run(sh("sleep 60 >/dev/null 2>&1 & echo $!"), &budget(30_000)).await.unwrap();
    assert!(dead(first_pid(&output)).await);
}

#[tokio::test]
async fn a_flood_is_drained_and_capped() {
    let mut command = sh("head -c 8000000 /dev/zero; head -c 3000000 /dev/zero >&2");
    (command.stdout_cap, command.stderr_cap) = (1_000, 10);
    let output = Processes::default().run(command, &budget(20_000)).await.unwrap();
    assert_eq!((output.code, output.stdout.len(), output.stderr.len(), output.truncated), (Some(0), 1_000, 10, true));
}

#[tokio::test]
async fn all_of_a_large_output_comes_through() {
    let mut command = sh("head -c 3000000 /dev/zero");
    command.stdout_cap = 3_000_000;
    let output = Processes::default().run(command, &budget(20_000)).await.unwrap();
    assert_eq!((output.stdout.len(), output.truncated), (3_000_000, false));
}

#[tokio::test]
async fn a_dropped_caller_cancels_the_child() {
    let processes = Processes::default();
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = format!("echo $$ > {}; exec sleep 60", file.path().display());
    let mut read = String::new();
    {
        let budget = budget(60_000);
        let run = processes.run(sh(&script), &budget);
        tokio::pin!(run);
        while !read.ends_with('\n') {
            tokio::select! {
                _ = &mut run => unreachable!("the child does not end"),
                () = tokio::time::sleep(Duration::from_millis(10)) => read = std::fs::read_to_string(file.path()).unwrap(),
            }
        }
    }
    processes.shutdown(Duration::from_secs(5)).await;
    assert!(gone(read.trim().parse().unwrap()));
}

#[tokio::test]
async fn shutdown_ends_everything_and_nothing_starts_after_it() {
    let processes = Processes::default();
    let child = processes.spawn(sh("echo $$; exec sleep 60"));
    tokio::time::sleep(Duration::from_millis(200)).await;
    processes.shutdown(Duration::from_secs(5)).await;
    let (why, partial) = stopped_by(child.finish().await);
    assert_eq!(why, Stopped::Cancelled);
    assert!(gone(first_pid(&partial)));
    assert!(matches!(processes.run(sh("echo"), &budget(1_000)).await, Err(ProcessError::Stopped { .. })));
}

impl Processes {
    fn spawn(&self, command: Command) -> Dispatched {
        self.start(command, &budget(60_000), None).unwrap()
    }
}

#[tokio::test]
async fn a_missing_program_and_one_that_cannot_run_are_told_apart() {
    let missing = Program::new("/nowhere/handset-no-such-program").command(["x"]);
    assert!(
        matches!(Processes::default().run(missing, &budget(1_000)).await, Err(ProcessError::NotFound(path)) if path.ends_with("handset-no-such-program"))
    );
    let folder = Program::new("/").command(["x"]);
    assert!(matches!(Processes::default().run(folder, &budget(1_000)).await, Err(ProcessError::Spawn { .. })));
}

#[tokio::test]
async fn a_budget_that_ended_starts_nothing() {
    let file = tempfile::tempdir().unwrap();
    let path = file.path().join("started");
    let command = sh(&format!("touch {}", path.display()));
    assert!(matches!(
        Processes::default().run(command, &budget(0)).await,
        Err(ProcessError::Stopped { why: Stopped::Expired, .. })
    ));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!path.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn input_is_spawned_synchronously_from_a_blocking_thread() {
    let processes = Processes::default();
    let before = tokio::time::Instant::now();
    let dispatched = tokio::task::spawn_blocking(move || {
        #[expect(clippy::disallowed_methods, reason = "its own test")]
        processes.spawn_input(sh("echo done"), &budget(5_000)).unwrap()
    })
    .await
    .unwrap();
    assert!(dispatched.at >= before);
    assert_eq!(dispatched.finish().await.unwrap().stdout, b"done\n");
}

#[test]
fn without_a_runtime_nothing_is_started() {
    #[expect(clippy::disallowed_methods, reason = "its own test")]
    let refused = Processes::default().spawn_input(sh("echo"), &budget(1_000));
    assert!(matches!(refused, Err(ProcessError::Spawn { .. })));
}

#[test]
fn a_runtime_torn_down_takes_its_children_along() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let pid = runtime.block_on(async {
        let processes = Processes::default();
        let file = tempfile::NamedTempFile::new().unwrap();
        let child = processes.spawn(sh(&format!("echo $$ > {}; sleep 60 & wait", file.path().display())));
        let mut read = String::new();
        while !read.ends_with('\n') {
            tokio::time::sleep(Duration::from_millis(10)).await;
            read = std::fs::read_to_string(file.path()).unwrap();
        }
        std::mem::forget(child);
        read.trim().parse::<i32>().unwrap()
    });
    drop(runtime);
    // The group as a whole: its members were told to end at the drop.
    for _ in 0..100 {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if gone(pid) || state.contains(") Z ") {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("still running");
}

#[tokio::test]
async fn what_a_watched_child_writes_is_heard_before_its_end() {
    let (heard, mut hears) = tokio::sync::mpsc::unbounded_channel();
    let listener: Listener = Arc::new(move |stream, bytes: &[u8]| {
        let _ = heard.send((stream, String::from_utf8_lossy(bytes).into_owned()));
    });
    let processes = Processes::default();
    let ends = CancellationToken::new();
    let budget = Budget::new(Duration::from_secs(60), ends.clone());
    let watched = processes.watch(sh("echo one; echo two >&2; exec sleep 60"), &budget, listener);
    let told = async {
        let mut told = vec![hears.recv().await.unwrap(), hears.recv().await.unwrap()];
        ends.cancel();
        told.sort_by_key(|(stream, _)| *stream == Stream::Err);
        told
    };
    let (ended, told) = tokio::join!(watched, told);
    assert_eq!(told, [(Stream::Out, "one\n".to_owned()), (Stream::Err, "two\n".to_owned())]);
    let (why, partial) = stopped_by(ended);
    assert_eq!((why, partial.stdout.as_slice()), (Stopped::Cancelled, &b"one\n"[..]));
}

#[tokio::test]
async fn a_child_runs_in_the_folder_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("here"), "yes").unwrap();
    let command = Command { folder: Some(folder.path().to_owned()), ..sh("cat here") };
    let output = Processes::default().run(command, &budget(5_000)).await.unwrap();
    assert_eq!(output.stdout, b"yes");
}
