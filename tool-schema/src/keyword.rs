//! The vocabulary of JSON Schema: each keyword with its properties.

/// The part of a keyword's value that is a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subschemas {
    /// Holds no subschema.
    None,
    /// The value is a subschema.
    Schema,
    /// The elements of a list.
    List,
    /// The value, or the elements of a list.
    SchemaOrList,
    /// The values of an object.
    Map,
    /// The values of an object, except for lists of names among them.
    MapOrNames,
    /// The values of an object, which apply only where a reference leads to them.
    Definitions,
}

/// The type of the values that a keyword applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppliesTo {
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
    ($($name:ident $text:literal $applies_to:ident $subschemas:ident $rank:literal)*) => {
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

            /// The type of the values that it applies to.
            pub(crate) const fn applies_to(self) -> AppliesTo {
                match self {
                    $(Self::$name => AppliesTo::$applies_to,)*
                }
            }

            /// The part of its value that is a schema.
            pub const fn subschemas(self) -> Subschemas {
                match self {
                    $(Self::$name => Subschemas::$subschemas,)*
                }
            }

            /// Its rank in descriptions; 0 if it has no text.
            const fn description_rank(self) -> u8 {
                match self {
                    $(Self::$name => $rank,)*
                }
            }
        }
    };
}

// A row: the name, the text, the type of values that it applies to, its subschemas, and its rank in descriptions, which
// state keywords that a provider does not accept (0: not stated).
//
// Up to `$defs` in the order of the canonical form; those behind it keep their order. Lowering knows the keywords up to
// `additionalItems`; only readers know the rest.
vocabulary! {
    Ref "$ref" Any None 0
    AnyOf "anyOf" Any List 0
    AllOf "allOf" Any List 0
    Type "type" Any None 0
    Nullable "nullable" Any None 0
    Enum "enum" Any None 31
    Items "items" Array SchemaOrList 0
    PrefixItems "prefixItems" Array List 0
    MinItems "minItems" Array None 10
    MaxItems "maxItems" Array None 11
    UniqueItems "uniqueItems" Array None 12
    Minimum "minimum" Number None 5
    ExclusiveMinimum "exclusiveMinimum" Number None 7
    Maximum "maximum" Number None 6
    ExclusiveMaximum "exclusiveMaximum" Number None 8
    MultipleOf "multipleOf" Number None 9
    Not "not" Any Schema 24
    MinLength "minLength" String None 1
    MaxLength "maxLength" String None 2
    Pattern "pattern" String None 3
    Format "format" String None 4
    PropertyNames "propertyNames" Object Schema 19
    PatternProperties "patternProperties" Object Map 20
    Description "description" Any None 0
    Deprecated "deprecated" Any None 0
    Default "default" Any None 30
    Examples "examples" Any None 0
    Properties "properties" Object Map 0
    Required "required" Object None 0
    PropertyOrdering "propertyOrdering" Any None 0
    AdditionalProperties "additionalProperties" Object Schema 0
    Defs "$defs" Any Definitions 0

    Contains "contains" Array Schema 13
    MinContains "minContains" Array None 14
    MaxContains "maxContains" Array None 15
    UnevaluatedItems "unevaluatedItems" Array Schema 16
    MinProperties "minProperties" Object None 17
    MaxProperties "maxProperties" Object None 18
    UnevaluatedProperties "unevaluatedProperties" Object Schema 21
    DependentRequired "dependentRequired" Object None 22
    DependentSchemas "dependentSchemas" Object Map 23
    If "if" Any Schema 25
    Then "then" Any Schema 26
    Else "else" Any Schema 27
    ContentEncoding "contentEncoding" String None 28
    ContentMediaType "contentMediaType" String None 29
    OneOf "oneOf" Any List 0
    AdditionalItems "additionalItems" Any Schema 0

    Const "const" Any None 0
    Definitions "definitions" Any Definitions 0
    Dependencies "dependencies" Object MapOrNames 0
    ContentSchema "contentSchema" String None 0
    Schema "$schema" Any None 0
    Id "$id" Any None 0
    Anchor "$anchor" Any None 0
    DynamicAnchor "$dynamicAnchor" Any None 0
    DynamicRef "$dynamicRef" Any None 0
    RecursiveAnchor "$recursiveAnchor" Any None 0
    RecursiveRef "$recursiveRef" Any None 0
    Vocabulary "$vocabulary" Any None 0
    Comment "$comment" Any None 0
    Title "title" Any None 0
    ReadOnly "readOnly" Any None 0
    WriteOnly "writeOnly" Any None 0
    Example "example" Any None 0
    Discriminator "discriminator" Any None 0
    ExternalDocs "externalDocs" Any None 0
    Xml "xml" Any None 0
    Disallow "disallow" Any None 0
    DivisibleBy "divisibleBy" Any None 0
    Extends "extends" Any None 0
}

/// Keywords that refer to a schema for the same value.
pub const REFERENCES: [Keyword; 3] = [Keyword::Ref, Keyword::DynamicRef, Keyword::RecursiveRef];

/// Keywords that hold several schemas for the same value.
pub const COMBINING: [Keyword; 3] = [Keyword::AnyOf, Keyword::OneOf, Keyword::AllOf];

/// The names of the types.
pub const TYPES: [&str; 7] = [
    "string", "integer", "number", "boolean", "null", "object", "array",
];

impl Keyword {
    /// Its place in the canonical form; keywords behind `$defs` keep their order.
    pub(crate) fn place(text: &str) -> usize {
        let last = Self::Defs as usize + 1;
        Self::of(text).map_or(last, |keyword| last.min(keyword as usize))
    }

    /// Returns true if lowering knows it.
    pub fn is_lowered(self) -> bool {
        self <= Self::AdditionalItems
    }

    /// Its rank among the keywords that descriptions can state.
    pub const fn description_place(self) -> Option<u8> {
        match self.description_rank() {
            0 => None,
            place => Some(place),
        }
    }

    /// Returns true if it applies to values of this type and not to all.
    pub fn applies_to_type(self, name: &str) -> bool {
        match self.applies_to() {
            AppliesTo::Any => false,
            AppliesTo::Number => matches!(name, "number" | "integer"),
            AppliesTo::String => name == "string",
            AppliesTo::Array => name == "array",
            AppliesTo::Object => name == "object",
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

    /// Returns true if it does not change the admitted values.
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

    /// Returns true if its value is values or names of keys, and no schemas.
    pub fn is_values(self) -> bool {
        use Keyword::{Const, Default, Enum, Examples, Required};
        matches!(self, Const | Default | Enum | Examples | Required)
    }

    /// Returns true if its value is text for people.
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
        assert_eq!(Keyword::MinLength.description_place(), Some(1));
        assert_eq!(Keyword::Title.description_place(), None);
    }
}
