//! Verdict on whether a dialect can say a tool's arguments, decided at compile time.
//!
//! `rules` decides, as for `lower`. The facts are found in the tree of a type instead of the text of its
//! schema, since a constant function can walk only the tree. Tests compare the two walks.

/// `?` of a rule, which constant functions have not.
macro_rules! ask {
    ($refused:expr) => {
        if let Some(code) = $refused {
            return Some(code);
        }
    };
}

mod back;
mod objects;
mod values;

use super::Dialect;
use super::report::LowerErrorCode;
use super::rules::{Limits, NullPresence, Root, Rules};
use super::size::Size;
use toolwright_schema::shape::{Id, Kind, Refs, Rest, Shape};

/// Maximum length of a reported path.
const STEPS: usize = 12;

/// Maximum number of types that contain each other on the way to a value.
const TYPES: usize = 64;

/// Maximum number of walked types that edges from outside point back to.
const TARGETS: usize = 16;

/// A dialect's verdict on a tool's arguments.
#[derive(Debug, Clone, Copy)]
pub enum Acceptance {
    /// It takes them.
    Accepted,
    /// A part of them is known only when the program runs.
    Opaque(InverseSteps),
    /// It cannot say them.
    Refused(LowerErrorCode, InverseSteps),
}

/// The way from the arguments to a value: names of keys, `*` for elements.
#[derive(Debug, Clone, Copy)]
pub struct InverseSteps {
    names: [&'static str; STEPS],
    len: usize,
}

impl InverseSteps {
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

/// State that a walk goes back to before a value that is sent as a string of JSON.
#[derive(Clone, Copy)]
struct WalkState {
    steps: usize,
    depth: usize,
    optional: usize,
    met: [u64; TARGETS],
    size: Size,
    opaque: Option<InverseSteps>,
}

/// All that a walk finds.
#[derive(Debug, Clone, Copy)]
pub struct Analysis {
    pub verdict: Acceptance,
    pub size: Size,
}

impl Dialect {
    /// Judges whether the provider takes arguments of this shape, as [`lower`](super::lower) would judge
    /// their schema. Types whose schema is known only when the program runs are opaque. So are types that the
    /// shape comes back to and does not hold itself, unless `refs` does.
    pub const fn verdict(self, arguments: &Shape<'static>, refs: &'static Refs) -> Acceptance {
        self.analyze(arguments, refs).verdict
    }

    pub const fn analyze(self, arguments: &Shape<'static>, refs: &'static Refs) -> Analysis {
        let judged = self.walk(arguments, refs, false);
        // Bytes are known without looking at them, and characters are at most as many.
        match judged.verdict {
            Acceptance::Refused(LowerErrorCode::TooLarge, _) => self.walk(arguments, refs, true),
            _ => judged,
        }
    }

    const fn walk(
        self,
        arguments: &Shape<'static>,
        refs: &'static Refs,
        by_characters: bool,
    ) -> Analysis {
        let mut walk = VerdictWalk {
            rules: self.rules(),
            steps: InverseSteps::NONE,
            types: [(Id::NONE, 0); TYPES],
            depth: 0,
            optional: 0,
            null: NullPresence::AsSaid,
            is_loose: false,
            by_characters,
            refs,
            met: [0; TARGETS],
            size: Size::NONE,
            opaque: None,
            is_text: false,
            root_types: 0,
            back_at: 0,
        };
        let refused = match walk.root(arguments) {
            Some(code) => Some(code),
            None => walk.size.check(walk.limits()),
        };
        let verdict = match refused {
            Some(code) => Acceptance::Refused(code, walk.steps),
            None => match walk.opaque {
                Some(steps) => Acceptance::Opaque(steps),
                None => Acceptance::Accepted,
            },
        };
        Analysis {
            verdict,
            size: walk.size,
        }
    }

    /// Returns the exceeded limit of a size: its text, the count and the maximum.
    pub const fn beyond(self, size: &Size) -> Option<(&'static str, usize, usize)> {
        size.beyond(&self.rules().limits)
    }
}

struct VerdictWalk {
    rules: &'static Rules,
    steps: InverseSteps,
    /// The types around the value, each with how many keys around it may be missing.
    types: [(Id, usize); TYPES],
    depth: usize,
    /// Number of keys around the value that may be missing.
    optional: usize,
    /// Presence of `null` by the key of the value that comes next.
    null: NullPresence,
    /// The object that comes next is a flattened `Option`: all of its keys may be missing.
    is_loose: bool,
    /// Texts are counted by characters, not by bytes.
    by_characters: bool,
    /// Types that edges point back to.
    refs: &'static Refs,
    /// Those of them that were walked, by their hashes.
    met: [u64; TARGETS],
    size: Size,
    /// The first opaque part.
    opaque: Option<InverseSteps>,
    /// The value that was walked last is sent as a string of JSON.
    is_text: bool,
    /// Number of types around the value that are the root.
    root_types: usize,
    /// Place among the types around the value of the one that a refused edge leads back to.
    back_at: usize,
}

impl VerdictWalk {
    const fn root(&mut self, shape: &Shape<'static>) -> Option<LowerErrorCode> {
        let kind = shape.only_core();
        let root = match kind {
            _ if shape.is_nullable() => Root::Other,
            Kind::Object(object) if matches!(object.rest(), Rest::Union) => Root::Objects,
            Kind::Union(union) if union.are_objects() => Root::Objects,
            kind if kind.is_object() => Root::Object,
            Kind::Unknown => return None,
            Kind::Foreign(_) | Kind::Recursive(_) => {
                self.look_away();
                return None;
            }
            _ => Root::Other,
        };
        ask!(self.rules.root(root));
        if let Kind::Object(object) = kind {
            self.enter(shape.id);
            self.root_types = self.depth;
            ask!(self.names(object));
        }
        self.keys(kind, 0, true)
    }

    const fn mark(&self) -> WalkState {
        WalkState {
            steps: self.steps.len,
            depth: self.depth,
            optional: self.optional,
            met: self.met,
            size: self.size,
            opaque: self.opaque,
        }
    }

    const fn go_back(&mut self, mark: &WalkState) {
        self.steps.len = mark.steps;
        self.optional = mark.optional;
        self.met = mark.met;
        self.size = mark.size;
        self.opaque = mark.opaque;
        self.is_loose = false;
        self.null = NullPresence::AsSaid;
    }

    /// Returns true if the value after a mark is sent as a string of JSON where a rule refuses it. An author can write a union
    /// exactly, so it is an error there.
    const fn is_sent_as_text(&self, code: LowerErrorCode, mark: &WalkState) -> bool {
        match code {
            LowerErrorCode::ObjectWithUnion | LowerErrorCode::UnionFirstKey => false,
            // All references to the type are refused, and the outermost is not part of another one.
            LowerErrorCode::RecursiveType | LowerErrorCode::RecursiveRequired => {
                self.back_at >= mark.depth || self.back_at < self.root_types
            }
            code => code.is_sent_as_text(),
        }
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

    const fn element(&mut self, shape: &Shape<'static>, levels: usize) -> Option<LowerErrorCode> {
        self.steps.push("*");
        let found = self.node(shape, levels);
        if found.is_none() {
            self.steps.pop();
        }
        found
    }

    /// Returns how long a text is. Its bytes are known without looking at them.
    const fn length(&self, text: &str) -> usize {
        if !self.by_characters {
            return text.len();
        }
        let mut count = 0;
        let mut bytes = text.as_bytes();
        while let [byte, rest @ ..] = bytes {
            // All but those that continue a character.
            count += (*byte & 0xc0 != 0x80) as usize;
            bytes = rest;
        }
        count
    }

    const fn limits(&self) -> &'static Limits {
        &self.rules.limits
    }

    /// Returns the reject code if the schema is too large so far.
    const fn within(&mut self, levels: usize) -> Option<LowerErrorCode> {
        self.size.levels = larger(self.size.levels, levels);
        self.size.check(self.limits())
    }
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}
