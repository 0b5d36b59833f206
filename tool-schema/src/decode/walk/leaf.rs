//! Checks values without parts.

use toolwright_json::{Integer, Number};

use crate::decode::fault::say;
use crate::decode::{FaultCode, Leaf, admits, int_of};
use crate::shape::{Kind, Shape, Unwrapped};

use super::budget::bytes;
use super::{Edit, Stop, Walk, Walked};

impl<'t> Walk<'t> {
    /// Consumes a number; where it starts.
    pub(super) fn take_number(&mut self) -> Result<(usize, Number<'t>), Stop> {
        let start = self.json.offset();
        Ok((start, self.json.number("a number")?))
    }

    pub(super) fn integer(&mut self, shape: &Shape<'_>) -> Walked {
        let (start, number) = self.take_number()?;
        if admits(shape, Leaf::Number(number)) {
            return match self.respelled(start, number) {
                Some(_) if self.is_exact => Err(Stop),
                edit => {
                    self.edits.extend(edit);
                    Ok(())
                }
            };
        }
        let code = match (int_of(number), shape.followed()) {
            (Some(int), Kind::Integer(range)) if range.holds(int) => FaultCode::Bound,
            (None, _) if !is_whole(number) => FaultCode::WrongType,
            _ => FaultCode::OutOfRange,
        };
        self.unfit(start, shape, code)
    }

    /// Returns the edit of an integer in other words than its digits.
    pub(super) fn respelled(&self, start: usize, number: Number<'_>) -> Option<Edit> {
        let end = self.json.offset();
        let is_other = match number {
            Number::Text(text, _) => text.bytes().any(|byte| !byte.is_ascii_digit()),
            // `-0`, which a buffer takes for a float.
            Number::Unsigned(0) => end - start > 1,
            Number::Unsigned(_) | Number::Signed(_) => false,
        };
        let int = (is_other && self.is_typed).then(|| int_of(number))??;
        Some(Edit::new(start..end, int.to_string()))
    }

    pub(super) fn number(&mut self, shape: &Shape<'_>) -> Walked {
        let (start, number) = self.take_number()?;
        if admits(shape, Leaf::Number(number)) {
            return Ok(());
        }
        let code = match shape.followed() {
            Kind::Number(range) if range.is_wide_enough(number) => FaultCode::Bound,
            _ => FaultCode::OutOfRange,
        };
        self.unfit(start, shape, code)
    }

    pub(super) fn string(&mut self, shape: &Shape<'_>) -> Walked {
        let start = self.json.offset();
        let text = self.json.string()?;
        let text = match &text {
            Ok(text) => text,
            Err(text) => text.as_str(),
        };
        self.spend(match shape.core() {
            // A pattern looks at each byte, and not at many at once.
            Kind::String(rules) if rules.pattern.is_some() => text.len() as u64 / 2,
            Kind::Enum(variants) => bytes(text) + variants.len() as u64 / 64,
            _ => bytes(text),
        })?;
        if admits(shape, Leaf::String(text)) {
            return Ok(());
        }
        match Unwrapped::of(shape).kind {
            Kind::Enum(variants) => self.fault(start, FaultCode::WrongType, |walk| {
                let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
                say::unknown_name("", (!walk.hides()).then_some(text), &names)
            }),
            _ => self.unfit(start, shape, FaultCode::Bound),
        }
    }
}

/// Returns true if a number is an integer, of whatever size.
fn is_whole(number: Number<'_>) -> bool {
    match number {
        Number::Text(text, _) => Integer::of(text).is_some(),
        _ => true,
    }
}
