use std::fmt;
use std::iter;
use std::sync::OnceLock;

use crate::decode::Repair;

/// Storage for texts that a call needs beside its arguments and that live as long as they do.
///
/// A string with escapes differs from its text in the arguments. Its unescaped text is stored here, so that a `&str`
/// parameter can borrow it. An empty arena allocates nothing.
///
/// ```
/// use toolwright::{Context, args::Arena, call::Call};
///
/// let (arena, cx) = (Arena::new(), Context::new());
/// let call = Call::new(r#"{"city": "Troms\u00f8"}"#, &arena, &cx);
/// assert_eq!(call.arguments(), r#"{"city": "Troms\u00f8"}"#);
/// ```
#[derive(Default)]
pub struct Arena {
    first: OnceLock<Box<ArenaNode>>,
}

struct ArenaNode {
    stored: ArenaItem,
    next: OnceLock<Box<ArenaNode>>,
}

enum ArenaItem {
    Text(String),
    RepairedArguments(Box<RepairedArguments>),
}

/// Arguments that were repaired.
struct RepairedArguments {
    text: String,
    repairs: Vec<Repair>,
}

impl ArenaNode {
    fn text(&self) -> &str {
        match &self.stored {
            ArenaItem::Text(text) => text,
            ArenaItem::RepairedArguments(repaired) => &repaired.text,
        }
    }
}

impl Arena {
    /// An empty arena.
    pub const fn new() -> Self {
        Self {
            first: OnceLock::new(),
        }
    }

    /// Returns the repairs of the arguments; empty if there were none.
    #[inline]
    pub fn repairs(&self) -> &[Repair] {
        match self.first.get() {
            Some(first) => Self::repaired_from(first).map_or(&[], |repaired| &repaired.repairs),
            None => &[],
        }
    }

    /// Returns the arguments as they were repaired.
    pub fn repaired_arguments(&self) -> Option<&str> {
        Self::repaired_from(self.first.get()?).map(|repaired| repaired.text.as_str())
    }

    /// A tool that reads its arguments twice repairs them twice, in the same way: the first counts.
    fn repaired_from(first: &ArenaNode) -> Option<&RepairedArguments> {
        let mut all = iter::successors(Some(first), |node| node.next.get().map(Box::as_ref));
        all.find_map(|node| match &node.stored {
            ArenaItem::Text(_) => None,
            ArenaItem::RepairedArguments(repaired) => Some(&**repaired),
        })
    }

    pub fn repaired(&self, text: &str, repairs: Vec<Repair>) {
        if repairs.is_empty() {
            return;
        }
        let text = text.to_owned();
        let repaired = Box::new(RepairedArguments { text, repairs });
        self.cursor().add(ArenaItem::RepairedArguments(repaired));
    }

    pub fn cursor(&self) -> ArenaCursor<'_> {
        ArenaCursor { end: &self.first }
    }
}

/// Its texts are parts of arguments, which may be secret.
impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena")
            .field("repairs", &self.repairs())
            .finish_non_exhaustive()
    }
}

/// Drops one text after the other: dropping a long list as it is nested would overflow the stack.
impl Drop for Arena {
    #[inline]
    fn drop(&mut self) {
        if let Some(first) = self.first.take() {
            drop_from(first);
        }
    }
}

#[cold]
fn drop_from(first: Box<ArenaNode>) {
    let mut next = Some(first);
    while let Some(mut node) = next {
        next = node.next.take();
    }
}

/// The end of an arena: the place of the next text.
///
/// The list only grows, and a cell is written once, so every text can be lent for the arena's
/// whole life without `unsafe`.
#[derive(Clone, Copy)]
pub struct ArenaCursor<'s> {
    end: &'s OnceLock<Box<ArenaNode>>,
}

impl<'s> ArenaCursor<'s> {
    pub fn keep(&mut self, text: String) -> &'s str {
        self.add(ArenaItem::Text(text))
    }

    fn add(&mut self, stored: ArenaItem) -> &'s str {
        // Another cursor may have written to this cell since: then the end is further on.
        let mut node = Box::new(ArenaNode {
            stored,
            next: OnceLock::new(),
        });
        loop {
            match self.end.set(node) {
                Ok(()) => break,
                Err(back) => node = back,
            }
            if let Some(taken) = self.end.get() {
                self.end = &taken.next;
            }
        }
        match self.end.get() {
            Some(node) => {
                self.end = &node.next;
                node.text()
            }
            // `set` has just succeeded on this cell.
            None => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    #[test]
    fn texts_stay_where_they_are_and_pens_do_not_overwrite_each_other() {
        let arena = Arena::new();
        let (mut one, mut two) = (arena.cursor(), arena.cursor());
        let a = one.keep("a".into());
        let b = two.keep("b".into());
        let c = one.keep("c".into());
        let d = two.keep("d".into());
        assert_eq!([a, b, c, d], ["a", "b", "c", "d"]);
        let mut texts = Vec::new();
        let mut cell = &arena.first;
        while let Some(node) = cell.get() {
            texts.push(node.text());
            cell = &node.next;
        }
        assert_eq!(texts, ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_long_list_is_dropped_on_a_short_stack() {
        let arena = Arena::new();
        let mut cursor = arena.cursor();
        for _ in 0..1_000_000 {
            cursor.keep(String::new());
        }
        drop(arena);
    }
}
