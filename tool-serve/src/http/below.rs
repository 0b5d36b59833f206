//! Where the routes are, if a host has put them below a path of its own.

use axum::extract::OriginalUri;
use axum::http::{Extensions, Uri};

/// The path in front of ours: `/api`, where `Router::nest` has it; empty where nobody has moved us. One that could not
/// stand in a document as it is counts as none.
pub(super) fn below<'a>(extensions: &'a Extensions, own: &Uri) -> &'a str {
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
