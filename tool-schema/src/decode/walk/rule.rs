//! Checks values by the rules that only run-time schemas have.

use toolwright_json::{Place, Value};

use crate::decode::fault::say;
use crate::decode::{Arena, FaultCode, Json, SeenKeys, Segment, admits_count, describe, is_listed};
use crate::shape::{Check, Contains, Evaluated, Kind, PatternKeys, PrefixItems, Rule, Shape};

use super::union::Candidates;
use super::{Edit, Stop, Walk, WalkMode, Walked, bytes, edited};

impl Walk<'_> {
    /// Walks the next value by a rule.
    pub(super) fn rule(&mut self, shape: &Shape<'_>, rule: &Rule<'_>) -> Walked {
        match rule {
            Rule::Never => self.never(),
            Rule::Literals(values) => self.admits_value(shape, values),
            Rule::All(parts) => self.all(parts),
            Rule::OneOf(members) => self.exactly_one(shape, members),
            Rule::When(types, inner) => match self.json.peek() {
                Some(byte) if types.has(byte) => self.value(inner),
                _ => self.any(false),
            },
            Rule::Not(inner) => self.not(inner),
            Rule::If(rule) => {
                let is_met = self.admits_next(rule.condition)?;
                self.value(if is_met { rule.then } else { rule.otherwise })
            }
            Rule::PrefixItems(places) => self.places(shape, places),
            Rule::Contains(contains) => self.contains(shape, contains),
            Rule::Text(text) => match &text.check {
                Check::Keys(keys) => self.pattern_keys(keys),
                Check::Unevaluated { by, rest, of } => self.unevaluated(by, rest, *of),
            },
        }
    }

    fn never(&mut self) -> Walked {
        self.json.peek();
        let start = self.json.offset();
        self.skip()?;
        self.fault(start, FaultCode::UnknownArgument, |walk| {
            match walk.path.last() {
                Some(Segment::Key(_)) => "may not be given".into(),
                _ => {
                    format!("no value is allowed here, got {}", walk.got(start))
                }
            }
        })
    }

    /// A value that is listed.
    fn admits_value(&mut self, shape: &Shape<'_>, values: &[&str]) -> Walked {
        self.json.peek();
        let (start, depth) = (self.json.offset(), self.json.depth());
        let text = self.json.skip()?;
        // Each of them is taken apart.
        let sizes = values.iter().map(|one| 1 + bytes(one));
        self.spend(bytes(text) + sizes.sum::<u64>())?;
        if is_listed(text, values) {
            return Ok(());
        }
        if !self.collects() {
            return Err(Stop);
        }
        self.json.rewind(start, depth);
        if self.unquoted(shape)? {
            return Ok(());
        }
        self.skip()?;
        let names = strings(values);
        self.fault(start, FaultCode::WrongType, |walk| {
            let got = (!walk.hides()).then(|| walk.json.slice(start, walk.json.offset()));
            match got {
                Some(got) => say::not_listed(&describe(shape), got, &names),
                None => format!("expected {}, got {}", describe(shape), walk.got(start)),
            }
        })
    }

    /// A value of all of these shapes. If one of them repairs the value, the next ones see it repaired.
    fn all(&mut self, parts: &[Shape<'_>]) -> Walked {
        self.json.peek();
        let (start, depth) = (self.json.offset(), self.json.depth());
        let noted = self.edits.len();
        let (mut unions, mut end) = (self.unions, start);
        let faults = self.found.count();
        for (index, part) in parts.iter().enumerate() {
            // Other parts add no defaults: the value is admitted unchanged.
            if self.edits.len() > noted && !self.fills() {
                return self.rest_of_all(start, end, depth, noted, parts.get(index..));
            }
            // A value that the tree refuses has better words than its text.
            if matches!(part.kind, Kind::Rule(Rule::Text(_))) && self.found.count() > faults {
                continue;
            }
            // Other parts have no rules for a value of another type.
            let at = self.outer.unwrap_or(start);
            if self.found.is_of_wrong_type(faults, at) {
                break;
            }
            self.json.rewind(start, depth);
            std::mem::swap(&mut self.unions, &mut unions);
            let walked = self.value(part);
            std::mem::swap(&mut self.unions, &mut unions);
            walked?;
            end = self.json.offset();
        }
        Ok(())
    }

    /// Walks a value that has been repaired by the shapes that are left.
    fn rest_of_all(
        &mut self,
        start: usize,
        end: usize,
        depth: u8,
        noted: usize,
        parts: Option<&[Shape<'_>]>,
    ) -> Walked {
        let edits = self.edits.split_off(noted);
        let text = edited(self.json.whole(), start..end, edits);
        self.spend(bytes(&text))?;
        let arena = Arena::new();
        let json = Json::new(&text, &arena).at(0, depth);
        let mut inner = self.within(json, start);
        let walked = inner.all(parts.unwrap_or_default());
        let edits = self.take_back(&mut inner);
        let text = edited(&text, 0..text.len(), edits);
        self.edits.push(Edit::new(start..end, text));
        self.json.rewind(end, depth);
        walked
    }

    /// A value of exactly one of some shapes.
    fn exactly_one(&mut self, shape: &Shape<'_>, members: &[Shape<'_>]) -> Walked {
        self.json.peek();
        let (start, depth) = (self.json.offset(), self.json.depth());
        let address = members.as_ptr().addr();
        let memo = (self.mode == WalkMode::FailFast).then_some((start, address));
        if let Some(known) = self.known(memo, depth) {
            return known;
        }
        let noted = self.edits.len();
        let mut fitting = Vec::new();
        for member in members {
            if let Some((end, edits)) = self.validated_next(member)? {
                fitting.push((member, end, edits));
            }
        }
        let is_one = fitting.len() == 1;
        if let ([(_, end, edits)], true) = (fitting.as_mut_slice(), is_one) {
            self.json.rewind(*end, depth);
            self.edits.append(edits);
        }
        self.note(memo, is_one, noted);
        match fitting.as_slice() {
            [_] => Ok(()),
            [] => self.one_of(shape, Candidates::Of(members)),
            many => {
                self.skip()?;
                self.fault(start, FaultCode::Bound, |walk| {
                    let forms: Vec<String> = many.iter().map(|(one, ..)| describe(one)).collect();
                    say::fits_several(forms, &walk.got(start))
                })
            }
        }
    }

    fn not(&mut self, inner: &Shape<'_>) -> Walked {
        let is_refused = self.admits_next(inner)?;
        self.json.peek();
        let start = self.json.offset();
        self.skip()?;
        if !is_refused {
            return Ok(());
        }
        self.fault(start, FaultCode::Bound, |walk| {
            let got = walk.got(start);
            format!("expected anything but {}, got {got}", describe(inner))
        })
    }

    /// An array that holds so many elements of a shape.
    fn contains(&mut self, shape: &Shape<'_>, contains: &Contains<'_>) -> Walked {
        if self.json.peek() != Some(b'[') {
            return self.mismatch(shape);
        }
        let start = self.json.offset();
        self.json.enter_array()?;
        let (mut place, mut count) = (Place::Opened, 0);
        while self.json.next_element(&mut place)? {
            // Each element is another value.
            self.unions = 0;
            count += u64::from(self.admits_next(contains.item)?);
            self.skip()?;
        }
        if contains.min <= count && contains.max.is_none_or(|max| count <= max) {
            return Ok(());
        }
        self.unfit(start, shape, FaultCode::Bound)
    }

    fn places(&mut self, shape: &Shape<'_>, places: &PrefixItems<'_>) -> Walked {
        if self.json.peek() != Some(b'[') {
            return self.mismatch(shape);
        }
        let start = self.json.offset();
        self.json.enter_array()?;
        let (mut place, mut index) = (Place::Opened, 0);
        while self.json.next_element(&mut place)? {
            let item = places.first.get(index).copied().unwrap_or(places.rest);
            self.inside(|| Segment::Index(index), |walk| walk.value(item))?;
            index += 1;
        }
        if admits_count(shape, index) {
            Ok(())
        } else {
            self.unfit(start, shape, FaultCode::Bound)
        }
    }

    /// An object whose values have shapes by patterns of their keys.
    fn pattern_keys(&mut self, keys: &PatternKeys<'_>) -> Walked {
        if self.json.peek() != Some(b'{') {
            return self.any(false);
        }
        self.json.enter_object()?;
        let (mut place, mut seen) = (Place::Opened, SeenKeys::NONE);
        while let Some(key) = self.json.next_key(&mut place)? {
            // A pattern looks at each byte.
            self.spend((1 + key.len() as u64 / 2) * (1 + keys.patterns.len() as u64))?;
            self.once(&mut seen, key)?;
            let matching = keys.patterns.iter().filter(|(one, _)| one.is_match(key));
            let mut shapes: Vec<_> = matching.map(|(_, shape)| **shape).collect();
            if shapes.is_empty() && keys.declared.binary_search(&key).is_err() {
                shapes.extend(keys.rest.copied());
            }
            self.inside(self.key(key), |walk| match shapes.as_slice() {
                [] => walk.any(false),
                [one] => walk.value(one),
                many => walk.all(many),
            })?;
        }
        Ok(())
    }

    /// An object or an array whose entries or elements have a shape if nothing else looks at them.
    fn unevaluated(&mut self, by: &Evaluated<'_>, rest: &Shape<'_>, of: u8) -> Walked {
        if self.json.peek() != Some(of) {
            return self.any(false);
        }
        let mut active = Vec::new();
        self.active(by, &mut active)?;
        let cost = 1 + active.len() as u64;
        let mut place = Place::Opened;
        if of == b'{' {
            self.json.enter_object()?;
            let mut seen = SeenKeys::NONE;
            while let Some(key) = self.json.next_key(&mut place)? {
                let patterns = active.iter().map(|one| one.patterns.len() as u64);
                let patterns = patterns.sum::<u64>() * key.len() as u64 / 2;
                let keys = active.iter().map(|one| one.keys.len() as u64 / 16);
                self.spend(cost + patterns + keys.sum::<u64>())?;
                self.once(&mut seen, key)?;
                let is_looked_at = active.iter().any(|one| one.has_key(key));
                self.inside(self.key(key), |walk| walk.left_over(is_looked_at, rest))?;
            }
            return Ok(());
        }
        self.json.enter_array()?;
        let mut index = 0;
        while self.json.next_element(&mut place)? {
            self.spend(cost)?;
            self.unions = 0;
            let mut is_looked_at = active.iter().any(|one| one.all || index < one.first);
            for item in active.iter().filter_map(|one| one.contains) {
                is_looked_at = is_looked_at || self.admits_next(item)?;
            }
            let segment = || Segment::Index(index);
            self.inside(segment, |walk| walk.left_over(is_looked_at, rest))?;
            index += 1;
        }
        Ok(())
    }

    fn left_over(&mut self, is_looked_at: bool, rest: &Shape<'_>) -> Walked {
        if is_looked_at {
            self.any(false)
        } else {
            self.value(rest)
        }
    }

    /// Returns true if the next value meets a condition. The verdict is remembered: the schema around may check the
    /// value again.
    fn meets(&mut self, condition: &Shape<'_>) -> Result<bool, Stop> {
        self.json.peek();
        let memo = (self.json.offset(), std::ptr::from_ref(condition).addr());
        if let Some(known) = self.known_ways.get(&memo) {
            return Ok(known.is_some());
        }
        let admitted = self.validated_next(condition)?;
        let is_met = admitted.is_some();
        self.known_ways.insert(memo, admitted);
        Ok(is_met)
    }

    /// Collects the schemas that evaluate the next value.
    fn active<'s>(&mut self, by: &'s Evaluated<'s>, active: &mut Vec<&'s Evaluated<'s>>) -> Walked {
        self.spend(1)?;
        active.push(by);
        for (condition, part) in by.parts {
            if matches!(condition.kind, Kind::Any) || self.meets(condition)? {
                self.active(part, active)?;
            }
        }
        Ok(())
    }
}

/// The strings among some values.
fn strings(values: &[&str]) -> Vec<String> {
    let strings = values.iter().filter_map(|value| Value::parse(value).ok());
    strings
        .filter_map(|value| value.as_str().map(ToOwned::to_owned))
        .collect()
}
