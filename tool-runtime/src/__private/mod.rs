//! All that generated code may name. Nothing here is for people, and nothing here is stable.

mod entry;
mod finish;
mod list;
mod probe;
mod slot;

pub use self::entry::{Bind, Descriptor, Entry, Handle, OneToolBlock, Run, Stop, bound, group};
pub use self::finish::{
    Failure, Finish, FinishAny, Message, ViaDebug, ViaError, ViaMessages, ViaText, ViaToolError,
    outcome,
};
pub use self::list::{
    Given, Listed, Named, Names, Share, Unlisted, name_as, named, toolset, unique,
};
pub use self::probe::{
    Argument, AsJson, Has, HasNot, NoJson, Returned, ReturnedNot, argument, defaulted, either,
    exemplified, field, json, root, shape_of,
};
pub use self::slot::{
    FindAny, FindSlot, FindUnread, Lacks, NoDeserialize, NoSchema, Nothing, Probe, Slot, Value,
    decode, decode_root,
};
pub use crate::json::Json;
pub use crate::{
    Annotations, Answer, Call, Context, ErrorKind, Field, Kind, Outcome, Presence, Provide, Schema,
    Scope, Shape, Tool, ToolError, Variant,
};
pub use std::{sync::Arc, vec::Vec};
pub use toolwright_macros::list_tools;
