//! Words that a chat repeats in every delta, such as the `channel` of a message.

use super::super::read::Members;
use super::DeltaSink;
use super::tree::Tree;

/// Keys of a message's deltas, counted to tell a repeated word from text. A word stands in every delta that sends words of the
/// answer or calls, or always beside a text that grows. Thoughts and sound come in deltas of their own, so their pieces are
/// all kept, equal or not.
#[derive(Debug, Default)]
pub(in super::super) struct WordKeys {
    /// Number of deltas.
    deltas: u64,
    /// Number of deltas that sent something.
    sent: usize,
    keys: Vec<Key>,
}

#[derive(Debug)]
struct Key {
    name: String,
    /// Number of deltas with the key that sent something.
    sent: usize,
    /// Digest of the numbers of the deltas with the key: equal for keys that always come together.
    digest: u64,
}

impl WordKeys {
    /// Counts the keys of a delta, which sent something if there are more events in the sink than there were `before` it.
    pub(in super::super) fn count(&mut self, delta: &Members<'_>, before: usize, sink: &DeltaSink) {
        let sent = usize::from(sink.len() > before);
        self.deltas += 1;
        self.sent += sent;
        let is_said = |json: &str| !matches!(json, "null" | "\"\"");
        for (name, _) in delta.iter().filter(|(_, value)| is_said(value.get())) {
            let at = self.keys.iter().position(|key| key.name == name);
            let at = at.unwrap_or_else(|| {
                self.keys.push(Key {
                    name: name.to_owned(),
                    sent: 0,
                    digest: 0,
                });
                self.keys.len() - 1
            });
            if let Some(key) = self.keys.get_mut(at) {
                key.sent += sent;
                key.digest = key.digest.wrapping_mul(31).wrapping_add(self.deltas);
            }
        }
    }

    /// Leaves one of each repeated word.
    pub(in super::super) fn once(&self, message: &mut Tree) {
        let grows = |key: &&Key| message.get(&key.name).is_some_and(Tree::differs);
        let growing: Vec<_> = self.keys.iter().filter(grows).collect();
        let is_member = |key: &&Key| message.get(&key.name).is_some();
        let keys: Vec<_> = self.keys.iter().filter(is_member).collect();
        for key in keys {
            let is_in_all = self.sent > 0 && key.sent == self.sent;
            let is_beside = growing.iter().any(|other| other.digest == key.digest);
            message.entry(&key.name).once(is_in_all || is_beside);
        }
    }
}
