//! The schema of a tool's arguments, as far as flags need it: resolved references and alternatives.

use toolwright_json::Value;
use toolwright_schema::keyword::{Keyword, TYPES};
use toolwright_schema::read::keywords::type_of;
use toolwright_schema::read::{Parts, resolve};

/// Maximal number of references and alternatives to follow. A foreign schema may be recursive.
const MAX_DEPTH: usize = 32;

/// Schema of a tool's arguments.
pub(super) struct ToolSchema {
    root: Value<'static>,
}

impl ToolSchema {
    /// Reads the text of a schema.
    pub(super) fn read(text: &str) -> Self {
        let root = Value::parse(text).map_or_else(|_| Value::empty(), Value::into_owned);
        Self { root }
    }

    pub(super) fn root(&self) -> &Value<'static> {
        &self.root
    }

    /// Returns the alternatives of a schema, with references and choices resolved.
    pub(super) fn alternatives<'s>(
        &'s self,
        schema: &'s Value<'static>,
    ) -> Vec<&'s Value<'static>> {
        let mut found = Vec::new();
        self.collect(schema, &mut found, MAX_DEPTH);
        found
    }

    fn collect<'s>(
        &'s self,
        schema: &'s Value<'static>,
        found: &mut Vec<&'s Value<'static>>,
        depth: usize,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if let Some(target) = self.target(schema) {
            return self.collect(target, found, depth);
        }
        let mut is_choice = false;
        for choice in schema.combined() {
            is_choice = true;
            self.collect(choice, found, depth);
        }
        if !is_choice || schema.has(Keyword::Properties) {
            found.push(schema);
        }
    }

    /// Resolves a reference.
    fn target(&self, schema: &Value<'static>) -> Option<&Value<'static>> {
        resolve(&self.root, schema.reference()?)
    }

    /// Returns the first description, of the schema or of its reference's target.
    pub(super) fn description<'s>(&'s self, schema: &'s Value<'static>) -> &'s str {
        let own = schema.text(Keyword::Description);
        own.or_else(|| self.target(schema)?.text(Keyword::Description))
            .unwrap_or_default()
    }

    /// Returns true if the schema admits values of this JSON type.
    pub(super) fn admits(&self, schema: &Value<'static>, kind: &str) -> bool {
        self.alternatives(schema)
            .into_iter()
            .any(|alternative| admits(alternative, kind))
    }

    /// Returns true if the schema admits values of other types, null aside.
    pub(super) fn admits_more_than(&self, schema: &Value<'static>, kind: &str) -> bool {
        let others = TYPES.into_iter().filter(|other| *other != kind);
        others
            .filter(|other| *other != "null")
            .any(|other| self.admits(schema, other))
    }

    /// Returns the listed strings, each with a description if its alternative lists it alone. `None` if other strings
    /// are admitted too.
    pub(super) fn choices(&self, schema: &Value<'static>) -> Option<Vec<Choice>> {
        let alternatives = self.alternatives(schema);
        let is_one = alternatives.len() == 1;
        let mut found: Vec<Choice> = Vec::new();
        for alternative in alternatives {
            let listed: Vec<_> = match (
                alternative.keyword(Keyword::Enum),
                alternative.keyword(Keyword::Const),
            ) {
                (Some(all), _) => all.items().iter().collect(),
                (None, Some(one)) => vec![one],
                (None, None) if admits(alternative, "string") => return None,
                (None, None) => continue,
            };
            let help = match listed.as_slice() {
                [_] if !is_one => alternative.text(Keyword::Description),
                _ => None,
            };
            for word in listed.into_iter().filter_map(Value::as_str) {
                if !found.iter().any(|known| known.word == word) {
                    found.push(Choice {
                        word: word.to_owned(),
                        help: help.map(str::to_owned),
                    });
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Returns the keys of an object in order. A key of several alternatives has a schema with a choice.
    pub(super) fn keys(&self, schema: &Value<'static>) -> Vec<Key> {
        let alternatives = self.alternatives(schema);
        let objects: Vec<_> = alternatives
            .iter()
            .copied()
            .filter(|alternative| alternative.has(Keyword::Properties))
            .collect();
        let only_objects = objects.len() == alternatives.len();
        let tag = tag(&objects);
        let mut keys: Vec<(&str, Vec<Value<'static>>)> = Vec::new();
        for object in &objects {
            for (name, schema) in object.declared().into_iter().flatten() {
                let mut schema = schema.clone();
                if tag == Some(name) {
                    describe(&mut schema, object);
                }
                match keys.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, schemas)) if schemas.contains(&schema) => {}
                    Some((_, schemas)) => schemas.push(schema),
                    None => keys.push((name, vec![schema])),
                }
            }
        }
        let keys = keys.into_iter().map(|(name, schemas)| {
            let is_everywhere = objects.iter().all(|object| object.requires(name));
            let schema = match <[Value<'static>; 1]>::try_from(schemas) {
                Ok([one]) => one,
                Err(several) => Value::object([(Keyword::AnyOf, Value::Array(several))]),
            };
            Key {
                name: name.to_owned(),
                schema,
                is_required: only_objects && is_everywhere,
                variants: tag.and_then(|tag| Variants::of(name, tag, &objects)),
            }
        });
        keys.collect()
    }
}

/// String that a schema lists.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) word: String,
    pub(super) help: Option<String>,
}

impl From<&str> for Choice {
    fn from(word: &str) -> Self {
        Self {
            word: word.to_owned(),
            help: None,
        }
    }
}

/// Key of an object.
pub(super) struct Key {
    pub(super) name: String,
    pub(super) schema: Value<'static>,
    pub(super) is_required: bool,
    /// Variants of a tagged type that have the key; `None` if all do.
    pub(super) variants: Option<Variants>,
}

/// Some variants of a tagged type.
#[derive(Debug, Clone)]
pub(super) struct Variants {
    /// Name of the tag.
    pub(super) tag: String,
    /// Values of the tag.
    pub(super) values: Vec<String>,
    /// True if the key is required in all of them.
    pub(super) require: bool,
}

impl Variants {
    /// Returns the objects that have the key, unless all of them do.
    fn of(key: &str, tag: &str, objects: &[&Value<'static>]) -> Option<Self> {
        let with: Vec<_> = objects
            .iter()
            .filter(|object| object.member(key).is_some())
            .collect();
        if with.len() == objects.len() {
            return None;
        }
        let values = with.iter().filter_map(|object| constant(object, tag));
        Some(Self {
            tag: tag.to_owned(),
            values: values.map(str::to_owned).collect(),
            require: with.iter().all(|object| object.requires(key)),
        })
    }
}

/// Returns the key that tells objects apart: all of them require it, with one string each.
fn tag<'v>(objects: &[&'v Value<'static>]) -> Option<&'v str> {
    let [first, others @ ..] = objects else {
        return None;
    };
    if others.is_empty() {
        return None;
    }
    let names = first.declared().into_iter().flatten();
    let mut names = names.map(|(name, _)| &**name);
    names.find(|name| {
        let mut seen = Vec::new();
        objects.iter().all(|object| {
            let value = constant(object, name);
            let is_new = value.is_some_and(|value| !seen.contains(&value));
            seen.extend(value);
            is_new && object.requires(name)
        })
    })
}

/// Returns the only string that a key may have.
fn constant<'v>(object: &'v Value<'static>, key: &str) -> Option<&'v str> {
    let schema = object.member(key)?;
    let listed = schema.literals().unwrap_or_default();
    match (schema.keyword(Keyword::Const), listed) {
        (Some(value), _) | (None, [value]) => value.as_str(),
        _ => None,
    }
}

/// Gives the schema of a tag the description of its variant, if it has none.
fn describe(schema: &mut Value<'static>, variant: &Value<'static>) {
    let words = variant.text(Keyword::Description);
    if let (Value::Object(entries), Some(words)) = (&mut *schema, words)
        && !entries.iter().any(|(name, _)| name == "description")
    {
        entries.push(("description".into(), Value::string(words.to_owned())));
    }
}

/// Returns true if a schema without choices admits values of this type.
fn admits(alternative: &Value<'_>, kind: &str) -> bool {
    let is = |name: &str| name == kind || (name == "number" && kind == "integer");
    if let Some(Value::String(_) | Value::Array(_)) = alternative.keyword(Keyword::Type) {
        return alternative.types().any(is);
    }
    match (
        alternative.keyword(Keyword::Enum),
        alternative.keyword(Keyword::Const),
    ) {
        (Some(all), _) => all.items().iter().any(|value| type_of(value) == kind),
        (None, Some(one)) => type_of(one) == kind,
        (None, None) if alternative.has(Keyword::Properties) => kind == "object",
        // `false` admits nothing; other schemas without a type admit everything.
        (None, None) => !matches!(alternative, Value::Bool(false)),
    }
}
