//! One option of an attribute, whosever it is.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token, Type};

use crate::args;
use crate::ctxt::Ctxt;

use super::bounds::{self, BOUNDS, Bounds};
use super::serde_attr::{AttrOwner, Meaning, meaning};

/// Attribute that an option belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionOwner {
    Schema,
    Serde,
    Schemars,
}

/// One option of an attribute.
pub(super) struct SchemaOption {
    pub(super) of: OptionOwner,
    pub(super) meta: Meta,
    pub(super) key: String,
    /// Type behind `as =`, which cannot be parsed as an expression.
    pub(super) ty: Option<Type>,
}

impl SchemaOption {
    /// An option that is a bound, says nothing, or is refused: what is not understood must not be
    /// passed over, or the schema would lie.
    pub(super) fn other(&self, cx: &Ctxt, place: AttrOwner, bounds: &mut Bounds, known: &[&str]) {
        let Self { of, meta, key, .. } = self;
        match of {
            OptionOwner::Schema => {
                if !bounds::read(cx, meta, key, bounds) {
                    let options: Vec<_> = known.iter().copied().chain(BOUNDS).collect();
                    args::unknown(cx, meta, key, "schema", &options);
                }
            }
            OptionOwner::Schemars => {
                let silent = ["crate", "bound", "rename", "deny_unknown_fields", "inline"];
                if !bounds::read_schemars(cx, meta, key, bounds) && !silent.contains(&key.as_str())
                {
                    cx.error(
                        meta.path(),
                        format!("`#[derive(Schema)]` does not read `#[schemars({key})]`\nhelp: say the same with `#[schema(…)]`, or implement `Schema` by hand"),
                    );
                }
            }
            OptionOwner::Serde => match meaning(place, key) {
                Some(Meaning::Refused(why)) => cx.error(
                    meta.path(),
                    format!("`#[serde({key})]` has no schema: {why}"),
                ),
                Some(Meaning::Nothing) => {}
                // Of a name that serde does not know either it says so itself.
                Some(Meaning::Read | Meaning::Custom) | None => {}
            },
        }
    }
}

/// The options of our attribute, serde's and schemars', in this order: what is said to us wins.
pub(super) fn options(cx: &Ctxt, attrs: &[Attribute]) -> Vec<SchemaOption> {
    let mut options: Vec<SchemaOption> = Vec::new();
    for (of, name) in [
        (OptionOwner::Schemars, "schemars"),
        (OptionOwner::Serde, "serde"),
        (OptionOwner::Schema, "schema"),
    ] {
        for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
            let Meta::List(list) = &attr.meta else {
                continue;
            };
            if of == OptionOwner::Schema {
                options.extend(ours(cx, list.tokens.clone()));
                continue;
            }
            let metas = if of == OptionOwner::Serde {
                // serde's derive reports what is wrong with its attributes.
                Punctuated::<Meta, Token![,]>::parse_terminated
                    .parse2(list.tokens.clone())
                    .map(|metas| metas.into_iter().collect())
                    .unwrap_or_default()
            } else {
                args::metas(cx, list.tokens.clone())
            };
            for meta in metas {
                let key = args::key(&meta).unwrap_or_default();
                options.push(SchemaOption {
                    of,
                    meta,
                    key,
                    ty: None,
                });
            }
        }
    }
    options
}

/// Our own options. `as` is a keyword, and a type behind it no expression, so that the grammar of
/// attributes does not hold here.
fn ours(cx: &Ctxt, tokens: TokenStream) -> Vec<SchemaOption> {
    let parser = |input: ParseStream<'_>| {
        let mut options: Vec<SchemaOption> = Vec::new();
        while !input.is_empty() {
            let option = if input.peek(Token![as]) {
                let keyword: Token![as] = input.parse()?;
                let wanted = "`as` takes a type\nhelp: write `as = String`";
                if !input.peek(Token![=]) {
                    return Err(syn::Error::new(keyword.span, wanted));
                }
                input.parse::<Token![=]>()?;
                let found = input.span();
                let ty: Type = input.parse().map_err(|_| syn::Error::new(found, wanted))?;
                SchemaOption {
                    of: OptionOwner::Schema,
                    meta: Meta::Path(Ident::new_raw("as", keyword.span).into()),
                    key: "as".to_owned(),
                    ty: Some(ty),
                }
            } else {
                let meta: Meta = input.parse()?;
                let key = args::key(&meta).unwrap_or_default();
                SchemaOption {
                    of: OptionOwner::Schema,
                    meta,
                    key,
                    ty: None,
                }
            };
            if !option.key.is_empty() && options.iter().any(|known| known.key == option.key) {
                cx.error(
                    option.meta.path(),
                    format!("`{}` is given twice\nhelp: remove one", option.key),
                );
            }
            options.push(option);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    };
    cx.ok(parser.parse2(tokens)).unwrap_or_default()
}
