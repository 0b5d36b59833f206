mod build_error;
mod handler;

use std::borrow::Cow;
use std::fmt::{self, Debug, Display};
use std::future::Future;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use self::build_error::BuildError;
use self::handler::{Check, Handler};
use crate::tool::{Answer, Call, Context, Scope, Tool, check, filled, not_approved, with_defaults};
use toolwright_provider::call::{ErrorKind, Output, ToolDef, ToolError, ToolOptions};
use toolwright_provider::definitions::Stripped;
use toolwright_schema::decode::{Checker, without_secrets};
use toolwright_schema::read::tree::Tree;
pub use toolwright_schema::read::tree::{SchemaError, SchemaErrorKind};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Schema, Shape};
use toolwright_schema::text::NameError;

/// A tool made at run time: from a file, a database, or a closure.
///
/// ```
/// use serde::Deserialize;
/// use toolwright::{Context, DynTool, ToolCall, ToolError, Toolset};
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
    checks: Checks,
    /// The schema, read at the first call.
    checker: OnceLock<Result<Checker, SchemaError>>,
    max_schema_bytes: usize,
    reads_context: bool,
    check: Option<Box<Check>>,
    visible: Option<Box<Visible>>,
}

type Visible = dyn Fn(&Scope<'_>) -> bool + Send + Sync;

/// How the schema is used for arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Checks {
    /// Not checked: the schema is that of the handler's type, or checks are off.
    None,
    /// Arguments are checked against it.
    Only,
    /// They also get its defaults.
    AndFills,
}

impl DynTool {
    /// Starts a builder. A tool needs a name, a description and a handler.
    pub fn builder() -> DynToolBuilder {
        DynToolBuilder::default()
    }

    /// Declares a tool without a handler: the host answers its calls. A direct call fails with
    /// [`NoHandler`](ErrorKind::NoHandler).
    ///
    /// The definition is taken as it is, so it can be renamed afterwards. [`Toolset::check`](crate::toolset::Toolset::check)
    /// reports invisible characters in it, and a [`Wire`](toolwright_provider::wire::Wire) leaves them out.
    pub fn declare(def: ToolDef) -> Arc<dyn Tool> {
        Arc::new(Self::new(def, Checks::None))
    }

    fn new(def: ToolDef, checks: Checks) -> Self {
        Self {
            def,
            handler: None,
            checks,
            checker: OnceLock::new(),
            max_schema_bytes: Tree::MOST_BYTES,
            reads_context: true,
            check: None,
            visible: None,
        }
    }

    fn handler(&self) -> Result<&dyn Handler, ToolError> {
        self.handler.as_deref().ok_or_else(|| {
            let message = format!(
                "the tool `{}` is declared, but nothing here runs it",
                self.def.name
            );
            ToolError::new(ErrorKind::NoHandler, message)
        })
    }

    /// Marks a call of an exact tool.
    fn own<'a>(&self, call: Call<'a>) -> Call<'a> {
        call.exact(self.def.is_exact())
    }

    fn secrets(&self) -> Option<&'static Shape<'static>> {
        self.handler.as_ref()?.secrets()
    }

    /// Validates the arguments against a run-time schema, repairs them where needed, and adds defaults.
    fn validated<'a>(&self, call: Call<'a>) -> Result<Call<'a>, ToolError> {
        if self.checks == Checks::None {
            return Ok(call);
        }
        let read = || Checker::of(self.def.input.as_json(), self.max_schema_bytes);
        let checker = self.checker.get_or_init(read).as_ref();
        let checker = checker.map_err(|error| ToolError::failed(error.to_string()))?;
        let root = checker.root();
        let has_secrets = self.secrets().is_some();
        let mut text = check(&call, root, has_secrets, self.def.old_names())?;
        if self.checks == Checks::AndFills {
            text = filled(&call, text, root, checker.defaults())?;
        }
        Ok(call.with_arguments(text))
    }
}

impl Debug for DynTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DynTool").field(&self.def.name).finish()
    }
}

impl Tool for DynTool {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        let lacks_approval = self.def.options.needs_approval && !call.is_approved();
        let call = self.own(call);
        let handler = self.handler();
        match handler.and_then(|handler| Ok((handler, self.validated(call)?))) {
            Ok(_) if lacks_approval => Answer::Ready(Err(not_approved())),
            Ok((handler, call)) => handler.call(call, self.check.as_deref()),
            Err(error) => Answer::Ready(Err(error)),
        }
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        let handler = self.handler()?;
        let call = self.validated(self.own(call))?;
        handler.validate(call, self.check.as_deref())
    }

    fn __with_defaults(&self, arguments: &str) -> Option<String> {
        let fills = self.checks == Checks::AndFills;
        fills.then(|| with_defaults(&self.def.input, arguments))?
    }

    fn redacted<'t>(&self, arguments: &'t str) -> Cow<'t, str> {
        match self.secrets().or_else(|| self.def.input.shape()) {
            Some(shape) => without_secrets(arguments, shape),
            None => arguments.into(),
        }
    }

    fn reads_context(&self) -> bool {
        self.reads_context
    }

    fn visible(&self, scope: &Scope<'_>) -> bool {
        self.visible.as_ref().is_none_or(|visible| visible(scope))
    }

    fn __may_hide(&self) -> bool {
        self.visible.is_some()
    }
}

/// Builder of a [`DynTool`]; see [`DynTool::builder`].
#[must_use = "a builder makes nothing until `build` is called"]
pub struct DynToolBuilder {
    /// The tool so far. Empty texts represent missing ones.
    tool: DynTool,
    meta: Map<String, Value>,
    /// The schema was given apart from the handler, so decoding does not check it.
    is_schema_given: bool,
}

impl Default for DynToolBuilder {
    fn default() -> Self {
        Self {
            tool: DynTool::new(ToolDef::new("", ""), Checks::AndFills),
            meta: Map::new(),
            is_schema_given: false,
        }
    }
}

impl DynToolBuilder {
    /// Sets the whole definition, stored or from a provider's form. Replaces earlier settings.
    pub fn def(mut self, def: ToolDef) -> Self {
        self.meta = def.meta.clone().into();
        self.tool.def = def;
        self.is_schema_given = true;
        self
    }

    /// Sets the name that the model calls.
    pub fn name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.tool.def.name = name.into();
        self
    }

    /// Sets the description for the model.
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.tool.def.description = description.into();
        self
    }

    /// Sets a name for people.
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.tool.def.title = Some(title.into());
        self
    }

    /// Sets the schema of the arguments, for a handler that is not typed over them. Default: no arguments.
    ///
    /// ```
    /// use toolwright::{DynTool, ToolError, schema::SchemaDoc};
    ///
    /// // As they stand in a row of a database.
    /// let (name, about) = ("forecast".to_owned(), "Weather of a city.".to_owned());
    /// let schema = r#"{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}"#;
    /// let tool = DynTool::builder()
    ///     .name(name)
    ///     .description(about)
    ///     .parameters(SchemaDoc::parse(schema).unwrap())
    ///     .handler(|arguments: serde_json::Value, _cx| async move {
    ///         Ok::<_, ToolError>(format!("sun in {}", arguments["city"]))
    ///     })
    ///     .build();
    /// assert_eq!(tool.unwrap().def().name, "forecast");
    /// ```
    ///
    /// Arguments are checked against a schema that is given here or by [`def`](Self::def), before the handler's own type
    /// is read; every fault is reported in one line. [`unchecked`](Self::unchecked) switches that off.
    ///
    /// - Drafts 2020-12, 2019-09 and 7 are read, as `$schema` says; without it, 2020-12. Older ones are read as draft 7.
    /// - [`build`](Self::build) refuses a schema that takes unbounded work, that refers to another document, or that
    ///   admits no object: see [`SchemaErrorKind`]. Nothing is ever fetched.
    /// - Everything else that cannot be checked is a note of [`Toolset::check`](crate::toolset::Toolset::check), with its
    ///   place: keywords with malformed values, look-around in a `pattern`, formats that are not known here.
    /// - The schema is read at the first call.
    /// - Arguments are repaired as those of compiled tools are, and the handler reads them repaired.
    /// - The handler reads the [defaults](Self::fill_defaults) of keys that were left out.
    /// - Most formats that JSON Schema defines are checked: `idn-email` and `idn-hostname` as far as that needs
    ///   no tables of Unicode's, so that some texts pass that are none.
    /// - A `pattern` is matched in time linear in the text.
    /// - Arguments that would take too long to check against the schema are refused: alternatives for each
    ///   of many elements multiply each other.
    /// - Numbers are compared by their decimal texts: `1e-400` is not an integer, and above zero. A
    ///   `number` beyond `f64` is refused.
    pub fn parameters(mut self, schema: SchemaDoc) -> Self {
        self.tool.def.input = schema;
        self.is_schema_given = true;
        self
    }

    /// Adds the schema's defaults to the arguments. Default: true.
    ///
    /// The sent arguments do not change, repairs aside. Each object that leaves out an optional key whose schema has a
    /// `default` gets the key at its end, after the arguments were checked. That holds inside objects, arrays and maps,
    /// behind `$ref`, and in the alternative that the value is of. A default is taken as it is written: one that is
    /// itself an object is not completed. `null` that the schema refuses, as strict modes send it for a key that is
    /// left out, is such a key, and as a default it is none.
    ///
    /// A default that its own schema refuses is not added, and is a note of
    /// [`Toolset::check`](crate::toolset::Toolset::check).
    ///
    /// ```
    /// use toolwright::{Context, DynTool, ToolCall, ToolError, Toolset, schema::SchemaDoc};
    ///
    /// let schema = r#"{"type": "object", "properties": {
    ///     "city": {"type": "string"},
    ///     "days": {"type": "integer", "default": 5}
    /// }, "required": ["city"]}"#;
    /// let tool = DynTool::builder()
    ///     .name("forecast")
    ///     .description("Weather of a city.")
    ///     .parameters(SchemaDoc::parse(schema).unwrap())
    ///     .handler_sync(|arguments: serde_json::Value, _cx| Ok::<_, ToolError>(arguments))
    ///     .build();
    /// let tools = Toolset::new([tool.unwrap()]).unwrap();
    /// let call = ToolCall::new("1", "forecast", r#"{"city": "Oslo"}"#);
    /// let seen = tools.call_blocking(&call, &Context::new()).value();
    /// assert_eq!(seen, Some(serde_json::json!({"city": "Oslo", "days": 5})));
    /// ```
    ///
    /// Where another program reads the arguments and has its own defaults, set false: then defaults are notes for the
    /// model, and are not looked at.
    pub fn fill_defaults(mut self, fills: bool) -> Self {
        self.tool.checks = match (self.tool.checks, fills) {
            (Checks::None, _) => Checks::None,
            (_, true) => Checks::AndFills,
            (_, false) => Checks::Only,
        };
        self
    }

    /// Limits the bytes of the [schema](Self::parameters) that arguments are checked against, and its subschemas, of which there may
    /// be one for each 64 bytes. Default: 2 MiB. It bounds memory: the tree that is made at the first call takes up to 20 times the
    /// bytes of the schema.
    pub fn max_schema_bytes(mut self, bytes: usize) -> Self {
        self.tool.max_schema_bytes = bytes;
        self
    }

    /// Publishes the schema without reading it and without checking arguments against it. The handler's type refuses
    /// arguments that it cannot read; `serde_json::Value` refuses none.
    pub fn unchecked(mut self) -> Self {
        self.tool.checks = Checks::None;
        self
    }

    /// Sets the schema of the type that the handler decodes.
    fn parameters_of<A: Schema>(mut self) -> Self {
        self.tool.def.input = SchemaDoc::of::<A>();
        self.is_schema_given = false;
        self
    }

    /// Sets the schema of the result.
    pub fn output(mut self, schema: SchemaDoc) -> Self {
        self.tool.def.output = Some(schema);
        self
    }

    /// Sets hints about its effects, and how its calls run.
    pub fn options(mut self, options: ToolOptions) -> Self {
        self.tool.def.options = options;
        self
    }

    /// Adds an attribute, which every result carries for the host.
    pub fn meta(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(name.into(), value.into());
        self
    }

    /// Sets whether answers may depend on the context that the handler receives. Default: true. With false, a
    /// [`Cache`](crate::layers::Cache) may [share](crate::layers::Cache::shared_for) them between conversations.
    pub fn reads_context(mut self, reads_context: bool) -> Self {
        self.tool.reads_context = reads_context;
        self
    }

    /// Sets the conversations that may see and call the tool.
    pub fn visible(mut self, visible: impl Fn(&Scope<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.tool.visible = Some(Box::new(visible));
        self
    }

    /// Sets a check of decoded arguments, which returns one message for each fault.
    ///
    /// It runs after the handler's own type was decoded, and decodes the arguments again as an `A`, which may be
    /// another type.
    pub fn validate<A, F>(mut self, check: F) -> Self
    where
        A: DeserializeOwned + 'static,
        F: Fn(&A) -> Result<(), Vec<String>> + Send + Sync + 'static,
    {
        self.tool.check = Some(handler::check(check));
        self
    }

    /// Runs an asynchronous closure over arguments of any form: `serde_json::Value` or `Box<RawValue>` for raw JSON.
    ///
    /// The model reads an error's `Display`; a [`ToolError`](toolwright_provider::call::ToolError) stays as it is.
    pub fn handler<A, F, R, T, E>(mut self, run: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Output,
        E: Display + Debug + 'static,
    {
        self.tool.handler = Some(handler::later(run, None));
        self
    }

    /// Runs a closure over arguments of any form: `serde_json::Value` or `Box<RawValue>` for raw JSON.
    pub fn handler_sync<A, F, T, E>(mut self, run: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Result<T, E> + Send + Sync + 'static,
        T: Output,
        E: Display + Debug + 'static,
    {
        self.tool.handler = Some(handler::sync(run, None));
        self
    }

    /// Runs an asynchronous closure over arguments of type `A`, whose schema the tool publishes.
    pub fn typed<A, F, R, T, E>(mut self, run: F) -> Self
    where
        A: Schema + DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Output,
        E: Display + Debug + 'static,
    {
        const { A::SHAPE.can_be_read(A::REFS) };
        self.tool.handler = Some(handler::later(run, Some(A::SHAPE)));
        self.parameters_of::<A>()
    }

    /// Runs a closure over arguments of type `A`, whose schema the tool publishes.
    pub fn typed_sync<A, F, T, E>(mut self, run: F) -> Self
    where
        A: Schema + DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Result<T, E> + Send + Sync + 'static,
        T: Output,
        E: Display + Debug + 'static,
    {
        const { A::SHAPE.can_be_read(A::REFS) };
        self.tool.handler = Some(handler::sync(run, Some(A::SHAPE)));
        self.parameters_of::<A>()
    }

    /// Makes the tool.
    ///
    /// # Errors
    ///
    /// When the tool lacks a required part, a provider refuses the name, or texts, keys or values of the definition
    /// have invisible characters; also when arguments cannot be checked against the [schema](Self::parameters).
    pub fn build(self) -> Result<Arc<dyn Tool>, BuildError> {
        let Self {
            mut tool,
            meta,
            is_schema_given,
        } = self;
        let def = &mut tool.def;
        if def.name.is_empty() {
            return Err(BuildError::Missing("name"));
        }
        NameError::check(&def.name).map_err(BuildError::Name)?;
        if def.description.trim().is_empty() {
            return Err(BuildError::Missing("description"));
        }
        if tool.handler.is_none() && !def.options.manual {
            return Err(BuildError::Missing("handler"));
        }
        if def.input.shape().is_some_and(|shape| !is_object(shape)) {
            return Err(BuildError::NotObject);
        }
        if !is_schema_given || tool.handler.is_none() {
            tool.checks = Checks::None;
        }
        if tool.checks != Checks::None {
            Tree::check(def.input.as_json(), tool.max_schema_bytes).map_err(BuildError::Schema)?;
        }
        let stripped = def.strip_hidden();
        if stripped != Stripped::default() {
            return Err(BuildError::HiddenText(stripped));
        }
        def.meta = meta.into();
        Ok(Arc::new(tool))
    }
}

impl Debug for DynToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynToolBuilder")
            .field("name", &self.tool.def.name)
            .finish_non_exhaustive()
    }
}

/// Returns true if the shape is that of an object.
fn is_object(shape: &Shape<'_>) -> bool {
    let kind = shape.core();
    !shape.is_nullable() && (kind.is_object() || kind.is_opaque())
}
