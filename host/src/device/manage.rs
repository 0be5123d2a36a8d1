//! What is done to apps and devices beside touching a screen.

use std::path::PathBuf;

use handset_model::Failure;

/// One piece of management. App ids, permissions and URLs are checked by the adapter's grammar before anything is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Manage {
    /// Ends an app's processes.
    Terminate {
        /// Package.
        app_id: String,
    },
    /// Deletes an app's data.
    Reset {
        /// Package.
        app_id: String,
    },
    /// Grants a permission, or takes it back.
    Permission {
        /// Package.
        app_id: String,
        /// Its full name.
        permission: String,
        /// Whether it is granted.
        granted: bool,
    },
    /// Installs one app from its files.
    Install {
        /// APKs: one, or a base and its splits. Absolute.
        files: Vec<PathBuf>,
    },
    /// Opens a URL.
    OpenUrl {
        /// The URL.
        url: String,
        /// The package that opens it; the device's choice where none is named.
        app_id: Option<String>,
    },
    /// Turns the screen, or lets it turn by itself.
    Orientation(Orientation),
    /// Sets where the device believes it is.
    Location {
        /// Degrees, -90 to 90.
        latitude: f64,
        /// Degrees, -180 to 180.
        longitude: f64,
        /// Metres.
        altitude: Option<f64>,
    },
    /// Puts a text into the clipboard.
    SetClipboard {
        /// The text.
        text: String,
    },
    /// Ends the device.
    Shutdown,
}

/// How a screen is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
    /// Upright.
    Portrait,
    /// On its side.
    Landscape,
    /// Upside down.
    ReversePortrait,
    /// On its other side.
    ReverseLandscape,
    /// As its sensor says.
    Auto,
}

/// A device that is to be started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boot {
    /// Its name; the only one there is where none is given.
    pub avd: Option<String>,
    /// Without a window.
    pub headless: bool,
}

/// A device that was started, as far as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Booted {
    /// The id it has in a listing.
    pub id: String,
    /// Its name.
    pub avd: String,
    /// It ran before.
    pub already: bool,
    /// Why it has not booted, if it has not.
    pub failure: Option<Failure>,
}
