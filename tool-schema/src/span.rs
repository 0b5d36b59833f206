//! Spans of the crate `tracing`. Subscribers are foreign code, so their panics are contained.

use std::future::{Future, poll_fn};
use std::pin::pin;

use tracing::Span;
use tracing::level_filters::LevelFilter;
use tracing::span::Entered;

use crate::panics::reported;

const SUBSCRIBER: &str = "a subscriber of `tracing`";

/// A span, or none if no subscriber wants it.
pub struct SafeSpan(Span);

impl SafeSpan {
    /// Returns true if a subscriber may want spans of this level.
    pub fn is_asked_for() -> bool {
        LevelFilter::current() >= LevelFilter::INFO
    }

    /// Opens a span.
    pub fn open(open: impl FnOnce() -> Span) -> Self {
        Self(reported(SUBSCRIBER, open).unwrap_or_else(Span::none))
    }

    /// Returns true if no subscriber wants it.
    pub fn is_none(&self) -> bool {
        self.0.is_disabled()
    }

    /// Records late fields.
    pub fn record(&self, record: impl FnOnce(&Span)) {
        if !self.is_none() {
            reported(SUBSCRIBER, || record(&self.0));
        }
    }

    /// Runs a function inside the span.
    pub fn inside<T>(&self, run: impl FnOnce() -> T) -> T {
        let _inside = EnteredSpan::of(&self.0);
        run()
    }

    /// Polls a future inside the span.
    pub async fn around<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|task| self.inside(|| future.as_mut().poll(task))).await
    }
}

impl Drop for SafeSpan {
    fn drop(&mut self) {
        let span = std::mem::replace(&mut self.0, Span::none());
        reported(SUBSCRIBER, || drop(span));
    }
}

/// A span that is entered.
struct EnteredSpan<'s>(Option<Entered<'s>>);

impl<'s> EnteredSpan<'s> {
    fn of(span: &'s Span) -> Self {
        Self(reported(SUBSCRIBER, || span.enter()))
    }
}

impl Drop for EnteredSpan<'_> {
    fn drop(&mut self) {
        if let Some(entered) = self.0.take() {
            reported(SUBSCRIBER, || drop(entered));
        }
    }
}
