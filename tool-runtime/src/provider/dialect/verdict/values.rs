//! A value and what it holds.

use super::super::RejectCode;
use super::super::rules::{Items, Null};
use super::parts::{Rest, core, count, is_enum, length, rest};
use super::{Walk, Wanted, larger};
use crate::schema::shape::{Kind, Shape, Union, Variant};

impl Walk {
    /// A value, inside so many objects.
    pub(super) const fn node(
        &mut self,
        shape: &Shape<'static>,
        levels: usize,
    ) -> Option<RejectCode> {
        let wanted = self.null;
        self.null = Wanted::AsSaid;
        // Types are named where they begin: at any of the layers.
        let mut entered = 0;
        let mut layer = shape;
        let mut is_nullable = false;
        let kind = loop {
            entered += self.enter(layer.id) as usize;
            layer = match &layer.kind {
                Kind::Nullable(inner) => {
                    is_nullable = true;
                    inner
                }
                Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => inner,
                Kind::Union(Union { members: [one], .. }) => one,
                kind => break kind,
            };
        };
        self.add_union(kind, is_nullable, wanted);
        let found = match (kind, self.places(shape)) {
            (Kind::Array(array), Some(len)) => {
                self.size.levels = larger(self.size.levels, levels + 1);
                self.size.properties += len;
                self.size.characters += 2 * len;
                let before = self.size;
                let found = self.element(array.items, levels + 1);
                self.size.repeat(&before, len);
                match found {
                    Some(code) => Some(code),
                    None => self.within(levels + 1),
                }
            }
            (kind, _) => self.kind(kind, levels),
        };
        self.depth -= entered;
        found
    }

    /// Counts the value if it is of one of several types in the dialect's words.
    pub(super) const fn add_union(
        &mut self,
        kind: &Kind<'static>,
        is_nullable: bool,
        wanted: Wanted,
    ) {
        let mut null = wanted.admits(is_nullable);
        let is_union = match kind {
            Kind::Any | Kind::Null => return,
            Kind::Union(union) => {
                let (mut others, mut enums) = (0, 0);
                let mut members = union.members;
                while let [member, rest @ ..] = members {
                    members = rest;
                    if let Kind::Null = core(member) {
                        null |= !matches!(wanted, Wanted::Never);
                    } else {
                        others += 1;
                        enums += is_enum(member) as usize;
                    }
                }
                // Several enums without data are one.
                others > 1 && others > enums
            }
            _ => false,
        };
        let null_is_type = !matches!(self.rules.null, Null::Nullable);
        self.size.unions += (is_union || null && null_is_type) as usize;
    }

    pub(super) const fn kind(&mut self, kind: &Kind<'static>, levels: usize) -> Option<RejectCode> {
        match kind {
            Kind::Any if self.rules.untyped => None,
            Kind::Any => Some(RejectCode::UntypedSchema),
            // The compiler has its own words about a type without a schema.
            Kind::Unknown => None,
            Kind::Foreign(_) => {
                self.look_away();
                None
            }
            Kind::Enum(variants) => {
                self.variants(variants);
                None
            }
            Kind::Array(array) => {
                if matches!(core(array.items), Kind::Any)
                    && matches!(self.rules.items, Items::Filled)
                {
                    return None;
                }
                self.element(array.items, levels)
            }
            Kind::Tuple([]) if matches!(self.rules.items, Items::Typed) => {
                Some(RejectCode::UntypedArray)
            }
            Kind::Tuple([item, ..]) if self.is_list(kind) => self.element(item, levels),
            Kind::Tuple(items) => {
                let levels = if self.rules.tuples {
                    levels
                } else {
                    self.size.properties += items.len();
                    self.size.characters += 2 * items.len();
                    levels + 1
                };
                let mut items = *items;
                while let [item, rest @ ..] = items {
                    if let Some(code) = self.element(item, levels) {
                        return Some(code);
                    }
                    items = rest;
                }
                self.within(levels)
            }
            Kind::Object(object) => {
                if matches!(rest(object), Rest::Keys)
                    && count(object) == 0
                    && !object.open
                    && !self.rules.empty_objects
                {
                    return Some(RejectCode::NestedEmptyObject);
                }
                self.size.unions += matches!(rest(object), Rest::Union) as usize;
                self.object(object, levels + 1, false)
            }
            Kind::Map(map) => self.map(map, levels + 1),
            Kind::Union(union) => self.union(union, levels),
            Kind::Back(back) => self.back(back.id),
            _ => None,
        }
    }

    pub(super) const fn variants(&mut self, variants: &[Variant<'static>]) {
        let characters = self.characters(variants);
        self.size.add_enum(variants.len(), characters);
    }

    /// How long the names of an enum are.
    pub(super) const fn characters(&self, variants: &[Variant<'static>]) -> usize {
        let mut characters = 0;
        let mut rest = variants;
        while let [variant, tail @ ..] = rest {
            characters += length(variant.name, self.by_characters);
            rest = tail;
        }
        characters
    }
}
