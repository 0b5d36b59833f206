//! The tables of a tool: its parameters, its result, its options.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Generics, ReturnType};

use crate::handle::Handle;
use crate::model::{DefaultValue, DocLink, ModelParam, Options, Switch, Tool};
use crate::span::{SpanEnds, ident, item_span, literal, quote};
use crate::ty::{self, infer_lifetimes, is_basic, is_option, static_lifetimes};

/// The names of a tool's hidden items.
pub(super) struct HiddenItems {
    /// Name of a method as a type.
    pub(super) method: Ident,
    pub(super) prefix: String,
}

impl HiddenItems {
    pub(super) fn new(prefix: &str) -> Self {
        Self {
            method: ident(&format!("__tool_{}", prefix.trim_end_matches('_'))),
            prefix: prefix.to_owned(),
        }
    }

    /// The names of a method's items.
    pub(super) fn of(method: &Tool) -> Self {
        let ident = method.ident.to_string();
        Self::new(&format!("{}_", ident.trim_start_matches("r#")))
    }

    pub(super) fn default(&self, param: &ModelParam) -> Ident {
        ident(&format!("__tool_{}default_{}", self.prefix, param.ident))
    }
}

pub(super) fn defaults(model: &[&ModelParam], names: &HiddenItems) -> Vec<TokenStream> {
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
pub(super) fn table(tool: &Tool, model: &[&ModelParam], names: &HiddenItems) -> TokenStream {
    let (name, description) = (literal(&tool.name.value), &tool.description);
    let output = output(tool);
    let (options, was) = (options(tool), was(&tool.options));
    let (params, all) = if let [param] = model
        && param.flatten.is_some()
    {
        (quote!(__tool::Root), probed_tree(tool, param, "root"))
    } else {
        let count = literal(Literal::usize_unsuffixed(model.len()));
        let rows = model.iter().map(|param| row(tool, param, names));
        (quote!([__tool::Param; #count]), quote!([#(#rows),*]))
    };
    // A tree that may have errors is evaluated where the tool is listed.
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
        #options
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
    probed_tree(tool, param, "tree_of")
}

/// The call of a function that makes the tree that its probe finds, with the caret on the type.
fn probed_tree(tool: &Tool, param: &ModelParam, function: &str) -> TokenStream {
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
pub(super) fn fits(tool: &Tool, generics: &Generics) -> TokenStream {
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
fn row(tool: &Tool, param: &ModelParam, names: &HiddenItems) -> TokenStream {
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

/// The tree of a parameter's type, narrowed by the parameter.
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
pub(super) fn slot_type(tool: &Tool, param: &ModelParam) -> TokenStream {
    infer_lifetimes(param.slot.clone(), &tool.lifetimes)
}

pub(super) fn state_trait(ty: &syn::Type, tool: &Tool) -> (Ident, TokenStream) {
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

pub(super) fn earlier_names(options: &Options) -> Option<TokenStream> {
    let names: Vec<_> = options.was.iter().map(|was| literal(&was.value)).collect();
    (!names.is_empty()).then(|| quote!(&[#(#names),*]))
}

/// Returns the constant for the options, or `None` if all are defaults.
fn options(tool: &Tool) -> Option<TokenStream> {
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
        const OPTIONS: __tool::Descriptor = __tool::Descriptor { #(#fields,)* ..__tool::Descriptor::NEW };
    })
}
