//! Tokens of a model. Expansion cannot fail: errors were found before.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Generics, Path, ReturnType};

use crate::handle::this_function;
use crate::model::{FunctionRole, Tool};
use crate::span::{
    SpanEnds, call_site_at, ident, literal, local, not_looked_into_in_editor, parse_quote, quote,
    quote_call_site,
};
use crate::ty::{is_basic, static_lifetimes};

pub(crate) mod args;
mod companion;
mod editor;
pub(crate) mod fallback;
mod run;
mod table;
mod targets;

pub(crate) use self::args::Args;
pub(crate) use self::companion::{bind_generic, companion};
use self::table::{HiddenItems, defaults, earlier_names, fits, table};

/// Expands the items beside a free function.
pub(crate) fn free(tool: &Tool, handle: &Ident, krate: &Path) -> TokenStream {
    let (impl_generics, ty_generics, where_clause) = tool.generics.split_for_impl();
    let callee = {
        let ident = &tool.ident;
        let turbofish = ty_generics.as_turbofish();
        quote!(#ident #turbofish)
    };
    let ToolParts {
        defaults,
        table,
        run,
        names,
    } = ToolParts::new(tool, "", &callee);
    let imports = (!is_basic_tool(tool)).then(imports);
    let fits = fits(tool, &tool.generics);
    let about = quote!(<#handle as __tool::Handle>::DESCRIPTOR);
    let (targets, texts) = (targets::check(tool, &about), targets::texts(tool, &about));
    let implement = quote_call_site!(impl);
    let defaults = (!defaults.is_empty()).then(
        || quote!(#implement #impl_generics #handle #ty_generics #where_clause { #(#defaults)* }),
    );
    let implements = implement_free(tool, handle, &table, &run);
    let args = Args::of(tool, None, krate);
    let args_item = args.as_ref().map(Args::item);
    let args_impls = args.map(|args| {
        let ty = quote!(#handle #ty_generics);
        let listed = args::ArgsImpl {
            trait_: quote!(__tool::ToolArgs),
            of: ty.clone(),
            ty,
        };
        args.impls(&names, &listed, &callee)
    });
    let unresolved = unresolved_links(std::slice::from_ref(tool));
    let items =
        quote!(#unresolved #imports #fits #defaults #implements #args_impls #targets #texts);
    let allowed = allowed(tool.is_async);
    let beside = companion(tool, handle, krate, Some(&allowed), &items);
    let values = editor::values(tool);
    quote!(#args_item #beside #values)
}

/// The traits of a free function: one for any state, or two for a state that it asks for.
fn implement_free(
    tool: &Tool,
    handle: &Ident,
    table: &TokenStream,
    run: &TokenStream,
) -> TokenStream {
    let (impl_generics, ty_generics, where_clause) = tool.generics.split_for_impl();
    let implement = quote_call_site!(impl);
    let (state, call, about) = (local("state"), local("call"), local("about"));
    // Notes about an impl point at its trait, its type and its bounds: at one place.
    let (at_name, name) = (call_site_at(&tool.ident), SpanEnds::of(&tool.ident));
    let states = args::states(tool);
    if states.is_empty() {
        let stateless = name.start(quote!(__tool::Stateless));
        quote! {
            #[automatically_derived]
            #implement #impl_generics #stateless for #handle #ty_generics #where_clause {
                #table
                #[inline]
                fn run(#call: __tool::Call<'_>, #about: __tool::DescriptorRef) -> __tool::RunResult<'_> {
                    #run
                }
            }
        }
    } else {
        // The future of an asynchronous tool holds the state. Threads must be able to share the state, which is checked
        // where it is given; another bound here would add one error for each tool.
        let shared = tool
            .is_async
            .then(|| name.start(quote!(+ __tool::Send + __tool::Sync)));
        let lifetime = quote_call_site!('static);
        let mut bind_generics = tool.generics.clone();
        bind_generics
            .params
            .push(syn::parse_quote_spanned!(at_name=> __S: #lifetime #shared #(#states)*));
        let (bind_generics, _, _) = bind_generics.split_for_impl();
        let bind = name.start(quote!(__tool::Bind<__S>));
        let generic = bind_generic(tool, handle, &bind_generics);
        quote! {
            #[automatically_derived]
            #implement #impl_generics __tool::Handle for #handle #ty_generics #where_clause {
                #table
            }
            #[automatically_derived]
            #implement #bind_generics #bind for #handle #ty_generics #where_clause {
                #[inline]
                fn run<'__a>(
                    #state: &'__a __tool::Arc<__S>,
                    #call: __tool::Call<'__a>,
                    #about: __tool::DescriptorRef,
                ) -> __tool::RunResult<'__a> {
                    #run
                }
            }
            #generic
        }
    }
}

/// Returns the `#[allow]` for lints that take generated code for the user's; see [`crate::span`].
fn allowed(is_async: bool) -> TokenStream {
    let large_futures = is_async.then(|| quote!(, clippy::large_futures));
    quote!(#[allow(deprecated, non_camel_case_types, unused_qualifications, long_running_const_eval #large_futures)])
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
    let (args_items, args_impls) = args::of_block(tools, ty, krate);
    let krate = quote_call_site!(use #krate::__private as __tool;);
    let implement = quote_call_site!(impl);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let shared = shared(generics, ty);
    let (_, _, where_shared) = shared.split_for_impl();
    let parts: Vec<_> = tools.iter().map(ToolParts::of_method).collect();
    // A method's items have the method's conditions.
    let cfgs: Vec<_> = tools
        .iter()
        .map(|Tool { cfg, .. }| quote!(#(#cfg)*))
        .collect();
    let defaults = parts.iter().zip(&cfgs).map(|(parts, cfg)| {
        let defaults = &parts.defaults;
        quote!(#(#cfg #defaults)*)
    });
    let has_defaults = parts.iter().any(|parts| !parts.defaults.is_empty());
    let defaults =
        has_defaults.then(|| quote!(#implement #impl_generics #ty #where_clause { #(#defaults)* }));
    let methods = tools.iter().zip(&parts).map(|(tool, parts)| {
        // The future of an asynchronous method holds the value.
        let generics = if tool.is_async { &shared } else { generics };
        implement_method(tool, parts, ty, generics)
    });
    let listed = offers(tools, &parts, FunctionRole::Tool, "entry");
    let other = |name: &str, role: FunctionRole, wrapper: &str, entry: &str| {
        let has_role = tools.iter().any(|tool| tool.options.role == role);
        let (name, wrapper) = (ident(name), ident(wrapper));
        let offers = offers(tools, &parts, role, entry);
        has_role.then(|| quote!(const #name: __tool::Offers<__tool::#wrapper<Self>> = #offers;))
    };
    let prompts = other("PROMPTS", FunctionRole::Prompt, "Prompts", "prompt_entry");
    let resources = other(
        "RESOURCES",
        FunctionRole::Resource,
        "Resources",
        "resource_entry",
    );
    let fits = tools.iter().map(|tool| fits(tool, generics));
    let targets = tools.iter().zip(&parts).map(|(tool, parts)| {
        let (ty, method) = (static_lifetimes(ty.to_token_stream()), &parts.names.method);
        let about = quote!(__tool::described::<#ty, #method>());
        let texts = generics
            .params
            .is_empty()
            .then(|| targets::texts(tool, &about));
        let targets = targets::check(tool, &about);
        quote!(#targets #texts)
    });
    let unresolved = unresolved_links(tools);
    let one_block = SpanEnds::of(ty).start(quote!(__tool::OneToolImplPerType));
    let allowed = allowed(tools.iter().any(|tool| tool.is_async));
    let skip = not_looked_into_in_editor();
    let values = tools.iter().filter_map(editor::values);
    quote! {
        #args_items
        #(#values)*
        #skip
        #allowed
        const _: () = {
            #krate
            #unresolved
            #imports
            #(#fits)*
            #defaults
            #(#methods)*
            #args_impls
            #(#targets)*
            #[automatically_derived]
            #implement #impl_generics #one_block for #ty #where_shared {
                const TOOLS: __tool::Offers<Self> = #listed;
                #prompts
                #resources
            }
        };
    }
}

/// The methods of a block with one role: names, descriptors and entries.
fn offers(tools: &[Tool], parts: &[ToolParts], role: FunctionRole, entry: &str) -> TokenStream {
    let methods = tools.iter().zip(parts);
    let methods: Vec<_> = methods
        .filter(|(tool, _)| tool.options.role == role)
        .map(|(tool, parts)| {
            let cfg = &tool.cfg;
            (tool, &parts.names.method, quote!(#(#cfg)*))
        })
        .collect();
    let each = |make: &str| {
        let make = ident(make);
        let calls = methods
            .iter()
            .map(|(_, method, cfg)| quote!(#cfg __tool::#make::<Self, #method>()));
        quote!(#(#calls),*)
    };
    let (entries, descriptors) = (each(entry), each("described"));
    let names = methods.iter().map(|(tool, _, cfg)| {
        let name = literal(&tool.name.value);
        let was = earlier_names(&tool.options).map(|names| quote!(.was(#names)));
        quote!(#cfg __tool::named(#name) #was)
    });
    quote! {
        __tool::Offers {
            names: &[#(#names),*],
            descriptors: &[#descriptors],
            entries: &[#entries],
        }
    }
}

/// The type that represents a method, and its impl.
fn implement_method(
    tool: &Tool,
    parts: &ToolParts,
    ty: &syn::Type,
    generics: &Generics,
) -> TokenStream {
    let (ToolParts { table, run, .. }, method) = (parts, &parts.names.method);
    let (marker, implement) = (quote_call_site!(enum #method {}), quote_call_site!(impl));
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (state, call, about) = (local("state"), local("call"), local("about"));
    let cfg = &tool.cfg;
    let cfg = quote!(#(#cfg)*);
    quote! {
        #cfg
        #marker
        #cfg
        #[automatically_derived]
        #implement #impl_generics __tool::Method<#method> for #ty #where_clause {
            #table
            fn run<'__a>(
                #state: &'__a __tool::Arc<Self>,
                #call: __tool::Call<'__a>,
                #about: __tool::DescriptorRef,
            ) -> __tool::RunResult<'__a> {
                #run
            }
        }
    }
}

/// Constants for doc links that name no tool; `None` without doc links.
fn unresolved_links(tools: &[Tool]) -> Option<TokenStream> {
    let mut tools = tools.iter();
    let tool = tools.find(|tool| !tool.mentions.is_empty())?;
    Some(this_function(tool.ident.span()))
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
    /// Constants of a trait's impl: the tool's table.
    table: TokenStream,
    /// Body of the function that answers a call.
    run: TokenStream,
    names: HiddenItems,
}

impl ToolParts {
    fn of_method(tool: &Tool) -> Self {
        let ident = &tool.ident;
        Self::new(tool, &HiddenItems::of(tool).prefix, &quote!(Self::#ident))
    }

    fn new(tool: &Tool, prefix: &str, callee: &TokenStream) -> Self {
        let model: Vec<_> = tool.model_params().collect();
        let names = HiddenItems::new(prefix);
        Self {
            defaults: defaults(&model, &names),
            table: table(tool, &model, &names),
            run: run::run(tool, &names, callee),
            names,
        }
    }
}
