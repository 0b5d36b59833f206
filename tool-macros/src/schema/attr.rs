//! The attributes of a type, its variants and its fields: serde's, schemars' and ours.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, LitStr, Meta, Path, Type};

use crate::args;
use crate::ctxt::Ctxt;
use crate::model::Text;
use crate::name::quoted;
use crate::span::{literal, parse_quote, quote};

use super::body::Body;
use super::bounds::Bounds;
use super::case::RenameRule;
use super::option::{OptionOwner, SchemaOption, options};
use super::serde_attr::{AttrOwner, Meaning, meaning};

/// A name or a rule for names, on both of serde's sides.
#[derive(Clone, Default)]
pub(super) struct Split<T> {
    pub(super) input: T,
    pub(super) output: T,
}

/// Representation of an enum in serde.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Tagging {
    External,
    Internal(String),
    Adjacent(String, String),
    Untagged,
}

/// Contents of the attributes of a type.
#[allow(clippy::struct_excessive_bools)] // Each is an attribute of its own.
pub(super) struct Container {
    pub(super) krate: Path,
    /// The name that a tagged struct carries.
    pub(super) rename: Split<Option<String>>,
    pub(super) rename_all: Split<RenameRule>,
    pub(super) rename_all_fields: Split<RenameRule>,
    /// Every field has a default.
    pub(super) default: Option<TokenStream>,
    pub(super) has_default: bool,
    pub(super) tagging: Tagging,
    pub(super) transparent: bool,
    from: Option<Type>,
    into: Option<Type>,
    pub(super) open: bool,
    /// serde refuses keys that it does not know.
    pub(super) denies: bool,
    pub(super) title: Option<Text>,
    pub(super) description: Option<Text>,
    pub(super) bounds: Bounds,
    pub(super) json_schema: bool,
    /// Values are for the tool alone.
    pub(super) secret: bool,
}

impl Container {
    pub(super) fn read(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        use OptionOwner::{Schema, Schemars, Serde};
        let mut this = Self {
            krate: parse_quote!(::toolwright),
            rename: Split::default(),
            rename_all: Split::default(),
            rename_all_fields: Split::default(),
            default: None,
            has_default: false,
            tagging: Tagging::External,
            transparent: false,
            from: None,
            into: None,
            open: false,
            denies: false,
            title: None,
            description: None,
            bounds: Bounds::default(),
            json_schema: false,
            secret: false,
        };
        let (mut tag, mut content) = (None, None);
        let mut deny = None;
        for option in options(cx, attrs) {
            let SchemaOption { of, meta, key, ty } = &option;
            match (*of, key.as_str()) {
                (Schema, "crate") => {
                    if let Some(path) = args::krate(cx, meta) {
                        this.krate = path;
                    }
                }
                (Schema, "open") => this.open = args::flag(cx, meta).unwrap_or(false),
                (Serde, "deny_unknown_fields") => {
                    this.denies = true;
                    deny = Some(meta.clone());
                }
                (Schema, "json_schema") => {
                    this.json_schema = args::flag(cx, meta).unwrap_or(false);
                }
                (Schema, "secret") => this.secret = args::flag(cx, meta).unwrap_or(false),
                (Schema, "as") => {
                    this.from.clone_from(ty);
                    this.into.clone_from(ty);
                }
                (Schema | Schemars, "title") => this.title = args::text(cx, meta),
                (Schema | Schemars, "description") => {
                    this.description = args::text(cx, meta);
                }
                (Schemars, "with") => {
                    this.from = type_text(cx, meta);
                    this.into.clone_from(&this.from);
                }
                (Serde | Schemars, "rename") => this.rename = names(cx, meta),
                (Serde | Schemars, "rename_all") => this.rename_all = rules(cx, meta),
                (Serde | Schemars, "rename_all_fields") => {
                    this.rename_all_fields = rules(cx, meta);
                }
                (Serde, "default") => {
                    this.has_default = true;
                    this.default = default_value(cx, meta);
                }
                (Serde | Schemars, "tag") => {
                    tag = args::text(cx, meta).map(|text| text.value);
                }
                (Serde | Schemars, "content") => {
                    content = args::text(cx, meta).map(|text| text.value);
                }
                (Serde | Schemars, "untagged") => this.tagging = Tagging::Untagged,
                (Serde | Schemars, "transparent") => this.transparent = true,
                (Serde | Schemars, "from" | "try_from") => this.from = type_text(cx, meta),
                (Serde | Schemars, "into") => this.into = type_text(cx, meta),
                _ => option.other(
                    cx,
                    AttrOwner::Container,
                    &mut this.bounds,
                    &[
                        "crate",
                        "as",
                        "open",
                        "title",
                        "description",
                        "json_schema",
                        "secret",
                    ],
                ),
            }
        }
        if let (Some(deny), true) = (deny, this.open) {
            cx.error(
                deny,
                "`deny_unknown_fields` refuses the keys that `#[schema(open)]` admits\nhelp: remove one of the two",
            );
        }
        match (tag, content) {
            (Some(tag), Some(content)) => this.tagging = Tagging::Adjacent(tag, content),
            (Some(tag), None) => this.tagging = Tagging::Internal(tag),
            // serde says what is wrong with a content without a tag.
            _ => {}
        }
        this
    }

    /// The kind of a type that is read from or written as others.
    pub(super) fn sides(&self, own: TokenStream, body: &mut Body<'_>) -> TokenStream {
        let (from, into) = (self.from.as_ref(), self.into.as_ref());
        if from.is_none() && into.is_none() {
            return own;
        }
        if from.is_some() && into.is_some() {
            body.leave_out_fields();
        }
        let mut side = |ty: Option<&Type>| {
            if let Some(ty) = ty {
                body.shape_of(ty, false)
            } else {
                quote!(&__tool::Shape::new(#own))
            }
        };
        let (input, output) = (side(from), side(into));
        quote!(__tool::Kind::Sides { input: #input, output: #output })
    }
}

/// Contents of the attributes of a variant or a field.
#[allow(clippy::struct_excessive_bools)] // Each is an attribute of its own.
#[derive(Default)]
pub(super) struct Member {
    pub(super) rename: Split<Option<String>>,
    /// Other names that are read.
    aliases: Vec<String>,
    pub(super) rename_all: Split<RenameRule>,
    /// The default's value.
    pub(super) default: Option<TokenStream>,
    /// Span of `default` without a path, for the default of the type.
    pub(super) default_of_type: Option<Span>,
    pub(super) flatten: bool,
    pub(super) untagged: bool,
    pub(super) skip_input: bool,
    pub(super) skip_output: bool,
    pub(super) skip_output_if: bool,
    pub(super) recursive: bool,
    /// serde lends it what stands in the text.
    pub(super) borrows: bool,
    /// A function of its own reads it.
    pub(super) custom_input: bool,
    /// A function of its own writes it.
    pub(super) custom_output: bool,
    /// The type that the JSON looks like.
    pub(super) seen_as: Option<Type>,
    pub(super) title: Option<Text>,
    pub(super) description: Option<Text>,
    pub(super) deprecated: bool,
    pub(super) example: Option<Expr>,
    /// Its value is for the tool alone.
    pub(super) secret: bool,
    pub(super) bounds: Bounds,
}

impl Member {
    pub(super) fn read(cx: &Ctxt, attrs: &[Attribute], place: AttrOwner) -> Self {
        let mut this = Self::default();
        let mut custom: Option<Meta> = None;
        for option in options(cx, attrs) {
            let SchemaOption { of, meta, key, ty } = &option;
            match (*of, key.as_str()) {
                (OptionOwner::Schema, "as") => this.seen_as.clone_from(ty),
                (OptionOwner::Schema, "recursive") => {
                    this.recursive = args::flag(cx, meta).unwrap_or(false);
                }
                (OptionOwner::Schema, "secret") if place == AttrOwner::Field => {
                    this.secret = args::flag(cx, meta).unwrap_or(false);
                }
                (OptionOwner::Schema, "secret") => cx.error(
                    meta,
                    "a variant's name is no secret\nhelp: mark what it holds: `Key(#[schema(secret)] String)`",
                ),
                (OptionOwner::Schema | OptionOwner::Schemars, "title") => this.title = args::text(cx, meta),
                (OptionOwner::Schema | OptionOwner::Schemars, "description") => {
                    this.description = args::text(cx, meta);
                }
                (OptionOwner::Schema | OptionOwner::Schemars, "deprecated") => {
                    this.deprecated = args::flag(cx, meta).unwrap_or(false);
                }
                (OptionOwner::Schema | OptionOwner::Schemars, "example") => {
                    if let Meta::NameValue(pair) = meta {
                        args::shown(cx, &pair.value);
                        this.example = Some(pair.value.clone());
                    } else {
                        cx.error(meta, "`example` takes a value\nhelp: write `example = …`");
                    }
                }
                (OptionOwner::Schemars, "with") => this.seen_as = type_text(cx, meta),
                (OptionOwner::Serde, "borrow") => this.borrows = true,
                (OptionOwner::Serde | OptionOwner::Schemars, "rename") => this.rename = names(cx, meta),
                (OptionOwner::Serde | OptionOwner::Schemars, "rename_all") => this.rename_all = rules(cx, meta),
                (OptionOwner::Serde, "alias") => {
                    this.aliases
                        .extend(args::text(cx, meta).map(|text| text.value));
                }
                (OptionOwner::Serde, "default") => {
                    this.default_of_type = matches!(meta, Meta::Path(_)).then(|| meta.span());
                    this.default = default_value(cx, meta);
                }
                (OptionOwner::Serde | OptionOwner::Schemars, "flatten") => this.flatten = true,
                (OptionOwner::Serde | OptionOwner::Schemars, "untagged") => this.untagged = true,
                (OptionOwner::Serde | OptionOwner::Schemars, "skip") => {
                    (this.skip_input, this.skip_output) = (true, true);
                }
                (OptionOwner::Serde | OptionOwner::Schemars, "skip_deserializing") => this.skip_input = true,
                (OptionOwner::Serde | OptionOwner::Schemars, "skip_serializing") => this.skip_output = true,
                (OptionOwner::Serde | OptionOwner::Schemars, "skip_serializing_if") => this.skip_output_if = true,
                (OptionOwner::Serde, key) if meaning(place, key) == Some(Meaning::Custom) => {
                    this.custom_input |= key != "serialize_with";
                    this.custom_output |= key != "deserialize_with";
                    custom = Some(meta.clone());
                }
                _ => option.other(
                    cx,
                    place,
                    &mut this.bounds,
                    &[
                        "as",
                        "recursive",
                        "title",
                        "description",
                        "deprecated",
                        "example",
                        "secret",
                    ],
                ),
            }
        }
        let is_seen =
            (this.custom_input && !this.skip_input) || (this.custom_output && !this.skip_output);
        if let (Some(meta), None, true) = (custom, &this.seen_as, is_seen) {
            cx.error(
                meta.path(),
                format!(
                    "the JSON is whatever `{}` makes of it\nhelp: say what it looks like: `#[schema(as = Type)]`",
                    meta.path().to_token_stream()
                ),
            );
        }
        this.deprecated |= attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
        this
    }

    /// Returns the tokens added to a field or variant of this name, if it has aliases.
    pub(super) fn aliased(&self, name: &str) -> Option<TokenStream> {
        let mut aliases: Vec<&str> = Vec::new();
        for alias in &self.aliases {
            // serde takes one that says nothing new for what it is.
            if alias != name && !aliases.contains(&alias.as_str()) {
                aliases.push(alias);
            }
        }
        let is_read = !self.skip_input && !aliases.is_empty();
        let aliases = aliases.iter().map(|alias| literal(*alias));
        is_read.then(|| quote!(.aliased(&[#(#aliases),*])))
    }

    /// The member's names.
    pub(super) fn names(
        &self,
        ident: &Ident,
        rule: impl Fn(bool, &str) -> String,
    ) -> Split<String> {
        let ident = ident.unraw().to_string();
        Split {
            input: self
                .rename
                .input
                .clone()
                .unwrap_or_else(|| rule(false, &ident)),
            output: self
                .rename
                .output
                .clone()
                .unwrap_or_else(|| rule(true, &ident)),
        }
    }
}

/// `key = "Type"`
fn type_text(cx: &Ctxt, meta: &Meta) -> Option<Type> {
    let text = args::text(cx, meta)?;
    let ty: Type = cx.ok(LitStr::new(&text.value, text.span).parse())?;
    // Its tokens stand where the literal does.
    let tokens: TokenStream = ty
        .to_token_stream()
        .into_iter()
        .map(|mut token| {
            token.set_span(text.span);
            token
        })
        .collect();
    cx.ok(syn::parse2(tokens))
}

/// `default` or `default = "path"`: the value.
fn default_value(cx: &Ctxt, meta: &Meta) -> Option<TokenStream> {
    match meta {
        Meta::NameValue(_) => {
            let text = args::text(cx, meta)?;
            let path: Path = cx.ok(LitStr::new(&text.value, text.span).parse())?;
            Some(quote_spanned!(text.span=> #path()))
        }
        other => Some(quote_spanned!(other.span()=> ::core::default::Default::default())),
    }
}

/// `key = "…"` or `key(serialize = "…", deserialize = "…")`
fn both(cx: &Ctxt, meta: &Meta) -> Split<Option<Text>> {
    let Meta::List(list) = meta else {
        let text = args::text(cx, meta);
        return Split {
            input: text.clone(),
            output: text,
        };
    };
    let mut both = Split {
        input: None,
        output: None,
    };
    for side in args::metas(cx, list.tokens.clone()) {
        match args::key(&side).as_deref() {
            Some("serialize") => both.output = args::text(cx, &side),
            Some("deserialize") => both.input = args::text(cx, &side),
            _ => cx.error(
                &side,
                format!(
                    "unknown side\nhelp: the sides are {}",
                    quoted(["serialize", "deserialize"])
                ),
            ),
        }
    }
    both
}

fn names(cx: &Ctxt, meta: &Meta) -> Split<Option<String>> {
    let both = both(cx, meta);
    Split {
        input: both.input.map(|text| text.value),
        output: both.output.map(|text| text.value),
    }
}

fn rules(cx: &Ctxt, meta: &Meta) -> Split<RenameRule> {
    // serde's own error lists the rules.
    let rule = |text: Option<Text>| {
        text.and_then(|text| RenameRule::parse(&text.value))
            .unwrap_or_default()
    };
    let both = both(cx, meta);
    Split {
        input: rule(both.input),
        output: rule(both.output),
    }
}
