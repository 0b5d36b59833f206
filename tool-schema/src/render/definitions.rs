//! Types under `$defs`: those that are recursive.

use super::{FieldWords, Writer};
use crate::keyword::Keyword;
use crate::read::Ordered;
use crate::read::refs::definition_name;
use crate::shape::{Id, Kind, Shape, Side, Union};

/// A type under `$defs`, by its name there. Only foreign schemas have texts.
// Only foreign schemas bring texts.
pub(super) struct RenderedDefinition {
    pub(super) name: String,
    /// Its identity, if it is one of ours.
    pub(super) hash: u64,
    pub(super) body: Body,
    /// The text that came from elsewhere.
    pub(super) source: String,
}

#[derive(Clone)]
pub(super) enum Body {
    Shape(&'static Shape<'static>),
    Value(Ordered),
}

impl Writer {
    /// The outermost layer of a shape that something inside it comes back to.
    pub(super) fn recursive_layer(
        &self,
        mut shape: &'static Shape<'static>,
    ) -> Option<&'static Shape<'static>> {
        loop {
            if self.recursive.contains(&shape.id) {
                return Some(shape);
            }
            shape = match shape.kind {
                Kind::Nullable(inner) | Kind::Bounded(inner, _) => inner,
                Kind::Union(Union { members: [one], .. }) => one,
                Kind::InOut { input, output } => match self.side {
                    Side::Input => input,
                    Side::Output => output,
                },
                _ => return None,
            };
        }
    }

    pub(super) fn reference(&mut self, id: Id, target: &'static Shape<'static>, nullable: bool) {
        let target = format!("#/$defs/{}", self.defined(id, target));
        if nullable {
            self.any_of(true, |this| {
                this.out.element();
                this.out.open_object();
                this.string(Keyword::Ref, target);
                this.out.close_object();
            });
        } else {
            self.string(Keyword::Ref, target);
        }
    }

    /// The name of a type under `$defs`.
    fn defined(&mut self, id: Id, shape: &'static Shape<'static>) -> String {
        if let Some(known) = self.defs.iter().find(|def| def.hash == id.hash) {
            return known.name.clone();
        }
        let name = self.free_name(id.name);
        self.defs.push(RenderedDefinition {
            name: name.clone(),
            hash: id.hash,
            body: Body::Shape(shape),
            source: String::new(),
        });
        name
    }

    /// Returns a portable name that no other definition has.
    pub(super) fn free_name(&self, name: &str) -> String {
        definition_name(name, |name| self.defs.iter().any(|def| def.name == name))
    }

    /// The types that something comes back to; writing one may bring others.
    pub(super) fn definitions(&mut self) {
        if self.defs.is_empty() {
            return;
        }
        self.out.key(Keyword::Defs);
        self.out.open_object();
        let mut written = 0;
        while let Some(def) = self.defs.get(written) {
            let (name, body) = (def.name.clone(), def.body.clone());
            self.out.name(&name);
            match body {
                Body::Shape(shape) => {
                    self.out.open_object();
                    self.keywords(shape, &FieldWords::default(), true);
                    self.out.close_object();
                }
                Body::Value(value) => self.out.value(&value),
            }
            written += 1;
        }
        self.out.close_object();
    }
}
