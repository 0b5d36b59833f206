//! `#[tool]` on an impl block: its methods with `#[tool]` are the tools of the type.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, ImplItem, ItemImpl, Meta, Path, parse_quote};

use crate::ctxt::Ctxt;
use crate::model::{Function, Tool};
use crate::{args, check, expand, fallback, item};

/// Whether the tokens are an impl block: `impl` comes before any other word of an item.
pub(crate) fn is_impl(item: TokenStream) -> bool {
    let mut tokens = item.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(pound) if pound.as_char() == '#' => {
                tokens.next();
            }
            TokenTree::Ident(word) if word == "unsafe" || word == "default" => {}
            TokenTree::Ident(word) => return word == "impl",
            _ => return false,
        }
    }
    false
}

/// The block: its header, and its items, of which tools are read and all else is kept as it stands.
struct Block {
    header: ItemImpl,
    items: Vec<Item>,
}

enum Item {
    Tool { attr: Attribute, function: Function },
    Other(TokenStream),
}

struct Items(Vec<Item>);

impl Parse for Items {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            let start = input.fork();
            let mut attrs = input.call(Attribute::parse_outer)?;
            let tool = attrs.iter().position(is_tool);
            match tool {
                Some(at) => {
                    let attr = attrs.remove(at);
                    let function = Function::parse_after(attrs, input)?;
                    items.push(Item::Tool { attr, function });
                }
                None => {
                    let before = input.cursor();
                    let rest = match Function::parse_after(attrs.clone(), &input.fork()) {
                        Ok(_) => Function::parse_after(attrs, input)?.into_token_stream(),
                        Err(_) => {
                            let rest: ImplItem = input.parse()?;
                            quote!(#(#attrs)* #rest)
                        }
                    };
                    let _ = (before, &start);
                    items.push(Item::Other(rest));
                }
            }
        }
        Ok(Self(items))
    }
}

/// `#[tool]`, by whatever path.
fn is_tool(attr: &Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|segment| segment.ident == "tool")
}

impl Block {
    fn parse(item: TokenStream) -> syn::Result<Self> {
        let mut tokens: Vec<TokenTree> = item.into_iter().collect();
        let body = match tokens.pop() {
            Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
            other => {
                return Err(syn::Error::new_spanned(
                    other.map(TokenStream::from),
                    "expected the body of the impl block",
                ));
            }
        };
        let mut empty = Group::new(Delimiter::Brace, TokenStream::new());
        empty.set_span(body.span());
        tokens.push(empty.into());
        Ok(Self {
            header: syn::parse2(tokens.into_iter().collect())?,
            items: Items::parse.parse2(body.stream())?.0,
        })
    }
}

/// `#[tool] impl Type { … }`
pub(crate) fn group(tokens: TokenStream, item: TokenStream) -> TokenStream {
    let mut block = match Block::parse(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#error #item);
        }
    };
    let cx = Ctxt::new();
    let krate = options(&cx, tokens);
    let mut tools: Vec<Tool> = Vec::new();
    for item in &mut block.items {
        if let Item::Tool { attr, function } = item {
            let tokens = match &attr.meta {
                Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            let options = args::tool(&cx, tokens);
            let tool = item::read(&cx, options, function);
            check::method(&cx, &tool);
            if let Some(other) = tools
                .iter()
                .find(|other| other.name.value == tool.name.value)
            {
                cx.error_at(
                    tool.name.span,
                    format!(
                        "two tools of this block are named `{}`\nhelp: name one of them otherwise: `#[tool(name = \"…\")]`",
                        other.name.value
                    ),
                );
            }
            tools.push(tool);
        }
    }
    let Block { header, items } = &block;
    if let Some((path, _)) = &header.trait_ {
        cx.error(
            path,
            "the methods of a trait are not tools by themselves\nhelp: write an impl block of the type, with methods that call these",
        );
    } else if tools.is_empty() {
        cx.error(
            &header.self_ty,
            "no method of this block is a tool\nhelp: put `#[tool]` on the methods that the model may call",
        );
    }
    let rest = match cx.finish() {
        Ok(()) => expand::group(&tools, &header.self_ty, &header.generics, &krate),
        Err(error) => fallback::group(&error, &header.self_ty, &header.generics, &krate),
    };
    let items = items.iter().map(|item| match item {
        Item::Tool { function, .. } => function.to_token_stream(),
        Item::Other(tokens) => tokens.clone(),
    });
    let ItemImpl {
        attrs,
        unsafety,
        impl_token,
        generics,
        trait_,
        self_ty,
        ..
    } = header;
    let of = trait_
        .as_ref()
        .map(|(path, for_token)| quote!(#path #for_token));
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote! {
        #(#attrs)*
        #unsafety #impl_token #impl_generics #of #self_ty #where_clause { #(#items)* }
        #rest
    }
}

/// The options of the block: the crate alone.
fn options(cx: &Ctxt, tokens: TokenStream) -> Path {
    let mut krate = None;
    for meta in args::metas(cx, tokens) {
        match args::key(&meta).as_deref() {
            Some("crate") => krate = args::krate(cx, &meta),
            key => args::unknown(cx, &meta, key.unwrap_or_default(), "tool", &["crate"]),
        }
    }
    krate.unwrap_or_else(|| parse_quote!(::toolwright))
}
