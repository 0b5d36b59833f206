//! Reads a function's tokens into its model. The body stays unparsed: a macro that parses it would fail on every
//! half-typed line.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, FnArg, Pat, PatType, Path, Signature, Token, Visibility};

use crate::attr::{self, Arg};
use crate::cfg::cfgs;
use crate::ctxt::Ctxt;
use crate::doc::{self, Doc};
use crate::mentions;
use crate::model::{Function, ModelParam, Options, Param, Role, Text, Tool};
use crate::name::is_param_name;
use crate::schema::is_basic;
use crate::span::{parse_quote, quote, set_item_span_to_start};
use crate::{check, expand, fallback, generics, group, ty};

/// `#[tool]` on whatever it stands on.
pub(crate) fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    if group::is_impl(&tokens) {
        return group::group(args, item);
    }
    offered(Role::Tool, args, &item)
}

/// `#[prompt]`, `#[resource]`, or `#[tool]` on what is no impl block.
pub(crate) fn offered(role: Role, args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    // The body is last, and is not even looked through.
    if let Some(body) = tokens.pop()
        && let Ok(mut function) = Function::parse_head.parse2(tokens.into_iter().collect())
        && is_body(&body)
    {
        function.body = body.into();
        return free(role, args, function);
    }
    // A function that is half-typed: the compiler says better what it makes of the tokens.
    let error = not_a_function(role, item.clone()).map(|error| error.to_compile_error());
    quote!(#error #item)
}

/// The error of an item that is something else.
fn not_a_function(role: Role, item: TokenStream) -> Option<syn::Error> {
    const OTHERS: [&str; 9] = [
        "struct", "enum", "union", "trait", "mod", "type", "static", "use", "impl",
    ];
    let words = item.into_iter().filter_map(|token| match token {
        TokenTree::Ident(ident) => Some(ident),
        _ => None,
    });
    let mut words = words.peekable();
    let word = loop {
        let word = words.next()?;
        if word == "fn" {
            return None;
        }
        let is_const = word == "const" && words.peek().is_some_and(|next| next != "fn");
        if is_const || OTHERS.iter().any(|other| word == other) {
            break word;
        }
    };
    let help = if word == "struct" || word == "enum" || word == "union" {
        "for the schema of a type write `#[derive(Schema)]`"
    } else {
        "put it on the functions, or on an impl block of the type"
    };
    if role != Role::Tool {
        let name = role.attribute();
        let words = format!(
            "`#[{name}]` goes on a function\nhelp: put it on a function that returns the {name}"
        );
        return Some(syn::Error::new_spanned(word, words));
    }
    Some(syn::Error::new_spanned(
        word,
        format!("`#[tool]` goes on a function or an impl block\nhelp: {help}"),
    ))
}

/// One of the attributes on a free function.
fn free(role: Role, args: TokenStream, mut function: Function) -> TokenStream {
    set_item_span_to_start(&function.sig.ident);
    let cx = Ctxt::new();
    let options = attr::options(&cx, role, args);
    let krate = krate(&options);
    let handle = function.sig.ident.clone();
    check::once(&cx, &mut function.attrs);
    let is_method = check::is_method(&cx, &function.sig);
    if !is_method {
        check::body(&cx, &mut function);
    }
    let tool = read(&cx, options, &mut function);
    check::free(&cx, &tool);
    let beside = match cx.finish() {
        Ok(()) => expand::free(&tool, &handle, &krate),
        // Beside a method there is no place for anything else.
        Err(error) if is_method => error.to_compile_error(),
        Err(error) => fallback::free(&error, &tool, &handle, &krate),
    };
    let mut tokens = function.into_token_stream();
    tokens.extend(beside);
    tokens
}

/// The crate that generated code names.
pub(crate) fn krate(options: &Options) -> Path {
    match &options.krate {
        Some(path) => path.clone(),
        None => parse_quote!(::toolwright),
    }
}

/// Returns true if a token is a body, or the `;` in place of one.
fn is_body(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(_) => true,
        TokenTree::Punct(end) => end.as_char() == ';',
        _ => false,
    }
}

impl Function {
    /// A function up to its body.
    fn parse_head(input: ParseStream<'_>) -> syn::Result<Self> {
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

/// Reads a function, and takes from it the attributes that are ours.
pub(crate) fn read(cx: &Ctxt, mut options: Options, function: &mut Function) -> Tool {
    let ident = function.sig.ident.clone();
    let name = options.name.clone().unwrap_or_else(|| Text {
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
    check::signature(cx, &function.sig);
    let hidden = hidden_params(&function.sig);
    let params = function
        .sig
        .inputs
        .iter_mut()
        .filter_map(|input| match input {
            FnArg::Receiver(_) => None,
            FnArg::Typed(param) => read_param(cx, &doc, param),
        })
        .collect();
    let (description, mentions) = match &options.description {
        Some(words) => (words.clone(), Vec::new()),
        None => mentions::of(doc.text.clone()),
    };
    let tool = Tool {
        ident,
        name,
        description,
        mentions,
        vis: function.vis.clone(),
        generics: generics::of_types(&function.sig.generics),
        is_async: function.sig.asyncness.is_some(),
        output: function.sig.output.clone(),
        receiver,
        params,
        hidden,
        lifetimes,
        cfg: cfgs(&function.attrs),
        options,
    };
    check::documented(cx, &tool, &doc);
    tool
}

/// The names of parameters that the model does not fill.
fn hidden_params(sig: &Signature) -> Vec<String> {
    let hidden = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(param) => {
            let is_hidden = is_marked(param, &["state", "context"])
                || check::approved::is_meant(&param.ty)
                || is_context(param);
            is_hidden.then(|| plain_ident(&param.pat))?
        }
        FnArg::Receiver(_) => None,
    });
    hidden.map(|ident| ident.unraw().to_string()).collect()
}

fn is_marked(param: &PatType, marks: &[&str]) -> bool {
    let is_mark = |attr: &Attribute| marks.iter().any(|mark| attr.path().is_ident(mark));
    param.attrs.iter().any(is_mark)
}

/// Returns true for `&Context`, by any path, unless an attribute says what else it is.
fn is_context(param: &PatType) -> bool {
    !is_marked(param, &["state", "arg"]) && check::param::is_context(&param.ty)
}

/// Contents of a parameter's own attributes.
#[derive(Default)]
struct ParamAttrs {
    arg: Arg,
    has_arg: Option<Attribute>,
    state: bool,
    context: bool,
}

fn read_param(cx: &Ctxt, doc: &Doc, param: &mut PatType) -> Option<Param> {
    let own_words = doc::plain(cx, &param.attrs);
    let is_approved = check::approved::is_meant(&param.ty);
    if is_approved {
        check::approved::is_unmarked(cx, &mut param.attrs);
    }
    let is_context = is_context(param);
    let mut param_attrs = ParamAttrs::default();
    let attrs = std::mem::take(&mut param.attrs);
    for attr in attrs {
        if let Some(kept) = read_param_attr(cx, &mut param_attrs, attr) {
            param.attrs.push(kept);
        }
    }
    if is_approved {
        let ident = plain_ident(&param.pat).unwrap_or_else(|| format_ident!("yes"));
        let is_alone = check::approved::is_alone(cx, &ident, &param.ty);
        return is_alone.then(|| Param::Approved((*param.ty).clone()));
    }
    if param_attrs.state || param_attrs.context || is_context {
        if let Some(arg) = param_attrs.has_arg {
            cx.error(
                arg,
                "the model does not fill this parameter\nhelp: remove `#[arg(…)]`",
            );
        }
        let what = if param_attrs.state {
            "state"
        } else {
            "context"
        };
        let ident = plain_ident(&param.pat).unwrap_or_else(|| format_ident!("{what}"));
        if !check::param::lent_type(cx, what, &ident, &param.ty) {
            return None;
        }
        let ty = (*param.ty).clone();
        return Some(if param_attrs.state {
            Param::State(ty)
        } else {
            Param::Context(ty)
        });
    }
    let ident = check::param::ident(cx, &param.pat)?;
    if !check::param::filled_type(cx, &ident, &param.ty) {
        return None;
    }
    let plain_name = ident.unraw().to_string();
    let listed = doc.params.iter().find(|listed| listed.name == plain_name);
    let description = match listed {
        Some(listed) if own_words.is_empty() => listed.text.clone().into(),
        _ => own_words,
    };
    let (slot, pass) = ty::slot(&param.ty);
    Some(Param::Model(Box::new(ModelParam {
        name: param_attrs.arg.rename.unwrap_or_else(|| Text {
            value: published_name(&plain_name).to_owned(),
            span: ident.span(),
        }),
        ident: plain_name,
        is_basic: is_basic(&param.ty),
        ty: (*param.ty).clone(),
        description,
        default: param_attrs.arg.default,
        example: param_attrs.arg.example,
        flatten: param_attrs.arg.flatten,
        secret: param_attrs.arg.secret,
        was: param_attrs.arg.was,
        bounds: param_attrs.arg.bounds,
        slot,
        pass,
    })))
}

/// The model's name for a parameter. `_` before a name says in Rust that the body does not use it.
fn published_name(name: &str) -> &str {
    let name_alone = name.trim_start_matches('_');
    if is_param_name(name_alone) {
        name_alone
    } else {
        name
    }
}

/// Reads one attribute of a parameter; hands back what is not ours.
fn read_param_attr(cx: &Ctxt, param_attrs: &mut ParamAttrs, attr: Attribute) -> Option<Attribute> {
    let path = attr.path();
    if path.is_ident("doc") {
        // rustc refuses documentation on a parameter.
        return None;
    }
    if path.is_ident("arg") {
        attr::arg(cx, &attr, &mut param_attrs.arg);
        param_attrs.has_arg = Some(attr);
        return None;
    }
    if path.is_ident("state") || path.is_ident("context") {
        let is_state = path.is_ident("state");
        if attr.meta.require_path_only().is_err() {
            let (mark, form) = if is_state {
                ("state", "db: &Db")
            } else {
                ("context", "cx: &Context")
            };
            cx.error(
                &attr.meta,
                format!("`#[{mark}]` takes no options\nhelp: write `#[{mark}] {form}`"),
            );
        }
        if param_attrs.state || param_attrs.context {
            cx.error(
                &attr,
                "a parameter is state or context, once\nhelp: remove one",
            );
        } else if is_state {
            param_attrs.state = true;
        } else {
            param_attrs.context = true;
        }
        return None;
    }
    check::param::foreign_attribute(cx, &attr).then_some(attr)
}

/// The identifier of a plain `name` or `mut name`.
pub(crate) fn plain_ident(pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        _ => None,
    }
}
