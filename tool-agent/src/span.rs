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
    use toolwright_schema::span::SafeSpan;
    use tracing::field::Empty;
    use tracing::span::Span;
    use tracing::{Level, span};

    use crate::model::{ModelError, ModelResponse};
    use crate::run::{AgentError, Run, RunEnd};
    use toolwright_provider::wire::Usage;

    /// Span of a run, a step or a model call.
    pub(crate) struct AgentSpan(SafeSpan);

    impl AgentSpan {
        /// Creates the span of a run of this session.
        pub(crate) fn of_run(session: &str) -> Self {
            Self(SafeSpan::open(|| {
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
            }))
        }

        /// Creates the span of a step, by its number in the run.
        pub(crate) fn of_step(session: Option<&str>, number: u32) -> Self {
            Self(SafeSpan::open(|| {
                span!(
                    Level::INFO,
                    "step",
                    otel.status_code = Empty,
                    gen_ai.conversation.id = session,
                    toolwright.step = number,
                    "error.type" = Empty,
                )
            }))
        }

        /// Creates the span of a model call in this session.
        pub(crate) fn of_model(session: Option<&str>) -> Self {
            Self(SafeSpan::open(|| {
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
            }))
        }

        /// Records the result of the run.
        pub(crate) fn ran(&self, ran: &Result<Run, AgentError>) {
            self.0.record(|span| {
                if let Ok(run) = ran {
                    span.record("toolwright.halted", run.end.as_str());
                    used(span, run.usage);
                }
                ended(span, ran.as_ref().map(|run| Some(&run.end)));
            });
        }

        /// Records the failure of a step, if it failed.
        pub(crate) fn visited(&self, visited: &Result<Option<RunEnd>, AgentError>) {
            let end = visited.as_ref().map(Option::as_ref);
            self.0.record(|span| ended(span, end));
        }

        /// Records the answer of the model.
        pub(crate) fn answered(&self, answer: &Result<ModelResponse, ModelError>) {
            self.0.record(|span| match answer {
                Ok(response) => used(span, response.usage.unwrap_or_default()),
                Err(error) => failed(span, error.kind().as_str()),
            });
        }

        /// Polls the future inside the span.
        pub(crate) fn around<F: Future>(&self, future: F) -> impl Future<Output = F::Output> {
            self.0.around(future)
        }
    }

    fn ended(span: &Span, end: Result<Option<&RunEnd>, &AgentError>) {
        match end {
            Ok(Some(RunEnd::ModelError(error))) | Err(AgentError::Model(error)) => {
                failed(span, error.kind().as_str());
            }
            Ok(Some(RunEnd::ToolError(error))) => failed(span, error.kind().as_str()),
            Ok(_) => {}
            // Fallback value of the conventions for an unnamed error.
            Err(_) => failed(span, "_OTHER"),
        }
    }

    fn used(span: &Span, usage: Usage) {
        if usage != Usage::default() {
            span.record("gen_ai.usage.input_tokens", usage.input);
            span.record("gen_ai.usage.output_tokens", usage.output);
        }
    }

    fn failed(span: &Span, kind: &str) {
        span.record("otel.status_code", "ERROR");
        span.record("error.type", kind);
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use crate::model::{ModelError, ModelResponse};
    use crate::run::{AgentError, Run, RunEnd};

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
