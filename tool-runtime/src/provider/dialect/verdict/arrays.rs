//! Arrays and tuples that are told as each other, as `lower/array` does it.

use super::super::rules::{Takes, Unless, When};
use super::Walk;
use super::parts::{are_of_one_type, same};
use crate::schema::shape::{Kind, Shape, Union};

/// An array of one type and of up to so many elements is told as a tuple (`lower/array`).
const MOST_PLACES: u64 = 8;

impl Walk {
    /// How many places an array has that is sent as an object of places.
    pub(super) const fn places(&self, shape: &Shape) -> Option<usize> {
        let mut layer = shape;
        let (mut least, mut most) = (0, u64::MAX);
        loop {
            let (min_len, max_len) = match &layer.kind {
                Kind::Array(array) => (array.min_len, array.max_len),
                Kind::Narrow(_, bounds) => (
                    match bounds.min_len {
                        Some(len) => len,
                        None => 0,
                    },
                    bounds.max_len,
                ),
                _ => (0, None),
            };
            if min_len > least {
                least = min_len;
            }
            if let Some(len) = max_len
                && len < most
            {
                most = len;
            }
            layer = match &layer.kind {
                Kind::Nullable(inner)
                | Kind::Narrow(inner, _)
                | Kind::Sides { input: inner, .. } => inner,
                Kind::Union(Union { members: [one], .. }) => one,
                _ => break,
            };
        }
        if self.rules.tuples
            || most == u64::MAX
            || least != most
            || least == 0
            || least > MOST_PLACES
        {
            return None;
        }
        if self.takes_lengths() {
            return None;
        }
        // At most `MOST_PLACES`.
        #[allow(clippy::cast_possible_truncation)]
        Some(least as usize)
    }

    /// Whether a tuple is sent as a list of one type.
    pub(super) const fn is_list(&self, kind: &Kind) -> bool {
        !self.rules.tuples && self.takes_lengths() && are_of_one_type(kind)
    }

    /// Whether an array may say how many elements it has, which then are more than one.
    pub(super) const fn takes_lengths(&self) -> bool {
        let mut found = 0;
        match &self.rules.keywords {
            Takes::All => true,
            Takes::AllBut(refused) => {
                let mut rest = *refused;
                while let [(name, unless), tail @ ..] = rest {
                    rest = tail;
                    found += (is_length(name) && matches!(unless, Unless::Never)) as usize;
                }
                found == 0
            }
            Takes::Only(taken) => {
                let mut rest = *taken;
                while let [(name, when), tail @ ..] = rest {
                    rest = tail;
                    found += (is_length(name) && matches!(when, When::Always)) as usize;
                }
                found == 2
            }
        }
    }
}

const fn is_length(keyword: &str) -> bool {
    same(keyword, "minItems") || same(keyword, "maxItems")
}
