//! Compact definitions: one line a tool, and a tool that describes the rest.

use std::fmt::Write;
use std::sync::Arc;

use serde::Deserialize;

use super::{ConflictError, Toolset};
use crate::tool::{Answer, Call, Context, Tool, WrapTool};
use toolwright_provider::call::{ErrorKind, Outcome, Payload, ToolDef, ToolError};
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::{Ordered, Parts, read};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Field, Schema, Shape};

/// Name of the tool that describes the others.
const HELP: &str = "tool_help";

impl Toolset {
    /// Reduces each tool to one line: the first of its description, and its arguments' names and types. Adds a tool
    /// `tool_help`, which returns the whole description and schema of one.
    ///
    /// Use it for many tools of which a turn needs few. The list depends on the set alone, so a provider's prompt cache
    /// keeps it. Arguments are checked as always; an error for wrong ones says how the tool is called.
    ///
    /// ```
    /// use toolwright::{Context, DynTool, ToolCall, ToolError, Toolset};
    ///
    /// let wait = DynTool::builder()
    ///     .name("wait")
    ///     .description("Waits.\n\nMuch more about it.")
    ///     .typed_sync(|n: std::collections::BTreeMap<String, u8>, _| Ok::<_, ToolError>(n.len()))
    ///     .build()
    ///     .unwrap();
    /// let compact = Toolset::new([wait]).unwrap().compact().unwrap();
    /// let told: Vec<_> = compact.definitions().map(|def| &*def.description).collect();
    /// assert_eq!(told[0], "Waits. wait(…)");
    /// let help = ToolCall::new("1", "tool_help", r#"{"name": "wait"}"#);
    /// let help = compact.call_blocking(&help, &Context::new());
    /// assert!(help.content(Default::default()).contains("Much more about it."));
    /// ```
    ///
    /// # Errors
    /// When one of the tools is called `tool_help`.
    pub fn compact(&self) -> Result<Self, ConflictError> {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for tool in self.iter() {
            let usage = usage(tool.def());
            let mut def = tool.def().clone();
            let line = def.description.trim().lines().next().unwrap_or_default();
            def.description = format!("{line} {usage}").into();
            def.input = anything();
            def.output = None;
            def.examples = Vec::new();
            tools.push(Arc::new(Stub {
                def,
                usage,
                tool: Arc::clone(tool),
            }));
        }
        let mut def = ToolDef::new(
            HELP,
            "Tells how a tool is called, with all of its arguments.",
        );
        def.input = SchemaDoc::of::<HelpArguments>();
        def.annotations.read_only = Some(true);
        let tools_of_help = self.clone();
        tools.push(Arc::new(Help {
            def,
            tools: tools_of_help,
        }));
        Self::new(tools)
    }
}

/// Returns the schema of any object.
fn anything() -> SchemaDoc {
    SchemaDoc::parse(r#"{"type":"object"}"#).unwrap_or_else(|_| SchemaDoc::empty_object())
}

/// Describes a call: `forecast(city: string, days?: integer)`.
fn usage(def: &ToolDef) -> String {
    let schema = read(def.input.as_json()).unwrap_or(Ordered::Null);
    let mut out = format!("{}(", def.name);
    let mut gap = "";
    for (name, value) in schema.declared().unwrap_or_default() {
        let mark = if schema.requires(name) { "" } else { "?" };
        // Writing to a string cannot fail.
        let _ = write!(out, "{gap}{name}{mark}: {}", kind(value));
        gap = ", ";
    }
    // Other keys are admitted.
    if !schema.is_closed() {
        let _ = write!(out, "{gap}…");
    }
    out.push(')');
    out
}

/// Returns the type's name.
fn kind(schema: &Ordered) -> &str {
    let mut kinds = schema.types().filter(|kind| *kind != "null");
    match kinds.next() {
        Some(kind) => kind,
        None if schema.has(Keyword::Type) => "null",
        None => "any",
    }
}

struct Stub {
    def: ToolDef,
    usage: String,
    tool: Arc<dyn Tool>,
}

impl Stub {
    /// Adds the usage to errors about arguments.
    fn with_usage(&self, error: ToolError) -> ToolError {
        if error.kind() != ErrorKind::InvalidArgs {
            return error;
        }
        let usage = &self.usage;
        error.with_message(format!("usage: {usage}; `{HELP}` tells more"))
    }
}

impl WrapTool for Stub {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match self.tool.call(call) {
            Answer::Ready(Err(error)) => Answer::Ready(Err(self.with_usage(error))),
            answer => answer,
        }
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        self.tool
            .validate(call)
            .map_err(|error| self.with_usage(error))
    }
}

/// The arguments of `tool_help`.
#[derive(Deserialize)]
struct HelpArguments {
    name: String,
}

impl Schema for HelpArguments {
    const SHAPE: &'static Shape<'static> =
        &Shape::object(&[Field::new("name", "The tool's name", String::SHAPE)]);
}

struct Help {
    def: ToolDef,
    tools: Toolset,
}

impl Help {
    /// Describes a tool that this conversation may see.
    fn about(&self, name: &str, cx: &Context) -> Result<String, ToolError> {
        let found = self.tools.find_visible(name.as_bytes(), &cx.scope(), None);
        let entry = found.map_err(|error| ToolError::failed(error.to_string()))?;
        let (def, _) = entry.visible();
        let (description, schema) = (&def.description, def.input.to_provider_json());
        let mut text = format!("{name}: {description}\narguments: {schema}");
        let examples = def.examples_in_words();
        if !examples.is_empty() {
            text.push('\n');
            text.push_str(&examples);
        }
        Ok(text)
    }
}

impl Tool for Help {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        let about = || {
            let asked: HelpArguments = call.decode()?;
            let text = self.about(&asked.name, &call.context())?;
            Ok(Outcome::Value(Payload::text(text)))
        };
        Answer::Ready(about())
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        call.decode::<HelpArguments>().map(drop)
    }
}
