//! References to calls that wait.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use toolwright_runtime::executor::{Pending, Waiting};
use toolwright_schema::text::ShortStr;

use super::SessionError;
use crate::run::shown_path;

/// Reference to a call that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallRef<'a> {
    /// The call's place in its turn, from 0.
    Index(usize),
    /// The call's id, if it is unique in the turn.
    Id(Cow<'a, str>),
    /// Places of the calls that run the agents around the call, outermost first, and its own: a [`Waiting::path`].
    Path(Cow<'a, [usize]>),
    /// The call's [`Waiting::key`]. It never names a call of another turn.
    Key(Cow<'a, str>),
}

impl CallRef<'_> {
    /// Returns a reference that holds its own texts.
    pub fn into_owned(self) -> CallRef<'static> {
        match self {
            Self::Index(index) => CallRef::Index(index),
            Self::Id(id) => CallRef::Id(id.into_owned().into()),
            Self::Path(path) => CallRef::Path(path.into_owned().into()),
            Self::Key(key) => CallRef::Key(key.into_owned().into()),
        }
    }
}

impl<'a> From<&'a str> for CallRef<'a> {
    fn from(id: &'a str) -> Self {
        Self::Id(id.into())
    }
}

impl From<usize> for CallRef<'_> {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl<'a> From<&'a [usize]> for CallRef<'a> {
    fn from(path: &'a [usize]) -> Self {
        Self::Path(path.into())
    }
}

impl<'a> From<&'a Waiting> for CallRef<'a> {
    fn from(waiting: &'a Waiting) -> Self {
        Self::Key((&*waiting.key).into())
    }
}

impl fmt::Display for CallRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => index.fmt(f),
            Self::Id(text) | Self::Key(text) => f.write_str(text),
            Self::Path(path) => f.write_str(&shown_path(path)),
        }
    }
}

/// Returns the place and the id of a call.
pub(crate) fn key(pending: &Pending) -> (usize, &str) {
    (pending.index, &pending.call.id)
}

/// Finds the referenced call among calls given by place and id. Returns its position.
pub(crate) fn find<'c>(
    calls: impl IntoIterator<Item = (usize, &'c str)>,
    call: &CallRef<'_>,
) -> Result<usize, SessionError> {
    let meant = |(index, id): (usize, &str)| match call {
        CallRef::Index(place) => index == *place,
        CallRef::Id(meant) => id == meant,
        CallRef::Path(path) => **path == [index],
        CallRef::Key(_) => false,
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
    calls: BTreeMap<usize, Pending>,
    /// Places by id.
    places: BTreeMap<ShortStr, BTreeSet<usize>>,
}

impl PendingCalls {
    pub(crate) fn new(pending: Vec<Pending>) -> Self {
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
    pub(crate) fn take(&mut self, call: &CallRef<'_>) -> Result<Pending, SessionError> {
        let index = match call {
            CallRef::Index(index) => Some(*index),
            CallRef::Path(path) => path.first().copied().filter(|_| path.len() == 1),
            CallRef::Key(_) => None,
            CallRef::Id(id) => match self.places.get(&**id) {
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
