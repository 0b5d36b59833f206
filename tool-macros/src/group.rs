//! `#[tool]` on an impl block: its methods with `#[tool]` are the tools of the type, those with `#[prompt]` and `#[resource]`
//! its prompts and resources.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, ImplItem, ItemImpl, Meta};

use crate::cfg;
use crate::check;
use crate::ctxt::Ctxt;
use crate::emit::{self, fallback};
use crate::model::{Function, FunctionRole, Tool, role_of};
use crate::parse::{attr, read};
use crate::span::{parse_quote, quote, set_item_span_to_start};

/// Returns true if the tokens are an impl block: `impl` comes before any other keyword of an item.
pub(crate) fn is_impl(item: &[TokenTree]) -> bool {
    let mut tokens = item.iter();
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

/// An impl block: its header and its items. Tools are parsed; everything else is unchanged.
struct ImplBlock {
    header: ItemImpl,
    items: Vec<BlockItem>,
}

enum BlockItem {
    /// A method with one of the attributes.
    Tool {
        role: FunctionRole,
        attr: Box<Attribute>,
        function: Box<Function>,
    },
    /// A method whose attribute is in a `#[cfg_attr(…)]`, which the compiler expands too late for the macro.
    Conditional {
        role: FunctionRole,
        attr: Box<Attribute>,
        function: Box<Function>,
    },
    /// A method without `#[tool]`.
    Method(Box<Function>),
    Other(TokenStream),
}

struct BlockItems(Vec<BlockItem>);

impl Parse for BlockItems {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            let mut attrs = input.call(Attribute::parse_outer)?;
            let is_method = Function::parse_after(Vec::new(), &input.fork()).is_ok();
            let mut marked = attrs.iter().map(role_of).enumerate();
            let marked = marked.find_map(|(at, role)| Some((at, role?)));
            if let (true, Some((at, role))) = (is_method, marked) {
                let attr = Box::new(attrs.remove(at));
                let function = Box::new(Function::parse_after(attrs, input)?);
                items.push(BlockItem::Tool {
                    role,
                    attr,
                    function,
                });
            } else if is_method {
                let mut conditional = attrs.iter().map(conditional_role).enumerate();
                let conditional = conditional.find_map(|(at, role)| Some((at, role?)));
                let conditional = conditional.map(|(at, role)| (role, Box::new(attrs.remove(at))));
                let function = Box::new(Function::parse_after(attrs, input)?);
                items.push(match conditional {
                    Some((role, attr)) => BlockItem::Conditional {
                        role,
                        attr,
                        function,
                    },
                    None => BlockItem::Method(function),
                });
            } else {
                let other: ImplItem = input.parse()?;
                items.push(BlockItem::Other(quote!(#(#attrs)* #other)));
            }
        }
        Ok(Self(items))
    }
}

/// The role that `#[cfg_attr(…, tool)]` gives a method.
fn conditional_role(attr: &Attribute) -> Option<FunctionRole> {
    let mut nested = cfg::nested_attributes(attr).into_iter();
    nested
        .find_map(|nested| role_of(&nested))
        .filter(|_| attr.path().is_ident("cfg_attr"))
}

impl ImplBlock {
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
            items: BlockItems::parse.parse2(body.stream())?.0,
        })
    }
}

/// Reads the tools of a block, and takes our attributes from its methods.
fn tools_of(methods: &Ctxt, block: &mut ImplBlock) -> Vec<Tool> {
    let ImplBlock { header, items } = block;
    let mut tools: Vec<Tool> = Vec::new();
    for item in items {
        if let BlockItem::Conditional { role, attr, .. } = item {
            let role = role.attribute();
            methods.error(
                attr,
                format!("`#[{role}]` of a method cannot stand in a `cfg_attr`\nhelp: write `#[{role}]`, and `#[cfg(…)]` beside it for the method itself"),
            );
        }
        if let BlockItem::Method(function) = item {
            check::has_no_tool_params(methods, function);
        }
        if let BlockItem::Tool {
            role,
            attr,
            function,
        } = item
        {
            let tokens = match &attr.meta {
                Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            let options = attr::options(methods, *role, tokens);
            check::once(methods, *role, &mut function.attrs);
            check::body(methods, function);
            let tool = read(methods, options, function);
            check::method(methods, &tool, &tools);
            check::targets_are_for_one_type(methods, &tool, &header.generics);
            check::args_are_of_one_type(methods, &tool, &header.generics);
            tools.push(tool);
        }
    }
    tools
}

/// `#[tool] impl Type { … }`
pub(crate) fn group(tokens: TokenStream, item: TokenStream) -> TokenStream {
    // A half-typed block: the compiler's errors about its tokens are better.
    let Ok(mut block) = ImplBlock::parse(item.clone()) else {
        return item;
    };
    let cx = Ctxt::new();
    set_item_span_to_start(&block.header.self_ty);
    let krate = attr::block(&cx, tokens).unwrap_or_else(|| parse_quote!(::toolwright));
    let is_of_type = check::is_of_type(&cx, &block.header);
    // The methods of a trait are read only to take our attributes from them.
    let unread = Ctxt::new();
    let methods = if is_of_type { &cx } else { &unread };
    let tools = tools_of(methods, &mut block);
    let _ = unread.finish();
    let ImplBlock { header, items } = &block;
    let is_conditional = |item: &BlockItem| matches!(item, BlockItem::Conditional { .. });
    if is_of_type && !items.iter().any(is_conditional) {
        check::has_tools(&cx, &header.self_ty, &tools);
    }
    let is_owner = check::owns(&cx, header);
    let sigs = items.iter().filter_map(|item| match item {
        BlockItem::Tool { function, .. } => Some(&function.sig),
        _ => None,
    });
    let rest = match fallback::rejected(cx, sigs) {
        None => emit::group(&tools, &header.self_ty, &header.generics, &krate),
        // A stand-in would not compile either.
        Some(errors) if !is_owner => errors,
        Some(errors) => {
            let mut stub = fallback::group(&errors, &header.self_ty, &header.generics, &krate);
            if header.generics.params.is_empty() {
                stub.extend(emit::args::rejected_block(&tools, &header.self_ty, &krate));
            }
            stub
        }
    };
    let items = items.iter().map(|item| match item {
        BlockItem::Tool { function, .. }
        | BlockItem::Conditional { function, .. }
        | BlockItem::Method(function) => function.to_token_stream(),
        BlockItem::Other(tokens) => tokens.clone(),
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
    let mut whole =
        quote!(#(#attrs)* #unsafety #impl_token #impl_generics #of #self_ty #where_clause);
    header
        .brace_token
        .surround(&mut whole, |inner| inner.extend(items));
    whole.extend(rest);
    whole
}
