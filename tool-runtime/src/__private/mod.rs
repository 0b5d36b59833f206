//! All that generated code may name. Nothing here is for people, and nothing here is stable.

mod entry;
mod finish;
mod list;
mod probe;
mod slot;
mod stateless;
mod targets;
mod told;

pub use self::entry::{
    Bind, BindGeneric, Descriptor, Entry, Handle, OneToolBlock, Run, bound, bound_generic, group,
};
pub use self::finish::{
    Failure, Finish, FinishAny, Message, ViaDebug, ViaError, ViaMessages, ViaText, ViaToolError,
    later, outcome, ready,
};
pub use self::list::{
    Given, List, Listed, Named, Names, Share, Taken, Unlisted, name_as, named, toolset, unique,
};
pub use self::probe::{
    Argument, AsJson, Has, HasNot, NoJson, Returned, ReturnedNot, argument, either, json, root,
};
pub use self::slot::{
    FindAny, FindForeign, FindSlot, FindUnread, Lacks, NoDeserialize, NoSchema, Nothing, Probe,
    Value, decode, decode_root, unfilled,
};
pub use self::stateless::{
    About, Described, Filled, Param, Params, Stateless, Table, Tree, call0, call1, call2, call3,
    call4, call5, call6, fill0, fill1, fill2, fill3, fill4, fill5, fill6,
};
pub use self::targets::{
    Inputs, OwnTargets, Untargeted, accepted, dialect, fits_request, is_dialect, is_listed,
    own_targets, within_budget,
};
pub use self::told::*;
pub use crate::tool::{Answer, Call, Context, Provide, Ran, Scope, Slot, Stop, Tool, inside_call};
pub use toolwright_provider::call::{
    Annotations, EndReason, ErrorKind, Outcome, ToolError, contained,
};
pub use toolwright_provider::definitions::sent_definitions;
pub use toolwright_provider::dialect::Dialect;
pub use toolwright_schema::decode::Json;
pub use toolwright_schema::keyword::{Keyword, TYPES};
pub use toolwright_schema::panics::reported;
pub use toolwright_schema::read::keywords::type_of;
pub use toolwright_schema::read::{Parts, change_references, resolve};
pub use toolwright_schema::shape::Regex;
pub use toolwright_schema::shape::{
    Back, Bounds, Edge, Field, Id, Int, Kind, Literal, Map, Object, Pattern, Presence, Refs,
    Schema, Union, Variant,
};

/// The tree of a type.
pub type Shape = toolwright_schema::shape::Shape<'static>;

/// The traits that generated code finds methods and constants through, by names that nobody has: one `use` of all of them
/// costs the compiler less than one each.
pub mod find {
    pub use super::{
        FindAny as __ToolFindAny, FindForeign as __ToolFindForeign, FindSlot as __ToolFindSlot,
        FindUnread as __ToolFindUnread, FinishAny as __ToolFinishAny, HasNot as __ToolHasNot,
        NoJson as __ToolNoJson, ReturnedNot as __ToolReturnedNot, SchemaOfAny as __ToolSchemaOfAny,
        SchemaOfForeign as __ToolSchemaOfForeign, SchemaOfOurs as __ToolSchemaOfOurs,
        ToldNot as __ToolToldNot, ViaDebug as __ToolViaDebug, ViaError as __ToolViaError,
        ViaMessages as __ToolViaMessages, ViaText as __ToolViaText,
        ViaToolError as __ToolViaToolError,
    };
}

#[cfg(feature = "schemars")]
pub use schemars;
pub use std::{sync::Arc, vec::Vec};
#[cfg(feature = "schemars")]
pub use toolwright_schema::derived::to_schemars;
