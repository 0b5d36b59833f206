//! Schemas that came from elsewhere, in the same form as ours.

use super::definitions::{Body, Definition};
use super::{Words, Writer};
use crate::read::keywords::{Keywords, text};
use crate::read::{Ordered, Published, published, rename_references};
use crate::shape::{Foreign, Side};

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
        for (name, body) in defs {
            let source = body.to_json();
            // The same type may stand in several places.
            let known = self.defs.iter().find(|def| def.source == source);
            if let Some(known) = known {
                renamed.push((name.into_owned(), known.name.clone()));
                continue;
            }
            let free = self.free_name(&name);
            self.defs.push(Definition {
                name: free.clone(),
                hash: 0,
                body: Body::Text(String::new()),
                source,
            });
            renamed.push((name.into_owned(), free.clone()));
            new.push((free, body));
        }
        for (free, mut body) in new {
            rename_references(&mut body, &renamed);
            let text = body.to_json();
            if let Some(def) = self.defs.iter_mut().find(|def| def.name == free) {
                def.body = Body::Text(text);
            }
        }
        rename_references(&mut schema, &renamed);
        schema
    }

    pub(super) fn foreign(
        &mut self,
        foreign: &Foreign,
        nullable: bool,
        is_root: bool,
        words: &Words<'_>,
    ) {
        let mut keywords = match self.moved(foreign, nullable, is_root) {
            Ordered::Object(entries) => Keywords(entries),
            _ => Keywords::default(),
        };
        if !words.description.is_empty() {
            keywords.set("description", text(words.description.to_owned()));
        }
        for (key, is_own) in [
            ("default", words.default.is_some()),
            ("examples", words.example.is_some()),
            ("deprecated", words.deprecated),
        ] {
            if is_own {
                keywords.take(key);
            }
        }
        let text = keywords.into_schema().to_json();
        self.out.push_str(text.strip_suffix('}').unwrap_or("{"));
        self.words("", words);
        self.out.push('}');
    }

    /// Writes the keys of a schema that came from elsewhere in the place of a field. Those that must
    /// be there; `None` if it does not say which keys it has.
    pub(super) fn flattened(&mut self, foreign: &Foreign) -> Option<Vec<String>> {
        let schema = self.moved(foreign, false, true);
        let Some(Ordered::Object(properties)) = schema.get("properties") else {
            return None;
        };
        for (name, value) in properties {
            self.name(name);
            self.out.push_str(&value.to_json());
        }
        let is_closed = schema.get("additionalProperties") == Some(&Ordered::Bool(false));
        let names = match schema.get("required") {
            Some(Ordered::Array(names)) => names
                .iter()
                .filter_map(Ordered::as_str)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        is_closed.then_some(names)
    }
}
