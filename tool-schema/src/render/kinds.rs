//! The keywords of each kind of shape.

use toolwright_json::write_string;

use super::{Words, Writer, push_number};
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
                self.string(rules);
            }
            Kind::Enum(variants) => {
                self.type_name("string", nullable);
                self.key("enum");
                self.names(variants, nullable);
            }
            Kind::Array(array) => {
                self.type_name("array", nullable);
                self.array(array);
            }
            Kind::Tuple(items) => {
                self.type_name("array", nullable);
                // A list of no schemas is no valid keyword.
                if !items.is_empty() {
                    self.key("prefixItems");
                    self.out.push('[');
                    for (index, item) in items.iter().enumerate() {
                        self.comma(index);
                        self.schema(item, &Words::default());
                    }
                    self.out.push(']');
                    self.count("minItems", items.len() as u64);
                }
                self.count("maxItems", items.len() as u64);
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
            | Kind::Narrow(..)
            | Kind::Sides { .. }
            | Kind::Foreign(_)
            // What is read at run time is published as it was written.
            | Kind::Rule(_)
            | Kind::Back(_) => {}
        }
    }

    pub(super) fn names(&mut self, variants: &[Variant<'static>], nullable: bool) {
        self.out.push('[');
        for (index, variant) in variants.iter().enumerate() {
            self.comma(index);
            let name = match self.side {
                Side::Input => variant.name,
                Side::Output => variant.output_name,
            };
            write_string(&mut self.out, name);
        }
        if nullable {
            self.comma(variants.len());
            self.out.push_str("null");
        }
        self.out.push(']');
    }

    fn integer(&mut self, range: &IntegerRange) {
        let told = self.detail != Detail::Provider || !range.is_width;
        if told || range.min.is_zero() {
            self.int("minimum", range.min);
        }
        if told {
            self.int("maximum", range.max);
        }
        if range.multiple_of > 0 {
            self.count("multipleOf", range.multiple_of);
        }
        if range.not_zero && range.min <= Int::unsigned(0) && range.max >= Int::unsigned(0) {
            self.key("not");
            self.out.push_str("{\"enum\":[0]}");
        }
    }

    fn int(&mut self, key: &'static str, value: Int) {
        self.key(key);
        if value.negative {
            self.out.push('-');
        }
        push_number(&mut self.out, value.magnitude);
    }

    fn number(&mut self, range: &NumberRange<'static>) {
        // Every JSON number that a parser can hold is an `f64`, so only `f32` says more.
        let width =
            (self.detail != Detail::Provider && range.width < f64::MAX).then_some(range.width);
        match range.min {
            Some(edge) => self.edge("minimum", "exclusiveMinimum", &edge),
            None => {
                if let Some(width) = width {
                    self.entry("minimum", format_args!("{:e}", -width));
                }
            }
        }
        match range.max {
            Some(edge) => self.edge("maximum", "exclusiveMaximum", &edge),
            None => {
                if let Some(width) = width {
                    self.entry("maximum", format_args!("{width:e}"));
                }
            }
        }
        if let Some(literal) = range.multiple_of {
            self.entry("multipleOf", literal.text);
        }
    }

    fn edge(&mut self, inclusive: &'static str, exclusive: &'static str, edge: &Edge<'static>) {
        let key = if edge.exclusive { exclusive } else { inclusive };
        self.entry(key, edge.at.text);
    }

    fn string(&mut self, rules: &StringRules<'static>) {
        self.lengths(rules.min_len, rules.max_len, "minLength", "maxLength");
        if let Some(pattern) = rules.pattern {
            self.key("pattern");
            write_string(&mut self.out, pattern.text);
        }
        if !rules.format.is_empty() {
            self.key("format");
            write_string(&mut self.out, rules.format);
        }
    }

    pub(super) fn lengths(
        &mut self,
        min: u64,
        max: Option<u64>,
        min_key: &'static str,
        max_key: &'static str,
    ) {
        if min > 0 {
            self.count(min_key, min);
        }
        if let Some(max) = max {
            self.count(max_key, max);
        }
    }

    fn array(&mut self, array: &Array<'static>) {
        self.key("items");
        self.schema(array.items, &Words::default());
        self.lengths(array.min_len, array.max_len, "minItems", "maxItems");
        if array.unique {
            self.entry("uniqueItems", true);
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
                self.key("propertyNames");
                self.out.push_str("{\"pattern\":");
                write_string(&mut self.out, pattern);
                self.out.push('}');
            }
            // Few keys, and all known: an object that may lack any of them.
            Kind::Enum(variants) => {
                let side = self.side;
                let names = variants.iter().map(|variant| match side {
                    Side::Input => variant.name,
                    Side::Output => variant.output_name,
                });
                return self.closed_map(names, map);
            }
            Kind::Bool => return self.closed_map(["false", "true"].into_iter(), map),
            Kind::String(rules) => {
                let at = self.out.len();
                self.key("propertyNames");
                self.out.push('{');
                let empty = self.out.len();
                self.string(&rules);
                if self.out.len() == empty {
                    self.out.truncate(at);
                } else {
                    self.out.push('}');
                }
            }
            _ => {}
        }
        self.key("additionalProperties");
        self.schema(map.values, &Words::default());
        self.lengths(map.min_len, map.max_len, "minProperties", "maxProperties");
    }

    fn closed_map(&mut self, names: impl Iterator<Item = &'static str>, map: &Map<'static>) {
        self.key("properties");
        self.out.push('{');
        for name in names {
            self.name(name);
            self.schema(map.values, &Words::default());
        }
        self.out.push('}');
        self.entry("additionalProperties", false);
        self.lengths(map.min_len, map.max_len, "minProperties", "maxProperties");
    }

    fn union(&mut self, union: &Union<'static>, nullable: bool) {
        self.key("anyOf");
        self.out.push('[');
        for (index, member) in union.members.iter().enumerate() {
            self.comma(index);
            self.schema(member, &Words::default());
        }
        if nullable {
            self.comma(union.members.len());
            self.out.push_str("{\"type\":\"null\"}");
        }
        self.out.push(']');
    }
}
