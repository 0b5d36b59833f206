//! Objects, maps and unions.

use super::super::LowerErrorCode;
use super::super::rules::{ObjectFacts, ObjectForm};
use super::VerdictWalk;
use toolwright_schema::shape::{Field, Kind, Map, Object, Rest, Shape, Union};
use toolwright_schema::text::same;

impl VerdictWalk {
    /// An object or a map, inside so many others.
    pub(super) const fn keys(
        &mut self,
        kind: &Kind<'static>,
        levels: usize,
        is_root: bool,
    ) -> Option<LowerErrorCode> {
        let (declares, is_open, any_key) = match kind {
            Kind::Object(object) => {
                let rest = object.rest();
                let declares = object.count() > 0 || matches!(rest, Rest::Union);
                (declares, matches!(rest, Rest::Open), true)
            }
            Kind::Map(map) => {
                let are_known = map.has_known_keys();
                (are_known, !are_known, has_any_key(map))
            }
            _ => return None,
        };
        let form = match self.rules.object(ObjectFacts {
            is_root,
            declares,
            is_open,
            is_map: is_open && !declares,
            any_key,
        }) {
            Ok(form) => form,
            Err(code) => return Some(code),
        };
        if matches!(form, ObjectForm::Entries) {
            self.size.add_keys(2, "key".len() + "value".len());
        }
        match kind {
            Kind::Object(object) => self.object(object, levels + 1),
            Kind::Map(map) => self.map(map, levels + 1, form),
            _ => None,
        }
    }

    /// The names of the arguments.
    pub(super) const fn names(&mut self, object: &Object<'static>) -> Option<LowerErrorCode> {
        let mut fields = object.fields;
        while let [field, rest @ ..] = fields {
            fields = rest;
            if !field.is_read() {
                continue;
            }
            if field.flatten {
                if let Kind::Object(inner) = field.shape.only_core() {
                    ask!(self.names(inner));
                }
            } else if let Some(code) = self.rules.argument(field.name) {
                self.steps.push(field.name);
                return Some(code);
            }
        }
        None
    }

    const fn object(&mut self, object: &Object<'static>, levels: usize) -> Option<LowerErrorCode> {
        // Every one of several objects starts with the key that precedes its alternatives.
        let starts_alike = matches!(object.rest(), Rest::Union) && object.starts_alike();
        ask!(self.rules.starts(starts_alike, false));
        let is_loose = self.is_loose;
        let ways = object.ways();
        let mut fields = object.fields;
        while let [field, rest @ ..] = fields {
            fields = rest;
            if !field.is_read() {
                continue;
            }
            let before = self.size;
            if field.flatten {
                let may_miss = !field.is_required();
                self.is_loose = is_loose || (may_miss && field.shape.is_nullable());
                ask!(self.flattened(field, levels));
                let times = match ways.checked_div(field.shape.only_core().ways()) {
                    Some(times) => times,
                    None => 1,
                };
                self.size.repeat(&before, times);
                continue;
            }
            self.is_loose = false;
            let may_miss = is_loose || !field.is_required();
            self.size.add_keys(1, self.length(field.name));
            self.says(1, may_miss);
            self.optional += may_miss as usize;
            self.steps.push(field.name);
            ask!(self.node(field.shape, levels));
            self.steps.pop();
            self.optional -= may_miss as usize;
            self.size.repeat(&before, ways);
        }
        self.is_loose = false;
        self.within(levels)
    }

    /// The keys of a flattened field.
    const fn flattened(&mut self, field: &Field<'static>, levels: usize) -> Option<LowerErrorCode> {
        match field.shape.only_core() {
            Kind::Object(inner) => self.object(inner, levels),
            Kind::Map(map) => self.element(map.values, levels),
            Kind::Union(union) => self.union(union, levels - 1),
            // serde writes `"Name": null` for a variant without data.
            Kind::Enum(variants) => {
                let characters = self.characters(variants);
                self.size.add_keys(variants.len(), characters);
                None
            }
            kind if kind.may_be_flattened() => self.kind(kind, levels),
            _ => None,
        }
    }

    pub(super) const fn union(
        &mut self,
        union: &Union<'static>,
        levels: usize,
    ) -> Option<LowerErrorCode> {
        let is_loose = self.is_loose;
        let mut members = union.members;
        while let [member, rest @ ..] = members {
            members = rest;
            self.is_loose = is_loose;
            ask!(self.node(member, levels));
            // A string of JSON cannot be distinguished from another string.
            if self.is_text {
                return Some(LowerErrorCode::UntypedSchema);
            }
            // Comparing takes long, and in most dialects nothing comes of it.
            if self.rules.starts(true, false).is_none() {
                continue;
            }
            let mut others = rest;
            while let [other, rest @ ..] = others {
                others = rest;
                if let (Some(one), Some(two)) = (first_key(member), first_key(other)) {
                    let is_same = same(one.name, two.name);
                    ask!(self.rules.starts(is_same, differ(one, two)));
                }
            }
        }
        None
    }

    const fn map(
        &mut self,
        map: &Map<'static>,
        levels: usize,
        form: ObjectForm,
    ) -> Option<LowerErrorCode> {
        let (known, characters) = match map.keys.only_core() {
            Kind::Enum(variants) => (variants.len(), self.characters(variants)),
            Kind::Bool => (2, "false".len() + "true".len()),
            _ => (0, 0),
        };
        self.size.add_keys(known, characters);
        self.says(known, known > 0);
        // The keys of a list of entries are values there.
        if let (ObjectForm::Entries, Kind::Enum(_) | Kind::Union(_)) = (form, map.keys.only_core())
        {
            ask!(self.element(map.keys, levels));
        }
        ask!(self.bounds(&map.keys.kind));
        let before = self.size;
        self.optional += (known > 0) as usize;
        let found = self.element(map.values, levels);
        self.optional -= (known > 0) as usize;
        self.size.repeat(&before, known);
        match found {
            Some(code) => Some(code),
            None => self.within(levels),
        }
    }

    /// Counts keys, and returns the effect of optional keys on their values.
    const fn says(&mut self, keys: usize, may_miss: bool) {
        let (is_required, null) = self.rules.key(may_miss);
        self.null = null;
        self.size.optional_keys += if is_required { 0 } else { keys };
    }
}

/// Returns true if the keys of a map may be any strings.
const fn has_any_key(map: &Map<'static>) -> bool {
    map.keys.only_core().is_any_string() && map.keys.kind.bounds().is_none()
}

/// The first key of an object.
const fn first_key(shape: &Shape<'static>) -> Option<&'static Field<'static>> {
    match shape.only_core() {
        Kind::Object(object) => object.first_key(),
        _ => None,
    }
}

/// Returns true if two keys are tags that say different things.
const fn differ(one: &Field<'static>, two: &Field<'static>) -> bool {
    match (one.shape.only_core(), two.shape.only_core()) {
        (Kind::Enum([one]), Kind::Enum([two])) => !same(one.name, two.name),
        _ => false,
    }
}
