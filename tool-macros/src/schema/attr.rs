//! The attributes of a type, its variants and its fields: serde's, schemars' and ours.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, LitStr, Meta, Path, Type};

use crate::ctxt::Ctxt;
use crate::model::{Description, TextLit};
use crate::name::quoted;
use crate::parse::attr::{self, KeyValue};
use crate::span::{literal, parse_quote, quote};

use super::body::TypeBody;
use super::case::RenameRule;
use super::option::{self, OptionOwner, Rows};
use super::serde_attr::AttrOwner;
use crate::bounds::BoundArgs;

/// A name or a rule for names, on both of serde's sides.
#[derive(Clone, Default)]
pub(super) struct PerSide<T> {
    pub(super) input: T,
    pub(super) output: T,
}

/// Representation of an enum in serde.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) enum Tagging {
    #[default]
    External,
    Internal(String),
    Adjacent(String, String),
    Untagged,
}

/// Contents of the attributes of a type.
#[allow(clippy::struct_excessive_bools)] // Each is an attribute of its own.
#[derive(Default)]
pub(super) struct ContainerAttrs {
    krate: Option<Path>,
    /// The name that a tagged struct carries.
    pub(super) rename: PerSide<Option<String>>,
    pub(super) rename_all: PerSide<RenameRule>,
    pub(super) rename_all_fields: PerSide<RenameRule>,
    /// Every field has a default.
    pub(super) default: Option<TokenStream>,
    pub(super) has_default: bool,
    pub(super) tagging: Tagging,
    tag: Option<String>,
    content: Option<String>,
    pub(super) transparent: bool,
    from: Option<Type>,
    into: Option<Type>,
    pub(super) open: bool,
    /// serde refuses keys that it does not know.
    pub(super) denies: Option<Meta>,
    pub(super) title: Option<TextLit>,
    pub(super) description: Option<Description>,
    pub(super) bounds: BoundArgs,
    pub(super) json_schema: bool,
    /// Values are for the tool alone.
    pub(super) secret: bool,
}

/// The attributes that have a key.
const OURS: &[OptionOwner] = &[OptionOwner::Schema];
const SERDE: &[OptionOwner] = &[OptionOwner::Serde];
const SCHEMARS: &[OptionOwner] = &[OptionOwner::Schemars];
/// Keys of serde that schemars takes in its own attribute too.
const SERDE_TOO: &[OptionOwner] = &[OptionOwner::Serde, OptionOwner::Schemars];
const SCHEMARS_TOO: &[OptionOwner] = &[OptionOwner::Schema, OptionOwner::Schemars];

const CONTAINER: &Rows<ContainerAttrs> = &[
    (OURS, "crate", |cx, it, to| to.krate = attr::krate(cx, it)),
    (OURS, "as", |_, it, to| {
        to.from.clone_from(&it.ty);
        to.into.clone_from(&it.ty);
    }),
    (OURS, "open", |cx, it, to| to.open = is_on(cx, it)),
    (SCHEMARS_TOO, "title", |cx, it, to| {
        to.title = attr::text(cx, it);
    }),
    (SCHEMARS_TOO, "description", |cx, it, to| {
        to.description = attr::words(cx, it);
    }),
    (OURS, "json_schema", |cx, it, to| {
        to.json_schema = is_on(cx, it);
    }),
    (OURS, "secret", |cx, it, to| to.secret = is_on(cx, it)),
    (SCHEMARS, "with", |cx, it, to| {
        to.from = type_text(cx, it);
        to.into.clone_from(&to.from);
    }),
    (SERDE, "deny_unknown_fields", |_, it, to| {
        to.denies = Some(it.meta.clone());
    }),
    (SERDE, "default", |cx, it, to| {
        to.has_default = true;
        to.default = default_value(cx, it);
    }),
    (SERDE_TOO, "rename", |cx, it, to| to.rename = names(cx, it)),
    (SERDE_TOO, "rename_all", |cx, it, to| {
        to.rename_all = rules(cx, it);
    }),
    (SERDE_TOO, "rename_all_fields", |cx, it, to| {
        to.rename_all_fields = rules(cx, it);
    }),
    (SERDE_TOO, "tag", |cx, it, to| to.tag = string(cx, it)),
    (SERDE_TOO, "content", |cx, it, to| {
        to.content = string(cx, it);
    }),
    (SERDE_TOO, "untagged", |_, _, to| {
        to.tagging = Tagging::Untagged;
    }),
    (SERDE_TOO, "transparent", |_, _, to| to.transparent = true),
    (SERDE_TOO, "from", |cx, it, to| to.from = type_text(cx, it)),
    (SERDE_TOO, "try_from", |cx, it, to| {
        to.from = type_text(cx, it);
    }),
    (SERDE_TOO, "into", |cx, it, to| to.into = type_text(cx, it)),
];

impl ContainerAttrs {
    pub(super) fn read(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut this = Self::default();
        option::read(
            cx,
            attrs,
            AttrOwner::Container,
            CONTAINER,
            |this| &mut this.bounds,
            &mut this,
        );
        if let (Some(deny), true) = (&this.denies, this.open) {
            cx.error(
                deny,
                "`deny_unknown_fields` refuses the keys that `#[schema(open)]` admits\nhelp: remove one of the two",
            );
        }
        match (this.tag.take(), this.content.take()) {
            (Some(tag), Some(content)) => this.tagging = Tagging::Adjacent(tag, content),
            (Some(tag), None) => this.tagging = Tagging::Internal(tag),
            // serde reports a content without a tag.
            _ => {}
        }
        this
    }

    /// Returns the crate that generated code names.
    pub(super) fn krate(&self) -> Path {
        let krate = self.krate.clone();
        krate.unwrap_or_else(|| parse_quote!(::toolwright))
    }

    /// The kind of a type that is read from or written as others.
    pub(super) fn sides(&self, own: TokenStream, body: &mut TypeBody<'_>) -> TokenStream {
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
        quote!(__tool::Kind::InOut { input: #input, output: #output })
    }
}

/// The form of a member's JSON, if its own type does not determine it.
pub(super) enum SeenAs {
    Type(Box<Type>),
    /// The JSON Schema that a function returns: an expression for `Foreign`.
    Foreign(TokenStream),
}

/// Contents of the attributes of a variant or a field.
#[allow(clippy::struct_excessive_bools)] // Each is an attribute of its own.
#[derive(Default)]
pub(super) struct MemberAttrs {
    place: AttrOwner,
    pub(super) rename: PerSide<Option<String>>,
    /// Other names that are read.
    pub(super) aliases: Vec<TextLit>,
    pub(super) rename_all: PerSide<RenameRule>,
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
    /// serde borrows it from the text.
    pub(super) borrows: bool,
    /// A custom function reads it.
    pub(super) custom_input: bool,
    /// A custom function writes it.
    pub(super) custom_output: bool,
    /// The option that names the custom function.
    custom: Option<Meta>,
    pub(super) seen_as: Option<SeenAs>,
    /// Our attribute says it.
    is_seen_by_ours: bool,
    pub(super) title: Option<TextLit>,
    pub(super) description: Option<Description>,
    pub(super) deprecated: bool,
    pub(super) example: Option<Expr>,
    /// Its value is for the tool alone.
    pub(super) secret: bool,
    pub(super) bounds: BoundArgs,
}

const FIELD: &Rows<MemberAttrs> = &[
    (OURS, "as", |cx, it, to| {
        let ty = it.ty.clone().map(Box::new);
        to.look_like(cx, it, ty.map(SeenAs::Type));
    }),
    (OURS, "schema_with", |cx, it, to| {
        let function = schema_function(cx, it);
        to.look_like(cx, it, function.map(SeenAs::Foreign));
    }),
    (SCHEMARS, "schema_with", |cx, it, to| {
        to.seen_as = schemars_function(cx, it).map(SeenAs::Foreign);
    }),
    (OURS, "recursive", |cx, it, to| to.recursive = is_on(cx, it)),
    (SCHEMARS_TOO, "title", |cx, it, to| {
        to.title = attr::text(cx, it);
    }),
    (SCHEMARS_TOO, "description", |cx, it, to| {
        to.description = attr::words(cx, it);
    }),
    (SCHEMARS_TOO, "deprecated", |cx, it, to| {
        to.deprecated = is_on(cx, it);
    }),
    (SCHEMARS_TOO, "example", |cx, it, to| {
        to.example = example(cx, it);
    }),
    (OURS, "secret", |cx, it, to| {
        if to.place == AttrOwner::Field {
            to.secret = is_on(cx, it);
        } else {
            cx.error(
                &it.meta,
                "a variant's name is not secret\nhelp: mark what it holds: `Key(#[schema(secret)] String)`",
            );
        }
    }),
    (SCHEMARS, "with", |cx, it, to| {
        to.seen_as = type_text(cx, it).map(Box::new).map(SeenAs::Type);
    }),
    (SERDE, "borrow", |_, _, to| to.borrows = true),
    (SERDE_TOO, "rename", |cx, it, to| to.rename = names(cx, it)),
    (SERDE_TOO, "rename_all", |cx, it, to| {
        to.rename_all = rules(cx, it);
    }),
    (SERDE, "alias", |cx, it, to| {
        to.aliases.extend(attr::text(cx, it));
    }),
    (SERDE, "default", |cx, it, to| {
        to.default_of_type = matches!(it.meta, Meta::Path(_)).then(|| it.span());
        to.default = default_value(cx, it);
    }),
    (SERDE_TOO, "flatten", |_, _, to| to.flatten = true),
    (SERDE_TOO, "untagged", |_, _, to| to.untagged = true),
    (SERDE_TOO, "skip", |_, _, to| {
        (to.skip_input, to.skip_output) = (true, true);
    }),
    (SERDE_TOO, "skip_deserializing", |_, _, to| {
        to.skip_input = true;
    }),
    (SERDE_TOO, "skip_serializing", |_, _, to| {
        to.skip_output = true;
    }),
    (SERDE_TOO, "skip_serializing_if", |_, _, to| {
        to.skip_output_if = true;
    }),
    (SERDE, "with", |_, it, to| to.custom(it, true, true)),
    (SERDE, "deserialize_with", |_, it, to| {
        to.custom(it, true, false);
    }),
    (SERDE, "serialize_with", |_, it, to| {
        to.custom(it, false, true);
    }),
];

impl MemberAttrs {
    pub(super) fn read(cx: &Ctxt, attrs: &[Attribute], place: AttrOwner) -> Self {
        let mut this = Self {
            place,
            ..Self::default()
        };
        option::read(cx, attrs, place, FIELD, |this| &mut this.bounds, &mut this);
        let is_seen =
            (this.custom_input && !this.skip_input) || (this.custom_output && !this.skip_output);
        if let (Some(meta), None, true) = (&this.custom, &this.seen_as, is_seen) {
            cx.error(
                meta.path(),
                format!(
                    "the code of `{}` decides the JSON, so the schema is not known\nhelp: describe the JSON: `#[schema(as = Type)]` or `#[schema(schema_with = function)]`",
                    meta.path().to_token_stream()
                ),
            );
        }
        this.deprecated |= attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
        this
    }

    /// `as` or `schema_with` of our attribute, which have precedence over schemars'.
    fn look_like(&mut self, cx: &Ctxt, entry: &KeyValue, seen_as: Option<SeenAs>) {
        if self.is_seen_by_ours {
            cx.error(
                &entry.meta,
                "`as` and `schema_with` both describe the JSON\nhelp: remove one",
            );
        }
        self.is_seen_by_ours = true;
        self.seen_as = seen_as;
    }

    /// A custom function reads or writes it.
    fn custom(&mut self, entry: &KeyValue, reads: bool, writes: bool) {
        self.custom_input |= reads;
        self.custom_output |= writes;
        self.custom = Some(entry.meta.clone());
    }

    /// Returns the tokens added to a field or variant of this name, if it has aliases.
    pub(super) fn aliased(&self, name: &str) -> Option<TokenStream> {
        let mut aliases: Vec<&str> = Vec::new();
        for TextLit { value, .. } in &self.aliases {
            // serde accepts an alias that equals the name.
            if value != name && !aliases.contains(&value.as_str()) {
                aliases.push(value);
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
    ) -> PerSide<String> {
        let ident = ident.unraw().to_string();
        PerSide {
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

fn is_on(cx: &Ctxt, entry: &KeyValue) -> bool {
    attr::flag(cx, entry).unwrap_or(false)
}

/// `key = "…"`
fn string(cx: &Ctxt, entry: &KeyValue) -> Option<String> {
    attr::text(cx, entry).map(|text| text.value)
}

fn example(cx: &Ctxt, entry: &KeyValue) -> Option<Expr> {
    let Meta::NameValue(pair) = &entry.meta else {
        cx.error(
            &entry.meta,
            "`example` takes a value\nhelp: write `example = …`",
        );
        return None;
    };
    attr::shown(cx, &pair.value);
    Some(pair.value.clone())
}

/// `key = "Type"`
fn type_text(cx: &Ctxt, entry: &KeyValue) -> Option<Type> {
    let text = attr::text(cx, entry)?;
    let ty: Type = cx.ok(LitStr::new(&text.value, text.span).parse())?;
    // Its tokens have the literal's span.
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

/// `schema_with = path`: a function that returns JSON Schema.
fn schema_function(cx: &Ctxt, entry: &KeyValue) -> Option<TokenStream> {
    let path = attr::path(cx, entry, "the path of a function", "my_schema")?;
    Some(quote_spanned!(path.span()=> __tool::Foreign::of(#path)))
}

/// schemars' `schema_with = "path"`: its function takes a generator.
fn schemars_function(cx: &Ctxt, entry: &KeyValue) -> Option<TokenStream> {
    let path = path_text(cx, entry)?;
    Some(
        quote_spanned!(path.span()=> __tool::with_schemars!("#[schemars(schema_with)]" __tool::Foreign {
            input: || __tool::schemars_input(#path),
            output: || __tool::schemars_output(#path),
        })),
    )
}

/// `key = "path"`
fn path_text(cx: &Ctxt, entry: &KeyValue) -> Option<Path> {
    let text = attr::text(cx, entry)?;
    cx.ok(LitStr::new(&text.value, text.span).parse())
}

/// `default` or `default = "path"`: the value.
fn default_value(cx: &Ctxt, entry: &KeyValue) -> Option<TokenStream> {
    match &entry.meta {
        Meta::NameValue(_) => {
            let path = path_text(cx, entry)?;
            Some(quote_spanned!(path.span()=> #path()))
        }
        other => Some(quote_spanned!(other.span()=> ::core::default::Default::default())),
    }
}

/// `key = "…"` or `key(serialize = "…", deserialize = "…")`
fn both(cx: &Ctxt, entry: &KeyValue) -> PerSide<Option<TextLit>> {
    let Meta::List(list) = &entry.meta else {
        let text = attr::text(cx, entry);
        return PerSide {
            input: text.clone(),
            output: text,
        };
    };
    let mut both = PerSide {
        input: None,
        output: None,
    };
    for side in attr::entries(cx, list.tokens.clone()) {
        match side.key.as_str() {
            "serialize" => both.output = attr::text(cx, &side),
            "deserialize" => both.input = attr::text(cx, &side),
            _ => cx.error(
                &side.meta,
                format!(
                    "unknown side\nhelp: the sides are {}",
                    quoted(["serialize", "deserialize"])
                ),
            ),
        }
    }
    both
}

fn names(cx: &Ctxt, entry: &KeyValue) -> PerSide<Option<String>> {
    let both = both(cx, entry);
    PerSide {
        input: both.input.map(|text| text.value),
        output: both.output.map(|text| text.value),
    }
}

fn rules(cx: &Ctxt, entry: &KeyValue) -> PerSide<RenameRule> {
    // serde's own error lists the rules.
    let rule = |text: Option<TextLit>| {
        text.and_then(|text| RenameRule::parse(&text.value))
            .unwrap_or_default()
    };
    let both = both(cx, entry);
    PerSide {
        input: rule(both.input),
        output: rule(both.output),
    }
}
