//! Objects, maps and unions.

use super::super::RejectCode;
use super::super::rules::{Objects, Optional};
use super::Walk;
use super::parts::{
    self, Rest, core, count, differ, first, is_nullable, is_read, length, rest, same, starts_alike,
    ways,
};
use crate::schema::shape::{Field, Kind, Map, Object, Presence, Shape, Union};

impl Walk {
    pub(super) const fn object(
        &mut self,
        object: &Object<'static>,
        levels: usize,
        is_root: bool,
    ) -> Option<RejectCode> {
        // What is open and says nothing of other keys is closed for the provider.
        if matches!(rest(object), Rest::Open) {
            let declares = count(object) > 0;
            match self.rules.objects {
                Objects::Closed | Objects::Unmarked if declares || is_root => {
                    return Some(RejectCode::OpenObject);
                }
                Objects::Closed | Objects::Unmarked if !self.rules.untyped => {
                    return Some(RejectCode::UntypedSchema);
                }
                _ => {}
            }
        }
        // Every one of several objects starts with the key that stands before what makes them several.
        if self.rules.first_keys && matches!(rest(object), Rest::Union) && starts_alike(object) {
            return Some(RejectCode::UnionFirstKey);
        }
        let is_loose = self.is_loose;
        let ways = ways(object);
        let mut fields = object.fields;
        while let [field, rest @ ..] = fields {
            fields = rest;
            if !is_read(field) {
                continue;
            }
            let before = self.size;
            if field.flatten {
                let may_miss = !matches!(field.presence, Presence::Required);
                self.is_loose = is_loose || (may_miss && is_nullable(field.shape));
                if let Some(code) = self.flattened(field, levels) {
                    return Some(code);
                }
                let times = match ways.checked_div(parts::ways_of(core(field.shape))) {
                    Some(times) => times,
                    None => 1,
                };
                self.size.repeat(&before, times);
                continue;
            }
            self.is_loose = false;
            let may_miss = is_loose || !matches!(field.presence, Presence::Required);
            self.size.properties += 1;
            self.size.characters += length(field.name, self.by_characters);
            if may_miss {
                self.may_miss(1);
            }
            self.optional += may_miss as usize;
            self.steps.push(field.name);
            if let Some(code) = self.node(field.shape, levels) {
                return Some(code);
            }
            self.steps.pop();
            self.optional -= may_miss as usize;
            self.size.repeat(&before, ways);
        }
        self.is_loose = false;
        self.within(levels)
    }

    /// The keys of a flattened field.
    pub(super) const fn flattened(
        &mut self,
        field: &Field<'static>,
        levels: usize,
    ) -> Option<RejectCode> {
        match core(field.shape) {
            Kind::Object(inner) => self.object(inner, levels, false),
            Kind::Map(map) => self.element(map.values, levels),
            Kind::Union(union) => self.union(union, levels - 1),
            // serde writes `"Name": null` for a variant without data.
            Kind::Enum(variants) => {
                self.size.properties += variants.len();
                self.size.characters += self.characters(variants);
                None
            }
            Kind::Foreign(_) => {
                self.look_away();
                None
            }
            Kind::Back(back) => self.back(back.id),
            _ => None,
        }
    }

    pub(super) const fn union(
        &mut self,
        union: &Union<'static>,
        levels: usize,
    ) -> Option<RejectCode> {
        let is_loose = self.is_loose;
        let mut members = union.members;
        while let [member, rest @ ..] = members {
            members = rest;
            self.is_loose = is_loose;
            if let Some(code) = self.node(member, levels) {
                return Some(code);
            }
            if !self.rules.first_keys {
                continue;
            }
            let mut others = rest;
            while let [other, rest @ ..] = others {
                others = rest;
                if let (Some(one), Some(two)) = (first(member), first(other))
                    && same(one.name, two.name)
                    && !differ(one, two)
                {
                    return Some(RejectCode::UnionFirstKey);
                }
            }
        }
        None
    }

    pub(super) const fn map(&mut self, map: &Map<'static>, levels: usize) -> Option<RejectCode> {
        let known = match core(map.keys) {
            Kind::Enum(variants) => {
                self.size.characters += self.characters(variants);
                variants.len()
            }
            Kind::Bool => {
                self.size.characters += "false".len() + "true".len();
                2
            }
            _ => 0,
        };
        if known > 0 {
            self.size.properties += known;
            self.may_miss(known);
        } else if self.sends_entries(map) {
            self.size.properties += 2;
            self.size.characters += "key".len() + "value".len();
            if let Some(code) = self.keys(map.keys, levels) {
                return Some(code);
            }
        }
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

    /// The keys of a list of entries, which are values there.
    pub(super) const fn keys(
        &mut self,
        keys: &Shape<'static>,
        levels: usize,
    ) -> Option<RejectCode> {
        match core(keys) {
            Kind::Enum(_) | Kind::Union(_) => self.element(keys, levels),
            _ => None,
        }
    }

    /// Counts keys that may be missing, and says what that means for the value behind them.
    pub(super) const fn may_miss(&mut self, keys: usize) {
        self.null = self.rules.null_of_optional();
        if !matches!(self.rules.optional, Optional::Null) {
            self.size.optional_keys += keys;
        }
    }

    /// Whether a map is sent as a list of entries.
    pub(super) const fn sends_entries(&self, map: &Map<'static>) -> bool {
        let any_key = match core(map.keys) {
            Kind::String(rules) => rules.is_any() && !matches!(map.keys.kind, Kind::Narrow(..)),
            _ => false,
        };
        self.rules.sends_entries(any_key)
    }
}
