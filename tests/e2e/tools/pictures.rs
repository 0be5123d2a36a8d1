//! Screenshots: one picture that fits, remembered, written where that is allowed; refused where a window is secure.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use crate::support::{Bench, Flavor, Setup, on_each_adb};

/// A call's whole result, its content blocks among it.
async fn called(bench: &Bench, arguments: Value) -> Value {
    let call = json!({ "name": "capture_screenshot", "arguments": arguments });
    bench.client.rpc("tools/call", call).await.expect("a result")
}

/// Whole and decoded.
fn png(answer: &Value) -> image::RgbImage {
    use base64::Engine;
    let block = answer["content"].as_array().unwrap().iter().find(|block| block["type"] == "image").unwrap();
    let bytes = base64::engine::general_purpose::STANDARD.decode(block["data"].as_str().unwrap()).unwrap();
    assert!(bytes.len() < 1_000_000, "{} bytes", bytes.len());
    image::load_from_memory(&bytes).unwrap().into_rgb8()
}

on_each_adb! {
    async fn a_picture_is_scaled_and_shows_what_stands_where_the_tree_says(flavor) {
        let bench = Bench::new("login", flavor).await;
        let raw = called(&bench, json!({})).await;
        let body = &raw["structuredContent"];
        assert_eq!((&body["width"], &body["height"]), (&json!(706), &json!(1568)), "{body:#}");
        assert_eq!(body["resolution"], json!({ "width": 1080, "height": 2400 }));
        let image = png(&raw);
        assert_eq!((image.width(), image.height()), (706, 1568));
        // Inside the button of the scene, above it, and below everything.
        let at = |x: f64, y: f64| image.get_pixel((x * 706.0 / 1080.0) as u32, (y * 1568.0 / 2400.0) as u32).0;
        assert!(at(540.0, 1170.0) != at(540.0, 1080.0) && at(100.0, 1170.0) == at(1000.0, 1170.0));
        bench.phone().goto("welcome");
        let other = png(&called(&bench, json!({})).await);
        assert_ne!(image.as_raw(), other.as_raw(), "another screen is another picture");
    }

    async fn what_a_vendor_prints_before_the_picture_does_no_harm_and_the_panel_that_is_on_is_named(flavor) {
        let bench = Bench::new("login", flavor).await;
        let say = |command: &str, text: &str| {
            let kind = FaultKind::ErrorText { text: text.to_owned(), stderr: false, status: 0 };
            bench.phone().fault(Fault::forever(command, kind));
        };
        say("dumpsys SurfaceFlinger", "Display 111 (HWC display 0): port=0 pnpId=A\nDisplay 222 (HWC display 1): port=1 pnpId=B");
        say("dumpsys display", "  DisplayDeviceInfo{\"Outer\": uniqueId=\"local:111\", 1080 x 2400, state OFF, owner x}\n  DisplayDeviceInfo{\"Inner\": uniqueId=\"local:222\", 1080 x 2400, state ON, owner x}");
        let warning = "[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found.";
        bench.phone().fault(Fault::forever("screencap", FaultKind::Noise { text: warning.to_owned(), stderr: false }));
        let raw = called(&bench, json!({ "maxLongEdge": 600, "format": "jpeg" })).await;
        assert_eq!(png(&raw).height(), 600);
        let commands = bench.phone().journal().commands();
        let taken = commands.iter().find(|entry| entry.argv[0] == "screencap").unwrap();
        assert_eq!(taken.argv, ["screencap", "-p", "-d", "222"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secure_window_is_named_and_a_dark_one_is_only_uniform() {
    let bench = Bench::new("login", Flavor::best()).await;
    bench.phone().set_awake(false);
    let answer = bench.call("capture_screenshot", json!({})).await.fine();
    assert_eq!(answer["uniform"], true, "a display that is off is no secure window");
    bench.phone().set_awake(true);
    bench.phone().fault(Fault::now(FaultKind::SecureWindow));
    let answer = bench.call("capture_screenshot", json!({})).await.refused("SECURE_WINDOW", None);
    assert!(answer["/error/remedy"].as_str().unwrap().contains("get_ui_tree"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_written_inside_the_operators_folder_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let shots = folder.path().join("shots");
    std::fs::create_dir(&shots).unwrap();
    let config = format!("[screenshots]\nfolder = {:?}\n", shots.to_str().unwrap());
    let bench = Setup::new("login", Flavor::StandIn).server(|server| server.config = Some(config)).start().await;
    let answer = bench.call("capture_screenshot", json!({ "savePath": "a/login.png" })).await.fine();
    let saved = std::fs::read(shots.join("a/login.png")).unwrap();
    assert!(saved.starts_with(b"\x89PNG") && answer["savedTo"].as_str().unwrap().ends_with("a/login.png"));
    bench.call("capture_screenshot", json!({ "savePath": "a/login.png" })).await.fine();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), shots.join("out")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("target.png"), shots.join("link.png")).unwrap();
    for path in ["../x.png", "/tmp/x.png", "a/../../x.png", "a.txt", "", "out/x.png", "link.png"] {
        bench
            .call("capture_screenshot", json!({ "savePath": path }))
            .await
            .refused("INVALID_ARGUMENT", Some("savePath"));
    }
    let mut left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["shots"], "nothing was written outside");
    let plain = Bench::new("login", Flavor::StandIn).await;
    let answer = plain.call("capture_screenshot", json!({ "savePath": "x.png" })).await;
    assert!(
        answer.refused("INVALID_ARGUMENT", Some("savePath"))["/error/remedy"]
            .as_str()
            .unwrap()
            .contains("[screenshots]")
    );
}
