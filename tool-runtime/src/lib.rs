//! All that a tool needs when no model is there: schema, decoding, toolset and registry, wire
//! formats. Use it through the crate `toolwright`.

#[doc(hidden)]
pub mod __private;

mod call;
#[cfg(feature = "tokio")]
mod cancel;
mod check;
mod contain;
mod content;
mod context;
#[cfg(feature = "tokio")]
mod cut;
mod decision;
mod decode;
mod def;
mod dialect;
mod dyn_tool;
mod encoder;
mod error;
#[cfg(feature = "tokio")]
mod executor;
mod fault;
mod filter;
mod hidden;
#[cfg(feature = "tokio")]
mod items;
mod json;
mod kept;
#[cfg(feature = "tokio")]
pub mod layers;
mod limits;
mod name;
mod near;
#[cfg(feature = "schemars")]
mod opaque;
mod outcome;
mod output;
pub mod panics;
mod payload;
mod provide;
mod registry;
mod repair;
mod report;
mod result;
mod schema;
mod secret;
mod short_str;
mod state;
mod sync;
pub mod testing;
mod tool;
mod toolset;
mod visible;
mod walk;
mod wire;
mod wrappers;

pub use self::call::{Call, ToolCall};
#[cfg(feature = "tokio")]
pub use self::cancel::Cancel;
pub use self::content::{Block, Content};
pub use self::context::Context;
pub use self::decision::Decision;
pub use self::def::{Annotations, Meta, ToolDef};
pub use self::dialect::{
    Budget, Demand, Dialect, Lowered, Note, NoteKind, Op, Plan, Reject, RejectCode, Renames,
    RequestLimits, Step, Steps, UnknownDialect, Verdict, lower,
};
pub use self::dyn_tool::{BuildError, DynTool, DynToolBuilder, SchemaError, SchemaErrorKind};
pub use self::encoder::{Encode, Encoder};
pub use self::error::{ErrorKind, ToolError};
#[cfg(feature = "tokio")]
pub use self::executor::{
    Batch, BatchId, BlockingLimit, CallPlan, Decide, Decided, ErrorPolicy, Event, Executor, Halted,
    Handled, Handling, Layer, Next, Observer, OnFailure, OutputLimit, Overflow, Pending,
    PendingReason, Progress, Reply, Request, Shown, Source, TraceEvent, TraceKind, TraceStore,
    Traced, TracedCall, UnknownPolicy,
};
pub use self::fault::{Fault, FaultCode};
pub use self::filter::Filter;
#[cfg(feature = "tokio")]
pub use self::items::Items;
pub use self::json::Store;
pub use self::limits::Limits;
pub use self::name::{NameError, is_portable_name};
#[cfg(feature = "schemars")]
pub use self::opaque::Opaque;
pub use self::outcome::{HaltReason, Outcome};
pub use self::output::Output;
pub use self::payload::Payload;
pub use self::provide::Provide;
#[cfg(feature = "tokio")]
pub use self::registry::Changes;
pub use self::registry::Registry;
pub use self::repair::{Repair, RepairKind, Repairs};
pub use self::report::{Problem, ProblemCode, Report, Severity};
pub use self::result::ToolResult;
pub use self::schema::{
    Array, Back, Bounds, Care, Edge, Field, Foreign, Id, Int, IntegerRange, KeyHead, Kind, Literal,
    Map, NumberRange, Object, OutputPresence, Pattern, Presence, Refs, Schema, SchemaDoc, Shape,
    StringRules, Sure, Union, Variant,
};
pub use self::short_str::ShortStr;
pub use self::state::{Scope, State};
pub use self::tool::{Answer, Tool};
pub use self::toolset::{AttachError, Conflicts, RenameError, Toolset};
pub use self::visible::{Printable, Stripped};
pub use self::wire::{
    Accumulator, Completion, Definitions, Fit, Loose, Parallel, Refused, Stop, StreamEvent,
    Streamed, ToolChoice, ToolChoiceError, Usage, Utterance, Wire, WireError,
};

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
