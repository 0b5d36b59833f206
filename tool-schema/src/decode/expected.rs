//! The reader's expectation of the value that is read next, beyond what the type asks for.
//!
//! A type's own `Deserialize` sees to its form: which keys there are, which types their values have.
//! Bounds stand in the tree alone. Where a tree has some, the reader carries it along: a value's
//! place in the text says which part of the tree it belongs to, whatever the type calls.

use super::access::SeenKeys;
use super::read::{Json, ReadMode};
use super::{Error, Mismatch};
use crate::decode::{Leaf, admits, walk};
use crate::shape::{CheckLevel, Kind, Shape};

/// An expectation of a value.
#[derive(Debug, Clone, Copy)]
pub enum Expected {
    /// Anything that its type reads.
    Typed,
    /// A value of this shape, which reading it as its type does not tell.
    Shaped(&'static Shape<'static>),
    /// A value that has been checked already, with all that is in it.
    Checked,
}

/// Any value, in which no key stands twice: types that skip a value do not look.
static ANY: Shape<'_> = Shape {
    check: CheckLevel::Walked,
    ..Shape::new(Kind::Any)
};

impl Expected {
    /// Any value, for somebody who does not look at it.
    pub(crate) const ANY: Self = Self::Shaped(&ANY);

    /// A value of this shape.
    #[inline]
    pub fn of(shape: &'static Shape<'static>) -> Self {
        match shape.check {
            CheckLevel::Typed => Self::Typed,
            CheckLevel::Watched | CheckLevel::Walked => Self::Shaped(shape),
        }
    }
}

impl<'de> Json<'de> {
    /// Goes to the value that stands next, of which this is known, and returns who reads it: this
    /// reader, or one of the same value in other words, which has its place in `elsewhere`. serde's
    /// buffers know integers by their spelling alone.
    #[inline]
    pub fn enter_value<'j>(
        &'j mut self,
        expected: Expected,
        elsewhere: &'j mut Option<Self>,
    ) -> Result<&'j mut Self, Error> {
        self.expected = expected;
        match expected {
            Expected::Typed | Expected::Checked => Ok(self),
            // A value without parts.
            Expected::Shaped(shape) if shape.kind.is_scalar() => Ok(self),
            Expected::Shaped(Shape {
                kind: Kind::Object(_),
                check: CheckLevel::Watched,
                ..
            }) if self.mode == ReadMode::Plain => Ok(self),
            Expected::Shaped(shape) => self.enter_shaped(shape, elsewhere),
        }
    }

    fn enter_shaped<'j>(
        &'j mut self,
        shape: &'static Shape<'static>,
        elsewhere: &'j mut Option<Self>,
    ) -> Result<&'j mut Self, Error> {
        if self.is_buffered() {
            return self.enter_buffered(shape, elsewhere);
        }
        match check_level(shape) {
            CheckLevel::Typed => self.expected = Expected::Typed,
            CheckLevel::Watched => {}
            CheckLevel::Walked => return self.enter_buffered(shape, elsewhere),
        }
        Ok(self)
    }

    /// Goes to a value that serde buffers: it is checked while serde reads it, or walked before.
    #[inline(never)]
    fn enter_buffered<'j>(
        &'j mut self,
        shape: &'static Shape<'static>,
        elsewhere: &'j mut Option<Self>,
    ) -> Result<&'j mut Self, Error> {
        if let Some(member) = self.member(shape) {
            self.expected = member;
            return Ok(self);
        }
        match self.walked(shape)? {
            None => Ok(self),
            Some((text, end)) => {
                let text = self.cursor.keep(text);
                self.rewind(end, self.depth());
                Ok(elsewhere.insert(self.beside(text, Expected::Checked)))
            }
        }
    }

    /// Walks the value that stands next; what it is in other words, if serde needs those, and where
    /// it ends.
    fn walked(&mut self, shape: &Shape<'_>) -> Result<Option<(String, usize)>, Error> {
        self.expected = Expected::Checked;
        self.peek();
        let reading = walk::WalkOptions {
            depth: self.depth(),
            is_typed: true,
            budget: walk::Budget::NONE,
        };
        walk::validate(self.whole(), self.offset(), reading, shape)
    }

    /// Consumes the value of a key that nobody knows, which may stand here once.
    pub fn pass(&mut self, key: &'de str, others: &mut Option<SeenKeys<'de>>) -> Result<(), Error> {
        if !others.get_or_insert(SeenKeys::NONE).note(key) {
            return Err(Error::duplicate_key(key));
        }
        self.expected = Expected::Typed;
        self.skip_checked()?;
        Ok(())
    }

    /// Compares a value without parts with what it has to be.
    #[inline]
    pub(super) fn check_leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Error> {
        match self.expected {
            Expected::Typed | Expected::Checked => Ok(()),
            Expected::Shaped(shape) if admits(shape, leaf) => Ok(()),
            Expected::Shaped(_) => Err(refused()),
        }
    }

    /// Consumes a value that nobody looks at, and returns its text.
    pub(super) fn skip_checked(&mut self) -> Result<&'de str, Error> {
        match self.expected {
            Expected::Checked => {}
            Expected::Typed => {
                self.walked(&ANY)?;
            }
            Expected::Shaped(shape) => {
                self.walked(shape)?;
            }
        }
        self.skip()
    }
}

/// Which rule was broken is found out by whoever tells it.
#[cold]
pub(super) fn refused() -> Error {
    Error::new(Mismatch::Type { wanted: "" })
}

/// The level for a shape, with what it leads back to.
fn check_level(mut shape: &Shape<'_>) -> CheckLevel {
    // Bounds hold whatever stands inside them.
    let mut is_bounded = false;
    while shape.check == CheckLevel::Watched {
        // What stands inside may have to be walked, which shows only behind an edge back.
        let Some(inner) = shape.layer_or_target() else {
            break;
        };
        let is_edge = matches!(shape.kind, Kind::Recursive(_));
        is_bounded |= shape.kind.bounds().is_some() || !is_edge && inner.check == CheckLevel::Typed;
        shape = inner;
    }
    match shape.check {
        CheckLevel::Typed if is_bounded => CheckLevel::Watched,
        level => level,
    }
}

/// Returns true if a map has such keys. JSON's keys are strings; numbers have one spelling each.
pub fn admits_key(shape: &Shape<'_>, key: &str) -> bool {
    match shape.followed() {
        Kind::Integer(_) => {
            super::key::integer(key).is_ok_and(|number| admits(shape, Leaf::Number(number)))
        }
        Kind::Bool => matches!(key, "true" | "false"),
        _ => admits(shape, Leaf::String(key)),
    }
}
