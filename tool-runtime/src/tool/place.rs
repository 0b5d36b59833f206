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
        }
    }

    /// Returns the call's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the call's idempotency key.
    pub fn key(&self) -> String {
        let Self { within, index, id } = self;
        format!("{within}/{index}/{id}")
    }
}
