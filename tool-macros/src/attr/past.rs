//! What a tool was before: `version = "2.0"`, `was("place_order")`, `migrate = from_v1`.

use syn::punctuated::Punctuated;
use syn::{LitStr, Meta, Token};

use super::Entry;
use super::value::{path, text_like};
use crate::ctxt::Ctxt;
use crate::model::{Migrate, Text};
use crate::name::{TOOL_RULE, is_tool_name};

/// `version = "2.0"`
pub(super) fn version(cx: &Ctxt, entry: &Entry) -> Option<Text> {
    let text = text_like(cx, entry, "2.0")?;
    if !is_version(&text.value) {
        cx.error_at(
            text.span,
            format!(
                "`{}` is no version of a tool\nhelp: write one to three numbers with points between them: `\"2\"`, `\"2.0\"`, `\"2.0.1\"`",
                text.value
            ),
        );
        return None;
    }
    Some(text)
}

/// `MAJOR`, `MAJOR.MINOR` or `MAJOR.MINOR.PATCH`, of numbers as semantic versions have them.
fn is_version(text: &str) -> bool {
    let is_number = |part: &str| {
        let is_plain = part == "0" || !part.starts_with('0');
        is_plain && part.bytes().all(|byte| byte.is_ascii_digit()) && part.parse::<u64>().is_ok()
    };
    text.split('.').count() <= 3 && text.split('.').all(is_number)
}

/// `was("place_order", …)`
pub(super) fn was(cx: &Ctxt, entry: &Entry) -> Vec<Text> {
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
    let mut all: Vec<Text> = Vec::new();
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
            all.push(Text {
                value,
                span: name.span(),
            });
        }
    }
    all
}

/// `migrate = path::to::function`
pub(super) fn migrate(cx: &Ctxt, entry: &Entry) -> Option<Migrate> {
    let path = path(cx, entry, "the path of a function", "path::to::function")?;
    Some(Migrate {
        path,
        key: entry.span(),
    })
}
