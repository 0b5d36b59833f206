//! The macros of the crate `toolwright`; use them through it.
//!
//! The macros are five rooms:
//!
//! ```text
//! item, group ─▶ parse (makes a model) ─▶ check ─▶ emit   #[tool], #[prompt], #[resource]
//! schema  (beside: parse, model)                         #[derive(Schema)]
//! list, instructions, provide  (beside: parse)           tools!, instructions!, #[derive(Provide)]
//! ```
//!
//! 1. `model` is plain data: a `Tool`, its options and its parameters. `bounds` and `ty` are below it.
//! 2. `parse` reads attributes (`parse::attr`: one table of keys an attribute), doc comments, functions and parameters.
//! 3. `check` has a named rule for each mistake that a model can hold, and `ctxt` collects the errors, so that one compile
//!    shows all of them.
//! 4. `emit` makes tokens and cannot fail: impls in `emit.rs`, a tool's tables in `emit::table`. `emit::fallback` stands in
//!    for the code of a rejected item, so that its errors cause no further ones. `span` keeps tokens at the user's places.
//! 5. `schema` makes the tree of a type as serde reads and writes it.
//!
//! Read `item.rs` first: it is the way of one function through the rooms. `ARCHITECTURE.md` lists
//! where a new key of `#[tool]` goes.

use proc_macro::TokenStream;

mod span;

mod bounds;
mod cfg;
mod check;
mod ctxt;
mod emit;
mod generics;
mod group;
mod handle;
mod instructions;
mod invisible_chars;
mod item;
mod list;
mod model;
mod name;
mod parse;
mod pattern;
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
    span::expand_with(|| {
        item::function_item(model::FunctionRole::Prompt, args.into(), &item.into())
    })
}

/// Makes a resource of a function, for a server of MCP.
#[proc_macro_attribute]
pub fn resource(args: TokenStream, item: TokenStream) -> TokenStream {
    span::expand_with(|| {
        item::function_item(model::FunctionRole::Resource, args.into(), &item.into())
    })
}

/// `#[derive(Schema)]`: the schema of a type, beside serde's derives. The trait of the same name documents the
/// attributes in a table. `arg` is for parameters; it is registered here so that its error is ours.
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
