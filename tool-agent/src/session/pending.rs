use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright_runtime::{PendingReason, ShortStr, ToolCall};

use super::SessionError;

/// Why a call is pending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PendingCallReason {
    /// Its turn to run has not come: a pause stands before it, or a limit.
    NotRun,
    /// The tool is `manual`.
    ManualTool,
    /// The executor answers no calls, or none of this name.
    ManualMode,
    /// A layer asks for a decision; what to show to who decides.
    Decision(Value),
    /// The call runs an agent, which waits for somebody itself: see
    /// [`Session::sub_session`](crate::Session::sub_session). Whoever answers or rejects the call ends it.
    Agent,
    /// The call began, and the program or the run ended before it did: nobody here knows whether it
    /// took effect. Whoever approves it lets it run again; whoever has looked answers it, or rejects it.
    OutcomeUnknown {
        /// Which record of the call this is about.
        record: u64,
    },
}

impl From<PendingReason> for PendingCallReason {
    fn from(reason: PendingReason) -> Self {
        match reason {
            PendingReason::ManualTool => Self::ManualTool,
            PendingReason::ManualMode => Self::ManualMode,
            PendingReason::Decision(shown) => Self::Decision(shown),
            _ => Self::NotRun,
        }
    }
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PendingCall {
    /// Its place in its turn, from 0.
    pub index: usize,
    /// The call.
    pub call: ToolCall,
    /// Why it is pending.
    pub reason: PendingCallReason,
}

/// Reference to a call of a turn: by its place, or by its id if that is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRef<'a> {
    /// Its place in its turn, from 0.
    Index(usize),
    /// Its id.
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

/// Finds the referenced call among calls given by place and id, and returns its position.
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

/// Pending calls that are taken one after the other by their references. A turn may have many.
pub(crate) struct PendingCalls {
    /// By their places in the turn.
    calls: BTreeMap<usize, PendingCall>,
    /// The places of each id.
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

    /// Takes the referenced call out.
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
