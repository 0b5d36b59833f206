//! The schema of a compiled type in `const`: its text without words.

use crate::shape::{
    Edge, Id, Int, IntegerRange, Kind, Map, NumberRange, Object, OutputPresence, Refs, SIGNED_KEY,
    Shape, StringRules, UNSIGNED_KEY, Union, bare,
};

/// Returns true if a part of the tree is known at run time alone, on one of serde's sides.
pub const fn is_opaque(shape: &Shape<'_>) -> bool {
    if matches!(shape.kind, Kind::Foreign(_) | Kind::Unknown | Kind::Rule(_)) {
        return true;
    }
    let mut index = 0;
    while let Some(child) = shape.kind.child(index) {
        if is_opaque(child.shape) {
            return true;
        }
        index += 1;
    }
    false
}

/// Number of types that a text may refer to, at most.
const DEFINITIONS: usize = 16;

/// Writes the schema of a tree into `bytes`: what [`SchemaDoc`](crate::render::SchemaDoc) says without its words, and
/// in other words where these are shorter to write. Returns the length; `None` if it does not fit, or a part is known
/// at run time alone.
pub const fn write(
    bytes: &mut [u8],
    shape: &Shape<'_>,
    refs: &Refs,
    output: bool,
) -> Option<usize> {
    let mut out = Out {
        bytes,
        len: 0,
        output,
        is_whole: true,
        defined: [Id::NONE; DEFINITIONS],
        definitions: 0,
    };
    out.push("{");
    out.keywords(shape);
    out.key("$defs");
    out.push("{");
    let mut written = 0;
    while written < out.definitions {
        let (_, [id, ..]) = out.defined.split_at(written) else {
            break;
        };
        let id = *id;
        let target = match find(shape, id) {
            Some(target) => Some(target),
            None => find_in(refs, id),
        };
        out.comma();
        out.push("\"");
        out.number(written as u128);
        out.push("\":{");
        match target {
            Some(target) => out.keywords(target),
            None => out.is_whole = false,
        }
        out.push("}");
        written += 1;
    }
    out.push("}}");
    if out.is_whole && out.len <= out.bytes.len() {
        Some(out.len)
    } else {
        None
    }
}

/// Finds the tree of a type inside another.
const fn find<'a>(shape: &'a Shape<'a>, id: Id) -> Option<&'a Shape<'a>> {
    if shape.id.hash == id.hash && !matches!(shape.kind, Kind::Recursive(_)) {
        return Some(shape);
    }
    let mut index = 0;
    while let Some(child) = shape.kind.child(index) {
        if let Some(found) = find(child.shape, id) {
            return Some(found);
        }
        index += 1;
    }
    None
}

const fn find_in(refs: &Refs, id: Id) -> Option<&'static Shape<'static>> {
    let mut targets = refs.targets;
    while let [target, rest @ ..] = targets {
        if let Some(found) = find(target, id) {
            return Some(found);
        }
        targets = rest;
    }
    let mut of = refs.of;
    while let [refs, rest @ ..] = of {
        if let Some(found) = find_in(refs, id) {
            return Some(found);
        }
        of = rest;
    }
    None
}

/// What of an object's keys is written.
#[derive(Clone, Copy)]
enum Pass {
    Properties,
    Required,
    /// What stands beside the keys.
    Rest,
}

struct Out<'b> {
    bytes: &'b mut [u8],
    /// Number of bytes, whether they fit or not.
    len: usize,
    output: bool,
    /// False if something could not be written.
    is_whole: bool,
    /// The types that have been referred to.
    defined: [Id; DEFINITIONS],
    definitions: usize,
}

impl Out<'_> {
    const fn byte(&mut self, byte: u8) {
        if let Some((_, [place, ..])) = self.bytes.split_at_mut_checked(self.len) {
            *place = byte;
        }
        self.len += 1;
    }

    const fn push(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let [byte, tail @ ..] = rest {
            self.byte(*byte);
            rest = tail;
        }
    }

    /// A comma, unless nothing stands before.
    const fn comma(&mut self) {
        let last = match self.len.checked_sub(1) {
            Some(at) => match self.bytes.split_at_checked(at) {
                Some((_, [last, ..])) => *last,
                // It does not fit, and nobody reads it.
                _ => b',',
            },
            None => b',',
        };
        if !matches!(last, b'{' | b'[' | b',') {
            self.byte(b',');
        }
    }

    const fn key(&mut self, key: &str) {
        self.comma();
        self.string(key);
        self.byte(b':');
    }

    /// A string as `json::write_string` writes it.
    const fn string(&mut self, text: &str) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        self.byte(b'"');
        let mut rest = text.as_bytes();
        while let [byte, tail @ ..] = rest {
            rest = tail;
            let escape = match *byte {
                b'"' => b'"',
                b'\\' => b'\\',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                0x08 => b'b',
                0x0c => b'f',
                low @ ..0x20 => {
                    self.push("\\u00");
                    let (_, [high, ..]) = HEX.split_at((low >> 4) as usize) else {
                        continue;
                    };
                    self.byte(*high);
                    if let (_, [digit, ..]) = HEX.split_at((low & 15) as usize) {
                        self.byte(*digit);
                    }
                    continue;
                }
                other => {
                    self.byte(other);
                    continue;
                }
            };
            self.byte(b'\\');
            self.byte(escape);
        }
        self.byte(b'"');
    }

    #[allow(clippy::cast_possible_truncation)] // One digit.
    const fn number(&mut self, number: u128) {
        if number > 9 {
            self.number(number / 10);
        }
        self.byte(b'0' + (number % 10) as u8);
    }

    const fn int(&mut self, key: &str, int: Int) {
        self.key(key);
        if int.negative {
            self.byte(b'-');
        }
        self.number(int.magnitude);
    }

    const fn count(&mut self, key: &str, count: u64) {
        self.key(key);
        self.number(count as u128);
    }

    const fn lengths(&mut self, least: &str, most: &str, min: u64, max: Option<u64>) {
        if min > 0 {
            self.count(least, min);
        }
        if let Some(max) = max {
            self.count(most, max);
        }
    }

    const fn type_name(&mut self, name: &str, nullable: bool) {
        self.key("type");
        if nullable {
            self.byte(b'[');
            self.string(name);
            self.push(",\"null\"]");
        } else {
            self.string(name);
        }
    }

    const fn schema(&mut self, shape: &Shape<'_>) {
        self.byte(b'{');
        self.keywords(shape);
        self.byte(b'}');
    }

    const fn keywords(&mut self, shape: &Shape<'_>) {
        let bare = bare(shape, self.output);
        let nullable = bare.nullable;
        match &bare.kind {
            // `null` is among them.
            Kind::Any => {}
            Kind::Null => self.type_name("null", false),
            Kind::Bool => self.type_name("boolean", nullable),
            Kind::Integer(range) => {
                self.type_name("integer", nullable);
                self.integer(range);
            }
            Kind::Number(range) => {
                self.type_name("number", nullable);
                self.range(range);
            }
            Kind::String(rules) => {
                self.type_name("string", nullable);
                self.rules(rules);
            }
            Kind::Enum(variants) => {
                self.type_name("string", nullable);
                self.key("enum");
                self.byte(b'[');
                let mut variants = *variants;
                while let [variant, rest @ ..] = variants {
                    self.comma();
                    self.string(if self.output {
                        variant.output_name
                    } else {
                        variant.name
                    });
                    variants = rest;
                }
                if nullable {
                    self.comma();
                    self.push("null");
                }
                self.byte(b']');
            }
            Kind::Array(array) => {
                self.type_name("array", nullable);
                self.key("items");
                self.schema(array.items);
                self.lengths("minItems", "maxItems", array.min_len, array.max_len);
                if array.unique {
                    self.key("uniqueItems");
                    self.push("true");
                }
            }
            Kind::Tuple(items) => {
                self.type_name("array", nullable);
                if !items.is_empty() {
                    self.key("prefixItems");
                    self.byte(b'[');
                    let mut left = *items;
                    while let [item, rest @ ..] = left {
                        self.comma();
                        self.schema(item);
                        left = rest;
                    }
                    self.byte(b']');
                    self.count("minItems", items.len() as u64);
                }
                self.count("maxItems", items.len() as u64);
            }
            Kind::Map(map) => {
                self.type_name("object", nullable);
                self.map(map);
            }
            Kind::Object(object) => self.object(&bare.kind, object, nullable),
            Kind::Union(union) => self.union(union, nullable),
            Kind::Recursive(back) => {
                if nullable {
                    self.key("anyOf");
                    self.push("[{");
                }
                self.key("$ref");
                self.push("\"#/$defs/");
                let index = self.defined(back.id);
                self.number(index as u128);
                self.byte(b'"');
                if nullable {
                    self.push("},{\"type\":\"null\"}]");
                }
            }
            Kind::Nullable(_)
            | Kind::Bounded(..)
            | Kind::InOut { .. }
            | Kind::Foreign(_)
            | Kind::Rule(_)
            | Kind::Unknown => self.is_whole = false,
        }
    }

    /// The place of a type among those that are referred to.
    const fn defined(&mut self, id: Id) -> usize {
        let mut index = 0;
        let mut known: &[Id] = &self.defined;
        while let [one, rest @ ..] = known
            && index < self.definitions
        {
            if one.hash == id.hash {
                return index;
            }
            known = rest;
            index += 1;
        }
        match self.defined.split_at_mut_checked(self.definitions) {
            Some((_, [place, ..])) => {
                *place = id;
                self.definitions += 1;
            }
            _ => self.is_whole = false,
        }
        index
    }

    const fn integer(&mut self, range: &IntegerRange) {
        self.int("minimum", range.min);
        self.int("maximum", range.max);
        if range.multiple_of > 0 {
            self.count("multipleOf", range.multiple_of);
        }
        let has_zero = (range.min.negative || range.min.is_zero())
            && (!range.max.negative || range.max.is_zero());
        if range.not_zero && has_zero {
            self.key("not");
            self.push("{\"enum\":[0]}");
        }
    }

    const fn range(&mut self, range: &NumberRange<'_>) {
        // Every number is an `f64`.
        let is_narrow = range.width < f64::MAX;
        match range.min {
            Some(edge) => self.edge("minimum", "exclusiveMinimum", &edge),
            None if is_narrow => {
                self.key("minimum");
                self.push("-3.4028235e38");
            }
            None => {}
        }
        match range.max {
            Some(edge) => self.edge("maximum", "exclusiveMaximum", &edge),
            None if is_narrow => {
                self.key("maximum");
                self.push("3.4028235e38");
            }
            None => {}
        }
        if let Some(literal) = range.multiple_of {
            self.key("multipleOf");
            self.push(literal.text);
        }
    }

    const fn edge(&mut self, inclusive: &str, exclusive: &str, edge: &Edge<'_>) {
        self.key(if edge.exclusive { exclusive } else { inclusive });
        self.push(edge.at.text);
    }

    const fn rules(&mut self, rules: &StringRules<'_>) {
        self.lengths("minLength", "maxLength", rules.min_len, rules.max_len);
        if let Some(pattern) = rules.pattern {
            self.key("pattern");
            self.string(pattern.text);
        }
        if !rules.format.is_empty() {
            self.key("format");
            self.string(rules.format);
        }
    }

    const fn map(&mut self, map: &Map<'_>) {
        match bare(map.keys, self.output).kind {
            Kind::Integer(range) => {
                self.key("propertyNames");
                self.push("{\"pattern\":");
                self.string(if range.min.negative {
                    SIGNED_KEY
                } else {
                    UNSIGNED_KEY
                });
                self.byte(b'}');
            }
            Kind::Enum(variants) => {
                self.key("properties");
                self.byte(b'{');
                let mut variants = variants;
                while let [variant, rest @ ..] = variants {
                    self.key(if self.output {
                        variant.output_name
                    } else {
                        variant.name
                    });
                    self.schema(map.values);
                    variants = rest;
                }
                self.byte(b'}');
                self.key("additionalProperties");
                self.push("false");
                self.lengths("minProperties", "maxProperties", map.min_len, map.max_len);
                return;
            }
            Kind::Bool => {
                self.key("properties");
                self.byte(b'{');
                self.key("false");
                self.schema(map.values);
                self.key("true");
                self.schema(map.values);
                self.byte(b'}');
                self.key("additionalProperties");
                self.push("false");
                self.lengths("minProperties", "maxProperties", map.min_len, map.max_len);
                return;
            }
            Kind::String(rules) if !rules.is_any() => {
                self.key("propertyNames");
                self.byte(b'{');
                self.rules(&rules);
                self.byte(b'}');
            }
            _ => {}
        }
        self.key("additionalProperties");
        self.schema(map.values);
        self.lengths("minProperties", "maxProperties", map.min_len, map.max_len);
    }

    const fn union(&mut self, union: &Union<'_>, nullable: bool) {
        self.key("anyOf");
        self.byte(b'[');
        let mut members = union.members;
        while let [member, rest @ ..] = members {
            self.comma();
            self.schema(member);
            members = rest;
        }
        self.end_of_either(nullable);
    }

    const fn end_of_either(&mut self, nullable: bool) {
        if nullable {
            self.comma();
            self.push("{\"type\":\"null\"}");
        }
        self.byte(b']');
    }

    /// An object, in each of the ways that it may be.
    const fn object(&mut self, kind: &Kind<'_>, object: &Object<'_>, nullable: bool) {
        let ways = ways(kind, self.output);
        if ways <= 1 {
            self.type_name("object", nullable);
            self.way(object, 0);
            return;
        }
        self.key("anyOf");
        self.byte(b'[');
        let mut way = 0;
        while way < ways {
            self.comma();
            self.byte(b'{');
            self.type_name("object", false);
            self.way(object, way);
            self.byte(b'}');
            way += 1;
        }
        self.end_of_either(nullable);
    }

    const fn way(&mut self, object: &Object<'_>, way: usize) {
        self.key("properties");
        self.byte(b'{');
        self.fields(object, way, Pass::Properties, false);
        self.byte(b'}');
        self.key("required");
        self.byte(b'[');
        self.fields(object, way, Pass::Required, false);
        self.byte(b']');
        let start = self.len;
        let is_open = self.fields(object, way, Pass::Rest, false);
        if self.len == start && !is_open {
            self.key("additionalProperties");
            self.push("false");
        }
    }

    /// Writes something of an object's keys. Returns true if other keys may stand beside them.
    const fn fields(
        &mut self,
        object: &Object<'_>,
        mut way: usize,
        pass: Pass,
        optional: bool,
    ) -> bool {
        let mut is_open = object.open;
        let mut fields = object.fields;
        while let [field, rest @ ..] = fields {
            fields = rest;
            let (name, is_there, is_required) = if self.output {
                let is_there = !matches!(field.output, OutputPresence::Never);
                let is_always = matches!(field.output, OutputPresence::Always);
                (field.output_name, is_there, is_always)
            } else {
                (field.name, field.is_read(), field.is_required())
            };
            if !is_there {
                continue;
            }
            if !field.flatten {
                self.one_key(name, field.shape, is_required && !optional, pass);
                continue;
            }
            let inner = bare(field.shape, self.output);
            let count = ways(&inner.kind, self.output);
            if count == 0 {
                continue;
            }
            let own = way % count;
            way /= count;
            let optional = optional || (inner.nullable && !field.is_required());
            is_open |= self.flattened(&inner.kind, own, pass, optional);
        }
        is_open
    }

    const fn one_key(&mut self, name: &str, shape: &Shape<'_>, is_required: bool, pass: Pass) {
        match pass {
            Pass::Properties => {
                self.key(name);
                self.schema(shape);
            }
            Pass::Required if is_required => {
                self.comma();
                self.string(name);
            }
            _ => {}
        }
    }

    /// The keys of what is flattened, in one of its ways.
    const fn flattened(
        &mut self,
        kind: &Kind<'_>,
        mut way: usize,
        pass: Pass,
        optional: bool,
    ) -> bool {
        const NULL: &Shape<'_> = &Shape::new(Kind::Null);
        match kind {
            Kind::Object(object) => return self.fields(object, way, pass, optional),
            Kind::Map(map) => {
                if matches!(pass, Pass::Rest) {
                    self.key("additionalProperties");
                    self.schema(map.values);
                }
            }
            Kind::Enum(variants) => {
                if let Some((_, [variant, ..])) = variants.split_at_checked(way) {
                    let name = if self.output {
                        variant.output_name
                    } else {
                        variant.name
                    };
                    self.one_key(name, NULL, !optional, pass);
                }
            }
            Kind::Union(union) => {
                let mut members = union.members;
                while let [member, rest @ ..] = members {
                    members = rest;
                    let inner = bare(member, self.output);
                    if !self.output && matches!(inner.kind, Kind::Null) {
                        continue;
                    }
                    let count = ways(&inner.kind, self.output);
                    if way < count {
                        return self.flattened(&inner.kind, way, pass, optional);
                    }
                    way -= count;
                }
            }
            Kind::Any => return true,
            Kind::Null => {}
            _ => self.is_whole = false,
        }
        false
    }
}

/// Returns in how many ways a value may be an object.
const fn ways(kind: &Kind<'_>, output: bool) -> usize {
    match kind {
        Kind::Object(object) => {
            let mut all = 1;
            let mut fields = object.fields;
            while let [field, rest @ ..] = fields {
                fields = rest;
                let is_there = if output {
                    !matches!(field.output, OutputPresence::Never)
                } else {
                    field.is_read()
                };
                if field.flatten && is_there {
                    let own = ways(&bare(field.shape, output).kind, output);
                    all *= if own > 0 { own } else { 1 };
                }
            }
            all
        }
        Kind::Enum(variants) => variants.len(),
        Kind::Union(union) => {
            let mut all = 0;
            let mut members = union.members;
            while let [member, rest @ ..] = members {
                members = rest;
                let kind = bare(member, output).kind;
                if output || !matches!(kind, Kind::Null) {
                    all += ways(&kind, output);
                }
            }
            all
        }
        Kind::Map(_) | Kind::Recursive(_) | Kind::Null => 1,
        kind if kind.is_opaque() => 1,
        _ => 0,
    }
}
