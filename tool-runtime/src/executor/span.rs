//! Span of a call in the crate `tracing`, by OpenTelemetry's conventions for generative AI. Panics of subscribers are
//! contained.

#[cfg(not(feature = "tracing"))]
pub(super) use self::off::CallSpan;
#[cfg(feature = "tracing")]
pub(super) use self::on::CallSpan;

#[cfg(feature = "tracing")]
mod on {
    use std::borrow::Cow;
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::sync::Arc;

    use tracing::field::{Empty, display};
    use tracing::level_filters::LevelFilter;
    use tracing::span::{Entered, Span};
    use tracing::{Level, span};

    use crate::executor::Redacted;
    use toolwright_provider::call::{Encoder, ToolCall, ToolResult};
    use toolwright_schema::panics::reported;
    use toolwright_schema::text::Printable;
    use toolwright_schema::text::{LONGEST_SHOWN, is_portable_name};

    /// Prints a foreign name or id in one line.
    fn in_a_line(text: &str) -> Cow<'_, str> {
        if is_portable_name(text) {
            return text.into();
        }
        let shown = Printable::new(text).one_line();
        shown.at_most(LONGEST_SHOWN).to_string().into()
    }

    const SUBSCRIBER: &str = "a subscriber of `tracing`";

    /// Span of a call, if a subscriber wants one.
    #[derive(Clone, Default)]
    pub(in crate::executor) struct CallSpan(Option<Arc<Open>>);

    struct Open {
        span: Span,
        /// It records arguments and results.
        has_content: bool,
    }

    impl CallSpan {
        /// Returns true if a subscriber may want the span.
        pub(in crate::executor) fn is_asked_for() -> bool {
            LevelFilter::current() >= Level::INFO
        }

        /// Opens the span of a call inside the current one.
        pub(in crate::executor) fn of(
            call: &ToolCall,
            redacted: Redacted<'_>,
            has_content: bool,
        ) -> Self {
            // A line break in a name could fake a log line.
            let (tool, id) = (in_a_line(&call.name), in_a_line(&call.id));
            let name = || format!("execute_tool {tool}");
            // Span names are constants; exporters use `otel.name`.
            let open = || {
                span!(
                    Level::INFO,
                    "execute_tool",
                    otel.name = name(),
                    otel.status_code = Empty,
                    gen_ai.operation.name = "execute_tool",
                    gen_ai.tool.name = &*tool,
                    gen_ai.tool.call.id = &*id,
                    "gen_ai.tool.type" = "function",
                    gen_ai.tool.call.arguments = Empty,
                    gen_ai.tool.call.result = Empty,
                    "error.type" = Empty,
                )
            };
            let span = match reported(SUBSCRIBER, open) {
                Some(span) if !span.is_disabled() => span,
                Some(_) | None => return Self::default(),
            };
            if has_content {
                let arguments = redacted.text();
                let record = || {
                    span.record("gen_ai.tool.call.arguments", &*arguments);
                };
                reported(SUBSCRIBER, record);
            }
            Self(Some(Arc::new(Open { span, has_content })))
        }

        /// Returns no span.
        pub(in crate::executor) fn none() -> Self {
            Self(None)
        }

        /// Returns true if there is no span.
        pub(in crate::executor) fn is_none(&self) -> bool {
            self.0.is_none()
        }

        /// Records the outcome of the call.
        pub(in crate::executor) fn end(&self, result: &ToolResult) {
            let Some(Open { span, has_content }) = self.0.as_deref() else {
                return;
            };
            let record = || match &result.outcome {
                Ok(_) if *has_content => {
                    let text = result.content(Encoder::auto());
                    span.record("gen_ai.tool.call.result", &*text);
                }
                Ok(_) => {}
                Err(error) => {
                    span.record("otel.status_code", "ERROR");
                    span.record("error.type", display(error.kind().as_str()));
                }
            };
            reported(SUBSCRIBER, record);
        }

        /// Polls a future inside the span.
        pub(in crate::executor) async fn around<F: Future>(&self, future: F) -> F::Output {
            let mut future = pin!(future);
            poll_fn(|task| {
                let _inside = self.0.as_deref().map(|open| Inside::of(&open.span));
                future.as_mut().poll(task)
            })
            .await
        }
    }

    impl Drop for Open {
        fn drop(&mut self) {
            let span = std::mem::replace(&mut self.span, Span::none());
            reported(SUBSCRIBER, || drop(span));
        }
    }

    /// A span that is entered.
    struct Inside<'s>(Option<Entered<'s>>);

    impl<'s> Inside<'s> {
        fn of(span: &'s Span) -> Self {
            Self(reported(SUBSCRIBER, || span.enter()))
        }
    }

    impl Drop for Inside<'_> {
        fn drop(&mut self) {
            if let Some(entered) = self.0.take() {
                reported(SUBSCRIBER, || drop(entered));
            }
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use std::future::Future;

    use crate::executor::Redacted;
    use toolwright_provider::call::{ToolCall, ToolResult};

    /// Span of a call, if a subscriber wants one.
    #[derive(Clone, Default)]
    pub(in crate::executor) struct CallSpan;

    #[allow(clippy::unused_self)]
    impl CallSpan {
        pub(in crate::executor) fn is_asked_for() -> bool {
            false
        }

        pub(in crate::executor) fn of(_: &ToolCall, _: Redacted<'_>, _: bool) -> Self {
            Self
        }

        pub(in crate::executor) fn none() -> Self {
            Self
        }

        pub(in crate::executor) fn is_none(&self) -> bool {
            true
        }

        pub(in crate::executor) fn end(&self, _: &ToolResult) {}

        pub(in crate::executor) fn around<F: Future>(
            &self,
            future: F,
        ) -> impl Future<Output = F::Output> + use<F> {
            future
        }
    }
}
