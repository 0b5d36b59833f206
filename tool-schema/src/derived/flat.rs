//! Whether what is flattened into a type can stand there: looked at when it compiles, since serde would
//! read such a type never, or not as its schema says.

use crate::shape::{Care, Field, Id, Kind, Map, Object, Presence, Shape};
use crate::text::Message;
use crate::text::same;

/// What the looks are about.
#[derive(Clone, Copy)]
struct Owner {
    /// The type's identity.
    id: Id,
    /// serde refuses keys that it does not know.
    denies: bool,
}

impl Shape<'_> {
    /// Looks through the objects that a type is made of, up to the types of its fields, which have
    /// been looked at.
    #[doc(hidden)]
    #[track_caller]
    pub const fn flattened_fits(&self, denies: bool) {
        let id = self.id;
        self.fits_of(Owner { id, denies });
    }

    #[track_caller]
    const fn fits_of(&self, owner: Owner) {
        match &self.kind {
            Kind::Object(object) => {
                if let Some(key) = twice(object) {
                    let mut text = Message::new();
                    text.push("`");
                    text.push(key);
                    text.push("` is read twice by this type\nhelp: rename one, here or in the type whose keys stand beside: `#[serde(rename = \"…\")]`");
                    panic!("{}", text.as_str());
                }
                let mut fields = object.fields;
                while let [field, behind @ ..] = fields {
                    if is_flat(field) {
                        fits(field, object, behind.len(), owner);
                    }
                    field.shape.part_fits(owner);
                    fields = behind;
                }
            }
            Kind::Union(union) => {
                let mut members = union.members;
                while let [member, rest @ ..] = members {
                    members = rest;
                    member.part_fits(owner);
                }
            }
            Kind::Nullable(inner) | Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => {
                inner.part_fits(owner);
            }
            _ => {}
        }
    }

    #[track_caller]
    const fn part_fits(&self, owner: Owner) {
        if self.id.hash == 0 {
            self.fits_of(owner);
        }
    }
}

const fn is_flat(field: &Field<'_>) -> bool {
    field.flatten && !matches!(field.presence, Presence::Never)
}

/// Whether a flattened field, with so many fields behind it, is an object of keys that can be told.
#[track_caller]
const fn fits(field: &Field<'_>, object: &Object<'_>, behind: usize, owner: Owner) {
    // serde does not see that enums and maps read their keys. What stands beside a tag has no name, and is
    // read as a whole.
    assert!(
        field.name.is_empty() || !owner.denies || takes_its_keys(field.shape),
        "`deny_unknown_fields` refuses keys of what is flattened\nhelp: remove `deny_unknown_fields`: a tool refuses keys that its schema does not name",
    );
    match field.shape.core() {
        Kind::Back(back) if back.id.hash == owner.id.hash => panic!(
            "a type that stands among its own keys has no end\nhelp: give the inner one a name"
        ),
        Kind::Map(map) => {
            assert!(
                has_any_key(map) && !is_counted(field.shape),
                "a flattened map takes any keys, as many as there are, and this one does not\nhelp: take a map of `String` keys without bounds, or give the map a name of its own",
            );
            assert!(
                takes_any_value(map) || is_last(object, behind),
                "this flattened map would be given keys of what else is flattened\nhelp: put it behind the other structs, make its values `serde_json::Value`, or give it a name of its own",
            );
        }
        Kind::Object(_)
        | Kind::Union(_)
        | Kind::Enum(_)
        | Kind::Null
        | Kind::Any
        | Kind::Back(_)
        | Kind::Foreign(_)
        | Kind::Unknown => {}
        _ if field.name.is_empty() => panic!(
            "what stands beside a tag has to be an object\nhelp: give the value a name, or the enum a `content`"
        ),
        _ => panic!("what is flattened has to be an object\nhelp: remove `flatten`"),
    }
}

/// Whether every key is one of a map's.
const fn has_any_key(map: &Map<'_>) -> bool {
    let is_any = match map.keys.core() {
        Kind::String(rules) => rules.is_any() && matches!(map.keys.care, Care::Typed),
        Kind::Any | Kind::Foreign(_) | Kind::Unknown => true,
        _ => false,
    };
    is_any && map.min_len == 0 && map.max_len.is_none()
}

const fn takes_any_value(map: &Map<'_>) -> bool {
    matches!(
        map.values.core(),
        Kind::Any | Kind::Foreign(_) | Kind::Unknown
    )
}

/// Whether a layer around a map says how many keys it has.
const fn is_counted(mut shape: &Shape<'_>) -> bool {
    loop {
        shape = match &shape.kind {
            Kind::Narrow(_, bounds) if bounds.min_len.is_some() || bounds.max_len.is_some() => {
                return true;
            }
            Kind::Nullable(inner) | Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => {
                inner
            }
            _ => return false,
        };
    }
}

/// Whether serde has taken away all other flattened keys before it reads a map, which has so many fields
/// behind it. Those of a struct it takes, and that of an enum that is told by its key; not those of
/// other enums and of maps.
const fn is_last(object: &Object<'_>, behind: usize) -> bool {
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        let is_other = rest.len() != behind;
        if is_flat(field) && is_other && (rest.len() < behind || !takes_its_keys(field.shape)) {
            return false;
        }
        fields = rest;
    }
    true
}

const fn takes_its_keys(shape: &Shape<'_>) -> bool {
    match shape.core() {
        Kind::Map(_) | Kind::Any => false,
        Kind::Union(union) => !union.buffered,
        Kind::Object(object) => {
            let mut fields = object.fields;
            while let [field, rest @ ..] = fields {
                fields = rest;
                if field.flatten && !takes_its_keys(field.shape) {
                    return false;
                }
            }
            true
        }
        _ => true,
    }
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
                && let Some(key) = common(field, other)
            {
                return Some(key);
            }
        }
    }
    None
}

/// A key that two fields have.
const fn common<'s>(one: &Field<'s>, other: &Field<'_>) -> Option<&'s str> {
    if matches!(one.presence, Presence::Never) {
        None
    } else if one.flatten {
        common_of(one.shape, other)
    } else if has(other, one.name) {
        Some(one.name)
    } else {
        None
    }
}

/// A key that a flattened shape and a field have.
const fn common_of<'s>(shape: &Shape<'s>, other: &Field<'_>) -> Option<&'s str> {
    match shape.core() {
        Kind::Object(object) => {
            let mut fields = object.fields;
            while let [field, rest @ ..] = fields {
                fields = rest;
                if let Some(key) = common(field, other) {
                    return Some(key);
                }
            }
        }
        Kind::Union(union) => {
            let mut members = union.members;
            while let [member, rest @ ..] = members {
                members = rest;
                if let Some(key) = common_of(member, other) {
                    return Some(key);
                }
            }
        }
        Kind::Enum(variants) => {
            let mut variants = *variants;
            while let [variant, rest @ ..] = variants {
                variants = rest;
                if has(other, variant.name) {
                    return Some(variant.name);
                }
            }
        }
        // Any keys may stand in a map; an edge back leads to keys that have been looked at.
        _ => {}
    }
    None
}

/// Whether a field has a key.
const fn has(field: &Field<'_>, key: &str) -> bool {
    if matches!(field.presence, Presence::Never) {
        false
    } else if field.flatten {
        has_of(field.shape, key)
    } else {
        same(field.name, key)
    }
}

/// Whether a flattened shape has a key.
const fn has_of(shape: &Shape<'_>, key: &str) -> bool {
    match shape.core() {
        Kind::Object(object) => {
            let mut fields = object.fields;
            while let [field, rest @ ..] = fields {
                fields = rest;
                if has(field, key) {
                    return true;
                }
            }
        }
        Kind::Union(union) => {
            let mut members = union.members;
            while let [member, rest @ ..] = members {
                members = rest;
                if has_of(member, key) {
                    return true;
                }
            }
        }
        Kind::Enum(variants) => {
            let mut variants = *variants;
            while let [variant, rest @ ..] = variants {
                variants = rest;
                if same(variant.name, key) {
                    return true;
                }
            }
        }
        _ => {}
    }
    false
}
