use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::decode::decode_value;
use crate::{
    Annotations, Answer, Call, Context, ErrorKind, NameError, Output, Schema, SchemaDoc, Shape,
    Tool, ToolDef, ToolError,
};

/// A tool that is known only at run time: from a file, a database, or a closure.
///
/// ```
/// use serde::Deserialize;
/// use toolwright_runtime::{Context, DynTool, ToolCall, ToolError, Toolset};
///
/// let double = DynTool::builder()
///     .name("double")
///     .description("Doubles a number.")
///     .typed_sync(|n: std::collections::BTreeMap<String, i64>, _cx| {
///         Ok::<_, ToolError>(n.into_values().map(|n| 2 * n).collect::<Vec<_>>())
///     })
///     .build()
///     .unwrap();
/// let tools = Toolset::new([double]).unwrap();
/// let call = ToolCall::new("1", "double", r#"{"n": 21}"#);
/// assert_eq!(tools.call_blocking(&call, &Context::new()).value(), Some(serde_json::json!([42])));
///
/// let error = DynTool::builder().name("nameless").build().unwrap_err();
/// assert_eq!(error.to_string(), "the tool's description is missing");
/// ```
pub struct DynTool {
    def: ToolDef,
    handler: Option<Box<dyn Handler>>,
}

/// The code of a [`DynTool`].
trait Handler: Send + Sync {
    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a>;
    fn validate(&self, call: Call<'_>) -> Result<(), ToolError>;
}

impl DynTool {
    /// Starts a tool. It needs a name, a description and a handler.
    pub fn builder() -> DynToolBuilder {
        DynToolBuilder::default()
    }

    /// A tool that is declared and that nothing here runs: its calls are for the host to answer.
    /// Called all the same it answers [`NoHandler`](ErrorKind::NoHandler).
    pub fn declare(def: ToolDef) -> Arc<dyn Tool> {
        Arc::new(Self { def, handler: None })
    }
}

impl fmt::Debug for DynTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DynTool").field(&self.def.name).finish()
    }
}

impl DynTool {
    fn handler(&self) -> Result<&dyn Handler, ToolError> {
        self.handler.as_deref().ok_or_else(|| {
            let message = format!(
                "the tool `{}` is declared, but nothing here runs it",
                self.def.name
            );
            ToolError::new(ErrorKind::NoHandler, message)
        })
    }
}

impl Tool for DynTool {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match self.handler() {
            Ok(handler) => handler.call(call),
            Err(error) => Answer::Ready(Err(error)),
        }
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        self.handler()?.validate(call)
    }
}

/// Makes a [`DynTool`]; see [`DynTool::builder`].
#[derive(Default)]
#[must_use = "a builder makes nothing until `build` is called"]
pub struct DynToolBuilder {
    name: Option<Cow<'static, str>>,
    description: Option<Cow<'static, str>>,
    title: Option<Cow<'static, str>>,
    parameters: Option<SchemaDoc>,
    annotations: Annotations,
    manual: bool,
    meta: serde_json::Map<String, serde_json::Value>,
    handler: Option<Box<dyn Handler>>,
}

impl DynToolBuilder {
    /// The name that the model calls.
    pub fn name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What the tool does, for the model.
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// A name for people.
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What the arguments look like, for a handler that is not typed over them. Without it the tool
    /// says that it takes none.
    pub fn parameters(mut self, schema: SchemaDoc) -> Self {
        self.parameters = Some(schema);
        self
    }

    /// Hints about the tool's effects.
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// A person or the host answers the tool's calls.
    pub fn manual(mut self, manual: bool) -> Self {
        self.manual = manual;
        self
    }

    /// A value that rides on every result, for the host.
    pub fn meta(mut self, name: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        self.meta.insert(name.into(), value.into());
        self
    }

    /// Runs an asynchronous closure over arguments of any form: `serde_json::Value` or
    /// `Box<RawValue>` for raw JSON.
    pub fn handler<A, F, R, T, E>(mut self, run: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Output,
        E: fmt::Display + fmt::Debug,
    {
        self.handler = Some(async_handler(run, None));
        self
    }

    /// Runs a closure over arguments of any form: `serde_json::Value` or `Box<RawValue>` for raw
    /// JSON.
    pub fn handler_sync<A, F, T, E>(mut self, run: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Result<T, E> + Send + Sync + 'static,
        T: Output,
        E: fmt::Display + fmt::Debug,
    {
        self.handler = Some(sync_handler(run, None));
        self
    }

    /// Runs an asynchronous closure over arguments of type `A`, whose schema the tool publishes.
    pub fn typed<A, F, R, T, E>(mut self, run: F) -> Self
    where
        A: Schema + DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Output,
        E: fmt::Display + fmt::Debug,
    {
        self.handler = Some(async_handler(run, Some(A::SHAPE)));
        self.parameters(SchemaDoc::of::<A>())
    }

    /// Runs a closure over arguments of type `A`, whose schema the tool publishes.
    pub fn typed_sync<A, F, T, E>(mut self, run: F) -> Self
    where
        A: Schema + DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Result<T, E> + Send + Sync + 'static,
        T: Output,
        E: fmt::Display + fmt::Debug,
    {
        self.handler = Some(sync_handler(run, Some(A::SHAPE)));
        self.parameters(SchemaDoc::of::<A>())
    }

    /// Makes the tool.
    ///
    /// # Errors
    /// When something that a tool needs is missing, or a provider refuses the name.
    pub fn build(self) -> Result<Arc<dyn Tool>, BuildError> {
        let name = self.name.ok_or(BuildError::Missing("name"))?;
        NameError::check(&name).map_err(BuildError::Name)?;
        let description = self
            .description
            .filter(|text| !text.trim().is_empty())
            .ok_or(BuildError::Missing("description"))?;
        let handler = self.handler.ok_or(BuildError::Missing("handler"))?;
        let def = ToolDef {
            title: self.title,
            input: self.parameters.unwrap_or_else(SchemaDoc::empty_object),
            annotations: self.annotations,
            manual: self.manual,
            meta: self.meta.into(),
            ..ToolDef::new(name, description)
        };
        Ok(Arc::new(DynTool {
            def,
            handler: Some(handler),
        }))
    }
}

impl fmt::Debug for DynToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynToolBuilder")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Why a [`DynTool`] could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// A part that every tool needs was not given: this one.
    Missing(&'static str),
    /// A provider refuses the name.
    Name(NameError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(part) => write!(f, "the tool's {part} is missing"),
            Self::Name(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

struct Typed<A, F> {
    run: F,
    /// For the words of a fault, where it is known.
    shape: Option<&'static Shape>,
    arguments: PhantomData<fn(A)>,
}

/// The code of a tool that answers at once.
fn sync_handler<A, F, T, E>(run: F, shape: Option<&'static Shape>) -> Box<dyn Handler>
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(A, Context) -> Result<T, E> + Send + Sync + 'static,
    T: Output,
    E: fmt::Display + fmt::Debug,
{
    Box::new(Typed {
        run: move |arguments: A, cx| Answer::Ready(finish(run(arguments, cx))),
        shape,
        arguments: PhantomData,
    })
}

/// The code of a tool that answers later.
fn async_handler<A, F, R, T, E>(run: F, shape: Option<&'static Shape>) -> Box<dyn Handler>
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(A, Context) -> R + Send + Sync + 'static,
    R: Future<Output = Result<T, E>> + Send + 'static,
    T: Output,
    E: fmt::Display + fmt::Debug,
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

impl<A, F> Handler for Typed<A, F>
where
    A: DeserializeOwned,
    F: Fn(A, Context) -> Answer<'static> + Send + Sync,
{
    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match decode_value::<A>(&call, self.shape) {
            Ok(arguments) => (self.run)(arguments, call.context()),
            Err(error) => Answer::Ready(Err(error)),
        }
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        decode_value::<A>(&call, self.shape).map(drop)
    }
}

fn finish<T: Output, E: fmt::Display + fmt::Debug>(
    result: Result<T, E>,
) -> Result<crate::Outcome, ToolError> {
    match result {
        Ok(value) => Ok(value.into_outcome()),
        Err(error) => Err(ToolError::failed(error.to_string()).with_debug(format!("{error:?}"))),
    }
}
