//! Path of the routes, if the host nests them.

use axum::extract::OriginalUri;
use axum::http::{Extensions, Uri};

/// Returns the path before the server's own: `/api` below `Router::nest`, or an empty text. A path that would need
/// escaping in a document counts as empty.
pub(super) fn mount_path<'a>(extensions: &'a Extensions, own: &Uri) -> &'a str {
    let Some(OriginalUri(asked)) = extensions.get::<OriginalUri>() else {
        return "";
    };
    let asked = asked.path();
    let front = asked.strip_suffix(own.path()).unwrap_or(asked);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%".contains(&byte);
    if front.bytes().all(is_plain) && !front.starts_with("//") {
        front.trim_end_matches('/')
    } else {
        ""
    }
}
