//! All that a tool needs when no model is there: schema, decoding, toolset and registry, wire
//! formats. Use it through the crate `toolwright`.

#[doc(hidden)]
pub mod __private;
mod dyn_tool;
#[cfg(feature = "tokio")]
mod executor;
#[cfg(feature = "tokio")]
pub mod layers;
pub mod panics;
mod provider;
pub(crate) mod schema;
mod sync;
pub mod testing;
mod text;
mod tool;
mod toolset;

pub use self::dyn_tool::{BuildError, DynTool, DynToolBuilder, SchemaError, SchemaErrorKind};
#[cfg(feature = "tokio")]
pub use self::executor::{
    Batch, BatchId, BlockingLimit, CallPlan, Decide, Decided, ErrorPolicy, Event, Executor, Halted,
    Handled, Handling, Layer, Next, Observer, OnFailure, OutputLimit, Overflow, Pending,
    PendingReason, Reply, Request, Shown, Source, TraceEvent, TraceKind, TraceStore, Traced,
    TracedCall, UnknownPolicy,
};
pub use self::provider::dialect::{
    Budget, Demand, Dialect, Lowered, Note, NoteKind, Op, Plan, Reject, RejectCode, Renames,
    RequestLimits, Step, Steps, UnknownDialect, Verdict, lower,
};
pub use self::provider::wire::{
    Accumulator, Completion, Parallel, Stop, StreamEvent, Streamed, ToolChoice, ToolChoiceError,
    Usage, Utterance, Wire, WireError,
};
pub use self::schema::decode::{Fault, FaultCode, Limits, Repair, RepairKind, Repairs, Store};
pub use self::schema::render::SchemaDoc;
#[cfg(feature = "schemars")]
pub use self::schema::shape::Opaque;
pub use self::schema::shape::{
    Array, Back, Bounds, Edge, Field, Foreign, Id, Int, IntegerRange, Kind, Literal, Map,
    NumberRange, Object, OutputPresence, Pattern, Presence, Refs, Schema, Shape, StringRules,
    Union, Variant,
};
pub use self::text::{NameError, Printable, ShortStr, is_portable_name};
pub use self::tool::{
    Annotations, Answer, Block, Call, Content, Context, Decision, Encode, Encoder, ErrorKind,
    Filter, HaltReason, Meta, Outcome, Output, Payload, Provide, Scope, State, Tool, ToolCall,
    ToolDef, ToolError, ToolResult,
};
#[cfg(feature = "tokio")]
pub use self::tool::{Cancel, Items, Progress};
#[cfg(feature = "tokio")]
pub use self::toolset::Changes;
pub use self::toolset::{
    AttachError, Conflicts, Problem, ProblemCode, Registry, RenameError, Report, Severity,
    Stripped, Toolset,
};
pub use self::toolset::{Definitions, Fit, Loose, Refused};

pub use toolwright_macros::{Provide, Schema, tool};

/// Collects tools into a [`Toolset`], in this order.
///
/// - `path::to::tool` is a function with `#[tool]`; `find::<Doc> as "find_doc"` gives it another
///   name, as an instance of a generic one needs.
/// - `..crm: Crm` are all tools of the type `Crm`, called on the value `crm`.
/// - `#[cfg(…)]` before any of these says in which builds it is there; what is not there takes no name.
/// - `; state = app` at the end is what the tools' `#[state]` parameters come from: a value of the
///   type that they ask for, or a struct that derives [`Provide`]. A value that is an
///   [`Arc`](std::sync::Arc) already is shared as it is, and tools ask for what it holds.
///
/// - `targets: [openai_strict, gemini_json], unproven: [take];` at the head checks every tool against
///   these [`Dialect`]s: one that a provider's mode cannot say does not compile, and the message
///   says which argument of which tool, and the way out. What schemars alone knows, the compiler
///   does not: such a tool is listed as `unproven`, by its name or by its type's. What one request
///   may hold ([`Dialect::request_limits`]) is checked too: how many tools, keys that may be missing,
///   values of several types.
/// - `budget: 4_000;` at the head is how many tokens the definitions may take of every request, by
///   estimate ([`ToolDef::estimated_tokens`]); the message names the tools that take most.
///
/// Equal names, names that some provider refuses, and state that is missing do not compile.
#[macro_export]
macro_rules! tools {
    ($($list:tt)*) => {
        $crate::__private::list_tools!($crate; $($list)*)
    };
}
