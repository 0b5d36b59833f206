//! Errors of requests by a client.

use std::error::Error as _;

/// Describes an error and its causes, without the URL, which may hold a secret.
pub fn describe(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
