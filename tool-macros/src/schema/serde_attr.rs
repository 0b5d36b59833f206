//! serde's attributes that have no schema. `attr` reads all that change the JSON; the rest do not: `rename`, `crate` and
//! `expecting` of a container, and `bound`.
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

/// Returns why an attribute has no schema, and its replacement. serde reports names that it does not know.
pub(super) fn refused(owner: AttrOwner, key: &str) -> Option<&'static str> {
    Some(match (owner, key) {
        (AttrOwner::Container, "remote") => {
            "the fields are those of another type\nhelp: say `#[schema(as = Type)]` on the field that is decoded with this type"
        }
        (AttrOwner::Container, "variant_identifier" | "field_identifier") => {
            "it is for impls by hand\nhelp: implement `Schema` by hand"
        }
        (AttrOwner::Variant, "other") => {
            "a model would not know which names it takes\nhelp: list the names, or make the last variant `#[serde(untagged)]` with a `String`"
        }
        (AttrOwner::Field, "getter") => {
            "it belongs to `remote`\nhelp: say `#[schema(as = Type)]` on the field that is decoded with this type"
        }
        _ => return None,
    })
}
