//! `targets(…)`: names of dialects. Which ones there are is the runtime's to say.

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Ident, Meta, Token};

use super::entry::KeyValue;
use crate::ctxt::Ctxt;

/// `targets(openai_strict, …)`
pub(super) fn targets(cx: &Ctxt, entry: &KeyValue) -> Vec<Ident> {
    let meta = &entry.meta;
    let Meta::List(list) = meta else {
        cx.error(
            meta,
            "`targets` takes a list\nhelp: write `targets(openai_strict, gemini_json)`",
        );
        return Vec::new();
    };
    let parser = Punctuated::<Ident, Token![,]>::parse_terminated;
    let Ok(targets) = parser.parse2(list.tokens.clone()) else {
        cx.error(
            &list.tokens,
            "a target is the name of a dialect\nhelp: write `targets(openai_strict, gemini_json)`",
        );
        return Vec::new();
    };
    if targets.is_empty() {
        cx.error(
            meta,
            "`targets` names no dialect\nhelp: write `targets(openai_strict, gemini_json)`, or remove it",
        );
    }
    distinct(cx, targets)
}

/// The names of dialects, each once.
pub(crate) fn distinct(cx: &Ctxt, targets: impl IntoIterator<Item = Ident>) -> Vec<Ident> {
    let mut distinct: Vec<Ident> = Vec::new();
    for target in targets {
        if distinct.contains(&target) {
            cx.error(
                &target,
                format!("`{target}` is a target twice\nhelp: remove one"),
            );
        } else {
            distinct.push(target);
        }
    }
    distinct
}
