//! A device without a device: an adapter that lists what it is told, for resolution and lanes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use handset_model::Code;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::*;

mod schedules;

#[derive(Debug)]
struct Fake {
    platform: &'static str,
    list: Result<Vec<Listed>, Failure>,
    default: Option<&'static str>,
    over: AtomicBool,
    /// When what was left on it is over by itself, which only asking tells.
    over_at: Option<Instant>,
    asked: AtomicU32,
}

impl Fake {
    fn new(platform: &'static str, list: Vec<Listed>) -> Self {
        Self {
            platform,
            list: Ok(list),
            default: None,
            over: AtomicBool::new(false),
            over_at: None,
            asked: AtomicU32::new(0),
        }
    }
}

fn never<'a, T>() -> BoxFuture<'a, T>
where
    T: Send + 'a,
{
    Box::pin(std::future::pending())
}

impl Adapter for Fake {
    fn platform(&self) -> &'static str {
        self.platform
    }
    fn default_device(&self) -> Option<String> {
        self.default.map(str::to_owned)
    }
    fn list<'a>(&'a self, _: &'a Budget) -> BoxFuture<'a, Result<Vec<Listed>, Failure>> {
        Box::pin(std::future::ready(self.list.clone()))
    }
    fn facts<'a>(&'a self, _: &'a Pinned, _: &'a Budget) -> BoxFuture<'a, Result<DeviceFacts, Failure>> {
        never()
    }
    fn read<'a>(&'a self, _: &'a Pinned, _: Wants, _: &'a Budget) -> BoxFuture<'a, Result<Read, ReadFailure>> {
        never()
    }
    fn display<'a>(&'a self, _: &'a Pinned, _: &'a Budget) -> BoxFuture<'a, Result<Size, Failure>> {
        never()
    }
    fn screen<'a>(&'a self, _: &'a Pinned, _: &'a Budget) -> BoxFuture<'a, Result<ScreenFacts, Failure>> {
        never()
    }
    fn prepare<'a>(&'a self, _: &'a Pinned, _: Input, _: &'a Budget) -> BoxFuture<'a, Result<Prepared, Failure>> {
        never()
    }
    fn judge(
        &self,
        _: &Pinned,
        _: &Prepared,
        _: Instant,
        _: Result<&Output, &ProcessError>,
    ) -> Result<Accepted, Box<Refused>> {
        Ok(Accepted::default())
    }
    fn installed<'a>(&'a self, _: &'a Pinned, _: &'a str, _: &'a Budget) -> BoxFuture<'a, Result<bool, Failure>> {
        never()
    }
    fn health<'a>(&'a self, _: &'a Budget) -> BoxFuture<'a, Health> {
        never()
    }
    fn is_over<'a>(&'a self, _: &'a Pinned, _: &'a Leftover, _: &'a Budget) -> BoxFuture<'a, bool> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let by_itself = self.over_at.is_some_and(|at| Instant::now() >= at);
        Box::pin(std::future::ready(by_itself || self.over.load(Ordering::Relaxed)))
    }
}

fn listed(platform: &'static str, id: &str, state: &str, connection: u64) -> Listed {
    let usable = matches!(state, "device" | "booted");
    let remedy = (!usable).then(|| format!("mend {state}"));
    Listed { platform, id: id.to_owned(), state: state.to_owned(), usable, remedy, connection, model: None }
}

fn adapter(platform: &'static str, list: Vec<Listed>) -> Arc<dyn Adapter> {
    Arc::new(Fake::new(platform, list))
}

fn budget(ms: u64) -> Budget {
    Budget::new(Duration::from_millis(ms), CancellationToken::new())
}

async fn pin(adapters: &[Arc<dyn Adapter>], platform: Option<&str>, id: Option<&str>) -> Result<Pinned, Failure> {
    let target = Target { platform: platform.map(str::to_owned), device_id: id.map(str::to_owned) };
    resolve(adapters, &target, &budget(1_000)).await.map(|(_, pinned)| pinned)
}

mod resolving {
    use super::*;

    #[tokio::test]
    async fn the_one_usable_device_is_meant_and_a_ghost_beside_it_is_none() {
        let android = [adapter(
            "android",
            vec![listed("android", "ghost", "offline", 1), listed("android", "192.168.1.5:5555", "device", 7)],
        )];
        for id in [None, Some("booted"), Some("default"), Some("192.168.1.5:5555")] {
            let pinned = pin(&android, None, id).await.unwrap();
            assert_eq!(
                (pinned.key.platform, pinned.key.id.as_str(), pinned.connection),
                ("android", "192.168.1.5:5555", 7)
            );
        }
    }

    #[tokio::test]
    async fn serials_with_spaces_match_whole() {
        let id = "adb-R5CT-x (2)._adb-tls-connect._tcp";
        let android = [adapter(
            "android",
            vec![listed("android", id, "device", 3), listed("android", "adb-R5CT-x", "device", 4)],
        )];
        assert_eq!(pin(&android, None, Some(id)).await.unwrap().connection, 3);
    }

    #[tokio::test]
    async fn several_are_ambiguous_and_all_are_named() {
        let both = [
            adapter(
                "android",
                vec![
                    listed("android", "a", "device", 1),
                    listed("android", "b", "device", 2),
                    listed("android", "c", "offline", 3),
                ],
            ),
            adapter("ios", vec![listed("ios", "U-1", "booted", 0)]),
        ];
        let failure = pin(&both, Some("android"), None).await.unwrap_err();
        assert_eq!(failure.code, Code::AmbiguousDevice);
        assert_eq!(
            failure.candidates,
            [serde_json::json!({"id": "a", "state": "device"}), serde_json::json!({"id": "b", "state": "device"})]
        );
        assert_eq!(pin(&both, None, Some("default")).await.unwrap_err().candidates.len(), 3);
        assert_eq!(pin(&both, Some("ios"), None).await.unwrap().key.id, "U-1");
    }

    #[tokio::test]
    async fn none_usable_lists_each_state_with_its_remedy() {
        let android = [adapter(
            "android",
            vec![listed("android", "a", "unauthorized", 1), listed("android", "b", "no permissions", 2)],
        )];
        let failure = pin(&android, None, None).await.unwrap_err();
        assert_eq!(failure.code, Code::DeviceNotFound);
        assert!(failure.message.contains("a (unauthorized)") && failure.message.contains("b (no permissions)"));
        assert_eq!(
            failure.candidates[0],
            serde_json::json!({"id": "a", "state": "unauthorized", "remedy": "mend unauthorized"})
        );
        let nothing = pin(&[adapter("android", vec![])], None, None).await.unwrap_err();
        assert!(nothing.message.contains("nothing is attached"));
    }

    #[tokio::test]
    async fn a_named_device_is_offline_when_unusable_and_not_found_when_not_attached() {
        let android =
            [adapter("android", vec![listed("android", "a", "offline", 1), listed("android", "b", "device", 2)])];
        let offline = pin(&android, None, Some("a")).await.unwrap_err();
        assert_eq!((offline.code, offline.remedy.as_deref()), (Code::DeviceOffline, Some("mend offline")));
        assert!(offline.message.contains("offline"));
        let missing = pin(&android, None, Some("z")).await.unwrap_err();
        assert_eq!((missing.code, missing.candidates.len()), (Code::DeviceNotFound, 2));
    }

    #[tokio::test]
    async fn a_serial_listed_twice_is_the_usable_one_and_two_usable_ones_are_ambiguous() {
        let twice =
            [adapter("android", vec![listed("android", "a", "offline", 1), listed("android", "a", "device", 2)])];
        assert_eq!(pin(&twice, None, Some("a")).await.unwrap().connection, 2);
        let same = [adapter("android", vec![listed("android", "a", "device", 1), listed("android", "a", "device", 2)])];
        assert_eq!(pin(&same, None, Some("a")).await.unwrap_err().code, Code::AmbiguousDevice);
    }

    #[tokio::test]
    async fn the_environments_serial_holds_where_none_is_named() {
        let mut fake =
            Fake::new("android", vec![listed("android", "a", "device", 1), listed("android", "b", "device", 2)]);
        fake.default = Some("b");
        let android: [Arc<dyn Adapter>; 1] = [Arc::new(fake)];
        assert_eq!(pin(&android, None, None).await.unwrap().key.id, "b");
        assert_eq!(pin(&android, None, Some("booted")).await.unwrap().key.id, "b");
        assert_eq!(pin(&android, None, Some("a")).await.unwrap().key.id, "a");
        let mut fake = Fake::new("android", vec![listed("android", "a", "device", 1)]);
        fake.default = Some("z");
        let failure = pin(&[Arc::new(fake)], None, None).await.unwrap_err();
        assert_eq!(failure.code, Code::DeviceNotFound);
        assert!(failure.message.contains("ANDROID_SERIAL"));
    }

    #[tokio::test]
    async fn a_listing_out_of_budget_is_a_timeout_and_never_not_found() {
        let mut slow = Fake::new("android", vec![]);
        slow.list = Err(Failure::new(Code::Timeout, "time ran out while listing devices"));
        let slow: Arc<dyn Adapter> = Arc::new(slow);
        assert_eq!(pin(&[Arc::clone(&slow)], None, None).await.unwrap_err().code, Code::Timeout);
        let both = [slow, adapter("ios", vec![listed("ios", "U-1", "booted", 0)])];
        // The other platform may have one as well; a named one is certain.
        assert_eq!(pin(&both, None, None).await.unwrap_err().code, Code::Timeout);
        assert_eq!(pin(&both, None, Some("U-1")).await.unwrap().key.platform, "ios");
    }

    #[tokio::test]
    async fn a_platform_without_tools_does_not_hide_the_other() {
        let mut without = Fake::new("android", vec![]);
        without.list = Err(Failure::new(Code::ToolNotFound, "program adb was not found"));
        let without: Arc<dyn Adapter> = Arc::new(without);
        let both = [Arc::clone(&without), adapter("ios", vec![listed("ios", "U-1", "booted", 0)])];
        assert_eq!(pin(&both, None, None).await.unwrap().key.id, "U-1");
        assert_eq!(pin(&[without], None, None).await.unwrap_err().code, Code::ToolNotFound);
    }

    #[tokio::test]
    async fn an_unknown_platform_is_an_argument_at_fault() {
        let failure = pin(&[adapter("android", vec![])], Some("symbian"), None).await.unwrap_err();
        assert_eq!((failure.code, failure.member.as_deref()), (Code::InvalidArgument, Some("platform")));
    }
}

mod lanes {
    use super::*;

    fn key(id: &str) -> DeviceKey {
        DeviceKey { platform: "android", id: id.to_owned() }
    }

    fn pinned(id: &str) -> Pinned {
        Pinned { key: key(id), connection: 1, model: None }
    }

    #[tokio::test(start_paused = true)]
    async fn turns_come_in_the_order_of_asking() {
        let lanes = Arc::new(Lanes::default());
        let first = lanes.lane(&key("a")).enter(&budget(1_000)).await.unwrap();
        let (order, mut came) = tokio::sync::mpsc::unbounded_channel();
        for number in 0..4 {
            let (lane, order) = (lanes.lane(&key("a")), order.clone());
            tokio::spawn(async move {
                let turn = lane.enter(&budget(5_000)).await.unwrap();
                order.send((number, turn.queued)).unwrap();
                tokio::time::sleep(Duration::from_millis(100)).await;
            });
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(first);
        for number in 0..4_u32 {
            let (came, queued) = came.recv().await.unwrap();
            assert_eq!(came, number);
            assert!(queued >= Duration::from_millis(50 + 100 * u64::from(number)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn devices_do_not_wait_for_each_other() {
        let lanes = Lanes::default();
        let _a = lanes.lane(&key("a")).enter(&budget(100)).await.unwrap();
        assert_eq!(lanes.lane(&key("b")).enter(&budget(100)).await.unwrap().queued, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_spends_the_budget_and_says_who_holds_it() {
        let lanes = Lanes::default();
        let _turn = lanes.lane(&key("a")).enter(&budget(100)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(700)).await;
        let asked = Instant::now();
        let failure = lanes.lane(&key("a")).enter(&budget(300)).await.unwrap_err();
        assert_eq!((failure.code, asked.elapsed()), (Code::Timeout, Duration::from_millis(300)));
        assert!(
            failure.message.contains("another request of this server has held it for 1000 ms"),
            "{}",
            failure.message
        );
    }

    #[tokio::test(start_paused = true)]
    async fn cancelled_and_dropped_waiters_leave_the_queue() {
        let lanes = Lanes::default();
        let lane = lanes.lane(&key("a"));
        let turn = lane.enter(&budget(100)).await.unwrap();
        let token = CancellationToken::new();
        let cancelled = {
            let (lane, token) = (Arc::clone(&lane), token.clone());
            tokio::spawn(async move { lane.enter(&Budget::new(Duration::from_secs(60), token)).await })
        };
        let dropped = {
            let lane = Arc::clone(&lane);
            tokio::spawn(async move { lane.enter(&budget(60_000)).await })
        };
        tokio::task::yield_now().await;
        token.cancel();
        dropped.abort();
        assert_eq!(cancelled.await.unwrap().unwrap_err().code, Code::Cancelled);
        drop(turn);
        lane.enter(&budget(10)).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_leftover_keeps_the_lane_closed_until_it_is_over() {
        let lanes = Lanes::default();
        let lane = lanes.lane(&key("a"));
        let fake = Arc::new(Fake::new("android", vec![]));
        let left = Instant::now();
        let leftover = Leftover { pid: Some(4711), note: None, until: left + Duration::from_secs(12) };
        lane.enter(&budget(100)).await.unwrap().leave_behind(
            Arc::clone(&fake) as Arc<dyn Adapter>,
            pinned("a"),
            leftover,
        );
        let failure = lane.enter(&budget(1_000)).await.unwrap_err();
        assert!(failure.message.contains("pid 4711") && failure.message.contains("11000 ms"), "{}", failure.message);
        assert!(fake.asked.load(Ordering::Relaxed) >= 3);
        fake.over.store(true, Ordering::Relaxed);
        lane.enter(&budget(1_000)).await.unwrap();
        assert!(left.elapsed() < Duration::from_millis(1_500));
    }

    #[tokio::test(start_paused = true)]
    async fn a_leftover_that_is_never_over_is_bounded() {
        let lanes = Lanes::default();
        let lane = lanes.lane(&key("a"));
        let left = Instant::now();
        let leftover = Leftover { pid: None, note: None, until: left + Duration::from_secs(12) };
        lane.enter(&budget(100)).await.unwrap().leave_behind(adapter("android", vec![]), pinned("a"), leftover);
        lane.enter(&budget(60_000)).await.unwrap();
        assert_eq!(left.elapsed().as_secs(), 12);
    }

    #[tokio::test]
    async fn another_process_is_waited_for_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = (Lanes::advisory_in(folder.path().into()), Lanes::advisory_in(folder.path().into()));
        let id = "adb-x (2)._adb-tls-connect._tcp/../x";
        let turn = theirs.lane(&key(id)).enter(&budget(1_000)).await.unwrap();
        let failure = ours.lane(&key(id)).enter(&budget(100)).await.unwrap_err();
        assert_eq!(failure.code, Code::SlotBusy);
        assert!(failure.message.contains(&format!("(pid {})", std::process::id())), "{}", failure.message);
        let release = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            drop(turn);
        });
        ours.lane(&key(id)).enter(&budget(5_000)).await.unwrap();
        release.await.unwrap();
        // Between turns nothing is held.
        theirs.lane(&key(id)).enter(&budget(100)).await.unwrap();
    }

    #[tokio::test]
    async fn an_unusable_folder_is_no_obstacle() {
        let file = tempfile::NamedTempFile::new().unwrap();
        Lanes::advisory_in(file.path().join("x")).lane(&key("a")).enter(&budget(1_000)).await.unwrap();
    }

    #[test]
    fn the_shared_folder_is_ours_alone() {
        if let Some(folder) = crate::device::lockfile::folder() {
            assert!(folder.is_dir());
        }
    }
}

#[test]
fn a_screenshot_is_known_by_its_id_until_its_device_is_gone() {
    let screens = |session: &str| {
        Screens::new(session.into(), handset_model::snapshot::HistoryLimits::default(), crate::clock::Clock::default())
    };
    let here = screens("0123456789abcdef");
    let pinned =
        |id: &str| Pinned { key: DeviceKey { platform: "android", id: id.to_owned() }, connection: 7, model: None };
    let (device, image) = (Size { width: 1080, height: 2400 }, Size { width: 540, height: 1200 });
    let ids = ["a", "b"].map(|id| here.remember_shot(&pinned(id), device, image, Some(0)));
    assert_ne!(ids[0], ids[1]);
    let shot = here.screenshot(&ids[0]).unwrap();
    assert_eq!((shot.key.id.as_str(), shot.connection, shot.on_device(270.0, 600.0)), ("a", 7, (540.0, 1200.0)));
    assert_eq!(screens("fedcba9876543210").screenshot(&ids[0]), None, "another server's");
    for wrong in ["", "s", "s1", "s1.", "s1.0123", "s9.01234567", "x1.01234567"] {
        assert_eq!(here.screenshot(wrong), None, "{wrong}");
    }
    here.keep_only("android", &[pinned("b").key]);
    assert_eq!((here.screenshot(&ids[0]), here.screenshot(&ids[1]).is_some()), (None, true));
}
