//! Targets of references.

use std::collections::HashSet;

use toolwright_schema::read::tree::References;

use super::audit::{Audit, error};
use super::checked::{Targets, address};
use crate::dyn_tool::{SchemaError, SchemaErrorKind as Kind};
use toolwright_schema::decode::fault::say;
use toolwright_schema::text::percent_decoded;

/// Compiling follows references inside each other, and the stack ends: so many schemas may be inside
/// each other if every reference leads on to the next.
const MOST_INSIDE: usize = 1024;

/// A reference that has been met, until all that it may lead to is known.
pub(super) struct Reference<'s> {
    pub(super) from: String,
    pub(super) keyword: &'s str,
    pub(super) text: &'s str,
    /// The schema with an `$id` that it stands in.
    pub(super) resource: String,
}

/// Targets of references.
#[derive(Default)]
pub(super) struct Resolved {
    pub(super) by_text: Targets,
    pub(super) by_place: References,
    /// The target of `$recursiveRef` depends on the path to it.
    pub(super) is_dynamic: bool,
}

impl<'s> Audit<'s> {
    /// Finds where every reference leads, and notes it as a schema for the same value.
    pub(super) fn resolve(&mut self) -> Result<Resolved, SchemaError> {
        let mut resolved = Resolved {
            is_dynamic: self.has_recursive_anchor,
            ..Resolved::default()
        };
        let mut distinct = HashSet::new();
        let height = |at: &str| self.heights.get(at).copied().unwrap_or(1);
        let mut inside = height("");
        for reference in std::mem::take(&mut self.references) {
            let target = self.target(&reference)?;
            if distinct.insert(target.clone()) {
                inside += height(&target);
            }
            if inside > MOST_INSIDE {
                let message = format!(
                    "the schemas that are referred to may stand more than {MOST_INSIDE} inside each \
                     other; describe less"
                );
                return Err(error(Kind::TooMany, "", message));
            }
            let text = address(reference.text);
            resolved.by_text.insert(text, target.clone());
            if !(resolved.is_dynamic && reference.keyword == "$recursiveRef") {
                let at_place = resolved.by_place.entry(reference.from.clone());
                at_place.or_default().push(target.clone());
            }
            if let Some(here) = self.here.get_mut(&reference.from) {
                here.push(target);
            }
        }
        Ok(resolved)
    }

    fn target(&self, reference: &Reference<'s>) -> Result<String, SchemaError> {
        let Reference {
            from,
            keyword,
            text,
            resource,
        } = reference;
        let at = format!("{from}/{keyword}");
        let (document, fragment) = text.split_once('#').unwrap_or((text, ""));
        let base = match document {
            // It would be passed over.
            "" if text.is_empty() => {
                let message = "an empty reference; write `#` for the whole schema";
                return Err(error(Kind::MissingReference, &at, message));
            }
            "" => resource,
            id => self.resources.get(id).ok_or_else(|| {
                let message = format!(
                    "`{}` is not in this document, and nothing is ever fetched; put that schema \
                     under `$defs` and refer to it as `#/$defs/…`",
                    say::shortened(text)
                );
                error(Kind::RemoteReference, &at, message)
            })?,
        };
        let target = if fragment.is_empty() {
            Some(base.clone())
        } else if fragment.starts_with('/') {
            percent_decoded(fragment).map(|pointer| format!("{base}{pointer}"))
        } else {
            self.anchors
                .iter()
                .find_map(|((resource, anchor), target)| {
                    (resource == base && *anchor == fragment).then(|| target.clone())
                })
        };
        target
            .filter(|target| self.here.contains_key(target))
            .ok_or_else(|| {
                let message = format!(
                    "`{}` leads to no schema here; put that schema under `$defs`",
                    say::shortened(text)
                );
                error(Kind::MissingReference, &at, message)
            })
    }
}
