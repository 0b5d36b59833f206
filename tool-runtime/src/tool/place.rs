use serde::{Deserialize, Serialize};

/// Place of a call in its conversation. Its [idempotency key](crate::tool::Context::idempotency_key) is made of it.
///
/// A call that another process runs keeps its key if the place travels with it: read it with
/// [`Context::call_place`](crate::tool::Context::call_place), and set it there with
/// [`Context::with_place`](crate::tool::Context::with_place).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallPlace {
    /// Run and turn, or the key of the call that runs this one.
    within: String,
    index: usize,
    id: String,
    /// Times that a person let the call run again after its outcome was unknown.
    #[serde(default, skip_serializing_if = "is_first")]
    attempt: u32,
}

// serde hands a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_first(attempt: &u32) -> bool {
    *attempt == 0
}

impl CallPlace {
    /// The place of a call of a run: its turn, from 0, and its index in the turn, from 0.
    pub fn new(run: &str, turn: u32, index: usize, id: impl Into<String>) -> Self {
        Self::within(format!("{run}/{turn}"), index, id)
    }

    /// The place of a call in a batch that another call runs.
    pub(crate) fn within(key: String, index: usize, id: impl Into<String>) -> Self {
        Self {
            within: key,
            index,
            id: id.into(),
            attempt: 0,
        }
    }

    /// The place of a call that a person let run again this number of times. For a service, which may have the first
    /// one, it is another call.
    #[cfg(feature = "tokio")]
    pub(crate) fn attempt(self, attempt: u32) -> Self {
        Self { attempt, ..self }
    }

    /// Returns the call's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the call's idempotency key. It has the attempt, since a person who lets a call of unknown outcome run again
    /// wants another effect than the one that a service may know by the first key.
    pub fn key(&self) -> String {
        match self.attempt {
            0 => self.first_key(),
            again => format!("{}#{again}", self.first_key()),
        }
    }

    /// Returns the key of the call's first attempt, which is that of its records.
    pub fn first_key(&self) -> String {
        let Self {
            within, index, id, ..
        } = self;
        format!("{within}/{index}/{id}")
    }
}
