//! The language of both roles: JSON-RPC messages as the texts that they are, and the versions of the protocol.

mod broken;
mod error;
mod fields;
mod halves;
pub(crate) mod headers;
mod id;
mod lines;
mod message;
mod meta;
mod version;

pub(crate) use self::broken::{MessageKind, PartialMessage};
pub(crate) use self::error::{RpcError, code};
pub(crate) use self::fields::{Fields, FieldsError, lossy_string, string};
pub(crate) use self::halves::replaced;
pub(crate) use self::id::Id;
pub(crate) use self::lines::{Line, Lines};
pub(crate) use self::message::{
    Frame, FrameError, MessageParams, array, error_response, notification, one_line, request,
    response,
};
pub(crate) use self::meta::{RequestMeta, key};
pub(crate) use self::version::Version;
