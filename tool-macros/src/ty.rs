//! Spelling of a parameter's type, and its consequences for the slot.

use std::ptr;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Expr, ExprLit, GenericArgument, Lifetime, Lit, Pat, PathArguments, ReturnType, Type, TypePath,
    TypeReference,
};

use crate::span::{SpanEnds, quote};

/// Returns the type that is decoded for a parameter of this type, and its conversion to the argument.
///
/// The spelling decides, since a macro sees no more: behind an alias a reference is decoded as it
/// is, which works for `&str`.
pub(crate) fn slot(ty: &Type) -> (TokenStream, PassBy) {
    let by_value = || (ty.to_token_stream(), PassBy::Value);
    match ungrouped(ty) {
        Type::Reference(reference) => match referent(reference) {
            Referent::Text => by_value(),
            Referent::Slice(item) => (vec_of(reference, item), PassBy::Ref),
            Referent::Other(inner) => (inner.to_token_stream(), PassBy::Ref),
        },
        Type::Path(path) => {
            if is_cow_str(path) {
                return (quote!(&str), PassBy::Cow);
            }
            match option_of(path).map(ungrouped) {
                Some(Type::Reference(reference)) => match referent(reference) {
                    Referent::Text => by_value(),
                    Referent::Slice(item) => {
                        let items = vec_of(reference, item);
                        (option(path, &items), PassBy::OptionDeref)
                    }
                    Referent::Other(inner) => (option(path, inner), PassBy::OptionRef),
                },
                Some(Type::Path(inner)) if is_cow_str(inner) => {
                    (option(path, &quote!(&str)), PassBy::OptionCow)
                }
                _ => by_value(),
            }
        }
        _ => by_value(),
    }
}

/// Returns true if the decoded value of this type contains only references to text, so that it can be read.
pub(crate) fn is_read(ty: &Type) -> bool {
    fn owns(ty: &Type) -> bool {
        match ungrouped(ty) {
            Type::Reference(reference) => matches!(referent(reference), Referent::Text),
            Type::Path(path) => types_in(path).all(owns),
            _ => true,
        }
    }
    let lent = match ungrouped(ty) {
        Type::Path(path) => option_of(path).unwrap_or(ty),
        _ => ty,
    };
    match ungrouped(lent) {
        Type::Reference(reference) => match referent(reference) {
            Referent::Text => true,
            Referent::Slice(inner) | Referent::Other(inner) => owns(inner),
        },
        other => owns(other),
    }
}

/// The type arguments of a path's last word.
fn types_in(path: &TypePath) -> impl Iterator<Item = &Type> {
    let last = path.path.segments.last().map(|last| &last.arguments);
    let arguments = match last {
        Some(PathArguments::AngleBracketed(arguments)) => Some(&arguments.args),
        _ => None,
    };
    arguments
        .into_iter()
        .flatten()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
}

/// `Vec<item>`, in the place of the slice.
fn vec_of(slice: &TypeReference, item: &Type) -> TokenStream {
    wrapped(slice, quote!(__tool::Vec), item)
}

/// `Option<inner>`, in the place of an option of something else.
fn option(of: &TypePath, inner: &impl ToTokens) -> TokenStream {
    wrapped(of, quote!(__tool::Option), inner)
}

fn wrapped(at: &impl ToTokens, wrapper: TokenStream, inner: &impl ToTokens) -> TokenStream {
    let place = SpanEnds::of(at);
    let (wrapper, end) = (place.start(wrapper), place.end(quote!(>)));
    quote!(#wrapper<#inner #end)
}

/// The type without parentheses and invisible groups.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}

enum Referent<'t> {
    /// A type that borrows from the text itself.
    Text,
    Slice(&'t Type),
    Other(&'t Type),
}

/// Types that have no size: references to them are read.
const TEXTS: [&str; 4] = ["str", "Path", "RawValue", "Utf8Path"];

fn referent(reference: &TypeReference) -> Referent<'_> {
    match ungrouped(&reference.elem) {
        Type::Slice(slice) => Referent::Slice(&slice.elem),
        Type::Path(path) if TEXTS.iter().any(|name| is_last(path, name)) => Referent::Text,
        other => Referent::Other(other),
    }
}

/// `&Self`
pub(crate) fn is_shared_self(ty: &Type) -> bool {
    let Type::Reference(reference) = ungrouped(ty) else {
        return false;
    };
    let is_self =
        matches!(ungrouped(&reference.elem), Type::Path(path) if path.path.is_ident("Self"));
    is_self && reference.mutability.is_none()
}

fn is_last(path: &TypePath, name: &str) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|segment| segment.ident == name && segment.arguments.is_empty())
}

/// Returns true if a path is spelled as std's `module::name`. A single name counts as std's.
fn is_of_std(path: &TypePath, module: &str) -> bool {
    let mut segments = path.path.segments.iter().rev().skip(1);
    segments.next().is_none_or(|parent| parent.ident == module)
}

/// The one type argument of `Name<…>`, lifetimes aside.
fn argument<'t>(path: &'t TypePath, name: &str) -> Option<&'t Type> {
    path.path
        .segments
        .last()
        .filter(|last| last.ident == name)?;
    let mut types = types_in(path);
    types.next().filter(|_| types.next().is_none())
}

/// The value's and the error's type of a type spelled as `Result`; otherwise, or if one is not spelled, the type
/// itself.
pub(crate) fn result_of(ty: &Type) -> (&Type, &Type) {
    let Type::Path(path) = ungrouped(ty) else {
        return (ty, ty);
    };
    let last = path.path.segments.last();
    if last.is_none_or(|last| last.ident != "Result") {
        return (ty, ty);
    }
    let mut types = types_in(path);
    (types.next().unwrap_or(ty), types.next().unwrap_or(ty))
}

/// Returns the first `Result` of two types inside of a return type. One of a single type may be an alias, or any type of
/// that name.
pub(crate) fn inner_result(output: &Type) -> Option<&Type> {
    fn find(ty: &Type) -> Option<&Type> {
        match result_of(ty) {
            (value, error) if !ptr::eq(value, ty) && !ptr::eq(error, ty) => Some(ty),
            _ => inside(ty),
        }
    }
    fn inside(ty: &Type) -> Option<&Type> {
        match ungrouped(ty) {
            Type::Path(path) => types_in(path).find_map(find),
            Type::Tuple(tuple) => tuple.elems.iter().find_map(find),
            Type::Array(array) => find(&array.elem),
            Type::Slice(slice) => find(&slice.elem),
            Type::Reference(reference) => find(&reference.elem),
            _ => None,
        }
    }
    match result_of(output) {
        (value, _) if ptr::eq(value, output) => inside(output),
        (value, _) => find(value),
    }
}

/// Returns true if the return type is spelled as `Items`, or as a `Result` of them.
pub(crate) fn is_stream(output: &ReturnType) -> bool {
    let ReturnType::Type(_, ty) = output else {
        return false;
    };
    matches!(ungrouped(result_of(ty).0), Type::Path(path) if argument(path, "Items").is_some())
}

fn option_of(path: &TypePath) -> Option<&Type> {
    argument(path, "Option").filter(|_| is_of_std(path, "option"))
}

/// Returns true if the type is spelled as an `Option`: it may be missing, even if its schema is foreign.
pub(crate) fn is_option(ty: &Type) -> bool {
    inside_option(ty).is_some()
}

/// Returns the `T` of an `Option<T>`.
pub(crate) fn inside_option(ty: &Type) -> Option<&Type> {
    match ungrouped(ty) {
        Type::Path(path) => option_of(path),
        _ => None,
    }
}

/// Returns true for `String` and `Cow<str>`, which a literal converts into.
pub(crate) fn is_owned_text(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Path(path) => {
            is_cow_str(path) || is_last(path, "String") && is_of_std(path, "string")
        }
        _ => false,
    }
}

/// Returns the `T` of an `Arc<T>`.
pub(crate) fn shared(ty: &Type) -> Option<&Type> {
    match ungrouped(ty) {
        Type::Path(path) => argument(path, "Arc").filter(|_| is_of_std(path, "sync")),
        _ => None,
    }
}

fn is_cow_str(path: &TypePath) -> bool {
    let item = argument(path, "Cow").filter(|_| is_of_std(path, "borrow"));
    match item.map(ungrouped) {
        Some(Type::Path(inner)) => is_last(inner, "str"),
        _ => false,
    }
}

/// Replaces the given lifetimes by inferred ones: they belong to the function, and generated code is outside it.
pub(crate) fn infer_lifetimes(tokens: TokenStream, own: &[Ident]) -> TokenStream {
    if own.is_empty() {
        return tokens;
    }
    rewrite(tokens, &|name| own.contains(name).then_some("_"), None)
}

/// Makes every lifetime `'static`, also that of each `&` without one, so that the type borrows nothing from a call.
pub(crate) fn static_lifetimes(tokens: TokenStream) -> TokenStream {
    rewrite(tokens, &|_| Some("static"), Some("'static"))
}

/// Gives one name to the lifetimes that a type borrows for: the given ones, and those that are not named.
pub(crate) fn name_lifetimes(tokens: TokenStream, own: &[Ident], new: &'static str) -> TokenStream {
    let is_call = |name: &Ident| own.contains(name) || name == "_";
    let name = new.trim_start_matches('\'');
    rewrite(tokens, &|of| is_call(of).then_some(name), Some(new))
}

fn rewrite(
    tokens: TokenStream,
    new: &dyn Fn(&Ident) -> Option<&'static str>,
    elided: Option<&'static str>,
) -> TokenStream {
    let mut out = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let inner = rewrite(group.stream(), new, elided);
                let mut rewritten = Group::new(group.delimiter(), inner);
                rewritten.set_span(group.span());
                out.push(rewritten.into());
            }
            TokenTree::Punct(tick) if tick.as_char() == '\'' => {
                out.push(tick.into());
                if let Some(TokenTree::Ident(name)) = tokens.next() {
                    let ident = match new(&name) {
                        Some(new) => Ident::new(new, name.span()),
                        None => name,
                    };
                    out.push(ident.into());
                }
            }
            TokenTree::Punct(and) if elided.is_some() && and.as_char() == '&' => {
                let span = and.span();
                out.push(and.into());
                let named =
                    matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'');
                if let (Some(name), false) = (elided, named) {
                    out.extend(Lifetime::new(name, span).to_token_stream());
                }
            }
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}

/// The first lifetime in a type, `'static` aside.
pub(crate) fn lifetime(tokens: TokenStream) -> Option<Lifetime> {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(tick) if tick.as_char() == '\'' => {
                if let Some(TokenTree::Ident(ident)) = tokens.next()
                    && ident != "static"
                {
                    let apostrophe = tick.span();
                    return Some(Lifetime { apostrophe, ident });
                }
            }
            TokenTree::Group(group) => {
                if let Some(found) = lifetime(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// The first lifetime in a type, except for `'static` and those that the type declares itself.
pub(crate) fn free_lifetime(tokens: &TokenStream) -> Option<Lifetime> {
    let bound = bound_lifetimes(tokens.clone());
    lifetime(tokens.clone()).filter(|lifetime| !bound.contains(&lifetime.ident.to_string()))
}

/// Returns the lifetimes that `for<'a>` declares in a type, as texts.
fn bound_lifetimes(tokens: TokenStream) -> Vec<String> {
    let mut bound = Vec::new();
    let mut is_binder = false;
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) => is_binder = ident == "for",
            TokenTree::Punct(punct) if punct.as_char() == '>' => is_binder = false,
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                let name = tokens.next().filter(|_| is_binder);
                bound.extend(name.map(|name| name.to_string()));
            }
            TokenTree::Group(group) => bound.extend(bound_lifetimes(group.stream())),
            _ => {}
        }
    }
    bound
}

/// The first of these words that is a bound of `dyn` or `impl` in a type, at any depth.
pub(crate) fn find_bound(tokens: TokenStream, words: &[&str]) -> Option<TokenTree> {
    let (mut is_bound, mut is_binder) = (false, false);
    tokens.into_iter().find_map(|token| match &token {
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            is_bound |= name == "dyn" || name == "impl";
            is_binder |= name == "for";
            (is_bound && words.contains(&name.as_str())).then_some(token)
        }
        TokenTree::Punct(punct) => {
            is_bound &= is_binder || matches!(punct.as_char(), ':' | '+' | '\'');
            is_binder &= punct.as_char() != '>';
            None
        }
        TokenTree::Group(group) => find_bound(group.stream(), words),
        TokenTree::Literal(_) => None,
    })
}

/// The first of these words in a type, at any depth, but not in the code of an array's length.
pub(crate) fn find(tokens: TokenStream, words: &[&str]) -> Option<TokenTree> {
    tokens.into_iter().find_map(|token| match &token {
        // Compared with a word, an identifier is made a text each time.
        TokenTree::Ident(ident) if words.contains(&ident.to_string().as_str()) => Some(token),
        TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
            find(group.stream(), words)
        }
        _ => None,
    })
}

/// Returns true for a `_` in place of a type or a length, but not for the lifetime `'_`, and not in what a macro reads.
pub(crate) fn has_placeholder(tokens: TokenStream) -> bool {
    let mut before = ' ';
    tokens.into_iter().any(|token| {
        let behind = std::mem::replace(&mut before, ' ');
        match token {
            TokenTree::Punct(punct) => {
                before = punct.as_char();
                false
            }
            TokenTree::Ident(ident) => behind != '\'' && ident == "_",
            TokenTree::Group(group) => {
                behind != '!'
                    && group.delimiter() != Delimiter::Brace
                    && has_placeholder(group.stream())
            }
            TokenTree::Literal(_) => false,
        }
    })
}

/// Returns true if a type consists of primitives and prelude types alone. Users rarely shadow these names, and types
/// of other crates have a path or other arguments.
pub(crate) fn is_basic(ty: &Type) -> bool {
    const WORDS: [&str; 14] = [
        "bool", "char", "str", "String", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
        "f32", "f64",
    ];
    match ty {
        Type::Path(path) => {
            let mut segments = path.path.segments.iter();
            let (Some(word), None, None) = (segments.next(), segments.next(), &path.qself) else {
                return false;
            };
            match &word.arguments {
                PathArguments::None => WORDS.contains(&word.ident.to_string().as_str()),
                PathArguments::AngleBracketed(arguments) => {
                    let mut inner = arguments.args.iter();
                    match (inner.next(), inner.next()) {
                        (Some(GenericArgument::Type(inner)), None) => {
                            (word.ident == "Option" || word.ident == "Vec") && is_basic(inner)
                        }
                        _ => false,
                    }
                }
                PathArguments::Parenthesized(_) => false,
            }
        }
        Type::Reference(reference) => is_basic(&reference.elem),
        Type::Slice(slice) => is_basic(&slice.elem),
        Type::Paren(paren) => is_basic(&paren.elem),
        Type::Group(group) => is_basic(&group.elem),
        _ => false,
    }
}

/// The identifier of a plain `name` or `mut name`.
pub(crate) fn plain_ident(pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        _ => None,
    }
}

/// The expression without the invisible groups that `macro_rules` puts around its captures.
pub(crate) fn ungrouped_expr(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped_expr(&group.expr),
        other => other,
    }
}

/// Tokens as people write them: `&mut self`, where a token stream shows `& mut self`.
pub(crate) fn spelled(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    text.replace("& ", "&")
        .replace(" :", ":")
        .replace(":: ", "::")
        .replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">")
}

/// Returns true for a string literal.
pub(crate) fn is_str(expr: &Expr) -> bool {
    matches!(
        ungrouped_expr(expr),
        Expr::Lit(ExprLit {
            lit: Lit::Str(_),
            ..
        })
    )
}

/// Conversion from the decoded value to the body's argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassBy {
    /// As it is.
    Value,
    /// By reference: `&T`, `&[T]`.
    Ref,
    /// As a borrowed `Cow`.
    Cow,
    /// `Option<Cow<str>>`
    OptionCow,
    /// `Option<&T>`
    OptionRef,
    /// `Option<&[T]>`
    OptionDeref,
}

impl PassBy {
    /// Returns true if the body borrows the decoded value.
    pub(crate) fn lends(self) -> bool {
        matches!(self, Self::Ref | Self::OptionRef | Self::OptionDeref)
    }
}
