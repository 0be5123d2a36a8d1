//! A screen that is not the expected one any more blocks the input and shows itself.

use std::time::Duration;

use simphone::{Change, Mutation, Phone};

use super::{
    assert_blocked, assert_blocking_tree, assert_compact, assert_expectation, cases, expected, guarded, reset,
};
use crate::support::{Bench, Flavor, on_each_adb};

/// Makes the screen another one; `resolving` reads come before the guard's own.
type Disturbance = fn(&Phone, usize);

fn text(phone: &Phone, _: usize) {
    assert!(phone.set_text("login.title", "Sign in to Other"));
}

fn bounds(phone: &Phone, _: usize) {
    assert!(phone.set_bounds("login.title", [64, 310, 1016, 410]));
}

fn enabled(phone: &Phone, _: usize) {
    assert!(phone.set_enabled("login.remember", false));
}

fn checked(phone: &Phone, _: usize) {
    assert!(phone.set_checked("login.remember", true));
}

/// The resolving read still shows the old screen; the guard's own is the first to show the new one.
fn between_resolution_and_dispatch(phone: &Phone, resolving: usize) {
    let change = Change::Text("login.title".to_owned(), "Changed at the last moment".to_owned());
    phone.on_dump(1, if resolving == 1 { Mutation::after(change) } else { Mutation::before(change) });
}

async fn blocks(flavor: Flavor, what: &str, disturb: Disturbance) {
    let bench = Bench::new("login", flavor).await;
    let whole = bench.mark();
    for case in cases() {
        reset(&bench);
        let state = expected(&bench).await;
        disturb(bench.phone(), case.tool.resolving);
        let mark = bench.mark();
        let answer = guarded(&bench, case, &state).await;
        let shown = format!("{what}: {case}");

        mark.no_input(&shown);
        assert_blocked(&answer, "PRECONDITION_FAILED", "mismatch", None, &shown);
        assert_expectation(&answer, &state, &shown);
        assert_blocking_tree(&answer, &shown);
        let (was, now) = (state["snapshotRevision"].as_u64(), answer["/condition/observed/snapshot_revision"].as_u64());
        assert!(now > was, "{shown}: {was:?} {now:?}");
        assert_eq!(mark.dumps().len(), case.tool.resolving + 1, "{shown}: the guard's own read and no other");
        assert_eq!(mark.good_dumps(), case.tool.resolving + 1, "{shown}");
        if case.response == "compact" {
            assert_compact(&answer, &shown);
        }
    }
    whole.no_input_later(Duration::from_millis(300), what).await;
}

on_each_adb! {
    async fn a_changed_text(flavor) {
        blocks(flavor, "text", text).await;
    }

    async fn changed_bounds(flavor) {
        blocks(flavor, "bounds", bounds).await;
    }

    async fn a_changed_enabled_flag(flavor) {
        blocks(flavor, "enabled", enabled).await;
    }

    async fn a_changed_state(flavor) {
        blocks(flavor, "checked", checked).await;
    }

    async fn a_change_between_resolution_and_dispatch(flavor) {
        blocks(flavor, "between", between_resolution_and_dispatch).await;
    }

    async fn a_screen_that_came_back_is_another_revision(flavor) {
        let bench = Bench::new("login", flavor).await;
        let state = expected(&bench).await;
        text(bench.phone(), 0);
        expected(&bench).await;
        reset(&bench);
        for case in cases().into_iter().filter(|case| case.verification == "none") {
            let mark = bench.mark();
            let answer = guarded(&bench, case, &state).await;
            mark.no_input(&format!("{case}"));
            assert_blocked(&answer, "PRECONDITION_FAILED", "mismatch", None, &format!("{case}"));
        }
    }
}

on_each_adb! {
    async fn the_blocking_tree_is_the_one_that_was_decided_on_not_a_later_one(flavor) {
        let bench = Bench::new("login", flavor).await;
        let state = expected(&bench).await;
        bench.phone().set_text("login.title", "Seen by the guard");
        bench.phone().on_dump(1, Mutation::after(Change::Text("login.title".to_owned(), "Seen by nobody".to_owned())));
        for case in cases().into_iter().filter(|case| case.tool.name == "tap" && case.verification == "full").take(1) {
            let answer = guarded(&bench, case, &state).await;
            let tree = answer["/condition/observed"].to_string();
            assert!(tree.contains("Seen by the guard") && !tree.contains("Seen by nobody"), "{tree}");
        }
    }
}
