//! The struct of a tool, found by the path of its function.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::{Path, PathArguments};

use crate::span::{call_site_at_item, item_span, quote, quote_call_site};

/// The name of [`Handle`]s.
pub(crate) const THIS_FUNCTION: &str = "this_function";

/// Name of the struct that a [`Handle`] resolves to if the function at its path is not a tool.
pub(crate) fn this_function(place: Span) -> TokenStream {
    let name = Ident::new(THIS_FUNCTION, call_site_at_item().located_at(place));
    quote_call_site! {
        #[allow(dead_code, non_camel_case_types)]
        struct #name {}
    }
}

/// The struct that a path leads to, under a name that always resolves. Without it the compiler would report a function
/// that is not a tool as "not a type".
pub(crate) struct Handle {
    path: Path,
    name: Ident,
    pub(crate) arguments: PathArguments,
}

impl Handle {
    pub(crate) fn of(path: &Path) -> Self {
        let mut path = path.clone();
        let last = path.segments.last_mut();
        let place = last
            .as_ref()
            .map_or_else(item_span, |last| last.ident.span());
        let arguments = last.map(|last| std::mem::take(&mut last.arguments));
        Self {
            path,
            name: Ident::new(THIS_FUNCTION, place.resolved_at(item_span())),
            arguments: arguments.unwrap_or_default(),
        }
    }

    pub(crate) fn ty(&self) -> TokenStream {
        let Self {
            name, arguments, ..
        } = self;
        quote!(#name #arguments)
    }

    /// The tokens in a scope where the name resolves.
    pub(crate) fn scope(&self, tokens: &TokenStream) -> TokenStream {
        let (mut path, mut name) = (self.path.clone(), self.name.clone());
        // A variable with the tool's name would shadow the import, so the word comes from a scope without variables.
        if let (Some(only), 1) = (path.segments.first_mut(), self.path.segments.len()) {
            let place = only.ident.span();
            only.ident.set_span(Span::mixed_site().located_at(place));
        }
        // Avoids an unused import if the name resolves to no tool.
        name.set_span(call_site_at_item().located_at(name.span()));
        quote!({ use #path as #name; #tokens })
    }
}

/// Returns the type of `Type::method`. Modules begin with a small letter.
pub(crate) fn type_of_method(path: &Path) -> Option<String> {
    let parent = path.segments.iter().rev().nth(1)?;
    let name = parent.ident.unraw().to_string();
    let is_type = name.starts_with(char::is_uppercase);
    is_type.then_some(name)
}
