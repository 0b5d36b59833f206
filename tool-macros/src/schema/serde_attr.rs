//! Table of serde's attributes and their meaning for a schema. It is complete, so that none is ignored silently.
//!
//! Source: serde.rs, "Container attributes", "Variant attributes" and "Field attributes", and
//! `serde_derive/src/internals/attr.rs` of serde 1.0.229.

/// Item that an attribute is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum AttrOwner {
    Container,
    Variant,
    #[default]
    Field,
}

/// Treatment of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Treatment {
    /// It is read.
    Read,
    /// It does not change the JSON, or our decoder implies it.
    Nothing,
    /// A function makes the JSON: `#[schema(as = Type)]` must describe it.
    Custom,
    /// It is refused, with a replacement.
    Refused(&'static str),
}

use AttrOwner::{Container, Field, Variant};
use Treatment::{Custom, Nothing, Read, Refused};

const IDENTIFIER: Treatment = Refused("it is for impls by hand\nhelp: implement `Schema` by hand");

/// serde's attributes by place.
const TABLE: [(AttrOwner, &str, Treatment); 45] = [
    (Container, "rename", Nothing),
    (Container, "rename_all", Read),
    (Container, "rename_all_fields", Read),
    (Container, "deny_unknown_fields", Read),
    (Container, "tag", Read),
    (Container, "content", Read),
    (Container, "untagged", Read),
    (Container, "bound", Nothing),
    (Container, "default", Read),
    (
        Container,
        "remote",
        Refused(
            "the fields are those of another type\nhelp: say `#[schema(as = Type)]` on the field that is decoded with this type",
        ),
    ),
    (Container, "transparent", Read),
    (Container, "from", Read),
    (Container, "try_from", Read),
    (Container, "into", Read),
    (Container, "crate", Nothing),
    (Container, "expecting", Nothing),
    (Container, "variant_identifier", IDENTIFIER),
    (Container, "field_identifier", IDENTIFIER),
    (Variant, "rename", Read),
    (Variant, "alias", Read),
    (Variant, "rename_all", Read),
    (Variant, "skip", Read),
    (Variant, "skip_serializing", Read),
    (Variant, "skip_deserializing", Read),
    (Variant, "serialize_with", Custom),
    (Variant, "deserialize_with", Custom),
    (Variant, "with", Custom),
    (Variant, "bound", Nothing),
    (Variant, "borrow", Read),
    (
        Variant,
        "other",
        Refused(
            "a model would not know which names it takes\nhelp: list the names, or make the last variant `#[serde(untagged)]` with a `String`",
        ),
    ),
    (Variant, "untagged", Read),
    (Field, "rename", Read),
    (Field, "alias", Read),
    (Field, "default", Read),
    (Field, "flatten", Read),
    (Field, "skip", Read),
    (Field, "skip_serializing", Read),
    (Field, "skip_deserializing", Read),
    (Field, "skip_serializing_if", Read),
    (Field, "serialize_with", Custom),
    (Field, "deserialize_with", Custom),
    (Field, "with", Custom),
    (Field, "borrow", Read),
    (Field, "bound", Nothing),
    (
        Field,
        "getter",
        Refused(
            "it belongs to `remote`\nhelp: say `#[schema(as = Type)]` on the field that is decoded with this type",
        ),
    ),
];

/// Returns the meaning of an attribute, or `None` if serde does not know it either.
pub(super) fn meaning(place: AttrOwner, key: &str) -> Option<Treatment> {
    let row = TABLE
        .iter()
        .find(|(at, name, _)| *at == place && *name == key)?;
    Some(row.2)
}
