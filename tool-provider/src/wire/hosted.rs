//! Calls of tools that the provider runs itself.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::read::Members;
use crate::call::Bytes;

/// Call of a tool that the provider ran itself, such as a search. It wants no answer, and goes back with the provider's own
/// messages.
///
/// `Debug` shows how long the texts are, which hold arguments.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostedCall {
    /// Id of the call; empty if the provider gave none.
    pub id: String,
    /// Type of the call, in the provider's word: `web_search_call`, `server_tool_use`.
    pub kind: String,
    /// Name of the tool.
    pub name: String,
    /// Status, in the provider's word; empty if it reported none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// The call as the provider wrote it: JSON.
    pub call: String,
    /// Result as the provider wrote it: JSON. `None` if there is none yet, or it is a part of `call`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

impl fmt::Debug for HostedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedCall")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .field("name", &self.name)
            .field("status", &self.status)
            .field("call", &Bytes(&self.call))
            .field("result", &self.result.as_deref().map(Bytes))
            .finish()
    }
}

/// Finds the part that an element of a response is, if it is one.
pub(super) type ReadHosted = fn(&RawValue, &Members<'_>) -> Option<HostedPart>;

/// A part of a response: a call of the provider's own tool, or the result of one.
pub(super) enum HostedPart {
    Call(HostedCall),
    Result {
        id: String,
        status: String,
        result: String,
    },
}

impl HostedPart {
    pub(super) fn call(id: String, kind: &str, name: String, json: &RawValue) -> Self {
        Self::Call(HostedCall {
            id,
            kind: kind.to_owned(),
            name,
            call: json.get().to_owned(),
            ..HostedCall::default()
        })
    }
}

/// Calls of the provider's own tools, in order, as their parts come.
#[derive(Debug, Default)]
pub(super) struct HostedCalls(Vec<HostedCall>);

impl HostedCalls {
    /// Adds a call, or a result to the first call of its id that has none. Returns the call and its place; `None` for a result
    /// without a call.
    pub(super) fn add(&mut self, part: HostedPart) -> Option<(usize, &HostedCall)> {
        let place = match part {
            HostedPart::Call(call) => {
                self.0.push(call);
                self.0.len() - 1
            }
            HostedPart::Result { id, status, result } => {
                let is_open = |call: &HostedCall| call.id == id && call.result.is_none();
                let place = self.0.iter().position(is_open)?;
                let call = self.0.get_mut(place)?;
                call.status = status;
                call.result = Some(result);
                place
            }
        };
        Some((place, self.0.get(place)?))
    }

    /// Puts a call at its place, or behind all others. Returns true if it says something new.
    pub(super) fn put(&mut self, place: usize, call: HostedCall) -> bool {
        match self.0.get_mut(place) {
            Some(known) if *known == call => false,
            Some(known) => {
                *known = call;
                true
            }
            None => {
                self.0.push(call);
                true
            }
        }
    }
}

/// Gives each result to its call.
pub(super) fn paired(parts: impl Iterator<Item = HostedPart>) -> Vec<HostedCall> {
    let mut calls = HostedCalls::default();
    for part in parts {
        calls.add(part);
    }
    calls.0
}
