//! Without schemars nothing comes from elsewhere.

use super::{FieldWords, Writer};
use crate::shape::Foreign;

impl Writer {
    pub(super) fn foreign(&mut self, _: &Foreign, _: bool, _: bool, words: &FieldWords<'static>) {
        self.words(words.description.into(), words);
    }

    // It has one in the other build.
    #[allow(clippy::unused_self)]
    pub(super) fn flattened(&mut self, _: &Foreign) -> Option<Vec<String>> {
        None
    }
}
