//! Checks whether the elements of an array are different values.

use std::borrow::Cow;

use hashbrown::HashSet;
use toolwright_json::{Decimal, Value};

/// Returns the index of the first element that is equal to an earlier one, as `uniqueItems` means it. `1` is `1.0`,
/// `"A"` is `"\u0041"`, and the order of an object's keys does not count. But `true` is not `1`, and `"1"` is not.
///
/// Requires elements that are known to be JSON: of other text the result means nothing. Takes time
/// in proportion to the text, times its depth where it nests.
pub(crate) fn first_repeat<'t>(elements: impl Iterator<Item = &'t str>) -> Option<usize> {
    let mut seen: HashSet<ValueIdentity<'t>, foldhash::fast::RandomState> = HashSet::default();
    elements
        .map(ValueIdentity::of)
        .position(|value| !seen.insert(value))
}

/// Identity of a value: equal values have the same one.
#[derive(PartialEq, Eq, Hash)]
enum ValueIdentity<'t> {
    Number(Decimal<'t>),
    /// Any other value. Literals, and strings without escapes, are compared as text.
    Text(Cow<'t, str>),
}

impl<'t> ValueIdentity<'t> {
    fn of(text: &'t str) -> Self {
        let text = text.trim_matches([' ', '\n', '\t', '\r']);
        if let Some(number) = Decimal::of(text) {
            return Self::Number(number);
        }
        let is_nested = text.starts_with(['[', '{']);
        if !is_nested && !text.contains('\\') {
            return Self::Text(Cow::Borrowed(text));
        }
        let Ok(value) = Value::parse(text) else {
            return Self::Text(Cow::Borrowed(text));
        };
        let mut identity = String::with_capacity(text.len());
        value.write_identity(&mut identity);
        Self::Text(Cow::Owned(identity))
    }
}

#[cfg(test)]
mod tests;
