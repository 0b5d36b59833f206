//! Arrays and tuples that are told as each other, as `lower/array` does it.

use super::Walk;
use toolwright_schema::shape::{Kind, Shape, Union};

impl Walk {
    /// How many places an array has that is sent as an object of places.
    pub(super) const fn places(&self, shape: &Shape<'static>) -> Option<usize> {
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
        let most = if most == u64::MAX {
            None
        } else {
            Some(most as u128)
        };
        self.rules.places(least as u128, most)
    }
}
