//! Pending calls and references to them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::PendingReason;
use toolwright_schema::text::ShortStr;

use super::SessionError;

/// Reason why a call is pending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PendingCallReason {
    /// The call has not run yet, because of a pause or a limit.
    NotRun,
    /// The tool is `manual`.
    ManualTool,
    /// The executor runs no calls, or none with this name.
    ManualMode,
    /// A layer asks for a decision. Holds the value to show to the person who decides.
    Decision(Value),
    /// The call runs an agent that waits for input: see [`Session::sub_session`](crate::Session::sub_session).
    /// Answering or rejecting the call ends that agent's conversation.
    Agent,
    /// The call began, and it is unknown whether it took effect: the process or the run ended before the call did, or the
    /// tool says so. Approving it runs it again, with a new key; otherwise answer or reject it.
    OutcomeUnknown {
        /// The error, in words.
        #[serde(default)]
        error: String,
        /// Revision of the call's record, if the agent has a checkpointer. An approval is bound to it: if the outcome
        /// becomes known meanwhile, the call does not run again.
        #[serde(default)]
        record: Option<u64>,
    },
}

impl From<PendingReason> for PendingCallReason {
    fn from(reason: PendingReason) -> Self {
        match reason {
            PendingReason::ManualTool => Self::ManualTool,
            PendingReason::ManualMode => Self::ManualMode,
            PendingReason::Decision(shown) => Self::Decision(shown),
            PendingReason::OutcomeUnknown(error) => Self::OutcomeUnknown {
                error,
                record: None,
            },
            _ => Self::NotRun,
        }
    }
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PendingCall {
    /// The call's place in its turn, from 0.
    pub index: usize,
    /// The call.
    pub call: ToolCall,
    /// Reason why it is pending.
    pub reason: PendingCallReason,
}

/// Reference to a call of a turn: by its place, or by its id if that is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRef<'a> {
    /// The call's place in its turn, from 0.
    Index(usize),
    /// The call's id.
    Id(&'a str),
}

impl<'a> From<&'a str> for CallRef<'a> {
    fn from(id: &'a str) -> Self {
        Self::Id(id)
    }
}

impl From<usize> for CallRef<'_> {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl fmt::Display for CallRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => index.fmt(f),
            Self::Id(id) => f.write_str(id),
        }
    }
}

impl PendingCall {
    pub(crate) fn key(&self) -> (usize, &str) {
        (self.index, &self.call.id)
    }
}

/// Finds the referenced call among calls given by place and id. Returns its position.
pub(crate) fn find<'c>(
    calls: impl IntoIterator<Item = (usize, &'c str)>,
    call: CallRef<'_>,
) -> Result<usize, SessionError> {
    let meant = |(index, id): (usize, &str)| match call {
        CallRef::Index(place) => index == place,
        CallRef::Id(meant) => id == meant,
    };
    let mut found = (0..).zip(calls).filter(|(_, key)| meant(*key));
    match (found.next(), found.next()) {
        (Some((place, _)), None) => Ok(place),
        (Some(_), Some(_)) => Err(SessionError::AmbiguousCall(call.to_string())),
        (None, _) => Err(SessionError::UnknownCall(call.to_string())),
    }
}

/// Pending calls, indexed so that taking n of them by reference costs n.
pub(crate) struct PendingCalls {
    /// Calls by place.
    calls: BTreeMap<usize, PendingCall>,
    /// Places by id.
    places: BTreeMap<ShortStr, BTreeSet<usize>>,
}

impl PendingCalls {
    pub(crate) fn new(pending: Vec<PendingCall>) -> Self {
        let mut places = BTreeMap::<_, BTreeSet<_>>::new();
        for one in &pending {
            let places = places.entry(one.call.id.clone()).or_default();
            places.insert(one.index);
        }
        let calls = pending.into_iter().map(|one| (one.index, one)).collect();
        Self { calls, places }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes out the referenced call.
    pub(crate) fn take(&mut self, call: CallRef<'_>) -> Result<PendingCall, SessionError> {
        let index = match call {
            CallRef::Index(index) => Some(index),
            CallRef::Id(id) => match self.places.get(id) {
                Some(places) if places.len() > 1 => {
                    return Err(SessionError::AmbiguousCall(call.to_string()));
                }
                Some(places) => places.first().copied(),
                None => None,
            },
        };
        let taken = index.and_then(|index| self.calls.remove(&index));
        let taken = taken.ok_or_else(|| SessionError::UnknownCall(call.to_string()))?;
        if let Some(places) = self.places.get_mut(&*taken.call.id) {
            places.remove(&taken.index);
        }
        Ok(taken)
    }
}
