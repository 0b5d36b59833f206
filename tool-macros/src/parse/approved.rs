//! Rules for a parameter of the type `Approved<'_>`, a person's approval of the call.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, GenericArgument, PathArguments, Type};

use super::param::borrows_from_call;
use crate::ctxt::Ctxt;
use crate::ty;
use crate::ty::is_basic;

const NAME: &str = "Approved";

/// Returns true if a parameter of this type is, or should be, the call's approval: `Approved<'_>`, alone or within another
/// type. A type of that name without a lifetime is the user's own.
pub(crate) fn is_approval(ty: &Type) -> bool {
    !is_basic(ty) && (is_approved(ty) || find(ty.to_token_stream()).is_some())
}

/// `Approved<'_>`, by any path.
fn is_approved(ty: &Type) -> bool {
    let Type::Path(path) = ty::ungrouped(ty) else {
        return false;
    };
    path.path.segments.last().is_some_and(|last| {
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return false;
        };
        last.ident == NAME
            && arguments.args.len() == 1
            && matches!(arguments.args.first(), Some(GenericArgument::Lifetime(_)))
    })
}

/// The word `Approved` before `<'`, anywhere in a type.
fn find(tokens: TokenStream) -> Option<Ident> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == NAME => {
                let opens = tokens.next_if(|next| is_punct(next, '<'));
                if opens.is_some() && tokens.peek().is_some_and(|next| is_punct(next, '\'')) {
                    return Some(ident);
                }
            }
            TokenTree::Group(group) => {
                if let Some(found) = find(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// The approval comes with the call, alone and by value: one that may be missing would let the body run without it, and one
/// behind a reference could be used again.
pub(crate) fn is_alone(cx: &Ctxt, ident: &Ident, ty: &Type) -> bool {
    if is_approved(ty) {
        return borrows_from_call(cx, ident, ty);
    }
    match ty::ungrouped(ty) {
        Type::Reference(reference) if is_approved(&reference.elem) => cx.error_at(
            reference.and_token.span(),
            format!("an approval is passed by value, since it is for one run\nhelp: write `{ident}: Approved<'_>`"),
        ),
        _ => cx.error(
            find(ty.to_token_stream()),
            format!("a tool that requires approval never runs without it, so `{NAME}` stands alone\nhelp: write `{ident}: Approved<'_>`"),
        ),
    }
    false
}

/// Neither the model nor the host's state fills it.
pub(crate) fn is_unmarked(cx: &Ctxt, attrs: &mut Vec<Attribute>) {
    attrs.retain(|attr| {
        let marks = ["arg", "state", "context"];
        let Some(mark) = marks.into_iter().find(|mark| attr.path().is_ident(mark)) else {
            return true;
        };
        cx.error(
            attr,
            format!("the approval comes with the call\nhelp: remove `#[{mark}]`"),
        );
        false
    });
}
