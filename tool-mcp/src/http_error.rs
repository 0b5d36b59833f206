//! Why a request over HTTP has no answer.

use std::error::Error as _;

/// Why there is no answer. The URL is not told: it may hold a secret.
pub(crate) fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        words = format!("{words}: {error}");
        source = error.source();
    }
    words
}
