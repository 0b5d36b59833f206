//! `tools! { pub enum Call; …; state: App }`: a list as an enum of its calls, which also makes its toolset.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, LitStr, Path, Token, Type, Visibility};

use super::{As, Element, ElementKind, List, elements, expected_comma, listed};
use crate::cfg;
use crate::ctxt::Ctxt;
use crate::name::variant;
use crate::span::{
    SpanEnds, at_call_site, generated, ident, literal, local, parse_quote, quote, set_item_span,
};

/// A parsed enum of calls.
struct Calls {
    attrs: Vec<Attribute>,
    vis: Visibility,
    name: Ident,
    list: List,
    /// The type of the state.
    state: Option<Type>,
}

impl Parse for Calls {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.parse()?;
        input.parse::<Token![;]>()?;
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        input.parse::<Token![enum]>()?;
        let name: Ident = input.parse().map_err(|error| {
            syn::Error::new(
                error.span(),
                "the enum of calls needs a name\nhelp: write `pub enum Call;`",
            )
        })?;
        if !input.peek(Token![;]) {
            return Err(input.error(format!(
                "the tools come behind the enum's name and a semicolon\nhelp: write `enum {name}; a, b`"
            )));
        }
        input.parse::<Token![;]>()?;
        let targets = super::Targets::parse_head(input)?;
        if let Some(group) = targets.groups.first() {
            return Err(syn::Error::new(
                group.span(),
                "an enum of calls has no deferred tools\nhelp: defer them in `tools!`, and list those that you match here",
            ));
        }
        let (elements, retired) =
            elements(
                input,
                Element::parse_in_enum,
                |input, element| match &element.what {
                    ElementKind::One { path, .. }
                        if path.is_ident("state")
                            && (input.peek(Token![:]) || input.peek(Token![=])) =>
                    {
                        syn::Error::new_spanned(
                            path,
                            "the state comes last, behind a semicolon\nhelp: write `; state: App`",
                        )
                    }
                    _ => expected_comma(input, element),
                },
            )?;
        let mut state = None;
        if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            if !input.is_empty() {
                state = Some(parse_state(input)?);
            }
        }
        let list = List {
            krate,
            targets,
            elements,
            retired,
            state: None,
        };
        Ok(Self {
            attrs,
            vis,
            name,
            list,
            state,
        })
    }
}

/// `state: App`
fn parse_state(input: ParseStream<'_>) -> syn::Result<Type> {
    let key: Ident = input.parse()?;
    let wanted = |what: &str| {
        syn::Error::new(
            key.span(),
            format!("{what}\nhelp: write `state: App`; the function `tools` takes the value"),
        )
    };
    if key != "state" {
        return Err(wanted(&format!(
            "unknown option `{key}` in an enum of calls"
        )));
    }
    if !input.peek(Token![:]) {
        return Err(wanted("an enum of calls has the type of its state"));
    }
    input.parse::<Token![:]>()?;
    let ty = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(input.error(
            "nothing comes behind the state\nhelp: for several values write a struct with `#[derive(Provide)]`",
        ));
    }
    Ok(ty)
}

impl Element {
    /// An element as the enum has it: a spread is a type.
    fn parse_in_enum(input: ParseStream<'_>) -> syn::Result<Self> {
        let cfg = input.call(Attribute::parse_outer)?;
        cfg::of_element(&cfg)?;
        if !input.peek(Token![..]) {
            let what = input.parse()?;
            return Ok(Self { cfg, what });
        }
        input.parse::<Token![..]>()?;
        let ty: Type = input.parse().map_err(|error| {
            syn::Error::new(
                error.span(),
                "a spread in an enum of calls is a type\nhelp: write `..Crm`; the function `tools` takes the value",
            )
        })?;
        if input.peek(Token![:]) {
            return Err(syn::Error::new_spanned(
                ty,
                "a spread in an enum of calls is a type\nhelp: write `..Crm`; the function `tools` takes the value",
            ));
        }
        let listed = As::parse(input, "a prefix is a string\nhelp: write `as \"prefix_\"`")?;
        let value = Box::new(Expr::Verbatim(TokenStream::new()));
        let ty = Box::new(ty);
        Ok(Self {
            cfg,
            what: ElementKind::Many { value, ty, listed },
        })
    }
}

/// One variant: its name, and where the name is from.
struct Variant {
    name: Ident,
    place: TokenStream,
}

/// The name of an element's variant: of the name that the list gives, or else of the path's last word.
fn variant_of(cx: &Ctxt, element: &Element) -> Variant {
    let (text, place) = match (element.listed(), element.last_name()) {
        (Some(As { name, .. }), _) => (name.value(), name.to_token_stream()),
        (None, Some(last)) => (last.unraw().to_string(), last.to_token_stream()),
        (None, None) => (String::new(), element.tokens()),
    };
    let name = variant(&text);
    let span = SpanEnds::of(&place);
    let known = syn::parse_str::<Ident>(&name);
    if known.is_err() || name == "Other" {
        let wrong = if name == "Other" {
            "`Other` is the variant of calls to no tool of the list".to_owned()
        } else {
            format!("`{text}` gives the variant no name")
        };
        cx.error(
            &place,
            format!("{wrong}\nhelp: give another name with `as \"…\"`, from which the variant has its own"),
        );
    }
    let name = known.unwrap_or_else(|_| ident("Unnamed"));
    Variant {
        name: span.ident(&name),
        place,
    }
}

/// Variants with one name cannot be told apart.
fn variants_are_distinct(cx: &Ctxt, variants: &[Variant], elements: &[Element]) {
    for (index, (variant, element)) in variants.iter().zip(elements).enumerate() {
        let (before, _) = variants.split_at(index);
        let is_same = |(other, of): (&Variant, &Element)| {
            other.name == variant.name && of.cfg.is_empty() && element.cfg.is_empty()
        };
        if before.iter().zip(elements).any(is_same) {
            cx.error(
                &variant.place,
                format!("two variants are named `{}`\nhelp: name one of the tools otherwise: `path as \"other_name\"`, or the tools of a type: `..Type as \"prefix_\"`", variant.name),
            );
        }
    }
}

/// The enum of a list.
pub(crate) fn calls(tokens: TokenStream) -> TokenStream {
    let calls: Calls = match syn::parse2(tokens) {
        Ok(calls) => calls,
        Err(error) => return error.to_compile_error(),
    };
    set_item_span(&calls.name);
    let cx = Ctxt::new();
    for listed in calls.list.elements.iter().filter_map(Element::listed) {
        listed.check(&cx);
    }
    calls.list.targets.validate(&cx);
    let elements = &calls.list.elements;
    let variants: Vec<_> = elements
        .iter()
        .map(|element| variant_of(&cx, element))
        .collect();
    variants_are_distinct(&cx, &variants, elements);
    match cx.finish() {
        Ok(()) => expand(calls, &variants),
        Err(error) => error.to_compile_error(),
    }
}

#[allow(clippy::too_many_lines)] // Most of them are what is generated.
fn expand(calls: Calls, variants: &[Variant]) -> TokenStream {
    let Calls {
        attrs,
        vis,
        name,
        mut list,
        state,
    } = calls;
    let krate = list.krate.clone();
    let private = quote!(#krate::__private);
    let at_start = |place: SpanEnds, name: &str| runtime(&krate, &place.start(quote!(_)), name);
    let at_end = |place: SpanEnds, name: &str| runtime(&krate, &place.end(quote!(_)), name);
    let lifetime = quote!('call);
    let (call, cx, called) = (local("call"), local("cx"), local("name"));

    let mut items = Vec::new();
    let mut reads = Vec::new();
    let mut params = Vec::new();
    for (element, variant) in list.elements.iter_mut().zip(variants) {
        let (place, cfg, variant) = (element.place(), element.cfg.clone(), &variant.name);
        let made = place.start(quote!(Self::#variant));
        let listed = element.listed().map(|listed| listed.name.clone());
        let (ty, doc, read) = match &mut element.what {
            ElementKind::One { path, .. } => {
                let of = |name: &str| {
                    let (open, keyword) = (place.start(quote!(<)), place.end(quote!(as)));
                    let (trait_, close) = (at_end(place, name), place.end(quote!(>)));
                    quote!(#open #path #keyword #trait_ #close)
                };
                let (args, handle) = (of("ToolArgs"), of("Handle"));
                let tool =
                    listed.map_or_else(|| quote!(#handle::TOOL_NAME), ToTokens::into_token_stream);
                let reader = place.end(quote!(::read));
                let read = at_start(place, "read_by");
                let end =
                    place.end(quote!((#call, #cx, #handle::DESCRIPTOR, #args #reader, #made)));
                let read = quote! {
                    if #called == #tool {
                        return #read #end;
                    }
                };
                let ty = place.end(quote!(::Args<#lifetime>));
                (quote!(#args #ty), doc_of(path), read)
            }
            ElementKind::Many { value, ty, .. } => {
                let param = param_name(variant, &params);
                **value = parse_quote!(#param);
                let of = place.start(quote!(<));
                let (keyword, trait_) = (place.end(quote!(as)), at_end(place, "BlockCalls"));
                let calls = place.end(quote!(>::Calls<#lifetime>));
                let calls = quote!(#keyword #trait_ #calls);
                let prefix = listed.map_or_else(
                    || literal("").into_token_stream(),
                    |name: LitStr| name.into_token_stream(),
                );
                let begin = at_start(place, "read_of");
                let reader = place.end(quote!(>::read));
                let reader = quote!(#of #ty #keyword #trait_ #reader);
                let end = place.end(quote!((#call, #cx, #prefix, #reader, #made)));
                let found = local("read");
                let read = quote! {
                    if let #private::Some(#found) = #begin #end {
                        return #found;
                    }
                };
                let name = ty.to_token_stream().to_string().replace(' ', "");
                let doc = format!("A call of a tool of [`{name}`].");
                let item = quote!(#of #ty #calls);
                params.push((param, (**ty).clone(), cfg.clone()));
                (item, literal(doc).into_token_stream(), read)
            }
        };
        items.push(quote!(#(#cfg)* #[doc = #doc] #variant(#ty)));
        reads.push(quote!(#(#cfg)* { #read }));
    }
    if let Some(state) = state {
        let param = param_name(&Ident::new("state", name.span()), &params);
        list.state = Some(parse_quote!(#param));
        params.push((param, state, Vec::new()));
    }
    let inputs = params.iter().map(
        |(param, ty, cfg)| quote!(#(#cfg)* #param: impl ::core::convert::Into<#private::Arc<#ty>>),
    );
    let shared = params.iter().map(|(param, ty, cfg)| {
        quote!(#(#cfg)* let #param: #private::Arc<#ty> = ::core::convert::Into::into(#param);)
    });
    let set = listed(&list, None);
    let attributes = generated(quote! {
        #[allow(private_interfaces, dead_code, clippy::large_enum_variant)]
    });
    let allowed = generated(
        quote!(#[allow(dead_code, private_bounds, unreachable_pub, clippy::collapsible_if)]),
    );
    let implement = at_call_site(quote!(impl));
    quote! {
        #(#attrs)*
        #attributes
        #vis enum #name<#lifetime> {
            #(#items,)*
            /// A call of no tool of the list.
            Other(&#lifetime #krate::ToolCall),
        }
        #allowed
        #implement<#lifetime> #name<#lifetime> {
            /// Makes the toolset of the list. Values may be shared already, in an `Arc`.
            #vis fn tools(#(#inputs),*) -> #krate::Toolset {
                #(#shared)*
                #set
            }

            /// Reads a call: decodes and validates its arguments.
            ///
            /// # Errors
            /// The error that the tool would answer the call with.
            #vis fn read(
                #call: &#lifetime #krate::ToolCall,
                #cx: &#lifetime #private::Reading,
            ) -> #private::Result<Self, #private::ToolError> {
                let #called: &str = &#call.name;
                #(#reads)*
                #private::Ok(Self::Other(#call))
            }
        }
    }
}

/// An item of the runtime, in the place of a token. The crate's own word keeps its hygiene: it is `$crate`.
fn runtime(krate: &TokenTree, place: &TokenStream, name: &str) -> TokenStream {
    let (place, mut krate, name) = (SpanEnds::of(place), krate.clone(), ident(name));
    let token = place.ident(&name);
    krate.set_span(krate.span().located_at(token.span()));
    let rest = place.start(quote!(::__private::));
    quote!(#krate #rest #token)
}

fn doc_of(path: &Path) -> TokenStream {
    let last = path.segments.last().map(|last| last.ident.unraw());
    let name = last.map(|last| last.to_string()).unwrap_or_default();
    literal(format!("A call of the tool `{name}`.")).into_token_stream()
}

/// The parameter of `tools` for a value: the variant's name in small letters.
fn param_name(variant: &Ident, taken: &[(Ident, Type, Vec<Attribute>)]) -> Ident {
    let mut name = String::new();
    for char in variant.to_string().chars() {
        if char.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(char.to_lowercase());
    }
    while syn::parse_str::<Ident>(&name).is_err() || taken.iter().any(|(other, ..)| *other == name)
    {
        name.push('_');
    }
    Ident::new(&name, variant.span())
}
