//! Which classes, roles and ids are loaders: tables, and the functions that read them.
//!
//! The signals' names begin with the `loading_state` signal they stand for: `progress-indicator`,
//! `spinner`, `busy-indicator`, `skeleton`, `loading-indicator`.

/// The ends of simple class names, lower-cased; the first that fits counts.
pub const CLASSES: &[(&str, &str)] = &[
    ("progressbar", "progress-indicator"),
    ("progressindicator", "progress-indicator"),
    ("progressview", "progress-indicator"),
    ("progresswheel", "progress-indicator"),
    ("progresscircle", "progress-indicator"),
    ("progressring", "progress-indicator"),
    ("activityindicator", "busy-indicator"),
    ("activityindicatorview", "busy-indicator"),
    ("busyindicator", "busy-indicator"),
    ("spinkitview", "spinner"),
    ("loadingspinner", "spinner"),
    ("progressspinner", "spinner"),
    ("spinnerview", "spinner"),
    ("loadingindicator", "loading-indicator"),
    ("loadingindicatorview", "loading-indicator"),
    ("loadingview", "loading-indicator"),
    ("loaderview", "loading-indicator"),
    ("shimmer", "skeleton"),
    ("shimmerlayout", "skeleton"),
    ("shimmerframelayout", "skeleton"),
    ("shimmerview", "skeleton"),
    ("skeleton", "skeleton"),
    ("skeletonlayout", "skeleton"),
    ("skeletonview", "skeleton"),
];

/// Roles, lower-cased, letters only.
///
/// `spinner` is not among them: on Android it is a drop-down list.
pub const ROLES: &[(&str, &str)] = &[
    ("progress", "progress-indicator"),
    ("progressbar", "progress-indicator"),
    ("progressindicator", "progress-indicator"),
    ("axprogressindicator", "progress-indicator"),
    ("busyindicator", "busy-indicator"),
    ("axbusyindicator", "busy-indicator"),
    ("activityindicator", "busy-indicator"),
    ("loadingspinner", "spinner"),
    ("loadingindicator", "loading-indicator"),
    ("skeleton", "skeleton"),
];

/// What each class and role of the tables holds one of: what the host looks for.
pub const STEMS: &[&str] = &[
    "progress",
    "indicator",
    "spinkit",
    "spinner",
    "loadingview",
    "loaderview",
    "shimmer",
    "skeleton",
];

/// The same for ids.
pub const ID_STEMS: &[&str] = &["shimmer", "skeleton", "spinner", "indicator"];

/// Words of resource ids that make a guess; all of a row's words must be there.
pub const ID_WORDS: &[(&[&str], &str)] = &[
    (&["shimmer"], "skeleton"),
    (&["skeleton"], "skeleton"),
    (&["loading", "spinner"], "spinner"),
    (&["progress", "spinner"], "spinner"),
    (&["loading", "indicator"], "loading-indicator"),
];

/// Words of an id or class that make a bar with a value part of a player or a gauge, not a loader.
pub const GAUGE_WORDS: &[&str] = &[
    "audio", "battery", "exo", "gauge", "goal", "level", "media", "playback", "player", "quota",
    "rating", "seek", "song", "storage", "track", "video", "volume",
];

/// The signal of a class or role, when it is a loader's.
pub fn native(class_name: &str, role: Option<&str>) -> Option<&'static str> {
    let simple = class_name
        .rsplit(['.', '$'])
        .next()
        .unwrap_or(class_name)
        .to_lowercase();
    let by_class = CLASSES.iter().find(|(end, _)| simple.ends_with(end));
    let by_role = || {
        let role: String = role?
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphabetic())
            .collect();
        ROLES.iter().find(|(name, _)| role == *name)
    };
    by_class.or_else(by_role).map(|&(_, signal)| signal)
}

/// The signal an id suggests.
pub fn suggested(resource_id: &str) -> Option<&'static str> {
    let words = words_of(resource_id);
    ID_WORDS
        .iter()
        .find(|(row, _)| row.iter().all(|word| words.iter().any(|have| have == word)))
        .map(|&(_, signal)| signal)
}

/// Whether an id or class belongs to a player or a gauge.
pub fn is_gauge(name: &str) -> bool {
    words_of(name)
        .iter()
        .any(|word| GAUGE_WORDS.contains(&word.as_str()))
}

/// The words of `com.example:id/loadingSpinner_2`, after the package: `loading`, `spinner`, `2`.
fn words_of(name: &str) -> Vec<String> {
    let name = name.rsplit(['/', '.', '$']).next().unwrap_or(name);
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        after_lower = c.is_lowercase();
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaders_are_known_by_class_and_role() {
        for (class, role, signal) in [
            ("android.widget.ProgressBar", None, "progress-indicator"),
            (
                "com.google.android.material.progressindicator.CircularProgressIndicator",
                None,
                "progress-indicator",
            ),
            ("XCUIElementTypeActivityIndicator", None, "busy-indicator"),
            ("com.facebook.shimmer.ShimmerFrameLayout", None, "skeleton"),
            (
                "com.github.ybq.android.spinkit.SpinKitView",
                None,
                "spinner",
            ),
            (
                "android.view.View",
                Some("progress_indicator"),
                "progress-indicator",
            ),
            (
                "android.view.View",
                Some("AXBusyIndicator"),
                "busy-indicator",
            ),
        ] {
            assert_eq!(native(class, role), Some(signal), "{class} {role:?}");
        }
    }

    #[test]
    fn every_row_is_looked_for() {
        for (name, _) in CLASSES.iter().chain(ROLES) {
            assert!(STEMS.iter().any(|stem| name.contains(stem)), "{name}");
        }
        for (words, _) in ID_WORDS {
            assert!(
                words.iter().any(|word| ID_STEMS.contains(word)),
                "{words:?}"
            );
        }
    }

    #[test]
    fn lookalikes_are_not() {
        for (class, role) in [
            ("android.widget.SeekBar", None),
            ("android.widget.RatingBar", None),
            ("android.widget.Spinner", Some("spinner")),
            (
                "androidx.appcompat.widget.AppCompatSpinner",
                Some("dropdown"),
            ),
            ("android.widget.TextView", Some("text")),
            ("com.google.android.material.tabs.TabIndicator", None),
        ] {
            assert_eq!(native(class, role), None, "{class}");
        }
    }

    #[test]
    fn ids_are_read_by_words() {
        assert_eq!(suggested("com.example:id/feed_shimmer"), Some("skeleton"));
        assert_eq!(suggested("com.example:id/loadingSpinner"), Some("spinner"));
        assert_eq!(suggested("com.example:id/spinner_country"), None);
        assert!(is_gauge("com.example:id/exo_progress"));
        assert!(is_gauge("batteryBar"));
        assert!(!is_gauge("com.example.player:id/download"));
    }
}
