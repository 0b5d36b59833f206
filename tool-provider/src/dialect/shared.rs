//! Moves repeated types of a long schema to `$defs`.
//!
//! Types are inlined at each use, since many clients do not follow references. Only a schema that would be too long
//! refers to them. Verdicts, limits of size and the inverse use the inlined form.

use std::borrow::Cow;
use std::collections::HashMap;

use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::keywords::{Keywords, text};
use toolwright_schema::read::refs::definition_name;
use toolwright_schema::read::{Ordered, Pair, Parts, inside_mut};
use toolwright_schema::render::SchemaDoc;

/// A schema of at most this many bytes stays written out.
const SHORT: usize = 4 << 10;

/// A schema of more bytes refers to the types that it repeats; a shorter one does if that halves it.
const LONG: usize = 16 << 10;

/// Bytes of a type from which a reference to it is clearly shorter.
const LEAST_TYPE: usize = 128;

/// Returns a schema as the text of a provider's definition. Long schemas have their repeated types under `$defs`.
/// A schema that arrived at run time keeps its author's text.
pub(crate) fn provider_text(schema: &SchemaDoc) -> Cow<'_, str> {
    let written = schema.to_provider_json();
    let is_compiled = schema.shape().is_some();
    match shared(&written, || schema.to_provider()).filter(|_| is_compiled) {
        Some(shared) => Cow::Owned(shared),
        None => written,
    }
}

/// Returns the text of a schema with the types that it repeats under `$defs`; `None` if it stays written out.
pub(super) fn shared(written: &str, schema: impl FnOnce() -> Ordered) -> Option<String> {
    if written.len() <= SHORT {
        return None;
    }
    let mut schema = schema();
    let mut types = Types::default();
    types.count(&schema);
    for (_, body) in schema.named(Keyword::Defs).unwrap_or_default() {
        types.count(body);
    }
    types.uses.retain(|_, uses| *uses > 1);
    if types.uses.is_empty() {
        return None;
    }
    let taken = schema.named(Keyword::Defs).unwrap_or_default();
    types.taken = taken.iter().map(|(name, _)| name.to_string()).collect();
    types.replace(&mut schema, "");
    let Ordered::Object(entries) = schema else {
        return None;
    };
    let mut keywords = Keywords(entries);
    if let Some(Ordered::Object(defs)) = keywords.schema_mut(Keyword::Defs) {
        defs.append(&mut types.defs);
    } else {
        keywords.set(Keyword::Defs, Ordered::Object(types.defs));
    }
    let text = Ordered::Object(keywords.0).to_json();
    (written.len() > LONG || written.len() >= 2 * text.len()).then_some(text)
}

/// The types that a schema repeats, by their texts.
#[derive(Default)]
struct Types {
    /// How often each is used, if each is written once.
    uses: HashMap<String, usize>,
    names: HashMap<String, String>,
    taken: Vec<String>,
    defs: Vec<Pair>,
}

impl Types {
    /// Counts the types inside a schema.
    fn count(&mut self, schema: &Ordered) {
        schema.inside(&mut |inner| {
            if let Some(text) = text_of(inner) {
                let uses = self.uses.entry(text).or_default();
                *uses += 1;
                if *uses > 1 {
                    return;
                }
            }
            self.count(inner);
        });
    }

    /// Replaces repeated types inside a schema by references. `name`: the key in front of it.
    fn replace(&mut self, schema: &mut Ordered, name: &str) {
        inside_mut(schema, &mut |keyword, key, inner| {
            let name = match keyword {
                Keyword::Properties | Keyword::Defs => key,
                _ => name,
            };
            let type_text = text_of(inner).filter(|text| self.uses.contains_key(text));
            let Some(type_text) = type_text.filter(|_| keyword != Keyword::Defs) else {
                return self.replace(inner, name);
            };
            let known = self.names.get(&type_text).cloned();
            let known = known.unwrap_or_else(|| self.define(type_text, inner, name));
            let target = text(format!("#/$defs/{known}"));
            *inner = Keywords::of([(Keyword::Ref, target)]).into_schema();
        });
    }

    /// Moves a type under `$defs`; returns its name there.
    fn define(&mut self, type_text: String, schema: &mut Ordered, key: &str) -> String {
        let name = definition_name(key, |name| self.taken.iter().any(|known| known == name));
        self.taken.push(name.clone());
        self.names.insert(type_text, name.clone());
        let mut body = std::mem::take(schema);
        self.replace(&mut body, key);
        self.defs.push((name.clone().into(), body));
        name
    }
}

/// Returns the text of a type that may move to `$defs`: an object with keys or an enum, if it is long.
fn text_of(schema: &Ordered) -> Option<String> {
    let is_type = schema.declares_keys() || schema.literals().is_some();
    let text = is_type.then(|| schema.to_json());
    text.filter(|text| text.len() >= LEAST_TYPE)
}
