//! What the reader knows of the value that is read next, beyond what the type asks for.
//!
//! A type's own `Deserialize` sees to its form: which keys there are, which types their values have.
//! Bounds stand in the tree alone. Where a tree has some, the reader carries it along: a value's
//! place in the text says which part of the tree it belongs to, whatever the type calls.

use toolwright_json::Place;

use super::access::Seen;
use super::member::Member;
use super::read::{Form, Json};
use super::{Error, Problem, Segment};
use crate::decode::{Leaf, admits, admits_count, walk};
use crate::shape::{Care, Field, Kind, Map, Object, Shape, Sure, Union};

/// What a value has to be.
#[derive(Debug, Clone, Copy)]
pub enum Watch {
    /// What its type reads.
    Typed,
    /// Of this shape, and reading it as its type does not tell.
    Shaped(&'static Shape<'static>),
    /// It has been looked at already, with all that is in it.
    Judged,
}

/// Any value, in which no key stands twice: types that skip a value do not look.
static ANY: Shape<'_> = Shape {
    care: Care::Walked,
    ..Shape::new(Kind::Any)
};

impl Watch {
    /// Any value, for somebody who does not look at it.
    pub(crate) const ANY: Self = Self::Shaped(&ANY);

    /// A value of this shape.
    #[inline]
    pub fn of(shape: &'static Shape<'static>, lowered: bool) -> Self {
        match shape.care {
            Care::Typed if !lowered => Self::Typed,
            Care::Typed => Self::Shaped(shape),
            Care::Watched | Care::Walked => Self::Shaped(shape),
        }
    }
}

impl<'de> Json<'de> {
    /// Goes to the value that stands next, of which this is known, and returns who reads it: this
    /// reader, or one of the same value in other words, which has its place in `elsewhere`. serde's
    /// buffers know integers by their spelling alone.
    #[inline]
    pub fn arrive<'j>(
        &'j mut self,
        watch: Watch,
        elsewhere: &'j mut Option<Self>,
    ) -> Result<&'j mut Self, Error> {
        self.watch = watch;
        match watch {
            Watch::Typed | Watch::Judged => Ok(self),
            // A value without parts.
            Watch::Shaped(shape) if !matches!(shape.sure, Sure::Nothing) => Ok(self),
            Watch::Shaped(Shape {
                kind: Kind::Object(_),
                care: Care::Watched,
                ..
            }) if self.form == Form::Plain => Ok(self),
            Watch::Shaped(shape) => self.arrive_shaped(shape, elsewhere),
        }
    }

    fn arrive_shaped<'j>(
        &'j mut self,
        shape: &'static Shape<'static>,
        elsewhere: &'j mut Option<Self>,
    ) -> Result<&'j mut Self, Error> {
        if self.is_buffered() {
            return self.arrive_buffered(shape, elsewhere);
        }
        let care = care(shape);
        if self.is_lowered()
            && care != Care::Walked
            && let Some(text) = self.raised(shape)?
        {
            let text = self.pen.keep(text);
            return Ok(elsewhere.insert(self.beside(text, Watch::Shaped(shape))));
        }
        match care {
            // What is inside may be in another form.
            Care::Typed if self.is_lowered() => {}
            Care::Typed => self.watch = Watch::Typed,
            Care::Watched => {}
            Care::Walked => return self.arrive_buffered(shape, elsewhere),
        }
        Ok(self)
    }

    /// Goes to a value that serde buffers: it is checked while serde reads it, or walked before.
    #[inline(never)]
    fn arrive_buffered<'j>(
        &'j mut self,
        shape: &'static Shape<'static>,
        elsewhere: &'j mut Option<Self>,
    ) -> Result<&'j mut Self, Error> {
        if !self.is_lowered()
            && let Some(member) = self.member(shape)
        {
            self.watch = member;
            return Ok(self);
        }
        match self.walked(shape)? {
            None => Ok(self),
            Some((text, end)) => {
                let text = self.pen.keep(text);
                self.rewind(end, self.depth());
                Ok(elsewhere.insert(self.beside(text, Watch::Judged)))
            }
        }
    }

    /// Walks the value that stands next; what it is in other words, if serde needs those, and where
    /// it ends.
    fn walked(&mut self, shape: &Shape<'_>) -> Result<Option<(String, usize)>, Error> {
        self.watch = Watch::Judged;
        self.peek();
        let reading = walk::Reading {
            depth: self.depth(),
            lowered: self.is_lowered(),
            is_typed: true,
            budget: walk::Budget::NONE,
        };
        walk::judge(self.whole(), self.offset(), reading, shape)
    }

    /// Consumes the value of a key that nobody knows, which may stand here once.
    pub fn pass(&mut self, key: &'de str, others: &mut Option<Seen<'de>>) -> Result<(), Error> {
        if !others.get_or_insert(Seen::NONE).note(key) {
            return Err(Error::duplicate_key(key));
        }
        self.watch = Watch::Typed;
        self.skip_judged()?;
        Ok(())
    }

    /// Compares a value without parts with what it has to be.
    #[inline(always)]
    #[allow(clippy::inline_always)] // See `Sure::admits`.
    pub(super) fn see(&mut self, leaf: Leaf<'_>) -> Result<(), Error> {
        match self.watch {
            Watch::Typed | Watch::Judged => Ok(()),
            Watch::Shaped(shape) if admits(shape, leaf) => Ok(()),
            Watch::Shaped(_) => Err(refused()),
        }
    }

    /// Consumes a value that nobody looks at, and returns its text.
    pub(super) fn skip_judged(&mut self) -> Result<&'de str, Error> {
        match self.watch {
            Watch::Judged => {}
            Watch::Typed => {
                self.walked(&ANY)?;
            }
            Watch::Shaped(shape) => {
                self.walked(shape)?;
            }
        }
        self.skip()
    }
}

/// Which rule was broken is found out by whoever tells it.
#[cold]
fn refused() -> Error {
    Error::new(Problem::Type { wanted: "" })
}

/// The care for a shape, with what it leads back to.
fn care(mut shape: &Shape<'_>) -> Care {
    // Bounds hold whatever stands inside them.
    let mut bounded = false;
    loop {
        bounded |= matches!(shape.kind, Kind::Narrow(..)) && shape.care == Care::Watched;
        shape = match &shape.kind {
            _ if bounded && shape.care == Care::Typed => return Care::Watched,
            _ if shape.care != Care::Watched => return shape.care,
            Kind::Back(back) => back.shape(),
            // What stands inside may have to be walked, which shows only behind an edge back.
            Kind::Nullable(inner) | Kind::Sides { input: inner, .. } | Kind::Narrow(inner, _)
                if matches!(
                    inner.kind,
                    Kind::Back(_) | Kind::Nullable(_) | Kind::Sides { .. }
                ) =>
            {
                inner
            }
            _ => return Care::Watched,
        };
    }
}

/// What stands inside an array or object that is being read.
pub(super) struct Inside {
    parts: Parts,
    /// Bounds on how many there are.
    of: Option<&'static Shape<'static>>,
    count: usize,
    /// See [`Json::is_lowered`].
    lowered: bool,
}

enum Parts {
    /// All alike, in whatever way.
    Alike(Watch),
    Places(&'static [&'static Shape<'static>]),
    Keys(Keys),
    /// The keys of an object that serde buffers.
    Buffered(Member),
    /// The elements of an array that serde buffers.
    BufferedItems(&'static Shape<'static>),
    Entries(&'static Map<'static>),
    Variants(&'static Union<'static>),
}

impl Parts {
    #[inline]
    fn of_object(object: &'static Object<'static>) -> Self {
        Self::Keys(Keys {
            fields: object.fields,
            open: object.open,
            next: 0,
            in_turn: 0,
            required: 0,
        })
    }

    fn of_buffered(
        shape: &'static Shape<'static>,
        is_array: bool,
        form: Form,
    ) -> Result<Self, Error> {
        match (shape.core(), is_array) {
            (Kind::Object(object), false) => Member::of(object, form == Form::Tagged)
                .map(Self::Buffered)
                .ok_or_else(refused),
            (Kind::Array(array), true) => Ok(Self::BufferedItems(array.items)),
            _ => Err(refused()),
        }
    }

    #[inline(never)]
    fn of(shape: &'static Shape<'static>, is_array: bool, form: Form) -> Result<Self, Error> {
        if matches!(form, Form::Buffered | Form::Tagged) {
            return Self::of_buffered(shape, is_array, form);
        }
        let lowered = form == Form::Lowered;
        Ok(match (shape.followed(), is_array) {
            (Kind::Any | Kind::Foreign(_) | Kind::Unknown, _) => Self::Alike(Watch::Typed),
            (Kind::Array(array), true) => Self::Alike(Watch::of(array.items, lowered)),
            (Kind::Tuple(items), true) => Self::Places(items),
            (Kind::Object(object), false) => Self::of_object(object),
            (Kind::Map(map), false) => Self::Entries(map),
            (Kind::Union(union), false) => Self::Variants(union),
            _ => return Err(refused()),
        })
    }
}

/// The keys of an object, as they come.
struct Keys {
    fields: &'static [Field<'static>],
    open: bool,
    /// Keys mostly come in the type's order.
    next: usize,
    /// So many keys from the first on have come, one after the other.
    in_turn: usize,
    /// So many of the other keys that have come must come.
    required: usize,
}

impl Keys {
    #[inline]
    fn note(&mut self, index: usize, field: &Field<'_>) {
        self.next = index + 1;
        if index == self.in_turn {
            self.in_turn += 1;
        } else {
            self.required += usize::from(field.is_required());
        }
    }

    /// Whether no key is missing.
    #[inline]
    fn are_whole(&self) -> bool {
        self.in_turn == self.fields.len() || self.have_required()
    }

    #[inline(never)]
    fn have_required(&self) -> bool {
        let others = self.fields.iter().skip(self.in_turn);
        self.required >= others.filter(|field| field.is_required()).count()
    }
}

impl Inside {
    /// Of a value whose type is all that is known.
    pub(super) const TYPED: Self = Self {
        parts: Parts::Alike(Watch::Typed),
        of: None,
        count: 0,
        lowered: false,
    };

    /// Notes what is known of the parts of the value that has been opened.
    #[inline]
    pub(super) fn enter(&mut self, json: &Json<'_>, is_array: bool) -> Result<(), Error> {
        match json.watch {
            Watch::Shaped(shape) => {
                self.of = Some(shape);
                self.lowered = json.is_lowered();
                match &shape.kind {
                    Kind::Object(object) if !is_array && !json.is_buffered() => {
                        self.parts = Parts::of_object(object);
                    }
                    _ => self.parts = Parts::of(shape, is_array, json.form)?,
                }
            }
            alike => self.parts = Parts::Alike(alike),
        }
        Ok(())
    }

    /// Consumes the key that mostly comes next, if it does, and says what its value has to be.
    #[inline]
    pub(super) fn expected_key(
        &mut self,
        json: &mut Json<'_>,
        place: &mut Place,
    ) -> Option<(&'static str, Watch)> {
        let Parts::Keys(keys) = &mut self.parts else {
            return None;
        };
        let field = keys.fields.get(keys.next)?;
        if self.lowered || keys.open || !json.take_key(place, field) {
            return None;
        }
        keys.note(keys.next, field);
        Some((field.name, Watch::of(field.shape, false)))
    }

    /// Returns the keys of an object that serde buffers, if it is one.
    #[inline]
    pub(super) fn member(&mut self) -> Option<&mut Member> {
        match &mut self.parts {
            Parts::Buffered(member) => Some(member),
            _ => None,
        }
    }

    /// Whether the type's own list of keys is all that is known.
    #[inline]
    pub(super) fn is_typed(&self) -> bool {
        matches!(self.parts, Parts::Alike(Watch::Typed))
    }

    /// Whether keys that nobody knows may stand here.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        matches!(self.parts, Parts::Keys(Keys { open: true, .. }))
    }

    /// Whether keys may be left out by `null`.
    #[inline]
    pub(super) fn is_lowered(&self) -> bool {
        self.lowered
    }

    /// Whether `null` behind this key says that it is left out.
    pub(super) fn is_left_out_by_null(&self, key: &str) -> bool {
        match &self.parts {
            Parts::Keys(Keys { fields, next, .. }) if self.lowered => {
                position(fields, key, *next).is_some_and(|(_, field)| field.is_left_out_by_null())
            }
            Parts::Entries(map) if self.lowered => {
                map.leaves_out_by_null() && admits_key(map.keys, key)
            }
            _ => false,
        }
    }

    /// What the next element has to be.
    #[inline]
    pub(super) fn element(&mut self, json: &mut Json<'_>) -> Result<Watch, Error> {
        let index = self.count;
        self.count += 1;
        match &self.parts {
            Parts::Alike(watch) => Ok(*watch),
            Parts::BufferedItems(shape) => {
                json.form = Form::Buffered;
                Ok(Watch::Shaped(shape))
            }
            Parts::Places(items) => match items.get(index) {
                Some(item) => Ok(Watch::of(item, self.lowered)),
                None => Err(Error::new(Problem::Length)),
            },
            _ => Err(refused()),
        }
    }

    /// What the value behind a key has to be.
    #[inline]
    pub(super) fn value(&mut self, json: &mut Json<'_>, key: &str) -> Result<Watch, Error> {
        self.count += 1;
        match &mut self.parts {
            Parts::Alike(watch) => Ok(*watch),
            Parts::Buffered(member) => member.value(json, key),
            _ => self.shaped_value(key),
        }
    }

    fn shaped_value(&mut self, key: &str) -> Result<Watch, Error> {
        match &mut self.parts {
            Parts::Keys(keys) => match position(keys.fields, key, keys.next) {
                Some((index, field)) => {
                    keys.note(index, field);
                    Ok(Watch::of(field.shape, self.lowered))
                }
                None if keys.open => Ok(Watch::ANY),
                None => Err(Error::unknown_key(key, &[])),
            },
            Parts::Entries(map) => {
                if admits_key(map.keys, key) {
                    Ok(Watch::of(map.values, self.lowered))
                } else {
                    Err(refused().inside(Segment::Name(key.to_owned()), 0))
                }
            }
            Parts::Variants(union) if self.count == 1 => {
                variant(union, key).map(|shape| Watch::of(shape, self.lowered))
            }
            _ => Err(refused()),
        }
    }

    /// Whether nothing is missing at the end.
    #[inline]
    pub(super) fn close(&self, json: &mut Json<'_>) -> Result<(), Error> {
        match (&self.parts, self.of) {
            (_, None) => Ok(()),
            (Parts::Keys(keys), _) if keys.are_whole() => Ok(()),
            (_, Some(shape)) => self.close_shaped(json, shape),
        }
    }

    #[inline(never)]
    fn close_shaped(&self, json: &mut Json<'_>, shape: &Shape<'_>) -> Result<(), Error> {
        // What is around it says so again, if it is buffered, too.
        if json.is_buffered() {
            json.form = Form::Plain;
        }
        let is_whole = match &self.parts {
            Parts::Keys(keys) => keys.are_whole(),
            Parts::Buffered(member) => member.is_whole(),
            Parts::Variants(_) => self.count == 1,
            _ => admits_count(shape, self.count),
        };
        if is_whole { Ok(()) } else { Err(refused()) }
    }
}

/// The field of this name, looked for from `next` on first.
pub fn position<'f>(
    fields: &'f [Field<'f>],
    key: &str,
    next: usize,
) -> Option<(usize, &'f Field<'f>)> {
    if let Some(field) = fields.get(next)
        && field.is_read_as(key)
    {
        return Some((next, field));
    }
    let (before, after) = fields.split_at_checked(next).unwrap_or((fields, &[]));
    let find = |fields: &'f [Field<'f>]| {
        let mut fields = fields.iter().enumerate();
        fields.find(|(_, field)| field.is_read_as(key))
    };
    find(after)
        .map(|(at, field)| (at + before.len(), field))
        .or_else(|| find(before))
}

/// What stands behind the key that names a variant.
fn variant(union: &'static Union<'static>, key: &str) -> Result<&'static Shape<'static>, Error> {
    let mut found = union
        .members
        .iter()
        .filter_map(|member| match &member.kind {
            Kind::Object(object) => object.fields.first(),
            _ => None,
        });
    match found.find(|field| field.is_read_as(key)) {
        Some(field) => Ok(field.shape),
        None => Err(Error::unknown_key(key, &[])),
    }
}

/// Whether a map has such keys. JSON's keys are strings; numbers have one spelling each.
pub fn admits_key(shape: &Shape<'_>, key: &str) -> bool {
    let mut core = shape;
    let is_bool = loop {
        core = match &core.kind {
            Kind::Nullable(inner) | Kind::Sides { input: inner, .. } | Kind::Narrow(inner, _) => {
                inner
            }
            Kind::Back(back) => back.shape(),
            Kind::Integer(_) => {
                return super::key::integer(key)
                    .is_ok_and(|number| admits(shape, Leaf::Number(number)));
            }
            kind => break matches!(kind, Kind::Bool),
        };
    };
    if is_bool {
        matches!(key, "true" | "false")
    } else {
        admits(shape, Leaf::String(key))
    }
}
