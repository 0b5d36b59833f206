//! Checks at compile time that a type can be flattened into another. Otherwise serde would never read such a type, or
//! not by its schema.

use crate::shape::{CheckLevel, Field, Id, Kind, Map, Object, Role, Shape, Side, Union, Variant};
use crate::text::ConstText;
use crate::text::same;

impl Shape<'_> {
    /// Checks the objects that a type is made of, up to the types of its fields, which have been checked.
    #[doc(hidden)]
    #[track_caller]
    pub const fn flattened_fits(&self) {
        self.fits_of(self.id);
    }

    /// Checks a part of the type of an identity.
    #[track_caller]
    const fn fits_of(&self, owner: Id) {
        let (fields, denies) = match self.kind.as_object() {
            Some(object) => {
                if let Some(key) = twice(object) {
                    let mut text = ConstText::new();
                    text.push("`");
                    text.push(key);
                    text.push("` is read twice by this type\nhelp: rename one, here or in the type whose keys stand beside: `#[serde(rename = \"…\")]`");
                    panic!("{}", text.as_str());
                }
                (object.fields, object.denies)
            }
            None => (&[] as &[_], false),
        };
        let mut index = 0;
        while let Some(child) = self.kind.child(index) {
            index += 1;
            match child.role {
                Role::Field(field) => {
                    if field.is_flattened() {
                        fits(field, fields, fields.len() - index, denies, owner);
                    }
                    child.shape.part_fits(owner);
                }
                Role::Layer | Role::Member(_) => child.shape.part_fits(owner),
                _ => {}
            }
        }
    }

    #[track_caller]
    const fn part_fits(&self, owner: Id) {
        if self.id.hash == 0 {
            self.fits_of(owner);
        }
    }
}

/// Refuses a flattened field, followed by `behind` fields, unless it is an object with known keys.
#[track_caller]
const fn fits(field: &Field<'_>, fields: &[Field<'_>], behind: usize, denies: bool, owner: Id) {
    // serde does not see that enums and maps read their keys. The sibling of a tag has no name, and is read as a whole.
    assert!(
        field.name.is_empty() || !denies || field.shape.core().takes_its_keys(),
        "`deny_unknown_fields` refuses keys of what is flattened\nhelp: remove `deny_unknown_fields`: a tool refuses keys that its schema does not name",
    );
    assert!(
        !is_result(field.shape),
        "an `Err` among other keys reads as a success\nhelp: give the `Result` a name of its own, or return it from the function",
    );
    match field.shape.core() {
        Kind::Recursive(back) if back.id.hash == owner.hash => panic!(
            "a type that stands among its own keys has no end\nhelp: give the inner one a name"
        ),
        Kind::Map(map) => {
            assert!(
                has_any_key(map) && !is_counted(field.shape),
                "a flattened map takes any keys, as many as there are, and this one does not\nhelp: take a map of `String` keys without bounds, or give the map a name of its own",
            );
            assert!(
                map.values.core().is_opaque() || is_last(fields, behind),
                "this flattened map would be given keys of what else is flattened\nhelp: put it behind the other structs, make its values `serde_json::Value`, or give it a name of its own",
            );
        }
        kind if kind.may_be_flattened() => {}
        _ if field.name.is_empty() => panic!(
            "a variant with an internal tag must contain an object\nhelp: give the value a name, or the enum a `content`"
        ),
        _ => panic!("a flattened type must be an object\nhelp: remove `flatten`"),
    }
}

/// Returns true for a `Result` of std. serde hands on only its key, so the writer of results cannot find its error.
const fn is_result(mut shape: &Shape<'_>) -> bool {
    while let Some(inner) = shape.kind.layer(Side::Input) {
        shape = inner;
    }
    // A derived type with such variants has an identity.
    shape.id.hash == 0
        && matches!(&shape.kind, Kind::Union(Union { members: [ok, err], .. }) if has_key(ok, "Ok") && has_key(err, "Err"))
}

const fn has_key(shape: &Shape<'_>, key: &str) -> bool {
    matches!(&shape.kind, Kind::Object(Object { fields: [field], .. }) if same(field.name, key))
}

/// Returns true if every key is one of a map's.
const fn has_any_key(map: &Map<'_>) -> bool {
    let keys = map.keys.core();
    let is_any_string = keys.is_any_string() && matches!(map.keys.check, CheckLevel::Typed);
    (is_any_string || keys.is_opaque()) && map.min_len == 0 && map.max_len.is_none()
}

/// Returns true if a layer around a map bounds its number of keys.
const fn is_counted(mut shape: &Shape<'_>) -> bool {
    while let Some(inner) = shape.kind.layer(Side::Input) {
        if !matches!(shape.kind.len_range(), (0, None)) {
            return true;
        }
        shape = inner;
    }
    false
}

/// Returns true if serde has taken away all other flattened keys before it reads a map, which has so many fields behind
/// it. Those of a struct it takes, and that of an enum that is tagged by its key; not those of other enums and of maps.
const fn is_last(mut fields: &[Field<'_>], behind: usize) -> bool {
    while let [field, rest @ ..] = fields {
        let is_other = rest.len() != behind;
        if field.is_flattened()
            && is_other
            && (rest.len() < behind || !field.shape.core().takes_its_keys())
        {
            return false;
        }
        fields = rest;
    }
    true
}

/// A key that two fields have. Those of two fields that are not flattened differ.
const fn twice<'s>(object: &Object<'s>) -> Option<&'s str> {
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        let mut others = rest;
        while let [other, rest @ ..] = others {
            others = rest;
            if (field.flatten || other.flatten)
                && let Some(key) = key_of(field, WantedKey::KeyOf(other))
            {
                return Some(key);
            }
        }
    }
    None
}

/// The key that is looked for.
#[derive(Clone, Copy)]
pub(super) enum WantedKey<'w> {
    /// The key of this name.
    Name(&'w str),
    /// Any key that a field has.
    KeyOf(&'w Field<'w>),
}

impl WantedKey<'_> {
    const fn is(self, key: &str) -> bool {
        match self {
            Self::Name(name) => same(name, key),
            Self::KeyOf(field) => key_of(field, WantedKey::Name(key)).is_some(),
        }
    }
}

/// Returns the first key of a field that is wanted.
const fn key_of<'s>(field: &Field<'s>, wanted: WantedKey<'_>) -> Option<&'s str> {
    if field.is_flattened() {
        key_inside(field.shape, wanted)
    } else if field.is_read() {
        spelling(field.name, field.aliases, wanted)
    } else {
        None
    }
}

/// Returns the first of a key's spellings that is wanted.
pub(super) const fn spelling<'s>(
    name: &'s str,
    mut aliases: &[&'s str],
    wanted: WantedKey<'_>,
) -> Option<&'s str> {
    if wanted.is(name) {
        return Some(name);
    }
    while let [alias, rest @ ..] = aliases {
        if wanted.is(alias) {
            return Some(alias);
        }
        aliases = rest;
    }
    None
}

/// Returns the first wanted key of a flattened shape. A map may have any key; an edge back leads to keys that were
/// visited.
const fn key_inside<'s>(shape: &Shape<'s>, wanted: WantedKey<'_>) -> Option<&'s str> {
    let kind = shape.core();
    if let Kind::Enum(variants) = kind {
        let mut variants: &[Variant<'s>] = variants;
        while let [variant, rest @ ..] = variants {
            variants = rest;
            let found = spelling(variant.name, variant.aliases, wanted);
            if found.is_some() {
                return found;
            }
        }
    }
    let mut index = 0;
    while let Some(child) = kind.child(index) {
        index += 1;
        let found = match child.role {
            Role::Field(field) => key_of(field, wanted),
            Role::Member(_) => key_inside(child.shape, wanted),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}
