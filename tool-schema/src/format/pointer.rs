/// RFC 6901, section 3: each token behind a slash; `~` only as `~0` or `~1`.
pub(super) fn is_pointer(text: &str) -> bool {
    let is_escaped = |rest: &str| rest.starts_with(['0', '1']);
    let mut tokens = text.split('/');
    tokens.next() == Some("") && tokens.all(|token| token.split('~').skip(1).all(is_escaped))
}
