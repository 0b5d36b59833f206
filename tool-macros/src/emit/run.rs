//! Body of the function that answers a call: decodes, validates, calls the user's function.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Path, ReturnType};

use super::is_basic_output;
use super::table::{HiddenItems, slot_type, state_trait};
use crate::model::{ModelParam, Param, Tool};
use crate::span::{SpanEnds, ident, local, quote, start};
use crate::ty;
use crate::ty::PassBy;

/// The parameters that one function of the runtime passes on.
const MOST_CALLED: usize = 6;
/// The slots that one tuple holds.
const MOST_SLOTS: usize = 16;

/// Returns true if one function of the runtime answers the whole call.
pub(super) fn is_call(tool: &Tool) -> bool {
    let is_filled = |param: &Param| matches!(param, Param::Model(_));
    is_basic_output(tool)
        && !tool.is_async
        && !tool.receiver
        && is_read(tool)
        && tool.params.iter().all(is_filled)
}

/// Returns true if one function of the runtime decodes all arguments.
pub(super) fn is_read(tool: &Tool) -> bool {
    let is_simple = |param: &ModelParam| {
        param.is_basic
            && param.pass == PassBy::Value
            && param.default.is_none()
            && param.flatten.is_none()
    };
    tool.options.validate.is_none()
        && tool.model_params().count() <= MOST_CALLED
        && tool.model_params().all(is_simple)
}

/// Generates the body of the function that answers a call.
pub(super) fn run(tool: &Tool, names: &HiddenItems, callee: &TokenStream) -> TokenStream {
    if tool.options.args.is_some() {
        return super::args::answer(tool, names);
    }
    let (call, about) = (local("call"), local("about"));
    if is_call(tool) {
        let function = ident(&format!("call{}", tool.params.len()));
        return quote!(__tool::#function(#call, #about, #callee));
    }
    let (decoded, values) = decoded(tool, names);
    let context = tool
        .params
        .iter()
        .any(|param| matches!(param, Param::Context(_)));
    let context = context.then(|| {
        let name = local("context");
        quote!(let #name = #call.context();)
    });
    let arguments = arguments(
        tool,
        |index, _| values.get(index).to_token_stream(),
        |place| {
            let name = local("context");
            let (given, name) = (
                place.start(quote!(__tool::context_of)),
                place.end(quote!((&#name))),
            );
            quote!(#given #name)
        },
    );
    let approved = approved(tool).map(|(name, yes)| quote!(let #name = #yes;));
    let answer = answer(tool, callee, &arguments);
    quote!(#decoded #approved #context #answer)
}

/// The variable that holds an approval, and the expression that takes it from the call; `None` if the tool requires
/// none.
pub(super) fn approved(tool: &Tool) -> Option<(Ident, TokenStream)> {
    let call = local("call");
    tool.params.iter().find_map(|param| match param {
        Param::Approved(ty) => {
            let name = SpanEnds::of(ty).ident(&local("approved"));
            Some((name, quote!(__tool::approved(&#call)?)))
        }
        _ => None,
    })
}

/// The arguments of the user's function: those that the model fills by `value`, and the context by `context`.
pub(super) fn arguments(
    tool: &Tool,
    value: impl Fn(usize, &ModelParam) -> TokenStream,
    context: impl Fn(SpanEnds) -> TokenStream,
) -> Vec<TokenStream> {
    let state = local("state");
    let mut arguments = Vec::new();
    let mut index = 0;
    if tool.receiver {
        arguments.push(state.to_token_stream());
    }
    for param in &tool.params {
        arguments.push(match param {
            Param::Model(param) => {
                let value = value(index, param);
                index += 1;
                argument(param.pass, &value)
            }
            Param::State(ty) => {
                let (place, (provide, part)) = (SpanEnds::of(ty), state_trait(ty, tool));
                let provide = place.start(quote!(<__S as __tool::#provide::<));
                let from = place.end(quote!(>>::provide(#state)));
                quote!(#provide #part #from)
            }
            Param::Context(ty) => context(SpanEnds::of(ty)),
            Param::Approved(ty) => SpanEnds::of(ty)
                .ident(&local("approved"))
                .into_token_stream(),
        });
    }
    arguments
}

/// The statements that decode and validate the arguments, and the variables that they are in.
pub(super) fn decoded(tool: &Tool, names: &HiddenItems) -> (TokenStream, Vec<Ident>) {
    let (call, about) = (local("call"), local("about"));
    let mut slots = Vec::new();
    let mut values = Vec::new();
    let mut shown = Vec::new();
    for param in tool.model_params() {
        let place = SpanEnds::of(&param.ty);
        let value = place.ident(&local(&format!("p{}", slots.len())));
        shown.push((shown_as(param.pass), shown_argument(param.pass, &value)));
        slots.push(slot_of(tool, param, names));
        values.push(value);
    }
    // Decoding ends a call that only checks arguments, if nothing else reads them.
    let validator = tool.options.validate.as_ref();
    let decoded = match validator {
        Some(_) => quote!(&#call.running()),
        None => quote!(&#call),
    };
    let is_root = tool.model_params().any(|param| param.flatten.is_some());
    let decode = ident(if is_root { "decode_root" } else { "decode" });
    let held = local("slots");
    let lets = (!slots.is_empty()).then(|| {
        let slots = tuple(&slots, &quote!(__tool::Cons));
        quote!(let #held = #slots;)
    });
    let held = lets
        .as_ref()
        .map_or_else(|| quote!(()), |_| held.into_token_stream());
    let decode = quote!(__tool::#decode(#decoded, #about, #held)?);
    let decode = if values.is_empty() {
        quote!(#decode;)
    } else {
        let values: Vec<_> = values.iter().map(ToTokens::to_token_stream).collect();
        let values = tuple(&values, &TokenStream::new());
        quote!(let #values = #decode;)
    };
    let validate = validator.map(|path| validate(path, &shown));
    (quote!(#lets #decode #validate), values)
}

/// A tuple with one element a parameter; where there are too many for one, a pair of tuples.
fn tuple(elements: &[TokenStream], pair: &TokenStream) -> TokenStream {
    match elements.split_at_checked(MOST_SLOTS) {
        Some((first, rest)) if !rest.is_empty() => {
            let rest = tuple(rest, pair);
            quote!(#pair((#(#first,)*), #rest))
        }
        _ => quote!((#(#elements,)*)),
    }
}

/// The slot of a parameter, with the value of an argument that is not given.
fn slot_of(tool: &Tool, param: &ModelParam, names: &HiddenItems) -> TokenStream {
    let mut slot = slot(tool, param);
    if matches!(param.pass, PassBy::Cow | PassBy::OptionCow) {
        slot = quote!(#slot.cow());
    }
    if param.default.is_some() {
        let default = names.default(param);
        slot = if param.pass.lends() {
            quote!(#slot.or_lent(Self::#default))
        } else {
            quote!(#slot.or(Self::#default))
        };
    }
    slot
}

/// The slot of a parameter's type.
fn slot(tool: &Tool, param: &ModelParam) -> TokenStream {
    let slot = slot_type(tool, param);
    if param.is_basic {
        quote!(__tool::slot::<#slot>())
    } else {
        quote!(__tool::argument::<#slot, _>(|it| it.__slot()))
    }
}

/// The argument of the body.
fn argument(pass: PassBy, value: &impl ToTokens) -> TokenStream {
    match pass {
        PassBy::Value | PassBy::Cow | PassBy::OptionCow => value.to_token_stream(),
        PassBy::Ref => quote!(&#value),
        PassBy::OptionRef => quote!(#value.as_ref()),
        PassBy::OptionDeref => quote!(#value.as_deref()),
    }
}

/// The argument of the validator.
fn shown_argument(pass: PassBy, value: &Ident) -> TokenStream {
    if pass.lends() {
        argument(pass, value)
    } else {
        quote!(&#value)
    }
}

/// The type of the validator's argument, as far as it is known here.
fn shown_as(pass: PassBy) -> TokenStream {
    match pass {
        PassBy::OptionRef | PassBy::OptionDeref => quote!(_),
        PassBy::Value | PassBy::Ref | PassBy::Cow | PassBy::OptionCow => quote!(&_),
    }
}

/// The call of the validator. The function type puts the error of a wrong validator at its path, and lets a validator take
/// a `&str` for a `String`.
fn validate(path: &Path, shown: &[(TokenStream, TokenStream)]) -> TokenStream {
    let place = SpanEnds::of(path);
    let (call, check) = (local("call"), local("check"));
    let types = shown.iter().map(|(ty, _)| ty);
    let ty = place.start(quote!(fn(#(#types),*) -> __tool::Result<(), _>));
    let shown = shown.iter().map(|(_, shown)| place.end(shown.clone()));
    let verdict = place.end(quote!(#check(#(#shown),*)));
    let way = error_conversion(place);
    quote! {
        let #check: #ty = #path;
        __tool::validated(&#call, #verdict, #way)?;
    }
}

/// The call of the user's function, and its outcome.
fn answer(tool: &Tool, callee: &TokenStream, arguments: &[TokenStream]) -> TokenStream {
    let name = SpanEnds::of(&tool.ident);
    let returned = returned(tool, callee, arguments);
    let result = if is_basic_output(tool) {
        if !tool.is_async {
            return quote!(__tool::ready(#returned));
        }
        let lends = |param: &Param| match param {
            Param::Model(param) => param.pass.lends(),
            Param::State(_) | Param::Approved(_) => false,
            Param::Context(_) => true,
        };
        if !tool.params.iter().any(lends) {
            let future = name.start(quote!(#callee(#(#arguments),*)));
            let later = name.start(quote!(__tool::later));
            return quote!(#later(#future));
        }
        quote!(__tool::outcome(#returned))
    } else {
        finished(
            tool,
            &returned,
            if tool.is_async { "finish" } else { "answer" },
        )
    };
    if tool.is_async {
        let keywords = quote_spanned!(start(tool.ident.span())=> async move);
        let body = name.end(quote!({ #result }));
        let future = quote!(#keywords #body);
        let (pending, future) = (
            name.start(quote!(__tool::pending)),
            name.end(quote!((#future))),
        );
        quote!(#pending #future)
    } else {
        result
    }
}

/// The call of the user's function, awaited.
fn returned(tool: &Tool, callee: &TokenStream, arguments: &[TokenStream]) -> TokenStream {
    let awaited = tool.is_async.then(|| quote!(.await));
    quote!(#callee(#(#arguments),*)#awaited)
}

/// Passes the function's return value to a function of the runtime.
fn finished(tool: &Tool, returned: &TokenStream, function: &str) -> TokenStream {
    let name = SpanEnds::of(&tool.ident);
    let (place, of_error) = match &tool.output {
        ReturnType::Type(_, ty) => {
            let (value, error) = ty::result_of(ty);
            (SpanEnds::of(value), SpanEnds::of(error))
        }
        ReturnType::Default => (name, name),
    };
    // The compiler points at the argument: from end to end of the type.
    let value = local("value");
    let finish = place.start(quote!(__tool::Finish(#value)));
    let split = place.end(quote!(.__split()));
    let way = error_conversion(of_error);
    let function = ident(function);
    quote! {
        let #value = #returned;
        __tool::#function(#finish #split, #way)
    }
}

/// The call of the user's function, as a result.
pub(super) fn outcome(tool: &Tool, callee: &TokenStream, arguments: &[TokenStream]) -> TokenStream {
    let returned = returned(tool, callee, arguments);
    if is_basic_output(tool) {
        quote!(__tool::outcome(#returned))
    } else {
        finished(tool, &returned, "finish")
    }
}

/// Generates the conversion of an error to words for the model; see the runtime's `finish`.
fn error_conversion(place: SpanEnds) -> TokenStream {
    let way = place.start(quote!(__conversion));
    quote!(|it| it.#way())
}
