//! What may stand on a command line: permissions, URLs. App ids have theirs in [`super::super::launch`].

use handset_model::Failure;

/// Longer URLs are no links.
const URL: usize = 2_048;

/// Schemes that start what was not named, or reach into files and scripts.
const REFUSED: [&str; 9] =
    ["intent", "android-app", "android.resource", "file", "content", "javascript", "vbscript", "data", "filesystem"];

/// A permission's full name: dotted words of letters, digits and underscores.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `permission`.
pub(in super::super) fn permission(name: &str) -> Result<&str, Failure> {
    let word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if name.contains('.') && name.len() <= 255 && name.split('.').all(word) {
        return Ok(name);
    }
    Err(Failure::argument("permission", format!("{name:?} is no permission's full name"))
        .with_remedy("Pass a full name such as android.permission.CAMERA."))
}

/// A URL by RFC 3986's characters: a scheme, a colon, and something after it.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `url`: no URL, a character that must be percent-encoded, or a scheme that is refused.
pub(in super::super) fn url(url: &str) -> Result<&str, Failure> {
    const REMEDY: &str = "Pass an absolute URL such as https://example.com/a?b=c or myapp://screen.";
    let wrong = |why: String| Failure::argument("url", why);
    if url.len() > URL {
        return Err(wrong(format!("the URL has {} bytes; at most {URL} are passed on", url.len())).with_remedy(REMEDY));
    }
    let scheme = url.split_once(':').filter(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    let Some((scheme, _)) = scheme else {
        return Err(wrong(format!("{url:?} is no URL with a scheme")).with_remedy(REMEDY));
    };
    if REFUSED.contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err(wrong(format!("{scheme}: URLs are not opened")).with_remedy(
            "Start an activity by its name with start_app; open only web links and the app's own links.",
        ));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    match url.chars().find(|c| !allowed(*c)) {
        Some(other) => Err(wrong(format!("{other:?} may not stand in a URL as it is"))
            .with_remedy("Percent-encode everything but letters, digits and -._~:/?#[]@!$&'()*+,;=%.")),
        None => Ok(url),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn permissions_are_dotted_names() {
        for good in ["android.permission.CAMERA", "com.example.app.permission.C2D_MESSAGE", "a._b"] {
            assert_eq!(permission(good), Ok(good));
        }
        for bad in ["", "CAMERA", "android.permission.CAMERA; reboot", "-a.b", "a..b", "a.b\n", "a.$(id)", "a.é", "1.a"]
        {
            assert_eq!(permission(bad).unwrap_err().member.as_deref(), Some("permission"), "{bad:?}");
        }
    }

    #[test]
    fn urls_follow_the_grammar_and_name_no_scheme_that_starts_something_else() {
        for good in ["https://example.com/a?b=c&d=%20#e", "myapp://open/1", "tel:+491", "mailto:a@b.c", "geo:1,2?q='x'"]
        {
            assert_eq!(url(good), Ok(good));
        }
        for bad in [
            "",
            "example.com",
            ":x",
            "https:",
            "intent:#Intent;component=a/b;end",
            "INTENT://x",
            "android-app://com.a",
            "file:///data",
            "content://sms",
            "javascript:alert(1)",
            "https://a b",
            "https://a\nb",
            "https://a\0",
            "https://a\"",
            "https://a`id`",
            "https://é.com",
            "https://a\\b",
            "--es:x",
            "1http://x",
        ] {
            assert_eq!(url(bad).unwrap_err().member.as_deref(), Some("url"), "{bad:?}");
        }
        assert!(url(&format!("https://a/{}", "b".repeat(2_100))).is_err());
    }
}
