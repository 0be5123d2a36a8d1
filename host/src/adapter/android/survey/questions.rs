//! What a device is asked, as a table: the very lines the adapter greps, and what tells one device from another.

use super::super::facts::{ACTIVITY_LINES, KEYBOARD, POLICY, POWER, WINDOW_LINES};

/// One question: its name in the report and its command, `$t ` standing for what bounds it.
pub(super) type Question = (&'static str, &'static str);

/// Questions whose words are the answer.
pub(super) const QUESTIONS: &[Question] = &[
    ("size", "$t wm size 2>&1"),
    ("density", "$t wm density 2>&1"),
    ("activity", ACTIVITY_LINES),
    ("window", WINDOW_LINES),
    ("display", "$t dumpsys window displays | grep cur="),
    ("turned", "$t dumpsys input | grep SurfaceOrientation"),
    ("keyboard", KEYBOARD),
    ("power", POWER),
    ("policy", POLICY),
    ("displays", "$t dumpsys SurfaceFlinger --display-id 2>&1"),
    ("keyboards", "$t ime list -s 2>&1"),
    ("keyboard_chosen", "$t settings get secure default_input_method 2>&1"),
    ("user", "$t am get-current-user 2>&1"),
    ("package_path", "$t pm path android 2>&1"),
    (
        "launcher",
        "$t cmd package resolve-activity --brief --user 0 -a android.intent.action.MAIN -c android.intent.category.LAUNCHER com.android.settings 2>&1",
    ),
    ("missing_command", "handset-no-such-command 2>&1"),
    // A log holds what apps say: only what is said against a format is kept.
    ("log_threadtime", "$t logcat -d -t 1 -v threadtime 2>&1 >/dev/null"),
    ("log_epoch", "$t logcat -d -t 1 -v threadtime -v epoch 2>&1 >/dev/null"),
    ("log_uid", "$t logcat -d -t 1 -v threadtime -v epoch -v uid 2>&1 >/dev/null"),
    ("log_of_uid", "$t logcat -d -t 1 -v threadtime --uid 0 2>&1 >/dev/null"),
    ("boot_id", "{ read b </proc/sys/kernel/random/boot_id; } 2>/dev/null"),
];

/// Programs whose absence changes what Handset does.
pub(super) const COMMANDS: &[&str] = &[
    "am",
    "cat",
    "cmd",
    "content",
    "date",
    "dumpsys",
    "getprop",
    "grep",
    "head",
    "ime",
    "input",
    "kill",
    "logcat",
    "monkey",
    "pidof",
    "pm",
    "ps",
    "rm",
    "screencap",
    "settings",
    "sleep",
    "svc",
    "timeout",
    "uiautomator",
    "wm",
];

/// Properties that say what the device is; none says whose it is.
pub(super) const PROPERTIES: &[(&str, &str)] = &[
    ("release", "ro.build.version.release"),
    ("sdk", "ro.build.version.sdk"),
    ("patch", "ro.build.version.security_patch"),
    ("kind", "ro.build.type"),
    ("traits", "ro.build.characteristics"),
    ("debuggable", "ro.debuggable"),
    ("maker", "ro.product.manufacturer"),
    ("brand", "ro.product.brand"),
    ("model", "ro.product.model"),
    ("product", "ro.product.name"),
    ("device", "ro.product.device"),
    ("abi", "ro.product.cpu.abi"),
    ("density", "ro.sf.lcd_density"),
    ("qemu", "ro.kernel.qemu"),
    ("bootqemu", "ro.boot.qemu"),
    ("miui", "ro.miui.ui.version.name"),
    ("hyperos", "ro.mi.os.version.name"),
    ("oneui", "ro.build.version.oneui"),
    ("emui", "ro.build.version.emui"),
    ("coloros", "ro.build.version.opporom"),
    ("oxygen", "ro.oxygen.version"),
    ("vivo", "ro.vivo.os.version"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_question_has_the_name_of_another_or_of_what_a_line_says_anyway() {
        let mut names: Vec<&str> = QUESTIONS.iter().map(|(name, _)| *name).collect();
        names.extend(["begun", "boot"]);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
