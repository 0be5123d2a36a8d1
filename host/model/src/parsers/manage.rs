//! What managing apps and devices prints.

use super::{promised, sound, text};
use crate::android::{InstallEnd, Managing, classify_managing, parse_console, parse_install, parse_users, remedy_of};

/// A last line `Success` is one whatever stood before it; a reason Android names has its own remedy.
pub(super) fn install(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    let end = parse_install(&text);
    if let InstallEnd::Refused(failure) = &end {
        sound(failure)?;
        promised(failure.remedy.is_some(), || format!("{failure:?} has no remedy of its own"))?;
    }
    promised(end != InstallEnd::Installed || text.contains("Success"), || format!("{text:?} is a success"))?;
    promised(parse_install(&format!("{text}\nSuccess\n")) == InstallEnd::Installed, || format!("{text:?} hides it"))?;
    let refused = parse_install(&format!("{text}\nFailure [INSTALL_FAILED_OLDER_SDK]\n"));
    let remedy = remedy_of("INSTALL_FAILED_OLDER_SDK").map(str::to_owned);
    promised(matches!(refused, InstallEnd::Refused(failure) if failure.remedy == remedy), || {
        format!("{text:?} hides a refusal")
    })?;
    Ok(end != InstallEnd::Unseen)
}

/// A reset succeeds by its word alone; a failing status never does.
pub(super) fn managing(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    for doing in [Managing::Terminate, Managing::Reset, Managing::Permission, Managing::Setting] {
        for status in [0, 1, 127, 255] {
            match classify_managing(doing, &text, status) {
                Some(refusal) => sound(&refusal.failure)?,
                None if doing == Managing::Reset => promised(text.contains("Success"), || format!("{text:?} resets"))?,
                None => promised(status == 0, || format!("status {status} is accepted"))?,
            }
        }
    }
    Ok(!text.trim().is_empty())
}

/// What says neither OK nor KO is not taken.
pub(super) fn console(bytes: &[u8]) -> Result<bool, String> {
    let text = text(bytes);
    match parse_console(&text) {
        Ok(()) => promised(text.contains("OK"), || format!("{text:?} is taken"))?,
        Err(refusal) => sound(&refusal.failure)?,
    }
    Ok(text.contains("OK") || text.contains("KO"))
}

/// Users, printed as `pm` does, read the same.
pub(super) fn users(bytes: &[u8]) -> Result<bool, String> {
    let users = parse_users(&text(bytes));
    let line = |user: &crate::android::DeviceUser| {
        format!("\tUserInfo{{{}:{}:c13}}{}\n", user.id, user.name, if user.running { " running" } else { "" })
    };
    let printed: String = users.iter().map(line).collect();
    promised(parse_users(&printed) == users, || format!("{users:?} was printed as {printed:?}"))?;
    Ok(!users.is_empty())
}
