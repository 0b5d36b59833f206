/// One change that [`Samples::near`](super::Samples::near) makes to a valid text.
///
/// Whether the text is valid after it, the schema decides: a longer string may still be short
/// enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Mutation {
    /// A value of another JSON type.
    WrongType,
    /// A number just beyond a bound.
    BeyondBound,
    /// A number where the width of some type ends.
    OtherWidth,
    /// A number with a fraction.
    Fraction,
    /// A number with a large or a small exponent.
    Exponent,
    /// A number of many digits.
    HugeDigits,
    /// A string that is longer.
    LongerString,
    /// A string that is shorter.
    ShorterString,
    /// A string with one character changed.
    MisspelledString,
    /// A key that is not there.
    MissingKey,
    /// A key that nobody knows.
    UnknownKey,
    /// A key with one character changed.
    MisspelledKey,
    /// A key that stands twice.
    DuplicateKey,
    /// A key that stands twice, once with an escape.
    DuplicateEscapedKey,
    /// `null` for a value.
    Null,
    /// An array of an object's values.
    ArrayForObject,
    /// One element more.
    MoreElements,
    /// One element fewer.
    FewerElements,
    /// An element that stands twice.
    RepeatedElement,
    /// Another of the schema's constants for a constant.
    OtherTag,
    /// A value as another part of the schema admits it.
    OtherVariant,
    /// A value inside arrays or objects.
    Nested,
    /// A text that ends early.
    Truncated,
    /// One byte changed, dropped or added.
    Damaged,
    /// A number in another spelling.
    RespelledNumber,
    /// Keys in another order.
    ReorderedKeys,
    /// A constant, such as a tag, after all other keys.
    TagLast,
    /// Strings with other escapes.
    OtherEscapes,
    /// White space.
    WhiteSpace,
    /// An optional key left out.
    OptionalDropped,
    /// An optional key given.
    OptionalAdded,
}

impl Mutation {
    /// All of them.
    ///
    /// ```
    /// use toolwright_testing::Mutation;
    ///
    /// assert!(Mutation::ALL.contains(&Mutation::DuplicateKey));
    /// ```
    pub const ALL: &[Self] = &[
        Self::WrongType,
        Self::BeyondBound,
        Self::OtherWidth,
        Self::Fraction,
        Self::Exponent,
        Self::HugeDigits,
        Self::LongerString,
        Self::ShorterString,
        Self::MisspelledString,
        Self::MissingKey,
        Self::UnknownKey,
        Self::MisspelledKey,
        Self::DuplicateKey,
        Self::DuplicateEscapedKey,
        Self::Null,
        Self::ArrayForObject,
        Self::MoreElements,
        Self::FewerElements,
        Self::RepeatedElement,
        Self::OtherTag,
        Self::OtherVariant,
        Self::Nested,
        Self::Truncated,
        Self::Damaged,
        Self::RespelledNumber,
        Self::ReorderedKeys,
        Self::TagLast,
        Self::OtherEscapes,
        Self::WhiteSpace,
        Self::OptionalDropped,
        Self::OptionalAdded,
    ];

    /// Those that leave a valid text valid.
    pub(super) const KEEPING: [Self; 7] = [
        Self::RespelledNumber,
        Self::ReorderedKeys,
        Self::TagLast,
        Self::OtherEscapes,
        Self::WhiteSpace,
        Self::OptionalDropped,
        Self::OptionalAdded,
    ];
}
