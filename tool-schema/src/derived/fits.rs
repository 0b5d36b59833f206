//! Checks at compile time that bounds fit their types. A bound without effect would go unnoticed.

use crate::format::is_known;
use crate::shape::{Bounds, Int, Kind, Shape, Side, StringRules};
use crate::text::same;

/// Returns the kind at a shape's core; `None` if it is not known yet, or wrong already.
#[track_caller]
const fn core<'a, 's>(shape: &'a Shape<'s>) -> Option<&'a Kind<'s>> {
    match shape.core() {
        Kind::Unknown | Kind::Recursive(_) => None,
        Kind::Foreign(_) => panic!(
            "a schema from `schema_with` or schemars' `JsonSchema` takes no further bounds\nhelp: put them into that schema, or describe the JSON by a type: `#[schema(as = Type)]`"
        ),
        kind => Some(kind),
    }
}

/// Returns true if a string has a pattern already, from its type or from a newtype around it.
const fn has_pattern(mut shape: &Shape<'_>) -> bool {
    loop {
        if let Some(bounds) = shape.kind.bounds()
            && bounds.pattern.is_some()
        {
            return true;
        }
        match shape.kind.layer(Side::Input) {
            Some(inner) => shape = inner,
            None => return matches!(&shape.kind, Kind::String(rules) if rules.pattern.is_some()),
        }
    }
}

/// The format that a string already has; empty for none.
const fn format<'s>(mut shape: &Shape<'s>) -> &'s str {
    loop {
        if let Some(bounds) = shape.kind.bounds()
            && !bounds.format.is_empty()
        {
            return bounds.format;
        }
        match (&shape.kind, shape.kind.layer(Side::Input)) {
            (_, Some(inner)) => shape = inner,
            (Kind::String(rules), None) => return rules.format,
            _ => return "",
        }
    }
}

/// Checks of bounds: one method a bound, called with the caret on the bound.
#[doc(hidden)]
impl Bounds<'_> {
    #[track_caller]
    pub const fn range_fits(&self, shape: &Shape<'_>) {
        match core(shape) {
            Some(Kind::Integer(range)) => {
                assert!(
                    self.from.is_some() == self.min.is_some()
                        && self.to.is_some() == self.max.is_some(),
                    "the type holds whole numbers, and an end of this `range` is not one\nhelp: write the ends as whole numbers",
                );
                let low = match self.min {
                    Some(min) if range.min.is_below(min) => min,
                    _ => range.min,
                };
                let high = match self.max {
                    Some(max) if max.is_below(range.max) => max,
                    _ => range.max,
                };
                assert!(
                    !high.is_below(low),
                    "the type holds no number that is in this `range`\nhelp: write a range within the type's own",
                );
            }
            Some(
                Kind::Number(_)
                | Kind::String(StringRules {
                    is_number: true, ..
                }),
            )
            | None => {}
            Some(Kind::String(StringRules {
                is_parsed: true, ..
            })) => panic!(
                "`range` is for numbers, and this type is a string in JSON\nhelp: check it with `#[tool(validate = path)]`, and say the range in the description"
            ),
            Some(_) => panic!(
                "`range` is for numbers, and this type is not one\nhelp: use `len` for strings and lists; put a `range` for elements on a newtype of the element"
            ),
        }
    }

    /// Asked of constants alone: of literals the macro knows it.
    #[track_caller]
    pub const fn default_fits(&self, default: i128) {
        let value = Int {
            negative: default < 0,
            magnitude: default.unsigned_abs(),
        };
        let is_in = match (self.min, self.max) {
            (Some(min), _) if value.is_below(min) => false,
            (_, Some(max)) if max.is_below(value) => false,
            _ => true,
        };
        assert!(
            is_in,
            "the default is out of its range\nhelp: a model that repeats it would be refused: take another default, widen the range, or make the parameter an `Option`",
        );
    }

    #[track_caller]
    pub const fn len_fits(&self, shape: &Shape<'_>) {
        match core(shape) {
            Some(Kind::String(_) | Kind::Map(_)) | None => {}
            Some(Kind::Array(array)) => {
                if let (Some(min), Some(max)) = (self.min_len, array.max_len) {
                    assert!(
                        min <= max,
                        "the type never holds so many elements\nhelp: write a smaller `len`"
                    );
                }
                if let Some(max) = self.max_len {
                    assert!(
                        max >= array.min_len,
                        "the type always holds more elements\nhelp: write a larger `len`"
                    );
                }
            }
            Some(_) => panic!(
                "`len` is for strings, lists and maps, and this type is none of them\nhelp: use `range` for numbers"
            ),
        }
    }

    #[track_caller]
    pub const fn pattern_fits(&self, shape: &Shape<'_>) {
        match core(shape) {
            Some(Kind::String(_)) | None => assert!(
                !has_pattern(shape),
                "the type has a `pattern` of its own, and providers take one\nhelp: write one pattern that says both",
            ),
            Some(_) => panic!(
                "`pattern` is for strings, and this type is not one\nhelp: put it on a newtype of the string"
            ),
        }
    }

    #[track_caller]
    pub const fn format_fits(&self, shape: &Shape<'_>) {
        match core(shape) {
            Some(Kind::String(_)) | None => {
                let own = format(shape);
                assert!(
                    is_known(self.format),
                    "nothing checks this `format`\nhelp: remove it and check the text by `validate = …`, or take a type that reads it",
                );
                assert!(
                    own.is_empty() || same(own, self.format),
                    "the type has a `format` of its own, and providers take one\nhelp: remove this one",
                );
            }
            Some(_) => panic!(
                "`format` is for strings, and this type is not one\nhelp: put it on a newtype of the string"
            ),
        }
    }

    #[track_caller]
    pub const fn multiple_of_fits(&self, shape: &Shape<'_>) {
        match core(shape) {
            Some(Kind::Integer(_)) => {
                let is_whole = match self.multiple_of {
                    Some(of) => is_digits(of.text.as_bytes()),
                    None => true,
                };
                assert!(
                    is_whole,
                    "the type holds whole numbers, and this `multiple_of` is not one\nhelp: write a whole number",
                );
            }
            Some(
                Kind::Number(_)
                | Kind::String(StringRules {
                    is_number: true, ..
                }),
            )
            | None => {}
            Some(_) => panic!(
                "`multiple_of` is for numbers, and this type is not one\nhelp: put it on a newtype of the number"
            ),
        }
    }

    #[track_caller]
    pub const fn unique_fits(&self, shape: &Shape<'_>) {
        match core(shape) {
            Some(Kind::Array(_)) | None => {}
            Some(_) => {
                panic!("`unique` is for lists, and this type is not one\nhelp: remove it")
            }
        }
    }
}

const fn is_digits(mut text: &[u8]) -> bool {
    while let [digit, rest @ ..] = text {
        if !digit.is_ascii_digit() {
            return false;
        }
        text = rest;
    }
    true
}
