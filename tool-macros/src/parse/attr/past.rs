//! Names that a tool had before: `was("place_order")`.

use syn::punctuated::Punctuated;
use syn::{LitStr, Meta, Token};

use super::entry::KeyValue;
use crate::ctxt::Ctxt;
use crate::model::TextLit;
use crate::name::{TOOL_RULE, is_tool_name};

/// `was("place_order", …)`
pub(super) fn was(cx: &Ctxt, entry: &KeyValue) -> Vec<TextLit> {
    let list = match &entry.meta {
        Meta::List(list) => list
            .parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated)
            .ok(),
        _ => None,
    };
    let Some(names) = list.filter(|list| !list.is_empty()) else {
        cx.error(
            &entry.meta,
            "`was` takes the tool's earlier names\nhelp: write `was(\"old_name\")`",
        );
        return Vec::new();
    };
    let mut all: Vec<TextLit> = Vec::new();
    for name in names {
        let value = name.value();
        if !is_tool_name(&value) {
            cx.error(
                &name,
                format!("no tool can have been named `{value}`\nhelp: write the name that models called: {TOOL_RULE}"),
            );
        } else if all.iter().any(|other| other.value == value) {
            cx.error(&name, format!("`{value}` is given twice\nhelp: remove one"));
        } else {
            all.push(TextLit {
                value,
                span: name.span(),
            });
        }
    }
    all
}
