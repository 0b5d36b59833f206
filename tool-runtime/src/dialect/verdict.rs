//! Whether a dialect can say a tool's arguments, decided when it compiles.
//!
//! The same rules as those of `lower`, on the tree of a type instead of the text of its schema: a
//! constant function can walk the one and not the other. Tests hold the two against each other.

use super::Dialect;
use super::reject::RejectCode;
use super::rules::{Items, Maps, Objects, Recursion, Rules};
use crate::schema::{Field, Id, Kind, Map, Object, Presence, Shape, Union};

/// How deep a path is told.
const STEPS: usize = 12;

/// How many types may contain each other on the way to a value.
const TYPES: usize = 64;

/// What a dialect says of a tool's arguments.
#[derive(Debug, Clone, Copy)]
pub enum Verdict {
    /// It takes them.
    Accepted,
    /// A part of them is known only when the program runs.
    Opaque(Steps),
    /// It cannot say them.
    Refused(RejectCode, Steps),
}

/// The way from the arguments to a value: names of keys, `*` for elements.
#[derive(Debug, Clone, Copy)]
pub struct Steps {
    names: [&'static str; STEPS],
    len: usize,
}

impl Steps {
    const NONE: Self = Self {
        names: [""; STEPS],
        len: 0,
    };

    /// The names, outermost first.
    pub const fn names(&self) -> &[&'static str] {
        let len = if self.len < STEPS { self.len } else { STEPS };
        match self.names.split_at_checked(len) {
            Some((names, _)) => names,
            None => &[],
        }
    }

    const fn push(&mut self, name: &'static str) {
        if let Some((_, [place, ..])) = self.names.split_at_mut_checked(self.len) {
            *place = name;
        }
        self.len += 1;
    }

    const fn pop(&mut self) {
        self.len -= 1;
    }
}

impl Dialect {
    /// Whether the provider takes arguments of this shape: what [`lower`](super::lower) would say of
    /// its schema, but for types that tell theirs only when the program runs.
    pub const fn verdict(self, arguments: &Shape) -> Verdict {
        let mut walk = Walk {
            rules: self.rules(),
            steps: Steps::NONE,
            types: [(Id::NONE, 0); TYPES],
            depth: 0,
            optional: 0,
            properties: 0,
            opaque: None,
        };
        match walk.root(arguments) {
            Some(code) => Verdict::Refused(code, walk.steps),
            None => match walk.opaque {
                Some(steps) => Verdict::Opaque(steps),
                None => Verdict::Accepted,
            },
        }
    }
}

struct Walk {
    rules: &'static Rules,
    steps: Steps,
    /// The types around the value, each with how many keys around it may be missing.
    types: [(Id, usize); TYPES],
    depth: usize,
    /// How many keys around the value may be missing.
    optional: usize,
    properties: usize,
    /// The first part that nobody can look into.
    opaque: Option<Steps>,
}

/// The kind below the layers; `None` for an edge back, with whose it is.
const fn core(mut shape: &Shape) -> &Kind {
    loop {
        shape = match &shape.kind {
            Kind::Nullable(inner) | Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => {
                inner
            }
            Kind::Union(Union { members: [one], .. }) => one,
            kind => return kind,
        };
    }
}

/// The kinds of objects that a flattened field may make of the one it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Its own keys.
    Keys,
    /// Any keys.
    Open,
    /// One of several objects.
    Union,
}

impl Walk {
    const fn root(&mut self, shape: &Shape) -> Option<RejectCode> {
        if is_nullable(shape) {
            return Some(RejectCode::RootNotObject);
        }
        match core(shape) {
            Kind::Object(object) => {
                self.enter(shape.id);
                if matches!(rest(object), Rest::Union) {
                    return Some(if self.rules.root_union {
                        RejectCode::RootNotObject
                    } else {
                        RejectCode::RootUnion
                    });
                }
                if let Some(code) = self.names(object) {
                    return Some(code);
                }
                self.object(object, 1, true)
            }
            Kind::Map(map) if !has_known_keys(map) && self.sends_entries(map) => {
                Some(RejectCode::OpenObject)
            }
            Kind::Map(map) => self.element(map.values, 1),
            Kind::Foreign(_) | Kind::Unknown | Kind::Back(_) => {
                self.opaque = Some(self.steps);
                None
            }
            Kind::Union(union) if are_objects(union) && !self.rules.root_union => {
                Some(RejectCode::RootUnion)
            }
            _ => Some(RejectCode::RootNotObject),
        }
    }

    /// The names of the arguments.
    const fn names(&mut self, object: &Object) -> Option<RejectCode> {
        let Some(rule) = &self.rules.argument_name else {
            return None;
        };
        let mut fields = object.fields;
        while let [field, rest @ ..] = fields {
            fields = rest;
            if !is_read(field) {
                continue;
            }
            if field.flatten {
                if let Kind::Object(inner) = core(field.shape)
                    && let Some(code) = self.names(inner)
                {
                    return Some(code);
                }
            } else if !rule.accepts_const(field.name) {
                self.steps.push(field.name);
                return Some(RejectCode::PropertyName);
            }
        }
        None
    }

    const fn enter(&mut self, id: Id) -> bool {
        if id.hash == 0 {
            return false;
        }
        if let Some((_, [place, ..])) = self.types.split_at_mut_checked(self.depth) {
            *place = (id, self.optional);
        }
        self.depth += 1;
        true
    }

    /// A value, inside so many objects.
    const fn node(&mut self, shape: &Shape, levels: usize) -> Option<RejectCode> {
        // Types are named where they begin: at any of the layers.
        let mut entered = 0;
        let mut layer = shape;
        let kind = loop {
            entered += self.enter(layer.id) as usize;
            layer = match &layer.kind {
                Kind::Nullable(inner)
                | Kind::Narrow(inner, _)
                | Kind::Sides { input: inner, .. } => inner,
                Kind::Union(Union { members: [one], .. }) => one,
                kind => break kind,
            };
        };
        let found = self.kind(kind, levels);
        self.depth -= entered;
        found
    }

    const fn kind(&mut self, kind: &Kind, levels: usize) -> Option<RejectCode> {
        match kind {
            Kind::Any if self.rules.untyped => None,
            Kind::Any => Some(RejectCode::UntypedSchema),
            Kind::Foreign(_) | Kind::Unknown => {
                if self.opaque.is_none() {
                    self.opaque = Some(self.steps);
                }
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
            Kind::Tuple(items) => {
                let levels = if self.rules.tuples {
                    levels
                } else {
                    self.properties += items.len();
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
                self.object(object, levels + 1, false)
            }
            Kind::Map(map) => {
                let keys_are_known = has_known_keys(map);
                let levels = levels + 1;
                if !keys_are_known && self.sends_entries(map) {
                    self.properties += 2;
                }
                self.optional += keys_are_known as usize;
                let found = self.element(map.values, levels);
                self.optional -= keys_are_known as usize;
                match found {
                    Some(code) => Some(code),
                    None => self.within(levels),
                }
            }
            Kind::Union(union) => self.union(union, levels),
            Kind::Back(back) => self.back(back.id),
            _ => None,
        }
    }

    /// Whether a map is sent as a list of entries.
    const fn sends_entries(&self, map: &Map) -> bool {
        match self.rules.maps {
            Maps::Kept => false,
            Maps::AnyKey => match core(map.keys) {
                Kind::String(rules) => !rules.is_any() || matches!(map.keys.kind, Kind::Narrow(..)),
                _ => true,
            },
            Maps::Entries => true,
        }
    }

    const fn element(&mut self, shape: &Shape, levels: usize) -> Option<RejectCode> {
        self.steps.push("*");
        let found = self.node(shape, levels);
        if found.is_none() {
            self.steps.pop();
        }
        found
    }

    const fn object(
        &mut self,
        object: &Object,
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
        let mut fields = object.fields;
        while let [field, rest @ ..] = fields {
            fields = rest;
            if !is_read(field) {
                continue;
            }
            if field.flatten {
                if let Some(code) = self.flattened(field, levels) {
                    return Some(code);
                }
                continue;
            }
            let may_miss = !matches!(field.presence, Presence::Required);
            self.properties += 1;
            self.optional += may_miss as usize;
            self.steps.push(field.name);
            if let Some(code) = self.node(field.shape, levels) {
                return Some(code);
            }
            self.steps.pop();
            self.optional -= may_miss as usize;
        }
        self.within(levels)
    }

    /// The keys of a flattened field.
    const fn flattened(&mut self, field: &Field, levels: usize) -> Option<RejectCode> {
        match core(field.shape) {
            Kind::Object(inner) => self.object(inner, levels, false),
            Kind::Map(map) => self.element(map.values, levels),
            Kind::Union(union) => self.union(union, levels - 1),
            Kind::Foreign(_) | Kind::Unknown => {
                if self.opaque.is_none() {
                    self.opaque = Some(self.steps);
                }
                None
            }
            Kind::Back(back) => self.back(back.id),
            _ => None,
        }
    }

    const fn union(&mut self, union: &Union, levels: usize) -> Option<RejectCode> {
        let mut members = union.members;
        while let [member, rest @ ..] = members {
            members = rest;
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

    const fn back(&self, id: Id) -> Option<RejectCode> {
        match self.rules.recursion {
            Recursion::Kept => None,
            Recursion::Refused => Some(RejectCode::RecursiveType),
            Recursion::Optional => {
                let mut depth = self.depth;
                let mut around = 0;
                while depth > 0 {
                    depth -= 1;
                    if let Some((_, [(found, optional), ..])) = self.types.split_at_checked(depth)
                        && found.hash == id.hash
                    {
                        around = *optional;
                        break;
                    }
                }
                if self.optional > around {
                    None
                } else {
                    Some(RejectCode::RecursiveRequired)
                }
            }
        }
    }

    /// Whether the schema is not too large so far.
    const fn within(&self, levels: usize) -> Option<RejectCode> {
        let limits = &self.rules.limits;
        if levels > limits.levels || self.properties > limits.properties {
            Some(RejectCode::TooLarge)
        } else {
            None
        }
    }
}

const fn is_read(field: &Field) -> bool {
    !matches!(field.presence, Presence::Never)
}

/// How many keys an object declares.
const fn count(object: &Object) -> usize {
    let mut count = 0;
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if !is_read(field) {
            continue;
        }
        count += match (field.flatten, core(field.shape)) {
            (true, Kind::Object(inner)) => self::count(inner),
            (true, Kind::Union(_)) => 1,
            (true, _) => 0,
            (false, _) => 1,
        };
    }
    count
}

/// Whether all keys of a map are known, so that it is an object.
const fn has_known_keys(map: &Map) -> bool {
    matches!(core(map.keys), Kind::Enum(_) | Kind::Bool)
}

/// Whether an object of several ways starts with a key of its own.
const fn starts_alike(object: &Object) -> bool {
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if is_read(field) {
            return match core(field.shape) {
                Kind::Object(inner) if field.flatten => starts_alike(inner),
                Kind::Union(_) | Kind::Enum(_) if field.flatten => false,
                _ => true,
            };
        }
    }
    false
}

/// Whether all members are objects.
const fn are_objects(union: &Union) -> bool {
    let mut members = union.members;
    while let [member, rest @ ..] = members {
        members = rest;
        let is_object = match core(member) {
            Kind::Object(_) | Kind::Map(_) => true,
            Kind::Union(inner) => are_objects(inner),
            _ => false,
        };
        if !is_object || is_nullable(member) {
            return false;
        }
    }
    true
}

const fn is_nullable(mut shape: &Shape) -> bool {
    loop {
        shape = match &shape.kind {
            Kind::Nullable(_) => return true,
            Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => inner,
            _ => return false,
        };
    }
}

/// What an object has beside its keys.
const fn rest(object: &Object) -> Rest {
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if !is_read(field) || !field.flatten {
            continue;
        }
        match core(field.shape) {
            Kind::Map(_) | Kind::Any => return Rest::Open,
            Kind::Union(_) | Kind::Enum(_) => return Rest::Union,
            Kind::Object(inner) => match self::rest(inner) {
                Rest::Keys => {}
                other => return other,
            },
            _ => {}
        }
    }
    Rest::Keys
}

/// The first key of an object.
const fn first(shape: &Shape) -> Option<&Field> {
    let Kind::Object(object) = core(shape) else {
        return None;
    };
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if !is_read(field) {
            continue;
        }
        if !field.flatten {
            return Some(field);
        }
        if let Some(found) = first(field.shape) {
            return Some(found);
        }
    }
    None
}

/// Whether two keys are tags that say different things.
const fn differ(one: &Field, two: &Field) -> bool {
    match (core(one.shape), core(two.shape)) {
        (Kind::Enum([one]), Kind::Enum([two])) => !same(one.name, two.name),
        _ => false,
    }
}

const fn same(a: &str, b: &str) -> bool {
    crate::name::same(a, b)
}
