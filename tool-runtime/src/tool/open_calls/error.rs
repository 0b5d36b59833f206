//! Errors of open calls.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Error of an open call. Nothing has changed, unless the docs of a method say otherwise.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum OpenCallError {
    /// No call of this key is open: it never was, or its result was taken.
    NotOpen {
        /// The key.
        key: String,
    },
    /// The call has ended before.
    Ended {
        /// The key.
        key: String,
    },
    /// The result is larger than the limit.
    TooLarge {
        /// The key.
        key: String,
        /// Size of its JSON in bytes.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// The store failed.
    Store {
        /// The failure.
        message: String,
        /// The store's own error.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
}

impl OpenCallError {
    /// Creates the error of a store.
    pub fn store(message: impl Into<String>) -> Self {
        Self::Store {
            message: message.into(),
            source: None,
        }
    }

    /// Creates an error from a store's error.
    pub fn store_with(
        message: impl Into<String>,
        source: impl Error + Send + Sync + 'static,
    ) -> Self {
        Self::Store {
            message: message.into(),
            source: Some(Arc::new(source)),
        }
    }
}

impl fmt::Display for OpenCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpen { key } => write!(f, "no call `{key}` is open"),
            Self::Ended { key } => write!(f, "the call `{key}` has ended before"),
            Self::TooLarge { bytes, most, .. } => {
                write!(f, "the result has {bytes} bytes, and may have {most}")
            }
            Self::Store { message, .. } => write!(f, "the store of open calls failed: {message}"),
        }
    }
}

impl Error for OpenCallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Store {
                source: Some(source),
                ..
            } => Some(&**source),
            _ => None,
        }
    }
}
