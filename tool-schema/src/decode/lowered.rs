//! Reads what a provider's strict mode has in the place of maps, tuples and optional keys.
//!
//! Strict modes have no objects with any keys, no places in an array, and no optional keys. There a
//! map is a list of entries, a tuple an object of places, and `null` stands for what is left out. A
//! call that was made from such a schema is read as its types; a real map and a real array are
//! read, too.

use toolwright_json::{Number, Place, write_comma};

use super::Error;
use super::read::Json;
use crate::decode::{Leaf, admits, int_of};
use crate::shape::{Field, Kind, Map, Object, Shape, bare};

/// An array of one type and of exactly so many elements becomes an object of places where no word
/// says how many there are. A longer one has its length in its description.
pub const MOST_PLACES: u128 = 8;

impl Map<'_> {
    /// Returns true if `null` behind a key stands for leaving it out: all keys are known, so that a strict
    /// mode wants each of them.
    pub(crate) fn leaves_out_by_null(&self) -> bool {
        self.has_known_keys() && !admits(self.values, Leaf::Null)
    }
}

impl Object<'_> {
    /// Returns true if it has no keys but those of a flattened map, which a strict mode has a list of entries
    /// for.
    fn is_map(&self) -> bool {
        let mut read = self.fields.iter().filter(|field| field.is_read());
        let is_map = |field: &Field<'_>| {
            field.flatten
                && match field.shape.only_core() {
                    Kind::Map(_) | Kind::Any => true,
                    Kind::Object(inner) => inner.is_map(),
                    _ => false,
                }
        };
        read.next().is_some_and(is_map) && read.all(is_map)
    }
}

impl Field<'_> {
    /// Returns true if `null` stands for leaving it out.
    pub fn is_left_out_by_null(&self) -> bool {
        !self.is_required() && !admits(self.shape, Leaf::Null)
    }
}

impl Json<'_> {
    /// Returns the value that stands next in the form of its type, and consumes it, if it stands
    /// there in a strict mode's form. What stands inside it is as it was, unless only the schema
    /// knows its type.
    pub(crate) fn raised(&mut self, shape: &Shape<'_>) -> Result<Option<String>, Error> {
        let kind = match self.peek() {
            Some(b'[' | b'{') => bare(shape, false).kind,
            _ => return Ok(None),
        };
        let (start, depth) = (self.offset(), self.depth());
        let raised = match (kind, self.peek()) {
            (Kind::Map(map), Some(b'[')) => {
                self.entries(matches!(map.keys.only_core(), Kind::Integer(_)))?
            }
            (Kind::Object(object), Some(b'[')) if object.is_map() => self.entries(false)?,
            (kind, Some(b'{')) => match places(&kind) {
                Some(len) => self.places(len)?,
                None => None,
            },
            _ => None,
        };
        if raised.is_none() {
            self.rewind(start, depth);
        }
        Ok(raised)
    }

    /// `[{"key": …, "value": …}, …]` as an object. An equal key is found like that of any object.
    fn entries(&mut self, are_integers: bool) -> Result<Option<String>, Error> {
        let mut out = String::from("{");
        let mut place = Place::Opened;
        self.enter_array()?;
        while self.next_element(&mut place)? {
            if self.peek() != Some(b'{') {
                return Ok(None);
            }
            self.enter_object()?;
            let (mut key, mut value) = (None, None);
            let mut inside = Place::Opened;
            while let Some(name) = self.next_key(&mut inside)? {
                let part = match name {
                    "key" => &mut key,
                    "value" => &mut value,
                    _ => return Ok(None),
                };
                let text = self.skip()?;
                if part.replace(text).is_some() {
                    return Ok(None);
                }
            }
            let (Some(key), Some(value)) = (key, value) else {
                return Ok(None);
            };
            write_comma(&mut out);
            let Some(key) = key_text(key, are_integers) else {
                return Ok(None);
            };
            out.push_str(&key);
            out.push(':');
            out.push_str(value);
        }
        out.push('}');
        Ok(Some(out))
    }

    /// `{"_0": …, "_1": …}` as an array of so many places.
    fn places(&mut self, len: usize) -> Result<Option<String>, Error> {
        let mut places = vec![None; len];
        let mut place = Place::Opened;
        self.enter_object()?;
        while let Some(name) = self.next_key(&mut place)? {
            let index = name.strip_prefix('_').and_then(|index| index.parse().ok());
            let text = self.skip()?;
            match index.and_then(|index: usize| places.get_mut(index)) {
                Some(place) if place.is_none() => *place = Some(text),
                _ => return Ok(None),
            }
        }
        let places: Option<Vec<&str>> = places.into_iter().collect();
        Ok(places.map(|places| format!("[{}]", places.join(","))))
    }
}

/// Returns how many places an array has that a strict mode has an object of places for.
fn places(kind: &Kind<'_>) -> Option<usize> {
    let is_tuple = matches!(kind, Kind::Tuple(_));
    match kind.len_range() {
        (min, Some(max))
            if kind.is_array() && min == max && (is_tuple || u128::from(max) <= MOST_PLACES) =>
        {
            usize::try_from(max).ok()
        }
        _ => None,
    }
}

/// An entry's key as a key of an object: those of numbers are numbers there.
fn key_text(key: &str, are_integers: bool) -> Option<String> {
    match key.bytes().next() {
        Some(b'"') => Some(key.to_owned()),
        Some(b'-' | b'0'..=b'9') if are_integers => Some(match int_of(Number::of_text(key)) {
            Some(int) => format!("\"{int}\""),
            None => crate::decode::json_string(key),
        }),
        _ => None,
    }
}
