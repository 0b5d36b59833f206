use std::fmt;
use std::iter;
use std::sync::OnceLock;

use crate::decode::Repair;

/// Room for texts that a call needs beside its arguments and that must live as long as they do.
///
/// The tool does not read a string with escapes as it stands in the arguments. Its unescaped text
/// is kept here, so that a `&str` parameter can borrow it. An empty store allocates nothing.
///
/// ```
/// use toolwright::{Context, args::Store, call::Call};
///
/// let (store, cx) = (Store::new(), Context::new());
/// let call = Call::new(r#"{"city": "Troms\u00f8"}"#, &store, &cx);
/// assert_eq!(call.arguments(), r#"{"city": "Troms\u00f8"}"#);
/// ```
#[derive(Default)]
pub struct Store {
    first: OnceLock<Box<Node>>,
}

struct Node {
    stored: Stored,
    next: OnceLock<Box<Node>>,
}

enum Stored {
    Text(String),
    Repaired(Box<Repaired>),
}

/// Arguments that were repaired.
struct Repaired {
    text: String,
    repairs: Vec<Repair>,
}

impl Node {
    fn text(&self) -> &str {
        match &self.stored {
            Stored::Text(text) => text,
            Stored::Repaired(repaired) => &repaired.text,
        }
    }
}

impl Store {
    /// An empty store.
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
    fn repaired_from(first: &Node) -> Option<&Repaired> {
        let mut all = iter::successors(Some(first), |node| node.next.get().map(Box::as_ref));
        all.find_map(|node| match &node.stored {
            Stored::Text(_) => None,
            Stored::Repaired(repaired) => Some(&**repaired),
        })
    }

    pub fn repaired(&self, text: &str, repairs: Vec<Repair>) {
        if repairs.is_empty() {
            return;
        }
        let text = text.to_owned();
        let repaired = Box::new(Repaired { text, repairs });
        self.pen().add(Stored::Repaired(repaired));
    }

    pub fn pen(&self) -> Pen<'_> {
        Pen { end: &self.first }
    }
}

/// Its texts are parts of arguments, which may be secret.
impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("repairs", &self.repairs())
            .finish_non_exhaustive()
    }
}

/// Drops one text after the other: dropping a long list as it is nested would overflow the stack.
impl Drop for Store {
    #[inline]
    fn drop(&mut self) {
        if let Some(first) = self.first.take() {
            drop_from(first);
        }
    }
}

#[cold]
fn drop_from(first: Box<Node>) {
    let mut next = Some(first);
    while let Some(mut node) = next {
        next = node.next.take();
    }
}

/// The end of a store's list: where the next text goes.
///
/// The list only grows, and a cell is written once, so every text can be lent for the store's
/// whole life without `unsafe`.
#[derive(Clone, Copy)]
pub struct Pen<'s> {
    end: &'s OnceLock<Box<Node>>,
}

impl<'s> Pen<'s> {
    pub fn keep(&mut self, text: String) -> &'s str {
        self.add(Stored::Text(text))
    }

    fn add(&mut self, stored: Stored) -> &'s str {
        // Another pen may have written to this cell since: then the end is further on.
        let mut node = Box::new(Node {
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
    use super::Store;

    #[test]
    fn texts_stay_where_they_are_and_pens_do_not_overwrite_each_other() {
        let store = Store::new();
        let (mut one, mut two) = (store.pen(), store.pen());
        let a = one.keep("a".into());
        let b = two.keep("b".into());
        let c = one.keep("c".into());
        let d = two.keep("d".into());
        assert_eq!([a, b, c, d], ["a", "b", "c", "d"]);
        let mut texts = Vec::new();
        let mut cell = &store.first;
        while let Some(node) = cell.get() {
            texts.push(node.text());
            cell = &node.next;
        }
        assert_eq!(texts, ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_long_list_is_dropped_on_a_short_stack() {
        let store = Store::new();
        let mut pen = store.pen();
        for _ in 0..1_000_000 {
            pen.keep(String::new());
        }
        drop(store);
    }
}
