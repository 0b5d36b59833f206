//! A value and what it holds.

use super::super::RejectCode;
use super::super::rules::TupleForm;
use super::parts::{Rest, are_of_one_type, core, is_enum, length, rest};
use super::{Walk, Wanted, larger};
use toolwright_schema::shape::{Kind, Shape, Union, Variant};

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
                self.size.add_keys(len, 2 * len);
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
        self.size.unions += (is_union || null && self.rules.null_is_type()) as usize;
    }

    pub(super) const fn kind(&mut self, kind: &Kind<'static>, levels: usize) -> Option<RejectCode> {
        match kind {
            Kind::Any => self.rules.any_value(),
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
            Kind::Array(array) => self.element(array.items, levels),
            Kind::Tuple([]) => self.rules.no_items(),
            Kind::Tuple(items @ [item, ..]) => {
                let levels = match self.rules.tuple(are_of_one_type(kind)) {
                    TupleForm::List => return self.element(item, levels),
                    TupleForm::Tuple => levels,
                    TupleForm::Places => {
                        self.size.add_keys(items.len(), 2 * items.len());
                        levels + 1
                    }
                };
                let mut items = *items;
                while let [item, rest @ ..] = items {
                    ask!(self.element(item, levels));
                    items = rest;
                }
                self.within(levels)
            }
            Kind::Object(object) => {
                self.size.unions += matches!(rest(object), Rest::Union) as usize;
                self.keys(kind, levels, false)
            }
            Kind::Map(_) => self.keys(kind, levels, false),
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
