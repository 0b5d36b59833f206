use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll};

use futures_core::Stream;
use pin_project_lite::pin_project;

use crate::tool::{Call, Contained, Context, Progress};
use toolwright_provider::call::{ErrorKind, Outcome, Output, Payload, ToolError};

/// A stream as the result of a tool. The last item is the result; each item before it is sent to observers as
/// [`Progress::item`](crate::tool::Progress).
///
/// Without an executor there are no observers. A stream without items is an
/// [`InvalidReturn`](toolwright_provider::call::ErrorKind::InvalidReturn) error. The stream borrows nothing from the call, and is dropped
/// with it.
///
/// ```
/// use futures_util::stream;
/// use toolwright::{tool, tools, Context, ToolCall, call::Items};
///
/// /// Searches page by page.
/// #[tool]
/// fn search(pages: u32) -> Items<String> {
///     Items::new(stream::iter((1..=pages).map(|page| format!("{page} pages seen"))))
/// }
///
/// let call = ToolCall::new("1", "search", r#"{"pages": 3}"#);
/// let result = tools![search].call_blocking(&call, &Context::new());
/// assert_eq!(result.value().unwrap(), "3 pages seen");
/// ```
pub struct Items<T> {
    stream: Arc<UnreadStream>,
    items: PhantomData<fn() -> T>,
}

impl<T: Output + 'static> Items<T> {
    /// Wraps a stream.
    pub fn new(stream: impl Stream<Item = T> + Send + 'static) -> Self {
        Self::of(stream, |item, _| Outcome::returned(item))
    }

    /// Wraps a stream that may fail. Its first error is the call's, and nothing is polled after it. The model reads an
    /// error's `Display`; a [`ToolError`] stays as it is.
    pub fn fallible<E>(stream: impl Stream<Item = Result<T, E>> + Send + 'static) -> Self
    where
        E: Into<Box<dyn Error + Send + Sync>> + 'static,
    {
        Self::of(stream, |item, _| match item {
            Ok(item) => Outcome::returned(item),
            Err(error) => Err(into_tool_error(error.into())),
        })
    }

    fn of<S, F>(stream: S, outcome: F) -> Self
    where
        S: Stream + Send + 'static,
        F: FnMut(S::Item, &mut bool) -> Result<Outcome, ToolError> + Send + 'static,
    {
        let stream = Outcomes {
            stream,
            outcome,
            has_ended: false,
        };
        Self {
            stream: Arc::new(UnreadStream(Mutex::new(Some(Box::pin(stream))))),
            items: PhantomData,
        }
    }
}

pin_project! {
    /// Maps the items of a stream to outcomes. The function may end the stream.
    struct Outcomes<S, F> {
        #[pin]
        stream: S,
        outcome: F,
        has_ended: bool,
    }
}

impl<S, F> Stream for Outcomes<S, F>
where
    S: Stream,
    F: FnMut(S::Item, &mut bool) -> Result<Outcome, ToolError>,
{
    type Item = Result<Outcome, ToolError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        if *this.has_ended {
            return Poll::Ready(None);
        }
        let next = this.stream.poll_next(cx);
        next.map(|item| Some((this.outcome)(item?, this.has_ended)))
    }
}

fn into_tool_error(error: Box<dyn Error + Send + Sync>) -> ToolError {
    match error.downcast::<ToolError>() {
        Ok(error) => *error,
        Err(error) => ToolError::failed(error.to_string())
            .with_debug(format!("{error:?}"))
            .with_source(error),
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items(..)")
    }
}

#[diagnostic::do_not_recommend]
impl<T> Output for Items<T> {
    fn into_outcome(self) -> Outcome {
        Outcome::Value(Payload::later(self.stream))
    }
}

pub(crate) type OutcomeStream = Pin<Box<dyn Stream<Item = Result<Outcome, ToolError>> + Send>>;

/// A stream in place of a value, which the caller of the tool reads once.
struct UnreadStream(Mutex<Option<OutcomeStream>>);

/// Returns true if the answer is a stream.
#[inline]
pub(crate) fn is_stream(answer: &Result<Outcome, ToolError>) -> bool {
    matches!(answer, Ok(Outcome::Value(value)) if value.as_later::<UnreadStream>().is_some())
}

/// Returns the stream of an answer.
pub(crate) fn stream_of(answer: &Result<Outcome, ToolError>) -> Option<OutcomeStream> {
    match answer {
        Ok(Outcome::Value(value)) => value.as_later().and_then(taken),
        _ => None,
    }
}

/// Replaces the first error of a stream, which ends it.
pub(crate) fn or_else(
    stream: OutcomeStream,
    handle: impl Fn(ToolError) -> Result<Outcome, ToolError> + Send + 'static,
) -> Outcome {
    let items = Items::<Outcome>::of(stream, move |item, has_ended| {
        *has_ended = item.is_err();
        item.or_else(&handle)
    });
    items.into_outcome()
}

#[cold]
fn taken(later: &UnreadStream) -> Option<OutcomeStream> {
    later
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
}

/// Reads a stream. Its panics are errors.
pub(crate) fn read(
    stream: OutcomeStream,
    call: Call<'_>,
) -> Contained<'static, Result<Outcome, ToolError>> {
    Contained::new(Box::pin(last(stream, call.context())))
}

/// Number of ready items that are taken before other calls are polled.
const IN_A_ROW: usize = 64;

/// Returns the last item of a stream, and reports those before it.
async fn last(mut stream: OutcomeStream, cx: Context) -> Result<Outcome, ToolError> {
    let mut last: Option<Outcome> = None;
    let (mut done, mut in_a_row) = (0.0, 0);
    loop {
        let next = poll_fn(|task| {
            if in_a_row == IN_A_ROW {
                in_a_row = 0;
                task.waker().wake_by_ref();
                return Poll::Pending;
            }
            let next = stream.as_mut().poll_next(task);
            in_a_row = if next.is_ready() { in_a_row + 1 } else { 0 };
            next
        });
        let Some(item) = next.await else { break };
        let item = item?;
        // An item that cannot be encoded ends the stream.
        item.payload().map_or(Ok(()), Payload::check)?;
        if let Some(before) = last.replace(item) {
            done += 1.0;
            let progress = Progress::new(done);
            cx.progress(match before.payload() {
                Some(value) => progress.with_item(value.to_value()),
                None => progress,
            });
        }
    }
    last.ok_or_else(|| {
        ToolError::new(
            ErrorKind::InvalidReturn,
            "the tool answered with a stream of no items",
        )
    })
}
