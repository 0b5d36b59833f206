//! Vocabulary of the tables in `table`.
//!
//! Its consequences are decided in `objects` and `values`: each rule is one constant function of plain
//! facts. The verdict finds the facts in a tree, and the lowering in the text of its schema.

mod objects;
mod patterns;
mod values;

use super::names::NameRule;
use super::{Dialect, RequestLimits};
use toolwright_schema::keyword::Keyword;

pub(super) use self::objects::{ObjectFacts, ObjectForm, Root};
pub(super) use self::patterns::is_pythons;
pub(super) use self::values::TupleForm;

/// Rules of one dialect: the accepted schemas, and the treatment of the rest.
#[allow(clippy::struct_excessive_bools)] // Each is one rule of its own, with its own source.
pub(super) struct Rules {
    pub(super) name: &'static str,
    /// The model is held to the schema.
    pub(super) strict: bool,
    /// Dialect of the same provider that does not hold the model to the schema.
    pub(super) non_strict: Option<Dialect>,
    /// The most characters of a tool's description.
    pub(super) description: Option<usize>,
    /// Names of tools.
    pub(super) tool_name: NameRule,
    /// Names of the arguments; nested names are not checked.
    pub(super) argument_name: Option<NameRule>,
    /// The root may have a union beside its keys.
    pub(super) root_union: bool,
    /// The root may have `enum` and `not`.
    pub(super) root_enum: bool,
    /// Objects below the root may have a union beside their keys.
    pub(super) object_with_union: bool,
    /// Form of a key that may be missing.
    pub(super) optional: Optional,
    /// Form of a value that may be `null`.
    pub(super) null: Null,
    pub(super) objects: Objects,
    pub(super) maps: Maps,
    /// `prefixItems` is known.
    pub(super) tuples: bool,
    /// A value may be of any type, and of none (`false`).
    pub(super) untyped: bool,
    pub(super) items: Items,
    pub(super) all_of: AllOf,
    /// Objects below the root may have no keys.
    pub(super) empty_objects: bool,
    /// `required` may be empty.
    pub(super) empty_required: bool,
    pub(super) recursion: Recursion,
    /// `$ref` may have no siblings.
    pub(super) lone_ref: bool,
    /// `anyOf` may have no siblings.
    pub(super) lone_union: bool,
    /// Objects of a union must differ in their first key, or in its value.
    pub(super) first_keys: bool,
    /// Keywords that bound a value.
    pub(super) keywords: Accepts,
    pub(super) formats: Formats,
    /// Enums hold these.
    pub(super) enums: Enums,
    /// Keywords of no JSON Schema (`x-…`) are handed on.
    pub(super) vendor: bool,
    /// `propertyOrdering` sets the order of keys.
    pub(super) ordering: bool,
    /// A tool without parameters is sent without a schema.
    pub(super) omits_empty: bool,
    pub(super) limits: Limits,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Optional {
    /// It is not in `required`.
    Kept,
    /// Every key is in `required`, and `null` means a missing one.
    Null,
    /// It is not in `required`, and never `null`: a missing key costs less than a union.
    Absent,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    /// In any way.
    Kept,
    /// A list of types where the type is one word, and `anyOf` else.
    List,
    /// As `List`, but an array takes `anyOf` too.
    ScalarList,
    /// `anyOf`.
    AnyOf,
    /// `nullable: true`.
    Nullable,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    /// Open and closed ones.
    Kept,
    /// All are closed, and say so.
    Closed,
    /// All are closed; there is no keyword for it.
    Unmarked,
    /// As `Unmarked`, and open objects lose their other keys.
    Narrowed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Maps {
    Kept,
    /// Keys may be any strings, without rules.
    AnyKey,
    /// A map is sent as a list of entries.
    Entries,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    /// An array need not declare its elements.
    Any,
    /// It must, if only that it holds anything.
    Filled,
    /// It must.
    Typed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AllOf {
    Kept,
    /// All schemas but those of objects: closed, no two of those meet.
    NoObjects,
    Refused,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Recursion {
    Kept,
    /// Every recursive path has a key that may be missing.
    Optional,
    Refused,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Enums {
    Any,
    /// Numbers and strings, but not the empty one.
    NoBooleans,
    /// Strings, but not the empty one.
    Strings,
}

/// Keywords that bound a value and are taken.
pub(super) enum Accepts {
    All,
    AllBut(&'static [(Keyword, Condition)]),
    Only(&'static [(Keyword, Condition)]),
}

/// Conditions under which a keyword is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Always,
    Never,
    /// Its number is at most this.
    AtMost(u128),
    /// A pattern that does not look around.
    NoLookaround,
    /// A pattern that Python's `re` compiles.
    Python,
    /// Both of these.
    PythonNoLookaround,
    /// Its number is one that doubles count to.
    SafeInteger,
    /// A pattern that can be run without anything that regular languages have not: assertions, back references.
    Regular,
    /// One without Unicode's properties, too.
    RegularNoProperties,
    /// No sibling pattern may match inside a text.
    NoInnerPattern,
    /// It has neither `pattern` nor `format` as a sibling.
    NoPatternNorFormat,
    /// Every key that the object declares must be there.
    NoneOptional,
}

pub(super) enum Formats {
    Any,
    Only(&'static [&'static str]),
}

/// Presence of `null` among the values behind a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NullPresence {
    /// `null` if the schema admits it.
    AsSaid,
    /// `null` always: it means that the key is missing.
    Always,
    /// No `null`: the key is missing instead.
    Never,
}

impl NullPresence {
    /// Returns true if `null` is a value. `said`: the schema admits it.
    pub(super) const fn admits(self, said: bool) -> bool {
        match self {
            Self::AsSaid => said,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Limits of a schema's size, and the request's limits.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) request: RequestLimits,
    pub(super) properties: usize,
    /// Objects inside each other, the root included.
    pub(super) levels: usize,
    pub(super) enum_values: usize,
    /// Characters of names and of enums' values.
    pub(super) characters: usize,
    /// Characters of one enum of more than 250 values.
    pub(super) enum_characters: usize,
}

impl Limits {
    pub(super) const NONE: Self = Self {
        request: RequestLimits::NONE,
        properties: usize::MAX,
        levels: usize::MAX,
        enum_values: usize::MAX,
        characters: usize::MAX,
        enum_characters: usize::MAX,
    };
}
