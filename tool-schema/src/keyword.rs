//! The vocabulary of JSON Schema: each keyword, and all that is known of it.

/// The part of a keyword's value that is a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// None of it.
    Nothing,
    /// All of it.
    One,
    /// The elements of a list.
    List,
    /// All of it, or the elements of a list.
    OneOrList,
    /// The values of an object.
    Named,
    /// The values of an object, but for lists of names among them.
    NamedOrNames,
    /// The values of an object, which say nothing until something refers to them.
    Defined,
}

/// The type of the values that a keyword is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// Values of every type.
    Any,
    /// Numbers, integers among them.
    Number,
    /// Strings.
    String,
    /// Arrays.
    Array,
    /// Objects.
    Object,
}

macro_rules! vocabulary {
    ($($name:ident $text:literal $about:ident $holds:ident $place:literal)*) => {
        /// A keyword of JSON Schema.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)] // Each is the keyword of its name.
        pub enum Keyword {
            $($name,)*
        }

        impl Keyword {
            /// The keyword of this text.
            pub fn of(text: &str) -> Option<Self> {
                // A `match` compares faster than a list is searched.
                match text {
                    $($text => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// The keyword's text.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// The type of the values that it is about.
            pub(crate) const fn about(self) -> About {
                match self {
                    $(Self::$name => About::$about,)*
                }
            }

            /// The part of its value that is a schema.
            pub const fn holds(self) -> Holds {
                match self {
                    $(Self::$name => Holds::$holds,)*
                }
            }

            /// Its place among the keywords that can be told in words; 0: it cannot.
            const fn told(self) -> u8 {
                match self {
                    $(Self::$name => $place,)*
                }
            }
        }
    };
}

// A row: the name, the text, the type of values that it is about, the part that is a schema, and the place among the
// keywords that a description tells where a provider does not accept them (0: none).
//
// In the order in which a schema in canonical form has them, up to `$defs`; those behind it keep their order. Up to
// `additionalItems` lowering knows them, and behind that nothing but readers.
vocabulary! {
    Ref "$ref" Any Nothing 0
    AnyOf "anyOf" Any List 0
    AllOf "allOf" Any List 0
    Type "type" Any Nothing 0
    Nullable "nullable" Any Nothing 0
    Enum "enum" Any Nothing 31
    Items "items" Array OneOrList 0
    PrefixItems "prefixItems" Array List 0
    MinItems "minItems" Array Nothing 10
    MaxItems "maxItems" Array Nothing 11
    UniqueItems "uniqueItems" Array Nothing 12
    Minimum "minimum" Number Nothing 5
    ExclusiveMinimum "exclusiveMinimum" Number Nothing 7
    Maximum "maximum" Number Nothing 6
    ExclusiveMaximum "exclusiveMaximum" Number Nothing 8
    MultipleOf "multipleOf" Number Nothing 9
    Not "not" Any One 24
    MinLength "minLength" String Nothing 1
    MaxLength "maxLength" String Nothing 2
    Pattern "pattern" String Nothing 3
    Format "format" String Nothing 4
    PropertyNames "propertyNames" Object One 19
    PatternProperties "patternProperties" Object Named 20
    Description "description" Any Nothing 0
    Deprecated "deprecated" Any Nothing 0
    Default "default" Any Nothing 30
    Examples "examples" Any Nothing 0
    Properties "properties" Object Named 0
    Required "required" Object Nothing 0
    PropertyOrdering "propertyOrdering" Any Nothing 0
    AdditionalProperties "additionalProperties" Object One 0
    Defs "$defs" Any Defined 0

    Contains "contains" Array One 13
    MinContains "minContains" Array Nothing 14
    MaxContains "maxContains" Array Nothing 15
    UnevaluatedItems "unevaluatedItems" Array One 16
    MinProperties "minProperties" Object Nothing 17
    MaxProperties "maxProperties" Object Nothing 18
    UnevaluatedProperties "unevaluatedProperties" Object One 21
    DependentRequired "dependentRequired" Object Nothing 22
    DependentSchemas "dependentSchemas" Object Named 23
    If "if" Any One 25
    Then "then" Any One 26
    Else "else" Any One 27
    ContentEncoding "contentEncoding" String Nothing 28
    ContentMediaType "contentMediaType" String Nothing 29
    OneOf "oneOf" Any List 0
    AdditionalItems "additionalItems" Any One 0

    Const "const" Any Nothing 0
    Definitions "definitions" Any Defined 0
    Dependencies "dependencies" Object NamedOrNames 0
    ContentSchema "contentSchema" String Nothing 0
    Schema "$schema" Any Nothing 0
    Id "$id" Any Nothing 0
    Anchor "$anchor" Any Nothing 0
    DynamicAnchor "$dynamicAnchor" Any Nothing 0
    DynamicRef "$dynamicRef" Any Nothing 0
    RecursiveAnchor "$recursiveAnchor" Any Nothing 0
    RecursiveRef "$recursiveRef" Any Nothing 0
    Vocabulary "$vocabulary" Any Nothing 0
    Comment "$comment" Any Nothing 0
    Title "title" Any Nothing 0
    ReadOnly "readOnly" Any Nothing 0
    WriteOnly "writeOnly" Any Nothing 0
    Example "example" Any Nothing 0
    Discriminator "discriminator" Any Nothing 0
    ExternalDocs "externalDocs" Any Nothing 0
    Xml "xml" Any Nothing 0
    Disallow "disallow" Any Nothing 0
    DivisibleBy "divisibleBy" Any Nothing 0
    Extends "extends" Any Nothing 0
}

/// Keywords that lead to a schema for the same value.
pub const REFERENCES: [Keyword; 3] = [Keyword::Ref, Keyword::DynamicRef, Keyword::RecursiveRef];

/// Keywords that hold several schemas for the same value.
pub const COMBINING: [Keyword; 3] = [Keyword::AnyOf, Keyword::OneOf, Keyword::AllOf];

/// Keywords whose meaning depends on all that stands beside them.
pub const UNEVALUATED: [Keyword; 2] = [Keyword::UnevaluatedProperties, Keyword::UnevaluatedItems];

/// The names of the types.
pub const TYPES: [&str; 7] = [
    "string", "integer", "number", "boolean", "null", "object", "array",
];

impl Keyword {
    /// Its place in the canonical form: all behind `$defs` stand as they came.
    pub(crate) fn place(text: &str) -> usize {
        let last = Self::Defs as usize + 1;
        Self::of(text).map_or(last, |keyword| last.min(keyword as usize))
    }

    /// Returns true if lowering knows it. All else is somebody's own.
    pub fn is_lowered(self) -> bool {
        self <= Self::AdditionalItems
    }

    /// Its place among the keywords that can be told in words.
    pub const fn place_in_words(self) -> Option<u8> {
        match self.told() {
            0 => None,
            place => Some(place),
        }
    }

    /// Returns true if it says something of values of a type.
    pub fn is_about(self, name: &str) -> bool {
        match self.about() {
            About::Any => false,
            About::Number => matches!(name, "number" | "integer"),
            About::String => name == "string",
            About::Array => name == "array",
            About::Object => name == "object",
        }
    }

    /// Returns true if the schemas that it holds are for the same value.
    pub fn is_for_the_same_value(self) -> bool {
        use Keyword::{Dependencies, DependentSchemas, Else, If, Not, Then};
        COMBINING.contains(&self)
            || matches!(
                self,
                Not | If | Then | Else | DependentSchemas | Dependencies
            )
    }

    /// Returns true if it does not change what is admitted.
    pub fn is_note(self) -> bool {
        use Keyword::{
            Comment, Default, Definitions, Defs, Deprecated, Description, Discriminator, Example,
            Examples, ExternalDocs, Id, PropertyOrdering, ReadOnly, Schema, Title, WriteOnly, Xml,
        };
        matches!(
            self,
            Comment
                | Default
                | Definitions
                | Defs
                | Deprecated
                | Description
                | Discriminator
                | Example
                | Examples
                | ExternalDocs
                | Id
                | PropertyOrdering
                | ReadOnly
                | Schema
                | Title
                | WriteOnly
                | Xml
        )
    }

    /// Returns true if it says values, or names of keys, and no schemas.
    pub fn is_values(self) -> bool {
        use Keyword::{Const, Default, Enum, Examples, Required};
        matches!(self, Const | Default | Enum | Examples | Required)
    }

    /// Returns true if it is one of the words for people.
    pub fn is_words(self) -> bool {
        matches!(self, Self::Title | Self::Description | Self::Comment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_the_table() {
        assert_eq!(Keyword::place("$ref"), 0);
        assert_eq!(Keyword::place("$defs"), 31);
        for text in ["contains", "title", "x-own", ""] {
            assert_eq!(Keyword::place(text), 32, "{text}");
        }
        assert_eq!(Keyword::MinLength.place_in_words(), Some(1));
        assert_eq!(Keyword::Title.place_in_words(), None);
    }
}
