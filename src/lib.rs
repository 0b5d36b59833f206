// Its examples use these features.
#![cfg_attr(
    any(not(doctest), all(feature = "agent", feature = "mcp-server")),
    doc = include_str!("../README.md")
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// What users name most stands here; the rest in modules that say what it is.
pub use toolwright_macros::{Provide, Schema};
#[doc(inline)]
pub use toolwright_provider::call::{
    Encoder, Outcome, ToolCall, ToolDef, ToolError, ToolOptions, ToolResult,
};
#[doc(inline)]
pub use toolwright_provider::dialect::Dialect;
#[doc(inline)]
pub use toolwright_provider::wire::Wire;
#[doc(inline)]
pub use toolwright_runtime::dyn_tool::DynTool;
#[cfg(feature = "tokio")]
#[doc(inline)]
pub use toolwright_runtime::executor::Executor;
#[doc(inline)]
pub use toolwright_runtime::tool::{Context, Provide, Tool};
#[doc(inline)]
pub use toolwright_runtime::toolset::{Instructions, Registry, Toolset};
#[doc(inline)]
pub use toolwright_schema::shape::Schema;

/// Schemas: of types, as trees that the compiler can read, and as JSON Schema.
pub mod schema {
    #[doc(inline)]
    pub use toolwright_schema::render::SchemaDoc;
    #[cfg(feature = "schemars")]
    #[doc(inline)]
    pub use toolwright_schema::shape::Opaque;
    #[doc(inline)]
    pub use toolwright_schema::shape::{
        Array, Bounds, Edge, Field, Foreign, Id, Int, IntegerRange, Kind, Literal, Map,
        NumberRange, Object, OutputPresence, Pattern, Presence, RecursiveEdge, Refs, Shape,
        StringRules, Union, Variant,
    };
}

/// A call's arguments: faults that a model can correct, repairs, and limits.
pub mod args {
    #[cfg(feature = "garde")]
    #[doc(inline)]
    pub use toolwright_schema::decode::Valid;
    #[doc(inline)]
    pub use toolwright_schema::decode::{
        Arena, Fault, FaultCode, Limits, Repair, RepairKind, Repairs,
    };
}

/// One call: the input and the output of a tool.
pub mod call {
    #[doc(hidden)]
    pub use toolwright_provider::call::FormatVersion;
    #[doc(inline)]
    pub use toolwright_provider::call::{
        Annotations, Block, Content, Encode, ErrorKind, Example, HaltReason, Meta, Output, Payload,
        StoredOutcome, StoredOutcomeError,
    };
    #[doc(inline)]
    pub use toolwright_runtime::tool::{
        Answer, Approved, BoxFuture, Call, CallPlace, Decision, Filter, Grant, Reading, Scope,
        State, WrapTool,
    };
    #[cfg(feature = "tokio")]
    #[doc(inline)]
    pub use toolwright_runtime::tool::{Cancel, Items, Progress};
}

/// Lists of tools: their errors, reports about them, and builders of tools at run time.
pub mod toolset {
    #[doc(inline)]
    pub use toolwright_provider::wire::Namespace;
    #[doc(inline)]
    pub use toolwright_runtime::dyn_tool::{
        BuildError, DynToolBuilder, SchemaError, SchemaErrorKind,
    };
    #[cfg(feature = "tokio")]
    #[doc(inline)]
    pub use toolwright_runtime::toolset::Changes;
    #[doc(inline)]
    pub use toolwright_runtime::toolset::{
        AttachError, ConflictError, FindTools, InstructionsError, ListState, LoadOptions, Problem,
        ProblemCode, RenameError, Report, Severity, ToolQuery,
    };
}

/// Providers' message formats, as pure text: requests, responses, streams.
pub mod wire {
    #[doc(inline)]
    pub use toolwright_provider::definitions::{
        DefinitionOptions, Definitions, DefinitionsError, NonStrict, Notice, NoticeKind, Stripped,
        ToolList,
    };
    #[doc(inline)]
    pub use toolwright_provider::wire::{
        Accumulator, AnswerForm, Completion, ExtrasError, FinishReason, HostedCall, JsonText,
        Loading, Message, Parallel, StreamEvent, Streamed, ToolChoice, ToolChoiceError, Usage,
        WireError,
    };
}

/// Providers' subsets of JSON Schema: verdicts, lowering to them, and the way back.
pub mod dialect {
    #[doc(inline)]
    pub use toolwright_provider::dialect::{
        Acceptance, Inverse, InverseSteps, Limit, LowerError, LowerErrorCode, Lowered, Note,
        NoteKind, Op, Renames, RequestLimits, Step, UnknownDialect, lower,
    };
}

/// Batches of calls: policies, limits, events, and calls that wait for a person.
#[cfg(feature = "tokio")]
pub mod executor {
    #[doc(inline)]
    pub use toolwright_runtime::executor::{
        Batch, BatchId, BlockingLimit, CallPlan, Decide, DecidedCall, ErrorPolicy, Event,
        ExclusiveGate, Halted, OnFailure, OutputLimit, Overflow, Pending, PendingReason, Question,
        Redacted, Reply, ResumeError, Runner, RunnerCall, Source, TraceEvent, TraceStore, Traced,
        TracedCall, Turn, UnknownOutcome, Waiting,
    };
    #[doc(inline)]
    pub use toolwright_runtime::tool::{
        OpenCall, OpenCallError, OpenCallHandle, OpenCallState, OpenCallStore, OpenCalls,
    };
}

#[cfg(feature = "tokio")]
#[doc(inline)]
pub use toolwright_runtime::layers;

#[cfg(feature = "lock")]
#[doc(inline)]
pub use toolwright_lock::lock;

/// Files that tests hold tools to, and the comparison of schemas behind them.
///
/// `lock!(tools, "tools.lock").check()` in a test fails if a tool changed in a way that breaks those who use it, or if the
/// file is not up to date: see [`Lock`](lock::Lock).
#[cfg(feature = "lock")]
pub mod lock {
    #[doc(inline)]
    pub use toolwright_lock::{Comparison, Lock, LockChange, LockError, Verdict, compare};
}

/// Counts of tokens: a bound that the compiler knows, and the counts of tokenizers.
///
/// `budget: 4_000;` in [`tools!`](crate::tools) and [`ToolDef::token_bound`](crate::ToolDef::token_bound) use the bound.
/// [`ToolDef::tokens`](crate::ToolDef::tokens) counts by any [`Tokenizer`](tokens::Tokenizer).
pub mod tokens {
    #[doc(inline)]
    pub use toolwright_schema::tokens::{Tokenizer, UnknownTokenizer, bound};
}

/// JSON text without a schema, for packages that read documents of others.
///
/// A [`Value`](json::Value) keeps the order of objects, repeated keys and the spelling of numbers, so a definition that is
/// made of one has the same bytes every time, whatever features of `serde_json` a build has.
pub mod json {
    #[doc(inline)]
    pub use toolwright_json::{Error, Value};
}

/// Short texts: names, ids, and text that is safe to print.
pub mod text {
    #[doc(inline)]
    pub use toolwright_schema::text::{
        NameError, Printable, ShortStr, is_portable_name, portable_name,
    };
}

#[doc(inline)]
pub use toolwright_schema::panics;

/// A model in the loop, with people who can pause it: threads, agents, sessions.
#[cfg(feature = "agent")]
pub mod agent {
    #[cfg(feature = "http")]
    #[doc(inline)]
    pub use toolwright_agent::Endpoint;
    #[cfg(feature = "sqlite-unbundled")]
    #[doc(inline)]
    pub use toolwright_agent::SqliteCheckpointer;
    // So that the compiler names paths that users have.
    #[doc(inline)]
    pub use toolwright_agent::*;
}

/// The Model Context Protocol: a server of a toolset, and the tools of servers in a toolset.
#[cfg(any(feature = "mcp-server", feature = "mcp-client"))]
pub mod mcp {
    // By feature, so that the documentation says which one an item needs.
    #[cfg(all(feature = "oauth", feature = "mcp-server-http"))]
    #[doc(inline)]
    pub use toolwright_mcp::{Authorization, AuthorizationError, TokenError};
    #[cfg(all(feature = "oauth", feature = "mcp-client-http"))]
    #[doc(inline)]
    pub use toolwright_mcp::{
        AuthorizationRequest, OAuth, OAuthHostError, StoredTokens, TokenStore,
    };
    #[cfg(feature = "mcp-client")]
    #[doc(inline)]
    pub use toolwright_mcp::{
        Client, ClientEvent, ConnectError, ConnectErrorKind, Connector, Elicitation,
        PromptArgument, PromptInfo, PromptMessage, ResourceInfo, ServerAt, connect,
    };
    #[cfg(feature = "mcp-server")]
    #[doc(inline)]
    pub use toolwright_mcp::{
        Completing, ElicitResults, McpServer, Messages, ResourceUpdates, ServerLimits,
    };
    #[doc(inline)]
    pub use toolwright_mcp::{ElicitResult, Notice, NoticeKind, TraceContext};
    #[cfg(feature = "mcp-server-http")]
    #[doc(inline)]
    pub use toolwright_mcp::{HttpBody, HttpService};
    #[cfg(feature = "mcp-server")]
    #[doc(inline)]
    pub use toolwright_runtime::__private::{Prompts, Resources};
}

/// A toolset out in the world: a command line, HTTP.
#[cfg(feature = "serve")]
pub mod serve {
    // A glob would bring its pages.
    #[doc(no_inline)]
    pub use toolwright_serve::axum;
    #[doc(inline)]
    pub use toolwright_serve::{Serve, http, main};
}

/// Makes a tool of a function, or of the methods of an impl block.
///
/// The function stays as it is: same signature, attributes, visibility; callable and testable as
/// before. A struct of the same name is beside it, which [`tools!`] takes, so one `use` imports
/// both. The struct lives among types, the function among values.
///
/// ```
/// use toolwright::{Context, ToolCall, tool, tools};
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// assert_eq!(add(1, 2), 3);
/// let call = ToolCall::new("call_1", "add", r#"{"a": 1, "b": 2}"#);
/// assert_eq!(tools![add].call_blocking(&call, &Context::new()).value(), Some(3.into()));
/// ```
///
/// # Options
///
/// | option | meaning |
/// | --- | --- |
/// | `name = "…"` | the name that the model calls; without it the function's |
/// | `title = "…"` | a name for people |
/// | `description = "…"` | the description, in place of the doc comment; also a constant, `concat!(…)`, `include_str!(…)` |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | hints about its effects, each also `= false` |
/// | `manual` | a person or the host answers its calls |
/// | `exact` | its arguments run only as they were written: no [repair](args::Repairs) changes them; a tool that is `destructive` or takes an [`Approved`](call::Approved) is exact anyway |
/// | `return_direct` | its result goes to the user as it is |
/// | `exclusive` | it never runs beside another tool |
/// | `blocking` | its body blocks the thread or computes for long (synchronous functions) |
/// | `background` | its calls stay open if the host takes their results later, as agents do: the model reads a note at once and the result in a later message; see [`OpenCalls`](executor::OpenCalls) |
/// | `timeout = "10s"` | how long a call may take; also `ms`, `m`, `h` |
/// | `meta(key = literal, …)` | values that ride on every result, for the host |
/// | `visible = path` | `fn(&Scope<'_>) -> bool`: whether a conversation may call it, by its [`Scope`](call::Scope); [`Toolset::visible`] removes a hidden tool, and a call of it fails as if it did not exist |
/// | `scopes("orders:write", …)` | scopes of an access token that a call needs: a context with a [`Grant`](call::Grant) that lacks one neither sees nor calls the tool |
/// | `validate = path` | gets the parameters that the model fills, each by reference, and returns `Result<(), E>` |
/// | `ignore_unknown` | unknown arguments are ignored, which are refused otherwise; the schema permits them (`additionalProperties`) |
/// | `example({"city": "Oslo"}, "a city")` | a call that shows how the tool is called, several if you like: JSON, which [`Toolset::check`] decodes ([`call::Example`]) |
/// | `targets(openai_strict, …)` | the [`Dialect`]s that must accept the tool: one that cannot express its arguments is an error at the parameter |
/// | `was("old_name", …)` | names that it had before: calls by them are its own; a new call of an exact tool is answered with the name of today |
/// | `args = Name` | makes a struct of the arguments: `Name::read(&call, &cx.reading())` decodes and validates a call, and `run` runs the tool; see [`Reading`](call::Reading) |
/// | `crate = path` | where `toolwright` is, if not at `::toolwright` |
///
/// # Description
///
/// The doc comment, as text: links into Rust's documentation become their words. Code blocks and the sections
/// `# Examples`, `# Panics` and `# Safety` are for people, and are left out. `#[doc = include_str!("…")]` and other macros
/// in it are joined with the rest as they are. An `# Arguments` list (`` - `city`: where to look ``) describes the parameters and
/// is not repeated; so does a `///` comment on a parameter.
///
/// Text for the model must be visible to people: tag characters, zero-width characters and marks that
/// turn the direction of text are errors in descriptions, names, examples and defaults, here and in
/// `#[derive(Schema)]`, with or without targets. Emoji of several characters, and joiners between
/// letters of scripts that have them, are visible.
///
/// # Targets
///
/// ```
/// use toolwright::tool;
///
/// /// Counts words.
/// #[tool(targets(openai_strict, anthropic_strict, gemini_json))]
/// fn count(text: &str, most: Option<u32>) -> u32 {
///     most.unwrap_or(u32::MAX).min(text.split_whitespace().count() as u32)
/// }
/// ```
///
/// The check is a constant that `cargo check` evaluates. A type that only schemars knows has its schema
/// only when the program runs, so it cannot be checked here; in a list ([`tools!`]) such a tool can be `unproven`.
/// The arguments of a generic tool are known where it is listed: give its targets there.
///
/// # Parameters
///
/// A parameter that the model fills is of any type with `serde::Deserialize` and [`Schema`], by
/// value or by reference (`&str`, `&[T]`, `&T`, `Option<&T>`, `Cow<str>`). Text is borrowed from the
/// call's arguments where it can be. An `Option` may be missing. `_` before a name is not published: `_unused` is
/// the argument `unused`. A struct is an object under the parameter's name, also where it is the only parameter: its fields
/// become the tool's own parameters with `#[arg(flatten)]`.
///
/// | attribute | meaning |
/// | --- | --- |
/// | `#[arg(default)]`, `#[arg(default = expr)]` | may be missing; a string literal is the default of a `String` too; the schema has the value's JSON if its type is `Serialize`. A number's literal has to be in the parameter's `range` |
/// | `#[arg(rename = "…")]` | another name for the model |
/// | `#[arg(example = expr)]` | an example for the schema |
/// | `#[arg(flatten)]` | the one parameter's fields are the tool's parameters |
/// | `#[arg(secret)]` | only the tool sees the value: errors, repairs, events, traces, `Debug` and [`Tool::redacted`] of the library redact it, and values beside it that do not fit; the schema does not mark it |
/// | `#[arg(was = "old_name")]` | its name before: calls are read by it; a new call of an exact tool is answered with the name of today |
/// | `#[arg(range(1..=50))]` | a number from 1 to 50; also `range(0.0..1.0)`, `range(..10)` |
/// | `#[arg(len(1..))]` | a string of at least one character, a list of at least one element |
/// | `#[arg(pattern = "…")]`, `#[arg(format = "…")]` | a string that matches, or of a format of JSON Schema |
/// | `#[arg(multiple_of = 5)]`, `#[arg(unique)]` | a number, a list without equal elements |
/// | `#[state] db: &Db`, `#[state] db: Arc<Db>` | from the toolset's state, never seen by the model; see [`Provide`] |
/// | `cx: &Context`, without an attribute | the call's [`Context`], never seen by the model; a parameter whose type has another name is marked `#[context]` |
/// | `yes: Approved<'_>`, without an attribute | a person's approval of the call, without which it does not run; see [`Approved`](call::Approved) |
///
/// # Result
///
/// Any `Serialize` value (the model reads `()` as `done`), an [`Outcome`], [`Content`](call::Content), or a `Result` of one. The
/// model reads only the `Display` of an error; `Debug` and sources are for the host. An error with a conversion
/// `Into<`[`ToolError`]`>` is converted.
///
/// If the type also has a [`Schema`], this is the output schema, for MCP and for programs.
///
/// # Methods
///
/// Put `#[tool]` on the block, and on each method that is a tool. A method cannot take `#[state]`: its state is in fields of
/// its type, such as an `Arc` that the list's state shares.
///
/// ```
/// use toolwright::{tool, tools};
///
/// struct Crm;
///
/// #[tool]
/// impl Crm {
///     /// Finds customers by name.
///     #[tool(read_only)]
///     async fn find_customer(&self, name: &str) -> Vec<String> {
///         vec![name.to_owned()]
///     }
/// }
///
/// let tools = tools![..Crm: Crm];
/// assert!(tools.get("find_customer").is_some());
/// ```
pub use toolwright_macros::tool;

/// Makes a prompt of a function, for a server of the Model Context Protocol.
///
/// Write it like a [`#[tool]`](macro@tool), with a doc comment that describes it, and list it with [`tools!`] in a set of its
/// own. It returns a string, which becomes a message of the user, [`Messages`](mcp::Messages), or
/// [`Content`](call::Content).
///
/// ```
/// use toolwright::mcp::McpServer;
/// use toolwright::{Schema, prompt, tools};
///
/// #[derive(Schema, serde::Deserialize)]
/// enum Tone {
///     Kind,
///     Strict,
/// }
///
/// /// Reviews code.
/// #[prompt(title = "Code review")]
/// fn review(
///     /// The code.
///     code: &str,
///     tone: Option<Tone>,
/// ) -> String {
///     let tone = if matches!(tone, Some(Tone::Strict)) { "Be strict. " } else { "" };
///     format!("{tone}Please review this code:\n{code}")
/// }
///
/// let server = McpServer::new(tools![]).prompts(tools![review]);
/// ```
///
/// In a `#[tool] impl`, methods may have this attribute and [`#[resource]`](macro@resource), without an import of it. [`Prompts`](mcp::Prompts)
/// and [`Resources`](mcp::Resources) of a value list them:
///
/// ```
/// use std::sync::Arc;
///
/// use toolwright::mcp::{McpServer, Prompts, Resources};
/// use toolwright::{tool, tools};
///
/// struct Shop {
///     name: String,
/// }
///
/// #[tool]
/// impl Shop {
///     /// Drafts an answer to a customer.
///     #[prompt]
///     fn answer(&self, question: &str) -> String {
///         format!("Answer for {}: {question}", self.name)
///     }
///
///     /// An order.
///     #[resource("orders://{id}")]
///     fn order(&self, id: u64) -> String {
///         format!("Order {id} of {}", self.name)
///     }
/// }
///
/// let shop = Arc::new(Shop { name: "Lamps".into() });
/// let server = McpServer::new(tools![])
///     .prompts(tools![..Prompts(shop.clone()): Prompts<Shop>])
///     .resources(tools![..Resources(shop): Resources<Shop>]);
/// ```
///
/// Clients send arguments as strings. Each parameter is a string, a number, a `bool`, an enum without data, a date or a
/// similar type, or an `Option` of one. Other types do not compile.
///
/// The options are those of `#[tool]` that make sense here: `name`, `title`, `description`, `blocking`,
/// `timeout`, `meta`, `scopes`, `visible`, `validate`, `targets`, `crate`.
#[cfg(feature = "mcp-server")]
pub use toolwright_macros::prompt;

/// Makes a resource of a function, for a server of the Model Context Protocol.
///
/// Write it like a [`#[tool]`](macro@tool), and list it with [`tools!`] in a set of its own. The attribute begins with the
/// resource's URI, or with a URI template whose variables are the function's parameters: `{id}` matches one segment, without
/// a slash, and `{+path}` matches anything. A variable without a parameter, or a parameter without a variable, does not
/// compile.
///
/// ```
/// use toolwright::mcp::McpServer;
/// use toolwright::{resource, tools};
///
/// /// The settings of the shop.
/// #[resource("config://shop", mime_type = "application/json")]
/// fn settings() -> serde_json::Value {
///     serde_json::json!({"currency": "EUR"})
/// }
///
/// /// An order of the shop.
/// #[resource("orders://{id}")]
/// fn order(id: u64) -> String {
///     format!("Order {id}: two lamps")
/// }
///
/// let server = McpServer::new(tools![]).resources(tools![settings, order]);
/// ```
///
/// A string is the resource's text, [`Content`](call::Content) its parts, of which a picture or sound is a blob, and any
/// other value JSON. An error of the kind [`Unknown`](call::ErrorKind::Unknown) means that the resource does not exist.
///
/// The options are those of [`#[prompt]`](macro@prompt), and `mime_type = "text/markdown"`.
#[cfg(feature = "mcp-server")]
pub use toolwright_macros::resource;

/// Collects tools into a [`Toolset`], in this order.
///
/// ```
/// use toolwright::{tool, tools};
///
/// struct Db;
///
/// /// Counts the orders of a customer.
/// #[tool(read_only)]
/// fn count_orders(customer: &str, #[state] db: &Db) -> usize {
///     let _ = db;
///     customer.len()
/// }
///
/// /// Cancels an order.
/// #[tool(destructive)]
/// fn cancel_order(id: u64) -> String {
///     format!("order {id} is cancelled")
/// }
///
/// let tools = tools! {
///     targets: [openai_strict, gemini_json]; // providers that must accept every tool
///     budget: 500;                           // tokens that the definitions may take
///     count_orders,
///     cancel_order as "cancel";
///     state = Db
/// };
/// assert!(tools.get("cancel").is_some());
/// ```
///
/// - `path::to::tool` is a function with `#[tool]`; `find::<Doc> as "find_doc"` gives it another
///   name, as an instance of a generic one needs, and `as "find_doc": "Finds documents."` another
///   description too.
/// - `..crm: Crm` are all tools of the type `Crm`, called on the value `crm`. A prefix
///   of the names, and a text that ends each description, distinguish two values of a type:
///   `..north: Crm as "north_", ..south: Crm as "south_": "In the southern region."`
/// - `#[cfg(…)]` before any of these selects the builds that have it; a disabled element does not reserve a name.
/// - `; state = app` at the end provides the tools' `#[state]` parameters: a value of the type that
///   they ask for, or a struct that derives [`Provide`]. A value that is an [`Arc`](std::sync::Arc)
///   already is shared, and tools ask for its content. A [`ListState`](toolset::ListState) may have
///   no value: such a list gives only definitions.
///
/// - `targets: [openai_strict, gemini_json], unproven: [take];` at the head checks every tool against
///   these [`Dialect`]s: one that a provider's mode cannot express does not compile, and the message
///   names the tool, the argument and a fix. The compiler cannot check types that only schemars
///   knows: list such a tool as `unproven`, by its name or by its type's. The limits of one request
///   ([`Dialect::request_limits`]) are checked too: numbers of tools, of keys that may be missing, and
///   of values of several types.
/// - `budget: 4_000;` at the head limits the tokens that the definitions take in every request, by
///   [`ToolDef::token_bound`], an upper bound; the message names the largest tools.
/// - `defer: { crm: [find_customer, close_order] };` at the head are groups of tools that no request has until its conversation has
///   found them, by the tool `search_tools`: see [`Toolset::defer`]. They are written as elsewhere in the list. A doc comment above
///   a group describes it to the model. Targets and the budget hold for all tools that may be loaded.
/// - `at_most: 20;` at the head is how many deferred tools a request has at once, 40 without it: see [`Toolset::loading`].
/// - `instructions: [SYSTEM];` at the head are constants of [`instructions!`]: [`Toolset::check`] reports names that the set lacks.
///
/// Equal names, names that some provider refuses, and state that is missing do not compile.
#[macro_export]
macro_rules! tools {
    ($($list:tt)*) => {
        $crate::__private::list_tools!($crate; $($list)*)
    };
}

/// Words for a model, such as a system prompt, that name tools by their paths: [`Instructions`].
///
/// `{forecast}` is a tool in scope, `{orders::create.customer}` an argument of a tool in a module, and `{Crm::find}`
/// a tool of a type, by the name that a model calls it by. `{{` and `}}` are braces of the text.
///
/// ```
/// use toolwright::{Instructions, instructions, tool, tools};
///
/// /// Tells the weather.
/// #[tool]
/// fn forecast(city: String) -> String {
///     format!("{city}: sun")
/// }
///
/// const SYSTEM: Instructions = instructions!("Look with `{forecast}` before you advise; `{forecast.city}` is in English.");
///
/// let tools = tools! { instructions: [SYSTEM]; forecast as "weather" };
/// let system = SYSTEM.render(&tools).unwrap();
/// assert_eq!(system, "Look with `weather` before you advise; `city` is in English.");
/// ```
///
/// The words are rendered with the names that a toolset gives, or a request: [`Instructions::render`],
/// [`Instructions::render_for`]. Rendering fails if the set lacks a name. [`Toolset::check`] reports the same for a list with
/// `instructions: [SYSTEM]` at its head.
#[macro_export]
macro_rules! instructions {
    ($($text:tt)*) => {
        $crate::__private::instructions_text!($crate; $($text)*)
    };
}

/// One tool as a value: [`Arc<dyn Tool>`](Tool), which a [`Registry`] or [`Toolset::with`] takes.
///
/// It is written as an element of [`tools!`], with the state behind it: `tool_of!(find::<Doc> as "find_doc")`,
/// `tool_of!(count; state = app)`.
///
/// ```
/// use toolwright::{Registry, tool, tool_of};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let tool = tool_of!(add);
/// assert_eq!(tool.name(), "add");
/// assert_eq!(tool.def().description, "Adds two numbers.");
///
/// let registry = Registry::new();
/// registry.insert(tool);
/// assert!(registry.get("add").is_some());
/// ```
#[macro_export]
macro_rules! tool_of {
    ($tool:path $(as $name:literal $(: $description:expr)?)? $(; state = $state:expr)? $(;)?) => {
        $crate::__private::only(
            &$crate::tools![$tool $(as $name $(: $description)?)? $(; state = $state)?],
        )
    };
}

/// Names for generated code.
#[doc(hidden)]
pub mod __private {
    pub use toolwright_macros::{instructions_text, list_tools};
    pub use toolwright_runtime::__private::*;
}

// The code in it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../docs/agents.md")]
mod agents {}
