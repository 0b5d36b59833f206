//! Code that answers a call: slots, the validator, the user's function, its outcome.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Path, ReturnType};

use super::{Names, is_basic_output, slot_type, state_type};
use crate::model::{ModelParam, Param, Pass, Tool};
use crate::span::{SpanEnds, local, quote};
use crate::ty;

/// Tokens of a parameter on its way from its slot.
struct PassedParam {
    /// Statement that takes the value out of its slot.
    take: TokenStream,
    /// Argument of the body.
    argument: TokenStream,
    /// Argument of the validator, and its type as far as it is known here.
    shown: TokenStream,
    shown_as: TokenStream,
}

/// Generates the body of the function that answers a call.
pub(super) fn run(tool: &Tool, names: &Names, callee: &TokenStream) -> TokenStream {
    let (state, call, about) = (local("state"), local("call"), local("about"));
    let mut lets = TokenStream::new();
    let mut slots = Vec::new();
    let mut takes = TokenStream::new();
    let mut arguments = Vec::new();
    let mut passed = Vec::new();
    if tool.receiver {
        arguments.push(quote!(#state));
    }
    for (index, param) in tool.params.iter().enumerate() {
        let name = local(&format!("p{index}"));
        match param {
            Param::Model(param) => {
                let place = SpanEnds::of(&param.ty);
                let (name, held) = (
                    place.ident(&name),
                    place.ident(&local(&format!("s{index}"))),
                );
                let slot = slot(tool, param);
                lets.extend(quote!(let mut #held = #slot;));
                let default = param.default.as_ref().map(|_| names.default(param));
                let pass = pass(&held, &name, param.pass, default.as_ref());
                takes.extend(pass.take.clone());
                arguments.push(pass.argument.clone());
                passed.push(pass);
                slots.push(quote!(&mut #held));
            }
            Param::State(ty) => {
                let (place, provided) = (SpanEnds::of(ty), state_type(ty, tool));
                let provide = place.start(quote!(__tool::Provide::<));
                let from = place.end(quote!(>::provide(#state)));
                arguments.push(quote!(#provide #provided #from));
            }
            Param::Context(ty) => {
                takes.extend(quote!(let #name = #call.context();));
                let place = SpanEnds::of(ty);
                let (borrow, name) = (place.start(quote!(&)), place.end(quote!(#name)));
                arguments.push(quote!(#borrow #name));
            }
        }
    }
    let is_root = tool.model_params().any(|param| param.flatten.is_some());
    // Decoding ends a call of which only the arguments are asked about, if nothing else looks at them.
    let validator = tool.options.validate.as_ref();
    let decoded = match validator {
        Some(_) => quote!(&#call.running()),
        None => quote!(&#call),
    };
    let decode = if is_root {
        quote!(__tool::decode_root(#decoded, #about, #(#slots),*))
    } else {
        quote!(__tool::decode(#decoded, #about, &mut [#(#slots),*]))
    };
    let stop = local("stop");
    let validate = validator.map(|path| {
        let validate = validate(path, &passed);
        quote!(#validate __tool::Stop::check(&#call)?;)
    });
    let answer = answer(tool, callee, &arguments);
    quote! {
        #lets
        if let ::core::option::Option::Some(#stop) = #decode {
            return ::core::result::Result::Err(#stop);
        }
        #takes
        #validate
        #answer
    }
}

/// The slot of a parameter, with nothing in it yet.
pub(super) fn slot(tool: &Tool, param: &ModelParam) -> TokenStream {
    let slot = slot_type(tool, param);
    if param.is_basic {
        quote!(__tool::Value::<#slot>::EMPTY)
    } else {
        quote!(__tool::argument::<#slot, _>((&&&&__tool::Probe::<#slot>::NEW).__slot()))
    }
}

/// The call of the validator. Its type says at the path what is asked for, and leaves it open to
/// take a `&str` for a `String`.
fn validate(path: &Path, passed: &[PassedParam]) -> TokenStream {
    let place = SpanEnds::of(path);
    let (check, error) = (local("check"), local("error"));
    let types = passed.iter().map(|passed| &passed.shown_as);
    let ty = place.start(quote!(fn(#(#types),*) -> ::core::result::Result<(), _>));
    let shown = passed.iter().map(|passed| place.end(passed.shown.clone()));
    let call = place.end(quote!(#check(#(#shown),*)));
    let way = way(&error, place, &quote!(InvalidArgs));
    quote! {
        let #check: #ty = #path;
        if let ::core::result::Result::Err(#error) = #call {
            return ::core::result::Result::Err(__tool::Stop::failed(#way));
        }
    }
}

/// A parameter on its way from its slot to the body.
fn pass(held: &Ident, name: &Ident, pass: Pass, default: Option<&Ident>) -> PassedParam {
    let shown_as = match pass {
        Pass::OptionRef | Pass::OptionDeref => quote!(_),
        Pass::Value | Pass::Ref | Pass::Cow | Pass::OptionCow => quote!(&_),
    };
    let cow = quote!(::std::borrow::Cow::Borrowed);
    let Some(default) = default else {
        let argument = match pass {
            Pass::Value => quote!(#name),
            Pass::Ref => quote!(&#name),
            Pass::Cow => quote!(#cow(#name)),
            Pass::OptionCow => quote!(#name.map(#cow)),
            Pass::OptionRef => quote!(#name.as_ref()),
            Pass::OptionDeref => quote!(#name.as_deref()),
        };
        let shown = match pass {
            Pass::Value | Pass::Cow | Pass::OptionCow => quote!(&#argument),
            Pass::Ref | Pass::OptionRef | Pass::OptionDeref => argument.clone(),
        };
        return PassedParam {
            take: quote! {
                let ::core::option::Option::Some(#name) = #held.given() else {
                    return __tool::unfilled();
                };
            },
            argument,
            shown,
            shown_as,
        };
    };
    let given = local("given");
    let or_default = |some: TokenStream, value: TokenStream| {
        quote! {
            match #some {
                ::core::option::Option::Some(#given) => #value,
                ::core::option::Option::None => Self::#default(),
            }
        }
    };
    let value = match pass {
        Pass::Value | Pass::Ref => quote!(#given),
        Pass::Cow => quote!(#cow(#given)),
        Pass::OptionCow => quote!(#given.map(#cow)),
        Pass::OptionRef => quote!(#given.as_ref()),
        Pass::OptionDeref => quote!(#given.as_deref()),
    };
    match pass {
        Pass::Value | Pass::Cow | Pass::OptionCow => {
            let value = or_default(quote!(#held.given()), value);
            PassedParam {
                take: quote!(let #name = #value;),
                argument: quote!(#name),
                shown: quote!(&#name),
                shown_as,
            }
        }
        // What is lent stays where it was put, whichever it is.
        Pass::Ref | Pass::OptionRef | Pass::OptionDeref => {
            let value = or_default(quote!(&#name), value);
            PassedParam {
                take: quote!(let #name = #held.given();),
                argument: value.clone(),
                shown: value,
                shown_as,
            }
        }
    }
}

/// The call of the user's function, and what it came to.
fn answer(tool: &Tool, callee: &TokenStream, arguments: &[TokenStream]) -> TokenStream {
    let name = SpanEnds::of(&tool.ident);
    let (place, of_error) = match &tool.output {
        ReturnType::Type(_, ty) => {
            let (value, error) = ty::result_of(ty);
            (SpanEnds::of(value), SpanEnds::of(error))
        }
        ReturnType::Default => (name, name),
    };
    let awaited = tool.is_async.then(|| quote!(.await));
    let (value, error) = (local("value"), local("error"));
    // The compiler points at the argument: two tokens, to reach from end to end of the type.
    let shown = place.start(value.to_token_stream());
    let field = place.end(quote!(0));
    let returned = quote!(#callee(#(#arguments),*)#awaited);
    let result = if is_basic_output(tool) {
        if !tool.is_async {
            return quote!(__tool::ready(#returned));
        }
        let lends = |param: &Param| match param {
            Param::Model(param) => param.pass.lends(),
            Param::State(_) => false,
            Param::Context(_) => true,
        };
        if !tool.params.iter().any(lends) {
            let future = name.start(quote!(#callee(#(#arguments),*)));
            let later = name.start(quote!(__tool::later));
            return quote!(#later(#future));
        }
        quote!(::core::result::Result::Ok(__tool::outcome(#returned)))
    } else {
        let way = way(&error, of_error, &quote!(Failed));
        quote! {
            match __tool::Finish(#returned).__split() {
                ::core::result::Result::Ok(#value) => {
                    ::core::result::Result::Ok(__tool::outcome(#shown.#field))
                }
                ::core::result::Result::Err(#error) => ::core::result::Result::Err(#way),
            }
        }
    };
    if tool.is_async {
        let future = name.start(quote!(async move { #result }));
        let later = name.start(quote!(__tool::Answer::later(#future)));
        quote!(::core::result::Result::Ok(#later))
    } else {
        quote!(::core::result::Result::Ok(__tool::Answer::Ready(#result)))
    }
}

/// From an error to words for the model; see the runtime's `finish`.
fn way(error: &Ident, place: SpanEnds, kind: &TokenStream) -> TokenStream {
    let way = place.start(quote!(__way));
    quote! {
        (&&&&__tool::Failure::of(&#error)).#way().error(__tool::ErrorKind::#kind, #error)
    }
}
