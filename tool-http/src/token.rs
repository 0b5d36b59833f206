//! Bearer tokens from users.

/// Trims and checks a token. A token from a file often ends with a line break. A token that no header can hold, or that
/// is not one word, is an error, whose text does not contain it.
pub fn checked(token: &str) -> Result<&str, &'static str> {
    let token = token.trim_ascii();
    if token.is_empty() {
        Err("the token is empty")
    } else if token.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(token)
    } else {
        Err("the token holds space, or another character that no token can")
    }
}
