//! Whether a dialect can say a tool's arguments, decided when it compiles.
//!
//! `rules` decides, as for `lower`; the facts are found in the tree of a type instead of the text of
//! its schema: a constant function can walk the one and not the other. Tests hold the two walks
//! against each other.

/// `?` of a rule, which constant functions have not.
macro_rules! ask {
    ($refused:expr) => {
        if let Some(code) = $refused {
            return Some(code);
        }
    };
}

mod arrays;
mod back;
mod objects;
mod parts;
mod values;

use super::Dialect;
use super::reject::RejectCode;
use super::rules::{Limits, ObjectFacts, ObjectForm, Root, Rules, Wanted};
use super::size::Size;
use toolwright_schema::shape::{Id, Kind, Object, Refs, Shape};

use self::parts::{
    Rest, are_objects, core, count, has_any_key, has_known_keys, is_nullable, is_read, rest,
};

/// How deep a path is told.
const STEPS: usize = 12;

/// How many types may contain each other on the way to a value.
const TYPES: usize = 64;

/// How many types may be walked that edges lead back to from outside.
const TARGETS: usize = 16;

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

/// What a tool takes of what a request may hold over all of its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Demand {
    /// Keys that may be missing.
    pub optional_keys: usize,
    /// Values of one of several types, `null` included.
    pub unions: usize,
}

/// All that a walk finds.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    pub verdict: Verdict,
    pub size: Size,
}

impl Dialect {
    /// Whether the provider takes arguments of this shape: what [`lower`](super::lower) would say of
    /// its schema, but for types that tell theirs only when the program runs. Opaque are also types
    /// that the shape comes back to and does not hold itself, unless `refs` does.
    pub const fn verdict(self, arguments: &Shape<'static>, refs: &'static Refs) -> Verdict {
        self.judge(arguments, refs).verdict
    }

    /// What arguments of this shape take of [`request_limits`](Self::request_limits): what
    /// [`lower`](super::lower) counts in their schema. Nothing is known of arguments that are refused
    /// or of which a part is opaque.
    pub const fn demand(self, arguments: &Shape<'static>, refs: &'static Refs) -> Demand {
        let Size {
            optional_keys,
            unions,
            ..
        } = self.judge(arguments, refs).size;
        Demand {
            optional_keys,
            unions,
        }
    }

    pub const fn judge(self, arguments: &Shape<'static>, refs: &'static Refs) -> Judged {
        let judged = self.walk(arguments, refs, false);
        // Bytes are known without looking at them, and characters are at most as many.
        match judged.verdict {
            Verdict::Refused(RejectCode::TooLarge, _) => self.walk(arguments, refs, true),
            _ => judged,
        }
    }

    const fn walk(
        self,
        arguments: &Shape<'static>,
        refs: &'static Refs,
        by_characters: bool,
    ) -> Judged {
        let mut walk = Walk {
            rules: self.rules(),
            steps: Steps::NONE,
            types: [(Id::NONE, 0); TYPES],
            depth: 0,
            optional: 0,
            null: Wanted::AsSaid,
            is_loose: false,
            by_characters,
            refs,
            met: [0; TARGETS],
            size: Size::NONE,
            opaque: None,
        };
        let refused = match walk.root(arguments) {
            Some(code) => Some(code),
            None => walk.size.judge(walk.limits()),
        };
        let verdict = match refused {
            Some(code) => Verdict::Refused(code, walk.steps),
            None => match walk.opaque {
                Some(steps) => Verdict::Opaque(steps),
                None => Verdict::Accepted,
            },
        };
        Judged {
            verdict,
            size: walk.size,
        }
    }

    /// What of a size is too much: the words for it, how much it is and how much may be.
    pub const fn beyond(self, size: &Size) -> Option<(&'static str, usize, usize)> {
        size.beyond(&self.rules().limits)
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
    /// What the key of the value that comes next says of `null`.
    null: Wanted,
    /// The object that comes next is a flattened `Option`: all of its keys may be missing.
    is_loose: bool,
    /// Texts are counted by characters, not by bytes.
    by_characters: bool,
    /// Types that edges lead back to.
    refs: &'static Refs,
    /// Those of them that were walked, by their hashes.
    met: [u64; TARGETS],
    size: Size,
    /// The first part that nobody can look into.
    opaque: Option<Steps>,
}

impl Walk {
    const fn root(&mut self, shape: &Shape<'static>) -> Option<RejectCode> {
        let kind = core(shape);
        let root = match kind {
            _ if is_nullable(shape) => Root::Other,
            Kind::Object(object) if matches!(rest(object), Rest::Union) => Root::Objects,
            Kind::Union(union) if are_objects(union) => Root::Objects,
            Kind::Object(_) | Kind::Map(_) => Root::Object,
            Kind::Unknown => return None,
            Kind::Foreign(_) | Kind::Back(_) => {
                self.look_away();
                return None;
            }
            _ => Root::Other,
        };
        ask!(self.rules.root(root));
        if let Kind::Object(object) = kind {
            self.enter(shape.id);
            ask!(self.names(object));
        }
        self.keys(kind, 0, true)
    }

    /// An object or a map, inside so many others.
    const fn keys(
        &mut self,
        kind: &Kind<'static>,
        levels: usize,
        is_root: bool,
    ) -> Option<RejectCode> {
        let (declares, is_open, any_key) = match kind {
            Kind::Object(object) => {
                let rest = rest(object);
                let is_open = matches!(rest, Rest::Open);
                (
                    count(object) > 0 || matches!(rest, Rest::Union),
                    is_open,
                    true,
                )
            }
            Kind::Map(map) => {
                let are_known = has_known_keys(map);
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
    const fn names(&mut self, object: &Object<'static>) -> Option<RejectCode> {
        let mut fields = object.fields;
        while let [field, rest @ ..] = fields {
            fields = rest;
            if !is_read(field) {
                continue;
            }
            if field.flatten {
                if let Kind::Object(inner) = core(field.shape) {
                    ask!(self.names(inner));
                }
            } else if let Some(code) = self.rules.argument(field.name) {
                self.steps.push(field.name);
                return Some(code);
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

    const fn look_away(&mut self) {
        if self.opaque.is_none() {
            self.opaque = Some(self.steps);
        }
    }

    const fn element(&mut self, shape: &Shape<'static>, levels: usize) -> Option<RejectCode> {
        self.steps.push("*");
        let found = self.node(shape, levels);
        if found.is_none() {
            self.steps.pop();
        }
        found
    }

    const fn limits(&self) -> &'static Limits {
        &self.rules.limits
    }

    /// Whether the schema is not too large so far.
    const fn within(&mut self, levels: usize) -> Option<RejectCode> {
        self.size.levels = larger(self.size.levels, levels);
        self.size.judge(self.limits())
    }
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}
