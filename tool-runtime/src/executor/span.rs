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
    use tracing::{Level, span};

    use crate::executor::Redacted;
    use toolwright_provider::call::{Encoder, ToolCall, ToolResult};
    use toolwright_schema::span::SafeSpan;
    use toolwright_schema::text::{LONGEST_SHOWN, Printable, is_portable_name};

    /// Prints a foreign name or id in one line.
    fn in_a_line(text: &str) -> Cow<'_, str> {
        if is_portable_name(text) {
            return text.into();
        }
        let shown = Printable::new(text).one_line();
        shown.at_most(LONGEST_SHOWN).to_string().into()
    }

    /// Span of a call, if a subscriber wants one.
    #[derive(Clone, Default)]
    pub(in crate::executor) struct CallSpan(Option<Arc<OpenSpan>>);

    struct OpenSpan {
        span: SafeSpan,
        /// It records arguments and results.
        has_content: bool,
    }

    impl CallSpan {
        /// Returns true if a subscriber may want the span.
        pub(in crate::executor) fn is_asked_for() -> bool {
            SafeSpan::is_asked_for()
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
            let span = SafeSpan::open(open);
            if span.is_none() {
                return Self::default();
            }
            if has_content {
                let arguments = redacted.text();
                span.record(|span| {
                    span.record("gen_ai.tool.call.arguments", &*arguments);
                });
            }
            Self(Some(Arc::new(OpenSpan { span, has_content })))
        }

        /// Returns true if there is no span.
        pub(in crate::executor) fn is_none(&self) -> bool {
            self.0.is_none()
        }

        /// Records the outcome of the call.
        pub(in crate::executor) fn end(&self, result: &ToolResult) {
            let Some(OpenSpan { span, has_content }) = self.0.as_deref() else {
                return;
            };
            span.record(|span| match &result.outcome {
                Ok(_) if *has_content => {
                    let text = result.content(Encoder::auto());
                    span.record("gen_ai.tool.call.result", &*text);
                }
                Ok(_) => {}
                Err(error) => {
                    span.record("otel.status_code", "ERROR");
                    span.record("error.type", display(error.kind().as_str()));
                }
            });
        }

        /// Polls a future inside the span.
        pub(in crate::executor) async fn around<F: Future>(&self, future: F) -> F::Output {
            let mut future = pin!(future);
            poll_fn(|task| match self.0.as_deref() {
                Some(open) => open.span.inside(|| future.as_mut().poll(task)),
                None => future.as_mut().poll(task),
            })
            .await
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
