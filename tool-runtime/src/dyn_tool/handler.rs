//! Handler of a tool made at run time: a closure over arguments of any type.

use std::any::Any;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::tool::{Answer, Call, Context, decode_value, decode_value_of};
use toolwright_provider::call::{ErrorKind, Outcome, Output, ToolError};
use toolwright_schema::decode::holds_secret;
use toolwright_schema::shape::Shape;

/// Handler of a tool.
pub(super) trait Handler: Send + Sync {
    /// Decodes the arguments, checks them, and runs.
    fn call<'a>(&'a self, call: Call<'a>, check: Option<&Check>) -> Answer<'a>;

    /// Decodes and checks the arguments without running.
    fn validate(&self, call: Call<'_>, check: Option<&Check>) -> Result<(), ToolError>;

    /// Returns the shape of the arguments, if it holds secrets.
    fn secrets(&self) -> Option<&'static Shape<'static>>;
}

/// Check of decoded arguments.
pub(super) type Check = dyn Fn(&Call<'_>) -> Result<(), ToolError> + Send + Sync;

pub(super) fn check<A, F>(check: F) -> Box<Check>
where
    A: DeserializeOwned + 'static,
    F: Fn(&A) -> Result<(), Vec<String>> + Send + Sync + 'static,
{
    Box::new(move |call| {
        let arguments = decode_value::<A>(call, None)?;
        check(&arguments).map_err(|messages| {
            let messages = messages.into_iter().map(Into::into).collect();
            ToolError::with_messages(ErrorKind::InvalidArgs, messages)
        })
    })
}

struct Typed<A, F> {
    run: F,
    /// Shape for error messages, if known.
    shape: Option<&'static Shape<'static>>,
    arguments: PhantomData<fn(A)>,
}

/// Makes a handler of a synchronous closure.
pub(super) fn sync<A, F, T, E>(run: F, shape: Option<&'static Shape<'static>>) -> Box<dyn Handler>
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(A, Context) -> Result<T, E> + Send + Sync + 'static,
    T: Output,
    E: Display + Debug + 'static,
{
    Box::new(Typed {
        run: move |arguments: A, cx| Answer::Ready(finish(run(arguments, cx))),
        shape,
        arguments: PhantomData,
    })
}

/// Makes a handler of an asynchronous closure.
pub(super) fn later<A, F, R, T, E>(
    run: F,
    shape: Option<&'static Shape<'static>>,
) -> Box<dyn Handler>
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(A, Context) -> R + Send + Sync + 'static,
    R: Future<Output = Result<T, E>> + Send + 'static,
    T: Output,
    E: Display + Debug + 'static,
{
    Box::new(Typed {
        run: move |arguments: A, cx| {
            let answer = run(arguments, cx);
            Answer::later(async move { finish(answer.await) })
        },
        shape,
        arguments: PhantomData,
    })
}

impl<A: DeserializeOwned, F> Typed<A, F>
where
    Self: Handler,
{
    fn read(&self, call: Call<'_>, check: Option<&Check>) -> Result<A, ToolError> {
        let (arguments, text) = decode_value_of::<A>(&call, self.shape)?;
        // Without a schema, decoding again would repair nothing.
        let checked = check.map_or(Ok(()), |check| check(&call.with_arguments(text)));
        match checked {
            Err(error) if self.secrets().is_some() => Err(error.without_values()),
            checked => checked.map(|()| arguments),
        }
    }
}

impl<A, F> Handler for Typed<A, F>
where
    A: DeserializeOwned,
    F: Fn(A, Context) -> Answer<'static> + Send + Sync,
{
    fn call<'a>(&'a self, call: Call<'a>, check: Option<&Check>) -> Answer<'a> {
        match self.read(call, check) {
            Ok(arguments) => (self.run)(arguments, call.context()),
            Err(error) => Answer::Ready(Err(error)),
        }
    }

    fn validate(&self, call: Call<'_>, check: Option<&Check>) -> Result<(), ToolError> {
        self.read(call, check).map(drop)
    }

    fn secrets(&self) -> Option<&'static Shape<'static>> {
        self.shape.filter(|shape| holds_secret(shape))
    }
}

fn finish<T: Output, E: Display + Debug + 'static>(
    result: Result<T, E>,
) -> Result<Outcome, ToolError> {
    match result {
        Ok(value) => Outcome::returned(value),
        Err(error) => Err(into_tool_error(error)),
    }
}

/// Converts an error: a [`ToolError`] stays as it is, and of any other the model reads the text.
fn into_tool_error<E: Display + Debug + 'static>(error: E) -> ToolError {
    let mut error = Some(error);
    let as_any: &mut dyn Any = &mut error;
    if let Some(Some(error)) = as_any.downcast_mut::<Option<ToolError>>().map(Option::take) {
        return error;
    }
    let (message, detail) = match &error {
        Some(error) => (error.to_string(), format!("{error:?}")),
        None => Default::default(),
    };
    ToolError::failed(message).with_debug(detail)
}
