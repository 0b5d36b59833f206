//! Checkpoints stored as what they change, for implementations of a [`Checkpointer`](crate::store::Checkpointer).
//!
//! The text of a session grows with its conversation, so whole checkpoints would grow with its square. Most of a checkpoint is
//! the one before it. A store keeps a [`Delta`], and a whole text now and then. A [`Chain`] says which, and puts the texts
//! together again.
//!
//! ```
//! use toolwright::agent::store::delta::{Chain, Delta};
//!
//! // Written: the first text whole, the second one as a delta.
//! let (written, whole) = Chain::next(None, "[1, 2]");
//! assert_eq!(whole, None);
//! let (written, delta) = Chain::next(Some(written), "[1, 2, 3]");
//! let delta = delta.unwrap();
//! assert_eq!(delta, Delta { front: 5, back: 1, middle: ", 3" });
//!
//! // Read.
//! let mut read = Chain::new("[1, 2]".to_owned());
//! read.follow(delta).unwrap();
//! assert_eq!(read.text(), "[1, 2, 3]");
//! assert_eq!(read.sum(), written.sum());
//! ```

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::session::Node;
use crate::store::{Checkpoint, CheckpointId, Written};

/// Most bytes that [`Chains`] keep.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Difference of two texts: a front and a back that stay, and what stands between them in the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delta<'a> {
    /// Bytes that stay at the front.
    pub front: usize,
    /// Bytes that stay at the back.
    pub back: usize,
    /// New text between them.
    pub middle: &'a str,
}

impl<'a> Delta<'a> {
    /// Returns what makes `new` of `old`.
    pub fn between(old: &str, new: &'a str) -> Self {
        let (one, other) = (old.as_bytes(), new.as_bytes());
        let pieces = one.chunks(PIECE).zip(other.chunks(PIECE));
        let front = same(pieces, one.iter().zip(other));
        let front = new.floor_char_boundary(front);
        let (one, other) = (one.get(front..), other.get(front..));
        let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
        let pieces = one.rchunks(PIECE).zip(other.rchunks(PIECE));
        let mut back = same(pieces, one.iter().rev().zip(other.iter().rev()));
        while !new.is_char_boundary(new.len() - back) {
            back -= 1;
        }
        let middle = new.get(front..new.len() - back).unwrap_or(new);
        Self {
            front,
            back,
            middle,
        }
    }

    /// Makes the new text of the old one. Returns `None`, and changes nothing, if they do not belong together.
    pub fn apply(self, text: &mut String) -> Option<()> {
        let end = text.len().checked_sub(self.back)?;
        if self.front > end || !text.is_char_boundary(self.front) || !text.is_char_boundary(end) {
            return None;
        }
        text.replace_range(self.front..end, self.middle);
        Some(())
    }
}

/// Bytes that are compared at once.
const PIECE: usize = 256;

/// Returns the number of bytes that are equal from the start, given in pieces and one by one.
fn same<'a>(
    pieces: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    bytes: impl Iterator<Item = (&'a u8, &'a u8)>,
) -> usize {
    let pieces = pieces.take_while(|(one, other)| one == other);
    let whole = pieces.map(|(piece, _)| piece.len()).sum();
    let rest = bytes.skip(whole).take_while(|(one, other)| one == other);
    whole + rest.count()
}

/// Text of a checkpoint, and the size of what it was put together from.
#[derive(Clone)]
pub struct Chain {
    text: String,
    /// Bytes of the last whole text.
    whole: usize,
    /// Bytes of the deltas after it.
    since: usize,
}

impl Chain {
    /// Creates a chain of a text that is stored whole.
    pub fn new(text: String) -> Self {
        let whole = text.len();
        Self {
            text,
            whole,
            since: 0,
        }
    }

    /// Returns the text of the newest checkpoint.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Continues a chain with a new text. Returns also the delta to store for it, or `None` if it is to be stored whole: without a
    /// chain, and when the deltas after the last whole text would be more than twice its size. The store so grows with the
    /// conversation, and a session is read from at most three times its size.
    pub fn next(before: Option<Self>, new: &str) -> (Self, Option<Delta<'_>>) {
        if let Some(mut chain) = before {
            let delta = Delta::between(&chain.text, new);
            let since = chain.since.saturating_add(delta.middle.len());
            if since <= chain.whole.saturating_mul(2) && chain.follow(delta).is_some() {
                return (chain, Some(delta));
            }
        }
        (Self::new(new.to_owned()), None)
    }

    /// Makes the next text of a delta that was stored. Returns `None`, and changes nothing, if the delta is one of another text.
    pub fn follow(&mut self, delta: Delta<'_>) -> Option<()> {
        delta.apply(&mut self.text)?;
        self.since += delta.middle.len();
        Some(())
    }

    /// Returns a checksum of the text: the first eight bytes of its SHA-256. Stored with a delta, it tells if one before it was
    /// lost or changed. It protects from accidents, not from attackers.
    pub fn sum(&self) -> i64 {
        let hash = Sha256::digest(&self.text);
        i64::from_be_bytes(hash.first_chunk().copied().unwrap_or_default())
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Conversations may hold secrets.
        f.debug_struct("Chain")
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

/// Row of a checkpoint in a store's table: a whole text or a delta, and the checksum of the text that it leads to.
#[derive(Clone, Copy)]
pub struct CheckpointRow<'r> {
    /// Number of the checkpoint.
    pub id: i64,
    /// The session's id.
    pub session: &'r str,
    /// Number of the checkpoint that it continues.
    pub parent: Option<i64>,
    /// Stored name of [`Written`].
    pub written: &'r str,
    /// Stored name of [`Node`].
    pub next: &'r str,
    /// Time in milliseconds since 1970.
    pub at_ms: i64,
    /// Metadata as JSON.
    pub metadata: &'r str,
    /// The whole text, or [`Delta::middle`].
    pub body: &'r str,
    /// [`Delta::front`]. `None` in a whole row.
    pub front: Option<i64>,
    /// [`Delta::back`]. `None` in a whole row.
    pub back: Option<i64>,
    /// [`Chain::sum`].
    pub sum: i64,
}

impl CheckpointRow<'_> {
    /// Returns the chain that ends with the row. `before` is the chain that ends with the row before it.
    ///
    /// # Errors
    /// If the row is a delta of another text, with the reason in words.
    pub fn chain(&self, before: Option<Chain>) -> Result<Chain, String> {
        let (Some(front), Some(back)) = (self.front, self.back) else {
            return Ok(Chain::new(self.body.to_owned()));
        };
        let delta = Delta {
            front: usize::try_from(front).unwrap_or(usize::MAX),
            back: usize::try_from(back).unwrap_or(usize::MAX),
            middle: self.body,
        };
        let chain = before.and_then(|mut chain| chain.follow(delta).map(|()| chain));
        chain.ok_or_else(|| "the checkpoint that it changes is missing".to_owned())
    }

    /// Checks the checksum of the chain that ends with the row.
    ///
    /// # Errors
    /// If this row or one before it was lost or changed, with the reason in words.
    pub fn check(&self, chain: &Chain) -> Result<(), String> {
        if self.sum == chain.sum() {
            return Ok(());
        }
        Err("its checksum is wrong".to_owned())
    }

    /// Checks the checksum, and returns the checkpoint.
    ///
    /// # Errors
    /// As [`check`](Self::check), or if a stored name, a number or the metadata is invalid.
    pub fn checkpoint(&self, chain: &Chain) -> Result<Checkpoint, String> {
        self.check(chain)?;
        let unsigned = |number: i64| {
            u64::try_from(number).map_err(|_| format!("the number {number} is negative"))
        };
        let parent = self.parent.map(unsigned).transpose()?;
        Ok(Checkpoint {
            id: CheckpointId::new(unsigned(self.id)?),
            session: self.session.to_owned(),
            parent: parent.map(CheckpointId::new),
            written: Written::from_name(self.written)
                .ok_or_else(|| format!("the mark `{}`", self.written))?,
            next: Node::from_name(self.next).ok_or_else(|| format!("the node `{}`", self.next))?,
            at_ms: unsigned(self.at_ms)?,
            metadata: serde_json::from_str(self.metadata)
                .map_err(|_| format!("the metadata `{}`", self.metadata))?,
            body: chain.text().to_owned(),
        })
    }
}

/// Chains of the sessions that a process has read or written last, at most 64 MiB. Cheap to clone; all clones share them.
#[derive(Debug, Clone, Default)]
pub struct Chains(Arc<Mutex<ChainCache>>);

#[derive(Debug, Default)]
struct ChainCache {
    chains: HashMap<String, (CheckpointId, Chain)>,
    bytes: usize,
}

impl Chains {
    /// Takes the chain of a session if it ends with this checkpoint.
    pub fn take(&self, session: &str, id: CheckpointId) -> Option<Chain> {
        // A poisoned lock is usable: no update is left half done under it.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (newest, chain) = kept.chains.remove(session)?;
        kept.bytes = kept.bytes.saturating_sub(chain.text.len());
        (newest == id).then_some(chain)
    }

    /// Keeps the chain of a session that ends with this checkpoint. Call it after the checkpoint was stored.
    pub fn keep(&self, session: &str, id: CheckpointId, chain: Chain) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = chain.text.len();
        if kept.bytes.saturating_add(bytes) > MOST_BYTES {
            // They are read again.
            *kept = ChainCache::default();
        }
        kept.bytes += bytes;
        if let Some((_, old)) = kept.chains.insert(session.to_owned(), (id, chain)) {
            kept.bytes = kept.bytes.saturating_sub(old.text.len());
        }
    }
}
