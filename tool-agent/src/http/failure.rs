//! Errors of requests. Their messages never contain the key.

use std::error::Error;
use std::fmt::Display;
use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;
use toolwright_schema::text::excerpt;

use super::Endpoint;
use crate::model::{ModelError, ModelErrorKind};

/// Maximal length of a provider's message in an error.
const MAX_MESSAGE_CHARS: usize = 1_000;

pub(super) fn refused(why: impl Display) -> ModelError {
    ModelError::new(ModelErrorKind::Refused, why.to_string())
}

/// Creates the error of a request without a complete response.
pub(super) fn transport(error: reqwest::Error) -> ModelError {
    // The URL may contain secrets.
    let error = error.without_url();
    let kind = if error.is_timeout() {
        ModelErrorKind::Timeout
    } else if error.is_builder() {
        ModelErrorKind::Refused
    } else {
        ModelErrorKind::Transport
    };
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    ModelError::new(kind, words).with_source(error)
}

pub(super) fn broke_off() -> ModelError {
    let message = "the connection ended before the answer did";
    ModelError::new(ModelErrorKind::Transport, message)
}

pub(super) fn unreadable(why: impl Display) -> ModelError {
    ModelError::new(ModelErrorKind::Unreadable, why.to_string())
}

impl Endpoint {
    /// Creates the error of a response with an error status.
    pub(super) fn failed(&self, status: u16, headers: &HeaderMap, body: &[u8]) -> ModelError {
        let kind = match status {
            408 | 409 | 425 | 429 | 500.. => ModelErrorKind::Busy,
            _ => ModelErrorKind::Refused,
        };
        let words = self.redacted(&words(&String::from_utf8_lossy(body)));
        let message = if words.is_empty() {
            format!("the provider answered {status}")
        } else {
            format!("the provider answered {status}: {words}")
        };
        let error = ModelError::new(kind, message);
        match retry_after(headers) {
            Some(wait) => error.with_retry_after(wait),
            None => error,
        }
    }

    /// Returns a provider's message on one line, without the key and truncated. Some providers repeat the rejected key. It is
    /// removed before the cut, which could leave half of it otherwise.
    pub(super) fn redacted(&self, words: &str) -> String {
        let words = match &self.key {
            Some(key) => words.replace(&**key, "[key]"),
            None => words.to_owned(),
        };
        excerpt(&words, MAX_MESSAGE_CHARS)
    }
}

/// Extracts the provider's message from the body of an error.
fn words(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let message = json.as_ref().and_then(|json| {
        // Gemini's stream wraps its error in a list.
        let json = json.get(0).unwrap_or(json);
        let error = json.get("error").unwrap_or(json);
        let message = error.get("message").unwrap_or(error);
        message.as_str()
    });
    message.unwrap_or(body).trim().to_owned()
}

/// Reads the wait in seconds, or in `OpenAI`'s milliseconds. Dates are ignored.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| -> Option<f64> {
        let number: f64 = headers.get(name)?.to_str().ok()?.trim().parse().ok()?;
        Some(number)
    };
    let seconds = number("retry-after-ms")
        .map(|milliseconds| milliseconds / 1_000.0)
        .or_else(|| number("retry-after"));
    Duration::try_from_secs_f64(seconds?).ok()
}
