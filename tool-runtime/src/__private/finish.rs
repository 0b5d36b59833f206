//! Conversion of a function's return value to the outcome of the call.
//!
//! The function's return type may be an alias (`anyhow::Result<T>`, `io::Result<T>`), so its spelling says nothing.
//! Method lookup sees through aliases: it takes an inherent method before a trait's.

use std::convert::Infallible;
use std::error::Error;
use std::fmt::{Debug, Display};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::tool::{Answer, Call, EarlyExit};
use toolwright_provider::call::{ErrorKind, Outcome, Output, ToolError};

use super::{Probe, RunResult};

/// Return value of a function.
#[derive(Debug)]
pub struct Finish<T>(pub T);

impl<T, E> Finish<Result<T, E>> {
    /// A `Result`, whatever its types: bounds on this impl would send a `Result` whose error type
    /// does not fit down to [`FinishAny`], and so to the model as a success.
    #[inline]
    pub fn __split(self) -> Result<Finish<T>, E> {
        self.0.map(Finish)
    }
}

/// Anything but a `Result`.
pub trait FinishAny<T> {
    /// The value.
    fn __split(self) -> Result<Finish<T>, Infallible>;
}

impl<T> FinishAny<T> for Finish<T> {
    #[inline]
    fn __split(self) -> Result<Finish<T>, Infallible> {
        Ok(self)
    }
}

/// The outcome of a value; the bound is the one error of a type that cannot be returned.
#[inline]
pub fn outcome<T: Output>(value: T) -> Result<Outcome, ToolError> {
    Outcome::returned(value)
}

/// Returns the result of a call, from the function's return value and the conversion of its error.
#[inline]
pub fn finish<T: Output, E, W: ErrorConversion<E>>(
    returned: Result<Finish<T>, E>,
    way: impl FnOnce(Probe<E>) -> W,
) -> Result<Outcome, ToolError> {
    match returned {
        Ok(value) => outcome(value.0),
        Err(error) => Err(way(Probe::NEW).error(ErrorKind::Failed, error)),
    }
}

/// Returns the answer of a call, from the function's return value and the conversion of its error.
#[inline]
pub fn answer<'a, T: Output, E, W: ErrorConversion<E>>(
    returned: Result<Finish<T>, E>,
    way: impl FnOnce(Probe<E>) -> W,
) -> RunResult<'a> {
    Ok(Answer::Ready(finish(returned, way)))
}

/// The answer of a call that will have a result.
pub fn pending<'a>(
    future: impl Future<Output = Result<Outcome, ToolError>> + Send + 'a,
) -> RunResult<'a> {
    Ok(Answer::later(future))
}

/// Returns why a call ends if its arguments are invalid or only to be checked.
#[inline]
pub fn validated<E, W: ErrorConversion<E>>(
    call: &Call<'_>,
    verdict: Result<(), E>,
    way: impl FnOnce(Probe<E>) -> W,
) -> Result<(), EarlyExit> {
    match verdict {
        Ok(()) => EarlyExit::check(call),
        Err(error) => {
            let way = way(Probe::NEW);
            Err(EarlyExit::Failed(way.error(ErrorKind::InvalidArgs, error)))
        }
    }
}

/// Returns the answer of a tool that returns no `Result`.
#[inline]
pub fn ready<'a, T: Output>(value: T) -> RunResult<'a> {
    Ok(Answer::Ready(outcome(value)))
}

/// Returns the answer of an asynchronous tool that returns no `Result`.
pub fn later<'a>(future: impl Future<Output: Output> + Send + 'a) -> RunResult<'a> {
    Ok(Answer::later(Finished { future }))
}

pin_project! {
    /// Future of an outcome. An `async` block in its place would take the room of the future twice.
    struct Finished<F> {
        #[pin]
        future: F,
    }
}

impl<F: Future<Output: Output>> Future for Finished<F> {
    type Output = Result<Outcome, ToolError>;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let value = self.project().future.poll(task);
        value.map(outcome)
    }
}

/// A [`ToolError`], and an error with a conversion to one, which keeps its kind and its data.
pub trait ViaToolError {
    /// The way.
    fn __conversion(&self) -> FromInto {
        FromInto
    }
}

impl<E: Into<ToolError>> ViaToolError for Probe<E> {}

/// An error whose sources the host may want to follow.
pub trait ViaError {
    /// The way.
    fn __conversion(&self) -> FromError {
        FromError
    }
}

impl<E: Display + Into<Box<dyn Error + Send + Sync>>> ViaError for Probe<E, 2> {}

/// Several messages.
pub trait ViaMessages {
    /// The way.
    fn __conversion(&self) -> FromMessages {
        FromMessages
    }
}

impl<M: Display> ViaMessages for Probe<Vec<M>, 2> {}

/// An error that the host may want to read in `Debug`.
pub trait ViaDebug {
    /// The way.
    fn __conversion(&self) -> FromDebug {
        FromDebug
    }
}

impl<E: Display + Debug> ViaDebug for Probe<E, 1> {}

/// Any other error: it must at least have words.
pub trait ViaText<E> {
    /// The way; the bound is the one error of a type without words.
    fn __conversion(&self) -> FromText<E>
    where
        E: FailureMessage,
    {
        FromText(E::message)
    }
}

impl<E> ViaText<E> for Probe<E, 0> {}

/// An error that has words for the model.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "has no words for the model",
    note = "implement `std::fmt::Display` for `{Self}`: its text is what the model reads"
)]
pub trait FailureMessage {
    /// The words.
    fn message(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<E: Display> FailureMessage for E {
    fn message(&self) -> String {
        self.to_string()
    }
}

/// A way from an error to the error of a call.
pub trait ErrorConversion<E> {
    /// The error of a call.
    #[doc(hidden)]
    fn error(self, kind: ErrorKind, error: E) -> ToolError;
}

/// See [`ViaToolError`].
#[derive(Debug)]
pub struct FromInto;

/// See [`ViaError`].
#[derive(Debug)]
pub struct FromError;

/// See [`ViaMessages`].
#[derive(Debug)]
pub struct FromMessages;

/// See [`ViaDebug`].
#[derive(Debug)]
pub struct FromDebug;

/// See [`ViaText`].
#[derive(Debug)]
pub struct FromText<E>(fn(&E) -> String);

impl<E: Into<ToolError>> ErrorConversion<E> for FromInto {
    #[cold]
    fn error(self, _: ErrorKind, error: E) -> ToolError {
        error.into()
    }
}

impl<E: Display + Into<Box<dyn Error + Send + Sync>>> ErrorConversion<E> for FromError {
    #[cold]
    fn error(self, kind: ErrorKind, error: E) -> ToolError {
        let error_of = error_of(kind, error.to_string());
        let source = error.into();
        let detail = format!("{source:?}");
        error_of.with_debug(detail).with_source(source)
    }
}

impl<M: Display> ErrorConversion<Vec<M>> for FromMessages {
    #[cold]
    fn error(self, kind: ErrorKind, messages: Vec<M>) -> ToolError {
        let messages = messages.iter().map(|message| message.to_string().into());
        ToolError::with_messages(kind, messages.collect())
    }
}

impl<E: Display + Debug> ErrorConversion<E> for FromDebug {
    #[cold]
    fn error(self, kind: ErrorKind, error: E) -> ToolError {
        error_of(kind, error.to_string()).with_debug(format!("{error:?}"))
    }
}

impl<E> ErrorConversion<E> for FromText<E> {
    #[cold]
    fn error(self, kind: ErrorKind, error: E) -> ToolError {
        error_of(kind, self.0(&error))
    }
}

fn error_of(kind: ErrorKind, message: String) -> ToolError {
    if message.is_empty() {
        return ToolError::new(kind, "the tool failed and did not say why");
    }
    ToolError::new(kind, message)
}
