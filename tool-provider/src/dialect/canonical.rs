//! The form that lowering starts from: annotations are dropped, with a note, and the names of Rust's numbers are not
//! formats.

use super::report::{LowerError, LowerErrorCode, Note, NoteKind};
use toolwright_schema::keyword::{Keyword, TYPES};
use toolwright_schema::read::canonical::{self, Canonical, CanonicalRules, Meaning, ReadError};
use toolwright_schema::read::keywords::{Keywords, text};
use toolwright_schema::read::{Ordered, Parts, Path, inside_mut, refs};

/// Brings any JSON Schema into the form that lowering starts from.
pub(super) fn canonical(mut root: Ordered, notes: &mut Vec<Note>) -> Result<Canonical, LowerError> {
    drop_vacuous(&mut root);
    // Most schemas refer to nothing.
    let names = if refs::refers(&root) {
        Some(refs::recursive(&root)?)
    } else {
        None
    };
    let mut canonical = canonical::canonical(root, names, true, &mut NotedOutput(notes))?;
    canonical.defs.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(canonical)
}

/// Drops keywords for objects and arrays if the type is another one: they have no effect, and no step would lower their
/// subschemas.
fn drop_vacuous(schema: &mut Ordered) {
    let is_known = |name: &str| TYPES.contains(&name);
    if schema.types().any(is_known) {
        let (is_object, is_array) = (schema.is_of("object"), schema.is_of("array"));
        if let Ordered::Object(entries) = schema {
            entries.retain(|(key, _)| {
                let is_about =
                    |name| Keyword::of(key).is_some_and(|keyword| keyword.applies_to_type(name));
                (is_object || !is_about("object")) && (is_array || !is_about("array"))
            });
        }
    }
    inside_mut(schema, &mut |_, _, inner| drop_vacuous(inner));
}

impl From<ReadError> for LowerError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::TooLarge { at, what } => Self::too_large(at, what),
            ReadError::Unresolved(target) => {
                let reject = Self::new(LowerErrorCode::UnresolvedRef, "/");
                Self {
                    help: format!("{target:?} leads nowhere; {}", reject.help),
                    ..reject
                }
            }
        }
    }
}

/// Key of a format's meaning, until the description is known. No keyword has a space.
const WORDS: &str = "format words";

/// Notes dropped keywords.
struct NotedOutput<'n>(&'n mut Vec<Note>);

impl CanonicalRules for NotedOutput<'_> {
    /// A schema may grow by references to references; a bomb of them grows without end. openai-agents
    /// refuses more than 100,000 nodes too (2026-08).
    const MOST_NODES: usize = 100_000;
    const MOST_LEVELS: usize = 96;

    fn drops(&self, keyword: Keyword) -> bool {
        // The last five are OpenAPI's.
        matches!(
            keyword,
            Keyword::Anchor
                | Keyword::DynamicAnchor
                | Keyword::Vocabulary
                | Keyword::Examples
                | Keyword::Deprecated
                | Keyword::Example
                | Keyword::Discriminator
                | Keyword::ExternalDocs
                | Keyword::Xml
                | Keyword::PropertyOrdering
        )
    }

    fn dropped(&mut self, path: &Path, keyword: &str, value: &Ordered) {
        self.0.push(Note {
            kind: NoteKind::Dropped,
            path: path.at(),
            keyword: keyword.to_owned(),
            value: value.to_json(),
        });
    }

    /// schemars names Rust's types where JSON Schema names formats (schemars 1.2.3).
    fn format(&self, format: &str, out: &mut Keywords) -> bool {
        let words = match format {
            "uint8" | "uint16" | "uint32" | "uint64" | "uint128" | "uint" | "int8" | "int16"
            | "int32" | "int64" | "int128" | "int" | "float" | "double" => return true,
            "ip" => "IPv4 or IPv6 address",
            "partial-time" => "time of day, such as `23:59:59`",
            "partial-date-time" => "date and time without an offset, such as `2026-12-31T23:59:59`",
            _ => return false,
        };
        // The text precedes the field's description, which is not known yet.
        out.set(WORDS, text(words));
        true
    }

    fn implied_type(&self, out: &Keywords) -> Option<&'static str> {
        let decided = [
            Keyword::Type,
            Keyword::Ref,
            Keyword::AnyOf,
            Keyword::AllOf,
            Keyword::Enum,
            Keyword::Not,
            Keyword::If,
        ];
        let is_object = out.has_any(&[Keyword::Properties, Keyword::AdditionalProperties]);
        let is_array = out.has_any(&[Keyword::Items, Keyword::PrefixItems]);
        match (is_object, is_array) {
            _ if out.has_any(&decided) => None,
            (true, false) => Some("object"),
            (false, true) => Some("array"),
            _ => None,
        }
    }

    fn folds(&self, keyword: Option<Keyword>) -> bool {
        matches!(
            keyword,
            Some(Keyword::Type | Keyword::Enum | Keyword::Description)
        )
    }

    /// `Speed. Slow: slow and safe; Fast: no checks`.
    fn described(&self, own: &str, meanings: &[Meaning]) -> String {
        let meanings = meanings.iter();
        let meanings =
            meanings.map(|Meaning { names, words }| format!("{}: {words}", names.join(", ")));
        let meanings = meanings.collect::<Vec<_>>().join("; ");
        let own = own.trim_end();
        match own.chars().last() {
            None => meanings,
            Some('.' | '!' | '?' | ':') => format!("{own} {meanings}"),
            Some(_) => format!("{own}. {meanings}"),
        }
    }

    fn finish(&self, out: &mut Keywords, _is_part: bool) {
        if let Some(words) = out.take_own(WORDS) {
            out.append_to_description(words.as_str().unwrap_or_default());
        }
        // Where no other part evaluates keys, these are the same.
        let evaluating = [
            Keyword::AdditionalProperties,
            Keyword::Ref,
            Keyword::AllOf,
            Keyword::AnyOf,
            Keyword::DependentSchemas,
            Keyword::If,
        ];
        if !out.has_any(&evaluating)
            && let Some(others) = out.take(Keyword::UnevaluatedProperties)
        {
            out.set(Keyword::AdditionalProperties, others);
        }
        let others = [
            Keyword::Properties,
            Keyword::PatternProperties,
            Keyword::PropertyNames,
            Keyword::AnyOf,
            Keyword::AllOf,
            Keyword::Ref,
        ];
        if out.is_of("object") && out.is_closed() && !out.has_any(&others) {
            out.set(Keyword::Properties, Ordered::empty());
        }
    }
}
