//! The check in `const` that examples are what the tool takes, each part at its place.

use proc_macro2::TokenStream;
use syn::Generics;

use crate::attr::literal_of;
use crate::model::{Json, JsonLiteral, Tool};
use crate::span::{SpanEnds, literal, quote};

/// The check of the examples of a tool whose descriptor is `about`, and of those of its arguments. The arguments of a
/// generic tool are known only where it is listed.
pub(super) fn held(tool: &Tool, generics: &Generics, about: &TokenStream) -> TokenStream {
    let is_open =
        generics.type_params().next().is_some() || generics.const_params().next().is_some();
    if is_open {
        return TokenStream::new();
    }
    let own = tool.options.examples.iter().map(|example| {
        let json = json(&example.literal.value);
        let found = quote!(__tool::misfit(ABOUT.name, ABOUT.input, &#json));
        checks(&found, &example.literal)
    });
    let of_arguments = tool.model_params().filter_map(|param| {
        let example = literal_of(param.example.as_ref()?)?;
        let (name, json) = (literal(&param.name.value), json(&example.value));
        let found = quote!(__tool::argument_misfit(ABOUT.name, ABOUT.input, #name, &#json));
        Some(checks(&found, &example))
    });
    let checks: Vec<_> = own.chain(of_arguments).collect();
    if checks.is_empty() {
        return TokenStream::new();
    }
    let cfg = &tool.cfg;
    quote! {
        #(#cfg)*
        const _: () = {
            const ABOUT: __tool::About = #about;
            #(#checks)*
        };
    }
}

fn checks(found: &TokenStream, literal: &JsonLiteral) -> TokenStream {
    let refusals = literal.places.iter().enumerate().map(|(at, place)| {
        let (place, at) = (SpanEnds::between(*place), self::literal(at));
        let (found, refuse) = (place.start(quote!(FOUND)), place.end(quote!(.refuse(#at))));
        quote!(#found #refuse;)
    });
    quote! {{
        const FOUND: __tool::Misfit = #found;
        #(#refusals)*
    }}
}

fn json(value: &Json) -> TokenStream {
    match value {
        Json::Null(at) => {
            let at = literal(*at);
            quote!(__tool::Json::Null(#at))
        }
        Json::Bool(at) => {
            let at = literal(*at);
            quote!(__tool::Json::Bool(#at))
        }
        Json::Number(at, text, value) => {
            let (at, text, value) = (literal(*at), literal(text), number(*value));
            quote!(__tool::Json::Number(#at, #text, #value))
        }
        Json::String(at, text) => {
            let (at, text) = (literal(*at), literal(text));
            quote!(__tool::Json::String(#at, #text))
        }
        Json::Array(at, items) => {
            let (at, items) = (literal(*at), items.iter().map(json));
            quote!(__tool::Json::Array(#at, &[#(#items),*]))
        }
        Json::Object(at, members) => {
            let at = literal(*at);
            let members = members.iter().map(|(key, value)| {
                let (key, value) = (literal(key), json(value));
                quote!((#key, #value))
            });
            quote!(__tool::Json::Object(#at, &[#(#members),*]))
        }
    }
}

/// A literal has no sign.
fn number(value: f64) -> TokenStream {
    let magnitude = literal(value.abs());
    if value.is_sign_negative() {
        quote!(-#magnitude)
    } else {
        quote!(#magnitude)
    }
}
