//! Checks at compile time that serde reads untagged variants as their schema says. It takes the first that it can read, and knows
//! neither bounds nor unknown keys there, so it may take one for a value that only a later one admits.

use super::flat::{WantedKey, spelling};
use crate::shape::{Field, Kind, Object, Presence, Rest, Role, Shape, Side, Union, Variant};
use crate::text::ConstText;

/// What serde makes of the values of a later shape where it reads an earlier one.
#[derive(Clone, Copy)]
enum Reading<'s> {
    /// It reads none of them.
    None,
    /// The earlier shape admits all that it reads.
    Right,
    /// It reads a value that the earlier shape does not admit.
    Wrong(Misread<'s>),
}

/// How serde reads a value that only a later variant admits.
#[derive(Clone, Copy)]
enum Misread<'s> {
    /// Beyond the bounds of the earlier variant.
    Bound,
    /// Without a key of the object at `inside`. Both are empty where they have no name.
    Key { key: &'s str, inside: &'s str },
    /// The elements of a list as the fields of a struct.
    List,
}

impl Union<'_> {
    /// Checks that serde reads no value as one member that only a later one without a tag admits. The union is of the type called
    /// `ty`.
    #[track_caller]
    pub(super) const fn untagged_fits(&self, ty: &str) {
        let (mut members, mut names, mut index) = (self.members, self.untagged.names, 0);
        while let ([first, later @ ..], [name, later_names @ ..]) = (members, names) {
            index += 1;
            (members, names) = (later, later_names);
            let (mut later, mut later_names, mut at) = (later, later_names, index);
            while let ([other, others @ ..], [hidden, others_names @ ..]) = (later, later_names) {
                if at >= self.untagged.first
                    && !name.is_empty()
                    && let Reading::Wrong(misread) = reading(first, other, "")
                {
                    let goes_first = matches!(reading(other, first, ""), Reading::None);
                    let is_inline = first.kind.as_object().is_some();
                    refuse(misread, [ty, name, hidden], goes_first, is_inline);
                }
                (later, later_names, at) = (others, others_names, at + 1);
            }
        }
    }
}

#[track_caller]
const fn refuse(
    misread: Misread<'_>,
    [ty, name, hidden]: [&str; 3],
    goes_first: bool,
    is_inline: bool,
) -> ! {
    let mut text = ConstText::new();
    if !ty.is_empty() {
        text.push_all(&["`", ty, "`: "]);
    }
    match misread {
        Misread::Bound => text.push_all(&[
            "serde does not check the bounds of `",
            name,
            "`, and reads it where only `",
            hidden,
            "` fits",
        ]),
        Misread::Key { key, .. } => {
            let read = ["serde reads `", hidden, "` as `", name, "`, and drops "];
            text.push_all(&read);
            if key.is_empty() {
                text.push("the other keys");
            } else {
                text.push_all(&["`", key, "`"]);
            }
        }
        Misread::List => text.push_all(&[
            "serde reads the list of `",
            hidden,
            "` as the fields of `",
            name,
            "`",
        ]),
    }
    text.push("\nhelp: ");
    if goes_first {
        text.push_all(&["put `", hidden, "` before `", name, "`, or "]);
    }
    match misread {
        Misread::Bound => text.push("check them in the tool, or in a type whose own `Deserialize` fails, such as one with `#[serde(try_from = \"…\")]`"),
        Misread::List => text.push("give the list a key of its own"),
        Misread::Key { inside, .. } => {
            text.push("add `#[serde(deny_unknown_fields)]` to the ");
            if !inside.is_empty() {
                text.push_all(&["type of `", inside, "`"]);
            } else if is_inline {
                text.push("enum");
            } else {
                text.push_all(&["type of `", name, "`"]);
            }
        }
    }
    panic!("{}", text.as_str());
}

/// Returns what serde makes of values of the later shape. Edges back to a type are not followed.
const fn reading<'s>(first: &Shape<'s>, later: &Shape<'s>, inside: &'s str) -> Reading<'s> {
    let (own, others) = (id(first), id(later));
    if own != 0 && own == others {
        return Reading::Right;
    }
    let (one, other) = (first.only_core(), later.only_core());
    let mut found = Reading::None;
    let mut index = 0;
    match (one, other) {
        (Kind::Union(_), _) => {
            while let Some(member) = one.child(index) {
                found = found.or(reading(member.shape, later, inside));
                index += 1;
            }
        }
        (_, Kind::Union(_)) => {
            while let Some(member) = other.child(index) {
                found = found.or(reading(first, member.shape, inside));
                index += 1;
            }
        }
        (Kind::Enum(one), Kind::Enum(other)) if !share_a_name(one, other) => {}
        (Kind::Tuple(one), Kind::Tuple(other)) if one.len() != other.len() => {}
        // serde reads a type's fields from a list, too; those of a variant it does not.
        (Kind::Object(object), Kind::Array(_) | Kind::Tuple(_)) => {
            if id(first) != 0 && reads_list(object, other) {
                found = Reading::Wrong(Misread::List);
            }
        }
        _ => match (one.json_type(), other.json_type()) {
            (Some(one), Some(other)) if one as u8 != other as u8 => {}
            _ => found = of_keys(one, other, of_parts(one, other, inside), inside),
        },
    }
    match found {
        Reading::None if first.is_nullable() && later.is_nullable() => Reading::Right,
        Reading::None => Reading::None,
        _ if has_unchecked_bounds(first) => Reading::Wrong(Misread::Bound),
        found => found,
    }
}

impl Reading<'_> {
    /// Returns the worse of two.
    const fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Wrong(_), _) | (_, Self::None) => self,
            _ => other,
        }
    }

    /// Adds a part, without which there is no value if it is required.
    const fn and(self, part: Self, is_required: bool) -> Self {
        match (self, part) {
            (Self::None, _) => Self::None,
            (_, Self::None) if is_required => Self::None,
            _ => self.or(part),
        }
    }
}

/// Returns what serde makes of the elements, and of the values behind keys.
const fn of_parts<'s>(one: &Kind<'s>, other: &Kind<'s>, inside: &'s str) -> Reading<'s> {
    let (mut found, mut index) = (Reading::Right, 0);
    while let Some(part) = one.child(index) {
        if let Reading::None = found {
            return found;
        }
        index += 1;
        found = match part.role {
            Role::Field(field) if !field.is_read() => found,
            Role::Field(field) if field.flatten => match field.shape.core() {
                flat @ Kind::Object(_) => {
                    let is_required = !field.shape.is_nullable();
                    found.and(of_parts(flat, other, inside), is_required)
                }
                _ => found,
            },
            Role::Field(field) => {
                let is_required = field.is_required();
                match at_key(other, field.name) {
                    Some(shape) => found.and(reading(field.shape, shape, field.name), is_required),
                    None => found.and(Reading::None, is_required),
                }
            }
            Role::Place(place) => found.and(reading(part.shape, at(other, place), inside), true),
            Role::Item | Role::Value => found.or(of_each(part.shape, other, inside)),
            _ => found,
        };
    }
    found
}

/// Returns what serde makes of the elements or values of a kind, as values of one shape.
const fn of_each<'s>(one: &Shape<'s>, other: &Kind<'s>, inside: &'s str) -> Reading<'s> {
    if other.is_opaque() {
        return reading(one, Shape::ANYTHING, inside);
    }
    let (mut found, mut index) = (Reading::Right, 0);
    while let Some(part) = other.child(index) {
        index += 1;
        found = match part.role {
            Role::Field(Field {
                presence: Presence::Never,
                ..
            })
            | Role::Key => found,
            Role::Field(field) => found.and(
                reading(one, field.shape, field.name),
                field.is_required() && !field.flatten,
            ),
            Role::Place(_) => found.and(reading(one, part.shape, inside), true),
            _ => found.or(reading(one, part.shape, inside)),
        };
    }
    found
}

/// Adds what serde makes of the keys that an object does not have.
const fn of_keys<'s>(
    one: &Kind<'s>,
    other: &Kind<'s>,
    found: Reading<'s>,
    inside: &'s str,
) -> Reading<'s> {
    let (Kind::Object(object), Reading::Right | Reading::Wrong(_)) = (one, found) else {
        return found;
    };
    let denies = match object.fields {
        // What stands beside a tag.
        [.., rest] if rest.flatten && rest.name.is_empty() => {
            matches!(rest.shape.core(), Kind::Object(Object { denies: true, .. }))
        }
        _ => object.denies,
    };
    match unknown_key(one, other, denies) {
        Some(_) if denies => Reading::None,
        Some(key) if !object.open && !matches!(object.rest(), Rest::Open) => {
            found.and(Reading::Wrong(Misread::Key { key, inside }), true)
        }
        _ => found,
    }
}

/// Returns a key of the other kind that the first one does not have; empty if it may have any.
const fn unknown_key<'s>(one: &Kind<'s>, other: &Kind<'s>, is_required: bool) -> Option<&'s str> {
    let is_open = match other {
        Kind::Object(object) => object.open,
        Kind::Map(_) => true,
        kind => kind.is_opaque(),
    };
    if is_open && !is_required {
        return Some("");
    }
    let mut index = 0;
    while let Some(part) = other.child(index) {
        index += 1;
        let found = match part.role {
            Role::Field(field) if !field.is_read() => None,
            Role::Member(_) if is_required => None,
            Role::Field(Field { flatten: true, .. }) | Role::Member(_) => {
                unknown_key(one, part.shape.core(), is_required)
            }
            Role::Field(field)
                if (field.is_required() || !is_required) && find(one, field.name).is_none() =>
            {
                Some(field.name)
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Returns the field that reads a key, flattened ones among them.
const fn find<'s>(kind: &Kind<'s>, key: &str) -> Option<&'s Field<'s>> {
    match kind {
        Kind::Object(object) => {
            let mut fields = object.fields;
            while let [field, rest @ ..] = fields {
                fields = rest;
                if !field.is_read() {
                    continue;
                }
                let found = if field.flatten {
                    find(field.shape.core(), key)
                } else if spelling(field.name, field.aliases, WantedKey::Name(key)).is_some() {
                    Some(field)
                } else {
                    None
                };
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        Kind::Union(union) => {
            let mut members = union.members;
            while let [member, rest @ ..] = members {
                members = rest;
                let found = find(member.core(), key);
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        _ => None,
    }
}

/// Returns the shape behind a key.
const fn at_key<'s>(kind: &Kind<'s>, key: &str) -> Option<&'s Shape<'s>> {
    match (find(kind, key), kind) {
        (Some(field), _) => Some(field.shape),
        (None, Kind::Map(map)) => Some(map.values),
        (None, Kind::Object(object)) if !(object.open || matches!(object.rest(), Rest::Open)) => {
            None
        }
        _ => Some(Shape::ANYTHING),
    }
}

/// Returns the shape of the element at a place.
const fn at<'s>(kind: &Kind<'s>, place: usize) -> &'s Shape<'s> {
    match kind {
        Kind::Array(array) => array.items,
        Kind::Tuple(items) => match items.split_at_checked(place) {
            Some((_, [item, ..])) => item,
            _ => Shape::ANYTHING,
        },
        _ => Shape::ANYTHING,
    }
}

/// Returns true if a layer has bounds. Those around a type that is read from another are for its author to check.
const fn has_unchecked_bounds(mut shape: &Shape<'_>) -> bool {
    let mut is_found = false;
    loop {
        match &shape.kind {
            Kind::InOut { .. } => is_found = false,
            Kind::Bounded(_, bounds) => is_found |= !bounds.is_none(),
            _ => {}
        }
        match shape.kind.layer_or_only_member(Side::Input) {
            Some(inner) => shape = inner,
            None => return is_found,
        }
    }
}

/// Returns the identity of the type within the layers without bounds; 0 for none.
const fn id(mut shape: &Shape<'_>) -> u64 {
    loop {
        let has_bounds = matches!(&shape.kind, Kind::Bounded(_, bounds) if !bounds.is_none());
        match shape.kind.layer_or_only_member(Side::Input) {
            Some(inner) if shape.id.hash == 0 && !has_bounds => shape = inner,
            _ => return shape.id.hash,
        }
    }
}

/// Returns true if serde may read a struct from such a list: its fields in their order.
const fn reads_list(object: &Object<'_>, list: &Kind<'_>) -> bool {
    let (min, max) = list.len_range();
    let (mut fields, mut place) = (object.fields, 0);
    while let [field, rest @ ..] = fields {
        fields = rest;
        let is_there = match max {
            Some(max) => (place as u64) < max,
            None => true,
        };
        match field.presence {
            Presence::Never => continue,
            _ if field.flatten => return false,
            _ if is_there => {
                if let Reading::None = reading(field.shape, at(list, place), "") {
                    return false;
                }
            }
            // serde fills up with defaults alone.
            Presence::Defaulted => {}
            Presence::Required | Presence::Optional => return false,
        }
        place += 1;
    }
    min <= place as u64
}

/// Returns true if a string is one of both, by its own name in the second.
const fn share_a_name(mut one: &[Variant<'_>], others: &[Variant<'_>]) -> bool {
    while let [variant, rest @ ..] = one {
        one = rest;
        let mut others = others;
        while let [other, rest @ ..] = others {
            others = rest;
            if spelling(variant.name, variant.aliases, WantedKey::Name(other.name)).is_some() {
                return true;
            }
        }
    }
    false
}
