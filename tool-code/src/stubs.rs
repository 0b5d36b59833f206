//! Stubs: tools as typed functions of Python.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use toolwright::json::Value;
use toolwright::schema::SchemaDoc;
use toolwright::{ToolDef, Toolset};

use crate::names;
use crate::signature::Signature;

/// Depth at which a type is `Any`.
const MAX_DEPTH: usize = 32;

/// Names of `typing` that stubs use.
const TYPING: [&str; 4] = ["Any", "Literal", "NotRequired", "TypedDict"];

/// Returns the tools as typed stubs of Python: a function each, with its description, and the types that they share, each once.
/// The text is a valid `.pyi` file after `from typing import Any, Literal, NotRequired, TypedDict`.
///
/// Objects are `TypedDict`s, enums are `Literal`s. Bounds stand in comments, since Python has no types for them.
///
/// ```
/// use toolwright::{tool, tools};
///
/// /// Finds orders of a customer.
/// ///
/// /// - `customer`: id of the customer
/// #[tool]
/// fn find_orders(customer: &str, limit: Option<u8>) -> Vec<String> {
///     vec![format!("{customer}-{limit:?}")]
/// }
///
/// let stubs = toolwright_code::stubs(&tools![find_orders]);
/// assert!(stubs.starts_with("async def find_orders(customer: str, limit: int | None = None) -> list[str]:"));
/// ```
pub fn stubs(tools: &Toolset) -> String {
    stubs_of(tools.definitions())
}

pub(crate) fn stubs_of<'d>(defs: impl Iterator<Item = &'d ToolDef>) -> String {
    let mut types = Types::default();
    let mut functions = String::new();
    for def in defs {
        types.function(def, &mut functions);
    }
    let mut out = String::new();
    for (name, body) in &types.classes {
        match body {
            Class::Members(members) => {
                let _ = writeln!(out, "class {name}(TypedDict):\n{members}");
            }
            Class::Alias(of) => {
                let _ = writeln!(out, "{name} = {of}\n");
            }
        }
    }
    out.push_str(&functions);
    out
}

/// Types of the stubs.
#[derive(Default)]
struct Types {
    /// Declared types, in order.
    classes: Vec<(String, Class)>,
    /// Names that are taken.
    taken: BTreeSet<String>,
    /// Named types by their parts.
    by_body: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq)]
enum Class {
    Members(String),
    Alias(String),
}

/// A schema inside of a document.
#[derive(Clone, Copy)]
struct Node<'s> {
    schema: &'s Value<'s>,
    root: &'s Value<'s>,
    depth: usize,
}

impl<'s> Node<'s> {
    fn get(self, key: &str) -> Option<&'s Value<'s>> {
        self.schema.get(key)
    }

    fn at(self, schema: &'s Value<'s>) -> Self {
        Self {
            schema,
            depth: self.depth + 1,
            ..self
        }
    }

    fn items(self, key: &str) -> &'s [Value<'s>] {
        self.get(key).map(Value::items).unwrap_or_default()
    }
}

/// Definitions of one document that are being written, by their pointers.
type Open = BTreeMap<String, String>;

impl Types {
    fn function(&mut self, def: &ToolDef, out: &mut String) {
        let signature = Signature::of(def);
        let input = def.input.to_provider_json();
        let input = Value::parse(&input).unwrap_or(Value::Null);
        let root = Node {
            schema: &input,
            root: &input,
            depth: 0,
        };
        let properties = input.get("properties");
        let (mut arguments, mut notes) = (Vec::new(), Vec::new());
        let (mut open, class) = (Open::new(), names::class(&signature.function));
        for parameter in &signature.parameters {
            let Some(property) = properties.and_then(|all| all.get(&parameter.key)) else {
                continue;
            };
            let node = root.at(property);
            let name = &parameter.name;
            let mut of = self.of(node, &format!("{class}{}", names::class(name)), &mut open);
            if !parameter.is_required {
                if !parameter.is_nullable && of != "Any" {
                    of.push_str(" | None");
                }
                of.push_str(" = None");
            }
            arguments.push(format!("{name}: {of}"));
            if let Some(note) = note(node) {
                notes.push(format!("{name}: {note}"));
            }
        }
        let output = def.output.as_ref().map(SchemaDoc::to_provider_json);
        let output = output.as_ref().and_then(|output| Value::parse(output).ok());
        let result = output.as_ref().map(|output| {
            let root = Node {
                schema: output,
                root: output,
                depth: 0,
            };
            self.of(root, &format!("{class}Result"), &mut Open::new())
        });
        let (function, arguments) = (&signature.function, arguments.join(", "));
        let result = result.as_deref().unwrap_or("Any");
        let _ = writeln!(out, "async def {function}({arguments}) -> {result}:");
        let mut text = docs(&def.description);
        for note in notes {
            let _ = write!(text, "\n{}", docs(&note));
        }
        let _ = writeln!(
            out,
            "    \"\"\"{}\"\"\"\n",
            text.replace('\n', "\n    ").replace("\n    \n", "\n\n")
        );
    }

    /// Returns the type of a schema. A new class gets this name.
    fn of(&mut self, node: Node<'_>, name: &str, open: &mut Open) -> String {
        if node.depth > MAX_DEPTH {
            return "Any".to_owned();
        }
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            return self.referred(node, reference, open);
        }
        if let Some(value) = node.get("const") {
            return literals(std::slice::from_ref(value));
        }
        if let Some(values) = node.get("enum").map(Value::items) {
            return literals(values);
        }
        let ways = [node.items("anyOf"), node.items("oneOf")].concat();
        if !ways.is_empty() {
            let ways = ways.iter().enumerate().map(|(at, way)| {
                let way = way.clone();
                let node = Node {
                    schema: &way,
                    ..node
                }
                .deeper();
                self.of(node, &format!("{name}{}", at + 1), open)
            });
            return union(ways.collect());
        }
        let parts = node.items("allOf");
        if !parts.is_empty() && node.get("properties").is_none() {
            let parts = parts.iter().enumerate();
            let parts =
                parts.map(|(at, part)| self.of(node.at(part), &format!("{name}{}", at + 1), open));
            let parts: BTreeSet<String> = parts.filter(|of| of != "Any").collect();
            // Of several classes, none has all members.
            return match (parts.len(), parts.into_iter().next()) {
                (0, _) | (_, None) => "Any".to_owned(),
                (1, Some(one)) => one,
                _ => "dict[str, Any]".to_owned(),
            };
        }
        match node.get("type") {
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                let kinds: Vec<String> = kinds
                    .map(|kind| self.of_kind(kind, node, name, open))
                    .collect();
                union(kinds)
            }
            Some(kind) => self.of_kind(kind.as_str().unwrap_or_default(), node, name, open),
            None if node.get("properties").is_some() => self.of_kind("object", node, name, open),
            None => "Any".to_owned(),
        }
    }

    fn referred(&mut self, node: Node<'_>, reference: &str, open: &mut Open) -> String {
        if let Some(name) = open.get(reference) {
            return name.clone();
        }
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| node.root.pointer(pointer));
        let Some(target) = target else {
            return "Any".to_owned();
        };
        let last = reference.rsplit('/').next().filter(|last| *last != "#");
        let name = names::class(last.unwrap_or("Node"));
        let is_object = has_members(target);
        if is_object {
            let name = self.reserve(&name);
            open.insert(reference.to_owned(), name.clone());
            let of = self.object(node.at(target), &name, open);
            open.insert(reference.to_owned(), of.clone());
            return of;
        }
        // An alias that holds itself is `Any` inside.
        open.insert(reference.to_owned(), "Any".to_owned());
        let of = self.of(node.at(target), &name, open);
        open.insert(reference.to_owned(), of.clone());
        of
    }

    fn of_kind(&mut self, kind: &str, node: Node<'_>, name: &str, open: &mut Open) -> String {
        match kind {
            "string" => "str".to_owned(),
            "integer" => "int".to_owned(),
            "number" => "float".to_owned(),
            "boolean" => "bool".to_owned(),
            "null" => "None".to_owned(),
            "array" => {
                let items = node.get("items");
                let of = items.map(|items| self.of(node.at(items), &format!("{name}Item"), open));
                format!("list[{}]", of.as_deref().unwrap_or("Any"))
            }
            "object" if has_members(node.schema) => {
                let name = self.reserve(name);
                self.object(node, &name, open)
            }
            "object" => {
                let values = node
                    .get("additionalProperties")
                    .filter(|it| !it.entries().is_empty());
                let of =
                    values.map(|values| self.of(node.at(values), &format!("{name}Value"), open));
                format!("dict[str, {}]", of.as_deref().unwrap_or("Any"))
            }
            _ => "Any".to_owned(),
        }
    }

    /// Declares a class of this name, which is reserved, and returns its name: that of an equal class if there is one.
    fn object(&mut self, node: Node<'_>, name: &str, open: &mut Open) -> String {
        let place = self.classes.len();
        let required = node.items("required");
        let properties = node
            .get("properties")
            .map(Value::entries)
            .unwrap_or_default();
        let is_plain = |key: &str| names::parameter(key) == key;
        let mut members = Vec::new();
        for (key, property) in properties {
            let inner = node.at(property);
            let mut of = self.of(inner, &format!("{name}{}", names::class(key)), open);
            if !required
                .iter()
                .any(|required| required.as_str() == Some(key))
            {
                of = format!("NotRequired[{of}]");
            }
            members.push((key.to_string(), of, note(inner)));
        }
        let class = if members.iter().all(|(key, ..)| is_plain(key)) {
            let mut body = String::new();
            for (key, of, note) in members {
                let comment = note.map(|note| format!("  # {}", one_line(&note)));
                let _ = writeln!(body, "    {key}: {of}{}", comment.unwrap_or_default());
            }
            Class::Members(body)
        } else {
            let members = members.into_iter().map(|(key, of, _)| {
                let key = Value::string(key).to_json();
                format!("{key}: {of}")
            });
            let members = members.collect::<Vec<_>>().join(", ");
            Class::Alias(format!("TypedDict(\"{name}\", {{{members}}})"))
        };
        // A class that holds itself differs by its own name alone.
        let text = match &class {
            Class::Members(body) | Class::Alias(body) => without_name(body, name),
        };
        if let Some(equal) = self.by_body.get(&text) {
            let equal = equal.clone();
            self.taken.remove(name);
            return equal;
        }
        self.by_body.insert(text, name.to_owned());
        self.classes
            .insert(place.min(self.classes.len()), (name.to_owned(), class));
        name.to_owned()
    }

    /// Takes a free name: this one, or one with a number behind it.
    fn reserve(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2;
        while self.taken.contains(&free) || TYPING.contains(&&*free) {
            free = format!("{name}{number}");
            number += 1;
        }
        self.taken.insert(free.clone());
        free
    }
}

impl Node<'_> {
    fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

fn has_members(schema: &Value<'_>) -> bool {
    let properties = schema.get("properties");
    properties.is_some_and(|all| !all.entries().is_empty())
}

fn union(mut ways: Vec<String>) -> String {
    let mut at = 0;
    while at < ways.len() {
        let (before, rest) = ways.split_at(at);
        if rest.first().is_some_and(|way| before.contains(way)) {
            ways.remove(at);
        } else {
            at += 1;
        }
    }
    if ways.is_empty() || ways.iter().any(|way| way == "Any") {
        return "Any".to_owned();
    }
    // `None` stands last, as people write it.
    ways.sort_by_key(|way| way == "None");
    ways.join(" | ")
}

fn literals(values: &[Value<'_>]) -> String {
    let (mut literals, mut rest) = (Vec::new(), Vec::new());
    for value in values {
        match value {
            Value::Null => rest.push("None".to_owned()),
            Value::Bool(value) => literals.push(if *value { "True" } else { "False" }.to_owned()),
            Value::String(text) => literals.push(Value::string(&**text).to_json()),
            Value::Number(text) if value.is_integer() && !text.contains(['.', 'e', 'E']) => {
                literals.push(text.to_string());
            }
            Value::Number(_) => rest.push("float".to_owned()),
            Value::Array(_) | Value::Object(_) => rest.push("Any".to_owned()),
        }
    }
    if !literals.is_empty() {
        rest.insert(0, format!("Literal[{}]", literals.join(", ")));
    }
    union(rest)
}

/// Returns the description of a parameter or member, with its bounds.
fn note(node: Node<'_>) -> Option<String> {
    let text = |key: &str| node.get(key).and_then(Value::as_str);
    let bound = |key: &str| node.get(key).map(Value::to_json);
    let range = |low: &str, high: &str, of: &str| match (bound(low), bound(high)) {
        (None, None) => None,
        (low, high) => Some(format!(
            "{}..{}{of}",
            low.unwrap_or_default(),
            high.unwrap_or_default()
        )),
    };
    let bounds = [
        range("minimum", "maximum", ""),
        bound("exclusiveMinimum").map(|low| format!("> {low}")),
        bound("exclusiveMaximum").map(|high| format!("< {high}")),
        bound("multipleOf").map(|of| format!("multiple of {of}")),
        range("minLength", "maxLength", " characters"),
        range("minItems", "maxItems", " items"),
        text("format").map(str::to_owned),
        text("pattern").map(|pattern| format!("pattern {pattern}")),
        bound("default").map(|default| format!("default {default}")),
    ];
    let bounds: Vec<String> = bounds.into_iter().flatten().collect();
    let words = text("description").map(str::to_owned);
    let bounds = (!bounds.is_empty()).then(|| format!("({})", bounds.join(", ")));
    let parts: Vec<String> = words.into_iter().chain(bounds).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns the text as it stands in a comment.
fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let words = words.filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the text as it stands in a docstring.
fn docs(text: &str) -> String {
    let text = text
        .replace(|letter: char| letter.is_control() && letter != '\n', " ")
        .trim()
        .replace('\\', "\\\\")
        .replace("\"\"\"", "\\\"\\\"\\\"");
    match text.strip_suffix('"') {
        Some(rest) => format!("{rest}\\\""),
        None => text,
    }
}

/// Replaces a name in a class, but not in other names.
fn without_name(body: &str, name: &str) -> String {
    let is_part = |char: char| char == '_' || char.is_alphanumeric();
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, behind)) = rest.split_once(name) {
        text.push_str(before);
        let is_inside = text.ends_with(is_part) || behind.starts_with(is_part);
        text.push_str(if is_inside { name } else { "\0" });
        rest = behind;
    }
    text.push_str(rest);
    text
}
