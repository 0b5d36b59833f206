//! Writes the words of a schema: titles, descriptions, defaults and examples.

use std::borrow::Cow;

use super::Writer;
use crate::decode::{refusal, written};
use crate::keyword::Keyword;
use crate::read::keywords::with_words;
use crate::shape::{Edge, Field, Kind, NumberRange, Shape, Variant};

/// Title, description, default and example of a field.
#[derive(Default, Clone, Copy)]
pub(crate) struct FieldWords<'f> {
    pub(crate) description: &'f str,
    pub(crate) title: &'f str,
    pub(crate) deprecated: bool,
    pub(crate) default: Option<fn() -> Option<String>>,
    pub(crate) example: Option<fn() -> Option<String>>,
    /// Shape of the default and of the example.
    pub(crate) shape: Option<&'f Shape<'f>>,
}

impl FieldWords<'static> {
    /// Returns the words of a field that is read.
    pub(crate) fn of(field: &'static Field<'static>) -> Self {
        Self {
            description: field.description,
            title: field.title,
            deprecated: field.deprecated,
            default: field.public_default(),
            example: field.example,
            shape: Some(field.shape),
        }
    }
}

impl Writer {
    pub(super) fn words(&mut self, description: Cow<'static, str>, words: &FieldWords<'static>) {
        if !words.title.is_empty() {
            self.string(Keyword::Title, words.title);
        }
        if !description.is_empty() {
            self.string(Keyword::Description, description);
        }
        if words.deprecated {
            self.bool(Keyword::Deprecated, true);
        }
        let Some(shape) = words.shape else { return };
        if let Some(json) = words.default.and_then(|json| written(shape, json))
            // A default that its bounds refuse is left out: a model would copy it. `Toolset::check` reports it.
            && refusal(shape, &json).is_none()
        {
            self.json(Keyword::Default, &json);
        }
        if let Some(json) = words.example.and_then(|json| written(shape, json)) {
            self.json(Keyword::Examples, &format!("[{json}]"));
        }
    }
}

/// Returns the description, with the meanings of an enum's strings folded in. Some providers refuse
/// a schema that has them beside each string (`oneOf` of `const`s).
pub(crate) fn described<'w>(
    words: &'w str,
    kind: &Kind<'_>,
    numbers: &NumberRange<'_>,
) -> Cow<'w, str> {
    let variants = match kind {
        Kind::Enum(variants) => documented(variants),
        // No keyword bounds a number that is a string.
        Kind::String(rules) if rules.is_number && !numbers.is_any() => {
            return with_words(words, &range(numbers)).into();
        }
        _ => String::new(),
    };
    match (words.is_empty(), variants.is_empty()) {
        (_, true) => Cow::Borrowed(words),
        (true, false) => Cow::Owned(variants),
        (false, false) => Cow::Owned(format!("{words}\n{variants}")),
    }
}

/// Words for the bounds of a number, as a dialect that lacks their keywords has them.
fn range(numbers: &NumberRange<'_>) -> String {
    let edge = |edge: Option<Edge<'_>>, inclusive: Keyword, exclusive: Keyword| {
        let edge = edge?;
        let keyword = if edge.exclusive { exclusive } else { inclusive };
        Some(format!("{} {}", keyword.as_str(), edge.at.text))
    };
    let multiple = numbers.multiple_of;
    let words = [
        edge(numbers.min, Keyword::Minimum, Keyword::ExclusiveMinimum),
        edge(numbers.max, Keyword::Maximum, Keyword::ExclusiveMaximum),
        multiple.map(|of| format!("{} {}", Keyword::MultipleOf.as_str(), of.text)),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn documented(variants: &[Variant<'_>]) -> String {
    let lines = variants
        .iter()
        .filter(|variant| !variant.description.is_empty())
        .map(|variant| {
            let words: Vec<_> = variant.description.split_whitespace().collect();
            format!("- `{}`: {}", variant.name, words.join(" "))
        });
    lines.collect::<Vec<_>>().join("\n")
}
