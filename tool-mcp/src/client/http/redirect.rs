//! Redirects of a server's requests.

use http::StatusCode;
use reqwest::Url;
use reqwest::redirect::Policy;

use crate::client::settings::Settings;

/// Redirects that one request follows.
const MOST: usize = 3;

/// Follows 307 and 308, which keep method and body, within the origin. A token, or a header or a password that the host
/// gave, is for the path that the host named, but for a slash at its end, and for paths that the token's resource covers.
pub(super) fn policy(settings: &Settings, url: &Url) -> Policy {
    if settings.is_strict {
        return Policy::none();
    }
    // A password in the URL is sent as a header, and stands in no URL of an attempt.
    let has_headers = !settings.headers.is_empty() || has_password(url);
    #[cfg(feature = "oauth")]
    let authorizer = settings.authorizer.clone();
    Policy::custom(move |attempt| {
        let keeps_request = matches!(
            attempt.status(),
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        );
        let may_follow = |from: &Url| {
            let to = attempt.url();
            if from.origin() != to.origin() || has_password(to) {
                return false;
            }
            if is_same_path(from, to) {
                return true;
            }
            #[cfg(feature = "oauth")]
            if let Some(authorizer) = &authorizer {
                return authorizer.covers(to);
            }
            !has_headers
        };
        let previous = attempt.previous();
        let follows =
            keeps_request && previous.len() <= MOST && previous.first().is_some_and(may_follow);
        if follows {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

fn has_password(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

fn is_same_path(from: &Url, to: &Url) -> bool {
    let path = |url: &Url| {
        let path = url.path();
        path.strip_suffix('/').unwrap_or(path).to_owned()
    };
    path(from) == path(to)
}
