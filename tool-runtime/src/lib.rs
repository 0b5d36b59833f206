//! All that a tool needs when no model is there: schema, decoding, toolset and registry, wire
//! formats. Use it through the crate `toolwright`.

#[doc(hidden)]
pub mod __private;
#[doc(hidden)]
pub mod dyn_tool;
#[cfg(feature = "tokio")]
#[doc(hidden)]
pub mod executor;
#[cfg(feature = "tokio")]
pub mod layers;
mod sync;
#[doc(hidden)]
pub mod tool;
#[doc(hidden)]
pub mod toolset;

pub use self::dyn_tool::{BuildError, DynTool, DynToolBuilder, SchemaError, SchemaErrorKind};
#[cfg(feature = "tokio")]
pub use self::executor::{
    Batch, BatchId, BlockingLimit, CallPlan, Decide, Decided, ErrorPolicy, Event, Executor, Halted,
    Handled, Layer, Next, Observer, OnFailure, OutputLimit, Overflow, Pending, PendingReason,
    Redacted, Reply, Request, ResumeError, Source, TraceEvent, TraceKind, TraceStore, Traced,
    TracedCall, UnknownPolicy,
};
pub use self::tool::{
    Answer, BoxFuture, Call, Context, Decision, Filter, Provide, Scope, State, Tool, WrapTool,
};
#[cfg(feature = "tokio")]
pub use self::tool::{Cancel, Items, Progress};
#[cfg(feature = "tokio")]
pub use self::toolset::Changes;
pub use self::toolset::{
    AttachError, ConflictError, Problem, ProblemCode, Registry, RenameError, Report, Severity,
    Toolset,
};
pub use toolwright_provider::call::{
    Annotations, Block, Content, Encode, Encoder, ErrorKind, HaltReason, Meta, Outcome, Output,
    Payload, ToolCall, ToolDef, ToolError, ToolResult,
};
pub use toolwright_provider::definitions::{Definitions, Fit, Loose, Refused, Stripped, ToolList};
pub use toolwright_provider::dialect::{
    Budget, Demand, Dialect, Lowered, Note, NoteKind, Op, Plan, Reject, RejectCode, Renames,
    RequestLimits, Step, Steps, UnknownDialect, Verdict, lower,
};
pub use toolwright_provider::wire::{
    Accumulator, Completion, Parallel, Stop, StreamEvent, Streamed, ToolChoice, ToolChoiceError,
    Usage, Utterance, Wire, WireError,
};
pub use toolwright_schema::decode::{Fault, FaultCode, Limits, Repair, RepairKind, Repairs, Store};
pub use toolwright_schema::panics;
pub use toolwright_schema::render::SchemaDoc;
#[cfg(feature = "schemars")]
pub use toolwright_schema::shape::Opaque;
pub use toolwright_schema::shape::{
    Array, Back, Bounds, Edge, Field, Foreign, Id, Int, IntegerRange, Kind, Literal, Map,
    NumberRange, Object, OutputPresence, Pattern, Presence, Refs, Schema, Shape, StringRules,
    Union, Variant,
};
pub use toolwright_schema::text::{NameError, Printable, ShortStr, is_portable_name};
