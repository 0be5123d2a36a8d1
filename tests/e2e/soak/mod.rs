//! Many phones, many callers, one server: nothing crosses, nothing grows. `cargo bench -- soak` does it for minutes.

mod ledger;
mod load;
mod phones;
mod slow;
mod vitals;
#[allow(dead_code, reason = "shared with the benchmarks, which use all of it")]
mod wire;

use std::time::Duration;

use simphone::Phone;

use crate::support::{ServerOptions, on_each_adb};
use load::Load;
use wire::Wire;

/// Beyond this, memory grew: a few revisions of each screen and the allocator's slack stay below.
const SLACK_KIB: u64 = 16 * 1024;

on_each_adb! {
    async fn sixteen_phones_and_many_callers_cross_nothing_and_leave_nothing(flavor) {
        let mut phones = Vec::new();
        for number in 0..16 {
            phones.push(Phone::start(phones::marked(number)).await.expect("the phone starts"));
        }
        let adb = flavor.connected(&phones).await;
        let (wire, _) = Wire::start(&ServerOptions::default(), Some(&adb)).await;
        let load = Load::new(wire, phones);

        load.run(8, Duration::from_secs(4)).await;
        let before = load.at_rest().await;
        load.run(8, Duration::from_secs(6)).await;
        let after = load.at_rest().await;

        let seen = load.seen();
        let calls: usize = seen.took.values().map(Vec::len).sum();
        assert!(seen.crossed.is_empty(), "{:#?}", seen.crossed);
        assert!(seen.failed.is_empty(), "{:#?}", seen.failed);
        let (wrong, inputs) = load.audit();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(calls > 0 && inputs > 0, "{calls} calls and {inputs} inputs were made");
        if cfg!(target_os = "linux") {
            assert_eq!((after.children, after.descriptors), (0, before.descriptors), "{before:?} {after:?}");
            assert!(after.anonymous < before.anonymous + SLACK_KIB, "{before:?} {after:?}");
        }
        eprintln!("{calls} calls, {inputs} inputs, {} late: {before:?} {after:?}", seen.late);
    }
}
