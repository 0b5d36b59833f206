//! Schemas that came from elsewhere, in the same form as ours.

use super::definitions::{Body, RenderedDefinition};
use std::borrow::Cow;

use super::{FieldWords, Writer};
use crate::keyword::Keyword;
use crate::read::keywords::{Keywords, text};
use crate::read::{Ordered, Parts, Published, change_references, published};
use crate::shape::{Foreign, Side};

/// Returns the text of a definition, with those that it refers to. Definitions of equal texts are one.
fn source(name: &str, defs: &[(Cow<'static, str>, Ordered)]) -> String {
    let (mut names, mut source) = (vec![name.to_owned()], String::new());
    let mut at = 0;
    while let Some(name) = names.get(at) {
        at += 1;
        let Some((_, body)) = defs.iter().find(|(other, _)| other == name) else {
            continue;
        };
        source.push_str(&body.to_json());
        change_references(&mut body.clone(), &mut |target: &mut Cow<'static, str>| {
            if let Some(name) = target.strip_prefix("#/$defs/")
                && !names.iter().any(|known| known == name)
            {
                names.push(name.to_owned());
            }
        });
    }
    source
}

impl Writer {
    /// A schema that came from elsewhere, in the same form as ours; its definitions move to ours.
    fn moved(&mut self, foreign: &Foreign, nullable: bool, is_root: bool) -> Ordered {
        let value = match self.side {
            Side::Input => (foreign.input)(),
            Side::Output => (foreign.output)(),
        };
        let (mut schema, defs) = published(
            &value,
            Published {
                side: self.side,
                detail: self.detail,
                nullable,
                is_root,
                closes_bare: false,
            },
        );
        let mut renamed: Vec<(String, String)> = Vec::new();
        let mut new = Vec::new();
        let sources: Vec<_> = defs.iter().map(|(name, _)| source(name, &defs)).collect();
        for ((name, body), source) in defs.into_iter().zip(sources) {
            // A type may occur several times.
            let known = self.defs.iter().find(|def| def.source == source);
            if let Some(known) = known {
                renamed.push((name.into_owned(), known.name.clone()));
                continue;
            }
            let free = self.free_name(&name);
            self.defs.push(RenderedDefinition {
                name: free.clone(),
                hash: 0,
                body: Body::Value(Ordered::Null),
                source,
            });
            renamed.push((name.into_owned(), free.clone()));
            new.push((free, body));
        }
        let mut rename = |target: &mut Cow<'static, str>| {
            let name = target.strip_prefix("#/$defs/").unwrap_or_default();
            if let Some((_, new)) = renamed.iter().find(|(old, _)| old == name) {
                *target = format!("#/$defs/{new}").into();
            }
        };
        for (free, mut body) in new {
            change_references(&mut body, &mut rename);
            if let Some(def) = self.defs.iter_mut().find(|def| def.name == free) {
                def.body = Body::Value(body);
            }
        }
        change_references(&mut schema, &mut rename);
        schema
    }

    pub(super) fn foreign(
        &mut self,
        foreign: &Foreign,
        nullable: bool,
        is_root: bool,
        words: &FieldWords<'static>,
    ) {
        let mut keywords = match self.moved(foreign, nullable, is_root) {
            Ordered::Object(entries) => Keywords(entries),
            _ => Keywords::default(),
        };
        if !words.description.is_empty() {
            keywords.set(Keyword::Description, text(words.description.to_owned()));
        }
        for (key, is_own) in [
            (Keyword::Default, words.default.is_some()),
            (Keyword::Examples, words.example.is_some()),
            (Keyword::Deprecated, words.deprecated),
        ] {
            if is_own {
                keywords.take(key);
            }
        }
        self.entries(keywords.into_schema());
        self.words("".into(), words);
    }

    fn entries(&mut self, object: Ordered) {
        if let Ordered::Object(entries) = object {
            for (key, value) in entries {
                self.out.name(&key);
                self.out.value(&value);
            }
        }
    }

    /// Writes the keys of a schema that came from elsewhere in the place of a field. Those that must
    /// be there; `None` if it does not say which keys it has.
    pub(super) fn flattened(&mut self, foreign: &Foreign) -> Option<Vec<String>> {
        let Ordered::Object(entries) = self.moved(foreign, false, true) else {
            return None;
        };
        let mut keywords = Keywords(entries);
        let names = keywords.required().map(str::to_owned).collect();
        let is_closed = keywords.is_closed();
        self.entries(keywords.take(Keyword::Properties)?);
        is_closed.then_some(names)
    }
}
