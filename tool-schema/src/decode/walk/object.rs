//! Walks objects and maps.

use toolwright_json::Place;

use crate::decode::fault::say;
use crate::decode::{
    FaultCode, Leaf, RepairKind, SeenKeys, Segment, admits, admits_count, admits_key,
};
use crate::shape::{Alternative, Key, KeyTable, Kind, Map, Presence, Rule, Shape, Unwrapped};

use super::{Edit, Secrecy, Stop, Walk, Walked, bytes, segment};

/// An entry that the object has no place for.
struct UnknownEntry<'t> {
    key: &'t str,
    key_at: usize,
    value_at: usize,
}

/// Offsets in an object between which entries are taken out.
#[derive(Default)]
struct RemovedRange {
    /// End of the last entry that stays.
    kept: Option<usize>,
    /// Start of the entries that are taken out before any that stays.
    open: Option<usize>,
}

/// The keys of an object.
#[derive(Clone, Copy)]
pub(super) enum ObjectKeys<'w> {
    Listed(&'w KeyTable<'w>),
    /// Keys of one of the forms that the object may have.
    Of(&'w Alternative<'w>),
}

impl<'w> ObjectKeys<'w> {
    /// All of them, each with its place.
    pub(super) fn all(self) -> impl Iterator<Item = (usize, Key<'w>)> + 'w {
        let (plain, listed) = match self {
            Self::Listed(plain) => (Some(plain), [].as_slice()),
            Self::Of(way) => (None, way.keys.as_slice()),
        };
        let fields = plain.into_iter().flat_map(KeyTable::fields).enumerate();
        let keys = fields.filter_map(|(index, field)| Some((index, Key::of(field, false)?)));
        keys.chain(listed.iter().copied().enumerate())
    }

    /// The key of this name. A plain one is made when it has been found.
    fn find(self, name: &str) -> Option<(usize, Key<'w>)> {
        if let Self::Listed(plain) = self {
            let (index, field) = plain.find(name)?;
            return Some((index, Key::of(field, false)?));
        }
        self.all()
            .find(|(_, key)| !key.field.flatten && key.is_read_as(name))
    }

    /// Returns the steps that it takes to find a key.
    fn cost(self) -> u64 {
        let keys = match self {
            Self::Listed(plain) => plain.len(),
            Self::Of(way) => way.keys.len(),
        };
        keys as u64 / 16 + 1
    }

    /// Returns the shape of values behind keys that are not listed, and whether these are secret.
    fn rest(self) -> Option<(&'w Shape<'w>, bool)> {
        match self {
            Self::Listed(_) => None,
            Self::Of(way) => Some((way.rest?, way.is_rest_secret)),
        }
    }

    /// Returns true if the object may have unknown keys.
    fn is_open(self) -> bool {
        match self {
            Self::Listed(plain) => plain.open,
            Self::Of(way) => {
                way.open
                    || way.keys.iter().any(|key| {
                        key.field.flatten
                            && matches!(Unwrapped::of(key.field.shape).kind, Kind::Foreign(_))
                    })
            }
        }
    }
}

/// The keys that have come, by their places: a bit for each.
#[derive(Default)]
pub(super) struct GivenKeys {
    first: u64,
    /// Bits of 64 more keys each.
    others: Vec<u64>,
}

impl GivenKeys {
    pub(super) fn has(&self, index: usize) -> bool {
        let bits = match index / 64 {
            0 => Some(&self.first),
            word => self.others.get(word - 1),
        };
        bits.is_some_and(|bits| bits & (1 << (index % 64)) != 0)
    }

    /// Notes a key; `false` if it was there.
    fn note(&mut self, index: usize) -> bool {
        let word = index / 64;
        if self.others.len() < word {
            self.others.resize(word, 0);
        }
        let bits = match word {
            0 => Some(&mut self.first),
            word => self.others.get_mut(word - 1),
        };
        bits.is_some_and(|bits| {
            let before = *bits;
            *bits |= 1 << (index % 64);
            *bits != before
        })
    }
}

impl<'t> Walk<'t> {
    /// An object with these keys.
    pub(super) fn object(&mut self, keys: ObjectKeys<'_>) -> Walked {
        self.json.enter_object()?;
        let first = self.json.offset();
        let mut place = Place::Opened;
        let mut given = GivenKeys::default();
        let mut others = None;
        let mut unknown = Vec::new();
        let mut cut = RemovedRange::default();
        // Missing keys are searched once.
        let cost = keys.cost();
        self.spend(cost)?;
        while let Some(name) = self.json.next_key(&mut place)? {
            self.spend(cost)?;
            let key_at = self.json.key_at();
            self.close_cut(&mut cut, key_at);
            if let Some((index, key)) = keys.find(name) {
                if !given.note(index) {
                    self.repeated(|| Segment::Key(name.to_owned()))?;
                    self.skip()?;
                    continue;
                }
                if self.drops_null(&key) {
                    self.inside(|| Segment::Key(name.to_owned()), Self::drop_null)?;
                    self.cut_entry(&mut cut, first);
                    continue;
                }
                self.inside(
                    || Segment::Key(name.to_owned()),
                    |walk| walk.guarded(key.is_secret, |walk| walk.value(key.field.shape)),
                )?;
            } else {
                self.once(others.get_or_insert(SeenKeys::NONE), name)?;
                if let Some((rest, is_secret)) = keys.rest() {
                    self.guarded(is_secret, |walk| {
                        let segment = segment(walk.secrecy == Secrecy::Here, name);
                        walk.inside(segment, |walk| walk.value(rest))
                    })?;
                } else if keys.is_open() {
                    self.inside(self.key(name), |walk| walk.any(true))?;
                } else if self.collects() {
                    let value_at = self.json.offset();
                    unknown.push(UnknownEntry {
                        key: name,
                        key_at,
                        value_at,
                    });
                    self.skip()?;
                } else {
                    return Err(Stop);
                }
            }
            cut.kept = Some(self.json.offset());
        }
        let end = self.json.offset();
        self.close_cut(&mut cut, end.saturating_sub(1));
        self.ends(keys, &given, &unknown, end)
    }

    /// Takes out the entry that has been read, of an object that begins at `first`.
    fn cut_entry(&mut self, cut: &mut RemovedRange, first: usize) {
        match cut.kept {
            Some(end) => self.edits.push(Edit::new(end..self.json.offset(), "")),
            None => cut.open = Some(first),
        }
    }

    /// Removes the leading entries, up to the next one.
    fn close_cut(&mut self, cut: &mut RemovedRange, to: usize) {
        if let Some(from) = cut.open.take() {
            self.edits.push(Edit::new(from..to, ""));
        }
    }

    /// Returns true if `null` means a key that is left out. Strict modes know no other way to leave one out.
    fn drops_null(&mut self, key: &Key<'_>) -> bool {
        self.json.peek() == Some(b'n')
            && self.repairs_values()
            && matches!(key.field.presence, Presence::Optional | Presence::Defaulted)
            && !admits(key.field.shape, Leaf::Null)
    }

    fn drop_null(&mut self) -> Walked {
        self.skip()?;
        self.repaired(RepairKind::NullDropped, "null", "");
        Ok(())
    }

    /// Reports missing and excess entries of an object.
    fn ends(
        &mut self,
        keys: ObjectKeys<'_>,
        given: &GivenKeys,
        unknown: &[UnknownEntry<'t>],
        end: usize,
    ) -> Walked {
        let mut missing = keys
            .all()
            .filter(|(index, key)| key.required && !key.field.flatten && !given.has(*index));
        if !self.collects() {
            if missing.next().is_some() {
                return Err(Stop);
            }
            self.fill(keys, given, end)?;
            return Ok(());
        }
        let missing: Vec<Key<'_>> = missing.map(|(_, key)| key).collect();
        // Required missing keys come first, then optional ones.
        let meant = match (unknown, missing.as_slice()) {
            ([one], [key]) => self.repairs_key(one.key, key.name).then_some((one, *key)),
            ([one], []) => self.meant_optional(keys, given, one).map(|key| (one, key)),
            _ => None,
        };
        if let Some((one, key)) = meant {
            return self.rename(one, &key, end);
        }
        for one in unknown {
            let is_root = self.path.is_empty();
            let (segment, key) = (self.key(one.key), self.known_key(one.key));
            self.inside(segment, |walk| {
                walk.fault(one.key_at, FaultCode::UnknownArgument, |_| {
                    let names: Vec<&str> = keys.all().map(|(_, key)| key.name).collect();
                    say::unknown_key(key, &names, is_root)
                })
            })?;
        }
        for key in missing {
            self.missing(&key, end)?;
        }
        Ok(())
    }

    /// Returns the optional key that an unknown one was meant for, if there is just one that it is a slip of.
    fn meant_optional<'k>(
        &self,
        keys: ObjectKeys<'k>,
        given: &GivenKeys,
        unknown: &UnknownEntry<'_>,
    ) -> Option<Key<'k>> {
        let slips = |is_given: bool| {
            let keys = keys
                .all()
                .filter(move |(index, key)| !key.field.flatten && given.has(*index) == is_given);
            keys.filter(|(_, key)| self.repairs_key(unknown.key, key.name))
        };
        let mut meant = slips(false);
        let (_, key) = meant.next()?;
        let is_certain = meant.next().is_none() && slips(true).next().is_none();
        is_certain.then_some(key)
    }

    /// Returns a key whose near names may be suggested; empty inside a secret.
    pub(super) fn known_key<'k>(&self, key: &'k str) -> &'k str {
        if self.secrecy == Secrecy::Here {
            ""
        } else {
            key
        }
    }

    pub(super) fn missing(&mut self, key: &Key<'_>, end: usize) -> Walked {
        self.inside(
            || Segment::Key(key.name.to_owned()),
            |walk| {
                walk.fault(end, FaultCode::MissingArgument, |_| {
                    say::missing(key.field.shape)
                })
            },
        )
    }

    /// Reads an entry as that of the key that it was meant for.
    fn rename(&mut self, entry: &UnknownEntry<'t>, key: &Key<'_>, end: usize) -> Walked {
        let depth = self.json.depth();
        // Inside the object again, whose closing bracket has been read.
        let inside = depth.saturating_sub(1);
        self.json.rewind(entry.key_at, inside);
        self.skip()?;
        let range = entry.key_at..self.json.offset();
        self.edits
            .push(Edit::new(range, say::json_string(key.name)));
        self.inside(
            || Segment::Key(key.name.to_owned()),
            |walk| {
                let from = if walk.hides() {
                    say::HIDDEN_KEY
                } else {
                    entry.key
                };
                walk.repaired(RepairKind::Renamed, from, key.name);
                walk.json.rewind(entry.value_at, inside);
                walk.guarded(key.is_secret, |walk| walk.value(key.field.shape))
            },
        )?;
        self.json.rewind(end, depth);
        Ok(())
    }

    /// An object with any keys.
    pub(super) fn map(&mut self, shape: &Shape<'_>, map: &Map<'_>) -> Walked {
        let start = self.json.offset();
        self.json.enter_object()?;
        let mut place = Place::Opened;
        let mut seen = SeenKeys::NONE;
        let mut count = 0;
        let mut cost = None;
        while let Some(key) = self.json.next_key(&mut place)? {
            let cost = *cost.get_or_insert_with(|| weight(map.keys));
            self.spend(cost * (1 + bytes(key)))?;
            self.once(&mut seen, key)?;
            let is_admitted = admits_key(map.keys, key);
            if !is_admitted {
                let at = self.json.key_at();
                let shown = (!self.hides()).then_some(key);
                self.inside(
                    || Segment::Name(shown.unwrap_or(say::KEPT_BACK_KEY).to_owned()),
                    |walk| {
                        walk.fault(at, FaultCode::WrongType, |_| {
                            say::wrong_key(map.keys, shown)
                        })
                    },
                )?;
            }
            count += 1;
            let is_hidden = self.hides() && !is_admitted || self.hides_keys(map.keys);
            self.inside(segment(is_hidden, key), |walk| walk.value(map.values))?;
        }
        if admits_count(shape, count) {
            Ok(())
        } else {
            self.unfit(start, shape, FaultCode::Bound)
        }
    }
}

/// Returns the steps that checking a key by a shape takes.
fn weight(keys: &Shape<'_>) -> u64 {
    let sum = |shapes: &[Shape<'_>]| shapes.iter().map(weight).sum::<u64>();
    1 + match keys.core() {
        Kind::Enum(variants) => variants.len() as u64 / 16,
        Kind::Union(union) => sum(union.members),
        Kind::Rule(Rule::All(parts) | Rule::OneOf(parts)) => sum(parts),
        Kind::Rule(Rule::When(_, inner) | Rule::Not(inner)) => weight(inner),
        Kind::Rule(Rule::If(rule)) => {
            weight(rule.condition) + weight(rule.then) + weight(rule.otherwise)
        }
        Kind::Recursive(back) => weight(back.shape()),
        // A pattern looks at each byte.
        Kind::String(rules) if rules.pattern.is_some() => 7,
        Kind::Rule(Rule::Literals(values)) => values.len() as u64,
        _ => 0,
    }
}
