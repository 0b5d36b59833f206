//! Reads JSON Schema that arrives at run time into the tree of compiled types.
//!
//! `SchemaSource` refuses schemas that take unbounded work, and notes what nothing checks. Nothing else is refused, since
//! the schema's publisher also checks arguments.

mod array;
mod cost;
pub(super) mod draft;
mod error;
mod evaluated;
mod memory;
mod number;
mod object;
mod owned;
mod source;
mod union;

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::OnceLock;

use toolwright_json::Value;

pub use self::error::{SchemaError, SchemaErrorKind, SchemaNote};
use self::memory::Memory;
pub use self::owned::Tree;
use super::{Parts, refs};
use crate::format;
use crate::keyword::Keyword;
use crate::shape::{
    Definition, Evaluated, Field, Id, Kind, Pattern, RecursiveEdge, Rule, Shape, StringRules, Types,
};
use crate::text::{FNV_OFFSET, escaped, fnv1a};

/// Patterns of a schema, built.
type Patterns = HashMap<String, regex::Regex>;

/// Targets of references: JSON pointers, by the pointer of the schema that refers.
pub type References = HashMap<String, Vec<String>>;

/// A schema, with the results of its analysis.
#[derive(Clone, Copy)]
struct Document<'d> {
    schema: &'d Value<'d>,
    /// `None` if the schema is one of a type.
    references: Option<&'d References>,
    /// Draft 7 ignores the siblings of `$ref`.
    is_seven: bool,
    /// Values of all types are admitted, and not objects alone; and `additionalProperties: true` is another tree
    /// than silence. Schemas are compared so.
    is_exact: bool,
}

/// Reads the published schema of a type into a tree that lives as long as the program. Its patterns, and rules that no
/// type has, are not checked.
pub(crate) fn leaked(schema: &Value<'_>) -> &'static Shape<'static> {
    let document = Document {
        schema,
        references: None,
        is_seven: false,
        is_exact: false,
    };
    TreeReader::new(document, Memory::Program(PhantomData), None).whole()
}

/// The keywords of a schema object.
type Keywords<'v> = Value<'v>;

struct TreeReader<'d, 'a> {
    document: Document<'d>,
    memory: Memory<'a>,
    /// `None` if no pattern is checked.
    patterns: Option<&'a Patterns>,
    /// The targets of references that are being read or have been, by their pointers.
    known: HashMap<String, ReferenceState<'a>>,
    /// Targets that are read when the stack is short again.
    later: Vec<(String, &'a ReferenceTarget<'a>)>,
    /// Schemas that have been read, and the keys that they evaluate, by their pointers.
    read: HashMap<String, Shape<'a>>,
    evaluated: HashMap<(String, bool), &'a Evaluated<'a>>,
    depth: usize,
    defaults: Vec<FieldDefault<'a>>,
}

/// Maximum depth of schemas in which references are followed; a schema of 64 levels may follow. Reading takes up to 8
/// KiB of stack a schema in a build without optimization.
const MOST_INSIDE: usize = 40;

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
enum ReferenceState<'a> {
    /// Being read, so the reference is recursive.
    Open(&'a ReferenceTarget<'a>),
    Read(&'a Shape<'a>),
}

/// The target of a recursive reference, set after it has been read.
struct ReferenceTarget<'a>(OnceLock<&'a Shape<'a>>);

impl Definition for ReferenceTarget<'_> {
    fn shape(&self) -> &Shape<'_> {
        self.0.get().copied().unwrap_or(Shape::ANYTHING)
    }
}

impl<'d, 'a> TreeReader<'d, 'a> {
    fn new(document: Document<'d>, memory: Memory<'a>, patterns: Option<&'a Patterns>) -> Self {
        Self {
            document,
            memory,
            patterns,
            known: HashMap::new(),
            later: Vec::new(),
            read: HashMap::new(),
            evaluated: HashMap::new(),
            depth: 0,
            defaults: Vec::new(),
        }
    }

    fn keep(&self, shape: &Shape<'a>) -> &'a Shape<'a> {
        self.memory.one(*shape)
    }

    fn text(&self, text: &str) -> &'a str {
        self.memory.text(text)
    }

    fn whole(&mut self) -> &'a Shape<'a> {
        let whole = self.schema(self.document.schema, "");
        while let Some((pointer, target)) = self.later.pop() {
            self.set(&pointer, target);
        }
        whole
    }

    /// Reads the whole schema. Arguments are always an object; a reference to the whole may be of another type.
    fn root(&mut self) -> &'a Shape<'a> {
        let whole = self.whole();
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
            Value::Object(_) => {
                if let Some(shape) = self.read.get(at) {
                    return *shape;
                }
                self.depth += 1;
                let shape = self.keywords(schema, at);
                self.depth -= 1;
                self.read.insert(at.to_owned(), shape);
                shape
            }
            Value::Bool(false) => Shape::new(Kind::Rule(Rule::Never)),
            // Any other value but `true` is not a schema.
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
        self.unevaluated(keywords, at, &mut parts);
        self.described(parts, keywords)
    }

    /// A value of all of these shapes, with the texts of their siblings.
    fn described(&self, parts: Vec<Shape<'a>>, keywords: &Keywords<'_>) -> Shape<'a> {
        let mut shape = all_of(self.memory, parts);
        if keywords.is_true(Keyword::Nullable) {
            shape = Shape::new(Kind::Nullable(self.keep(&shape)));
        }
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

    /// Reads the target of a reference.
    fn target(&mut self, pointer: &str) -> &'a Shape<'a> {
        match self.known.get(pointer) {
            Some(ReferenceState::Read(shape)) => return shape,
            Some(ReferenceState::Open(target)) => {
                let target: &'a ReferenceTarget<'a> = target;
                return self.keep(&Shape::new(Kind::Recursive(RecursiveEdge::to(
                    id(pointer),
                    target,
                ))));
            }
            None => {}
        }
        let target = self.open(pointer);
        if self.depth > MOST_INSIDE {
            self.later.push((pointer.to_owned(), target));
            return self.target(pointer);
        }
        self.set(pointer, target)
    }

    fn open(&mut self, pointer: &str) -> &'a ReferenceTarget<'a> {
        let target: &'a ReferenceTarget<'a> = self.memory.one(ReferenceTarget(OnceLock::new()));
        self.known
            .insert(pointer.to_owned(), ReferenceState::Open(target));
        target
    }

    /// Returns the schema at a pointer, which may just be read: another one may be inside it and depend on it.
    fn apart(&mut self, pointer: &str) -> &'a Shape<'a> {
        if let Some(shape) = self.read.get(pointer).copied() {
            return self.keep(&shape);
        }
        if !self.known.contains_key(pointer) {
            let target = self.open(pointer);
            self.later.push((pointer.to_owned(), target));
        }
        self.target(pointer)
    }

    /// Reads the target of a reference and stores it.
    fn set(&mut self, pointer: &str, target: &'a ReferenceTarget<'a>) -> &'a Shape<'a> {
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
        self.known
            .insert(pointer.to_owned(), ReferenceState::Read(shape));
        shape
    }

    /// Reads the rules for values of each type.
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
        // A list of values determines their types.
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
            "array" => array::of_any(false),
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
            is_number: false,
        };
        (!rules.is_any()).then(|| Shape::new(Kind::String(rules)))
    }

    /// Returns a pattern, if it can be matched.
    fn pattern(&self, pattern: &str) -> Option<Pattern<'a>> {
        let regex = self.patterns?.get(pattern)?;
        Some(Pattern::of(self.text(pattern), regex))
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
