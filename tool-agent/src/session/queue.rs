use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Messages that a user leaves while an agent runs. Cheap to clone; all clones are one. Each is
/// placed after the turn that is going on, and answered.
#[derive(Debug, Clone, Default)]
pub struct Queue(Arc<Mutex<Vec<String>>>);

impl Queue {
    fn texts(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a message.
    pub fn push(&self, text: impl Into<String>) {
        self.texts().push(text.into());
    }

    pub(super) fn pop(&self) -> Option<String> {
        let mut texts = self.texts();
        (!texts.is_empty()).then(|| texts.remove(0))
    }
}

impl Serialize for Queue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.texts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = Vec::deserialize(deserializer)?;
        Ok(Self(Arc::new(Mutex::new(texts))))
    }
}
