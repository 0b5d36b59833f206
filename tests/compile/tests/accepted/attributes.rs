//! What stands beside `#[tool]` stays, and so does the function itself.
#![deny(warnings)]

use toolwright::{tool, tools};

/// Add two numbers.
#[tool]
#[must_use]
#[inline]
#[doc(alias = "plus")]
#[allow(clippy::needless_pass_by_value)]
fn add(
    mut a: i64,
    #[allow(unused_mut)] mut b: i64,
    #[expect(unused_variables)] c: Option<i64>,
    #[cfg_attr(all(), expect(unused_variables))] d: Option<i64>,
) -> i64 {
    a += b;
    a
}

#[cfg(any())]
#[tool]
fn never_there() {}

#[cfg_attr(all(), tool)]
/// Add one.
fn increment(a: i64) -> i64 {
    a + 1
}

/// Add, in the old way.
#[tool]
#[allow(dead_code)]
pub const fn plus(a: u8) -> u8 {
    a
}

/// What people read has an example that stands in a file:
#[doc = concat!("`plus", "(1, 2)`")]
#[tool(description = "Add what the model knows.")]
fn described(a: u8) -> u8 {
    a
}

#[test]
fn runs() {
    assert_eq!(add(1, 2, None, None), 3);
    assert_eq!(increment(1), 2);
    assert_eq!(tools![add, increment, plus, described].iter().len(), 4);
}
