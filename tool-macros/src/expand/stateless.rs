//! A tool that asks for no state: a tuple of references, and a call; see the runtime's `stateless`.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::ToTokens;
use syn::Path;

use super::{
    Names, allowed, companion, fits, imports, is_basic_output, known, output, rest, run, slot_type,
    targets,
};
use crate::model::{ModelParam, Param, Pass, Tool};
use crate::span::{ident, literal, local, quote, quote_call_site};
use crate::ty::is_option;

/// The parameters that one function of the runtime passes on.
const MOST_PASSED: usize = 6;

/// Returns true for a tool without state and type parameters, if the tree holds everything about its parameters.
pub(super) fn holds(tool: &Tool) -> bool {
    let is_said_by_tree = |param: &ModelParam| {
        param.default.is_none() && param.example.is_none() && param.flatten.is_none()
    };
    tool.generics.params.is_empty()
        && tool.options.ignore_unknown.is_none()
        && tool.params.iter().all(|param| match param {
            Param::Model(param) => is_said_by_tree(param),
            Param::Context(_) => true,
            Param::State(_) => false,
        })
}

/// Expands the items beside the tool's function.
pub(super) fn free(tool: &Tool, handle: &Ident, krate: &Path) -> TokenStream {
    let implement = quote_call_site!(impl);
    let model: Vec<_> = tool.model_params().collect();
    let is_short = is_short(tool, &model);
    let is_basic = is_short && model.iter().all(|param| param.is_basic);
    let (call, about) = (local("call"), local("about"));
    let run = if is_short {
        short(tool, &model, is_basic)
    } else {
        run::run(tool, &Names::new(""), &tool.ident.to_token_stream())
    };
    let imports = (!is_basic).then(imports);
    let allowed = (!is_short).then(|| allowed(tool.is_async));
    let fits = fits(tool, &tool.generics);
    let targets = targets::own(tool, &quote!(<#handle as __tool::Handle>::DESCRIPTOR));
    let (name, description) = (literal(&tool.name.value), literal(&tool.description));
    let count = literal(Literal::usize_unsuffixed(model.len()));
    let params = model.iter().map(|param| row(tool, param));
    let output = output(tool);
    let rest = rest(&tool.options);
    let rest = (!rest.is_empty()).then(|| {
        quote! {
            const REST: __tool::Descriptor = __tool::Descriptor { #(#rest,)* ..__tool::Descriptor::NEW };
        }
    });
    let items = quote! {
        #imports
        #fits
        #targets
        #[automatically_derived]
        #[allow(deprecated)]
        #implement __tool::Stateless for #handle {
            type Params = [__tool::Param; #count];
            const TOOL_NAME: &'static str = #name;
            const ABOUT: __tool::About<Self::Params> = (#description, [#(#params),*], #output);
            #rest
            #[inline]
            fn run<'__a>(
                #call: __tool::Call<'__a>,
                #about: &'static __tool::Descriptor,
            ) -> __tool::Ran<'__a> {
                #run
            }
        }
    };
    companion(tool, handle, krate, allowed.as_ref(), &items)
}

/// Returns true if one function of the runtime answers the whole call.
fn is_short(tool: &Tool, model: &[&ModelParam]) -> bool {
    is_basic_output(tool)
        && !tool.is_async
        && tool.options.validate.is_none()
        && model.len() == tool.params.len()
        && model.len() <= MOST_PASSED
        && model.iter().all(|param| param.pass == Pass::Value)
}

/// The call of that function.
fn short(tool: &Tool, model: &[&ModelParam], is_basic: bool) -> TokenStream {
    let (call, about, name) = (local("call"), local("about"), &tool.ident);
    let function = if is_basic { "call" } else { "fill" };
    let function = ident(&format!("{function}{}", model.len()));
    let slots = model
        .iter()
        .filter(|_| !is_basic)
        .map(|param| run::slot(tool, param));
    quote!(__tool::#function(#call, #about, #(#slots,)* #name))
}

/// Generates the row of a parameter.
fn row(tool: &Tool, param: &ModelParam) -> TokenStream {
    let (name, description) = (literal(&param.name.value), literal(&param.description));
    let (tree, is_option) = (tree(tool, param), literal(is_option(&param.ty)));
    quote!((#name, #description, #tree, #is_option))
}

/// The tree of a parameter, with the types that its edges lead back to.
fn tree(tool: &Tool, param: &ModelParam) -> TokenStream {
    let slot = slot_type(tool, param);
    if !param.bounds.is_empty() || param.secret.is_some() {
        let shape = super::narrowed(param, known(tool, param));
        let refs = if param.is_basic {
            quote!(&__tool::Refs::NONE)
        } else {
            quote!(__tool::refs_of(__tool::Has::<#slot>::__REFS))
        };
        quote!((#shape, #refs))
    } else if param.is_basic {
        quote!(__tool::tree::<#slot>())
    } else {
        quote!(__tool::known_tree(__tool::Has::<#slot>::__TREE, __tool::Told::<#slot>::__SHAPE))
    }
}
