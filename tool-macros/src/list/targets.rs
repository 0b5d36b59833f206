//! `targets: [openai_strict, …], unproven: [tool], budget: 4_000; …` at the head of a list: the dialects that every
//! tool is checked against when it compiles, and the list's maximum cost.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, LitInt, Path, Token, Type, bracketed, token};

use crate::ctxt::Ctxt;
use crate::name::{did_you_mean, quoted};
use crate::parse::attr::distinct;
use crate::span::{SpanEnds, literal, quote, quote_call_site};

use super::deferred::{self, DeferredGroups, Group};
use super::{ElementKind, ListElement};
use crate::handle::Handle;

const OPTIONS: [&str; 6] = [
    "targets",
    "unproven",
    "budget",
    "instructions",
    "defer",
    "at_most",
];

/// The head of a list.
#[derive(Default)]
pub(super) struct ListHead {
    dialects: Vec<Ident>,
    /// Tools that are not known to be accepted until the program runs.
    pub(super) unproven: Vec<Ident>,
    /// Tokens, at most.
    budget: Option<LitInt>,
    /// Constants that name tools.
    pub(super) instructions: Vec<Path>,
    /// Groups of deferred tools.
    pub(super) groups: Vec<Group>,
    /// Their place in the list.
    pub(super) deferred: DeferredGroups,
    /// The most deferred tools of a request.
    pub(super) at_most: Option<LitInt>,
    /// The options that were given.
    given: Vec<String>,
}

impl ListHead {
    /// Reads the head, if there is one.
    pub(super) fn parse_head(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut head = Self::default();
        if !is_option(input) {
            return Ok(head);
        }
        loop {
            head.parse_option(input)?;
            let comma = input.parse::<Option<Token![,]>>()?;
            if is_option(input) {
                continue;
            }
            if comma.is_some() && !input.peek(Token![;]) {
                return Err(wants_semicolon(input.span()));
            }
            break;
        }
        input
            .parse::<Token![;]>()
            .map_err(|error| wants_semicolon(error.span()))?;
        // The parts of the head may follow semicolons, too.
        if is_option(input) {
            while is_option(input) {
                head.parse_option(input)?;
                if input.parse::<Option<Token![,]>>()?.is_none() {
                    input
                        .parse::<Token![;]>()
                        .map_err(|error| wants_semicolon(error.span()))?;
                }
            }
        }
        Ok(head)
    }

    /// Reads options behind the tools, up to a semicolon.
    pub(super) fn parse_options(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        while is_option(input) {
            self.parse_option(input)?;
            input.parse::<Option<Token![,]>>()?;
        }
        if input.is_empty() || input.peek(Token![;]) {
            return Ok(());
        }
        Err(input.error("expected `;` behind the options\nhelp: the tools come before it: `tools! { a, b; defer: { crm: [c] } }`"))
    }

    fn parse_option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let key = input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        let name = key.to_string();
        if self.given.contains(&name) {
            return Err(syn::Error::new(
                key.span(),
                format!("`{name}` is given twice\nhelp: say it once"),
            ));
        }
        match name.as_str() {
            "targets" => self.dialects = listed(&key, input, "openai_strict")?,
            "unproven" => self.unproven = listed(&key, input, "tool")?,
            "instructions" => self.instructions = listed(&key, input, "SYSTEM")?,
            "defer" => self.groups = deferred::parse(&key, input)?,
            "at_most" => self.at_most = Some(deferred::parse_at_most(input)?),
            "budget" => {
                let budget: LitInt = input.parse().map_err(|error| {
                    syn::Error::new(
                        error.span(),
                        "a budget is a number of tokens\nhelp: write `budget: 4_000`",
                    )
                })?;
                budget.base10_parse::<usize>().map_err(|_| {
                    syn::Error::new(
                        budget.span(),
                        "a budget is a number of tokens\nhelp: write `budget: 4_000`",
                    )
                })?;
                self.budget = Some(budget);
            }
            other => {
                let meant = did_you_mean(other, OPTIONS).map(|meant| meant + " ");
                return Err(syn::Error::new(
                    key.span(),
                    format!(
                        "unknown option `{other}` in `tools!`\nhelp: {}the options are {}",
                        meant.unwrap_or_default(),
                        quoted([
                            "targets: [openai_strict, …]",
                            "unproven: [tool, …]",
                            "budget: 4_000",
                            "instructions: [SYSTEM, …]",
                            "defer: { group: [tool, …] }",
                            "at_most: 40"
                        ]),
                    ),
                ));
            }
        }
        self.given.push(name);
        Ok(())
    }

    /// The rules for the head itself.
    pub(super) fn validate(&self, cx: &Ctxt) {
        distinct(cx, self.dialects.iter().cloned());
        if let ([], [tool, ..]) = (self.dialects.as_slice(), self.unproven.as_slice()) {
            cx.error(
                tool,
                "without targets there is nothing to prove\nhelp: remove `unproven`, or add `targets: [openai_strict, …]`",
            );
        }
        for group in &self.groups {
            group.validate(cx);
        }
        if let (Some(most), true) = (&self.at_most, self.groups.is_empty()) {
            cx.error(
                most,
                "nothing is deferred, so nothing is loaded\nhelp: remove `at_most`, or add `defer: { crm: [find_customer, …] }`",
            );
        }
    }

    /// The checks in `const`, each at its place.
    pub(super) fn check(&self, elements: &[ListElement]) -> TokenStream {
        let Self {
            dialects,
            unproven,
            budget,
            ..
        } = self;
        // A name that is not an element's may be a method's of one of the types.
        let others = unproven.iter().filter(|tool| {
            !elements
                .iter()
                .any(|element| element.last_name() == Some(*tool))
        });
        let mut others = others.peekable();
        let has_checks = !dialects.is_empty() || budget.is_some();
        if !has_checks && others.peek().is_none() {
            return TokenStream::new();
        }
        let listed = inputs(elements);
        let targets = dialects.iter().map(|dialect| {
            let name = literal(dialect.to_string());
            quote!(__tool::dialect(#name))
        });
        let known = dialects.iter().map(|dialect| {
            let name = literal(dialect.to_string());
            quote_spanned!(dialect.span()=> const _: () = __tool::is_dialect(#name);)
        });
        let requests = dialects.iter().map(DeferredGroups::fits_request);
        let is_unproven = |called: &Ident| unproven.contains(called);
        let accepted = elements.iter().enumerate().map(|(index, element)| {
            let (place, last) = (element.place(), element.last_name());
            let (index, all) = (literal(index), literal(last.is_some_and(is_unproven)));
            let accepted = place.start(quote!(__tool::accepted));
            let arguments = place.end(quote!((TARGETS, &LISTED[#index], UNPROVEN, #all)));
            quote!(const _: () = #accepted #arguments;)
        });
        let accepted = (!dialects.is_empty()).then(|| quote!(#(#accepted)*));
        let names = unproven.iter().map(|tool| literal(tool.to_string()));
        let others = others.map(|tool| {
            let name = literal(tool.to_string());
            quote_spanned!(tool.span()=> const _: () = __tool::is_listed(#name, LISTED);)
        });
        let within = budget.as_ref().map(DeferredGroups::within_budget);
        let loads = has_checks.then(|| self.deferred.constants());
        let of_dialects = !dialects.is_empty();
        let targets = of_dialects
            .then(|| quote!(const TARGETS: &[__tool::Option<__tool::Dialect>] = &[#(#targets),*];));
        let unproven_names = of_dialects.then(|| quote!(const UNPROVEN: &[&str] = &[#(#names),*];));
        let imports = quote_call_site!(
            use __tool::Untargeted as _;
        );
        quote! {
            const _: () = {
                #imports
                #targets
                const LISTED: &[__tool::Inputs] = #listed;
                #loads
                #unproven_names
                #(#known)*
                #(#others)*
                #accepted
                #(#requests)*
                #within
            };
        }
    }
}

/// The elements as a table of `Inputs`, for checks in `const`.
fn inputs(elements: &[ListElement]) -> TokenStream {
    let listed = elements.iter().enumerate().map(|(index, element)| {
        let listed = element.listed().map(|_| {
            let listed = element.listed_as(index);
            quote!(.listed(#listed))
        });
        let names = [quote!(INPUT), quote!(INPUTS)];
        let input = element.constant(names, &listed.unwrap_or_default());
        element.or(&quote!(__tool::Inputs::None), input)
    });
    quote!(&[#(#listed),*])
}

/// `key: …`, where a list of tools would have a path.
fn is_option(input: ParseStream<'_>) -> bool {
    input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::])
}

/// `defer: …` or `at_most: …`, which may follow the tools, too.
pub(super) fn is_deferral(input: ParseStream<'_>) -> bool {
    let key = input.fork().call(Ident::parse_any);
    is_option(input) && key.is_ok_and(|key| key == "defer" || key == "at_most")
}

fn wants_semicolon(span: proc_macro2::Span) -> syn::Error {
    syn::Error::new(
        span,
        "the tools come behind a semicolon\nhelp: write `tools! { targets: [openai_strict], budget: 4_000; a, b }`",
    )
}

/// `[a, b]`
fn listed<T: Parse>(key: &Ident, input: ParseStream<'_>, example: &str) -> syn::Result<Vec<T>> {
    let wanted = |span| {
        syn::Error::new(
            span,
            format!("`{key}` takes a list of names\nhelp: write `{key}: [{example}]`"),
        )
    };
    if !input.peek(token::Bracket) {
        return Err(wanted(input.span()));
    }
    let content;
    bracketed!(content in input);
    let names = Punctuated::<T, Token![,]>::parse_terminated(&content)
        .map_err(|error| wanted(error.span()))?;
    if names.is_empty() {
        return Err(wanted(key.span()));
    }
    Ok(names.into_iter().collect())
}

impl ListElement {
    /// Returns the span of the element.
    pub(super) fn place(&self) -> SpanEnds {
        match &self.what {
            ElementKind::One { path, .. } => SpanEnds::of(path),
            ElementKind::Many { ty, .. } => SpanEnds::of(ty),
        }
    }

    /// Returns the element's path or type.
    pub(super) fn tokens(&self) -> TokenStream {
        match &self.what {
            ElementKind::One { path, .. } => path.to_token_stream(),
            ElementKind::Many { ty, .. } => ty.to_token_stream(),
        }
    }

    /// Returns a constant of `Listed`, by its names for a tool and for a type with tools.
    pub(super) fn constant(
        &self,
        [tool, tools]: [TokenStream; 2],
        behind: &TokenStream,
    ) -> TokenStream {
        match &self.what {
            ElementKind::One { path, .. } => {
                let handle = Handle::of(path);
                let ty = handle.ty();
                handle.scope(&quote!(__tool::Listed::<#ty>::#tool #behind))
            }
            ElementKind::Many { ty, .. } => quote!(__tool::Listed::<#ty>::#tools #behind),
        }
    }

    /// Returns the last name of the element's path.
    pub(super) fn last_name(&self) -> Option<&Ident> {
        let path = match &self.what {
            ElementKind::One { path, .. } => path,
            ElementKind::Many { ty, .. } => match ty.as_ref() {
                Type::Path(ty) => &ty.path,
                _ => return None,
            },
        };
        path.segments.last().map(|last| &last.ident)
    }
}
