//! The keywords of each kind of shape.

use std::borrow::Cow;

use super::{FieldWords, Writer};
use crate::keyword::Keyword;
use crate::shape::{
    Array, Detail, Edge, Int, IntegerRange, Kind, Map, NumberRange, SIGNED_KEY, Side, StringRules,
    UNSIGNED_KEY, Union, Variant, bare,
};

impl Writer {
    pub(super) fn kind(&mut self, kind: &Kind<'static>, nullable: bool) {
        match kind {
            Kind::Null => self.type_name("null", false),
            Kind::Bool => self.type_name("boolean", nullable),
            Kind::Integer(range) => {
                self.type_name("integer", nullable);
                self.integer(range);
            }
            Kind::Number(range) => {
                self.type_name("number", nullable);
                self.number(range);
            }
            Kind::String(rules) => {
                self.type_name("string", nullable);
                self.rules(rules);
            }
            Kind::Enum(variants) => {
                self.type_name("string", nullable);
                let names = self.names(variants);
                self.strings(Keyword::Enum, names.map(Cow::Borrowed), nullable);
            }
            Kind::Array(array) => {
                self.type_name("array", nullable);
                self.array(array);
            }
            Kind::Tuple(items) => {
                self.type_name("array", nullable);
                // An empty list of schemas is not valid.
                if !items.is_empty() {
                    self.out.key(Keyword::PrefixItems);
                    self.out.open_array();
                    for item in *items {
                        self.out.element();
                        self.schema(item, &FieldWords::default());
                    }
                    self.out.close_array();
                    self.count(Keyword::MinItems, items.len() as u64);
                }
                self.count(Keyword::MaxItems, items.len() as u64);
            }
            Kind::Map(map) => {
                self.type_name("object", nullable);
                self.map(map);
            }
            Kind::Union(union) => self.union(union, nullable),
            // An object's keys are not written here, and the layers are off.
            Kind::Object(_)
            | Kind::Any
            | Kind::Unknown
            | Kind::Nullable(_)
            | Kind::Bounded(..)
            | Kind::InOut { .. }
            | Kind::Foreign(_)
            // A schema that was read at run time is published unchanged.
            | Kind::Rule(_)
            | Kind::Recursive(_) => {}
        }
    }

    fn names(
        &self,
        variants: &'static [Variant<'static>],
    ) -> impl Iterator<Item = &'static str> + use<> {
        let side = self.side;
        variants.iter().map(move |variant| match side {
            Side::Input => variant.name,
            Side::Output => variant.output_name,
        })
    }

    fn integer(&mut self, range: &IntegerRange) {
        let bounds = match self.detail {
            Detail::Provider => range.published(),
            Detail::Full | Detail::Marked => [Some(range.min), Some(range.max)],
        };
        for (keyword, bound) in [Keyword::Minimum, Keyword::Maximum].into_iter().zip(bounds) {
            if let Some(bound) = bound {
                self.int(keyword, bound);
            }
        }
        if range.multiple_of > 0 {
            self.count(Keyword::MultipleOf, range.multiple_of);
        }
        if range.not_zero && range.min <= Int::unsigned(0) && range.max >= Int::unsigned(0) {
            self.out.key(Keyword::Not);
            self.out.open_object();
            self.json(Keyword::Enum, "[0]");
            self.out.close_object();
        }
    }

    fn int(&mut self, keyword: Keyword, value: Int) {
        self.out.key(keyword);
        self.out.integer(value.negative, value.magnitude);
    }

    fn number(&mut self, range: &NumberRange<'static>) {
        // Every JSON number that a parser can hold is an `f64`, so only `f32` says more.
        let width =
            (self.detail != Detail::Provider && range.width < f64::MAX).then_some(range.width);
        match range.min {
            Some(edge) => self.edge([Keyword::Minimum, Keyword::ExclusiveMinimum], &edge),
            None => {
                if let Some(width) = width {
                    self.json(Keyword::Minimum, &format!("{:e}", -width));
                }
            }
        }
        match range.max {
            Some(edge) => self.edge([Keyword::Maximum, Keyword::ExclusiveMaximum], &edge),
            None => {
                if let Some(width) = width {
                    self.json(Keyword::Maximum, &format!("{width:e}"));
                }
            }
        }
        if let Some(literal) = range.multiple_of {
            self.json(Keyword::MultipleOf, literal.text);
        }
    }

    fn edge(&mut self, [inclusive, exclusive]: [Keyword; 2], edge: &Edge<'static>) {
        let keyword = if edge.exclusive { exclusive } else { inclusive };
        self.json(keyword, edge.at.text);
    }

    fn rules(&mut self, rules: &StringRules<'static>) {
        self.lengths(
            [Keyword::MinLength, Keyword::MaxLength],
            rules.min_len,
            rules.max_len,
        );
        if let Some(pattern) = rules.pattern {
            self.string(Keyword::Pattern, pattern.text);
        }
        if !rules.format.is_empty() {
            self.string(Keyword::Format, rules.format);
        }
    }

    fn lengths(&mut self, [least, most]: [Keyword; 2], min: u64, max: Option<u64>) {
        if min > 0 {
            self.count(least, min);
        }
        if let Some(max) = max {
            self.count(most, max);
        }
    }

    fn array(&mut self, array: &Array<'static>) {
        self.out.key(Keyword::Items);
        self.schema(array.items, &FieldWords::default());
        self.lengths(
            [Keyword::MinItems, Keyword::MaxItems],
            array.min_len,
            array.max_len,
        );
        if array.unique {
            self.bool(Keyword::UniqueItems, true);
        }
    }

    fn map(&mut self, map: &Map<'static>) {
        match bare(map.keys, self.side == Side::Output).kind {
            Kind::Integer(range) => {
                let pattern = if range.min.negative {
                    SIGNED_KEY
                } else {
                    UNSIGNED_KEY
                };
                self.out.key(Keyword::PropertyNames);
                self.out.open_object();
                self.string(Keyword::Pattern, pattern);
                self.out.close_object();
            }
            // Few keys, and all known: an object that may lack any of them.
            Kind::Enum(variants) => return self.closed_map(self.names(variants), map),
            Kind::Bool => return self.closed_map(["false", "true"].into_iter(), map),
            Kind::String(rules) if !rules.is_any() => {
                self.out.key(Keyword::PropertyNames);
                self.out.open_object();
                self.rules(&rules);
                self.out.close_object();
            }
            _ => {}
        }
        self.out.key(Keyword::AdditionalProperties);
        self.schema(map.values, &FieldWords::default());
        self.sizes(map);
    }

    fn sizes(&mut self, map: &Map<'static>) {
        let keywords = [Keyword::MinProperties, Keyword::MaxProperties];
        self.lengths(keywords, map.min_len, map.max_len);
    }

    fn closed_map(&mut self, names: impl Iterator<Item = &'static str>, map: &Map<'static>) {
        self.out.key(Keyword::Properties);
        self.out.open_object();
        for name in names {
            self.out.name(name);
            self.schema(map.values, &FieldWords::default());
        }
        self.out.close_object();
        self.closed();
        self.sizes(map);
    }

    fn union(&mut self, union: &Union<'static>, nullable: bool) {
        self.any_of(nullable, |this| {
            for member in union.members {
                this.out.element();
                this.schema(member, &FieldWords::default());
            }
        });
    }
}
