//! The grammar of our attributes: options `key`, `key = value` and `key(list)`. An attribute is a [`Table`] of its keys, each
//! with the reader of its value.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{LitStr, Meta, Token, Type};

use super::suggestions::unknown;
use crate::ctxt::Ctxt;

/// One option of an attribute.
pub(crate) struct KeyValue {
    /// The key without `r#`; empty where the key is a path.
    pub(crate) key: String,
    pub(crate) meta: Meta,
    /// Type behind `as =`; it is not an expression.
    pub(crate) ty: Option<Type>,
}

impl KeyValue {
    /// Reads one option as the grammar of attributes has it.
    pub(crate) fn of(meta: Meta) -> Self {
        let ident = meta.path().get_ident();
        Self {
            key: ident
                .map(|ident| ident.unraw().to_string())
                .unwrap_or_default(),
            meta,
            ty: None,
        }
    }

    /// Returns the span of the key.
    pub(crate) fn span(&self) -> Span {
        self.meta.path().span()
    }

    /// Returns the tokens between the parentheses of `key(…)`, or else the whole option.
    pub(crate) fn list(&self) -> TokenStream {
        match &self.meta {
            Meta::List(list) => list.tokens.clone(),
            other => other.to_token_stream(),
        }
    }

    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return Err(input.error(
                "options have names\nhelp: write `key = \"…\"`; a description is a `///` comment above the item",
            ));
        }
        if is_keyword(input) {
            let key = input.call(Ident::parse_any)?;
            while !input.is_empty() && !input.peek(Token![,]) {
                input.parse::<TokenTree>()?;
            }
            let key = Ident::new_raw(&key.to_string(), key.span());
            return Ok(Self::of(Meta::Path(key.into())));
        }
        if !input.peek(Token![as]) {
            // The end of the tokens has no place but the whole attribute's.
            let ahead = input.fork();
            if let (Ok(key), Ok(equals)) =
                (ahead.call(Ident::parse_any), ahead.parse::<Token![=]>())
                && (ahead.is_empty() || ahead.peek(Token![,]))
            {
                return Err(syn::Error::new(
                    equals.span,
                    format!("`{key} =` has no value\nhelp: write `{key} = …`"),
                ));
            }
            return Ok(Self::of(input.parse()?));
        }
        let keyword: Token![as] = input.parse()?;
        let wanted = "`as` takes a type\nhelp: write `as = String`";
        if !input.peek(Token![=]) {
            return Err(syn::Error::new(keyword.span, wanted));
        }
        input.parse::<Token![=]>()?;
        let found = input.span();
        let ty: Type = input.parse().map_err(|_| syn::Error::new(found, wanted))?;
        Ok(Self {
            key: "as".to_owned(),
            meta: Meta::Path(Ident::new_raw("as", keyword.span).into()),
            ty: Some(ty),
        })
    }
}

/// Returns true for a keyword that no option has, such as `enum`.
fn is_keyword(input: ParseStream<'_>) -> bool {
    let is_option = input.peek(syn::Ident)
        || input.peek(Token![as])
        || input.peek(Token![crate])
        || input.peek(Token![self])
        || input.peek(Token![super])
        || input.peek(Token![Self])
        || input.peek(Token![_]);
    input.peek(Ident::peek_any) && !is_option
}

/// Reads the options in the parentheses of an attribute, each of them once.
pub(crate) fn entries(cx: &Ctxt, tokens: TokenStream) -> Vec<KeyValue> {
    entries_after(cx, &mut Vec::new(), tokens)
}

/// Reads options after those in `seen`, of the same item.
pub(super) fn entries_after(
    cx: &Ctxt,
    seen: &mut Vec<String>,
    tokens: TokenStream,
) -> Vec<KeyValue> {
    let parser = |input: ParseStream<'_>| {
        let mut entries = Vec::new();
        while !input.is_empty() {
            let entry = KeyValue::parse(input)?;
            if input.peek(Token![:]) {
                let key = &entry.key;
                return Err(input.error(format!(
                    "the value of an option comes after `=`\nhelp: write `{key} = …`"
                )));
            }
            entries.push(entry);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(entries)
    };
    let mut entries = cx.ok(parser.parse2(tokens)).unwrap_or_default();
    entries.retain(|entry| {
        // A tool may have several.
        let may_repeat = entry.key == "example" && matches!(entry.meta, Meta::List(_));
        let is_again = !may_repeat && seen.contains(&entry.key);
        if is_again {
            cx.error(
                entry.meta.path(),
                format!("`{}` is given twice\nhelp: remove one", entry.key),
            );
        } else if !entry.key.is_empty() {
            seen.push(entry.key.clone());
        }
        !is_again
    });
    entries
}

/// Reads the value of an option into `T`.
pub(crate) type Reader<T> = fn(&Ctxt, &KeyValue, &mut T);

/// The keys of an attribute, in the order in which the documentation lists them.
pub(crate) struct Table<T: 'static> {
    /// The attribute's name.
    pub(crate) attribute: &'static str,
    pub(crate) rows: &'static [(&'static str, Reader<T>)],
}

impl<T> Table<T> {
    /// Reads an option, or returns false if no row has its key.
    pub(crate) fn read(&self, cx: &Ctxt, entry: &KeyValue, into: &mut T) -> bool {
        let row = self.rows.iter().find(|(key, _)| *key == entry.key);
        if let Some((_, reader)) = row {
            reader(cx, entry, into);
        }
        row.is_some()
    }

    /// Reads an option, or reports it as unknown.
    pub(crate) fn read_known(&self, cx: &Ctxt, entry: &KeyValue, into: &mut T) -> bool {
        let is_known = self.read(cx, entry, into);
        if !is_known {
            unknown(cx, entry, self.attribute, &self.keys());
        }
        is_known
    }

    pub(crate) fn keys(&self) -> Vec<&'static str> {
        self.rows.iter().map(|(key, _)| *key).collect()
    }
}
