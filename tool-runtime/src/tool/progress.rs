use std::borrow::Cow;

/// How far a call has come, in steps of the tool's own.
///
/// A tool tells it by [`Context::progress`](crate::Context::progress).
///
/// ```
/// use toolwright::Progress;
///
/// let progress = Progress::new(3.0).with_total(10.0).with_message("third page");
/// assert_eq!(progress.total, Some(10.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done; grows with every report.
    pub done: f64,
    /// How much there is to do, if the tool knows.
    pub total: Option<f64>,
    /// What is being done, for people.
    pub message: Option<Cow<'static, str>>,
    /// A part of the result that is there already, for people.
    pub item: Option<serde_json::Value>,
}

impl Progress {
    /// So much is done.
    pub fn new(done: f64) -> Self {
        Self {
            done,
            total: None,
            message: None,
            item: None,
        }
    }

    /// The same, of so much.
    pub fn with_total(self, total: f64) -> Self {
        Self {
            total: Some(total),
            ..self
        }
    }

    /// The same, in words.
    pub fn with_message(self, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: Some(message.into()),
            ..self
        }
    }

    /// The same, with a part of the result.
    pub fn with_item(self, item: impl Into<serde_json::Value>) -> Self {
        Self {
            item: Some(item.into()),
            ..self
        }
    }
}
