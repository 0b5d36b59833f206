//! A schema that has been found safe to check against.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::draft::Draft;
use super::keyword::get;
use toolwright_schema::keyword::REFERENCES;

/// Target of each reference as a JSON pointer, by the address of the reference's text. The texts stay in place as long
/// as the schema lives.
pub(super) type Targets = HashMap<usize, String>;

/// A schema that has been found safe to check against.
pub(super) struct CheckedSchema {
    pub(super) schema: Value,
    pub(super) draft: Draft,
    targets: Targets,
}

impl CheckedSchema {
    pub(super) fn new(schema: Value, draft: Draft, targets: Targets) -> Self {
        Self {
            schema,
            draft,
            targets,
        }
    }

    /// The schemas that an object of keywords refers to.
    pub(super) fn referred<'s>(
        &'s self,
        schema: &'s Map<String, Value>,
    ) -> impl Iterator<Item = &'s Value> {
        let texts = REFERENCES.into_iter();
        let texts = texts.filter_map(|keyword| get(schema, keyword)?.as_str());
        texts.filter_map(|text| self.schema.pointer(self.targets.get(&address(text))?))
    }
}

pub(super) fn address(text: &str) -> usize {
    text.as_ptr() as usize
}
