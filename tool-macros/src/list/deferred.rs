//! `defer: { crm: [find, update], files: [..disk: Disk] }, at_most: 40` at the head of a list: groups of tools that a request
//! does not have until the conversation has found them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, ExprLit, Lit, LitInt, LitStr, Meta, Token, braced, bracketed, token};

use super::ListElement;
use super::parse::elements;
use crate::ctxt::Ctxt;
use crate::invisible_chars;
use crate::name::{TOOL_RULE, is_tool_name};
use crate::span::{SpanEnds, literal, quote};

const FORM: &str = "help: write `defer: { crm: [find_customer, close_order] }`";

/// The name of the tool that finds the others.
const SEARCH_TOOLS: &str = "search_tools";

/// A group of deferred tools.
pub(super) struct Group {
    name: LitStr,
    words: String,
    words_span: Span,
    pub(super) elements: Vec<ListElement>,
}

/// Where the tools of a group begin in the list.
pub(super) struct GroupStart {
    at: usize,
    name: String,
    words: String,
}

/// The deferred part of a list.
#[derive(Default)]
pub(super) struct DeferredGroups {
    /// The number of tools and types with tools that are not deferred; these come first.
    stable: usize,
    starts: Vec<GroupStart>,
    at_most: Option<LitInt>,
}

/// Reads the groups.
pub(super) fn parse(key: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Group>> {
    if !input.peek(token::Brace) {
        return Err(syn::Error::new(
            input.span(),
            format!("`defer` takes groups of tools\n{FORM}"),
        ));
    }
    let content;
    braced!(content in input);
    let mut groups: Vec<Group> = Vec::new();
    while !content.is_empty() {
        let group: Group = content.parse()?;
        let name = group.name.value();
        if groups.iter().any(|known| known.name.value() == name) {
            return Err(syn::Error::new(
                group.name.span(),
                format!("the group `{name}` is given twice\nhelp: list its tools in one place"),
            ));
        }
        groups.push(group);
        if content.is_empty() {
            break;
        }
        content.parse::<Token![,]>().map_err(|error| {
            syn::Error::new(
                error.span(),
                format!("expected `,` between the groups\n{FORM}"),
            )
        })?;
    }
    if groups.is_empty() {
        return Err(syn::Error::new(
            key.span(),
            format!("`defer` has no groups, so nothing is deferred\n{FORM}"),
        ));
    }
    Ok(groups)
}

impl Parse for Group {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let (words, words_span) = words(&attrs)?;
        let name = if input.peek(LitStr) {
            input.parse()?
        } else {
            let name = input.call(Ident::parse_any).map_err(|error| {
                syn::Error::new(error.span(), format!("a group has a name\n{FORM}"))
            })?;
            LitStr::new(&name.unraw().to_string(), name.span())
        };
        if input.peek(Token![-]) {
            return Err(syn::Error::new(
                name.span(),
                "a group's name with `-` stands in quotes\nhelp: `\"my-group\": [tool]`",
            ));
        }
        if !input.peek(Token![:]) {
            return Err(syn::Error::new(
                name.span(),
                format!("a deferred tool is in a group\n{FORM}"),
            ));
        }
        input.parse::<Token![:]>()?;
        if !input.peek(token::Bracket) {
            return Err(syn::Error::new(
                input.span(),
                format!("a group takes a list of tools\n{FORM}"),
            ));
        }
        let content;
        bracketed!(content in input);
        let elements = elements(&content)?;
        if !content.is_empty() {
            return Err(content.error(
                "a group has tools alone\nhelp: the state comes last, behind all tools: `; state = app`",
            ));
        }
        if elements.is_empty() {
            return Err(syn::Error::new(
                name.span(),
                format!("the group `{}` has no tools\n{FORM}", name.value()),
            ));
        }
        for element in &elements {
            let listed = element.listed().map(|listed| listed.name.value());
            let own = || element.last_name().map(|name| name.unraw().to_string());
            if listed.or_else(own).as_deref() == Some(SEARCH_TOOLS) {
                return Err(syn::Error::new_spanned(
                    element.tokens(),
                    format!(
                        "`{SEARCH_TOOLS}` finds the deferred tools, so it cannot be one of them\nhelp: list it behind the semicolon, or name it otherwise: `path as \"find_documents\"`"
                    ),
                ));
            }
        }
        Ok(Self {
            name,
            words,
            words_span,
            elements,
        })
    }
}

/// The words of a doc comment, in one line.
fn words(attrs: &[Attribute]) -> syn::Result<(String, Span)> {
    let mut lines = Vec::new();
    let mut span = Span::call_site();
    for attr in attrs {
        let text = match &attr.meta {
            Meta::NameValue(pair) if attr.path().is_ident("doc") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => Some(text),
                _ => None,
            },
            _ => None,
        };
        let Some(text) = text else {
            return Err(syn::Error::new_spanned(
                attr,
                "a group has a doc comment and no other attributes\nhelp: put conditions before its tools: `crm: [#[cfg(unix)] find]`",
            ));
        };
        span = text.span();
        lines.push(text.value().trim().to_owned());
    }
    Ok((lines.join(" ").trim().to_owned(), span))
}

/// Reads the limit on loaded tools.
pub(super) fn parse_at_most(input: ParseStream<'_>) -> syn::Result<LitInt> {
    let wanted = "a limit is a number of tools\nhelp: write `at_most: 40`";
    let most: LitInt = input
        .parse()
        .map_err(|error| syn::Error::new(error.span(), wanted))?;
    match most.base10_parse::<u32>() {
        Ok(0) => Err(syn::Error::new(
            most.span(),
            "no deferred tool could ever be loaded\nhelp: write how many a request may have at once: `at_most: 40`",
        )),
        Ok(_) => Ok(most),
        Err(_) => Err(syn::Error::new(most.span(), wanted)),
    }
}

impl Group {
    pub(super) fn validate(&self, cx: &Ctxt) {
        let name = self.name.value();
        if !is_tool_name(&name) {
            cx.error(
                &self.name,
                format!(
                    "providers refuse the group's name `{name}`\nhelp: give another: {TOOL_RULE}"
                ),
            );
        }
        invisible_chars::check(cx, self.words_span, &self.words);
    }
}

impl DeferredGroups {
    /// Moves the groups' tools behind those of a list.
    pub(super) fn of(
        groups: &mut [Group],
        at_most: Option<LitInt>,
        list: &mut Vec<ListElement>,
    ) -> Self {
        let stable = list.len();
        let starts = groups.iter_mut().map(|group| {
            let at = list.len();
            list.append(&mut group.elements);
            GroupStart {
                at,
                name: group.name.value(),
                words: group.words.clone(),
            }
        });
        let starts = starts.collect();
        Self {
            stable,
            starts,
            at_most,
        }
    }

    /// Begins a group before the element at this place, if one begins there.
    pub(super) fn begin(&self, at: usize, tools: &Ident) -> TokenStream {
        let start = self.starts.iter().find(|start| start.at == at);
        start.map_or_else(TokenStream::new, |GroupStart { name, words, .. }| {
            let (name, words) = (literal(name.as_str()), literal(words.as_str()));
            quote!(__tool::defer(&mut #tools, #name, #words);)
        })
    }

    /// Limits the tools that a conversation loads.
    pub(super) fn limited(&self, made: TokenStream) -> TokenStream {
        match &self.at_most {
            Some(most) => quote!(__tool::at_most(&#made, #most)),
            None => made,
        }
    }

    /// The constants `LOADS` and `COUNT`, for the checks of a request.
    pub(super) fn constants(&self) -> TokenStream {
        let stable = literal(self.stable);
        let most = match &self.at_most {
            Some(most) => most.to_token_stream(),
            None => quote!(__tool::MOST_LOADED),
        };
        let groups = self
            .starts
            .iter()
            .map(|start| literal(format!("{}: {}", start.name, start.words)));
        quote! {
            const LOADS: __tool::LoadLimits = __tool::LoadLimits::new(#stable, #most, &[#(#groups),*]);
            const COUNT: usize = __tool::count(LISTED);
        }
    }

    /// Checks the limits of a request in this dialect, whatever is loaded.
    pub(super) fn fits_request(dialect: &Ident) -> TokenStream {
        let name = literal(dialect.to_string());
        quote_spanned! {dialect.span()=>
            const _: () = __tool::fits_request::<COUNT>(__tool::dialect(#name), LISTED, LOADS);
        }
    }

    /// Checks a budget, whatever is loaded.
    pub(super) fn within_budget(budget: &LitInt) -> TokenStream {
        let place = SpanEnds::of(budget);
        let within = place.start(quote!(__tool::within_budget::<COUNT>));
        let arguments = place.end(quote!((#budget, LISTED, LOADS)));
        quote!(const _: () = #within #arguments;)
    }
}
