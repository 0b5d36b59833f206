//! From a tree to a dialect's text without the steps between: nothing is written to be read again, and
//! nothing copied from one form into the next.
//!
//! That holds for what most tools are made of: objects, lists, enums, plain values, and all of them
//! nullable. A part that is more than that (a union, a map, most bounds) is lowered the
//! way of all schemas, and its text put into its place. What is refused, what contains itself and what
//! is known at run time alone goes that way as a whole, so that what is said of it has one source. Both ways
//! lead to the same bytes, steps, notes and counts: `tests/schemas/straight.rs` holds them to it.

mod integer;
mod write;

use toolwright_json::write_string;

use super::super::canonical::{Canonical, Room, canonical_part};
use super::super::keywords::with_words;
use super::super::plan::{Op, Path, Plan, Step};
use super::super::reject::{Note, NoteKind};
use super::super::rules::{Null, Objects, Optional, Rules};
use super::limits::Size;
use super::{Lowered, Pass, Spot, Wanted};
use crate::schema::read::Ordered;
use crate::schema::render::{Words, described, render_part};
use crate::schema::shape::{Bare, Key, Kind, Object, Shape, bare, is_whole};

/// The schema of a tool's arguments in a dialect; nothing where it has to go the way of all schemas.
pub(super) fn straight(shape: &'static Shape, rules: &'static Rules) -> Option<Lowered> {
    let bare = bare(shape, false);
    if bare.nullable || !matches!(bare.kind, Kind::Object(_)) || !is_whole(shape) {
        return None;
    }
    let mut writer = Straight {
        rules,
        out: String::with_capacity(768),
        room: Room::new(),
        steps: Vec::new(),
        left_out: Vec::new(),
        notes: Vec::new(),
        size: Size::default(),
    };
    let words = Words::default();
    if !is_plain(&bare.kind, &words) {
        return None;
    }
    writer.plain(&bare, &words, Spot::ROOT, 0)?;
    let Straight {
        out,
        steps,
        left_out: mut notes,
        notes: others,
        size,
        ..
    } = writer;
    size.check(&rules.limits).ok()?;
    notes.extend(others);
    let is_sent = !rules.omits_empty || size.properties > 0;
    Some(Lowered {
        schema: is_sent.then_some(out),
        plan: Plan::of_tree(steps, shape, rules),
        notes,
        strict: rules.strict,
        optional_keys: size.optional_keys,
        unions: size.unions,
    })
}

/// A part of the arguments, once it is known which way it goes.
enum Part<'b> {
    Plain(&'b Bare),
    /// In canonical form.
    Other(Ordered),
}

/// Whether a part is written straight: all that it says has words that hang on nothing else.
fn is_plain(kind: &Kind, words: &Words<'_>) -> bool {
    // Their JSON may have to be spelled otherwise.
    if words.default.is_some() || words.example.is_some() {
        return false;
    }
    match kind {
        Kind::Bool => true,
        Kind::Integer(range) => integer::is_plain(range),
        Kind::Number(range) => {
            range.min.is_none() && range.max.is_none() && range.multiple_of.is_none()
        }
        Kind::String(rules) => rules.is_any(),
        Kind::Enum(variants) => !variants.is_empty(),
        Kind::Array(array) => array.min_len == 0 && array.max_len.is_none() && !array.unique,
        Kind::Object(object) => !object.open && !object.fields.iter().any(|one| one.flatten),
        _ => false,
    }
}

/// How a plain part says that it may be `null`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// It may not.
    Alone,
    /// By a list of types.
    List,
    /// By `nullable`.
    Marked,
    /// As one of two.
    Either,
}

struct Straight {
    rules: &'static Rules,
    out: String,
    room: Room,
    steps: Vec<Step>,
    /// What the canonical form leaves out: it is told before what the dialect does.
    left_out: Vec<Note>,
    notes: Vec<Note>,
    size: Size,
}

impl Straight {
    fn read<'b>(
        &mut self,
        shape: &'static Shape,
        bare: &'b Bare,
        words: &Words<'_>,
    ) -> Option<Part<'b>> {
        if is_plain(&bare.kind, words) {
            return Some(Part::Plain(bare));
        }
        let schema = Ordered::read(&render_part(shape, words)).ok()?;
        let read = canonical_part(&schema, &mut self.room, &mut self.left_out);
        read.ok().map(Part::Other)
    }

    /// A part inside of another. `objects` are those that stand around it.
    fn part(
        &mut self,
        part: Part<'_>,
        words: &Words<'_>,
        spot: Spot,
        objects: usize,
    ) -> Option<()> {
        match part {
            Part::Plain(bare) => self.plain(bare, words, spot, objects),
            Part::Other(schema) => {
                let lowered = self.pass(|pass| pass.node(schema, spot)).ok()?;
                self.size.add(&lowered, objects);
                lowered.write(&mut self.out);
                Some(())
            }
        }
    }

    /// What the way of all schemas does here.
    fn pass<T>(&mut self, work: impl FnOnce(&mut Pass<'_>) -> T) -> T {
        let mut pass = Pass {
            rules: self.rules,
            canonical: &Canonical::NONE,
            path: std::mem::take(&mut self.room.path),
            steps: std::mem::take(&mut self.steps),
            notes: std::mem::take(&mut self.notes),
            tells_all: false,
            rejects: Vec::new(),
        };
        let done = work(&mut pass);
        self.room.path = pass.path;
        self.steps = pass.steps;
        self.notes = pass.notes;
        done
    }

    fn plain(&mut self, bare: &Bare, words: &Words<'_>, spot: Spot, objects: usize) -> Option<()> {
        let kind = &bare.kind;
        let own = [words.description, bare.description];
        let description = own.into_iter().find(|text| !text.is_empty());
        let mut description = described(description.unwrap_or_default(), kind);
        // More than the schema has: of what is too large the other way decides.
        self.room.enter(16 + description.len() / 64)?;
        let says_null = match spot.null {
            _ if self.rules.null == Null::Kept => bare.nullable,
            Wanted::AsSaid => bare.nullable,
            Wanted::Always => true,
            Wanted::Never => false,
        };
        let form = if says_null {
            self.form(kind)
        } else {
            Form::Alone
        };
        let mark = self.steps.len();
        if form == Form::Either {
            self.out.push_str("{\"anyOf\":[");
        }
        self.size.unions += usize::from(matches!(form, Form::Either | Form::List));
        self.type_name(kind, form);
        match kind {
            Kind::Enum(variants) => self.variants(variants, form),
            Kind::Integer(range) => {
                let is_left_out =
                    bare.nullable && spot.null == Wanted::Never && !description.is_empty();
                if let Some(words) = self.integer(range, is_left_out) {
                    description = with_words(&description, &words).into();
                }
            }
            Kind::Array(array) => {
                self.out.push_str(",\"items\":");
                let mark = self.room.path.enter("*");
                let words = Words::default();
                let bare = crate::schema::shape::bare(array.items, false);
                let items = self.read(array.items, &bare, &words)?;
                self.part(items, &words, Spot::INNER, objects)?;
                self.room.path.leave(mark);
            }
            _ => {}
        }
        self.leave_out(bare, words);
        if form != Form::Either {
            self.describe(&description);
        }
        if let Kind::Object(object) = kind {
            self.object(object, spot, objects)?;
        }
        self.out.push('}');
        if form == Form::Either {
            self.out.push_str(",{\"type\":\"null\"}]");
            self.describe(&description);
            self.out.push('}');
            self.pass(|pass| pass.step_into_first(mark));
        }
        self.room.leave();
        Some(())
    }

    fn form(&self, kind: &Kind) -> Form {
        let is_word = match kind {
            Kind::Enum(_) | Kind::Object(_) => false,
            Kind::Array(_) => self.rules.null == Null::List,
            _ => true,
        };
        match self.rules.null {
            Null::Kept => Form::List,
            Null::Nullable => Form::Marked,
            Null::List | Null::ScalarList if is_word => Form::List,
            _ => Form::Either,
        }
    }

    fn object(&mut self, object: &Object, spot: Spot, objects: usize) -> Option<()> {
        let rules = self.rules;
        if matches!(rules.objects, Objects::Unmarked | Objects::Narrowed) {
            self.note(NoteKind::Dropped, "additionalProperties", "false");
        }
        let keys = || {
            object
                .fields
                .iter()
                .filter_map(|field| Key::of(field, false))
        };
        let objects = objects + 1;
        self.size.levels = self.size.levels.max(objects);
        let mut count = 0;
        for key in keys() {
            self.out
                .push_str(if count > 0 { "," } else { ",\"properties\":{" });
            count += 1;
            self.key(&key, spot, objects)?;
        }
        if count == 0 {
            if !spot.is_root && !rules.empty_objects {
                return None;
            }
            self.out.push_str(",\"properties\":{");
        }
        self.out.push('}');
        self.size.properties += count;
        let is_said = |key: &Key| key.required || rules.optional == Optional::Null;
        let required = self.names(",\"required\":[", keys().filter(is_said));
        if required == 0 && rules.objects == Objects::Closed {
            self.out.push_str(",\"required\":[]");
        }
        self.size.optional_keys += count - required;
        if rules.ordering && count > 1 {
            self.names(",\"propertyOrdering\":[", keys());
        }
        if matches!(rules.objects, Objects::Kept | Objects::Closed) {
            self.out.push_str(",\"additionalProperties\":false");
        }
        Some(())
    }

    fn key(&mut self, key: &Key, spot: Spot, objects: usize) -> Option<()> {
        if spot.is_root
            && let Some(rule) = self.rules.argument_name
            && !rule.accepts(key.name)
        {
            return None;
        }
        self.size.characters += key.name.chars().count();
        write_string(&mut self.out, key.name);
        self.out.push(':');
        let mark = self.room.path.enter(&Path::escaped(key.name));
        let words = Words::of(key.field);
        let bare = bare(key.field.shape, false);
        let part = self.read(key.field.shape, &bare, &words)?;
        let null = match self.rules.optional {
            _ if key.required => Wanted::AsSaid,
            Optional::Kept => Wanted::AsSaid,
            Optional::Absent => Wanted::Never,
            Optional::Null | Optional::Either => {
                let admits_null = match &part {
                    Part::Plain(bare) => bare.nullable,
                    Part::Other(schema) => self.pass(|pass| pass.admits_null(schema)),
                };
                if !admits_null {
                    self.steps.push(Step {
                        op: Op::NullIsAbsent,
                        at: self.room.path.at(),
                    });
                }
                Wanted::Always
            }
        };
        let spot = Spot {
            is_root: false,
            null,
        };
        self.part(part, &words, spot, objects)?;
        self.room.path.leave(mark);
        Some(())
    }
}
