use std::error::Error;
use std::fmt;
use std::future::{poll_fn, ready};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use futures_util::stream::{Stream, StreamExt};

use crate::tool::{Call, Contained, Context, Progress};
use toolwright_provider::call::{ErrorKind, Outcome, Output, Payload, ToolError};

/// A stream as the result of a tool: its last item is the result, and each item before it is told to
/// whoever looks on, as [`Progress::item`](crate::Progress).
///
/// Without an executor nobody looks on, and the last item is all there is. A stream without an item
/// is an [`InvalidReturn`](crate::ErrorKind::InvalidReturn) error. The stream may borrow nothing
/// from the call; it is dropped with it.
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
    stream: Arc<Later>,
    items: PhantomData<fn() -> T>,
}

impl<T: Output + 'static> Items<T> {
    /// The items of a stream.
    pub fn new(stream: impl Stream<Item = T> + Send + 'static) -> Self {
        Self::of(stream.map(|item| Ok(item.into_outcome())))
    }

    /// The items of a stream that may fail: its first error is the call's, and what follows is not
    /// asked for. Of an error the model reads its `Display`; a [`ToolError`] is what it says.
    pub fn fallible<E>(stream: impl Stream<Item = Result<T, E>> + Send + 'static) -> Self
    where
        E: Into<Box<dyn Error + Send + Sync>> + 'static,
    {
        Self::of(stream.map(|item| match item {
            Ok(item) => Ok(item.into_outcome()),
            Err(error) => Err(told(error.into())),
        }))
    }

    fn of(stream: impl Stream<Item = Result<Outcome, ToolError>> + Send + 'static) -> Self {
        Self {
            stream: Arc::new(Later(Mutex::new(Some(Box::pin(stream))))),
            items: PhantomData,
        }
    }
}

fn told(error: Box<dyn Error + Send + Sync>) -> ToolError {
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

pub(crate) type Boxed = Pin<Box<dyn Stream<Item = Result<Outcome, ToolError>> + Send>>;

/// A stream in the place of a value, until it is read: by whoever called the tool, once.
struct Later(Mutex<Option<Boxed>>);

/// Whether the answer is a stream.
#[inline]
pub(crate) fn is_stream(answer: &Result<Outcome, ToolError>) -> bool {
    matches!(answer, Ok(Outcome::Value(value)) if value.as_later::<Later>().is_some())
}

/// The stream that a tool answered with, if it did.
pub(crate) fn stream_of(answer: &Result<Outcome, ToolError>) -> Option<Boxed> {
    match answer {
        Ok(Outcome::Value(value)) => value.as_later().and_then(taken),
        _ => None,
    }
}

/// The same stream, with what `handle` makes of its first error, which is its last item.
pub(crate) fn or_else(
    stream: Boxed,
    handle: impl Fn(ToolError) -> Result<Outcome, ToolError> + Send + 'static,
) -> Outcome {
    let items = stream.scan(false, move |ended, item| {
        let goes_on = !std::mem::replace(ended, item.is_err());
        ready(goes_on.then(|| item.or_else(&handle)))
    });
    Items::<Outcome>::of(items).into_outcome()
}

#[cold]
fn taken(later: &Later) -> Option<Boxed> {
    later
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
}

/// Reads a stream, whose code is the tool's.
pub(crate) fn read(
    stream: Boxed,
    call: Call<'_>,
) -> Contained<'static, Result<Outcome, ToolError>> {
    Contained::new(Box::pin(last(stream, call.context())))
}

/// So many items that are there at once are taken before others get their turn.
const IN_A_ROW: usize = 64;

/// Reads a stream to its last item, and tells of those before it.
async fn last(mut stream: Boxed, cx: Context) -> Result<Outcome, ToolError> {
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
        // An item that cannot be told ends the stream, like one that cannot be the result.
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
