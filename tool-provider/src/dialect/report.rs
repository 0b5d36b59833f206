//! Rejections of a schema by a dialect, and notes on changed keywords.

use std::fmt;

use toolwright_json::write_string;

use toolwright_schema::text::Printable;

/// Reason why a dialect cannot say a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LowerError {
    /// The rule that it breaks.
    pub code: LowerErrorCode,
    /// Path in the schema: `/name` is a key, `/*` the elements of an array, `/?i` a member of a union. `/`
    /// is the root, and a path that starts with `#/$defs/` is inside a recursive type.
    pub path: String,
    /// Advice on how to solve it.
    pub help: String,
}

toolwright_json::named_enum! {
    /// The rules that a schema may break.
    #[non_exhaustive]
    pub enum LowerErrorCode {
        /// The arguments are not an object.
        RootNotObject = "root_not_object",
        /// The root is a union.
        RootUnion = "root_union",
        /// An object has keys beside a union.
        ObjectWithUnion = "object_with_union",
        /// A value of any type.
        UntypedSchema = "untyped_schema",
        /// An array does not declare its elements.
        UntypedArray = "untyped_array",
        /// An object has declared keys and others.
        OpenObject = "open_object",
        /// A type contains itself.
        RecursiveType = "recursive_type",
        /// A type contains itself and no key on the way may be missing.
        RecursiveRequired = "recursive_required",
        /// An object without keys, below the root.
        NestedEmptyObject = "nested_empty_object",
        /// Objects of a union start with the same key.
        UnionFirstKey = "union_first_key",
        /// An argument's name is refused.
        PropertyName = "property_name",
        /// More than one member of `allOf`.
        AllOf = "all_of",
        /// `false`: no value at all.
        FalseSchema = "false_schema",
        /// A pattern that the provider does not compile. Only a verdict reports it: lowering moves the pattern to the
        /// description.
        Pattern = "pattern",
        /// A bound beyond 2^53, which the provider does not enforce. Only a verdict reports it: lowering moves the bound to
        /// the description.
        WideBound = "wide_bound",
        /// A dangling `$ref`.
        UnresolvedRef = "unresolved_ref",
        /// More than a limit of the dialect, or of ours.
        TooLarge = "too_large",
    }
}

impl LowerErrorCode {
    /// Returns the text of the fault, to follow the value's name.
    pub const fn words(self) -> &'static str {
        match self {
            Self::RootNotObject => " are not objects",
            Self::RootUnion => " are one of several objects",
            Self::ObjectWithUnion => " has keys of its own beside those of an enum",
            Self::UntypedSchema => " may be any value",
            Self::UntypedArray => " is an array that holds nothing",
            Self::OpenObject => " have keys that their type does not declare",
            Self::RecursiveType => " contains itself",
            Self::RecursiveRequired => " contains itself in a key that must be there",
            Self::NestedEmptyObject => " is an object without keys",
            Self::UnionFirstKey => " is one of several objects that start with the same key",
            Self::PropertyName => " has a name that it refuses",
            Self::AllOf => " is several schemas at once",
            Self::FalseSchema => " can have no value",
            Self::Pattern => " has a pattern that it does not compile",
            Self::WideBound => " has a bound beyond 2^53",
            Self::UnresolvedRef => " refers to nothing",
            Self::TooLarge => " goes beyond how large a schema may be",
        }
    }

    /// The keyword at fault, in parentheses; empty for none.
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::RootNotObject => " (`type`)",
            Self::UntypedSchema => " (no `type`)",
            Self::RootUnion | Self::ObjectWithUnion | Self::UnionFirstKey => " (`anyOf`)",
            Self::UntypedArray => " (no `items`)",
            Self::OpenObject => " (`additionalProperties`)",
            Self::RecursiveType | Self::RecursiveRequired | Self::UnresolvedRef => " (`$ref`)",
            Self::NestedEmptyObject => " (no `properties`)",
            Self::AllOf => " (`allOf`)",
            Self::Pattern => " (`pattern`)",
            Self::WideBound => " (`range`)",
            Self::PropertyName | Self::FalseSchema | Self::TooLarge => "",
        }
    }

    /// Returns advice on how to solve it.
    pub const fn help(self) -> &'static str {
        match self {
            Self::RootNotObject => {
                "the arguments are one object: put this value behind a name, as a parameter"
            }
            Self::RootUnion => {
                "put the enum behind a parameter of its own instead of flattening it"
            }
            Self::ObjectWithUnion => {
                "put the flattened enum behind a key of its own, or its keys into each variant"
            }
            Self::UntypedSchema => {
                "say its type, take it as a string of JSON, or send this tool without strict"
            }
            Self::UntypedArray => {
                "say what the array holds (`items`), or send this tool without strict"
            }
            Self::OpenObject => {
                "put the other keys behind a key of their own, as a map, or send this tool without strict"
            }
            Self::RecursiveType => {
                "a type may not contain itself here: refer to nodes by an id in a flat list, or take the value as a string of JSON"
            }
            Self::RecursiveRequired => "make a key on the way back to the type an `Option`",
            Self::NestedEmptyObject => "give the object a key, use a `bool`, or leave it out",
            Self::UnionFirstKey => {
                "give the variants a tag (`#[serde(tag = \"kind\")]`), or let them start with different keys"
            }
            Self::PropertyName => {
                "rename the argument with letters, digits and `_`, 64 in all, a letter first"
            }
            Self::AllOf => "write the parts of `allOf` as one schema",
            Self::FalseSchema => "no value fits `false`: leave the key out",
            Self::Pattern => {
                "write it as Python's `re` reads it, without `\\p{…}`, `\\u{…}` and names of groups, or check the text in code"
            }
            Self::WideBound => "write a smaller bound, or check the number in code",
            Self::UnresolvedRef => {
                "a `$ref` must lead to a part of the same document (`#/$defs/…`)"
            }
            Self::TooLarge => "split the tool, or ask for less in one call",
        }
    }
}

impl fmt::Display for LowerErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl LowerError {
    pub(super) fn new(code: LowerErrorCode, path: impl Into<String>) -> Self {
        Self {
            code,
            path: path.into(),
            help: code.help().to_owned(),
        }
    }

    /// More than a limit allows.
    pub(super) fn too_large(path: impl Into<String>, what: impl fmt::Display) -> Self {
        let help = format!("{what}: {}", LowerErrorCode::TooLarge.help());
        Self {
            help,
            ..Self::new(LowerErrorCode::TooLarge, path)
        }
    }
}

impl LowerError {
    /// The rejection as JSON: `{"reject":{"code":"all_of","path":"/v","help":"…"}}`.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\"reject\":{{\"code\":\"{}\",\"path\":", self.code);
        write_string(&mut out, &self.path);
        out.push_str(",\"help\":");
        write_string(&mut out, &self.help);
        out.push_str("}}");
        out
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = Printable::new(&self.path).one_line();
        write!(f, "{path}: {}: {}", self.code, Printable::new(&self.help))
    }
}

impl std::error::Error for LowerError {}

/// A keyword that is not in the lowered schema, or not in a strict one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// Kind of the note.
    pub kind: NoteKind,
    /// Path of the keyword, as in [`LowerError::path`].
    pub path: String,
    /// The keyword.
    pub keyword: String,
    /// Its value, as JSON.
    pub value: String,
}

toolwright_json::named_enum! {
    /// Kinds of notes on a keyword.
    #[non_exhaustive]
    pub enum NoteKind {
        /// The description states it. The provider does not enforce it; the decoder does.
        Demoted = "demoted",
        /// The model does not see it.
        Dropped = "dropped",
        /// The value is sent as a string of JSON: the keyword is the code of the rule that stands against its schema, the
        /// value is the schema.
        AsText = "as_text",
        /// The dialect refuses the key at the path: the keyword is `property_name`, the value is the key that is sent.
        Renamed = "renamed",
        /// The tool as a whole is sent without strictness: the keyword is `strict`, the value is the reason,
        /// and the path is the part that prevents it. Only [`Definitions`](crate::definitions::Definitions) have such
        /// notes, since [`lower`](crate::dialect::lower()) refuses schemas that a dialect cannot express.
        Loosened = "loosened",
        /// Characters that a model reads and a person does not see were left out of the tool's words: the
        /// keyword is `hidden`, the value says how many. [`Definitions`](crate::definitions::Definitions) alone have such
        /// notes.
        HiddenRemoved = "hidden_removed",
        /// A default that its own bounds refuse is left out: the keyword is `default`, the value is the default. A model
        /// that repeated it would be refused. [`Definitions`](crate::definitions::Definitions) alone have such notes.
        RefusedDefault = "refused_default",
    }
}

impl Note {
    /// The note as JSON: `{"kind":"demoted","path":"/n","keyword":"minimum","value":1}`.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\"kind\":\"{}\",\"path\":", self.kind.as_str());
        write_string(&mut out, &self.path);
        out.push_str(",\"keyword\":");
        write_string(&mut out, &self.keyword);
        out.push_str(",\"value\":");
        out.push_str(&self.value);
        out.push('}');
        out
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            path,
            keyword,
            value,
        } = self;
        let told = format!("{path}: {} {keyword} {value}", kind.as_str());
        Printable::new(&told).one_line().fmt(f)
    }
}
