//! Tokens of a model. Expansion cannot fail: errors were found before.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Generics, Path, ReturnType};

use crate::handle::{Handle, this_function};
use crate::model::{DefaultValue, DocLink, ModelParam, Options, Switch, Tool};
use crate::span::{
    SpanEnds, call_site_at, ident, item_span, literal, local, not_looked_into_in_editor,
    parse_quote, quote, quote_call_site,
};
use crate::ty::is_basic;
use crate::ty::{self, infer_lifetimes, is_option, static_lifetimes};

pub(crate) mod args;
mod companion;
mod editor;
pub(crate) mod fallback;
mod run;
mod targets;

pub(crate) use self::args::Args;
pub(crate) use self::companion::{bind_generic, companion};

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
    let (targets, texts) = (targets::own(tool, &about), targets::texts(tool, &about));
    let implement = quote_call_site!(impl);
    let defaults = (!defaults.is_empty()).then(
        || quote!(#implement #impl_generics #handle #ty_generics #where_clause { #(#defaults)* }),
    );
    let (state, call, about) = (local("state"), local("call"), local("about"));
    // Notes about an impl point at its trait, its type and its bounds: at one place.
    let (at_name, name) = (call_site_at(&tool.ident), SpanEnds::of(&tool.ident));
    let states = args::states(tool);
    let implements = if states.is_empty() {
        let stateless = name.start(quote!(__tool::Stateless));
        quote! {
            #[automatically_derived]
            #implement #impl_generics #stateless for #handle #ty_generics #where_clause {
                #table
                #[inline]
                fn run(#call: __tool::Call<'_>, #about: __tool::About) -> __tool::Ran<'_> {
                    #run
                }
            }
        }
    } else {
        // The future of an asynchronous tool holds the state. That all threads may share it is asked where it is given;
        // asked here too, it would be one error more for each tool.
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
                    #about: __tool::About,
                ) -> __tool::Ran<'__a> {
                    #run
                }
            }
            #generic
        }
    };
    let args = Args::of(tool, None, krate);
    let args_item = args.as_ref().map(Args::item);
    let args_impls = args.map(|args| {
        let ty = quote!(#handle #ty_generics);
        let listed = args::Handle {
            trait_: quote!(__tool::ToolArgs),
            of: ty.clone(),
            ty,
        };
        args.impls(&names, &listed, &callee)
    });
    let fallback = fallback(std::slice::from_ref(tool));
    let items = quote!(#fallback #imports #fits #defaults #implements #args_impls #targets #texts);
    let allowed = allowed(tool.is_async);
    let beside = companion(tool, handle, krate, Some(&allowed), &items);
    let values = editor::values(tool);
    quote!(#args_item #beside #values)
}

/// Returns the `#[allow]` for lints that take generated code for the user's; see [`crate::span`].
fn allowed(is_async: bool) -> TokenStream {
    let large_futures = is_async.then(|| quote!(, clippy::large_futures));
    quote!(#[allow(deprecated, non_camel_case_types, unused_qualifications #large_futures)])
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
#[allow(clippy::too_many_lines)] // One template, and what it is filled with.
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
    let parts: Vec<_> = tools
        .iter()
        .map(|tool| {
            let ident = &tool.ident;
            ToolParts::new(tool, &Names::of(tool).prefix, &quote!(Self::#ident))
        })
        .collect();
    // What is made for a method is there where the method is.
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
    let (state, call, about) = (local("state"), local("call"), local("about"));
    let methods = tools
        .iter()
        .zip(parts.iter().zip(&cfgs))
        .map(|(tool, (parts, cfg))| {
            let ToolParts {
                names, table, run, ..
            } = parts;
            let method = &names.method;
            let marker = quote_call_site!(enum #method {});
            // The future of an asynchronous method holds the value.
            let where_clause = if tool.is_async {
                where_shared
            } else {
                where_clause
            };
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
                        #about: __tool::About,
                    ) -> __tool::Ran<'__a> {
                        #run
                    }
                }
            }
        });
    let each = |make: &str| {
        let make = ident(make);
        let calls = parts.iter().zip(&cfgs).map(|(parts, cfg)| {
            let method = &parts.names.method;
            quote!(#cfg __tool::#make::<Self, #method>())
        });
        quote!(#(#calls),*)
    };
    let (entries, descriptors) = (each("entry"), each("described"));
    let names = tools.iter().zip(&cfgs).map(|(tool, cfg)| {
        let name = literal(&tool.name.value);
        let was = earlier_names(&tool.options).map(|names| quote!(.was(#names)));
        quote!(#cfg __tool::named(#name) #was)
    });
    let fits = tools.iter().map(|tool| fits(tool, generics));
    let targets = tools.iter().zip(&parts).map(|(tool, parts)| {
        let (ty, method) = (static_lifetimes(ty.to_token_stream()), &parts.names.method);
        let about = quote!(__tool::described::<#ty, #method>());
        targets::own(tool, &about)
    });
    let fallback = fallback(tools);
    let one_block = SpanEnds::of(ty).start(quote!(__tool::OneToolBlock));
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
            #fallback
            #imports
            #(#fits)*
            #defaults
            #(#methods)*
            #args_impls
            #(#targets)*
            #[automatically_derived]
            #implement #impl_generics #one_block for #ty #where_shared {
                const NAMES: &'static [__tool::Named] = &[#(#names),*];
                const DESCRIPTORS: &'static [__tool::About] = &[#descriptors];
                const ENTRIES: &'static [__tool::Entry<Self>] = &[#entries];
            }
        };
    }
}

/// What paths in doc comments lead to where they lead to no tool; nothing without such paths.
fn fallback(tools: &[Tool]) -> Option<TokenStream> {
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
    names: Names,
}

impl ToolParts {
    fn new(tool: &Tool, prefix: &str, callee: &TokenStream) -> Self {
        let model: Vec<_> = tool.model_params().collect();
        let names = Names::new(prefix);
        Self {
            defaults: defaults(&model, &names),
            table: table(tool, &model, &names),
            run: run::run(tool, &names, callee),
            names,
        }
    }
}

/// The names of a tool's hidden items.
struct Names {
    /// Name of a method as a type.
    method: Ident,
    prefix: String,
}

impl Names {
    fn new(prefix: &str) -> Self {
        Self {
            method: ident(&format!("__tool_{}", prefix.trim_end_matches('_'))),
            prefix: prefix.to_owned(),
        }
    }

    /// The names of a method's items.
    fn of(method: &Tool) -> Self {
        let ident = method.ident.to_string();
        Self::new(&format!("{}_", ident.trim_start_matches("r#")))
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
            // As people write it: a `String` of a literal.
            DefaultValue::Expr(expr) if ty::is_str(expr) && ty::is_owned_text(&param.ty) => {
                let place = SpanEnds::of(expr);
                let (into, argument) = (
                    place.start(quote!(__tool::Into::into)),
                    place.end(quote!((#expr))),
                );
                quote!(#into #argument)
            }
            DefaultValue::Expr(expr) => expr.to_token_stream(),
        };
        let name = names.default(param);
        let ty = static_lifetimes(param.ty.to_token_stream());
        Some(quote!(fn #name() -> #ty { #value }))
    });
    defaults.collect()
}

/// Constants of a tool's table; see the runtime's `table`.
fn table(tool: &Tool, model: &[&ModelParam], names: &Names) -> TokenStream {
    let (name, description) = (literal(&tool.name.value), &tool.description);
    let output = output(tool);
    let (rest, was) = (rest(tool), was(&tool.options));
    let (params, all) = if let [param] = model
        && param.flatten.is_some()
    {
        (quote!(__tool::Root), found(tool, param, "root"))
    } else {
        let count = literal(Literal::usize_unsuffixed(model.len()));
        let rows = model.iter().map(|param| row(tool, param, names));
        (quote!([__tool::Param; #count]), quote!([#(#rows),*]))
    };
    // Where the tree may turn out wrong, whoever lists the tool has it made.
    let is_generic = !tool.generics.params.is_empty();
    let may_fail = |param: &&ModelParam| !param.is_basic || param.flatten.is_some();
    let name = if is_generic || model.iter().any(may_fail) {
        // A type has a table for each of its methods.
        let of = if tool.receiver {
            let method = &names.method;
            quote!(<Self as __tool::Method<#method>>)
        } else {
            quote!(Self)
        };
        quote!(__tool::name_of(#name, &#of::TABLE))
    } else {
        name.into()
    };
    quote! {
        type Params = #params;
        const TOOL_NAME: &'static str = #name;
        const TABLE: __tool::Table<Self::Params> = (#description, #all, #output);
        #was
        #rest
    }
}

/// Names of before, as calls on the descriptor.
fn past(tool: &Tool) -> Vec<TokenStream> {
    let mut fields = Vec::new();
    if let Some(names) = earlier_names(&tool.options) {
        fields.push(quote!(was: #names));
    }
    let arguments: Vec<_> = tool
        .model_params()
        .filter_map(|param| {
            let (old, new) = (
                literal(&param.was.as_ref()?.value),
                literal(&param.name.value),
            );
            Some(quote!((#old, #new)))
        })
        .collect();
    if !arguments.is_empty() {
        fields.push(quote!(was_args: &[#(#arguments),*]));
    }
    fields
}

/// The tree of a parameter's type. A basic type needs no lookup, which would cost the compiler time.
fn tree(tool: &Tool, param: &ModelParam) -> TokenStream {
    if param.is_basic {
        let slot = slot_type(tool, param);
        return quote!(__tool::tree::<#slot>());
    }
    found(tool, param, "tree_of")
}

/// The call of a function that makes the tree of what its probe finds, with the caret on the type.
fn found(tool: &Tool, param: &ModelParam, function: &str) -> TokenStream {
    let (slot, function) = (slot_type(tool, param), ident(function));
    let place = SpanEnds::of(&param.ty);
    let (function, found) = (
        place.start(quote!(__tool::#function::<#slot, _>)),
        place.end(quote!((|it| it.__slot()))),
    );
    quote!(#function #found)
}

/// Generates constants that do not compile if a bound does not fit its parameter's type. A generic type cannot be
/// checked here: it is known only where the tool is listed.
fn fits(tool: &Tool, generics: &Generics) -> TokenStream {
    let is_open =
        generics.type_params().next().is_some() || generics.const_params().next().is_some();
    if is_open {
        return TokenStream::new();
    }
    let described = tool.model_params().map(|param| &param.description);
    let described = described
        .chain([&tool.description])
        .filter(|words| words.is_const());
    let described: Vec<_> = described
        .map(|words| quote!(let _: &str = #words;))
        .collect();
    if described.is_empty() && tool.model_params().all(|param| param.bounds.is_empty()) {
        return TokenStream::new();
    }
    let checks = tool.model_params().flat_map(|param| {
        let tree = tree(tool, param);
        let shape = quote!(#tree.shape);
        let default = match &param.default {
            Some(DefaultValue::Expr(default)) => param.bounds.default_fits(&param.ty, default),
            _ => None,
        };
        param.bounds.fits(&shape).chain(default).collect::<Vec<_>>()
    });
    let cfg = &tool.cfg;
    quote!(#(#cfg)* const _: () = { #(#described)* #(#checks)* };)
}

/// One row of the table of parameters.
fn row(tool: &Tool, param: &ModelParam, names: &Names) -> TokenStream {
    let (name, description) = (literal(&param.name.value), &param.description);
    let mut row = narrowed(param, tree(tool, param));
    row = if is_option(&param.ty) {
        quote!(#row.option(#name, #description))
    } else {
        quote!(#row.param(#name, #description))
    };
    if param.default.is_some() {
        let default = names.default(param);
        row = quote!(#row.defaulted(|| __tool::AsJson(Self::#default()).__json()));
    }
    if let Some(example) = &param.example {
        let place = SpanEnds::of(example);
        let (json, borrow) = (place.start(quote!(__tool::json)), place.start(quote!(&)));
        // `&a / b` borrows `a` alone.
        let argument = match ty::ungrouped_expr(example) {
            Expr::Binary(_) | Expr::Cast(_) => quote!((#borrow (#example))),
            _ => quote!((#borrow #example)),
        };
        let argument = place.end(argument);
        row = quote!(#row.exemplified(|| #json #argument));
    }
    row
}

/// The tree of a parameter's type with what the parameter adds to it.
fn narrowed(param: &ModelParam, tree: TokenStream) -> TokenStream {
    let bounds = param.bounds.narrow(&quote!(#tree.shape));
    if bounds.is_none() && param.secret.is_none() {
        return tree;
    }
    let mut shape = match bounds {
        Some(narrow) => quote!(&__tool::Shape::new(#narrow)),
        None => quote!(#tree.shape),
    };
    if param.secret.is_some() {
        shape = quote!(&__tool::secret(#shape));
    }
    let refs = if param.is_basic {
        quote!(&__tool::Refs::NONE)
    } else {
        quote!(#tree.refs)
    };
    quote!(__tool::Tree::new(#shape, #refs))
}

/// The type that is decoded, with lifetimes left to be inferred.
fn slot_type(tool: &Tool, param: &ModelParam) -> TokenStream {
    infer_lifetimes(param.slot.clone(), &tool.lifetimes)
}

fn state_trait(ty: &syn::Type, tool: &Tool) -> (Ident, TokenStream) {
    let (provide, part) = match (ty::shared(ty), ty::ungrouped(ty)) {
        (Some(part), _) => ("ProvideShared", part),
        (None, syn::Type::Reference(reference)) => ("Provide", &*reference.elem),
        (None, other) => ("Provide", other),
    };
    let part = infer_lifetimes(part.to_token_stream(), &tool.lifetimes);
    (ident(provide), part)
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
        quote!(__tool::output_of::<#shown, _>(|it| it.__output()))
    }
}

/// Returns the constant for the names that a tool had before, if it had any: a list looks at them, and not at the rest.
fn was(options: &Options) -> Option<TokenStream> {
    let names = earlier_names(options)?;
    Some(quote!(const WAS: &'static [&'static str] = #names;))
}

fn earlier_names(options: &Options) -> Option<TokenStream> {
    let names: Vec<_> = options.was.iter().map(|was| literal(&was.value)).collect();
    (!names.is_empty()).then(|| quote!(&[#(#names),*]))
}

/// Returns the constant for what options say, if they say anything.
fn rest(tool: &Tool) -> Option<TokenStream> {
    let options = &tool.options;
    let mentions = &tool.mentions;
    let mut fields = past(tool);
    if let Some(title) = &options.title {
        let title = literal(&title.value);
        fields.push(quote!(title: #title));
    }
    let mut settings: Vec<_> = options
        .switches
        .iter()
        .map(|Switch { name, value, .. }| {
            let (name, value) = (ident(name), literal(*value));
            quote!(.#name(#value))
        })
        .collect();
    if tool.needs_approval() {
        settings.push(quote!(.needs_approval(true)));
    }
    if let Some((_, millis)) = options.timeout {
        let millis = literal(millis);
        settings.push(quote!(.timeout(__tool::millis(#millis))));
    }
    if !settings.is_empty() {
        fields.push(quote!(options: __tool::ToolOptions::new() #(#settings)*));
    }
    if options.ignore_unknown.is_some() {
        fields.push(quote!(ignores_unknown: true));
    }
    if tool.reads_context() {
        fields.push(quote!(reads_context: true));
    }
    if let Some(meta) = &options.meta {
        let meta = literal(meta);
        fields.push(quote!(meta: #meta));
    }
    if !options.examples.is_empty() {
        let examples = options.examples.iter().map(|example| {
            let (json, words) = (literal(&example.json), literal(&example.words));
            quote!((#json, #words))
        });
        fields.push(quote!(examples: &[#(#examples),*]));
    }
    if !mentions.is_empty() {
        let mentions = mentions.iter().map(|DocLink { at, len, path }| {
            let (at, len) = (literal(*at), literal(*len));
            let handle = Handle::of(path);
            let (ty, place) = (handle.ty(), SpanEnds::of(path));
            let (start, end) = (
                place.start(quote!(__tool::mentioned_name::)),
                place.end(quote!(())),
            );
            let name = handle.scope(&quote!(#start <#ty> #end));
            quote!((#at, #len, #name))
        });
        fields.push(quote!(mentions: &[#(#mentions),*]));
    }
    if let Some(visible) = &options.visible {
        fields.push(quote!(visible: #visible));
        fields.push(quote!(may_hide: true));
    }
    if fields.is_empty() {
        return None;
    }
    Some(quote! {
        const REST: __tool::Descriptor = __tool::Descriptor { #(#fields,)* ..__tool::Descriptor::NEW };
    })
}
