//! From the tree to JSON Schema text (draft 2020-12).
//!
//! The writer is our own, so that the bytes depend on the tree alone: not on how `serde_json`
//! orders a map in this build.

mod definitions;
mod document;
mod foreign;
mod kinds;
mod sink;
mod words;

use std::borrow::Cow;

use self::definitions::RenderedDefinition;
pub use self::document::SchemaDoc;
use self::sink::SchemaText;
pub(crate) use self::words::{FieldWords, described};
use crate::keyword::Keyword;
use crate::read::{Ordered, read};
use crate::shape::{Alternative, Detail, Id, Key, Kind, Narrowed, Shape, Side, bare, fields};

/// The JSON Schema of a shape.
pub(crate) fn render(shape: &'static Shape<'static>, side: Side, detail: Detail) -> String {
    Writer::new(String::with_capacity(512), shape, side, detail).document(shape)
}

/// The JSON Schema of a shape, as a value.
pub(crate) fn build(shape: &'static Shape<'static>, side: Side, detail: Detail) -> Ordered {
    read(&render(shape, side, detail)).unwrap_or_default()
}

struct Writer {
    out: SchemaText,
    side: Side,
    detail: Detail,
    /// The types that something inside them comes back to.
    recursive: Vec<Id>,
    defs: Vec<RenderedDefinition>,
    /// The keys that must be there, of the objects that are being written.
    required: Vec<Cow<'static, str>>,
}

impl Writer {
    fn new(out: String, shape: &'static Shape<'static>, side: Side, detail: Detail) -> Self {
        Self {
            out: SchemaText(out),
            side,
            detail,
            recursive: crate::shape::targets(shape),
            defs: Vec::new(),
            required: Vec::new(),
        }
    }

    /// A whole schema, with the types that it refers to.
    fn document(mut self, shape: &'static Shape<'static>) -> String {
        self.out.open_object();
        self.keywords(shape, &FieldWords::default(), true);
        self.definitions();
        self.out.close_object();
        self.out.0
    }

    /// One schema. The words of the field that holds it win over the type's own.
    fn schema(&mut self, shape: &'static Shape<'static>, words: &FieldWords<'static>) {
        self.out.open_object();
        self.keywords(shape, words, false);
        self.out.close_object();
    }

    /// The keywords of one schema. `is_root`: a recursive type is inlined, and not referenced.
    fn keywords(
        &mut self,
        shape: &'static Shape<'static>,
        words: &FieldWords<'static>,
        is_root: bool,
    ) {
        let Narrowed {
            kind,
            numbers,
            nullable,
            description,
            title,
            is_secret,
        } = bare(shape, self.side == Side::Output);
        let is_marked = is_secret && self.detail == Detail::Marked;
        if is_marked {
            self.bool(Keyword::WriteOnly, true);
        }
        let first = |own: &'static str, inner| if own.is_empty() { inner } else { own };
        let with_own = FieldWords {
            description: first(words.description, description),
            title: first(words.title, title),
            ..*words
        };
        if let Kind::Foreign(foreign) = kind {
            if is_marked {
                self.out.key(Keyword::AllOf);
                self.out.open_array();
                self.out.element();
                self.out.open_object();
            }
            self.foreign(&foreign, nullable, is_root && !is_marked, &with_own);
            if is_marked {
                self.out.close_object();
                self.out.close_array();
            }
            return;
        }
        let target = match kind {
            Kind::Recursive(back) => Some((back.id, back.shape())),
            _ if is_root => None,
            _ => self.recursive_layer(shape).map(|layer| (layer.id, layer)),
        };
        if let Some((id, target)) = target {
            self.reference(id, target, nullable);
            self.words(words.description.into(), words);
            return;
        }
        let is_output = self.side == Side::Output;
        // Most objects have their own keys and no others.
        let own_keys = match kind {
            Kind::Object(object) if !object.fields.iter().any(|one| one.flatten) => Some(object),
            _ => None,
        };
        let ways = match kind {
            Kind::Object(_) if own_keys.is_none() => fields::alternatives(&kind, is_output),
            _ => Vec::new(),
        };
        match ways.as_slice() {
            [] if own_keys.is_none() => self.kind(&kind, nullable),
            [] | [_] => self.type_name("object", nullable),
            _ => {}
        }
        let description = described(with_own.description, &kind, &numbers);
        self.words(description, &with_own);
        // The keys follow the description, which is most useful first.
        if let Some(object) = own_keys {
            let keys = object.fields.iter();
            let keys = keys.filter_map(|field| Key::of(field, is_output));
            self.keys(keys, None, object.open);
        }
        match ways.as_slice() {
            [] => {}
            [one] => self.keys(one.keys.iter().copied(), one.rest, one.open),
            many => self.either(many, nullable),
        }
    }

    fn bool(&mut self, keyword: Keyword, value: bool) {
        self.out.key(keyword);
        self.out.bool(value);
    }

    fn string(&mut self, keyword: Keyword, text: impl Into<Cow<'static, str>>) {
        self.out.key(keyword);
        self.out.string(&text.into());
    }

    /// A keyword that counts.
    fn count(&mut self, keyword: Keyword, count: u64) {
        self.out.key(keyword);
        self.out.integer(false, count.into());
    }

    /// A keyword whose value comes as text.
    fn json(&mut self, keyword: Keyword, text: &str) {
        self.out.key(keyword);
        self.out.json(text);
    }

    /// A list of strings, and `null` among them.
    fn strings(
        &mut self,
        keyword: Keyword,
        texts: impl IntoIterator<Item = Cow<'static, str>>,
        nullable: bool,
    ) {
        self.out.key(keyword);
        self.out.open_array();
        for text in texts {
            self.out.element();
            self.out.string(&text);
        }
        if nullable {
            self.out.element();
            self.out.json("null");
        }
        self.out.close_array();
    }

    fn type_name(&mut self, name: &'static str, nullable: bool) {
        if nullable {
            self.strings(Keyword::Type, [name.into(), "null".into()], false);
        } else {
            self.string(Keyword::Type, name);
        }
    }

    /// A union, whose members `members` writes.
    fn any_of(&mut self, nullable: bool, members: impl FnOnce(&mut Self)) {
        self.out.key(Keyword::AnyOf);
        self.out.open_array();
        members(self);
        if nullable {
            self.out.element();
            self.out.open_object();
            self.type_name("null", false);
            self.out.close_object();
        }
        self.out.close_array();
    }

    /// An object that may be in several ways.
    fn either(&mut self, ways: &[Alternative<'static>], nullable: bool) {
        self.any_of(nullable, |this| {
            for one in ways {
                this.out.element();
                this.out.open_object();
                this.type_name("object", false);
                this.keys(one.keys.iter().copied(), one.rest, one.open);
                this.out.close_object();
            }
        });
    }

    /// Closes an object that is read. One that is written may get more keys later, and readers pass over them.
    fn closed(&mut self) {
        if self.side == Side::Input {
            self.bool(Keyword::AdditionalProperties, false);
        }
    }

    fn keys(
        &mut self,
        keys: impl Iterator<Item = Key<'static>>,
        rest: Option<&'static Shape<'static>>,
        mut is_open: bool,
    ) {
        self.out.key(Keyword::Properties);
        self.out.open_object();
        let mark = self.required.len();
        for Key {
            name,
            field,
            required,
            ..
        } in keys
        {
            if field.flatten
                && let Kind::Foreign(foreign) = bare(field.shape, self.side == Side::Output).kind
            {
                let names = self.flattened(&foreign);
                is_open |= names.is_none();
                if required {
                    let names = names.into_iter().flatten();
                    self.required.extend(names.map(Cow::Owned));
                }
                continue;
            }
            if required {
                self.required.push(Cow::Borrowed(name));
            }
            self.out.name(name);
            let words = FieldWords::of(field);
            self.schema(
                field.shape,
                &FieldWords {
                    default: words.default.filter(|_| self.side == Side::Input),
                    ..words
                },
            );
        }
        self.out.close_object();
        if self.required.len() > mark {
            let mut names = std::mem::take(&mut self.required);
            self.strings(Keyword::Required, names.drain(mark..), false);
            self.required = names;
        }
        match rest {
            Some(values) => {
                self.out.key(Keyword::AdditionalProperties);
                self.schema(values, &FieldWords::default());
            }
            None if is_open => {}
            None => self.closed(),
        }
    }
}
