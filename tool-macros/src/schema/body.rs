//! The fields of a struct or a variant, as a tree.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{DataStruct, DeriveInput, Fields, Type};

use crate::bounds::out_of_bounds;
use crate::ctxt::Ctxt;
use crate::model::{Description, TextLit};
use crate::parse::doc;
use crate::span::{literal, local, quote};

use super::attr::{ContainerAttrs, MemberAttrs, PerSide, SeenAs, Tagging};
use super::bytes;
use super::case::RenameRule;
use super::parts::{denying_object, field_names, flat, object, tag_field, written_as};
use super::recursive;
use super::serde_attr::AttrOwner;
use crate::ty::is_option;

/// Everything in a schema but its tree.
#[derive(Default)]
pub(super) struct SchemaParts {
    /// The `REFS` of the types that the type is made of.
    pub(super) refs: Vec<TokenStream>,
    /// The bounds on the types of its fields.
    pub(super) checks: Vec<TokenStream>,
    /// Looks whether bounds fit.
    pub(super) fits: Vec<TokenStream>,
    /// True if keys of other types are flattened into it.
    pub(super) flattens: bool,
    /// The types that `refs` and `checks` cover, as text, so that a type of ten fields is covered once.
    seen: Vec<String>,
}

/// Makes the tree of one type.
pub(super) struct TypeBody<'a> {
    pub(super) cx: &'a Ctxt,
    pub(super) container: &'a ContainerAttrs,
    input: &'a DeriveInput,
    pub(super) parts: SchemaParts,
}

/// A field and its attributes.
pub(super) struct FieldAttrs<'f> {
    pub(super) field: &'f syn::Field,
    pub(super) member: MemberAttrs,
}

impl FieldAttrs<'_> {
    fn is_skipped(&self) -> bool {
        self.member.skip_input && self.member.skip_output
    }
}

/// A field or a variant with its names.
pub(super) struct NamedMember<'n> {
    pub(super) ident: &'n syn::Ident,
    pub(super) member: &'n MemberAttrs,
    /// The name that is read, if one is.
    pub(super) input: Option<String>,
    /// The key that is written, if one is.
    pub(super) output: Option<String>,
}

impl NamedMember<'_> {
    /// The other names that are read.
    fn aliases(&self) -> impl Iterator<Item = &TextLit> {
        let aliases = self.input.as_ref().map(|_| &self.member.aliases);
        aliases.into_iter().flatten()
    }
}

impl<'a> TypeBody<'a> {
    pub(super) fn new(cx: &'a Ctxt, container: &'a ContainerAttrs, input: &'a DeriveInput) -> Self {
        Self {
            cx,
            container,
            input,
            parts: SchemaParts::default(),
        }
    }

    pub(super) fn finish(self) -> SchemaParts {
        self.parts
    }

    /// Drops everything about the fields: the tree does not use them, so their types need no schema.
    pub(super) fn leave_out_fields(&mut self) {
        self.parts = SchemaParts::default();
    }

    /// Reads the attributes of the fields.
    pub(super) fn rows<'f>(&self, fields: &'f Fields) -> Vec<FieldAttrs<'f>> {
        let row = |field: &'f syn::Field| FieldAttrs {
            field,
            member: MemberAttrs::read(self.cx, &field.attrs, AttrOwner::Field),
        };
        fields.iter().map(row).collect()
    }

    /// The kind of a struct.
    pub(super) fn structure(&mut self, data: &DataStruct) -> TokenStream {
        let rows = self.rows(&data.fields);
        if self.container.transparent {
            return self.transparent(&rows);
        }
        let rules = self.container.rename_all.clone();
        let kind = self.fields(&data.fields, &rows, &rules, true);
        match (&self.container.tagging, &data.fields) {
            // A struct may carry a tag too, its name. It is written and never read.
            (Tagging::Internal(tag), Fields::Named(_)) => {
                let name = self.input.ident.to_string();
                let name = self.container.rename.output.clone().unwrap_or(name);
                let name = literal(name);
                let tag = tag_field(tag, &quote!(__tool::Variant::new(#name, "")));
                let rest = flat(&kind);
                object(quote!(#tag.not_read(), #rest))
            }
            _ => kind,
        }
    }

    /// The one field of a transparent struct, in the struct's place. Which one it is, serde decides in this way.
    fn transparent(&mut self, rows: &[FieldAttrs<'_>]) -> TokenStream {
        let carries = |row: &&FieldAttrs<'_>| {
            let is_marker =
                recursive::last_segment(&row.field.ty).is_some_and(|last| last == "PhantomData");
            let is_made_up = row.member.default.is_some() && row.member.skip_output;
            !(is_marker || row.is_skipped() || is_made_up)
        };
        // serde reports a struct with no such field, or several.
        let Some(row) = rows.iter().find(carries) else {
            return quote!(__tool::Kind::Null);
        };
        let shape = self.element(row);
        if !self.container.bounds.said.is_empty() {
            return quote!(__tool::Kind::Bounded(#shape, __tool::Bounds::NONE));
        }
        quote!(__tool::Kind::InOut { input: #shape, output: #shape })
    }

    /// The kind of a struct's or a variant's fields.
    pub(super) fn fields(
        &mut self,
        fields: &Fields,
        rows: &[FieldAttrs<'_>],
        rules: &PerSide<RenameRule>,
        is_struct: bool,
    ) -> TokenStream {
        match fields {
            Fields::Unit => quote!(__tool::Kind::Null),
            Fields::Named(_) => {
                // A flattened field's name is not a key.
                let keys = rows.iter().filter(|row| !row.member.flatten);
                let keys = keys.filter_map(|FieldAttrs { field, member }| {
                    let ident = field.ident.as_ref()?;
                    let PerSide { input, output } = field_names(member, ident, rules);
                    Some(NamedMember {
                        ident,
                        member,
                        input: (!member.skip_input).then_some(input),
                        output: (!member.skip_output).then_some(output),
                    })
                });
                self.distinct(&keys.collect::<Vec<_>>());
                let rows: Vec<_> = rows
                    .iter()
                    .filter_map(|row| self.field(row, rules, is_struct))
                    .collect();
                if self.container.open {
                    quote!(__tool::open_object(&[#(#rows),*]))
                } else if self.container.denies.is_some() {
                    denying_object(quote!(#(#rows),*))
                } else {
                    object(quote!(#(#rows),*))
                }
            }
            Fields::Unnamed(_) => match rows {
                [one] => self.newtype(one),
                _ => self.tuple(rows),
            },
        }
    }

    /// serde would read the first of two equal names and never the other, and would write a key twice.
    pub(super) fn distinct(&self, all: &[NamedMember<'_>]) {
        for (index, it) in all.iter().enumerate() {
            let (earlier, later) = all.split_at(index);
            let others = || earlier.iter().chain(later.iter().skip(1));
            let is_read = it.input.is_some() && earlier.iter().any(|other| other.input == it.input);
            let is_written =
                it.output.is_some() && earlier.iter().any(|other| other.output == it.output);
            let twice = match (is_read, is_written) {
                (true, _) => it.input.as_ref().map(|name| (name, "read")),
                (false, true) => it.output.as_ref().map(|name| (name, "written")),
                (false, false) => None,
            };
            if let Some((name, verb)) = twice {
                self.cx.error(
                    it.ident,
                    format!("`{name}` is {verb} twice by this type\nhelp: rename one: `#[serde(rename = \"…\")]`"),
                );
            }
            for alias in it.aliases() {
                let is_name = |other: &NamedMember<'_>| other.input.as_ref() == Some(&alias.value);
                let is_alias = |other: &NamedMember<'_>| {
                    let mut aliases = other.aliases();
                    aliases.any(|other| other.value == alias.value)
                };
                if others().any(is_name) || earlier.iter().any(is_alias) {
                    self.cx.error_at(
                        alias.span,
                        format!(
                            "`{}` is read twice by this type\nhelp: remove this alias, or rename what else is read by it",
                            alias.value
                        ),
                    );
                }
            }
        }
    }

    fn newtype(&mut self, row: &FieldAttrs<'_>) -> TokenStream {
        if row.member.skip_input || row.member.skip_output {
            self.cx.error(
                row.field,
                "the only value is skipped, which serde does on some paths and not on others\nhelp: leave the field out, or mark it `#[schema(as = ())]` without skipping it",
            );
        }
        let shape = self.element(row);
        quote!(__tool::Kind::Bounded(#shape, __tool::Bounds::NONE))
    }

    fn tuple(&mut self, rows: &[FieldAttrs<'_>]) -> TokenStream {
        let (mut input, mut output) = (Vec::new(), Vec::new());
        let mut one_sided = false;
        for row in rows.iter().filter(|row| !row.is_skipped()) {
            let may_be_missing = [
                (
                    "default",
                    row.member.default.is_some() && !row.member.skip_input,
                ),
                ("skip_serializing_if", row.member.skip_output_if),
            ];
            for (key, _) in may_be_missing.iter().filter(|(_, is_there)| *is_there) {
                self.cx.error(
                    row.field,
                    format!("`{key}` in a tuple makes the places of its elements uncertain\nhelp: give the fields names"),
                );
            }
            let shape = self.element(row);
            one_sided |= row.member.skip_input != row.member.skip_output;
            if !row.member.skip_input {
                input.push(shape.clone());
            }
            if !row.member.skip_output {
                output.push(shape);
            }
        }
        if self.container.has_default {
            self.cx.error(
                &self.input.ident,
                "`#[serde(default)]` on a tuple makes the places of its elements uncertain\nhelp: give the fields names",
            );
        }
        if one_sided {
            return quote!(__tool::Kind::InOut {
                input: &__tool::Shape::new(__tool::Kind::Tuple(&[#(#input),*])),
                output: &__tool::Shape::new(__tool::Kind::Tuple(&[#(#output),*])),
            });
        }
        quote!(__tool::Kind::Tuple(&[#(#input),*]))
    }

    /// The tree of a field's value.
    fn element(&mut self, row: &FieldAttrs<'_>) -> TokenStream {
        self.no_borrowed_bytes(row);
        let shape = self.json_shape(&row.field.ty, &row.member);
        let description = match (&row.field.ident, &row.member.description) {
            (Some(_), _) => Description::default(),
            (None, Some(words)) => words.clone(),
            (None, None) => doc::plain(self.cx, &row.field.attrs),
        };
        self.parts.fits.extend(row.member.bounds.fits(&shape));
        let is_secret = row.member.secret;
        let kind = match row.member.bounds.narrow(&shape) {
            Some(kind) => kind,
            None if description.is_empty() && !is_secret => return shape,
            None => quote!(__tool::Kind::Bounded(#shape, __tool::Bounds::NONE)),
        };
        let words = (!description.is_empty()).then(|| quote!(.described(#description)));
        let secret = is_secret.then(|| quote!(.secret()));
        quote!(&__tool::Shape::new(#kind)#words #secret)
    }

    /// serde borrows bytes from a string, but the schema of a slice is a list.
    fn no_borrowed_bytes(&self, row: &FieldAttrs<'_>) {
        let FieldAttrs { field, member } = row;
        if member.seen_as.is_some() || member.skip_input {
            return;
        }
        if bytes::is_borrowed(&field.ty) {
            self.cx.error(
                &field.ty,
                "serde reads `&[u8]` from a string, and its schema says a list\nhelp: take `Vec<u8>` for a list, `&str` for a string",
            );
        } else if member.borrows && bytes::is_in_cow(&field.ty) {
            self.cx.error(
                &field.ty,
                "serde borrows bytes from a string, and their schema says a list\nhelp: remove `#[serde(borrow)]`, or take `Cow<str>`",
            );
        }
    }

    /// The tree of a type, or of the form of its JSON, on the sides that have one.
    fn json_shape(&mut self, ty: &Type, member: &MemberAttrs) -> TokenStream {
        let Some(seen_as) = &member.seen_as else {
            return self.shape_of(ty, member.recursive);
        };
        let seen = self.watched_shape(seen_as, member.recursive);
        let both = member.custom_input == member.custom_output
            || (member.skip_input && !member.custom_input)
            || (member.skip_output && !member.custom_output);
        if both {
            return seen;
        }
        let own = match seen_as {
            SeenAs::Type(_) => self.shape_of(ty, member.recursive),
            SeenAs::Foreign(_) => self.shape_or(ty, member.recursive, &seen),
        };
        let (input, output) = if member.custom_input {
            (seen, own)
        } else {
            (own, seen)
        };
        quote!(&__tool::Shape::new(__tool::Kind::InOut { input: #input, output: #output }))
    }

    /// The tree that describes another type, whose own code may read more.
    fn watched_shape(&mut self, seen_as: &SeenAs, marked: bool) -> TokenStream {
        let kind = match seen_as {
            SeenAs::Type(ty) => {
                let shape = self.shape_of(ty, marked);
                quote!(__tool::Kind::Bounded(#shape, __tool::Bounds::NONE))
            }
            SeenAs::Foreign(foreign) => quote!(__tool::Kind::Foreign(#foreign)),
        };
        quote!(&__tool::Shape::new(#kind).watched())
    }

    /// The content of a variant: its own fields, or the JSON of a custom function.
    pub(super) fn content(
        &mut self,
        member: &MemberAttrs,
        own: impl FnOnce(&mut Self) -> TokenStream,
    ) -> TokenStream {
        let Some(seen_as) = &member.seen_as else {
            return own(self);
        };
        let seen = self.watched_shape(seen_as, member.recursive);
        if member.custom_input == member.custom_output {
            return quote!(__tool::Kind::Bounded(#seen, __tool::Bounds::NONE));
        }
        let own = own(self);
        let own = quote!(&__tool::Shape::new(#own));
        let (input, output) = if member.custom_input {
            (seen, own)
        } else {
            (own, seen)
        };
        quote!(__tool::Kind::InOut { input: #input, output: #output })
    }

    /// One row of an object; `None` for a field that is neither read nor written.
    fn field(
        &mut self,
        row: &FieldAttrs<'_>,
        rules: &PerSide<RenameRule>,
        is_struct: bool,
    ) -> Option<TokenStream> {
        let ident = row.field.ident.as_ref()?;
        let member = &row.member;
        if row.is_skipped() {
            return None;
        }
        let names = field_names(member, ident, rules);
        let description = match &member.description {
            Some(words) => words.clone(),
            None => doc::plain(self.cx, &row.field.attrs),
        };
        let shape = self.element(row);
        let input = literal(&names.input);
        let mut tokens = quote!(__tool::Field::new(#input, #description, #shape));
        tokens.extend(written_as(&names));
        tokens.extend(member.aliased(&names.input));
        if let Some(title) = &member.title {
            let title = literal(&title.value);
            tokens.extend(quote!(.titled(#title)));
        }
        if member.custom_input {
            // serde asks a function of the field's own for a value, and never for a missing one.
            tokens.extend(quote!(.always()));
        } else if is_option(match &member.seen_as {
            Some(SeenAs::Type(ty)) => ty,
            Some(SeenAs::Foreign(_)) | None => &row.field.ty,
        }) {
            tokens.extend(quote!(.optional()));
        }
        self.default_is_in_bounds(row, ident);
        tokens.extend(self.default(row, ident, is_struct));
        if let Some(example) = &member.example {
            tokens.extend(quote!(.exemplified(|| __tool::AsJson(#example).__json())));
        }
        if member.flatten {
            self.parts.flattens = true;
            tokens.extend(quote!(.flattened()));
        }
        if member.deprecated {
            tokens.extend(quote!(.deprecated()));
        }
        if member.skip_input {
            tokens.extend(quote!(.not_read()));
        }
        if member.skip_output {
            tokens.extend(quote!(.not_written()));
        } else if member.skip_output_if {
            tokens.extend(quote!(.sometimes_written()));
        }
        Some(tokens)
    }

    /// The description shows the default to a model, which may send it. The runtime checks the default that a function
    /// returns.
    fn default_is_in_bounds(&self, row: &FieldAttrs<'_>, ident: &syn::Ident) {
        let FieldAttrs { field, member } = row;
        if let Some(span) = member.default_of_type
            && member.seen_as.is_none()
            && crate::ty::is_basic(&field.ty)
            && let Some(bound) = member.bounds.refusing_default_of(&field.ty)
        {
            self.cx
                .error_at(span, out_of_bounds(&ident.to_string(), bound));
        }
    }

    /// The default of a field, its own or its struct's.
    fn default(
        &self,
        row: &FieldAttrs<'_>,
        ident: &syn::Ident,
        is_struct: bool,
    ) -> Option<TokenStream> {
        let FieldAttrs { field, member } = row;
        let ty = &field.ty;
        // A custom function may write other JSON than `Serialize`.
        let is_custom = member.seen_as.is_some();
        if member.default.is_none() && !(is_struct && self.container.has_default) {
            return None;
        }
        let made = local("value");
        let value = match (&member.default, &self.container.default) {
            _ if is_custom => None,
            (Some(value), _) => Some(quote!({
                let #made: #ty = #value;
                __tool::AsJson(#made).__json()
            })),
            (None, Some(value)) => Some(quote!({
                let #made: Self = #value;
                __tool::AsJson(&#made.#ident).__json()
            })),
            (None, None) => None,
        };
        let value = value.unwrap_or_else(|| quote!(__tool::None));
        Some(quote!(.defaulted(|| #value)))
    }

    /// The tree of a type that a field has.
    pub(super) fn shape_of(&mut self, ty: &Type, marked: bool) -> TokenStream {
        let ty = &self.cut(ty, marked);
        if let Ok(parsed) = syn::parse2::<Type>(ty.clone())
            && recursive::is_plain(&parsed)
        {
            return quote!(__tool::shape::<#ty>());
        }
        let text = ty.to_string();
        if !self.parts.seen.contains(&text) {
            self.parts.seen.push(text);
            self.parts
                .refs
                .push(quote!(__tool::refs_of(__tool::CompiledSchema::<#ty>::__REFS)));
            self.parts.checks.push(quote_spanned! {ty.span()=>
                let _ = __tool::has_schema::<#ty, _>((&&&__tool::SchemaOf::<#ty>::NEW).__find());
            });
        }
        quote!(__tool::known(__tool::CompiledSchema::<#ty>::__SHAPE, __tool::RuntimeSchema::<#ty>::__SHAPE))
    }

    /// The tree of a field's type, or `otherwise` if the type has no schema.
    fn shape_or(&mut self, ty: &Type, marked: bool, otherwise: &TokenStream) -> TokenStream {
        let ty = self.cut(ty, marked);
        self.parts
            .refs
            .push(quote!(__tool::refs_of(__tool::CompiledSchema::<#ty>::__REFS)));
        quote!(__tool::known_or(__tool::CompiledSchema::<#ty>::__SHAPE, __tool::RuntimeSchema::<#ty>::__SHAPE, #otherwise))
    }

    /// The type without edges back to the type that contains it.
    fn cut(&self, ty: &Type, marked: bool) -> TokenStream {
        if marked {
            recursive::cut_edges(ty)
        } else {
            recursive::direct(ty, &self.input.ident)
        }
    }
}
