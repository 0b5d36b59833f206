//! The keys of an object, with those of flattened fields in their places.

use super::narrow::{Peeled, bare};
use crate::shape::{Field, Kind, Object, OutputPresence, Presence, Shape, Union};

/// One way in which an object may be. There is more than one where an enum is flattened into it.
#[derive(Clone, Default)]
pub(crate) struct Alternative<'s> {
    pub(crate) keys: Vec<Key<'s>>,
    /// What stands behind keys that are not listed: from a flattened map.
    pub(crate) rest: Option<&'s Shape<'s>>,
    /// That is for the tool alone, since all of the map is.
    pub(crate) is_rest_secret: bool,
    /// Other keys may stand there.
    pub(crate) open: bool,
    /// The shape that says it, where it says more than keys.
    pub(crate) whole: Option<&'s Shape<'s>>,
}

#[derive(Clone, Copy)]
pub(crate) struct Key<'s> {
    pub(crate) name: &'s str,
    pub(crate) aliases: &'s [&'s str],
    pub(crate) field: &'s Field<'s>,
    pub(crate) required: bool,
    /// Its value is for the tool alone, since all that it was flattened out of is.
    pub(crate) is_secret: bool,
}

impl Field<'_> {
    /// Whether a key is this one, in any spelling that is read.
    #[inline]
    pub(crate) fn is_read_as(&self, key: &str) -> bool {
        self.presence != Presence::Never && (self.name == key || self.aliases.contains(&key))
    }

    /// Whether the key must be there.
    pub fn is_required(&self) -> bool {
        self.presence == Presence::Required
    }
}

impl<'s> Key<'s> {
    /// The key of a field on one of serde's sides; nothing if it is not there.
    pub(crate) fn of(field: &'s Field<'s>, output: bool) -> Option<Self> {
        let (name, is_there, required) = if output {
            let said = field.output;
            let is_there = said != OutputPresence::Never;
            (field.output_name, is_there, said == OutputPresence::Always)
        } else {
            let is_there = field.presence != Presence::Never;
            (field.name, is_there, field.is_required())
        };
        is_there.then_some(Self {
            name,
            aliases: field.aliases,
            field,
            required,
            is_secret: false,
        })
    }

    /// Whether a key is this one, in any spelling that is read.
    pub(crate) fn is_read_as(&self, key: &str) -> bool {
        self.name == key || self.aliases.contains(&key)
    }
}

/// The keys that are read of an object which may be in one way alone: its own, and those of structs
/// that are flattened into it. It takes no allocation to know them.
#[derive(Default)]
pub(crate) struct Plain<'s> {
    /// Fields that stand beside each other.
    runs: [&'s [Field<'s>]; 4],
    /// Other keys may stand there.
    pub(crate) open: bool,
}

impl<'s> Plain<'s> {
    /// The keys of an object; nothing if it may be in more than one way, or flattens too many structs.
    pub(crate) fn of(object: &Object<'s>) -> Option<Self> {
        let mut plain = Self::default();
        plain.add(object).then_some(plain)
    }

    fn add(&mut self, object: &Object<'s>) -> bool {
        self.open |= object.open;
        let mut runs = object.fields.chunk_by(|a, b| !a.flatten && !b.flatten);
        runs.all(|run| match run {
            [field] if field.flatten => self.add_flattened(field),
            run => match self.runs.iter_mut().find(|run| run.is_empty()) {
                Some(free) => {
                    *free = run;
                    true
                }
                None => false,
            },
        })
    }

    fn add_flattened(&mut self, field: &Field<'s>) -> bool {
        let inner = Peeled::of(field.shape);
        match inner.kind {
            _ if field.presence == Presence::Never => true,
            // Keys of what may be missing may be missing, and those of a secret are secret.
            _ if inner.is_secret || inner.nullable && !field.is_required() => false,
            Kind::Object(object) => self.add(object),
            _ => false,
        }
    }

    /// The field that is read as this key, and its place.
    pub(crate) fn find(&self, key: &str) -> Option<(usize, &'s Field<'s>)> {
        let mut before = 0;
        for run in self.runs {
            if let Some(index) = run.iter().position(|field| field.is_read_as(key)) {
                return Some((before + index, run.get(index)?));
            }
            before += run.len();
        }
        None
    }

    /// The fields, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'s Field<'s>> {
        self.runs.into_iter().flatten()
    }
}

const NULL: &Field<'_> = &Field::new("", "", &Shape::new(Kind::Null));

/// The ways in which a value of this shape may be an object.
pub(crate) fn alternatives_of<'s>(shape: &Shape<'s>, output: bool) -> Vec<Alternative<'s>> {
    let bare = bare(shape, output);
    let mut ways = alternatives(&bare.kind, output);
    if bare.is_secret {
        ways.iter_mut().for_each(Alternative::keep_secret);
    }
    ways
}

impl Alternative<'_> {
    fn keep_secret(&mut self) {
        self.is_rest_secret = true;
        for key in &mut self.keys {
            key.is_secret = true;
        }
    }
}

/// The ways in which an object of this kind may be; for any other kind none.
pub(crate) fn alternatives<'s>(kind: &Kind<'s>, output: bool) -> Vec<Alternative<'s>> {
    match kind {
        Kind::Object(object) => {
            let start = Alternative {
                keys: Vec::with_capacity(object.fields.len()),
                open: object.open,
                ..Alternative::default()
            };
            object
                .fields
                .iter()
                .fold(vec![start], |found, field| add(found, field, output))
        }
        Kind::Map(map) => vec![Alternative {
            rest: Some(map.values),
            ..Alternative::default()
        }],
        Kind::Union(Union { members, .. }) => members
            .iter()
            // Nothing among objects is written as no keys, and never read from none.
            .filter(|member| output || !matches!(bare(member, false).kind, Kind::Null))
            .flat_map(|member| alternatives_of(member, output))
            .collect(),
        // serde writes `"Name": null` for a variant without data.
        Kind::Enum(variants) => variants
            .iter()
            .map(|variant| Alternative {
                keys: vec![Key {
                    name: if output {
                        variant.output_name
                    } else {
                        variant.name
                    },
                    aliases: variant.aliases,
                    field: NULL,
                    required: true,
                    is_secret: false,
                }],
                ..Alternative::default()
            })
            .collect(),
        Kind::Null => vec![Alternative::default()],
        Kind::Back(back) => alternatives_of(back.shape(), output),
        Kind::Any | Kind::Foreign(_) | Kind::Unknown => vec![Alternative {
            open: true,
            ..Alternative::default()
        }],
        _ => Vec::new(),
    }
}

/// Adds a field to each of the ways.
fn add<'s>(
    mut found: Vec<Alternative<'s>>,
    field: &'s Field<'s>,
    output: bool,
) -> Vec<Alternative<'s>> {
    let Some(key) = Key::of(field, output) else {
        return found;
    };
    if !field.flatten {
        for one in &mut found {
            one.keys.push(key);
        }
        return found;
    }
    let inner = bare(field.shape, output);
    if let Kind::Foreign(_) = inner.kind {
        // Its keys are known when its schema is asked for.
        let key = Key {
            name: "",
            aliases: &[],
            field,
            required: !inner.nullable,
            is_secret: inner.is_secret,
        };
        for one in &mut found {
            one.keys.push(key);
        }
        return found;
    }
    let mut ways = alternatives_of(field.shape, output);
    if inner.nullable && !field.is_required() {
        // Of an optional struct serde reads the keys if they are all there, and ignores them else.
        for way in &mut ways {
            for key in &mut way.keys {
                key.required = false;
            }
        }
    }
    let mut all = Vec::new();
    for one in &found {
        for way in &ways {
            let mut merged = one.clone();
            merged.keys.extend(way.keys.iter().copied());
            merged.rest = merged.rest.or(way.rest);
            merged.is_rest_secret |= way.is_rest_secret;
            merged.open |= way.open;
            all.push(merged);
        }
    }
    if ways.is_empty() { found } else { all }
}
