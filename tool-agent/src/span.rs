//! Spans of runs, steps and model calls in the crate `tracing`, by OpenTelemetry's conventions for generative AI.
//!
//! A step is a request to the model and the calls of its response. Its span is a child of the run's, and the spans of
//! the model call and the tool calls, which are the executor's, are its children. The conventions have no step: the name
//! and the number are ours. Subscribers are foreign code, so their panics are contained.

#[cfg(not(feature = "tracing"))]
pub(crate) use self::off::AgentSpan;
#[cfg(feature = "tracing")]
pub(crate) use self::on::AgentSpan;

#[cfg(feature = "tracing")]
mod on {
    use std::future::{Future, poll_fn};
    use std::pin::pin;

    use tracing::field::Empty;
    use tracing::span::{Entered, Span};
    use tracing::{Level, span};

    use crate::{AgentError, ModelError, ModelResponse, Run, RunEnd, Usage};

    /// Span of a run, a step or a model call.
    pub(crate) struct AgentSpan(Span);

    impl AgentSpan {
        /// Creates the span of a run of this session.
        pub(crate) fn of_run(session: &str) -> Self {
            Self::open(|| {
                span!(
                    Level::INFO,
                    "invoke_agent",
                    otel.status_code = Empty,
                    gen_ai.operation.name = "invoke_agent",
                    gen_ai.conversation.id = session,
                    gen_ai.usage.input_tokens = Empty,
                    gen_ai.usage.output_tokens = Empty,
                    toolwright.halted = Empty,
                    "error.type" = Empty,
                )
            })
        }

        /// Creates the span of a step, by its number in the run.
        pub(crate) fn of_step(session: Option<&str>, number: u32) -> Self {
            Self::open(|| {
                span!(
                    Level::INFO,
                    "step",
                    otel.status_code = Empty,
                    gen_ai.conversation.id = session,
                    toolwright.step = number,
                    "error.type" = Empty,
                )
            })
        }

        /// Creates the span of a model call in this session.
        pub(crate) fn of_model(session: Option<&str>) -> Self {
            Self::open(|| {
                span!(
                    Level::INFO,
                    "chat",
                    otel.kind = "client",
                    otel.status_code = Empty,
                    gen_ai.operation.name = "chat",
                    gen_ai.conversation.id = session,
                    gen_ai.usage.input_tokens = Empty,
                    gen_ai.usage.output_tokens = Empty,
                    "error.type" = Empty,
                )
            })
        }

        fn open(span: impl FnOnce() -> Span) -> Self {
            Self(contained(span).unwrap_or_else(Span::none))
        }

        /// Records the result of the run.
        pub(crate) fn ran(&self, ran: &Result<Run, AgentError>) {
            contained(|| {
                if let Ok(run) = ran {
                    self.0.record("toolwright.halted", run.end.as_str());
                    self.usage(run.usage);
                }
                self.ended(ran.as_ref().map(|run| Some(&run.end)));
            });
        }

        /// Records the failure of a step, if it failed.
        pub(crate) fn visited(&self, visited: &Result<Option<RunEnd>, AgentError>) {
            contained(|| self.ended(visited.as_ref().map(Option::as_ref)));
        }

        fn ended(&self, end: Result<Option<&RunEnd>, &AgentError>) {
            match end {
                Ok(Some(RunEnd::ModelError(error))) | Err(AgentError::Model(error)) => {
                    self.failed(error.kind().as_str());
                }
                Ok(Some(RunEnd::ToolError(error))) => self.failed(error.kind().as_str()),
                Ok(_) => {}
                // Fallback value of the conventions for an unnamed error.
                Err(_) => self.failed("_OTHER"),
            }
        }

        /// Records the answer of the model.
        pub(crate) fn answered(&self, answer: &Result<ModelResponse, ModelError>) {
            contained(|| match answer {
                Ok(response) => self.usage(response.usage.unwrap_or_default()),
                Err(error) => self.failed(error.kind().as_str()),
            });
        }

        fn usage(&self, usage: Usage) {
            if usage != Usage::default() {
                self.0.record("gen_ai.usage.input_tokens", usage.input);
                self.0.record("gen_ai.usage.output_tokens", usage.output);
            }
        }

        fn failed(&self, kind: &str) {
            self.0.record("otel.status_code", "ERROR");
            self.0.record("error.type", kind);
        }

        /// Polls the future inside the span.
        pub(crate) async fn around<F: Future>(&self, future: F) -> F::Output {
            let mut future = pin!(future);
            poll_fn(|task| {
                let _inside = Inside::of(&self.0);
                future.as_mut().poll(task)
            })
            .await
        }
    }

    impl Drop for AgentSpan {
        fn drop(&mut self) {
            let span = std::mem::replace(&mut self.0, Span::none());
            contained(|| drop(span));
        }
    }

    /// Guard of an entered span.
    struct Inside<'s>(Option<Entered<'s>>);

    impl<'s> Inside<'s> {
        fn of(span: &'s Span) -> Self {
            Self(contained(|| span.enter()))
        }
    }

    impl Drop for Inside<'_> {
        fn drop(&mut self) {
            let entered = self.0.take();
            contained(|| drop(entered));
        }
    }

    fn contained<T>(listener: impl FnOnce() -> T) -> Option<T> {
        toolwright_schema::panics::reported("a subscriber of `tracing`", listener)
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use crate::{AgentError, ModelError, ModelResponse, Run, RunEnd};

    /// Stub without the feature `tracing`.
    pub(crate) struct AgentSpan;

    #[allow(clippy::unused_self)]
    impl AgentSpan {
        pub(crate) fn of_run(_: &str) -> Self {
            Self
        }

        pub(crate) fn of_step(_: Option<&str>, _: u32) -> Self {
            Self
        }

        pub(crate) fn of_model(_: Option<&str>) -> Self {
            Self
        }

        pub(crate) fn visited(&self, _: &Result<Option<RunEnd>, AgentError>) {}

        pub(crate) fn ran(&self, _: &Result<Run, AgentError>) {}

        pub(crate) fn answered(&self, _: &Result<ModelResponse, ModelError>) {}

        pub(crate) fn around<F: Future>(&self, future: F) -> F {
            future
        }
    }
}
