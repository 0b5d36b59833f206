//! Objects, maps and unions.

use super::super::RejectCode;
use super::super::rules::ObjectForm;
use super::Walk;
use super::parts::{
    self, Rest, core, differ, first, is_nullable, is_read, length, rest, same, starts_alike, ways,
};
use toolwright_schema::shape::{Field, Kind, Map, Object, Presence, Union};

impl Walk {
    pub(super) const fn object(
        &mut self,
        object: &Object<'static>,
        levels: usize,
    ) -> Option<RejectCode> {
        // Every one of several objects starts with the key that stands before what makes them several.
        let starts_alike = matches!(rest(object), Rest::Union) && starts_alike(object);
        ask!(self.rules.starts(starts_alike, false));
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
                ask!(self.flattened(field, levels));
                let times = match ways.checked_div(parts::ways_of(core(field.shape))) {
                    Some(times) => times,
                    None => 1,
                };
                self.size.repeat(&before, times);
                continue;
            }
            self.is_loose = false;
            let may_miss = is_loose || !matches!(field.presence, Presence::Required);
            self.size
                .add_keys(1, length(field.name, self.by_characters));
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
    pub(super) const fn flattened(
        &mut self,
        field: &Field<'static>,
        levels: usize,
    ) -> Option<RejectCode> {
        match core(field.shape) {
            Kind::Object(inner) => self.object(inner, levels),
            Kind::Map(map) => self.element(map.values, levels),
            Kind::Union(union) => self.union(union, levels - 1),
            // serde writes `"Name": null` for a variant without data.
            Kind::Enum(variants) => {
                let characters = self.characters(variants);
                self.size.add_keys(variants.len(), characters);
                None
            }
            Kind::Foreign(_) => {
                self.look_away();
                None
            }
            Kind::Back(back) => self.back(back.id),
            Kind::Any => self.rules.any_value(),
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
            ask!(self.node(member, levels));
            // Comparing takes long, and in most dialects nothing comes of it.
            if self.rules.starts(true, false).is_none() {
                continue;
            }
            let mut others = rest;
            while let [other, rest @ ..] = others {
                others = rest;
                if let (Some(one), Some(two)) = (first(member), first(other)) {
                    let is_same = same(one.name, two.name);
                    ask!(self.rules.starts(is_same, differ(one, two)));
                }
            }
        }
        None
    }

    pub(super) const fn map(
        &mut self,
        map: &Map<'static>,
        levels: usize,
        form: ObjectForm,
    ) -> Option<RejectCode> {
        let (known, characters) = match core(map.keys) {
            Kind::Enum(variants) => (variants.len(), self.characters(variants)),
            Kind::Bool => (2, "false".len() + "true".len()),
            _ => (0, 0),
        };
        self.size.add_keys(known, characters);
        self.says(known, known > 0);
        // The keys of a list of entries are values there.
        if let (ObjectForm::Entries, Kind::Enum(_) | Kind::Union(_)) = (form, core(map.keys)) {
            ask!(self.element(map.keys, levels));
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

    /// Counts keys, and says what that they may be missing means for the value behind them.
    const fn says(&mut self, keys: usize, may_miss: bool) {
        let (is_required, null) = self.rules.key(may_miss);
        self.null = null;
        self.size.optional_keys += if is_required { 0 } else { keys };
    }
}
