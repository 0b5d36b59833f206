//! Values that are sent as strings of JSON.

use super::super::inverse::{Op, Step};
use super::super::report::{LowerErrorCode, NoteKind};
use super::{Lowerer, NullPresence, SchemaPath};
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::Ordered;
use toolwright_schema::read::keywords::{Keywords, text};
use toolwright_schema::read::refs::refers;

/// Longest schema, in bytes of JSON, that the description of its string repeats.
const LONGEST_WORDS: usize = 600;

impl LowerErrorCode {
    /// Returns true if a value is sent as a string of JSON where this rule refuses its schema.
    pub(in super::super) const fn is_sent_as_text(self) -> bool {
        matches!(
            self,
            Self::UntypedSchema
                | Self::UntypedArray
                | Self::OpenObject
                | Self::ObjectWithUnion
                | Self::NestedEmptyObject
                | Self::UnionFirstKey
                | Self::RecursiveType
                | Self::RecursiveRequired
        )
    }
}

impl Lowerer<'_> {
    /// A string that holds the JSON of a value.
    pub(super) fn text(
        &mut self,
        schema: &Ordered,
        spot: SchemaPath,
        code: LowerErrorCode,
    ) -> Ordered {
        self.note(NoteKind::AsText, code.as_str(), schema);
        let mark = self.steps.len();
        let is_nullable = spot.null == NullPresence::Always;
        if is_nullable {
            let step = Step {
                op: Op::NullIsAbsent,
                at: self.path.at(),
            };
            if self.steps.last() != Some(&step) {
                self.steps.push(step);
            }
        }
        self.steps.push(Step {
            op: Op::TextToJson,
            at: self.path.at(),
        });
        let mut shown = Keywords(schema.entries().to_vec());
        let mut out = Keywords::of([(Keyword::Type, text("string"))]);
        if let Some(words) = shown.take(Keyword::Description) {
            out.set(Keyword::Description, words);
        }
        if refers(schema) {
            shown.set(Keyword::Defs, Ordered::Object(self.canonical.defs.clone()));
        }
        let shown = shown.into_schema().to_json();
        out.append_to_description(&match shown.len() {
            3..=LONGEST_WORDS => format!("a string of JSON: {shown}"),
            _ => "a string of JSON".to_owned(),
        });
        let value = self.finished(out);
        if is_nullable {
            self.or_null(value, mark)
        } else {
            value
        }
    }
}
