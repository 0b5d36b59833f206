//! The options of our attributes, serde's and schemars' on a type, a variant or a field.

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

use crate::ctxt::Ctxt;
use crate::parse::attr::{self, KeyValue, Reader};

use super::serde_attr::{AttrOwner, Treatment, meaning};
use crate::bounds::{BOUNDS, BoundArgs};

/// Attribute that an option belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionOwner {
    Schema,
    Serde,
    Schemars,
}

/// Keys of several attributes, each with the attributes that have it and the reader of its value.
pub(super) type Rows<T> = [(&'static [OptionOwner], &'static str, Reader<T>)];

/// Reads the options of our attribute, serde's and schemars', in this order: ours have precedence.
pub(super) fn read<T>(
    cx: &Ctxt,
    attrs: &[Attribute],
    place: AttrOwner,
    rows: &Rows<T>,
    bounds: fn(&mut T) -> &mut BoundArgs,
    into: &mut T,
) {
    for (of, entry) in entries(cx, attrs) {
        let row = rows
            .iter()
            .find(|(owners, key, _)| *key == entry.key && owners.contains(&of));
        match row {
            Some((_, _, reader)) => reader(cx, &entry, into),
            None => {
                let ours = rows
                    .iter()
                    .filter(|(owners, _, _)| owners.contains(&OptionOwner::Schema));
                let keys = ours.map(|(_, key, _)| *key);
                other(cx, of, &entry, place, bounds(into), keys);
            }
        }
    }
}

/// Reads a bound, ignores a harmless option, and refuses the rest. Ignoring an unknown option would make the schema
/// wrong.
fn other(
    cx: &Ctxt,
    of: OptionOwner,
    entry: &KeyValue,
    place: AttrOwner,
    bounds: &mut BoundArgs,
    keys: impl Iterator<Item = &'static str>,
) {
    let key = entry.key.as_str();
    match of {
        OptionOwner::Schema => {
            if !attr::read_bound(cx, entry, bounds) {
                let options: Vec<_> = keys.chain(BOUNDS).collect();
                attr::unknown(cx, entry, "schema", &options);
            }
        }
        OptionOwner::Schemars => {
            let silent = ["crate", "bound", "rename", "deny_unknown_fields", "inline"];
            if !attr::read_schemars(cx, entry, bounds) && !silent.contains(&key) {
                cx.error(
                    entry.meta.path(),
                    format!("`#[derive(Schema)]` does not read `#[schemars({key})]`\nhelp: say the same with `#[schema(…)]`, or return the schema from a function: `#[schema(schema_with = …)]`"),
                );
            }
        }
        OptionOwner::Serde => match meaning(place, key) {
            Some(Treatment::Refused(why)) => cx.error(
                entry.meta.path(),
                format!("`#[serde({key})]` has no schema: {why}"),
            ),
            Some(Treatment::Nothing) => {}
            // serde reports names that it does not know either.
            Some(Treatment::Read | Treatment::Custom) | None => {}
        },
    }
}

fn entries(cx: &Ctxt, attrs: &[Attribute]) -> Vec<(OptionOwner, KeyValue)> {
    let mut all = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("arg")) {
        cx.error(
            attr.path(),
            "`#[arg]` is for the parameters of a tool\nhelp: on types and their fields it is `#[schema(…)]`",
        );
    }
    for (of, name) in [
        (OptionOwner::Schemars, "schemars"),
        (OptionOwner::Serde, "serde"),
        (OptionOwner::Schema, "schema"),
    ] {
        for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
            let Meta::List(list) = &attr.meta else {
                continue;
            };
            let entries = if of == OptionOwner::Serde {
                // serde's derive reports errors in its attributes.
                let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
                let metas = parser.parse2(list.tokens.clone()).unwrap_or_default();
                metas.into_iter().map(KeyValue::of).collect()
            } else {
                attr::entries(cx, list.tokens.clone())
            };
            all.extend(entries.into_iter().map(|entry| (of, entry)));
        }
    }
    all
}
