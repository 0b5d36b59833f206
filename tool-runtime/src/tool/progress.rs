use std::borrow::Cow;

/// Progress of a call, in steps of the tool's choice.
///
/// A tool reports it by [`Context::progress`](crate::tool::Context::progress).
///
/// ```
/// use toolwright::call::Progress;
///
/// let progress = Progress::new(3.0).with_total(10.0).with_message("third page");
/// assert_eq!(progress.total, Some(10.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Steps done; grows with every report.
    pub done: f64,
    /// Steps in total, if known.
    pub total: Option<f64>,
    /// Current activity, for people.
    pub message: Option<Cow<'static, str>>,
    /// Part of the result, for people.
    pub item: Option<serde_json::Value>,
}

impl Progress {
    /// Makes a report of the steps done.
    pub fn new(done: f64) -> Self {
        Self {
            done,
            total: None,
            message: None,
            item: None,
        }
    }

    /// Sets the total.
    pub fn with_total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// Sets the message.
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Sets a part of the result.
    pub fn with_item(mut self, item: impl Into<serde_json::Value>) -> Self {
        self.item = Some(item.into());
        self
    }
}
