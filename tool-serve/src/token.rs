//! Tokens, as people give them.

/// The token without the space around it, which is there where it comes from a file. What a header cannot hold, or would
/// not be read as one word, is none; the words do not tell it.
pub(crate) fn checked(token: &str) -> Result<&str, &'static str> {
    let token = token.trim_ascii();
    if token.is_empty() {
        Err("the token is empty")
    } else if token.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(token)
    } else {
        Err("the token holds space, or another character that no token can")
    }
}
