//! Stubs: tools as typed functions of Python.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use toolwright::json::Value;
use toolwright::schema::SchemaDoc;
use toolwright::{ToolDef, Toolset};

use crate::names;
use crate::signature::{Signature, is_required, items, properties};

/// Depth at which a type is `Any`.
const MAX_DEPTH: usize = 32;

/// Names of `typing` that stubs use.
const TYPING: [&str; 5] = ["Any", "Literal", "NotRequired", "Required", "TypedDict"];

/// Formats of numbers, left out beside their types.
const SIZES: [&str; 4] = ["int32", "int64", "float", "double"];

/// Returns the tools as typed stubs of Python: a function each, with its description, and the types that they share, each once.
/// The text is a valid `.pyi` file after `from typing import Any, Literal, NotRequired, Required, TypedDict`.
///
/// Objects are `TypedDict`s, enums are `Literal`s. Descriptions and bounds stand in comments; Python has no types for bounds.
/// `= ...` marks an argument that may be left out.
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
/// assert!(stubs.starts_with(
///     "async def find_orders(
///     customer: str,
///     limit: int | None = None,  # (0..255)
/// ) -> list[str]:"
/// ));
/// ```
pub fn stubs(tools: &Toolset) -> String {
    stubs_of(tools.definitions())
}

pub(crate) fn stubs_of<'d>(defs: impl Iterator<Item = &'d ToolDef>) -> String {
    let defs: Vec<_> = defs.collect();
    let mut types = Types::default();
    let mut functions = String::new();
    // A class that has the name of a function would be hidden by it.
    let names = defs.iter().map(|def| names::identifier(&def.name));
    types.taken.extend(names.chain(TYPING.map(str::to_owned)));
    for def in defs {
        types.function(def, &mut functions);
    }
    types.classes.push(functions);
    types.classes.join("\n")
}

/// Types of the stubs.
#[derive(Default)]
struct Types {
    /// Declarations, in order.
    classes: Vec<String>,
    /// Names that are taken.
    taken: BTreeSet<String>,
    /// Declared types by their declarations without their names.
    by_body: BTreeMap<String, String>,
}

impl Types {
    fn function(&mut self, def: &ToolDef, out: &mut String) {
        let signature = Signature::of(def);
        let (function, class) = (&signature.function, names::class(&signature.function));
        let input = def.input.to_provider_json();
        let input = Value::parse(&input).unwrap_or(Value::Null);
        let mut arguments = Vec::new();
        let mut document = Document::new(self, &input);
        for parameter in &signature.parameters {
            let properties = input.get("properties");
            let Some(property) = properties.and_then(|all| all.get(&parameter.key)) else {
                continue;
            };
            let name = &parameter.name;
            let of = document.of(property, &names::class(name));
            let default = match parameter.is_required {
                true => "",
                false if of == "Any" || of.ends_with("None") => " = None",
                false => " = ...",
            };
            arguments.push((format!("{name}: {of}{default}"), comment(property)));
        }
        let output = def.output.as_ref().map(SchemaDoc::to_provider_json);
        let output = output.as_ref().and_then(|output| Value::parse(output).ok());
        let result = output.as_ref().map_or_else(String::new, |output| {
            let of = Document::new(self, output).result(output, &format!("{class}Result"));
            format!(" -> {of}")
        });
        let has_comments = arguments.iter().any(|(_, comment)| !comment.is_empty());
        let arguments = if has_comments {
            let lines = arguments.iter();
            let lines = lines.map(|(argument, comment)| format!("    {argument},{comment}\n"));
            format!("\n{}", lines.collect::<String>())
        } else {
            let arguments = arguments.into_iter().map(|(argument, _)| argument);
            arguments.collect::<Vec<_>>().join(", ")
        };
        let text = docs(&def.description);
        let text = text.replace('\n', "\n    ").replace("\n    \n", "\n\n");
        let _ = writeln!(
            out,
            "async def {function}({arguments}){result}:\n    \"\"\"{text}\"\"\"\n"
        );
    }

    /// Takes a free name: this one, or one with a number behind it.
    fn reserve(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2;
        while self.taken.contains(&free) {
            free = format!("{name}{number}");
            number += 1;
        }
        self.taken.insert(free.clone());
        free
    }
}

/// Reads the types of one document.
struct Document<'t, 's> {
    types: &'t mut Types,
    root: &'s Value<'s>,
    /// Types of definitions, by their pointers.
    open: BTreeMap<&'s str, String>,
    depth: usize,
}

impl<'t, 's> Document<'t, 's> {
    fn new(types: &'t mut Types, root: &'s Value<'s>) -> Self {
        let open = BTreeMap::new();
        let depth = 0;
        Self {
            types,
            root,
            open,
            depth,
        }
    }

    /// Returns the type of a schema. A new class gets this name.
    fn of(&mut self, schema: &'s Value<'s>, name: &str) -> String {
        if self.depth == MAX_DEPTH {
            return "Any".to_owned();
        }
        self.depth += 1;
        let of = self.of_any(schema, name);
        self.depth -= 1;
        of
    }

    /// Returns the type of a result. A schema that only describes has an alternative that admits anything.
    fn result(&mut self, schema: &'s Value<'s>, name: &str) -> String {
        match items(schema, "anyOf") {
            [described, any] if any.entries().is_empty() => match self.of(described, name) {
                of if of == "Any" => of,
                of => format!("{of} | Any"),
            },
            _ => self.of(schema, name),
        }
    }

    fn of_any(&mut self, schema: &'s Value<'s>, name: &str) -> String {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.referred(reference);
        }
        if let Some(value) = schema.get("const") {
            return literals(std::slice::from_ref(value));
        }
        if let Some(values) = schema.get("enum") {
            return literals(values.items());
        }
        let mut all = |ways: &mut dyn Iterator<Item = &'s Value<'s>>| -> Vec<String> {
            let ways = (1..).zip(ways);
            ways.map(|(at, way)| self.of(way, &format!("{name}{at}")))
                .collect()
        };
        let ways = all(&mut items(schema, "anyOf").iter().chain(items(schema, "oneOf")));
        if !ways.is_empty() {
            return union(ways);
        }
        let kinds = schema.get("type");
        let has_members = schema.get("properties").is_some();
        if !has_members && !items(schema, "allOf").is_empty() {
            let parts = all(&mut items(schema, "allOf").iter()).into_iter();
            let parts: BTreeSet<String> = parts.filter(|of| of != "Any").collect();
            // Of several classes, none has all members.
            return match (parts.len(), parts.into_iter().next()) {
                (0, _) | (_, None) => "Any".to_owned(),
                (1, Some(one)) => one,
                _ => "dict[str, Any]".to_owned(),
            };
        }
        match kinds {
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                union(kinds.map(|kind| self.of_kind(kind, schema, name)).collect())
            }
            Some(kind) => self.of_kind(kind.as_str().unwrap_or_default(), schema, name),
            None if has_members => self.of_kind("object", schema, name),
            None => "Any".to_owned(),
        }
    }

    fn referred(&mut self, reference: &'s str) -> String {
        if let Some(name) = self.open.get(reference) {
            return name.clone();
        }
        let target = reference.strip_prefix('#');
        let Some(target) = target.and_then(|pointer| self.root.pointer(pointer)) else {
            return "Any".to_owned();
        };
        let last = reference.rsplit('/').next().filter(|last| *last != "#");
        let name = names::class(last.unwrap_or("Node"));
        let of = if properties(target).is_empty() {
            // An alias that holds itself is `Any` inside.
            self.open.insert(reference, "Any".to_owned());
            self.of(target, &name)
        } else {
            let name = self.types.reserve(&name);
            let is_null = |kind: &Value<'_>| kind.as_str() == Some("null");
            let is_nullable = items(target, "type").iter().any(is_null);
            let or_none = if is_nullable { " | None" } else { "" };
            self.open.insert(reference, format!("{name}{or_none}"));
            format!("{}{or_none}", self.object(target, &name))
        };
        self.open.insert(reference, of.clone());
        of
    }

    fn of_kind(&mut self, kind: &str, schema: &'s Value<'s>, name: &str) -> String {
        let any = || "Any".to_owned();
        match kind {
            "string" => "str".to_owned(),
            "integer" => "int".to_owned(),
            "number" => "float".to_owned(),
            "boolean" => "bool".to_owned(),
            "null" => "None".to_owned(),
            "array" => {
                let items = schema.get("items");
                let of = items.map_or_else(any, |items| self.of(items, name));
                format!("list[{of}]")
            }
            "object" if !properties(schema).is_empty() => {
                let name = self.types.reserve(name);
                self.object(schema, &name)
            }
            "object" => {
                let values = schema.get("additionalProperties");
                let values = values.filter(|it| !it.entries().is_empty());
                let of = values.map_or_else(any, |values| self.of(values, name));
                format!("dict[str, {of}]")
            }
            _ => any(),
        }
    }

    /// Declares a class of this name, which is reserved, and returns its name: that of an equal class if there is one.
    fn object(&mut self, schema: &'s Value<'s>, name: &str) -> String {
        let place = self.types.classes.len();
        let required = properties(schema).iter();
        let required = required.filter(|(key, _)| is_required(schema, key)).count();
        // The shorter way to say which members may be left out.
        let is_total = required * 2 >= properties(schema).len();
        let total = if is_total { "" } else { ", total=False" };
        let mut members = Vec::new();
        for (key, property) in properties(schema) {
            let of = self.of(property, &names::class(key));
            let of = match (is_total, is_required(schema, key)) {
                (true, false) => format!("NotRequired[{of}]"),
                (false, true) => format!("Required[{of}]"),
                _ => of,
            };
            members.push((key, of, comment(property)));
        }
        let is_plain = |key: &str| names::parameter(key) == key;
        let text = if members.iter().all(|(key, ..)| is_plain(key)) {
            let mut text = format!("class {name}(TypedDict{total}):\n");
            for (key, of, comment) in members {
                let _ = writeln!(text, "    {key}: {of}{comment}");
            }
            text
        } else {
            let members = members.into_iter().map(|(key, of, _)| {
                let key = Value::string(&**key).to_json();
                format!("{key}: {of}")
            });
            let members = members.collect::<Vec<_>>().join(", ");
            format!("{name} = TypedDict(\"{name}\", {{{members}}}{total})\n")
        };
        // A class that holds itself differs by its own name alone.
        let body = without_name(&text, name);
        if let Some(equal) = self.types.by_body.get(&body) {
            self.types.taken.remove(name);
            return equal.clone();
        }
        self.types.by_body.insert(body, name.to_owned());
        self.types.classes.insert(place, text);
        name.to_owned()
    }
}

fn union(all: Vec<String>) -> String {
    let mut ways: Vec<String> = Vec::new();
    for way in all {
        if !ways.contains(&way) {
            ways.push(way);
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

/// Returns the description of a parameter or member, with its bounds, as a comment behind it.
fn comment(schema: &Value<'_>) -> String {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    let bound = |key: &str| schema.get(key).map(Value::to_json);
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
        text("format")
            .filter(|format| !SIZES.contains(format))
            .map(str::to_owned),
        text("pattern").map(|pattern| format!("pattern {pattern}")),
        bound("default").map(|default| format!("default {default}")),
    ];
    let bounds: Vec<String> = bounds.into_iter().flatten().collect();
    let words = text("description").map(str::to_owned);
    let bounds = (!bounds.is_empty()).then(|| format!("({})", bounds.join(", ")));
    let parts: Vec<String> = words.into_iter().chain(bounds).collect();
    let parts = parts.join(" ");
    let words = parts.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return String::new();
    }
    format!("  # {}", words.join(" "))
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
