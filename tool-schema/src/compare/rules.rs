//! What one schema says, read from its text in `const`.

use super::json::{Parts, alike, equal, get, has_string};
use super::number::Num;

/// A bit for each type of JSON, with integers apart from the other numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    /// The numbers that are no integers.
    pub(super) const FRACTION: Self = Self(8);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const NUMBER: Self = Self(4 | 8);
    pub(super) const ALL: Self = Self(127);
    pub(super) const NONE: Self = Self(0);
    pub(super) const EACH: [Self; 7] = [
        Self::NULL,
        Self::BOOLEAN,
        Self::INTEGER,
        Self::FRACTION,
        Self::STRING,
        Self::ARRAY,
        Self::OBJECT,
    ];

    /// The type of a name of JSON Schema.
    const fn named(name: &[u8]) -> Self {
        match name {
            b"null" => Self::NULL,
            b"boolean" => Self::BOOLEAN,
            b"integer" => Self::INTEGER,
            b"number" => Self::NUMBER,
            b"string" => Self::STRING,
            b"array" => Self::ARRAY,
            b"object" => Self::OBJECT,
            _ => Self::NONE,
        }
    }

    /// The type of a value.
    pub(super) const fn of_value(value: &[u8]) -> Self {
        match value {
            [b'n', ..] => Self::NULL,
            [b't' | b'f', ..] => Self::BOOLEAN,
            [b'"', ..] => Self::STRING,
            [b'[', ..] => Self::ARRAY,
            [b'{', ..] => Self::OBJECT,
            _ => match Num::of(value) {
                Some(number) if number.is_integer() => Self::INTEGER,
                Some(_) => Self::FRACTION,
                // Too many digits to know.
                None => Self::NUMBER,
            },
        }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns true if each of the other types is among these.
    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One end of a range of numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct End<'t> {
    /// The number, as it is written.
    pub(super) text: &'t [u8],
    /// True if the number itself is left out.
    pub(super) is_open: bool,
}

/// The fewest and the most of something.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counts {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Counts {
    const ANY: Self = Self {
        min: 0,
        max: u64::MAX,
    };
}

/// The keywords of one schema. An empty text means that the keyword is not there.
#[allow(clippy::struct_excessive_bools)] // Each is a keyword, or says something of all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'t> {
    /// The schema as it is written.
    pub(super) text: &'t [u8],
    /// The types of values that are admitted.
    pub(super) types: Types,
    /// The values of `enum`, or the one of `const`.
    pub(super) values: Option<Parts<'t>>,
    pub(super) min: Option<End<'t>>,
    pub(super) max: Option<End<'t>>,
    pub(super) multiple_of: &'t [u8],
    pub(super) len: Counts,
    pub(super) pattern: &'t [u8],
    pub(super) format: &'t [u8],
    pub(super) items: &'t [u8],
    pub(super) places: &'t [u8],
    pub(super) count: Counts,
    pub(super) is_unique: bool,
    pub(super) properties: &'t [u8],
    pub(super) required: &'t [u8],
    pub(super) additional: &'t [u8],
    pub(super) names: &'t [u8],
    pub(super) entries: Counts,
    pub(super) any_of: &'t [u8],
    pub(super) one_of: &'t [u8],
    pub(super) all_of: &'t [u8],
    /// Where `$ref` leads.
    pub(super) reference: &'t [u8],
    /// True if there are keywords that are not understood here: see [`Rules::lacks_other`].
    pub(super) has_others: bool,
    /// True if a keyword that is understood says something that is not.
    pub(super) is_unclear: bool,
    /// True if these are fewer values than the text says.
    pub(super) is_part: bool,
}

/// The schema that admits all.
pub(super) const ANYTHING: &[u8] = b"true";

impl<'t> Rules<'t> {
    const NONE: Self = Self {
        text: ANYTHING,
        types: Types::ALL,
        values: None,
        min: None,
        max: None,
        multiple_of: &[],
        len: Counts::ANY,
        pattern: &[],
        format: &[],
        items: &[],
        places: &[],
        count: Counts::ANY,
        is_unique: false,
        properties: &[],
        required: &[],
        additional: &[],
        names: &[],
        entries: Counts::ANY,
        any_of: &[],
        one_of: &[],
        all_of: &[],
        reference: &[],
        has_others: false,
        is_unclear: false,
        is_part: false,
    };

    /// Reads a schema, which is known to be a whole value of JSON.
    pub(super) const fn of(schema: &'t [u8]) -> Self {
        let mut rules = Self {
            text: schema,
            ..Self::NONE
        };
        match schema {
            [b't', ..] => return rules,
            [b'{', ..] => {}
            [b'f', ..] => {
                rules.types = Types::NONE;
                return rules;
            }
            _ => {
                rules.is_unclear = true;
                return rules;
            }
        }
        let mut parts = Parts::of(schema);
        while let Some((key, value, rest)) = parts.member() {
            rules.take(key, value);
            parts = rest;
        }
        rules
    }

    /// Takes one keyword.
    const fn take(&mut self, key: &[u8], value: &'t [u8]) {
        match key {
            b"type" => self.types = self.types.and(self.types_of(value)),
            b"enum" if self.values.is_none() => self.values = Some(Parts::of(value)),
            b"const" if self.values.is_none() => self.values = Some(Parts::of_one(value)),
            b"minimum" => self.end(value, false, true),
            b"exclusiveMinimum" => self.end(value, true, true),
            b"maximum" => self.end(value, false, false),
            b"exclusiveMaximum" => self.end(value, true, false),
            b"multipleOf" => self.multiple_of = value,
            b"minLength" => self.len.min = self.count_of(value),
            b"maxLength" => self.len.max = self.count_of(value),
            b"pattern" => self.pattern = value,
            b"format" => self.format = value,
            b"items" => {
                self.items = value;
                self.is_unclear |= matches!(value, [b'[', ..]);
            }
            b"prefixItems" => self.places = value,
            b"minItems" => self.count.min = self.count_of(value),
            b"maxItems" => self.count.max = self.count_of(value),
            b"uniqueItems" => self.is_unique = matches!(value, [b't', ..]),
            b"properties" => self.properties = value,
            b"required" => self.required = value,
            b"additionalProperties" => self.additional = value,
            b"propertyNames" => self.names = value,
            b"minProperties" => self.entries.min = self.count_of(value),
            b"maxProperties" => self.entries.max = self.count_of(value),
            b"anyOf" => self.any_of = value,
            b"oneOf" => self.one_of = value,
            b"allOf" => self.all_of = value,
            b"$ref" => self.reference = value,
            // These look at what is around them.
            b"enum"
            | b"const"
            | b"unevaluatedProperties"
            | b"unevaluatedItems"
            | b"$dynamicRef" => {
                self.is_unclear = true;
            }
            other => self.has_others |= !is_words(other),
        }
    }

    const fn types_of(&mut self, value: &[u8]) -> Types {
        let mut types = Types::NONE;
        let mut names = match value {
            [b'[', ..] => Parts::of(value),
            _ => Parts::of_one(value),
        };
        while let Some((name, rest)) = names.element() {
            names = rest;
            let one = match name {
                [b'"', name @ .., b'"'] => Types::named(name),
                _ => Types::NONE,
            };
            self.is_unclear |= one.is_none();
            types = types.or(one);
        }
        types
    }

    const fn count_of(&mut self, value: &[u8]) -> u64 {
        if let Some(number) = Num::of(value)
            && let Some(count) = number.count()
        {
            return count;
        }
        self.is_unclear = true;
        0
    }

    /// Takes one end of the range of numbers; of two the one that leaves out more.
    const fn end(&mut self, text: &'t [u8], is_open: bool, is_min: bool) {
        let Some(number) = Num::of(text) else {
            self.is_unclear = true;
            return;
        };
        let end = if is_min { &mut self.min } else { &mut self.max };
        if let Some(other) = *end
            && let Some(known) = Num::of(other.text)
        {
            let order = number.cmp(&known);
            let is_weaker = (is_min && order < 0) || (!is_min && order > 0);
            if is_weaker || (order == 0 && !is_open) {
                return;
            }
        }
        *end = Some(End { text, is_open });
    }

    /// Returns true if all is admitted.
    pub(super) const fn is_anything(&self) -> bool {
        let mut parts = Parts::of(self.text);
        while let Some((key, _, rest)) = parts.member() {
            if !is_words(key) {
                return false;
            }
            parts = rest;
        }
        matches!(self.text, [b't' | b'{', ..])
    }

    /// Returns true if something is said beside the keywords that join schemas.
    pub(super) const fn has_own(&self) -> bool {
        let mut parts = Parts::of(self.text);
        while let Some((key, _, rest)) = parts.member() {
            if !is_words(key) && !matches!(key, b"anyOf" | b"oneOf" | b"allOf" | b"$ref") {
                return true;
            }
            parts = rest;
        }
        false
    }

    /// Returns the first keyword that is not understood here and that the other schema does not have just so.
    pub(super) const fn lacks_other(&self, other: &Rules<'_>) -> Option<&'t [u8]> {
        if !self.has_others {
            return None;
        }
        let mut parts = Parts::of(self.text);
        while let Some((key, value, rest)) = parts.member() {
            parts = rest;
            let mut probe = Self::NONE;
            probe.take(key, value);
            if !probe.has_others {
                continue;
            }
            match get(other.text, key) {
                // What it refers to may be another.
                Some(same) if alike(same, value) && !contains(value, b"\"$ref\"") => {}
                _ => return Some(key),
            }
        }
        None
    }

    /// Returns the schema of the value behind a key that the properties do not name.
    pub(super) const fn rest(&self) -> &'t [u8] {
        match self.additional {
            [] => ANYTHING,
            schema => schema,
        }
    }

    /// Returns true if no keys are admitted but those that the properties name.
    pub(super) const fn is_closed(&self) -> bool {
        matches!(self.additional, [b'f', ..])
    }

    /// Returns the schema of the value behind a key, if the properties name it.
    pub(super) const fn property(&self, key: &[u8]) -> Option<&'t [u8]> {
        get(self.properties, key)
    }

    /// Returns true if a key must be there.
    pub(super) const fn requires(&self, key: &[u8]) -> bool {
        has_string(self.required, key)
    }

    /// Returns the schema of the element at an index.
    pub(super) const fn place(&self, index: u64) -> &'t [u8] {
        let mut places = Parts::of(self.places);
        let mut left = index;
        while let Some((place, rest)) = places.element() {
            if left == 0 {
                return place;
            }
            left -= 1;
            places = rest;
        }
        match self.items {
            [] => ANYTHING,
            schema => schema,
        }
    }
}

/// Returns true for keywords that say nothing of values.
const fn is_words(key: &[u8]) -> bool {
    matches!(
        key,
        b"title"
            | b"description"
            | b"default"
            | b"examples"
            | b"deprecated"
            | b"readOnly"
            | b"writeOnly"
            | b"$schema"
            | b"$id"
            | b"$comment"
            | b"$defs"
            | b"definitions"
            | [b'x', b'-', ..]
    )
}

/// Returns true if a text contains another.
const fn contains(mut text: &[u8], part: &[u8]) -> bool {
    while let Some((start, _)) = text.split_at_checked(part.len()) {
        if equal(start, part) {
            return true;
        }
        text = match text {
            [_, rest @ ..] => rest,
            [] => return false,
        };
    }
    false
}

/// Follows `$ref` while a schema says nothing else; `None` if it leads nowhere that is known here.
pub(super) const fn resolved<'t>(root: &'t [u8], mut schema: &'t [u8]) -> Option<&'t [u8]> {
    let mut steps = 0;
    while steps < 32 {
        steps += 1;
        let mut reference: &[u8] = &[];
        let mut parts = Parts::of(schema);
        while let Some((key, value, rest)) = parts.member() {
            match key {
                b"$ref" if reference.is_empty() => reference = value,
                // A list of one is what it holds.
                b"allOf" if reference.is_empty() => match Parts::of(value).element() {
                    Some((one, rest)) if rest.element().is_none() => reference = one,
                    _ => return Some(schema),
                },
                key if is_words(key) => {}
                _ => return Some(schema),
            }
            parts = rest;
        }
        schema = match reference {
            [] => return Some(schema),
            [b'"', ..] => match target(root, reference) {
                Some(target) => target,
                None => return None,
            },
            one => one,
        };
    }
    None
}

/// Returns the schema that a reference leads to, if it is the root or one of its definitions.
pub(super) const fn target<'t>(root: &'t [u8], reference: &[u8]) -> Option<&'t [u8]> {
    let (definitions, name): (&[u8], &[u8]) = match reference {
        b"\"#\"" => return Some(root),
        [
            b'"',
            b'#',
            b'/',
            b'$',
            b'd',
            b'e',
            b'f',
            b's',
            b'/',
            name @ ..,
            b'"',
        ] => (b"$defs", name),
        [
            b'"',
            b'#',
            b'/',
            b'd',
            b'e',
            b'f',
            b'i',
            b'n',
            b'i',
            b't',
            b'i',
            b'o',
            b'n',
            b's',
            b'/',
            name @ ..,
            b'"',
        ] => (b"definitions", name),
        _ => return None,
    };
    let mut rest = name;
    while let [byte, behind @ ..] = rest {
        if matches!(byte, b'/' | b'~' | b'%' | b'\\') {
            return None;
        }
        rest = behind;
    }
    match get(root, definitions) {
        Some(definitions) => get(definitions, name),
        None => None,
    }
}
