//! The arguments of a call, as they were written.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;

use crate::protocol::one_line;

/// An object in one line. Whoever reads it has found no equal keys at any depth: two readers of those may
/// read two values, and the server's is not ours.
#[derive(Debug)]
pub(super) struct Arguments(pub(super) String);

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if !raw.get().trim_start().starts_with('{') {
            return Err(D::Error::custom("the arguments are not objects"));
        }
        Ok(Self(one_line(raw.get().to_owned())))
    }
}
