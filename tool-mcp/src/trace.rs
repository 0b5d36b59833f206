//! Traces: what goes along in `_meta`, and the spans of requests.
//!
//! Sources: W3C Trace Context; "`_meta`" of the protocol; OpenTelemetry's conventions for MCP.

use std::borrow::Cow;

use toolwright_json::ObjectWriter;
use toolwright_runtime::tool::Context;

use crate::protocol::Fields;

/// The longest `tracestate` and `baggage`, in bytes.
const LONGEST: usize = 8_192;

/// The W3C Trace Context of a request.
///
/// A server reads it from a request's `_meta` and puts it into the context of the call. A client sends the value that
/// `Connector::trace_context` returns, or else the one in the call's context. So a server that calls other servers continues
/// the trace.
///
/// ```
/// use toolwright::mcp::TraceContext;
///
/// let trace = TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
/// assert!(trace.is_some());
/// assert!(TraceContext::new("0af7651916cd43dd8448eb211c80319c").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TraceContext {
    parent: String,
    state: Option<String>,
    baggage: Option<String>,
}

impl TraceContext {
    /// Creates one from a `traceparent`: version, trace id, parent id and flags in hexadecimal, joined by hyphens. `None`
    /// if that is not what it is.
    pub fn new(traceparent: impl Into<String>) -> Option<Self> {
        let parent = traceparent.into();
        is_parent(&parent).then_some(Self {
            parent,
            state: None,
            baggage: None,
        })
    }

    /// Sets the `tracestate`, which belongs to the systems that trace. Ignored if it is longer than 8 KiB, or no header
    /// can hold it.
    pub fn with_state(self, state: impl Into<String>) -> Self {
        let state = Some(state.into()).filter(|text| is_header(text));
        Self { state, ..self }
    }

    /// Sets the `baggage`: values that go along. Ignored as the state is.
    pub fn with_baggage(self, baggage: impl Into<String>) -> Self {
        let baggage = Some(baggage.into()).filter(|text| is_header(text));
        Self { baggage, ..self }
    }

    /// Returns the `traceparent`.
    pub fn traceparent(&self) -> &str {
        &self.parent
    }

    /// Returns the `tracestate`.
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Returns the `baggage`.
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }

    /// The one in a `_meta`.
    #[cfg_attr(not(feature = "server"), allow(dead_code))]
    pub(crate) fn read(meta: &Fields<'_>) -> Option<Self> {
        let mut trace = Self::new(meta.text("traceparent")?)?;
        if let Some(state) = meta.text("tracestate") {
            trace = trace.with_state(state);
        }
        if let Some(baggage) = meta.text("baggage") {
            trace = trace.with_baggage(baggage);
        }
        Some(trace)
    }

    #[cfg_attr(not(feature = "client"), allow(dead_code))]
    pub(crate) fn write(&self, meta: ObjectWriter) -> ObjectWriter {
        meta.text("traceparent", &self.parent)
            .maybe_text("tracestate", self.state.as_deref())
            .maybe_text("baggage", self.baggage.as_deref())
    }

    #[cfg_attr(not(feature = "client"), allow(dead_code))]
    pub(crate) fn of(cx: &Context) -> Option<&Self> {
        cx.get()
    }
}

/// `00-<32 digits>-<16 digits>-<2 digits>`: of a later version more may follow. Ids of zeros are none.
fn is_parent(text: &str) -> bool {
    let is_hex = |part: &str, digits: usize| {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        part.len() == digits && part.bytes().all(is_digit)
    };
    let is_id = |part: &str, digits| is_hex(part, digits) && part.bytes().any(|byte| byte != b'0');
    let mut parts = text.splitn(5, '-');
    let mut next = || parts.next().unwrap_or_default();
    let (version, trace, parent, flags) = (next(), next(), next(), next());
    let has_more = parts.next().is_some();
    is_header(text)
        && is_hex(version, 2)
        && version != "ff"
        && is_id(trace, 32)
        && is_id(parent, 16)
        && is_hex(flags, 2)
        && (version != "00" || !has_more)
}

fn is_header(text: &str) -> bool {
    text.len() <= LONGEST && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// A span's fields of a request.
#[cfg_attr(not(feature = "tracing"), allow(dead_code))]
pub(crate) struct Spanned<'s> {
    pub(crate) method: &'s str,
    /// The name of the tool or prompt, or the URI of the resource.
    pub(crate) target: Option<Cow<'s, str>>,
    pub(crate) id: Option<Cow<'s, str>>,
    pub(crate) session: Option<&'s str>,
    pub(crate) version: Option<&'static str>,
    pub(crate) is_http: bool,
}

#[cfg(not(feature = "tracing"))]
pub(crate) use self::off::RequestSpan;
#[cfg(feature = "tracing")]
pub(crate) use self::on::RequestSpan;

#[cfg(feature = "tracing")]
mod on {
    use toolwright_schema::span::SafeSpan;
    use toolwright_schema::text::{LONGEST_SHOWN, Printable};
    use tracing::field::Empty;
    #[cfg(feature = "server")]
    use tracing::span::Span;
    use tracing::{Level, span};

    use super::Spanned;
    use crate::protocol::Fields;

    /// Span of a request, if a subscriber wants one.
    pub(crate) struct RequestSpan(Option<SafeSpan>);

    impl RequestSpan {
        /// Opens the span of a request, at its client or at its server.
        pub(crate) fn open<'s>(kind: &'static str, request: impl FnOnce() -> Spanned<'s>) -> Self {
            if !SafeSpan::is_asked_for() {
                return Self(None);
            }
            let request = request();
            // What others write could fake a log line.
            let method = in_a_line(request.method);
            let target = request.target.as_deref().map(in_a_line);
            let id = request.id.as_deref().map(in_a_line);
            let of = |kind: &str| target.as_deref().filter(|_| method == kind);
            let (tool, prompt) = (of("tools/call"), of("prompts/get"));
            let uri = of("resources/read");
            let name = match tool.or(prompt) {
                Some(target) => format!("{method} {target}"),
                None => method.clone(),
            };
            let span = SafeSpan::open(|| {
                span!(
                    Level::INFO,
                    "mcp",
                    otel.name = name,
                    otel.kind = kind,
                    otel.status_code = Empty,
                    mcp.method.name = &*method,
                    mcp.protocol.version = request.version,
                    mcp.session.id = request.session,
                    mcp.resource.uri = uri,
                    jsonrpc.request.id = id.as_deref(),
                    gen_ai.operation.name = tool.map(|_| "execute_tool"),
                    gen_ai.tool.name = tool,
                    gen_ai.prompt.name = prompt,
                    network.transport = if request.is_http { "tcp" } else { "pipe" },
                    rpc.response.status_code = Empty,
                    "error.type" = Empty,
                )
            });
            Self(Some(span))
        }

        /// Shows it to somebody before anybody is in it.
        #[cfg(feature = "server")]
        pub(crate) fn first(&self, see: impl FnOnce(&Span)) {
            if let Some(span) = &self.0 {
                span.record(see);
            }
        }

        /// Records the result: JSON.
        pub(crate) fn answered(&self, result: &str) {
            let is_error = || Fields::of(result).is_ok_and(|result| result.is_true("isError"));
            if self.0.is_some() && is_error() {
                self.failed("tool_error");
            }
        }

        /// Records an error of the protocol.
        #[cfg(feature = "server")]
        pub(crate) fn refused(&self, code: i64) {
            if let Some(span) = &self.0 {
                let code = code.to_string();
                span.record(|span| {
                    span.record("rpc.response.status_code", &*code);
                });
                self.failed(&code);
            }
        }

        pub(crate) fn failed(&self, kind: &str) {
            if let Some(span) = &self.0 {
                span.record(|span| {
                    span.record("otel.status_code", "ERROR");
                    span.record("error.type", kind);
                });
            }
        }

        #[cfg(feature = "server")]
        pub(crate) fn inside<T>(&self, run: impl FnOnce() -> T) -> T {
            match &self.0 {
                Some(span) => span.inside(run),
                None => run(),
            }
        }

        /// Polls a future inside the span.
        pub(crate) async fn around<F: Future>(&self, future: F) -> F::Output {
            match &self.0 {
                Some(span) => span.around(future).await,
                None => future.await,
            }
        }

        #[cfg(feature = "server")]
        pub(crate) fn is_none(&self) -> bool {
            self.0.is_none()
        }
    }

    fn in_a_line(text: &str) -> String {
        let shown = Printable::new(text).one_line();
        shown.at_most(LONGEST_SHOWN).to_string()
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use super::Spanned;

    /// Stub without the feature `tracing`.
    pub(crate) struct RequestSpan;

    #[allow(clippy::unused_self)]
    impl RequestSpan {
        pub(crate) fn open<'s>(_: &'static str, _: impl FnOnce() -> Spanned<'s>) -> Self {
            Self
        }

        pub(crate) fn answered(&self, _: &str) {}

        #[cfg(feature = "server")]
        pub(crate) fn refused(&self, _: i64) {}

        #[cfg(feature = "client")]
        pub(crate) fn failed(&self, _: &str) {}

        #[cfg(feature = "server")]
        pub(crate) fn inside<T>(&self, run: impl FnOnce() -> T) -> T {
            run()
        }

        pub(crate) fn around<F: Future>(&self, future: F) -> F {
            future
        }

        #[cfg(feature = "server")]
        pub(crate) fn is_none(&self) -> bool {
            true
        }
    }
}
