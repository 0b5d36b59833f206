//! Items that generated code may name. Nothing here is for people, and nothing here is stable.

mod args;
mod calls;
mod entry;
mod finish;
mod instructions;
mod list;
mod probe;
mod schemas;
mod slot;
mod table;
mod targets;

pub use self::args::{MethodArgs, ToolArgs, answered, debug, read, read_owned};
pub use self::calls::{call0, call1, call2, call3, call4, call5, call6};
pub use self::calls::{read0, read1, read2, read3, read4, read5, read6};
pub use self::entry::{
    Bind, BindGeneric, BoundTool, Descriptor, DescriptorRef, Handle, Method, MethodOf, Offers,
    OneToolImplPerType, Prompts, Resources, Run, Stateless, approved, approved_in_test, bound,
    bound_generic, described, entry, group, millis, prompt_entry, resource_entry,
};
pub use self::finish::{
    ErrorConversion, FailureMessage, Finish, FinishAny, ViaDebug, ViaError, ViaMessages, ViaText,
    ViaToolError, answer, finish, later, outcome, pending, ready, validated,
};
pub use self::instructions::{Mentioned, mention, mention_of, mentioned_name};
pub use self::list::{
    IntoListState, List, Listed, NameOverride, NameSet, NamedTool, StateExpr, Unlisted, UsedNames,
    at_most, defer, instructed, name_as, named, only, toolset, unique,
};
pub use self::probe::{
    Argument, AsJson, CallContext, CompiledSchema, FindNoOutput, FindOutput, FindValue, FoundIn,
    FoundNowhere, FoundOutput, NoCompiledSchema, NoJson, Param, Probe, Root, Spelled, Tree,
    argument, context_of, json, output_of, root, tree, tree_of,
};
pub use self::schemas::*;

pub use self::slot::{
    Cons, FindAny, FindForeign, FindSlot, FindUnread, FoundSlot, FromSchema, FromSchemars, IntoCow,
    MaybeOwned, NoDeserialize, NoSchema, NoSlot, OwnName, Slots, TakeValue, Value, decode,
    decode_root, slot,
};
pub use self::table::{ArrayOf, Described, Params, RootOf, Table, name_of, words};
pub use self::targets::{
    Inputs, LoadLimits, MOST_LOADED, OwnTargets, Untargeted, accepted, count, dialect,
    fits_request, is_dialect, is_listed, is_read_of_a_text, own_targets, within_budget,
};
pub use crate::tool::{
    Approved, Call, Context, EarlyExit, Provide, ProvideShared, Reading, RunResult, Slot,
};
pub use crate::toolset::{Instructions, InstructionsPart};
pub use toolwright_provider::call::{Outcome, ToolCall, ToolError, ToolOptions};
pub use toolwright_provider::dialect::Dialect;
pub use toolwright_schema::shape::{
    Bounds, Edge, Field, Foreign, Id, Int, Kind, Literal, Map, Object, Pattern, Presence,
    RecursiveEdge, Refs, Regex, Schema, Union, Variant,
};

/// The tree of a type.
pub type Shape = toolwright_schema::shape::Shape<'static>;

/// The traits through which generated code finds methods and constants, under unusual names. One `use` of all of them
/// costs the compiler less than one each.
pub mod find {
    pub use super::{
        FindAny as __ToolFindAny, FindForeign as __ToolFindForeign,
        FindNoOutput as __ToolFindNoOutput, FindOutput as __ToolFindOutput,
        FindSlot as __ToolFindSlot, FindUnread as __ToolFindUnread, FindValue as __ToolFindValue,
        FinishAny as __ToolFinishAny, NoCompiledSchema as __ToolNoCompiledSchema,
        NoJson as __ToolNoJson, NoRuntimeSchema as __ToolNoRuntimeSchema,
        SchemaOfAny as __ToolSchemaOfAny, SchemaOfForeign as __ToolSchemaOfForeign,
        SchemaOfOurs as __ToolSchemaOfOurs, TakeValue as __ToolFilled, ViaDebug as __ToolViaDebug,
        ViaError as __ToolViaError, ViaMessages as __ToolViaMessages, ViaText as __ToolViaText,
        ViaToolError as __ToolViaToolError,
    };
}

#[cfg(feature = "schemars")]
pub use schemars;
pub use std::{
    convert::Into,
    marker::{Send, Sync},
    option::Option::{self, None, Some},
    result::Result::{self, Ok},
    sync::Arc,
    vec::Vec,
};
#[cfg(feature = "schemars")]
pub use toolwright_schema::derived::to_schemars;
#[cfg(feature = "schemars")]
pub use toolwright_schema::shape::{
    input_schema as schemars_input, output_schema as schemars_output,
};
