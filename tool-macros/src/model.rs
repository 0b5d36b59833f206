//! A tool as it was read: plain data.

use crate::bounds::BoundArgs;
use crate::span::{SpanEnds, literal, parse_quote, quote};
use crate::ty::PassBy;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{Attribute, Expr, Generics, Path, ReturnType, Signature, Type, Visibility};

/// A function with its unparsed body.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    /// Modifier before a method's signature: `default`.
    pub(crate) modifiers: TokenStream,
    pub(crate) sig: Signature,
    pub(crate) body: TokenStream,
}

/// The kind of thing that a function defines.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FunctionRole {
    #[default]
    Tool,
    Prompt,
    Resource,
}

impl FunctionRole {
    /// The name of the attribute.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }
}

/// The options of `#[tool]`.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) role: FunctionRole,
    /// A resource's URI or URI template.
    pub(crate) uri: Option<TextLit>,
    /// A resource's media type.
    pub(crate) mime_type: Option<TextLit>,
    pub(crate) krate: Option<Path>,
    /// Name of the struct of the arguments.
    pub(crate) args: Option<Ident>,
    pub(crate) name: Option<TextLit>,
    pub(crate) title: Option<TextLit>,
    pub(crate) description: Option<Description>,
    /// Hints and switches, by the names of `ToolOptions`, with their spans.
    pub(crate) switches: Vec<Switch>,
    /// Span of the option, and its value in milliseconds.
    pub(crate) timeout: Option<(Span, u64)>,
    /// The text of a JSON object.
    pub(crate) meta: Option<String>,
    /// The text of a JSON list, until it is part of `meta`.
    pub(crate) scopes: Option<String>,
    pub(crate) visible: Option<Path>,
    pub(crate) validate: Option<Path>,
    /// Unknown arguments are ignored. Span of the option.
    pub(crate) ignore_unknown: Option<Span>,
    /// The names that it had before.
    pub(crate) was: Vec<TextLit>,
    /// The dialects that must accept the tool.
    pub(crate) targets: Vec<Ident>,
    /// Calls as a model should make them.
    pub(crate) examples: Vec<CallExample>,
    /// True if some of the options or the documentation was not understood. A missing part may have been intended then.
    pub(crate) misread: bool,
}

/// A hint or an option that is on or off.
pub(crate) struct Switch {
    pub(crate) name: &'static str,
    pub(crate) value: bool,
    pub(crate) span: Span,
}

impl Options {
    /// Returns the crate that generated code names.
    pub(crate) fn krate(&self) -> Path {
        let krate = self.krate.clone();
        krate.unwrap_or_else(|| parse_quote!(::toolwright))
    }

    /// Returns true if the hint or option is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.span_of(name).is_some()
    }

    /// Returns the place of a hint or option that is on.
    pub(crate) fn span_of(&self, name: &str) -> Option<Span> {
        let switch = self.switches.iter().find(|switch| switch.name == name)?;
        switch.value.then_some(switch.span)
    }
}

/// A call as a model should make it.
pub(crate) struct CallExample {
    /// The arguments, as JSON.
    pub(crate) json: String,
    /// The names of the arguments, and where they are written.
    pub(crate) keys: Vec<(String, Span)>,
    /// Explanation of the example.
    pub(crate) words: String,
}

/// Another tool in a tool's description.
pub(crate) struct DocLink {
    /// Position of its name, in bytes.
    pub(crate) at: usize,
    pub(crate) len: usize,
    pub(crate) path: Path,
}

/// A string literal.
#[derive(Clone)]
pub(crate) struct TextLit {
    pub(crate) value: String,
    pub(crate) span: Span,
}

/// A description for the model.
#[derive(Clone)]
pub(crate) enum Description {
    /// A text that the macro knows.
    Text(TextLit),
    /// A constant: a path, `concat!`, `include_str!`.
    Const(Box<Expr>),
}

impl Description {
    /// Returns true for a constant.
    pub(crate) fn is_const(&self) -> bool {
        matches!(self, Self::Const(_))
    }

    /// Returns true if the description is empty.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.value.is_empty())
    }
}

impl Default for Description {
    fn default() -> Self {
        Self::from(String::new())
    }
}

impl From<String> for Description {
    fn from(value: String) -> Self {
        let span = Span::call_site();
        Self::Text(TextLit { value, span })
    }
}

impl ToTokens for Description {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Text(text) => literal(text.value.as_str()).to_tokens(tokens),
            Self::Const(value) => {
                let place = SpanEnds::of(value);
                tokens.extend(place.start(quote!(__tool::words)));
                tokens.extend(place.end(quote!((#value))));
            }
        }
    }
}

/// A function as a tool.
pub(crate) struct Tool {
    pub(crate) options: Options,
    /// The function's name, as it is called.
    pub(crate) ident: Ident,
    /// The name that the model calls, with its span.
    pub(crate) name: TextLit,
    pub(crate) description: Description,
    /// The other tools in the description.
    pub(crate) mentions: Vec<DocLink>,
    pub(crate) vis: Visibility,
    pub(crate) generics: Generics,
    pub(crate) is_async: bool,
    pub(crate) output: ReturnType,
    pub(crate) receiver: bool,
    pub(crate) params: Vec<Param>,
    /// Parameters that the doc comment lists.
    pub(crate) documented: Vec<ParamDoc>,
    /// The names of the parameters that the model does not fill.
    pub(crate) hidden: Vec<String>,
    /// The function's own lifetimes.
    pub(crate) lifetimes: Vec<Ident>,
    /// The `#[cfg(…)]` of the function, and so of all that is made for it.
    pub(crate) cfg: Vec<Attribute>,
}

impl Tool {
    /// Returns true if the tool runs only with a person's approval.
    pub(crate) fn needs_approval(&self) -> bool {
        let is_approved = |param: &Param| matches!(param, Param::Approved(_));
        self.params.iter().any(is_approved)
    }

    /// Returns true if the function is handed the call's context.
    pub(crate) fn reads_context(&self) -> bool {
        let is_context = |param: &Param| matches!(param, Param::Context(_));
        self.params.iter().any(is_context)
    }

    /// The parameters that the model fills.
    pub(crate) fn model_params(&self) -> impl Iterator<Item = &ModelParam> {
        self.params.iter().filter_map(|param| match param {
            Param::Model(param) => Some(param.as_ref()),
            Param::State(_) | Param::Context(_) | Param::Approved(_) => None,
        })
    }
}

/// One parameter, in the function's order.
pub(crate) enum Param {
    /// The model fills it.
    Model(Box<ModelParam>),
    /// It comes from the toolset's state.
    State(Type),
    /// It is the call's context.
    Context(Type),
    /// It is a person's approval of the call.
    Approved(Type),
}

/// A parameter that the model fills.
pub(crate) struct ModelParam {
    /// The name in JSON, with its span.
    pub(crate) name: TextLit,
    /// The name in Rust, without `r#`.
    pub(crate) ident: String,
    pub(crate) ty: Type,
    /// True if the type certainly is the one its name says; see `schema::is_basic`.
    pub(crate) is_basic: bool,
    pub(crate) description: Description,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) example: Option<Expr>,
    /// Its fields are the tool's parameters. Span of the option.
    pub(crate) flatten: Option<Span>,
    /// Its value is secret. Span of the option.
    pub(crate) secret: Option<Span>,
    /// The name that it had before.
    pub(crate) was: Option<TextLit>,
    pub(crate) bounds: BoundArgs,
    /// The type that is decoded.
    pub(crate) slot: TokenStream,
    pub(crate) pass: PassBy,
}

/// Value of an argument that is not given.
pub(crate) enum DefaultValue {
    /// `Default::default()`
    Trait(Span),
    Expr(Box<Expr>),
}

/// Contents of a doc comment.
#[derive(Default)]
pub(crate) struct Doc {
    /// The text without the parameters' list, cleaned.
    pub(crate) text: Description,
    /// Entries of an `# Arguments` list, by name.
    pub(crate) params: Vec<ParamDoc>,
}

pub(crate) struct ParamDoc {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// Returns the role that an attribute gives its function: of `#[tool]`, `#[prompt]` and `#[resource]`, by whatever path.
pub(crate) fn role_of(attr: &Attribute) -> Option<FunctionRole> {
    let last = &attr.path().segments.last()?.ident;
    let mut all = [
        FunctionRole::Tool,
        FunctionRole::Prompt,
        FunctionRole::Resource,
    ]
    .into_iter();
    all.find(|role| last == role.attribute())
}
