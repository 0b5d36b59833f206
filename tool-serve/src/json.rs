//! JSON texts that are written member by member.

use std::borrow::Cow;

use toolwright_json::write_object;
pub(crate) use toolwright_json::{list, quoted};

/// Returns the JSON of a value that can always be written.
pub(crate) fn json_of(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}

/// Returns the text of an object with members that are JSON texts.
pub(crate) fn object<'v>(members: impl IntoIterator<Item = (&'v str, Cow<'v, str>)>) -> String {
    let mut out = String::new();
    write_object(&mut out, members, |out, value| out.push_str(&value));
    out
}
