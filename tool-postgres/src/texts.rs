//! Texts of sessions: kept between two writes, and put together from what is stored.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use sha2::{Digest, Sha256};
use toolwright::agent::CheckpointId;

use crate::delta::Delta;

/// Bytes that are kept of all sessions.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The text of a checkpoint, and what it is made of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(crate) body: String,
    /// Bytes of the last whole one.
    whole: usize,
    /// Bytes of the changes behind it.
    since: usize,
}

impl Text {
    /// A text that is stored as it is.
    pub(crate) fn whole(body: String) -> Self {
        let whole = body.len();
        Self {
            body,
            whole,
            since: 0,
        }
    }

    /// Returns how a text is stored behind this one: whole, once the changes are twice as long as the last whole one. So what
    /// is stored grows with a conversation, and what is read of it is at most three times as long as it is.
    pub(crate) fn next<'a>(&self, new: &'a str) -> Option<Delta<'a>> {
        let delta = Delta::between(&self.body, new);
        let since = self.since + delta.middle.len();
        (since <= 2 * self.whole).then_some(delta)
    }

    /// Makes the text behind this one. Returns `None` if the change is one of another text.
    pub(crate) fn follow(&mut self, delta: Delta<'_>) -> Option<()> {
        delta.apply(&mut self.body)?;
        self.since += delta.middle.len();
        Some(())
    }

    /// Returns the first eight bytes of the SHA-256.
    pub(crate) fn sum(text: &str) -> i64 {
        let hash = Sha256::digest(text);
        i64::from_be_bytes(hash.first_chunk().copied().unwrap_or_default())
    }
}

/// Newest texts of sessions that were read or written here, the latest ones. Clones share them.
#[derive(Clone)]
pub(crate) struct Texts(Arc<Mutex<Kept>>);

struct Kept {
    texts: LruCache<String, (CheckpointId, Text)>,
    bytes: usize,
}

impl Default for Texts {
    fn default() -> Self {
        let kept = Kept {
            texts: LruCache::unbounded(),
            bytes: 0,
        };
        Self(Arc::new(Mutex::new(kept)))
    }
}

impl Texts {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the text of this checkpoint, if it is here.
    pub(crate) fn take(&self, session: &str, id: CheckpointId) -> Option<Text> {
        let mut kept = self.lock();
        let (there, text) = kept.texts.pop(session)?;
        kept.bytes -= text.body.len();
        (there == id).then_some(text)
    }

    pub(crate) fn keep(&self, session: &str, id: CheckpointId, text: Text) {
        let mut kept = self.lock();
        kept.bytes += text.body.len();
        if let Some((_, old)) = kept.texts.put(session.to_owned(), (id, text)) {
            kept.bytes -= old.body.len();
        }
        while kept.bytes > MOST_BYTES
            && let Some((_, (_, old))) = kept.texts.pop_lru()
        {
            kept.bytes -= old.body.len();
        }
    }
}
