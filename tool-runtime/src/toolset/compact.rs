//! Compact definitions: one line a tool, and `search_tools`, which prints the rest.

use std::fmt::Write;
use std::sync::Arc;

use super::search_tools::SearchTools;
use super::{ConflictError, ToolEntry, Toolset};
use crate::tool::{Answer, Call, Tool, WrapTool};
use toolwright_provider::call::{ErrorKind, ToolDef, ToolError};
use toolwright_provider::wire::SEARCH_TOOLS;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::{Ordered, Parts, read};
use toolwright_schema::render::SchemaDoc;

impl Toolset {
    /// Reduces each tool to one line: the first of its description, and its arguments' names and types. Adds the tool
    /// `search_tools`, which prints the whole descriptions and schemas of the tools that it finds.
    ///
    /// Use it where tools cannot be [loaded](Self::load), such as behind a server of MCP; otherwise
    /// [defer](Self::defer) them. The list depends on the set alone, so a provider's prompt cache keeps it. Arguments
    /// are checked as always; an error for wrong ones says how the tool is called.
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
    /// let help = ToolCall::new("1", "search_tools", r#"{"query": "wait"}"#);
    /// let help = compact.call_blocking(&help, &Context::new());
    /// assert!(help.content(Default::default()).contains("Much more about it."));
    /// ```
    ///
    /// # Errors
    /// When one of the tools is called `search_tools`.
    pub fn compact(&self) -> Result<Self, ConflictError> {
        let mut entries = Vec::new();
        for entry in self.entries() {
            let tool = &entry.tool;
            let usage = usage(tool.def());
            let mut def = tool.def().clone();
            let line = def.description.trim().lines().next().unwrap_or_default();
            def.description = format!("{line} {usage}").into();
            def.input = anything();
            def.output = None;
            def.examples = Vec::new();
            let stub = ToolEntry::new(Arc::new(CompactTool {
                def,
                usage,
                whole: entry.visible().0.clone(),
                tool: Arc::clone(tool),
            }));
            entries.push(ToolEntry {
                namespace: None,
                ..stub.instead(entry, "")
            });
        }
        // The set makes it.
        let search = Arc::new(SearchTools::printing(SEARCH_TOOLS, Arc::default()));
        entries.push(ToolEntry {
            prints: true,
            ..ToolEntry::new(search)
        });
        Self::of_entries(self.set.inherited.clone(), entries)
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

struct CompactTool {
    def: ToolDef,
    /// The tool's own definition.
    whole: ToolDef,
    usage: String,
    tool: Arc<dyn Tool>,
}

impl CompactTool {
    /// Adds the usage to errors about arguments.
    fn with_usage(&self, error: ToolError) -> ToolError {
        if error.kind() != ErrorKind::InvalidArgs {
            return error;
        }
        let usage = &self.usage;
        error.with_message(format!("usage: {usage}; `{SEARCH_TOOLS}` tells more"))
    }
}

impl WrapTool for CompactTool {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn reads_context(&self) -> bool {
        self.tool.reads_context()
    }

    fn __whole(&self) -> Option<&ToolDef> {
        Some(&self.whole)
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
