//! The macros of the crate `toolwright`; use them through it.
//!
//! An item is read into a `model`, named rules check the model, and `expand` makes tokens of it. Errors are
//! collected, so that one compile shows all of them. A rejected item is still emitted, with a stand-in for the
//! generated code, so that its errors cause no further ones.

use proc_macro::TokenStream;

mod span;

mod attr;
mod cfg;
mod check;
mod ctxt;
mod doc;
mod expand;
mod fallback;
mod generics;
mod group;
mod instructions;
mod invisible_chars;
mod item;
mod list;
mod mentions;
mod model;
mod name;
mod provide;
mod schema;
#[cfg(test)]
mod snapshots;
mod ty;

/// Makes a tool of a function, or of the methods of an impl block.
#[proc_macro_attribute]
pub fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    span::expand_with(|| item::tool(args.into(), item.into()))
}

/// Makes a prompt of a function, for a server of MCP.
#[proc_macro_attribute]
pub fn prompt(args: TokenStream, item: TokenStream) -> TokenStream {
    span::expand_with(|| item::offered(model::Role::Prompt, args.into(), &item.into()))
}

/// Makes a resource of a function, for a server of MCP.
#[proc_macro_attribute]
pub fn resource(args: TokenStream, item: TokenStream) -> TokenStream {
    span::expand_with(|| item::offered(model::Role::Resource, args.into(), &item.into()))
}

/// `#[derive(Schema)]`: the schema of a type, beside serde's derives. The trait of the same name has the attributes that it
/// reads, in a table.
// `arg` is for parameters; known here, it is an error of ours.
#[proc_macro_derive(Schema, attributes(arg, schema, schemars, serde))]
pub fn derive_schema(item: TokenStream) -> TokenStream {
    span::expand_with(|| schema::derive(item.into()))
}

/// `#[derive(Provide)]`: application state of many parts. The trait of the same name has an example.
#[proc_macro_derive(Provide, attributes(provide))]
pub fn derive_provide(item: TokenStream) -> TokenStream {
    span::expand_with(|| provide::derive(item.into()))
}

/// Expands the text that `instructions!` passes on.
#[doc(hidden)]
#[proc_macro]
pub fn instructions_text(text: TokenStream) -> TokenStream {
    span::expand_with(|| instructions::instructions(text.into()))
}

/// Expands the list that `tools![]` passes on.
#[doc(hidden)]
#[proc_macro]
pub fn list_tools(list: TokenStream) -> TokenStream {
    span::expand_with(|| list::list(list.into()))
}
