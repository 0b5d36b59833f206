//! Schemas of answers: they describe, and admit any answer.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use toolwright::ToolDef;
use toolwright::json::Value;
use toolwright::schema::SchemaDoc;

use super::object::{Side, merged};
use super::{Bases, Form, Schemas};
use crate::document::{At, Documents};

/// Most bytes of the schema of an answer. A longer one is left out: half of it says little.
const MOST_BYTES: usize = 16 << 10;

/// The schema of an answer.
#[derive(Clone)]
pub(crate) struct Described {
    pub(crate) schema: SchemaDoc,
    /// True if the answer is an object. A client of MCP may refuse any other result.
    pub(crate) is_object: bool,
}

/// Converts the schemas of the answers of all operations, each part once.
pub(crate) struct Answers<'a, 't> {
    schemas: Schemas<'a, 't>,
    /// Definitions that are not converted yet, by name.
    waiting: HashMap<String, (usize, String, Form)>,
    definitions: HashMap<String, Rc<Part>>,
    /// Whole schemas by the text of their roots.
    known: HashMap<String, Option<Described>>,
}

/// A converted schema, and the names of the definitions that it refers to.
struct Part {
    text: String,
    names: Vec<String>,
}

impl<'a, 't: 'a> Answers<'a, 't> {
    pub(crate) fn new(documents: &'a Documents<'t>, bases: &'a Bases) -> Self {
        Self {
            schemas: Schemas::new(documents, bases, Side::Answer, MOST_BYTES),
            waiting: HashMap::new(),
            definitions: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Returns the schema of an answer, unless it is long or says nothing.
    pub(crate) fn of(&mut self, at: &At<'a, 't>) -> Option<Described> {
        let root = self.schemas.of(at, false);
        let root = self.part(&root);
        if root.text.len() > MOST_BYTES {
            return None;
        }
        if let Some(known) = self.known.get(&root.text) {
            return known.clone();
        }
        let described = self.described(at, &root);
        self.known.insert(root.text, described.clone());
        described
    }

    fn part(&mut self, schema: &Value<'_>) -> Part {
        for (name, document, pointer, form) in self.schemas.waiting.drain(..) {
            self.waiting.insert(name, (document, pointer, form));
        }
        Part {
            text: schema.to_json(),
            names: std::mem::take(&mut self.schemas.referred),
        }
    }

    fn definition(&mut self, name: &str) -> Rc<Part> {
        if let Some(known) = self.definitions.get(name) {
            return Rc::clone(known);
        }
        let target = self.waiting.remove(name);
        let schema = target.map_or_else(Value::empty, |(document, pointer, form)| {
            self.schemas.definition(document, &pointer, form)
        });
        let part = Rc::new(self.part(&schema));
        self.definitions.insert(name.to_owned(), Rc::clone(&part));
        part
    }

    fn described(&mut self, at: &At<'a, 't>, root: &Part) -> Option<Described> {
        let mut names = root.names.clone();
        let mut seen: HashSet<String> = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        let mut definitions: Vec<String> = Vec::new();
        let mut bytes = root.text.len();
        while let Some(name) = names.get(definitions.len()).cloned() {
            let part = self.definition(&name);
            let definition = format!("{}:{}", Value::string(&*name).to_json(), part.text);
            bytes += definition.len();
            definitions.push(definition);
            if bytes > MOST_BYTES {
                return None;
            }
            let new = part
                .names
                .iter()
                .filter(|name| seen.insert((*name).clone()));
            names.extend(new.cloned());
        }
        let documents = self.schemas.documents;
        let target = documents.follow(at.clone()).ok()?;
        let is_object = match target.value.get("type") {
            Some(kind) => kind.as_str() == Some("object"),
            None => merged(documents, at, Side::Answer)
                .is_some_and(|object| !object.properties.is_empty()),
        };
        let says_nothing = |text: &str| matches!(text, "{}" | "true" | r#"{"type":"object"}"#);
        if says_nothing(&root.text) {
            return None;
        }
        let kind = if is_object { r#""type":"object","# } else { "" };
        let mut text = format!(r#"{{{kind}"anyOf":[{},{{}}]"#, root.text);
        if !definitions.is_empty() {
            text = format!(r#"{text},"$defs":{{{}}}"#, definitions.join(","));
        }
        text.push('}');
        // A key that nobody sees costs the schema of the answer, and not the tool.
        let mut def = ToolDef::new("answer", "");
        def.output = Some(SchemaDoc::parse(&text).ok()?);
        let is_visible = def.strip_hidden().left.is_empty();
        let schema = def.output.filter(|_| is_visible)?;
        Some(Described { schema, is_object })
    }
}
