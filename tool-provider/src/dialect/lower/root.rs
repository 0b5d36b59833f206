//! Roots other than a plain object, converted to one object that admits the same values: clients of MCP and several
//! providers refuse unions and references at the root, and then every tool of the request.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;

use super::super::canonical::canonical;
use super::super::report::{LowerError, LowerErrorCode, Note, NoteKind};
use super::super::shared::shared;
use super::object::is_open;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::canonical::{Canonical, merge};
use toolwright_schema::read::keywords::{Keywords, text, union};
use toolwright_schema::read::{Ordered, Pair, Parts, change_references};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::text::listed;

/// Alternatives of a root, at most.
const MOST_FORMS: usize = 64;

/// Bytes of the schema, times its alternatives, at most: each has the keys of the whole.
const MOST_BYTES: usize = 2 << 20;

/// Schemas that are looked at for them, at most.
const MOST_STEPS: usize = 1000;

/// The schema of a tool's arguments as a server of MCP lists it, with an object at its root: `None` if it has one already.
///
/// `takes_all_of`: a given schema keeps `allOf` beside its type. SEP-2106 (2026-07-28) wants it back as it was written; readers of
/// older versions refuse it.
///
/// # Errors
/// When no object fits the schema, or the alternatives are too many.
pub fn object_root(schema: &SchemaDoc, takes_all_of: bool) -> Result<Option<String>, LowerError> {
    let root = schema.to_provider();
    let is_union = root.has_any(&[Keyword::AnyOf, Keyword::OneOf, Keyword::Ref]);
    let is_given_object = schema.shape().is_none() && !is_union && root.is_only("object");
    let has_parts = root.has(Keyword::AllOf) && !(is_given_object && takes_all_of);
    if !is_union && !has_parts && root.is_only("object") {
        return Ok(None);
    }
    let is_combined = is_union || root.has_any(&[Keyword::AllOf, Keyword::Enum, Keyword::Const]);
    let may_be_object = !root.has(Keyword::Type) || root.is_of("object");
    let may_be_object = may_be_object && root != Ordered::Bool(false);
    let own = Keywords(root.entries().to_vec());
    if !is_combined && may_be_object {
        let mut keywords = own;
        keywords.set(Keyword::Type, text("object"));
        return Ok(Some(keywords.into_schema().to_json()));
    }
    let plain = canonical(root, &mut Vec::new()).and_then(|mut canonical| {
        flatten(&mut canonical, &mut Vec::new())?;
        Ok(canonical)
    });
    let Canonical { root, defs, .. } = match plain {
        // A reader may still take it.
        Err(_) if is_given_object => return Ok(None),
        plain => plain?,
    };
    let schema = if is_given_object && defs.is_empty() {
        beside_own(own, root)
    } else {
        with_definitions(root, defs)
    };
    let text = schema.to_json();
    Ok(Some(shared(&text, || schema).unwrap_or(text)))
}

/// Replaces `allOf` by one object with its rules. Everything else does not change.
fn beside_own(mut own: Keywords, object: Ordered) -> Ordered {
    own.take(Keyword::AllOf);
    if let Ordered::Object(entries) = object {
        for (key, value) in entries {
            own.set(key, value);
        }
    }
    own.into_schema()
}

/// Makes the root one plain object, and notes that it is looser than it was. Returns the keys that not every alternative has.
pub(super) fn flatten(
    canonical: &mut Canonical,
    notes: &mut Vec<Note>,
) -> Result<Vec<String>, LowerError> {
    let code = match Forms::in_object(canonical, &canonical.root) {
        Some(forms) if forms.is_empty() => LowerErrorCode::RootNotObject,
        None => LowerErrorCode::RootUnion,
        Some(forms) => {
            if forms.len() > 1 {
                let all = forms.iter().cloned().map(Keywords::into_schema);
                notes.push(Note {
                    kind: NoteKind::Demoted,
                    path: "/".to_owned(),
                    keyword: Keyword::AnyOf.as_str().to_owned(),
                    value: Ordered::Array(all.collect()).to_json(),
                });
            }
            let root = one_object(&forms, canonical.root.description());
            replace(canonical, root)?;
            return Ok(partial_keys(&forms));
        }
    };
    Err(LowerError::new(code, "/"))
}

/// Returns one object for an object with keys beside a union, and the keys that some alternatives lack; `None` if there
/// are too many alternatives.
pub(super) fn one_object_of(
    canonical: &Canonical,
    schema: &Ordered,
) -> Option<(Ordered, Vec<String>)> {
    let forms = Forms::in_object(canonical, schema).filter(|forms| !forms.is_empty())?;
    let object = one_object(&forms, schema.description());
    Some((object, partial_keys(&forms)))
}

/// Returns the keys that some alternative refuses.
fn partial_keys(forms: &[Keywords]) -> Vec<String> {
    let keys = forms
        .iter()
        .flat_map(|form| form.declared().unwrap_or_default());
    let refuses = |form: &Keywords, name: &str| form.member(name).is_none() && !is_open(form);
    let partial = keys.filter(|(name, _)| forms.iter().any(|form| refuses(form, name)));
    partial.map(|(name, _)| name.to_string()).collect()
}

/// Replaces the root. References to the old one point to a definition of it.
fn replace(canonical: &mut Canonical, mut root: Ordered) -> Result<(), LowerError> {
    let mut old = std::mem::replace(&mut canonical.root, Ordered::Null);
    let mut defs = std::mem::take(&mut canonical.defs);
    let mut name = "Arguments".to_owned();
    while defs.iter().any(|(known, _)| *known == name) {
        name.push('_');
    }
    let refers = Cell::new(false);
    let mut change = |target: &mut Cow<'_, str>| {
        if *target == "#" {
            refers.set(true);
            *target = format!("#/$defs/{name}").into();
        }
    };
    change_references(&mut root, &mut change);
    for (_, body) in &mut defs {
        change_references(body, &mut change);
    }
    if refers.get() {
        change_references(&mut old, &mut change);
        defs.push((name.into(), old));
    }
    // Enums of several alternatives become one. Dropped keywords were noted before.
    *canonical = self::canonical(with_definitions(root, defs), &mut Vec::new())?;
    Ok(())
}

fn with_definitions(root: Ordered, defs: Vec<Pair>) -> Ordered {
    match root {
        Ordered::Object(mut entries) if !defs.is_empty() => {
            entries.push((Keyword::Defs.into(), Ordered::Object(defs)));
            Ordered::Object(entries)
        }
        root => root,
    }
}

/// Looks for the alternatives of a root: each is an object without unions and references at its own root.
struct Forms<'c> {
    canonical: &'c Canonical,
    /// Number of alternatives, at most.
    most: usize,
    /// The references followed so far. A recursive one adds no alternative.
    within: Vec<String>,
    steps: usize,
}

impl Forms<'_> {
    /// The alternatives of an object; `None` if they are too many.
    fn in_object(canonical: &Canonical, schema: &Ordered) -> Option<Vec<Keywords>> {
        let bytes = schema.to_json().len();
        let mut forms = Forms {
            canonical,
            most: MOST_FORMS.min(MOST_BYTES / bytes.max(1)).max(1),
            within: Vec::new(),
            steps: 0,
        };
        forms.of(schema)
    }

    /// The alternatives of a schema; `None` if they are too many.
    fn of(&mut self, schema: &Ordered) -> Option<Vec<Keywords>> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        let mut own = match schema {
            Ordered::Object(entries) => Keywords(entries.clone()),
            Ordered::Bool(false) => return Some(Vec::new()),
            _ => Keywords::default(),
        };
        if own.has(Keyword::Type) && !own.is_of("object") {
            return Some(Vec::new());
        }
        own.take(Keyword::Type);
        let mut parts = Vec::new();
        if let Some(Ordered::String(target)) = own.take(Keyword::Ref) {
            if self.within.iter().any(|known| *known == target) {
                return Some(Vec::new());
            }
            let body = self.canonical.target(&target)?;
            self.within.push(target.into_owned());
            parts.push(self.of(body)?);
            self.within.pop();
        }
        if own.has(Keyword::AnyOf) {
            let mut forms = Vec::new();
            for member in own.take_list(Keyword::AnyOf) {
                forms.extend(self.of(&member)?);
            }
            parts.push(forms);
        }
        for member in own.take_list(Keyword::AllOf) {
            parts.push(self.of(&member)?);
        }
        let mut all = vec![own];
        for part in parts {
            if all.len().saturating_mul(part.len()) > self.most {
                return None;
            }
            let both = |one: &Keywords| {
                part.iter()
                    .map(|other| both(one, other))
                    .collect::<Vec<_>>()
            };
            all = all.iter().flat_map(both).collect();
        }
        Some(all)
    }
}

/// An object with the rules of two schemas; rules that cannot be merged are left out.
fn both(one: &Keywords, other: &Keywords) -> Keywords {
    let mut out = one.clone();
    merge(&mut out, other.clone().into_schema());
    // Looser than both is better than a key that cannot be sent.
    for part in out.take_list(Keyword::AllOf) {
        let declared = part.declared().unwrap_or_default().iter();
        let new = declared.filter(|(name, _)| out.member(name).is_none());
        let new = Ordered::Object(new.cloned().collect());
        merge(
            &mut out,
            Keywords::of([(Keyword::Properties, new)]).into_schema(),
        );
        if part.has(Keyword::PatternProperties) {
            out.set(Keyword::AdditionalProperties, Ordered::Bool(true));
        }
    }
    out
}

/// One object that admits the values of several objects.
fn one_object(forms: &[Keywords], description: &str) -> Ordered {
    let mut out = Keywords::of([(Keyword::Type, text("object"))]);
    let keys = forms
        .iter()
        .flat_map(|form| form.declared().unwrap_or_default());
    let mut known = HashSet::new();
    let names = keys
        .map(|(name, _)| name)
        .filter(|name| known.insert(*name));
    let properties = names.map(|name| {
        let mut schemas: Vec<Ordered> = Vec::new();
        for form in forms {
            let schema = match form.member(name) {
                Some(schema) => schema.clone(),
                None if is_open(form) => others(form),
                None => continue,
            };
            if !schemas.contains(&schema) {
                schemas.push(schema);
            }
        }
        let schema = match <[Ordered; 1]>::try_from(schemas) {
            Ok([one]) => one,
            Err(several) if several.contains(&Ordered::empty()) => Ordered::empty(),
            Err(several) => union(several).into_schema(),
        };
        (name.clone(), schema)
    });
    let properties: Vec<_> = properties.collect();
    if forms.iter().any(|form| form.has(Keyword::Properties)) {
        out.set(Keyword::Properties, Ordered::Object(properties));
    }
    let required = forms.first().into_iter().flat_map(Parts::required);
    let required = required.filter(|name| forms.iter().all(|form| form.requires(name)));
    let required: Vec<_> = required.map(|name| text(name.to_owned())).collect();
    if !required.is_empty() {
        out.set(Keyword::Required, Ordered::Array(required));
    }
    set_others(&mut out, forms);
    let handled = [
        Keyword::Properties,
        Keyword::Required,
        Keyword::AdditionalProperties,
        Keyword::UnevaluatedProperties,
        Keyword::Description,
    ];
    for (key, value) in forms.first().into_iter().flat_map(|form| &form.0) {
        let is_handled = Keyword::of(key).is_some_and(|keyword| handled.contains(&keyword));
        let has_it = |form: &Keywords| {
            form.0
                .iter()
                .any(|(name, other)| name == key && other == value)
        };
        if !is_handled && forms.iter().all(has_it) {
            out.set(key.clone(), value.clone());
        }
    }
    if !description.is_empty() {
        out.set(Keyword::Description, text(description.to_owned()));
    }
    let words = in_words(forms);
    if !words.is_empty() {
        out.append_to_description(&words);
    }
    out.into_schema()
}

/// The schema of a form's keys that are not declared.
fn others(form: &Keywords) -> Ordered {
    match form.keyword(Keyword::AdditionalProperties) {
        Some(schema @ Ordered::Object(_)) if !form.has(Keyword::PatternProperties) => {
            schema.clone()
        }
        _ => Ordered::empty(),
    }
}

/// Says which other keys there may be: those of the forms that take some.
fn set_others(out: &mut Keywords, forms: &[Keywords]) {
    let is_closed = |form: &Keywords| {
        !is_open(form) && (form.is_closed() || form.is_false(Keyword::UnevaluatedProperties))
    };
    let said: Vec<&Ordered> = forms
        .iter()
        .filter_map(|form| form.keyword(Keyword::AdditionalProperties))
        .collect();
    let value = match said.as_slice() {
        _ if forms.iter().all(is_closed) => Ordered::Bool(false),
        _ if !forms.iter().any(is_open) => return,
        // All say the same, or nothing.
        [] if forms.len() == 1 => return,
        [one, rest @ ..] if said.len() == forms.len() && rest.iter().all(|other| other == one) => {
            (*one).clone()
        }
        _ => Ordered::Bool(true),
    };
    out.set(Keyword::AdditionalProperties, value);
}

/// The alternatives as text: `one of these forms: {kind: "circle", radius} or {kind: "square", side, turned?}`. Keys
/// that all have in common are left out.
fn in_words(forms: &[Keywords]) -> String {
    let mut all: Vec<String> = Vec::new();
    for form in forms {
        let is_common = |name: &str, schema: &Ordered| {
            let mut forms = forms.iter();
            forms.all(|other| {
                other.member(name) == Some(schema) && other.requires(name) == form.requires(name)
            })
        };
        let keys = form.declared().unwrap_or_default().iter();
        let keys = keys.filter(|(name, schema)| !is_common(name, schema));
        let keys = keys.map(|(name, schema)| match schema.only_literal() {
            _ if !form.requires(name) => format!("{name}?"),
            Some(literal) => format!("{name}: {}", literal.to_json()),
            None => name.to_string(),
        });
        let undeclared = form.required().filter(|name| form.member(name).is_none());
        let keys = keys.chain(undeclared.map(str::to_owned));
        let mut words = format!("{{{}}}", listed(keys.collect::<Vec<_>>().into_iter(), ", "));
        if let Some(means) = form.description().lines().next()
            && forms
                .iter()
                .any(|other| other.description() != form.description())
        {
            words = format!("{words} ({means})");
        }
        if !all.contains(&words) {
            all.push(words);
        }
    }
    if all.len() < 2 {
        return String::new();
    }
    format!("one of these forms: {}", listed(all.into_iter(), " or "))
}
