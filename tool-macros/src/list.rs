//! `tools![…]`: the elements of a list, checked in `const` and made at run time.

mod deferred;
mod editor;
mod parse;
mod targets;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Expr, LitStr, Path, Type};

use crate::ctxt::Ctxt;
use crate::handle::{Handle, THIS_FUNCTION};
use crate::invisible_chars;
use crate::model::Description;
use crate::name::{TOOL_RULE, is_tool_name};
use crate::parse::attr;
use crate::span::{
    SpanEnds, at_call_site, call_site_at_item, ident, literal, local, quote, quote_call_site,
    select, set_item_span_to_start,
};

use self::targets::ListHead;

/// A parsed list, behind the crate path that the runtime's macro passes.
struct ParsedList {
    krate: TokenTree,
    targets: ListHead,
    elements: Vec<ListElement>,
    state: Option<Expr>,
}

struct ListElement {
    /// Conditions under which the element exists.
    cfg: Vec<Attribute>,
    what: ElementKind,
}

enum ElementKind {
    /// `path::to::tool as "name": "description"`
    One {
        path: Path,
        listed: Option<AsClause>,
    },
    /// `..value: Type as "prefix": "words"`
    Many {
        value: Box<Expr>,
        ty: Box<Type>,
        listed: Option<AsClause>,
    },
}

/// The clause that starts with `as`.
struct AsClause {
    name: LitStr,
    words: Option<Description>,
}

impl AsClause {
    fn check(&self, cx: &Ctxt) {
        let Self { name, words } = self;
        if let Some(Description::Const(words)) = words {
            attr::shown(cx, words);
        }
        let errors = cx.count();
        invisible_chars::check(cx, name.span(), &name.value());
        if cx.count() == errors && !is_tool_name(&name.value()) {
            let name_value = name.value();
            cx.error(
                name,
                format!(
                    "providers refuse the tool name `{name_value}`\nhelp: give another: {TOOL_RULE}"
                ),
            );
        }
    }
}

/// The toolset of a list.
pub(crate) fn list(tokens: TokenStream) -> TokenStream {
    let list: ParsedList = match syn::parse2(tokens.clone()) {
        Ok(list) => list,
        Err(error) => return stand_in(&error, tokens),
    };
    match (list.elements.first(), &list.state) {
        (Some(first), _) => match &first.what {
            ElementKind::One { path, .. } => set_item_span_to_start(path),
            ElementKind::Many { ty, .. } => set_item_span_to_start(ty),
        },
        (None, state) => set_item_span_to_start(state),
    }
    let cx = Ctxt::new();
    for listed in list.elements.iter().filter_map(ListElement::listed) {
        listed.check(&cx);
    }
    list.targets.validate(&cx);
    let errors = cx.finish().err().map(|error| error.to_compile_error());
    let tokens = tokens.into_iter().skip(2).collect();
    let editor = editor::view(&list.krate, tokens, errors.as_ref());
    select(&editor, &toolset(&list, errors.as_ref()))
}

/// Stands in for a list that is not understood.
fn stand_in(error: &syn::Error, tokens: TokenStream) -> TokenStream {
    let error = error.to_compile_error();
    let mut tokens = tokens.into_iter();
    // The crate and a semicolon come first.
    let Some(krate) = tokens.next() else {
        return error;
    };
    let editor = editor::view(&krate, tokens.skip(1).collect(), Some(&error));
    // It has a type, so that its uses do not echo the error.
    let list = quote! {{
        #error
        <#krate::Toolset as ::core::default::Default>::default()
    }};
    select(&editor, &list)
}

/// The toolset as an expression.
fn toolset(list: &ParsedList, errors: Option<&TokenStream>) -> TokenStream {
    let ParsedList {
        krate,
        targets,
        elements,
        state,
    } = list;
    let tools = local("tools");
    // A list that has been refused is not checked further, so that one error stays one.
    let targeted = errors.is_none().then(|| targets.check(elements));
    let check = (errors.is_none() && !elements.is_empty()).then(|| check(elements));
    let words = elements
        .iter()
        .enumerate()
        .filter_map(|(index, element)| element.const_words(index));
    let pushes = elements.iter().enumerate().map(|(index, element)| {
        let listed = element.listed_as(index);
        let push = element.push(&tools, &listed, state.as_ref());
        let cfg = &element.cfg;
        let begin = targets.deferred.begin(index, &tools);
        quote!(#begin #(#cfg)* #push)
    });
    let state = share(
        &state
            .as_ref()
            .map_or_else(|| quote!(()), ToTokens::to_token_stream),
    );
    // Notes about a function that is not a tool point at the first element.
    let mut this_function = ident(THIS_FUNCTION);
    if let Some(first) = elements.first() {
        this_function = first.place().ident(&this_function);
    }
    this_function.set_span(call_site_at_item().located_at(this_function.span()));
    let end = quote_spanned!(this_function.span()=> ;);
    let items = quote_call_site! {
        use #krate::__private as __tool;
        use __tool::IntoListState as _;
        struct #this_function #end
    };
    let count = literal(elements.len());
    // The call-site span is on the whole expression and on no token in it: one would replace the other.
    let mut made = quote!(__tool::toolset(#tools));
    if let instructions @ [_, ..] = targets.instructions.as_slice() {
        made = quote!(__tool::instructed(#made, &[#(#instructions),*]));
    }
    let made = at_call_site(targets.deferred.limited(made));
    at_call_site(quote! {{
        #errors
        #items
        #(#words)*
        #check
        #targeted
        let mut #tools = __tool::List::new(#state, #count);
        #(#pushes)*
        #made
    }})
}

/// The name of the constant with an element's words.
fn words_const(index: usize) -> Ident {
    Ident::new(&format!("__TOOL_WORDS_{index}"), call_site_at_item())
}

impl ListElement {
    fn listed(&self) -> Option<&AsClause> {
        match &self.what {
            ElementKind::One { listed, .. } | ElementKind::Many { listed, .. } => listed.as_ref(),
        }
    }

    /// The call that adds the element to the list.
    fn push(&self, tools: &Ident, listed: &TokenStream, state: Option<&Expr>) -> TokenStream {
        match &self.what {
            ElementKind::One { path, .. } => {
                let handle = Handle::of(path);
                let ty = handle.ty();
                // The compiler points at a type argument that is inferred, too.
                let of_state =
                    state.map_or(quote!(_), |state| SpanEnds::of(state).start(quote!(_)));
                let bound = if handle.arguments.is_none() {
                    quote!(bound)
                } else {
                    quote!(bound_generic)
                };
                let place = SpanEnds::of(path);
                let (bound, arguments) = (
                    place.start(quote!(__tool::#bound::<)),
                    place.end(quote!((&mut #tools, #listed))),
                );
                handle.scope(&quote!(#bound #of_state, #ty> #arguments;))
            }
            ElementKind::Many { value, ty, .. } => {
                let (borrow, shared) = (SpanEnds::of(value).start(quote!(&)), share(value));
                let shared = quote!(#borrow #shared);
                let place = SpanEnds::of(ty);
                let (group, arguments) = (
                    place.start(quote!(__tool::group::<)),
                    place.end(quote!((#shared, &mut #tools, #listed))),
                );
                quote!(#group #ty, _> #arguments;)
            }
        }
    }

    /// The words as a constant, so that they are evaluated, and reported if wrong, once.
    fn const_words(&self, index: usize) -> Option<TokenStream> {
        let words = self.listed()?.words.as_ref()?;
        let (cfg, name) = (&self.cfg, words_const(index));
        Some(quote!(#(#cfg)* const #name: &str = #words;))
    }

    /// The element's name and words in the list.
    fn listed_as(&self, index: usize) -> TokenStream {
        let Some(AsClause { name, words }) = self.listed() else {
            return quote!(&__tool::NameOverride::NONE);
        };
        let kind = match &self.what {
            ElementKind::One { .. } => quote!(Tool),
            ElementKind::Many { .. } => quote!(Instance),
        };
        let words = words.as_ref().map_or_else(
            || literal("").into_token_stream(),
            |_| words_const(index).into_token_stream(),
        );
        quote!(&__tool::NameOverride::#kind(#name, #words))
    }

    /// Returns the element's entry in a table. If its `#[cfg]` disables the element, `nothing` takes the entry's
    /// place, so the indices of the others do not change.
    fn or(&self, nothing: &TokenStream, brings: TokenStream) -> TokenStream {
        if self.cfg.is_empty() {
            return brings;
        }
        let lists = self
            .cfg
            .iter()
            .filter_map(|attr| attr.meta.require_list().ok());
        let asked = lists.map(|list| &list.tokens);
        let cfg = &self.cfg;
        quote!(#(#cfg)* #brings, #[cfg(not(all(#(#asked),*)))] #nothing)
    }
}

/// The check in `const` that names are distinct, each element at its place.
fn check(elements: &[ListElement]) -> TokenStream {
    let taken = local("taken");
    let checks = elements.iter().map(|element| {
        let unique = |place: SpanEnds, names: &TokenStream| {
            let (unique, arguments) = (
                place.start(quote!(__tool::unique)),
                place.end(quote!((&mut #taken, #names))),
            );
            quote!(#unique #arguments;)
        };
        let check = match &element.what {
            ElementKind::One {
                path,
                listed: Some(AsClause { name, .. }),
            } => {
                let named = |was| unique(SpanEnds::of(name), &quote!(__tool::name_as(#name, #was)));
                // A constant cannot name the type parameters around it.
                if path.segments.iter().any(|one| !one.arguments.is_none()) {
                    named(quote!(&[]))
                } else {
                    let handle = Handle::of(path);
                    let ty = handle.ty();
                    handle.scope(&named(quote!(__tool::Listed::<#ty>::WAS)))
                }
            }
            ElementKind::One { path, listed: None } => {
                let handle = Handle::of(path);
                let ty = handle.ty();
                let unique = unique(SpanEnds::of(path), &quote!(__tool::Listed::<#ty>::NAME));
                handle.scope(&unique)
            }
            ElementKind::Many { ty, listed, .. } => {
                let prefix = listed
                    .as_ref()
                    .map(|AsClause { name, .. }| quote!(.prefixed(#name)));
                unique(
                    SpanEnds::of(ty),
                    &quote!(__tool::Listed::<#ty>::NAMES #prefix),
                )
            }
        };
        let cfg = &element.cfg;
        quote!(#(#cfg)* #check)
    });
    let imports = quote_call_site!(
        use __tool::Unlisted as _;
    );
    let count = literal(elements.len());
    // They may all be off.
    let allowed = elements
        .iter()
        .any(|element| !element.cfg.is_empty())
        .then(|| quote!(#[allow(unused_mut, clippy::no_effect_underscore_binding)]));
    quote! {
        #allowed
        const _: () = {
            #imports
            let mut #taken = __tool::UsedNames::<#count>::NONE;
            #(#checks)*
        };
    }
}

/// A value as an `Arc`, at its place.
fn share(value: &impl ToTokens) -> TokenStream {
    let place = SpanEnds::of(value);
    let (given, share) = (
        place.start(quote!(__tool::StateExpr)),
        place.end(quote!(.__list_state())),
    );
    quote!(#given(#value)#share)
}
