//! Every reason Android gives for not installing an app, with what to do about it. Names from AOSP's `PackageManager.java`,
//! Android 4.1 to 16, and those that vendors add.

/// Reasons, sorted by name.
pub const REASONS: &[(&str, &str)] = &[
    ("INSTALL_ACTIVATION_FAILED", "Restart the device, then repeat."),
    (
        "INSTALL_CANCELED_BY_USER",
        "Accept the install on the device's screen, and turn on \"Install via USB\" in developer options.",
    ),
    (
        "INSTALL_FAILED_ABORTED",
        "The install was ended on the device, by its user or its policy: look at its screen, then repeat.",
    ),
    (
        "INSTALL_FAILED_ALREADY_EXISTS",
        "The app is there already and was not replaced: uninstall it first, or raise its version.",
    ),
    ("INSTALL_FAILED_BAD_DEX_METADATA", "Rebuild: the .dm file beside the APK is not valid."),
    ("INSTALL_FAILED_BAD_PERMISSION_GROUP", "Correct the permission group in the app's manifest."),
    ("INSTALL_FAILED_BAD_SIGNATURE", "Sign the app again: its signature does not hold."),
    (
        "INSTALL_FAILED_CONFLICTING_PROVIDER",
        "Another app has a content provider of the same authority: uninstall that app, or change the authority.",
    ),
    ("INSTALL_FAILED_CONTAINER_ERROR", "Free storage, remove the SD card, or restart the device, then repeat."),
    ("INSTALL_FAILED_CPU_ABI_INCOMPATIBLE", "Build the app for the device's CPU."),
    (
        "INSTALL_FAILED_DEPRECATED_SDK_VERSION",
        "Raise the app's targetSdkVersion: this Android refuses apps made for so old a one.",
    ),
    ("INSTALL_FAILED_DEXOPT", "Free storage on the device; if it persists, rebuild: the code cannot be compiled."),
    ("INSTALL_FAILED_DUPLICATE_PACKAGE", "A package of this name is there already: uninstall it first."),
    (
        "INSTALL_FAILED_DUPLICATE_PERMISSION",
        "Another app defines the same permission: uninstall that app, or rename the permission.",
    ),
    (
        "INSTALL_FAILED_DUPLICATE_PERMISSION_GROUP",
        "Another app defines the same permission group: uninstall that app, or rename the group.",
    ),
    ("INSTALL_FAILED_INSTANT_APP_INVALID", "The app cannot be an instant app: install it as a normal one."),
    ("INSTALL_FAILED_INSUFFICIENT_STORAGE", "Free storage on the device, then repeat."),
    ("INSTALL_FAILED_INTERNAL_ERROR", "Restart the device, then repeat; its log says more."),
    (
        "INSTALL_FAILED_INVALID_APK",
        "The APK or the set of splits is not valid: rebuild it, and pass the base with all its splits, of one version.",
    ),
    ("INSTALL_FAILED_INVALID_INSTALL_LOCATION", "Correct installLocation in the app's manifest."),
    ("INSTALL_FAILED_INVALID_URI", "The device could not read the uploaded file: free storage, then repeat."),
    (
        "INSTALL_FAILED_MEDIA_UNAVAILABLE",
        "The place it is to be installed to is not there: insert the SD card, or install to internal storage.",
    ),
    (
        "INSTALL_FAILED_MISSING_FEATURE",
        "The device lacks a feature that the app's manifest requires: use another device, or make it not required.",
    ),
    (
        "INSTALL_FAILED_MISSING_SHARED_LIBRARY",
        "The device lacks a library that the app's manifest uses: use another device image, or make it not required.",
    ),
    (
        "INSTALL_FAILED_MISSING_SPLIT",
        "The app needs splits that were not passed: pass the folder with the base and all its splits.",
    ),
    ("INSTALL_FAILED_MULTIPACKAGE_INCONSISTENCY", "Install the packages one by one: as a set they do not fit."),
    ("INSTALL_FAILED_MULTI_ARCH_NOT_MATCH_ALL_NATIVE_ABIS", "Build the app for all of the device's CPU architectures."),
    ("INSTALL_FAILED_NEWER_SDK", "The app's maxSdkVersion is below this Android: raise it, or use an older device."),
    (
        "INSTALL_FAILED_NO_MATCHING_ABIS",
        "Build the app for the device's CPU (getprop ro.product.cpu.abilist), or use an emulator of the app's architecture.",
    ),
    ("INSTALL_FAILED_NO_NATIVE_LIBRARIES", "Rebuild: the app declares native libraries and holds none."),
    (
        "INSTALL_FAILED_NO_SHARED_USER",
        "The app's sharedUserId is not known on the device: remove it from the manifest, or install the app that it is shared with.",
    ),
    ("INSTALL_FAILED_OLDER_SDK", "The app's minSdkVersion is above this Android: lower it, or use a newer device."),
    (
        "INSTALL_FAILED_OTHER_STAGED_SESSION_IN_PROGRESS",
        "Another install waits for a restart: restart the device, then repeat.",
    ),
    ("INSTALL_FAILED_PACKAGE_CHANGED", "The APK holds another package than was expected: rebuild, then repeat."),
    (
        "INSTALL_FAILED_PERMISSION_MODEL_DOWNGRADE",
        "The installed app targets a newer Android: uninstall it first (its data is lost), or raise targetSdkVersion.",
    ),
    (
        "INSTALL_FAILED_PRE_APPROVAL_NOT_AVAILABLE",
        "The device cannot ask its user beforehand: install without pre-approval.",
    ),
    ("INSTALL_FAILED_PROCESS_NOT_DEFINED", "Name the component's process under processes in the app's manifest."),
    ("INSTALL_FAILED_REJECTED_BY_BUILDTYPE", "This device image takes no app of this build type: sign it for release."),
    ("INSTALL_FAILED_REPLACE_COULDNT_DELETE", "Uninstall the installed app first, then repeat."),
    (
        "INSTALL_FAILED_SANDBOX_VERSION_DOWNGRADE",
        "The installed app has a higher targetSandboxVersion: uninstall it first (its data is lost).",
    ),
    ("INSTALL_FAILED_SESSION_INVALID", "Repeat the install: its session was lost on the device."),
    (
        "INSTALL_FAILED_SHARED_LIBRARY_BAD_CERTIFICATE_DIGEST",
        "The library's certificate is not the one in the app's manifest: correct certDigest.",
    ),
    (
        "INSTALL_FAILED_SHARED_USER_INCOMPATIBLE",
        "The app shares a user with one that is signed otherwise: sign both with one key.",
    ),
    (
        "INSTALL_FAILED_TEST_ONLY",
        "The build is for tests only and the device refuses those: build it without android:testOnly.",
    ),
    (
        "INSTALL_FAILED_UID_CHANGED",
        "Data of an earlier install belongs to another user id: uninstall the app completely, then repeat.",
    ),
    (
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
        "The installed app is signed with another key: uninstall it first (its data is lost), or sign with the same key.",
    ),
    (
        "INSTALL_FAILED_USER_RESTRICTED",
        "The device's user or policy forbids it: turn on \"Install via USB\" in developer options, accept the dialog on the device, then repeat.",
    ),
    (
        "INSTALL_FAILED_VERIFICATION_FAILURE",
        "Play Protect or another verifier refused it: turn off \"Verify apps over USB\" in developer options, then repeat.",
    ),
    (
        "INSTALL_FAILED_VERIFICATION_TIMEOUT",
        "The verifier did not answer: check the device's network, or turn off \"Verify apps over USB\" in developer options.",
    ),
    (
        "INSTALL_FAILED_VERSION_DOWNGRADE",
        "A newer version is installed: raise versionCode, or uninstall it first (its data is lost).",
    ),
    (
        "INSTALL_FAILED_WRONG_INSTALLED_VERSION",
        "The installed version is not the one this update is for: uninstall it first, then repeat.",
    ),
    ("INSTALL_PARSE_FAILED_BAD_MANIFEST", "Rebuild: AndroidManifest.xml in the APK cannot be read."),
    ("INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME", "Correct the package name in the app's manifest."),
    ("INSTALL_PARSE_FAILED_BAD_SHARED_USER_ID", "Correct sharedUserId in the app's manifest."),
    ("INSTALL_PARSE_FAILED_CERTIFICATE_ENCODING", "Sign the app again: its certificate cannot be read."),
    (
        "INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES",
        "Sign all files and splits with one key; uninstall an app that is signed with another.",
    ),
    ("INSTALL_PARSE_FAILED_MANIFEST_EMPTY", "Rebuild: the app's manifest holds no application or instrumentation."),
    (
        "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED",
        "Correct the app's manifest at the place the message names (since Android 12 android:exported must be stated).",
    ),
    ("INSTALL_PARSE_FAILED_NOT_APK", "Pass an APK: the file is none, or is cut off."),
    (
        "INSTALL_PARSE_FAILED_NO_CERTIFICATES",
        "Sign the APK: it is not signed, or with a scheme this Android does not know (v1 before Android 7).",
    ),
    ("INSTALL_PARSE_FAILED_ONLY_COREAPP_ALLOWED", "The device is decrypting its storage: unlock it, then repeat."),
    (
        "INSTALL_PARSE_FAILED_RESOURCES_ARSC_COMPRESSED",
        "Store resources.arsc uncompressed and aligned on 4 bytes (zipalign), as Android 11 asks for.",
    ),
    (
        "INSTALL_PARSE_FAILED_SKIPPED",
        "The device skips this package: its image has an overlay or a property that says so.",
    ),
    ("INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION", "Rebuild the APK; the device's log says what its parser met."),
];

/// What to do about a reason; `None` for one that is not known.
#[must_use]
pub fn remedy_of(reason: &str) -> Option<&'static str> {
    REASONS.iter().find(|(name, _)| *name == reason).map(|(_, remedy)| *remedy)
}
