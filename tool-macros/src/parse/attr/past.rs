//! Names that a tool had before: `was("place_order")`.

use syn::punctuated::Punctuated;
use syn::{LitStr, Meta, Token};

use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::model::{FunctionRole, Options, Text};
use crate::name::{TOOL_RULE, is_tool_name};

/// Options that are gone, each with its replacement.
const GONE: [(&str, &str); 3] = [
    (
        "handle",
        "`handle` was removed: a tool is listed by its function's name\nhelp: if that name collides, rename the function and keep the model's name: `name = \"…\"`",
    ),
    (
        "full_doc",
        "`full_doc` was removed: code blocks and sections such as `# Examples` are not sent to a model\nhelp: write the model's text: `description = \"…\"`",
    ),
    (
        "spawn",
        "`spawn` was removed: calls run on the task of their batch\nhelp: write `blocking` for a synchronous body that computes or blocks; in an `async` body, call `tokio::spawn`",
    ),
];

/// Rejects an option that is gone: `version` and `migrate` once for both.
pub(super) fn is_gone(cx: &Ctxt, entry: &Entry, options: &mut Options) -> bool {
    let key = entry.key.as_str();
    if let Some((_, words)) = GONE.iter().find(|(gone, _)| *gone == key) {
        cx.error(entry.meta.path(), *words);
        return true;
    }
    let is_version = options.role == FunctionRole::Tool && ["version", "migrate"].contains(&key);
    if is_version && !std::mem::replace(&mut options.has_version, true) {
        cx.error(
            entry.meta.path(),
            "a tool has no `version` and no `migrate`: stored calls are read under old names\nhelp: name what was renamed: `was(\"old_name\")` here, and `#[arg(was = \"old_name\")]` at an argument; a tool that means something else gets another name",
        );
    }
    is_version
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
