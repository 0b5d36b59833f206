//! Rules of a dialect for values other than objects.

use super::super::LowerErrorCode;
use super::{Accepts, AllOf, Condition, Enums, Items, Null, Objects, Recursion, Rules, is_pythons};
use toolwright_schema::keyword::Keyword;

/// Up to 2^53, beyond which doubles leave integers out.
pub(in super::super) const SAFE: u128 = 1 << 53;

/// Arrays of one type up to this fixed length are sent as objects with numbered keys where no keyword bounds a length.
/// The length of a longer one is in its description.
const MOST_PLACES: u128 = 8;

/// Forms that a tuple is sent in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum TupleForm {
    Tuple,
    /// An array of so many elements of one type.
    List,
    /// An object with a key for each place.
    Places,
}

impl Rules {
    /// Returns true if some value is refused that is sent as a string of JSON then.
    pub(in super::super) const fn refuses_values(&self) -> bool {
        !self.untyped
            || !self.object_with_union
            || !self.empty_objects
            || matches!(self.objects, Objects::Closed | Objects::Unmarked)
            || !matches!(self.recursion, Recursion::Kept)
    }

    /// Returns the reject code of a value of any type, if that is refused.
    pub(in super::super) const fn any_value(&self) -> Option<LowerErrorCode> {
        if self.untyped {
            None
        } else {
            Some(LowerErrorCode::UntypedSchema)
        }
    }

    /// Returns the reject code of `false`, which no value is of, if that is refused.
    pub(in super::super) const fn no_value(&self) -> Option<LowerErrorCode> {
        if self.untyped {
            None
        } else {
            Some(LowerErrorCode::FalseSchema)
        }
    }

    /// Returns the reject code of an array without declared elements, if that is refused.
    pub(in super::super) const fn no_items(&self) -> Option<LowerErrorCode> {
        match self.items {
            Items::Any | Items::Filled => None,
            Items::Typed => Some(LowerErrorCode::UntypedArray),
        }
    }

    /// Returns the form that a tuple is sent in.
    pub(in super::super) const fn tuple(&self, is_of_one_type: bool) -> TupleForm {
        if self.tuples {
            TupleForm::Tuple
        } else if is_of_one_type && self.takes_lengths() {
            TupleForm::List
        } else {
            TupleForm::Places
        }
    }

    /// The places of the object that an array of `least` to `most` elements of one type is sent as;
    /// `None` if it is sent as an array.
    pub(in super::super) const fn places(&self, least: u128, most: Option<u128>) -> Option<usize> {
        match most {
            Some(most)
                if most == least
                    && least > 0
                    && least <= MOST_PLACES
                    && !self.tuples
                    && !self.takes_lengths() =>
            {
                // At most `MOST_PLACES`.
                #[allow(clippy::cast_possible_truncation)]
                Some(least as usize)
            }
            _ => None,
        }
    }

    /// Returns true if `minItems` and `maxItems` are taken in any case.
    const fn takes_lengths(&self) -> bool {
        let [least, most] = [self.when(Keyword::MinItems), self.when(Keyword::MaxItems)];
        matches!((least, most), (Condition::Always, Condition::Always))
    }

    /// Returns true if a value or `null` is a value of one of several types.
    pub(in super::super) const fn null_is_type(&self) -> bool {
        !matches!(self.null, Null::Nullable)
    }

    /// Returns true if `null` joins a list of the value's types.
    pub(in super::super) const fn lists_null(&self, is_object: bool, is_array: bool) -> bool {
        match self.null {
            Null::Kept | Null::AnyOf | Null::Nullable => false,
            Null::List => !is_object,
            Null::ScalarList => !is_object && !is_array,
        }
    }

    /// Returns true if a list of types becomes a union.
    pub(in super::super) const fn splits_types(&self, has_object_or_array: bool) -> bool {
        match self.null {
            Null::Kept => false,
            Null::List | Null::ScalarList => has_object_or_array,
            Null::AnyOf | Null::Nullable => true,
        }
    }

    /// Returns true if several schemas that all hold stay as they are; if false, each is lowered.
    pub(in super::super) const fn all_of(&self, has_object: bool) -> Result<bool, LowerErrorCode> {
        match self.all_of {
            AllOf::Kept => Ok(true),
            AllOf::NoObjects if !has_object => Ok(false),
            AllOf::NoObjects | AllOf::Refused => Err(LowerErrorCode::AllOf),
        }
    }

    /// Returns the reject code of a recursive edge, if any. `is_required`: no key on its way may be missing.
    pub(in super::super) const fn edge_back(&self, is_required: bool) -> Option<LowerErrorCode> {
        match self.recursion {
            Recursion::Refused => Some(LowerErrorCode::RecursiveType),
            Recursion::Optional if is_required => Some(LowerErrorCode::RecursiveRequired),
            Recursion::Kept | Recursion::Optional => None,
        }
    }

    /// Returns true if a schema may refer to its types.
    pub(in super::super) const fn has_references(&self) -> bool {
        !matches!(self.recursion, Recursion::Refused)
    }

    /// Returns true if enums hold a string, or another value if there is `None`.
    pub(in super::super) const fn enumerates(&self, text: Option<&str>, is_number: bool) -> bool {
        let is_text = matches!(text, Some(text) if !text.is_empty());
        match self.enums {
            Enums::Any => true,
            Enums::NoBooleans => is_text || is_number,
            Enums::Strings => is_text,
        }
    }

    /// Returns the reject code of a pattern that the provider does not compile, if any.
    pub(in super::super) const fn pattern(&self, pattern: &str) -> Option<LowerErrorCode> {
        match self.when(Keyword::Pattern) {
            Condition::Python | Condition::PythonNoLookaround if !is_pythons(pattern) => {
                Some(LowerErrorCode::Pattern)
            }
            _ => None,
        }
    }

    /// Returns the reject code of a bound that the provider does not hold, if any.
    pub(in super::super) const fn bound(
        &self,
        keyword: Keyword,
        magnitude: u128,
    ) -> Option<LowerErrorCode> {
        match self.when(keyword) {
            Condition::SafeInteger if magnitude > SAFE => Some(LowerErrorCode::WideBound),
            _ => None,
        }
    }

    /// Returns when a keyword is taken that bounds a value.
    pub(in super::super) const fn when(&self, keyword: Keyword) -> Condition {
        let (mut named, others) = match &self.keywords {
            Accepts::All => return Condition::Always,
            Accepts::AllBut(named) => (*named, Condition::Always),
            Accepts::Only(named) => (*named, Condition::Never),
        };
        while let [(name, when), rest @ ..] = named {
            if *name as usize == keyword as usize {
                return *when;
            }
            named = rest;
        }
        others
    }
}
