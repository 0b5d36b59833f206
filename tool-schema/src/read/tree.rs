//! Reads JSON Schema that arrives at run time into the tree that types have.
//!
//! What a tree cannot say stays text, and an [`Oracle`] decides it, beside all that the tree does
//! say. Examples are `unevaluatedProperties`, patterns of keys beside declared keys, and formats
//! that are not known here. So a fault is worded by the tree wherever it can be.

mod array;
mod memory;
mod number;
mod object;
#[cfg(feature = "validate")]
mod owned;
mod union;

use std::collections::HashMap;
#[cfg(feature = "schemars")]
use std::marker::PhantomData;
#[cfg(feature = "schemars")]
use std::sync::LazyLock;
use std::sync::OnceLock;

use toolwright_json::Value;

use self::memory::Memory;
#[cfg(feature = "validate")]
pub use self::owned::Tree;
use super::{Parts, refs};
use crate::format;
use crate::keyword::{Keyword, UNEVALUATED};
use crate::shape::{
    Definition, Field, Id, Kind, Oracle, Pattern, RecursiveEdge, Rule, Shape, StringRules, Text,
    Types,
};
use crate::text::{FNV_OFFSET, escaped, fnv1a};

/// Oracles that decide what no tree says.
#[derive(Default)]
pub struct Oracles {
    /// Oracles by the JSON pointer of the schema that they know.
    pub schemas: HashMap<String, Box<dyn Oracle>>,
    /// Oracles by the pattern that they match.
    pub patterns: HashMap<String, Box<dyn Oracle>>,
}

/// The oracles that a schema needs.
#[derive(Default)]
pub struct Needs {
    /// JSON pointers of schemas.
    pub schemas: Vec<String>,
    pub patterns: Vec<String>,
}

/// Targets of references: JSON pointers, by the pointer of the schema that refers.
pub type References = HashMap<String, Vec<String>>;

/// A schema, with what has been found out about it.
// Each fact is independent of the others.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy)]
pub struct Document<'d> {
    pub schema: &'d Value<'d>,
    /// `None` if every `$ref` is a JSON pointer into the document.
    pub references: Option<&'d References>,
    /// Drafts before 2020-12 have `items` for `prefixItems`, and `additionalItems` for `items`.
    pub has_prefix_items: bool,
    /// Draft 7 ignores all that stands beside `$ref`, and asserts `contentEncoding`.
    pub is_seven: bool,
    /// References are dynamic (`$recursiveAnchor`), so the oracle checks the whole document.
    pub is_dynamic: bool,
    /// Values of all types are admitted, and not objects alone; and `additionalProperties: true` is another tree
    /// than silence. Schemas are compared so.
    pub is_exact: bool,
}

#[cfg(feature = "schemars")]
impl<'d> Document<'d> {
    /// A schema of a type, as it is published: in draft 2020-12, with references to its own parts.
    pub(crate) fn of_types(schema: &'d Value<'d>) -> Self {
        Self {
            schema,
            references: None,
            has_prefix_items: true,
            is_seven: false,
            is_dynamic: false,
            is_exact: false,
        }
    }
}

/// Reads a schema into a tree that lives as long as the program. Without oracles, what no tree says is not
/// checked.
#[cfg(feature = "schemars")]
pub(crate) fn leaked(document: Document<'_>) -> &'static Shape<'static> {
    static NONE: LazyLock<Oracles> = LazyLock::new(Oracles::default);
    let memory = Memory::Program(PhantomData);
    Reader::new(document, memory, &NONE).schema(document.schema, "")
}

/// The keywords of a schema object.
type Keywords<'v> = Value<'v>;

struct Reader<'d, 'a> {
    document: Document<'d>,
    memory: Memory<'a>,
    oracles: &'a Oracles,
    needs: Needs,
    /// The targets of references that are being read or have been, by their pointers.
    known: HashMap<String, Known<'a>>,
    defaults: Vec<FieldDefault<'a>>,
}

/// Default of a key that may be missing, in a schema that arrived at run time.
#[derive(Clone, Copy)]
pub struct FieldDefault<'a> {
    /// Field of the key in the tree.
    pub field: &'a Field<'a>,
    /// JSON of the default.
    pub json: &'a str,
    /// JSON pointer of the default.
    pub at: &'a str,
}

/// State of a reference's target.
#[derive(Clone, Copy)]
enum Known<'a> {
    /// Being read, so the reference leads back to it.
    Open(&'a Target<'a>),
    Read(&'a Shape<'a>),
}

/// The target of a reference that leads back. It is set when it has been read.
struct Target<'a>(OnceLock<&'a Shape<'a>>);

impl Definition for Target<'_> {
    fn shape(&self) -> &Shape<'_> {
        self.0.get().copied().unwrap_or(Shape::ANYTHING)
    }
}

impl<'d, 'a> Reader<'d, 'a> {
    fn new(document: Document<'d>, memory: Memory<'a>, oracles: &'a Oracles) -> Self {
        Self {
            document,
            memory,
            oracles,
            needs: Needs::default(),
            known: HashMap::new(),
            defaults: Vec::new(),
        }
    }

    fn keep(&self, shape: &Shape<'a>) -> &'a Shape<'a> {
        self.memory.one(*shape)
    }

    fn text(&self, text: &str) -> &'a str {
        self.memory.text(text)
    }

    /// Reads the whole. Arguments are an object in any case; what refers to the whole may not be.
    #[cfg(feature = "validate")]
    fn root(&mut self) -> &'a Shape<'a> {
        let whole = self.schema(self.document.schema, "");
        if self.document.is_exact {
            return whole;
        }
        let of_object = |part: Shape<'a>| match part.kind {
            Kind::Rule(Rule::When(types, inner)) if types == Types::OBJECT => *inner,
            _ => part,
        };
        match whole.kind {
            Kind::Rule(Rule::All(parts)) => {
                let parts = parts.iter().copied().map(of_object).collect();
                self.keep(&all_of(self.memory, parts))
            }
            _ => self.keep(&of_object(*whole)),
        }
    }

    /// Reads the schema at a JSON pointer.
    fn schema(&mut self, schema: &Value<'_>, at: &str) -> &'a Shape<'a> {
        let shape = self.shape(schema, at);
        self.keep(&shape)
    }

    fn shape(&mut self, schema: &Value<'_>, at: &str) -> Shape<'a> {
        match schema {
            Value::Object(_) => self.keywords(schema, at),
            Value::Bool(false) => Shape::new(Kind::Rule(Rule::Never)),
            // Anything else but `true` is no schema.
            _ => Shape::new(Kind::Any),
        }
    }

    /// Reads the schema that a keyword holds.
    fn part(&mut self, part: &Value<'_>, at: &str, keyword: Keyword) -> &'a Shape<'a> {
        self.schema(part, &format!("{at}/{}", keyword.as_str()))
    }

    /// Reads a schema that a keyword holds under a name.
    fn named(&mut self, part: &Value<'_>, at: &str, keyword: Keyword, name: &str) -> &'a Shape<'a> {
        self.schema(
            part,
            &format!("{at}/{}/{}", keyword.as_str(), escaped(name)),
        )
    }

    fn keywords(&mut self, keywords: &Keywords<'_>, at: &str) -> Shape<'a> {
        let mut parts: Vec<Shape<'a>> = Vec::new();
        let targets = self.references(keywords, at);
        if !targets.is_empty() {
            for target in targets {
                parts.push(*self.target(&target));
            }
            if self.document.is_seven {
                return self.described(parts, keywords);
            }
        }
        self.values(keywords, at, &mut parts);
        self.combined(keywords, at, &mut parts);
        self.conditional(keywords, at, &mut parts);
        if let Some(text) = self.kept(keywords, at) {
            parts.push(text);
        }
        self.described(parts, keywords)
    }

    /// A value of all of these shapes, with the words that stand beside them.
    fn described(&self, parts: Vec<Shape<'a>>, keywords: &Keywords<'_>) -> Shape<'a> {
        let shape = all_of(self.memory, parts);
        match keywords.text(Keyword::Description) {
            Some(description) => shape.described(self.text(description)),
            None => shape,
        }
    }

    /// Returns the targets of a schema's references, as JSON pointers.
    fn references(&self, keywords: &Keywords<'_>, at: &str) -> Vec<String> {
        if let Some(references) = self.document.references {
            return references.get(at).cloned().unwrap_or_default();
        }
        let pointer = keywords
            .reference()
            .and_then(|reference| reference.strip_prefix('#'));
        pointer.map(ToOwned::to_owned).into_iter().collect()
    }

    /// Reads what a reference leads to.
    fn target(&mut self, pointer: &str) -> &'a Shape<'a> {
        match self.known.get(pointer) {
            Some(Known::Read(shape)) => return shape,
            Some(Known::Open(target)) => {
                let target: &'a Target<'a> = target;
                return self.keep(&Shape::new(Kind::Recursive(RecursiveEdge::to(
                    id(pointer),
                    target,
                ))));
            }
            None => {}
        }
        let target: &'a Target<'a> = self.memory.one(Target(OnceLock::new()));
        self.known.insert(pointer.to_owned(), Known::Open(target));
        let shape = match refs::at(self.document.schema, pointer) {
            Some(schema) => self.schema(schema, pointer),
            None => Shape::ANYTHING,
        };
        // Examples end where a type comes back to itself.
        let shape = self.keep(&Shape {
            id: id(pointer),
            ..*shape
        });
        let _ = target.0.set(shape);
        self.known.insert(pointer.to_owned(), Known::Read(shape));
        shape
    }

    /// Reads what is said of values of each type.
    fn values(&mut self, keywords: &Keywords<'_>, at: &str, parts: &mut Vec<Shape<'a>>) {
        let types: Option<Vec<&str>> = match keywords.keyword(Keyword::Type) {
            Some(Value::String(_) | Value::Array(_)) => Some(keywords.types().collect()),
            _ => None,
        };
        let listed = match (
            keywords.keyword(Keyword::Const),
            keywords.keyword(Keyword::Enum),
        ) {
            (None, _) => keywords.literals(),
            (Some(value), None) => Some(std::slice::from_ref(value)),
            (Some(value), Some(values)) if values.items().contains(value) => {
                Some(std::slice::from_ref(value))
            }
            (Some(_), Some(_)) => Some(&[][..]),
        };
        if let Some(listed) = listed {
            parts.push(self.listed(listed, types.as_deref()));
        }
        let Some(types) = types else {
            for (types, name) in [
                (Types::NUMBER, "number"),
                (Types::STRING, "string"),
                (Types::ARRAY, "array"),
                (Types::OBJECT, "object"),
            ] {
                if let Some(shape) = self.bounded(name, keywords, at) {
                    let rule = Rule::When(types, self.keep(&shape));
                    parts.push(Shape::new(Kind::Rule(rule)));
                }
            }
            return;
        };
        let is_nullable = types.contains(&"null");
        let is_number = types.contains(&"number");
        let is_said = |name: &&str| *name == "null" || (*name == "integer" && is_number);
        let mut members: Vec<Shape<'a>> = Vec::new();
        let mut is_bounded = false;
        for name in types.into_iter().filter(|name| !is_said(name)) {
            let bounded = self.bounded(name, keywords, at);
            is_bounded |= bounded.is_some();
            members.push(bounded.unwrap_or_else(|| Self::of_type(name)));
        }
        // A list of values says more than their types alone.
        if listed.is_some() && !is_bounded {
            return;
        }
        let shape = union::of(self.memory, &members);
        parts.push(match (shape, is_nullable) {
            (Some(shape), false) => shape,
            (Some(shape), true) => Shape::new(Kind::Nullable(self.keep(&shape))),
            (None, true) => Shape::new(Kind::Null),
            (None, false) => Shape::new(Kind::Rule(Rule::Never)),
        });
    }

    /// All values of a type.
    fn of_type(name: &str) -> Shape<'a> {
        match name {
            "boolean" => Shape::new(Kind::Bool),
            "integer" => number::any_integer(),
            "number" => Shape::number(f64::MAX),
            "string" => Shape::string(0, None),
            "array" => array::any(),
            "object" => Shape::object(&[]).open(),
            _ => Shape::new(Kind::Any),
        }
    }

    /// Returns the shape that keywords give to values of a type, if they say anything.
    fn bounded(&mut self, name: &str, keywords: &Keywords<'_>, at: &str) -> Option<Shape<'a>> {
        match name {
            "integer" => self.number(keywords, true),
            "number" => self.number(keywords, false),
            "string" => self.string(keywords),
            "array" => self.array(keywords, at),
            "object" => self.object(keywords, at),
            _ => None,
        }
    }

    fn string(&mut self, keywords: &Keywords<'_>) -> Option<Shape<'a>> {
        let format = keywords.text(Keyword::Format);
        let format = format.filter(|name| format::is_known(name));
        let pattern = keywords.text(Keyword::Pattern);
        let pattern = pattern.and_then(|pattern| self.pattern(pattern));
        let rules = StringRules {
            min_len: count(keywords, Keyword::MinLength).unwrap_or(0),
            max_len: count(keywords, Keyword::MaxLength),
            pattern,
            format: format.map(|name| self.text(name)).unwrap_or_default(),
            is_parsed: false,
        };
        (!rules.is_any()).then(|| Shape::new(Kind::String(rules)))
    }

    fn pattern(&mut self, pattern: &str) -> Option<Pattern<'a>> {
        if !self.needs.patterns.iter().any(|known| known == pattern) {
            self.needs.patterns.push(pattern.to_owned());
        }
        let oracle = self.oracles.patterns.get(pattern)?;
        Some(Pattern::of(self.text(pattern), &**oracle))
    }

    /// Returns the part of a schema that stays text.
    fn kept(&mut self, keywords: &Keywords<'_>, at: &str) -> Option<Shape<'a>> {
        let entries = keywords.entries().iter();
        let kept = entries.filter(|(name, value)| self.is_kept(name, value, keywords));
        let kept: Vec<_> = kept.cloned().collect();
        // Of such a document the root knows all.
        let is_whole = self.document.is_dynamic;
        let is_asked = if is_whole {
            at.is_empty()
        } else {
            !kept.is_empty()
        };
        if !is_asked {
            return None;
        }
        // Patterns and `properties` decide together which keys are additional.
        let has_rest = keywords.has(Keyword::AdditionalProperties);
        let depends = is_whole
            || kept.iter().any(|(name, _)| match Keyword::of(name) {
                Some(Keyword::PatternProperties) => has_rest,
                name => name.is_some_and(|name| UNEVALUATED.contains(&name)),
            });
        let kept = if depends {
            keywords.clone()
        } else {
            Value::Object(kept)
        };
        self.needs.schemas.push(at.to_owned());
        let oracle = self.oracles.schemas.get(at)?;
        let text = Text {
            keywords: self.text(&kept.to_json()),
            oracle: &**oracle,
        };
        Some(Shape::new(Kind::Rule(Rule::Text(text))))
    }

    fn is_kept(&self, name: &str, value: &Value<'_>, keywords: &Keywords<'_>) -> bool {
        let Some(keyword) = Keyword::of(name) else {
            return false;
        };
        match keyword {
            Keyword::Format => {
                let name = value.as_str().unwrap_or_default();
                format::is_of_json_schema(name) && !format::is_known(name)
            }
            Keyword::ContentEncoding | Keyword::ContentMediaType => self.document.is_seven,
            Keyword::PatternProperties => !object::is_map(keywords),
            Keyword::UniqueItems => {
                value == &Value::Bool(true) && array::has_places(keywords, self.document)
            }
            _ => UNEVALUATED.contains(&keyword),
        }
    }
}

/// A value of all of these shapes.
fn all_of<'a>(memory: Memory<'a>, parts: Vec<Shape<'a>>) -> Shape<'a> {
    let is_any = |part: &Shape<'_>| matches!(part.kind, Kind::Any);
    let mut parts = parts;
    parts.retain(|part| !is_any(part));
    match parts.as_slice() {
        [] => Shape::new(Kind::Any),
        [one] => *one,
        _ => Shape::new(Kind::Rule(Rule::All(memory.list(&parts)))),
    }
}

/// Returns the identity of the schema at a pointer.
fn id(pointer: &str) -> Id {
    let hash = fnv1a(FNV_OFFSET, pointer.as_bytes());
    Id { name: "", hash }
}

/// Returns the value of a keyword that counts.
fn count(keywords: &Keywords<'_>, keyword: Keyword) -> Option<u64> {
    // More than 64 bits hold is more than any text has.
    let count = keywords.count(keyword)?;
    Some(u64::try_from(count).unwrap_or(u64::MAX))
}
