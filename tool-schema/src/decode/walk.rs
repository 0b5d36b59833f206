//! Traverses a text along a shape, and decides if the shape admits it, or collects all faults.
//!
//! Reading a type ends at the first fault and does not see values that serde buffers. The walk needs no type. It
//! validates a text before serde buffers it. When a call has been refused, it finds every fault of the arguments, and
//! repairs common mistakes of models.

mod budget;
mod edit;
mod fill;
mod found;
mod leaf;
mod meant;
mod memo;
mod object;
mod repair;
mod rule;
mod union;

use std::borrow::Cow;
use std::collections::HashMap;

use toolwright_json::Place;

pub use self::budget::Budget;
use self::budget::bytes;
use self::edit::{Edit, edited};
pub use self::fill::Defaults;
pub use self::found::WalkReport;
use self::memo::Memo;
use self::object::ObjectKeys;
use self::union::Candidates;
use crate::decode::fault::say;
use crate::decode::{
    Arena, Error, FaultCode, Json, Mismatch, Repairs, SeenKeys, Segment, admits_count,
    first_repeat, holds_secret,
};
use crate::shape::{KeyTable, Kind, Shape, Unwrapped, alternatives};

/// Settings for reading a text.
#[derive(Clone, Copy)]
pub struct WalkOptions {
    /// Number of arrays and objects that may open, one inside the other.
    pub depth: u8,
    /// True if a type reads the text: integers are written in digits for its buffers. A schema that
    /// arrived at run time has no type, and no secrets but as a whole.
    pub is_typed: bool,
    pub budget: Budget,
}

impl WalkOptions {
    /// Settings for a text that a schema of run time judges, outside a call.
    pub const fn at_run_time(text: &str) -> Self {
        Self {
            depth: toolwright_json::MAX_DEPTH,
            is_typed: false,
            budget: Budget::of(text),
        }
    }

    fn of<'t>(self, text: &'t str, at: usize, arena: &'t Arena) -> Json<'t> {
        Json::new(text, arena).at(at, self.depth)
    }
}

/// Validates the value at `at`: refused, or admitted as it is, or admitted in other words, with its end.
/// Other words are integers in the spelling that serde's buffers know.
pub(crate) fn validate(
    text: &str,
    at: usize,
    reading: WalkOptions,
    shape: &Shape<'_>,
) -> Result<Option<(String, usize)>, Error> {
    let arena = Arena::new();
    let mut walk = Walk::new(reading.of(text, at, &arena), WalkMode::FailFast, reading);
    match walk.value(shape) {
        Err(Stop) => Err(Error::new(Mismatch::Type { wanted: "" })),
        Ok(()) if walk.edits.is_empty() => Ok(None),
        Ok(()) => {
            let end = walk.json.offset();
            Ok(Some((edited(text, at..end, walk.edits), end)))
        }
    }
}

/// Returns true if a shape that was read at run time admits a value, given as JSON; `None` if the budget ended before the
/// verdict.
pub fn admits_value(text: &str, shape: &Shape<'_>) -> Option<bool> {
    admits_by(text, WalkOptions::at_run_time(text), shape, |_| true)
}

/// Returns true if a schema that was read at run time admits arguments, which are an object; `None` if the budget ended
/// before the verdict.
pub fn admits_arguments(text: &str, reading: WalkOptions, shape: &Shape<'_>) -> Option<bool> {
    admits_by(text, reading, shape, |first| first == Some(b'{'))
}

fn admits_by(
    text: &str,
    reading: WalkOptions,
    shape: &Shape<'_>,
    may_start: impl Fn(Option<u8>) -> bool,
) -> Option<bool> {
    let arena = Arena::new();
    let mut walk = Walk::new(reading.of(text, 0, &arena), WalkMode::FailFast, reading);
    let is_admitted =
        may_start(walk.json.peek()) && walk.value(shape).is_ok() && walk.json.finish().is_ok();
    (!walk.is_spent()).then_some(is_admitted)
}

/// Adds defaults to arguments that a schema admits, at the ends of the objects that leave their keys out. All that is there
/// stays as it is. `None` if the budget ends first.
pub fn filled<'t>(
    text: &'t str,
    reading: WalkOptions,
    shape: &Shape<'_>,
    defaults: &Defaults,
) -> Option<Cow<'t, str>> {
    let arena = Arena::new();
    let mut walk = Walk::new(reading.of(text, 0, &arena), WalkMode::FailFast, reading);
    walk.defaults = Some(defaults);
    let walked = walk.value(shape);
    let is_filled = walked.is_ok() && !walk.edits.is_empty();
    (!walk.is_spent()).then(|| {
        if is_filled {
            fill::filled(text, walk.edits, defaults).into()
        } else {
            text.into()
        }
    })
}

/// Collects all faults of a text that is JSON.
pub fn collect_faults(
    text: &str,
    reading: WalkOptions,
    root: &Shape<'_>,
    repairs: Repairs,
) -> WalkReport {
    let arena = Arena::new();
    let mut walk = Walk::new(
        reading.of(text, 0, &arena),
        WalkMode::Collect { repairs },
        reading,
    );
    if root.is_secret || reading.is_typed && holds_secret(root) {
        walk.secrecy = Secrecy::Around;
    }
    // The text is JSON, so nothing but its budget stops the walk.
    let _ = walk.value(root);
    walk.found.is_cut = walk.budget.steps == 0;
    let edits = std::mem::take(&mut walk.edits);
    let mut found = walk.found;
    if !edits.is_empty() {
        found.text = Some(edited(text, 0..text.len(), edits));
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WalkMode {
    /// The first fault ends the walk.
    FailFast,
    /// Faults are collected.
    Collect { repairs: Repairs },
}

/// Parts of the text that may be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrecy {
    /// All of it: there are no secrets.
    None,
    /// Declared keys, and keys of maps. A value that does not fit may be a misplaced secret, and so may an undeclared
    /// key.
    Around,
    /// Keys that the shape has: the value is a secret, or a part of one.
    Here,
}

/// Offset where an admitted value ends, and the edits that put it in other words.
type AdmittedEnd = (usize, Vec<Edit>);

/// Signal that the walk ends.
struct Stop;

impl From<Error> for Stop {
    fn from(_: Error) -> Self {
        Self
    }
}

type Walked = Result<(), Stop>;

struct Walk<'t> {
    json: Json<'t>,
    mode: WalkMode,
    path: Vec<Segment>,
    found: WalkReport,
    edits: Vec<Edit>,
    /// Verdicts on unions: nested ones would be judged again for each member of each union around them.
    known_ways: HashMap<Memo, Option<AdmittedEnd>>,
    /// Offset of the value in which this text was found, if it is not the arguments' own.
    outer: Option<usize>,
    /// Number of unions that have been entered since the last value.
    unions: u8,
    /// Number of unions, one inside the other, whose ways are being tried.
    tried: usize,
    /// True if the value is the one element of a list that was made for it. Lists of lists have no end.
    is_wrapped: bool,
    secrecy: Secrecy,
    is_typed: bool,
    /// True if only an integer's digits are one.
    is_exact: bool,
    /// Set if defaults are added to admitted values.
    defaults: Option<&'t Defaults>,
    budget: Budget,
}

impl<'t> Walk<'t> {
    fn new(json: Json<'t>, mode: WalkMode, reading: WalkOptions) -> Self {
        Self {
            json,
            mode,
            path: Vec::new(),
            found: WalkReport::default(),
            edits: Vec::new(),
            known_ways: HashMap::new(),
            outer: None,
            unions: 0,
            tried: 0,
            is_wrapped: false,
            secrecy: Secrecy::None,
            is_typed: reading.is_typed,
            is_exact: false,
            defaults: None,
            budget: reading.budget,
        }
    }

    /// Returns true if nothing that does not fit may be shown.
    fn hides(&self) -> bool {
        self.secrecy != Secrecy::None
    }

    /// Returns the value at an offset, which does not fit, as it is shown.
    fn got(&self, at: usize) -> String {
        let text = self.json.whole();
        if self.hides() {
            say::kept_back(text, at)
        } else {
            say::shown(text, at)
        }
    }

    /// Returns the text to show for an undeclared key.
    fn key<'k>(&self, key: &'k str) -> impl FnOnce() -> Segment + use<'k> {
        segment(self.hides(), key)
    }

    /// Returns true if keys that a map admits may not be shown.
    fn hides_keys(&self, keys: &Shape<'_>) -> bool {
        match self.secrecy {
            Secrecy::None => false,
            Secrecy::Around => holds_secret(keys),
            Secrecy::Here => true,
        }
    }

    /// Walks a value that is a secret, or is not.
    fn guarded(&mut self, is_secret: bool, walk: impl FnOnce(&mut Self) -> Walked) -> Walked {
        let before = self.secrecy;
        if is_secret {
            self.secrecy = Secrecy::Here;
        }
        let walked = walk(self);
        self.secrecy = before;
        walked
    }

    fn collects(&self) -> bool {
        self.mode != WalkMode::FailFast
    }

    /// Returns true if defaults are added to admitted values.
    fn fills(&self) -> bool {
        self.defaults.is_some()
    }

    /// Walks a part of the value.
    fn inside(
        &mut self,
        segment: impl FnOnce() -> Segment,
        walk: impl FnOnce(&mut Self) -> Walked,
    ) -> Walked {
        self.unions = 0;
        if !self.collects() {
            return walk(self);
        }
        self.path.push(segment());
        let walked = walk(self);
        self.path.pop();
        walked
    }

    /// Walks the next value.
    fn value(&mut self, shape: &Shape<'_>) -> Walked {
        self.spend(1)?;
        let Some(levels) = self.budget.levels.checked_sub(1) else {
            self.budget.steps = 0;
            return Err(Stop);
        };
        self.budget.levels = levels;
        let peeled = Unwrapped::of(shape);
        let walked = self.guarded(peeled.is_secret, |walk| walk.value_of(shape, peeled));
        self.budget.levels += 1;
        walked
    }

    fn value_of(&mut self, shape: &Shape<'_>, peeled: Unwrapped<'_, '_>) -> Walked {
        let next = self.json.peek();
        match (peeled.kind, next) {
            (Kind::Any | Kind::Unknown, _) => self.any(false),
            (_, Some(b'n')) if peeled.nullable => Ok(self.json.null()?),
            (Kind::Foreign(foreign), _) => self.value(foreign.shape()),
            (Kind::Recursive(back), _) => self.back(back.shape()),
            (Kind::Null, Some(b'n')) => Ok(self.json.null()?),
            (Kind::Bool, Some(b't' | b'f')) => self.skip(),
            (Kind::Integer(_), Some(b'-' | b'0'..=b'9')) => self.integer(shape),
            (Kind::Number(_), Some(b'-' | b'0'..=b'9')) => self.number(shape),
            (Kind::String(_) | Kind::Enum(_), Some(b'"')) => self.string(shape),
            (Kind::Array(array), Some(b'[')) => {
                self.array(shape, array.items, array.unique || peeled.unique)
            }
            (Kind::Tuple(items), Some(b'[')) => self.tuple(shape, items),
            (Kind::Map(map), Some(b'{')) => self.map(shape, map),
            (Kind::Object(object), Some(b'{')) => match KeyTable::of(object) {
                Some(keys) => self.object(ObjectKeys::Listed(&keys)),
                None => match alternatives(peeled.kind, false).as_slice() {
                    [one] => self.object(ObjectKeys::Of(one)),
                    ways => self.one_of(shape, Candidates::Objects(ways, object.fields)),
                },
            },
            (Kind::Union(union), _) => self.one_of(shape, Candidates::Of(union.members)),
            (Kind::Rule(rule), _) => self.rule(shape, rule),
            _ => self.mismatch(shape),
        }
    }

    fn skip(&mut self) -> Walked {
        self.skipped().map(drop)
    }

    /// Skips the next value, and returns its text.
    fn skipped(&mut self) -> Result<&'t str, Stop> {
        let text = self.json.skip()?;
        self.spend(bytes(text))?;
        Ok(text)
    }

    /// Walks a value of any type without duplicate keys. For an opaque type any integer may need respelling: `respells`
    /// writes it as one.
    fn any(&mut self, respells: bool) -> Walked {
        let mut place = Place::Opened;
        match self.json.peek() {
            Some(b'[') => {
                self.json.enter_array()?;
                let mut index = 0;
                while self.json.next_element(&mut place)? {
                    self.spend(1)?;
                    self.inside(|| Segment::Index(index), |walk| walk.any(respells))?;
                    index += 1;
                }
                Ok(())
            }
            Some(b'{') => {
                self.json.enter_object()?;
                let mut seen = SeenKeys::NONE;
                while let Some(key) = self.json.next_key(&mut place)? {
                    self.spend(1)?;
                    self.once(&mut seen, key)?;
                    self.inside(self.key(key), |walk| walk.any(respells))?;
                }
                Ok(())
            }
            Some(b'-' | b'0'..=b'9') if respells => {
                let (start, number) = self.take_number()?;
                self.edits.extend(self.respelled(start, number));
                Ok(())
            }
            _ => self.skip(),
        }
    }

    /// Notes a key that may occur once.
    fn once(&mut self, seen: &mut SeenKeys<'t>, key: &'t str) -> Walked {
        if seen.note(key) {
            return Ok(());
        }
        self.repeated(self.key(key))
    }

    fn repeated(&mut self, key: impl FnOnce() -> Segment) -> Walked {
        let at = self.json.key_at();
        self.inside(key, |walk| {
            walk.fault(at, FaultCode::DuplicateKey, |_| {
                "given more than once".into()
            })
        })
    }

    fn array(&mut self, shape: &Shape<'_>, items: &Shape<'_>, unique: bool) -> Walked {
        let start = self.json.offset();
        self.json.enter_array()?;
        let (mut place, mut index) = (Place::Opened, 0);
        let mut elements: Vec<&str> = Vec::new();
        let mut starts = Vec::new();
        while self.json.next_element(&mut place)? {
            self.json.peek();
            let from = self.json.offset();
            self.inside(|| Segment::Index(index), |walk| walk.value(items))?;
            if unique {
                let element = self.json.slice(from, self.json.offset());
                self.spend(bytes(element))?;
                elements.push(element);
                starts.push(from);
            }
            index += 1;
        }
        if !admits_count(shape, index) {
            return self.unfit(start, shape, FaultCode::Bound);
        }
        match first_repeat(elements.into_iter()) {
            None => Ok(()),
            Some(index) => {
                let at = starts.get(index).copied().unwrap_or(start);
                self.inside(
                    || Segment::Index(index),
                    |walk| {
                        walk.fault(at, FaultCode::Bound, |walk| {
                            let got = walk.got(at);
                            format!("{got} is there already; no two elements may be equal")
                        })
                    },
                )
            }
        }
    }

    fn tuple(&mut self, shape: &Shape<'_>, items: &[&Shape<'_>]) -> Walked {
        let start = self.json.offset();
        self.json.enter_array()?;
        let (mut place, mut index) = (Place::Opened, 0);
        while self.json.next_element(&mut place)? {
            match items.get(index) {
                Some(item) => self.inside(|| Segment::Index(index), |walk| walk.value(item))?,
                None => self.any(false)?,
            }
            index += 1;
        }
        if index == items.len() {
            return Ok(());
        }
        self.unfit(start, shape, FaultCode::WrongType)
    }
}

/// A key in a path, or its placeholder if it may not be shown.
fn segment(is_hidden: bool, key: &str) -> impl FnOnce() -> Segment + use<'_> {
    move || Segment::Key(if is_hidden { say::KEPT_BACK_KEY } else { key }.to_owned())
}
