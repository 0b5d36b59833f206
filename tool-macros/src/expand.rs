//! From the model to tokens. It cannot fail: what is wrong was found before.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Path, ReturnType, Visibility};

use crate::model::{DefaultValue, ModelParam, Param, Pass, Tool};
use crate::ty::{infer_lifetimes, static_lifetimes};

/// What stands beside a free function.
pub(crate) fn free(tool: &Tool, handle: &Ident, krate: &Path) -> TokenStream {
    let (impl_generics, ty_generics, where_clause) = tool.generics.split_for_impl();
    let handle_struct = handle_struct(&tool.vis, handle, &tool.generics);
    let callee = {
        let ident = &tool.ident;
        let turbofish = ty_generics.as_turbofish();
        quote!(#ident #turbofish)
    };
    let parts = Parts::new(tool, "", callee);
    let Parts {
        items,
        descriptor,
        run,
    } = &parts;
    let imports = imports();
    let states = tool.params.iter().filter_map(|param| match param {
        Param::State(ty) => {
            let ty = state_type(ty, tool);
            Some(quote!(+ __tool::Provide<#ty>))
        }
        Param::Model(_) | Param::Context(_) => None,
    });
    let mut bind_generics = tool.generics.clone();
    bind_generics.params.push(
        syn::parse_quote!(__S: 'static + ::core::marker::Send + ::core::marker::Sync #(#states)*),
    );
    let (bind_generics, _, _) = bind_generics.split_for_impl();
    quote! {
        #handle_struct
        const _: () = {
            use #krate::__private::{self as __tool, #imports};
            #[automatically_derived]
            impl #impl_generics #handle #ty_generics #where_clause { #items }
            #[automatically_derived]
            impl #impl_generics __tool::Handle for #handle #ty_generics #where_clause {
                const DESCRIPTOR: &'static __tool::Descriptor = &#descriptor;
            }
            #[automatically_derived]
            impl #bind_generics __tool::Bind<__S> for #handle #ty_generics #where_clause {
                const ENTRY: &'static __tool::Entry<__S> = &__tool::Entry {
                    descriptor: <Self as __tool::Handle>::DESCRIPTOR,
                    run: #run,
                };
            }
        };
    }
}

/// The struct beside a function: a brace struct, so that it takes no name from values.
pub(crate) fn handle_struct(vis: &Visibility, handle: &Ident, generics: &Generics) -> TokenStream {
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let params = generics.params.iter().map(|param| match param {
        GenericParam::Type(param) => {
            let ident = &param.ident;
            quote!(fn() -> *const #ident)
        }
        _ => quote!(()),
    });
    let phantom = (!generics.params.is_empty())
        .then(|| quote!(__tool: ::core::marker::PhantomData<(#(#params,)*)>));
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #handle #impl_generics #where_clause { #phantom }
    }
}

/// The traits that generated code finds methods and constants through.
fn imports() -> TokenStream {
    let traits = [
        "FindAny",
        "FindForeign",
        "FindSlot",
        "FinishAny",
        "HasNot",
        "NoJson",
        "ReturnedNot",
        "ToldNot",
        "ViaDebug",
        "ViaError",
        "ViaMessages",
        "ViaText",
        "ViaToolError",
    ]
    .map(|name| format_ident!("{name}"));
    quote!(#(#traits as _),*)
}

/// The parts of a block of methods.
pub(crate) fn group(
    tools: &[Tool],
    ty: &syn::Type,
    generics: &syn::Generics,
    krate: &Path,
) -> TokenStream {
    let imports = imports();
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let parts: Vec<_> = tools
        .iter()
        .map(|tool| {
            let ident = &tool.ident;
            let prefix = format!("{}_", ident.to_string().trim_start_matches("r#"));
            Parts::new(tool, &prefix, quote!(Self::#ident))
        })
        .collect();
    let items = parts.iter().map(|parts| &parts.items);
    let entries = parts.iter().map(|parts| {
        let Parts {
            descriptor, run, ..
        } = parts;
        quote!(__tool::Entry { descriptor: &#descriptor, run: #run })
    });
    let names = tools.iter().map(|tool| &tool.name.value);
    quote! {
        const _: () = {
            use #krate::__private::{self as __tool, #imports};
            #[automatically_derived]
            impl #impl_generics #ty #where_clause { #(#items)* }
            #[automatically_derived]
            impl #impl_generics __tool::Group for #ty #where_clause {
                const NAMES: &'static [__tool::Named] = &[#(__tool::named(#names)),*];
                const ENTRIES: &'static [__tool::Entry<Self>] = &[#(#entries),*];
            }
        };
    }
}

/// What is generated for one tool, wherever it goes.
struct Parts {
    /// Items of an inherent impl: the table of parameters, and the defaults.
    items: TokenStream,
    descriptor: TokenStream,
    run: TokenStream,
}

impl Parts {
    fn new(tool: &Tool, prefix: &str, callee: TokenStream) -> Self {
        let model: Vec<_> = tool
            .params
            .iter()
            .filter_map(|param| match param {
                Param::Model(param) => Some(param),
                Param::State(_) | Param::Context(_) => None,
            })
            .collect();
        let names = Names::new(prefix);
        Self {
            items: items(tool, &model, &names),
            descriptor: descriptor(tool, &model, &names),
            run: run(tool, &names, &callee),
        }
    }
}

/// The names of a tool's hidden items.
struct Names {
    params: Ident,
    prefix: String,
}

impl Names {
    fn new(prefix: &str) -> Self {
        Self {
            params: format_ident!("__TOOL_{}PARAMS", prefix.to_uppercase()),
            prefix: prefix.to_owned(),
        }
    }

    fn default(&self, param: &ModelParam) -> Ident {
        format_ident!("__tool_{}default_{}", self.prefix, param.ident)
    }
}

fn items(tool: &Tool, model: &[&ModelParam], names: &Names) -> TokenStream {
    let defaults = model.iter().filter_map(|param| {
        let value = match param.default.as_ref()? {
            DefaultValue::Trait(span) => {
                quote_spanned!(span.resolved_at(Span::mixed_site())=> ::core::default::Default::default())
            }
            DefaultValue::Expr(expr) => expr.to_token_stream(),
        };
        let name = names.default(param);
        let ty = static_lifetimes(param.ty.to_token_stream());
        Some(quote!(fn #name() -> #ty { #value }))
    });
    let params = &names.params;
    if let [param] = model
        && param.flatten.is_some()
    {
        let slot = slot_type(tool, param);
        return quote! {
            const #params: &'static __tool::Shape = __tool::known(__tool::Has::<#slot>::SHAPE, __tool::Told::<#slot>::SHAPE);
        };
    }
    let fields = model.iter().map(|param| field(tool, param, names));
    quote! {
        const #params: &'static [__tool::Field] = &[#(#fields),*];
        #(#defaults)*
    }
}

/// One row of the table of parameters.
fn field(tool: &Tool, param: &ModelParam, names: &Names) -> TokenStream {
    let ModelParam {
        name, description, ..
    } = param;
    let name = &name.value;
    let slot = slot_type(tool, param);
    let mut field = quote!(__tool::field(#name, #description, __tool::Has::<#slot>::SHAPE, __tool::Told::<#slot>::SHAPE));
    if param.default.is_some() {
        let default = names.default(param);
        field = quote!(#field.defaulted(|| __tool::AsJson(Self::#default()).json()));
    }
    if let Some(example) = &param.example {
        field = quote!(#field.exemplified(|| __tool::AsJson(#example).json()));
    }
    field
}

/// The type that is decoded, with lifetimes left to be inferred.
fn slot_type(tool: &Tool, param: &ModelParam) -> TokenStream {
    infer_lifetimes(param.slot.clone(), &tool.lifetimes)
}

fn state_type(ty: &syn::Type, tool: &Tool) -> TokenStream {
    match crate::ty::bare(ty) {
        syn::Type::Reference(reference) => {
            infer_lifetimes(reference.elem.to_token_stream(), &tool.lifetimes)
        }
        other => other.to_token_stream(),
    }
}

fn descriptor(tool: &Tool, model: &[&ModelParam], names: &Names) -> TokenStream {
    let options = &tool.options;
    let name = &tool.name.value;
    let description = &tool.description;
    let params = &names.params;
    let input = if model.iter().any(|param| param.flatten.is_some()) {
        quote!(Self::#params)
    } else {
        quote!(&__tool::Shape::object(Self::#params))
    };
    let mut fields = vec![
        quote!(name: #name),
        quote!(description: #description),
        quote!(input: #input),
    ];
    if let ReturnType::Type(_, ty) = &tool.output {
        let ty = infer_lifetimes(ty.to_token_stream(), &tool.lifetimes);
        fields.push(quote! {
            output: __tool::either(__tool::Returned::<#ty>::SHAPE, __tool::Has::<#ty>::SHAPE)
        });
    }
    if let Some(title) = &options.title {
        let title = &title.value;
        fields.push(quote!(title: #title));
    }
    if !options.annotations.is_empty() {
        let hints = options.annotations.iter().map(|(name, value)| {
            let name = format_ident!("{name}");
            quote!(#name: ::core::option::Option::Some(#value))
        });
        fields.push(quote! {
            annotations: __tool::Annotations { #(#hints,)* ..__tool::Annotations::NONE }
        });
    }
    for (flag, name) in [
        (options.manual, "manual"),
        (options.return_direct, "return_direct"),
        (options.exclusive, "exclusive"),
        (options.blocking, "blocking"),
    ] {
        if flag {
            let name = format_ident!("{name}");
            fields.push(quote!(#name: true));
        }
    }
    if let Some((_, millis)) = options.timeout {
        fields.push(quote!(timeout_ms: #millis));
    }
    if let Some(meta) = &options.meta {
        fields.push(quote!(meta: #meta));
    }
    if let Some(visible) = &options.visible {
        fields.push(quote!(visible: ::core::option::Option::Some(#visible)));
    }
    quote!(__tool::Descriptor { #(#fields,)* ..__tool::Descriptor::NEW })
}

/// The closure that answers a call.
fn run(tool: &Tool, names: &Names, callee: &TokenStream) -> TokenStream {
    let (state, call) = (local("state"), local("call"));
    let mut lets = TokenStream::new();
    let mut slots = Vec::new();
    let mut takes = TokenStream::new();
    let mut arguments = Vec::new();
    let mut shown = Vec::new();
    if tool.receiver {
        arguments.push(quote!(#state));
    }
    for (index, param) in tool.params.iter().enumerate() {
        let name = local(&format!("p{index}"));
        match param {
            Param::Model(param) => {
                let slot = slot_type(tool, param);
                let argument = on(&slot, quote!(__tool::), quote!(argument));
                lets.extend(quote! {
                    let mut #name = #argument::<#slot, _>((&&&__tool::Probe::<#slot>::NEW).slot());
                });
                let default = param.default.as_ref().map(|_| names.default(param));
                let (take, argument, show) = pass(&name, param.pass, default.as_ref());
                takes.extend(take);
                arguments.push(argument);
                shown.push(show);
                slots.push(quote!(&mut #name));
            }
            Param::State(ty) => {
                let provided = state_type(ty, tool);
                arguments.push(quote_spanned! {ty.span().resolved_at(Span::mixed_site())=>
                    __tool::Provide::<#provided>::provide(#state)
                });
            }
            Param::Context(ty) => {
                takes.extend(quote!(let #name = #call.context();));
                arguments.push(quote_spanned!(ty.span().resolved_at(Span::mixed_site())=> &#name));
            }
        }
    }
    let is_root = tool
        .params
        .iter()
        .any(|param| matches!(param, Param::Model(param) if param.flatten.is_some()));
    let params = &names.params;
    let decode = if is_root {
        quote!(__tool::decode_root(&#call, Self::#params, #(#slots),*)?;)
    } else {
        quote!(__tool::decode(&#call, Self::#params, &mut [#(#slots),*])?;)
    };
    let validate = tool.options.validate.as_ref().map(|path| {
        let verdict = local("verdict");
        let error = local("error");
        let way = way(&error, path.span(), quote!(InvalidArgs));
        quote! {
            let #verdict: ::core::result::Result<(), _> = #path(#(#shown),*);
            if let ::core::result::Result::Err(#error) = #verdict {
                return ::core::result::Result::Err(__tool::Stop::failed(#way));
            }
        }
    });
    let answer = answer(tool, callee, &arguments);
    quote! {
        |#state, #call| {
            #lets
            #decode
            #takes
            #validate
            __tool::Stop::check(&#call)?;
            ::core::result::Result::Ok(#answer)
        }
    }
}

/// What a parameter becomes: how it is taken out of its slot, what the body gets, and what the
/// validator gets.
fn pass(
    name: &Ident,
    pass: Pass,
    default: Option<&Ident>,
) -> (TokenStream, TokenStream, TokenStream) {
    let Some(default) = default else {
        let take = quote!(let #name = #name.take()?;);
        let argument = match pass {
            Pass::Value => return (take, quote!(#name), quote!(&#name)),
            Pass::Ref => quote!(&#name),
            Pass::Cow => quote!(::std::borrow::Cow::Borrowed(#name)),
            Pass::OptionCow => quote!(#name.map(::std::borrow::Cow::Borrowed)),
            Pass::OptionRef => quote!(#name.as_ref()),
            Pass::OptionDeref => quote!(#name.as_deref()),
        };
        let shown = match pass {
            Pass::Cow | Pass::OptionCow => quote!(&#argument),
            _ => argument.clone(),
        };
        return (take, argument, shown);
    };
    let given = local("given");
    let keep = quote!(let #name = #name.given(););
    let or = |some: TokenStream, value: TokenStream| {
        quote! {
            match #some {
                ::core::option::Option::Some(#given) => #value,
                ::core::option::Option::None => Self::#default(),
            }
        }
    };
    let cow = quote!(::std::borrow::Cow::Borrowed);
    let owned = |value: TokenStream| {
        let value = or(quote!(#name.given()), value);
        (quote!(let #name = #value;), quote!(#name), quote!(&#name))
    };
    let lent = |value: TokenStream| {
        let value = or(quote!(&#name), value);
        (keep, value.clone(), value)
    };
    match pass {
        Pass::Value => owned(quote!(#given)),
        Pass::Cow => owned(quote!(#cow(#given))),
        Pass::OptionCow => owned(quote!(#given.map(#cow))),
        Pass::Ref => lent(quote!(#given)),
        Pass::OptionRef => lent(quote!(#given.as_ref())),
        Pass::OptionDeref => lent(quote!(#given.as_deref())),
    }
}

/// The call of the user's function, and what it came to.
fn answer(tool: &Tool, callee: &TokenStream, arguments: &[TokenStream]) -> TokenStream {
    let span = match &tool.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => tool.ident.span(),
    };
    let awaited = tool.is_async.then(|| quote!(.await));
    let (value, error) = (local("value"), local("error"));
    let output = match &tool.output {
        ReturnType::Type(_, ty) => ty.to_token_stream(),
        ReturnType::Default => tool.ident.to_token_stream(),
    };
    let outcome = on(&output, quote!(__tool::), quote!(outcome));
    let shown = quote_spanned!(span.resolved_at(Span::mixed_site())=> #value);
    let way = way(&error, span, quote!(Failed));
    let result = quote! {
        match __tool::Finish(#callee(#(#arguments),*)#awaited).split() {
            ::core::result::Result::Ok(#value) => ::core::result::Result::Ok(#outcome(#shown)),
            ::core::result::Result::Err(#error) => ::core::result::Result::Err(#way),
        }
    };
    if tool.is_async {
        let later = on(
            &tool.ident.to_token_stream(),
            quote!(__tool::Answer::),
            quote!(later),
        );
        quote!(#later(async move { #result }))
    } else {
        quote!(__tool::Answer::Ready(#result))
    }
}

/// From an error to words for the model; see the runtime's `finish`.
fn way(error: &Ident, span: Span, kind: TokenStream) -> TokenStream {
    let way = quote_spanned!(span.resolved_at(Span::mixed_site())=> way);
    quote! {
        (&&&&__tool::Failure::of(&#error)).#way().error(__tool::ErrorKind::#kind, #error)
    }
}

/// A path whose first and last tokens stand where those of `place` do, so that an error about the
/// path is shown under all of `place`.
fn on(place: &TokenStream, path: TokenStream, last: TokenStream) -> TokenStream {
    let spans: Vec<_> = place
        .clone()
        .into_iter()
        .map(|token| token.span())
        .collect();
    let at = |tokens: TokenStream, span: Option<&Span>| {
        let span = span.map(|span| span.resolved_at(Span::mixed_site()));
        tokens
            .into_iter()
            .map(|mut token| {
                if let Some(span) = span {
                    token.set_span(span);
                }
                token
            })
            .collect::<TokenStream>()
    };
    let first = at(path, spans.first());
    let last = at(last, spans.last());
    quote!(#first #last)
}

/// A local of the generated code, which no user's expression can see.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
