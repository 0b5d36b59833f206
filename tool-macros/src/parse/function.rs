//! Reads a function's tokens into its model. The body stays unparsed: a macro that parses it would fail on every
//! half-typed line.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, FnArg, Receiver, ReceiverKind, Safety, Signature, Token, Visibility};

use super::{doc, mentions, param};
use crate::cfg::cfgs;
use crate::ctxt::Ctxt;
use crate::generics;
use crate::model::{Function, Options, TextLit, Tool};
use crate::ty::{self, plain_ident, spelled};

impl Function {
    /// A function up to its body.
    pub(crate) fn parse_head(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        Self::parse_head_after(attrs, input)
    }

    /// The rest of a function behind its attributes.
    pub(crate) fn parse_after(attrs: Vec<Attribute>, input: ParseStream<'_>) -> syn::Result<Self> {
        let mut function = Self::parse_head_after(attrs, input)?;
        let body: TokenTree = input.parse()?;
        if !is_body(&body) {
            return Err(syn::Error::new_spanned(
                body,
                "expected the function's body",
            ));
        }
        function.body = body.into();
        Ok(function)
    }

    fn parse_head_after(attrs: Vec<Attribute>, input: ParseStream<'_>) -> syn::Result<Self> {
        let vis: Visibility = input.parse()?;
        let modifiers = input
            .parse::<Option<Token![default]>>()?
            .into_token_stream();
        Ok(Self {
            attrs,
            vis,
            modifiers,
            sig: input.parse()?,
            body: TokenStream::new(),
        })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            attrs,
            vis,
            modifiers,
            sig,
            body,
        } = self;
        for attr in attrs {
            attr.to_tokens(tokens);
        }
        vis.to_tokens(tokens);
        modifiers.to_tokens(tokens);
        sig.to_tokens(tokens);
        body.to_tokens(tokens);
    }
}

/// Returns true if a token is a body, or the `;` in place of one.
pub(crate) fn is_body(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(_) => true,
        TokenTree::Punct(end) => end.as_char() == ';',
        _ => false,
    }
}

/// Reads a function, and takes from it the attributes that are ours.
pub(crate) fn read(cx: &Ctxt, mut options: Options, function: &mut Function) -> Tool {
    let ident = function.sig.ident.clone();
    let name = options.name.clone().unwrap_or_else(|| TextLit {
        value: ident.unraw().to_string(),
        span: ident.span(),
    });
    let errors = cx.count();
    let doc = doc::function(cx, &function.attrs);
    options.misread |= cx.count() > errors;
    let lifetimes: Vec<Ident> = function
        .sig
        .generics
        .lifetimes()
        .map(|lifetime| lifetime.lifetime.ident.clone())
        .collect();
    let receiver = function.sig.receiver().is_some();
    signature(cx, &function.sig);
    let hidden = hidden_params(&function.sig);
    let params = function
        .sig
        .inputs
        .iter_mut()
        .filter_map(|input| match input {
            FnArg::Receiver(_) => None,
            FnArg::Typed(typed) => param::read(cx, &doc, typed),
        })
        .collect();
    let (description, mentions) = match &options.description {
        Some(words) => (words.clone(), Vec::new()),
        None => mentions::of(doc.text.clone()),
    };
    Tool {
        ident,
        name,
        description,
        mentions,
        vis: function.vis.clone(),
        generics: generics::without_lifetimes(&function.sig.generics),
        is_async: function.sig.asyncness.is_some(),
        output: function.sig.output.clone(),
        receiver,
        params,
        hidden,
        lifetimes,
        cfg: cfgs(&function.attrs),
        documented: doc.params,
        options,
    }
}

/// Checks the signature before its parameters are read.
fn signature(cx: &Ctxt, sig: &Signature) {
    if let Safety::Unsafe(token) = &sig.safety {
        cx.error(
            token,
            "a model cannot promise what an `unsafe` function asks of its caller\nhelp: wrap it in a safe function that checks",
        );
    }
    if let Some(abi) = &sig.abi {
        cx.error(
            abi,
            "a tool is a Rust function\nhelp: remove `extern`, or wrap the function",
        );
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        let is_shared = match &receiver.kind {
            ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
            ReceiverKind::Typed(_, ty) => ty::is_shared_self(ty),
            _ => false,
        };
        if !is_shared {
            cx.error(
                receiver,
                format!(
                    "calls share the value that `{}` is called on, so it cannot take `{}`\nhelp: {}",
                    sig.ident,
                    spelled(receiver),
                    receiver_replacement(receiver),
                ),
            );
        }
    }
}

/// Returns the replacement for a receiver that calls cannot share.
fn receiver_replacement(receiver: &Receiver) -> &'static str {
    if spelled(receiver).contains("Arc<Self>") {
        "take `&self`, and clone what is to outlive the call out of a field that is an `Arc`"
    } else {
        "take `&self`, with a lock or an atomic inside for what changes"
    }
}

/// The names of parameters that the model does not fill.
fn hidden_params(sig: &Signature) -> Vec<String> {
    let hidden = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => {
            let is_hidden = param::is_marked(typed, &["state", "context"])
                || super::approved::is_approval(&typed.ty)
                || param::is_context(typed);
            is_hidden.then(|| plain_ident(&typed.pat))?
        }
        FnArg::Receiver(_) => None,
    });
    hidden.map(|ident| ident.unraw().to_string()).collect()
}
