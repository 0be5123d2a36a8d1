//! What each parser takes as it stands: what the damage is done to.

use std::path::{Path, PathBuf};

/// Longer captures are slow to try a thousand times, and hold nothing that shorter ones do not.
const LONGEST_CAPTURE: u64 = 28 << 10;

/// Inputs that a parser takes.
pub(crate) fn of(name: &str) -> Vec<Vec<u8>> {
    texts(name).into_iter().map(unescaped).collect()
}

/// Inputs to begin with: those, and the real captures of its kind.
pub(crate) fn seeds(name: &str) -> Vec<Vec<u8>> {
    let mut seeds = of(name);
    match name {
        "journey_plan" => seeds.push(STEPS.into()),
        "precondition" => seeds.push(PRECONDITION.into()),
        _ => {}
    }
    for folder in captures(name) {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let short = files.into_iter().filter(|file| file.metadata().is_ok_and(|meta| meta.len() <= LONGEST_CAPTURE));
        seeds.extend(short.map(|file| std::fs::read(file).unwrap()));
    }
    if name == "phone_scene" {
        let scenes = root().join("../scenes");
        seeds.extend(
            ["login.toml", "counter.toml", "dialogs.toml"].map(|file| std::fs::read(scenes.join(file)).unwrap()),
        );
    }
    seeds
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("fixtures/captures")).find(|folder| folder.is_dir()).unwrap()
}

fn captures(name: &str) -> &'static [&'static str] {
    match name {
        "tree_dump" | "tree_text" => &["android", "commands/uiautomator_dump"],
        "device_list" => &["commands/adb_devices"],
        "adb_error" | "adb_said" => &["commands/adb_errors", "commands/adb_devices"],
        "dump_error" => &["commands/uiautomator_dump", "commands/monkey"],
        "input_output" => &["commands/input_errors", "commands/monkey"],
        "am_start" => &["commands/am_start", "commands/monkey"],
        "install_output" => &["commands/adb_install"],
        "managing_output" => &["commands/pm_clear", "commands/pm_grant"],
        "user_list" => &["commands/pm_list_users"],
        "resolved_activity" | "launcher_output" => &["commands/cmd_package_resolve"],
        "resumed_activity" => &["commands/dumpsys_activity", "commands/dumpsys_window", "dumpsys"],
        "field_focused" | "keyboard_shown" => &["commands/dumpsys_input_method"],
        "process_state" => &["commands/dumpsys_activity"],
        "screen_state" => &["commands/dumpsys_power", "commands/dumpsys_window"],
        "logcat" => &["commands/logcat", "commands/am_anr_events"],
        "crash_report" => &["commands/am_anr_events", "commands/logcat"],
        "activity_dump" => &["commands/dumpsys_activity"],
        "window_dump" => &["commands/dumpsys_window", "dumpsys"],
        "capture_file" => {
            &["commands/adb_devices", "commands/dumpsys_window", "commands/logcat", "commands/adb_errors"]
        }
        "display_ids" => &["commands/dumpsys_SurfaceFlinger"],
        "network_log" => &["commands/logcat"],
        "screencap_output" => &["commands/screencap"],
        "wm_size" | "device_facts" => &["commands/wm"],
        _ => &[],
    }
}

/// `\xNN` and `\0` as the bytes they stand for.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\x") {
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(&after[..2], 16).unwrap());
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

const DUMP: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="com.app" content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[0,0][1080,1920]"><node text="Sign &amp; in 12:30" resource-id="com.app:id/login" class="android.widget.Button" package="com.app" clickable="true" enabled="true" bounds="[40,100][1040,220]" /><node text="secret" class="android.widget.EditText" password="true" focused="true" bounds="[40,300][1040,420]" /><node text="63%" class="android.widget.SeekBar" bounds="[0,500][1080,560]"/></node></hierarchy>"#;
const WINDOWS: &str = r#"<displays><display id="0"><window index="0" id="1" title="App" type="TYPE_APPLICATION" layer="2" active="true" bounds="[0,0][1080,1920]"><hierarchy rotation="1"><node text="A" class="android.widget.TextView" package="com.app" bounds="[0,0][100,50]"/></hierarchy></window><window title="Keys" type="TYPE_INPUT_METHOD" layer="3" bounds="[0,1200][1080,1920]"><hierarchy rotation="0"><node text="q" class="android.widget.Button" package="ime" bounds="[0,1200][100,1300]"/></hierarchy></window></display></displays>"#;
const TWO: &str = r#"<hierarchy><node text="a" class="android.widget.Button" resource-id="a:id/a" bounds="[0,0][9,9]"><node text="b" bounds="[1,1][5,5]"/></node></hierarchy>\x00<hierarchy><node text="A!" class="android.widget.Button" resource-id="a:id/a" clickable="true" bounds="[0,0][9,9]"/><node text="c" bounds="[1,1][5,5]"/></hierarchy>"#;
const STEPS: &str = r#"[{"id":"a","type":"tap","selector":{"text":"Login"}},{"id":"b","type":"assert","condition":"visible","selector":{"resource_id":"x","within":{"role":"list"}},"timeoutMs":4000},{"id":"c","type":"type_text","text":"hi"},{"id":"d","type":"wait","ms":10},{"id":"e","type":"swipe","x1":1,"y1":2,"x2":3,"y2":4},{"id":"f","type":"press_back"},{"id":"g","type":"wait_for_readiness"},{"id":"h","type":"start_app","appId":"com.app"}]"#;
const PRECONDITION: &str = r#"{"all":[{"predicate":"text-present","args":{"text":"a"}},{"not":{"any":[{"predicate":"element-visible","args":{"selector":{"text":"b"}}}]}}],"timeoutMs":500}"#;
const SCHEMA: &str = r##"{"type":"object","additionalProperties":false,"required":["user"],"properties":{"user":{"type":"string","maxLength":9,"pattern":"^[a-z]+$"},"fields":{"type":"array","items":{"$ref":"#/$defs/field"}},"mode":{"enum":["a","b"]}},"$defs":{"field":{"type":"object","properties":{"id":{"type":"string"},"inner":{"$ref":"#/$defs/field"}}}}}"##;
const MANIFEST: &str = "name = \"login-flow\"\nversion = \"1.0.0\"\ncomponent = \"guest.wasm\"\nsha256 = \"24eaf3439a60c96764c4f2c92a0a81b52bd4fe5d5b91f090184a0f6486b1bf29\"\nwit = \"handset:plugin@0.1.0\"\n\n[requests]\ngrants = [\"observe\", \"input:tap_element\"]\n\n[limits]\nmemory_mib = 64\n";
const SCENE: &str = "[device]\nsize = \"1080x2400\"\nsdk = 34\n\n[app]\npackage = \"com.app\"\nstart = \"main\"\n\n[vars]\nn = \"0\"\n\n[[screen]]\nname = \"main\"\n[[screen.element]]\nclass = \"Button\"\nrid = \"go\"\ntext = \"Go {n}\"\nbounds = [0, 1000, 1080, 1400]\ntap = [{ inc = \"n\" }, { after = 50, goto = \"main\", push = true }]\n[[screen.element]]\nclass = \"TextView\"\ntext = \"row {n}\"\nbounds = [0, 100, 1080, 200]\nrepeat = { count = 3, step = 100 }\n";
const PICTURE: &str = r"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02\x00\x00\x00\x02\x08\x02\x00\x00\x00\xfd\xd4\x9a\x73\x00\x00\x00\x19\x49\x44\x41\x54\x78\x01\x01\x0e\x00\xf1\xff\x00\x01\x02\x03\x01\x02\x03\x00\x01\x02\x03\x01\x02\x03\x00\xae\x00\x19\x52\xd5\x5d\xed\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";
const UNSUMMED: &str = r"OPEN\x01\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\xb0\xaf\xba\xb1shell:OKAY\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xb0\xb4\xbe\xa6";
const WIRE: &str = r"CNXN\x00\x00\x00\x01\x00\x10\x00\x00\x06\x00\x00\x00\x32\x02\x00\x00\xbc\xb1\xa7\xb1host::";

fn texts(name: &str) -> Vec<&'static str> {
    match name {
        "tree_dump" | "tree_text" => vec![DUMP, WINDOWS],
        "tree_delta" => vec![TWO],
        "selector" => vec![
            r#"{"text":"Login"}"#,
            r#"{"resource_id":"com.app:id/login","contains":true,"role":"button","state":{"enabled":true,"checked":false,"expanded":null},"within":{"resource_id":"list","within":{"accessibility_id":"x"}}}"#,
        ],
        "fingerprint" => vec![
            "Battery 63% at 12:30 pm",
            "since Mon, 3 Feb 2025",
            "更新 3月5日 周一 12:30",
            "12/05/2024 - v1.2.3 (4)",
            "1 234,5 km",
        ],
        "member_pointer" => vec!["/steps/2/args/a~1b~0c", "/0/x"],
        "code_name" => vec!["ELEMENT_NOT_FOUND", "UNKNOWN", "TIMEOUT"],
        "device_list" => vec![
            "List of devices attached\nemulator-5554          device product:sdk model:Pixel_7 device:panther transport_id:1\nR5CT\tunauthorized\n192.168.1.5:5555 offline transport_id:2\nX no permissions (user in plugdev); see [http://d] usb:1-1 transport_id:3\n",
        ],
        "adb_error" => vec![
            "error: device offline\n",
            "adb: device 'x' not found\n",
            "* daemon not running\nerror: device unauthorized.\n",
        ],
        "dump_error" => vec![
            "ERROR: could not get idle state.\n",
            "Killed \n",
            "java.lang.NullPointerException: x\n\tat a.B.c(D.java:1)\nCaused by: e.F\n\t... 3 more\n",
            "cat: /data/local/tmp/x: No such file or directory\n",
        ],
        "input_output" => vec![
            "java.lang.SecurityException: Injecting requires INJECT_EVENTS permission\n\tat a.B\n",
            "Exception occurred while executing 'text':\njava.lang.NullPointerException: Attempt to get length of null array\n",
            "Error: Unknown command: tpa\n",
        ],
        "am_start" => vec![
            "Starting: Intent { cmp=com.app/.Main }\nStatus: ok\nLaunchState: COLD\nActivity: com.app/.Main\nTotalTime: 312\nWaitTime: 320\nComplete\n",
            "Starting: Intent { cmp=com.app/.Main }\nWarning: Activity not started, its current task has been brought to the front\nStatus: ok\n",
        ],
        "install_output" => vec![
            "Performing Streamed Install\nSuccess\n",
            "adb: failed to install a.apk: Failure [INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #28]\n",
            "\tpkg: /data/local/tmp/a.apk\nFailure [INSTALL_PARSE_FAILED_NO_CERTIFICATES]\n",
            "Error: Could not access the Package Manager. Is the system running?\n",
        ],
        "managing_output" => vec![
            "Success\n",
            "Operation not allowed: java.lang.SecurityException: Permission X is not a changeable permission type\n",
            "\nException occurred while executing 'grant':\njava.lang.IllegalArgumentException: Unknown package: a.b\n\tat a.B.c(D.java:1)\n",
        ],
        "console_output" => vec!["OK\n", "KO: bad command\n", "OK: killing emulator, bye bye\n"],
        "user_list" => vec!["Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:aa:bb:410}\n"],
        "resolved_activity" => {
            vec!["priority=0 preferredOrder=0 match=0x108000\ncom.app/.Main\n", "com.app/com.app.Main$X\n"]
        }
        "resumed_activity" => vec![
            "  topResumedActivity=ActivityRecord{35dbb2a u0 com.app/.Main t27}\n",
            "  mCurrentFocus=null\n  mCurrentFocus=Window{1f u0 com.app/com.app.Main}\n",
            "  Window #1 Window{a u0 com.app/.A}:\n    mAttrs=WM.LayoutParams{ ty=1 fl}\n    mHasSurface=true layer=21010 \n",
        ],
        "field_focused" => vec![
            "  mInputShown=false\n  mServedView=null\n  mServedInputConnection=null\n",
            "mServedView=android.widget.EditText{1 VFED..CL. .F...... 0,0-1,1}\nmServedInputConnectionWrapper=null\nmInputShown=false",
        ],
        "keyboard_shown" => vec!["  mShowRequested=true mInputShown=true\n", "mIsInputViewShown=false\n"],
        "process_state" => vec![
            "  *APP* UID 10150 ProcessRecord{6c10264 1546:com.app:work/u0a150}\n    debugging=true notResponding=true\n",
            "Name:\tapp\nState:\tt (tracing stop)\nPid:\t4242\nPPid:\t310\nTracerPid:\t77\n",
        ],
        "screen_state" => vec![
            "mWakefulness=Awake\n",
            "KeyguardServiceDelegate\n  showing=true\n  occluded=false\n",
            "mScreenOn=false mShowingLockscreen=true",
        ],
        "wm_size" => vec!["Physical size: 1080x2400\nOverride size: 720x1600\n", "Physical size: 1080x2400"],
        "logcat" => vec![
            "--------- beginning of main\n06-05 06:14:51.709  1712  1712 E AndroidRuntime: FATAL EXCEPTION: main\n06-05 06:14:51.709  1712  1712 E AndroidRuntime: java.lang.NullPointerException: x\n06-05 06:14:51.709  1712  1712 E AndroidRuntime: \tat com.app.A.b(A.java:1)\n",
            "[ 03-25 23:53:27.339   747:  990 D/EGL ]\none\ntwo\n\n",
            "I/tag(  188): said\n",
        ],
        "log_time" => {
            vec!["06-05 06:14:51.709 x", "2024-06-05 06:14:51.709123 +0200 x", "  1700000000.123 x", " 12.500 x"]
        }
        "crash_report" => vec![
            "java.lang.Exception: a\nb\n\tat com.app.A.b(A.java:1)\nCaused by: java.io.IOException\n\tat c.d(D.kt:2)\n",
            "*** *** *** *** ***\npid: 1, tid: 2, name: x  >>> com.app <<<\nsignal 11 (SIGSEGV), code 1\nbacktrace:\n  #00 pc 01 /data/a.so\n",
        ],
        "activity_dump" => vec![
            "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\nDisplay #0 (activities from top to bottom):\n  * Task{c5 #8 type=standard A=10149:com.app U=0 visible=true mode=fullscreen sz=1}\n    * Hist #0: ActivityRecord{6d u0 com.app/.Main t8}\n      state=RESUMED\n  ResumedActivity: ActivityRecord{6d u0 com.app/.Main t8}\n",
        ],
        "network_log" => vec![
            "D/OkHttp  ( 9): --> POST https://a.b/c?d=e h2\nD/OkHttp  ( 9): <-- 200 https://a.b/c?d=e (123ms, 45-byte body)\n",
            "I/a( 9): GET https://a.b/c 204 12 ms\nD/okhttp( 9): --> GET http://x.y/z\nD/okhttp( 9): <-- HTTP FAILED: java.net.SocketTimeoutException: timeout\n",
        ],
        "screencap_output" => vec![PICTURE],
        "display_ids" => vec![
            "Display 4619827259835644672 (HWC display 0): port=0 pnpId=GGL\n",
            "  DisplayDeviceInfo{\"Built-in Screen\": uniqueId=\"local:4619827259835644672\", 1080 x 2400, state ON, owner x}\n",
        ],
        "window_dump" => vec![
            "WINDOW MANAGER WINDOWS (dumpsys window windows)\n  Window #0 Window{41de u0 com.app/com.app.Main}:\n    mDisplayId=0 package=com.app\n    mAttrs={(0,0)(fillxfill) ty=BASE_APPLICATION\n      fl=SECURE}\n    Frames: frame=[0,0][1080,2400] last=[0,0][0,0]\n    isVisible=true\n  Display: mDisplayId=0\n    init=1080x2400 420dpi cur=1080x2400\n  mCurrentFocus=Window{41de u0 com.app/com.app.Main}\n  mRotation=1\n",
        ],
        "capture_file" => vec!["List of devices attached\na\tdevice\n", "[a]: [b]\n", "I/tag(  188): said\n"],
        "getprop" => vec!["[ro.product.model]: [Pixel 7]\n[ro.multi]: [a\nb\n\nc]\n[empty]: []\n"],
        "build_output" => vec![
            "> Task :app:compileDebugKotlin FAILED\ne: file:///p/app/src/Main.kt:12:5 Unresolved reference: foo\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':app:x'.\n> Compilation error\n\n* Try:\n",
            "Task 'assembleFree' not found in project ':app'. Some candidates are: 'assemble', 'assembleFreeDebug'.\n",
            "/p/values.xml:3:5-20: AAPT: error: duplicate value\nlib/main.dart:12:5: Error: Expected ';' after this.\n",
        ],
        "quoted_word" => vec!["it's $HOME; `rm`", "", "a'b''c\\", "-n 'é😀\n%s*?[~"],
        "shell_reply" => vec![
            "@0123456789abcdef.begun.0\nabc\n@0123456789abcdef.boot.0\n<hierarchy/>\n@0123456789abcdef.tree.-1\r\nrest",
        ],
        "input_said" => vec![
            "handset:stroke:1:4711\nok\nhandset:stroke:2:4712\nError\nhandset:done:255\n",
            "noise\nhandset:stroke:7:12\n",
        ],
        "app_id" => vec!["com.example.app", "com.example.app/.Main$Inner", "com.a_b.C9/com.a.B_"],
        "managing_words" => vec!["android.permission.CAMERA", "https://example.com/a?b=c%20d#e", "myapp://open/'x'"],
        "launcher_output" => vec![
            "2 activities found:\n  com.acme.shop/leakcanary.X\n  com.acme.shop/.Main\n",
            "package:com.acme.shop.debug\npackage:com.android.settings\n",
        ],
        "device_facts" => {
            vec!["WARNING: linker: x\n=Pixel = 8\r\n", "init=1080x2400 420dpi cur=2400x1080 app=1080x2337"]
        }
        "adb_said" => vec![
            "Android Debug Bridge version 1.0.41\nVersion 35.0.2-12147458\n",
            "* daemon not running; starting now at tcp:5037\n* daemon started successfully\n",
            "error: device offline\n",
        ],
        "typed_text" => vec!["100%s off, it's $HOME\n\tdone\r\n", "% s%%s%s", "-d 1 ~#;'\"$(x)`\\&|<>*?[]{}!^"],
        "element_id" => vec!["$1", "$3", "2@1"],
        "plugin_manifest" => vec![MANIFEST],
        "plugin_grant" => {
            vec!["observe", "input:tap_element", "lifecycle:start_app", "logs:get_logs", "files:/data/x y"]
        }
        "plugin_schema" => vec![
            SCHEMA,
            r#"{"type":"object"}"#,
            r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"number","minimum":0}]},"b":{"items":{"type":"object","properties":{"b":{"const":1}}}}}}"#,
        ],
        "plugin_arguments" => {
            vec![r#"{"user":"anna","tries":3,"mode":"a","fields":[{"id":"x","inner":{"id":"y"}}]}"#, r#"{"user":""}"#]
        }
        "plugin_text" => vec![
            "plain text",
            "\u{1b}[31mred\u{1b}[0m\ta\nb \u{1b}]0;title\u{7}c",
            r#"{"a\n":["x\ny",{"b":"z"}]}"#,
            "\u{202e}gnp.exe",
        ],
        "plugin_name" => vec!["login-flow", "a", "a1-b2"],
        "plugin_component" => Vec::new(),
        "cache_entry" => vec!["\x00compiled code", "-0123456789abcdef\x00x"],
        "tool_arguments" => vec![
            "tap\n{\"x\":1,\"y\":2.0,\"verificationMode\":\"none\",\"actionTimeoutMs\":1e300}",
            "tap_element\n{\"selector\":{\"text\":\"a\",\"state\":{\"checked\":true}},\"waitFor\":{\"condition\":\"visible\",\"match\":{\"index\":0}},\"expectedState\":{\"snapshotSessionId\":\"a\",\"snapshotRevision\":3},\"precondition\":{\"all\":[{\"predicate\":\"text-present\",\"args\":{}}]}}",
            "wait_for_ui\n{\"selector\":{\"role\":\"button\"},\"timeout_ms\":500,\"retry\":{\"max_attempts\":2,\"backoff_ms\":0},\"match\":{\"index\":1}}",
            "run_journey\n{\"platform\":\"android\",\"steps\":[{\"id\":\"a\",\"type\":\"tap\"}],\"defaults\":{\"actionTimeoutMs\":-1}}",
            "expect_state\n{\"selector\":{\"text\":\"a\"},\"property\":\"checked\",\"expected\":true}",
            "get_ui_tree\n{\"deviceId\":\"a\",\"sinceSnapshotRevision\":4,\"format\":\"text\",\"scope\":{\"text\":\"b\"},\"interactiveOnly\":true,\"maxElements\":5,\"offset\":0}",
            "list_devices\n{\"platform\":\"ios\",\"appId\":\"a\"}",
            "list_plugins\nnull",
            "swipe\n{\"x1\":0,\"y1\":1,\"x2\":2,\"y2\":3,\"duration\":300}",
            "type_text\n{\"text\":\"a\"}",
            "start_app\n{\"appId\":\"com.a.b\"}",
            "wait_for_readiness\n{\"state\":\"debugger_paused\",\"timeoutMs\":100}",
            "get_readiness\n{\"samples\":2,\"stabilityMs\":100}",
            "expect_element_visible\n{\"element_id\":\"e1.2.3\",\"timeout_ms\":100}",
            "press_back\n{}",
        ],
        "tool_name" => vec!["tap_element", "get_ui_tree"],
        "config_toml" => vec![
            "plugin_dirs = [\"/a\"]\n[android]\nadb = [\"handset\", \"phone\", \"adb\"]\n[plugins.login-flow]\nenabled = true\ngrants = [\"observe\"]\nsettings = { user = \"x\", n = 1 }\nlimits = { memory_mib = 32 }\n",
            "[android]\nadb = \"/usr/bin/adb\"\n",
            "",
        ],
        "tools_profile" => vec!["core", "all", "observe, interact,system", "manage"],
        "journey_plan" => vec![r#"[{"id":"f","type":"press_back"}]"#],
        "precondition" => vec![r#"{"predicate":"text-present","args":{"text":"a"},"timeoutMs":500}"#],
        "rpc_lines" => vec![
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"list_plugins\",\"arguments\":{}}}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{\"name\":\"tap\",\"arguments\":{\"x\":1}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"x\"}}\n",
            "[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}]",
        ],
        "phone_wire" => vec![WIRE, UNSUMMED, UNSUMMED],
        "phone_packets" => vec!["\x00\x03\x00\x00\x00abc\x01\x00\x00\x00\x00\x03\x01\x00\x00\x00\x07"],
        "phone_shell" => vec![
            "A='x  y'; printf '<%s>' \"$A\" ${B:-d e} ${A##*x} $(echo `date`) $((1+2*(3))) | grep -E 'a|b' >/dev/null 2>&1 && echo ok || exit 1",
            "for i in 1 2; do if [ $i -eq 2 ]; then continue; fi; echo $i; done\nwhile read l; do case $l in a*|b) echo \"$l\" ;; *) ;; esac; done < f\n(a; b) & wait $!",
            "t='timeout 2'; { sleep 2; kill $w; } </dev/null >/dev/null 2>&1 & k=$!; wait $w; r=$?; kill -9 $k 2>/dev/null; ${t} true || eval 'x=1'",
        ],
        "phone_arith" => vec!["1 + 2 * (x - 3) % 5", "-(4 == 4) && !y || $z <= 7"],
        "phone_glob" => vec!["a*[!x-z]?\x00abcd", "*\x00"],
        "phone_printf" => vec!["<%s>%5d|%-4x|%%\\n\\t\\x41\\101%b%c\x00a\x0012\x00255\x00\\n\x00z", "%s\\n\x00a\x00b"],
        "phone_path" => vec!["../x/./y//z", "/storage/emulated/0/a", "~"],
        "phone_grep" => vec!["^a.*c\\.$\x00axxc.", "mFocused\x00 mFocusedApp"],
        "phone_scene" => vec![SCENE],
        "phone_report" => vec![REPORT],
        "phone_control" => vec![
            "{\"cmd\":\"set\",\"element\":\"title\",\"field\":\"text\",\"value\":\"Hi\"}\n{\"cmd\":\"journal\"}",
            "{\"cmd\":\"fault\",\"on\":\"dump\",\"times\":\"forever\",\"kind\":\"cut-output\",\"bytes\":300}\n{\"cmd\":\"on-dump\",\"n\":3,\"moment\":\"before\",\"screen\":\"welcome\"}",
            "{\"cmd\":\"fault\",\"on\":\"now\",\"kind\":\"offline\",\"ms\":50}\n{\"cmd\":\"fault\",\"on\":\"now\",\"kind\":\"slot-busy\",\"ms\":500}\n{\"cmd\":\"screen\"}",
            "{\"cmd\":\"fault\",\"on\":\"now\",\"kind\":\"huge-tree\",\"nodes\":30}\n{\"cmd\":\"set\",\"element\":\"title\",\"field\":\"bounds\",\"value\":[1,2,3,4]}\n{\"cmd\":\"replug\"}",
        ],
        "standin_banner" => vec![
            "device::ro.product.name=a;ro.product.model=b;ro.product.device=c;ro.simphone.plug=3;features=shell_v2,cmd",
        ],
        "standin_words" => {
            vec!["--phones\x00127.0.0.1:1=a,127.0.0.1:2\x00-s\x00a\x00-t3\x00shell\x00ls -l", "-d\x00devices\x00-l"]
        }
        _ => Vec::new(),
    }
}

const REPORT: &str = r#"schema = 1
handset = "0.1.0"
adb = "35.0.2"
features = ["shell_v2", "cmd"]
front = "com.android.settings/.Settings"

[properties]
"ro.build.version.sdk" = "23"
"ro.product.model" = "Nexus 5"

[commands]
timeout = false
ime = true

[latency.dump]
count = 3
min_ms = 1900.5
median_ms = 2000.0
max_ms = 2100.0

[dumps.stock]
asked = "uiautomator dump FILE"
words = "UI hierchary dumped to: FILE"
tree = true
nodes = 40

[answers.activity]
asked = "dumpsys activity activities"
status = 0
text = "  mFocusedActivity: ActivityRecord{0000000 u0 com.android.settings/.Settings t8}"

[answers.keyboard]
asked = "dumpsys input_method"
status = 0
text = "  mShowRequested=false mInputShown=false"

[answers.size]
asked = "wm size"
status = 0
text = """Physical size: 1080x1920
Override size: 720x1280"""

[answers.power]
asked = "dumpsys power"
failed = "TIMEOUT"
text = ""
"#;
