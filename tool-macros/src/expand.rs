//! Tokens of a model. Expansion cannot fail: errors were found before.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Generics, Path, ReturnType};

use crate::model::{DefaultValue, ModelParam, Options, Param, Tool};
use crate::schema::{is_basic, is_plain};
use crate::span::{
    SpanEnds, call_site_at_item, ident, item_span, literal, local, parse_quote, quote,
    quote_call_site,
};
use crate::ty::{self, infer_lifetimes, is_option, static_lifetimes};

mod companion;
mod run;
mod stateless;
mod targets;

pub(crate) use self::companion::{bind_generic, companion};

/// Expands the items beside a free function.
pub(crate) fn free(tool: &Tool, handle: &Ident, krate: &Path) -> TokenStream {
    if stateless::holds(tool) {
        return stateless::free(tool, handle, krate);
    }
    let (impl_generics, ty_generics, where_clause) = tool.generics.split_for_impl();
    let callee = {
        let ident = &tool.ident;
        let turbofish = ty_generics.as_turbofish();
        quote!(#ident #turbofish)
    };
    let ToolParts {
        defaults,
        descriptor,
        run,
        ..
    } = ToolParts::new(tool, "", &callee);
    let imports = (!is_basic_tool(tool)).then(imports);
    let fits = fits(tool, &tool.generics);
    let targets = targets::own(tool, &quote!(<#handle as __tool::Handle>::DESCRIPTOR));
    let states = tool.params.iter().filter_map(|param| match param {
        Param::State(ty) => {
            let ty = state_type(ty, tool);
            Some(quote_call_site!(+ __tool::Provide<#ty>))
        }
        Param::Model(_) | Param::Context(_) => None,
    });
    let mut states = states.peekable();
    // The future of an asynchronous tool holds the state. That all threads may share it is asked where it is given; asked
    // here too, it would be one error more for each tool.
    let shared = (tool.is_async && states.peek().is_some())
        .then(|| quote!(+ ::core::marker::Send + ::core::marker::Sync));
    let mut bind_generics = tool.generics.clone();
    bind_generics
        .params
        .push(syn::parse_quote_spanned!(call_site_at_item()=> __S: 'static #shared #(#states)*));
    let (bind_generics, _, _) = bind_generics.split_for_impl();
    let implement = quote_call_site!(impl);
    let defaults = (!defaults.is_empty()).then(
        || quote!(#implement #impl_generics #handle #ty_generics #where_clause { #(#defaults)* }),
    );
    let (state, call, about) = (local("state"), local("call"), local("about"));
    // Where the tree may turn out wrong, whoever lists the tool has it made.
    let is_generic = !tool.generics.params.is_empty();
    let name = if is_generic || tool.model_params().any(|param| param.flatten.is_some()) {
        quote!(Self::DESCRIPTOR.name)
    } else {
        literal(&tool.name.value).into()
    };
    let generic = bind_generic(tool, handle, &bind_generics);
    let items = quote! {
        #imports
        #fits
        #defaults
        #[automatically_derived]
        #implement #impl_generics __tool::Handle for #handle #ty_generics #where_clause {
            const TOOL_NAME: &'static str = #name;
            const DESCRIPTOR: &'static __tool::Descriptor = &#descriptor;
        }
        #targets
        #[automatically_derived]
        #[allow(deprecated)]
        #implement #bind_generics __tool::Bind<__S> for #handle #ty_generics #where_clause {
            fn run<'__a>(
                #state: &'__a __S,
                #call: __tool::Call<'__a>,
                #about: &'static __tool::Descriptor,
            ) -> __tool::Ran<'__a> {
                #run
            }
        }
        #generic
    };
    companion(tool, handle, krate, Some(&allowed(tool.is_async)), &items)
}

/// Returns the `#[allow]` for lints that take generated code for the user's; see [`crate::span`].
fn allowed(is_async: bool) -> TokenStream {
    let large_futures = is_async.then(|| quote!(, clippy::large_futures));
    quote! {
        #[allow(
            unused_qualifications,
            clippy::absolute_paths,
            clippy::missing_inline_in_public_items,
            clippy::option_if_let_else
            #large_futures
        )]
    }
}

/// Returns true if all of the tool's types are basic, so that generated code imports no lookup traits.
fn is_basic_tool(tool: &Tool) -> bool {
    is_basic_output(tool)
        && tool.options.validate.is_none()
        && tool
            .model_params()
            .all(|param| param.is_basic && param.default.is_none() && param.flatten.is_none())
}

/// Returns true if the return type is a basic value, and no `Result`.
fn is_basic_output(tool: &Tool) -> bool {
    match &tool.output {
        ReturnType::Type(_, ty) => is_basic(ty),
        ReturnType::Default => true,
    }
}

/// The traits that generated code finds methods and constants through.
pub(crate) fn imports() -> TokenStream {
    quote_call_site!(
        use __tool::find::*;
    )
}

/// The parts of a block of methods.
pub(crate) fn group(
    tools: &[Tool],
    ty: &syn::Type,
    generics: &Generics,
    krate: &Path,
) -> TokenStream {
    let imports = imports();
    let krate = quote_call_site!(use #krate::__private as __tool;);
    let implement = quote_call_site!(impl);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let shared = shared(generics, ty);
    let (_, _, where_shared) = shared.split_for_impl();
    let parts: Vec<_> = tools
        .iter()
        .map(|tool| {
            let ident = &tool.ident;
            let prefix = format!("{}_", ident.to_string().trim_start_matches("r#"));
            ToolParts::new(tool, &prefix, &quote!(Self::#ident))
        })
        .collect();
    // What is made for a method is there where the method is.
    let cfgs: Vec<_> = tools
        .iter()
        .map(|Tool { cfg, .. }| quote!(#(#cfg)*))
        .collect();
    let items = parts.iter().zip(&cfgs).map(|(parts, cfg)| {
        let defaults = &parts.defaults;
        quote!(#(#cfg #defaults)*)
    });
    let about = parts.iter().zip(&cfgs).map(|(parts, cfg)| {
        let (name, descriptor) = (&parts.names.about, &parts.descriptor);
        quote!(#cfg const #name: &'static __tool::Descriptor = &#descriptor;)
    });
    let descriptors = parts.iter().zip(&cfgs).map(|(parts, cfg)| {
        let name = &parts.names.about;
        quote!(#cfg Self::#name)
    });
    let entries = parts.iter().zip(&cfgs).map(|(parts, cfg)| {
        let ToolParts { names, run, .. } = parts;
        let descriptor = &names.about;
        let (state, call, about) = (local("state"), local("call"), local("about"));
        quote!(#cfg __tool::Entry { descriptor: Self::#descriptor, run: |#state, #call, #about| { #run } })
    });
    let names = tools.iter().zip(&cfgs).map(|(tool, cfg)| {
        let name = literal(&tool.name.value);
        quote!(#cfg __tool::named(#name))
    });
    let fits = tools.iter().map(|tool| fits(tool, generics));
    let targets = tools.iter().zip(&parts).map(|(tool, parts)| {
        let (ty, about) = (static_lifetimes(ty.to_token_stream()), &parts.names.about);
        targets::own(tool, &quote!(<#ty>::#about))
    });
    let allowed = allowed(tools.iter().any(|tool| tool.is_async));
    quote! {
        #allowed
        const _: () = {
            #krate
            #imports
            #(#fits)*
            #implement #impl_generics #ty #where_clause { #(#items)* #(#about)* }
            #(#targets)*
            #[automatically_derived]
            #[allow(deprecated)]
            #implement #impl_generics __tool::OneToolBlock for #ty #where_shared {
                const NAMES: &'static [__tool::Named] = &[#(#names),*];
                const DESCRIPTORS: &'static [&'static __tool::Descriptor] = &[#(#descriptors),*];
                const ENTRIES: &'static [__tool::Entry<Self>] = &[#(#entries),*];
            }
        };
    }
}

/// Adds the bounds of a type that calls share, for a generic type. They are checked where an instance is listed.
/// Without type parameters the compiler checks the type itself.
pub(crate) fn shared(generics: &Generics, ty: &syn::Type) -> Generics {
    let mut generics = generics.clone();
    if generics.type_params().next().is_some() {
        let bound = parse_quote!(#ty: 'static + ::core::marker::Send + ::core::marker::Sync);
        generics.make_where_clause().predicates.push(bound);
    }
    generics
}

/// Generated parts of one tool, for a function or a method.
struct ToolParts {
    /// Functions of an inherent impl that return the defaults.
    defaults: Vec<TokenStream>,
    descriptor: TokenStream,
    /// Body of the function that answers a call.
    run: TokenStream,
    names: Names,
}

impl ToolParts {
    fn new(tool: &Tool, prefix: &str, callee: &TokenStream) -> Self {
        let model: Vec<_> = tool.model_params().collect();
        let names = Names::new(prefix);
        Self {
            defaults: defaults(&model, &names),
            descriptor: descriptor(tool, &model, &names),
            run: run::run(tool, &names, callee),
            names,
        }
    }
}

/// The names of a tool's hidden items.
struct Names {
    /// Name of the constant that holds a method's descriptor.
    about: Ident,
    prefix: String,
}

impl Names {
    fn new(prefix: &str) -> Self {
        Self {
            about: ident(&format!("__TOOL_{}ABOUT", prefix.to_uppercase())),
            prefix: prefix.to_owned(),
        }
    }

    fn default(&self, param: &ModelParam) -> Ident {
        ident(&format!("__tool_{}default_{}", self.prefix, param.ident))
    }
}

fn defaults(model: &[&ModelParam], names: &Names) -> Vec<TokenStream> {
    let defaults = model.iter().filter_map(|param| {
        let value = match param.default.as_ref()? {
            DefaultValue::Trait(span) => {
                quote_spanned!(span.resolved_at(item_span())=> ::core::default::Default::default())
            }
            DefaultValue::Expr(expr) => expr.to_token_stream(),
        };
        let name = names.default(param);
        let ty = static_lifetimes(param.ty.to_token_stream());
        Some(quote!(fn #name() -> #ty { #value }))
    });
    defaults.collect()
}

/// The tree of the parameters.
fn input(tool: &Tool, model: &[&ModelParam], names: &Names) -> TokenStream {
    if let [param] = model
        && param.flatten.is_some()
    {
        let slot = slot_type(tool, param);
        let place = SpanEnds::of(&param.ty);
        let (root, shape) = (
            place.start(quote!(__tool::root)),
            place.end(quote!((__tool::Has::<#slot>::__SHAPE, __tool::Told::<#slot>::__SHAPE))),
        );
        return quote!(#root #shape);
    }
    let fields = model.iter().map(|param| field(tool, param, names));
    let open = tool.options.ignore_unknown.map(|_| quote!(.open()));
    quote!(&__tool::Shape::object(&[#(#fields),*])#open)
}

/// Generates the tree of a parameter's type. A basic type needs no lookup, which would cost the compiler time.
fn known(tool: &Tool, param: &ModelParam) -> TokenStream {
    let slot = slot_type(tool, param);
    if param.is_basic {
        return quote!(__tool::shape::<#slot>());
    }
    quote!(__tool::known(__tool::Has::<#slot>::__SHAPE, __tool::Told::<#slot>::__SHAPE))
}

/// Generates constants that do not compile if a bound does not fit its parameter's type. A generic type cannot be
/// checked here: it is known only where the tool is listed.
fn fits(tool: &Tool, generics: &Generics) -> TokenStream {
    let is_open =
        generics.type_params().next().is_some() || generics.const_params().next().is_some();
    if is_open || tool.model_params().all(|param| param.bounds.is_empty()) {
        return TokenStream::new();
    }
    let checks = tool.model_params().flat_map(|param| {
        let shape = known(tool, param);
        let default = match &param.default {
            Some(DefaultValue::Expr(default)) => param.bounds.default_fits(&param.ty, default),
            _ => None,
        };
        param.bounds.fits(&shape).chain(default).collect::<Vec<_>>()
    });
    let cfg = &tool.cfg;
    quote!(#(#cfg)* const _: () = { #(#checks)* };)
}

/// One row of the table of parameters.
fn field(tool: &Tool, param: &ModelParam, names: &Names) -> TokenStream {
    let (name, description) = (literal(&param.name.value), literal(&param.description));
    let shape = narrowed(param, known(tool, param));
    let mut field = quote!(__tool::Field::new(#name, #description, #shape));
    if is_option(&param.ty) {
        field = quote!(#field.optional());
    }
    if param.default.is_some() {
        let default = names.default(param);
        field = quote!(#field.defaulted(|| __tool::AsJson(Self::#default()).__json()));
    }
    if let Some(example) = &param.example {
        let place = SpanEnds::of(example);
        let (json, borrow) = (place.start(quote!(__tool::json)), place.start(quote!(&)));
        let argument = place.end(quote!((#borrow #example)));
        field = quote!(#field.exemplified(|| #json #argument));
    }
    field
}

/// The tree of a parameter's type with what the parameter adds to it.
fn narrowed(param: &ModelParam, mut shape: TokenStream) -> TokenStream {
    if let Some(narrow) = param.bounds.narrow(&shape) {
        shape = quote!(&__tool::Shape::new(#narrow));
    }
    if param.secret.is_some() {
        shape = quote!(&__tool::secret(#shape));
    }
    shape
}

/// The type that is decoded, with lifetimes left to be inferred.
fn slot_type(tool: &Tool, param: &ModelParam) -> TokenStream {
    infer_lifetimes(param.slot.clone(), &tool.lifetimes)
}

fn state_type(ty: &syn::Type, tool: &Tool) -> TokenStream {
    match ty::bare(ty) {
        syn::Type::Reference(reference) => {
            infer_lifetimes(reference.elem.to_token_stream(), &tool.lifetimes)
        }
        other => other.to_token_stream(),
    }
}

fn descriptor(tool: &Tool, model: &[&ModelParam], names: &Names) -> TokenStream {
    let options = &tool.options;
    let (name, description) = (literal(&tool.name.value), literal(&tool.description));
    let input = input(tool, model, names);
    let mut fields = vec![
        quote!(name: #name),
        quote!(description: #description),
        quote!(input: #input),
    ];
    if let Some(refs) = refs(tool, model) {
        fields.push(quote!(refs: #refs));
    }
    if let ReturnType::Type(..) = &tool.output {
        let output = output(tool);
        fields.push(quote!(output: #output));
    }
    fields.extend(rest(options));
    quote!(__tool::Descriptor { #(#fields,)* ..__tool::Descriptor::NEW })
}

/// The types that the parameters' trees lead back to, if there may be any.
fn refs(tool: &Tool, model: &[&ModelParam]) -> Option<TokenStream> {
    let refs = model
        .iter()
        .filter(|param| !param.is_basic && !is_plain(&param.ty));
    let refs: Vec<_> = refs
        .map(|param| {
            let slot = slot_type(tool, param);
            quote!(__tool::refs_of(__tool::Has::<#slot>::__REFS))
        })
        .collect();
    (!refs.is_empty()).then(|| quote!(&__tool::Refs::through(&[#(#refs),*])))
}

/// The tree of the result, if it has one.
fn output(tool: &Tool) -> TokenStream {
    let ReturnType::Type(_, ty) = &tool.output else {
        return quote!(__tool::NO_OUTPUT);
    };
    let shown = infer_lifetimes(ty.to_token_stream(), &tool.lifetimes);
    if is_basic(ty) {
        quote!(__tool::output::<#shown>())
    } else {
        quote!(__tool::either(__tool::Returned::<#shown>::__SHAPE, __tool::Has::<#shown>::__SHAPE))
    }
}

/// Returns the fields that options add to a descriptor.
fn rest(options: &Options) -> Vec<TokenStream> {
    let mut fields = Vec::new();
    if let Some(title) = &options.title {
        let title = literal(&title.value);
        fields.push(quote!(title: #title));
    }
    if !options.annotations.is_empty() {
        let hints = options.annotations.iter().map(|(name, value)| {
            let (name, value) = (ident(name), literal(*value));
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
        (options.blocking.is_some(), "blocking"),
        (options.spawn.is_some(), "spawn"),
    ] {
        if flag {
            let name = ident(name);
            fields.push(quote!(#name: true));
        }
    }
    if let Some((_, millis)) = options.timeout {
        let millis = literal(millis);
        fields.push(quote!(timeout_ms: #millis));
    }
    if let Some(meta) = &options.meta {
        let meta = literal(meta);
        fields.push(quote!(meta: #meta));
    }
    if let Some(visible) = &options.visible {
        fields.push(quote!(visible: #visible, may_hide: true));
    }
    fields
}
