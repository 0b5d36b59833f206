//! The reader's expectation of the next value, beyond the type's.
//!
//! A type's `Deserialize` checks its structure: its keys, and the types of their values. Only the tree has bounds. The
//! reader follows a tree with bounds: a value's place in the text determines its part of the tree, whatever methods the
//! type calls.

use super::read::{Json, ReadMode};
use super::seen_keys::SeenKeys;
use super::{Error, Mismatch};
use crate::decode::{Leaf, admits, walk};
use crate::shape::{CheckLevel, Kind, Shape};

/// An expectation of a value.
#[derive(Debug, Clone, Copy)]
pub enum Expected {
    /// Anything that its type reads.
    Typed,
    /// A value of this shape, whose rules the type does not check.
    Shaped(&'static Shape<'static>),
    /// A value that has been checked already, with all that is in it.
    Checked,
}

/// Any value without duplicate keys: types that skip a value do not check them.
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
    /// Moves to the next value, with this expectation, and returns its reader: this one, or one over the value's
    /// replacement, which is at `elsewhere`. serde's buffers know integers by their spelling alone.
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

    /// Walks the next value; returns its end, and its replacement if serde needs one.
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

    /// Consumes the value of an unknown key, which may occur once.
    pub fn pass(&mut self, key: &'de str, others: &mut Option<SeenKeys<'de>>) -> Result<(), Error> {
        if !others.get_or_insert(SeenKeys::NONE).note(key) {
            return Err(Error::duplicate_key(key));
        }
        self.expected = Expected::Typed;
        self.skip_checked()?;
        Ok(())
    }

    /// Compares a scalar with the expectation.
    #[inline]
    pub(super) fn check_leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Error> {
        match self.expected {
            Expected::Typed | Expected::Checked => Ok(()),
            Expected::Shaped(shape) if admits(shape, leaf) => Ok(()),
            Expected::Shaped(_) => Err(refused()),
        }
    }

    /// Consumes a value without decoding it, and returns its text.
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

/// The report finds out which rule was broken.
#[cold]
pub(super) fn refused() -> Error {
    Error::new(Mismatch::Type { wanted: "" })
}

/// The level for a shape, including its edges back.
fn check_level(mut shape: &Shape<'_>) -> CheckLevel {
    // Bounds apply whatever their shape contains.
    let mut is_bounded = false;
    while shape.check == CheckLevel::Watched {
        // The content may need a walk, which is known only behind an edge back.
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
