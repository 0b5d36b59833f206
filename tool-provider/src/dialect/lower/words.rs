//! Text in the description for keywords that a dialect lacks.

use toolwright_json::Decimal;

use super::super::report::NoteKind;
use super::super::rules::{Condition, Formats, Rules, is_pythons};
use super::Lowerer;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::keywords::Keywords;
use toolwright_schema::read::{Ordered, Pair, Parts};
use toolwright_schema::shape::pattern_matches;

/// Answers to whether a dialect takes a keyword.
#[derive(PartialEq, Eq)]
pub(super) enum Support {
    Yes,
    /// Not with this value.
    NotThis,
    No,
}

impl Lowerer<'_> {
    /// The schema, with everything that the dialect cannot express moved to the description.
    pub(super) fn finished(&mut self, mut keywords: Keywords) -> Ordered {
        let told = |(key, value): &Pair| {
            let keyword = Keyword::of(key)?;
            let place = keyword.description_place()?;
            match self.rules.takes(keyword, value, &keywords) {
                Support::Yes => None,
                // Unsupported keywords come first.
                taken => Some((taken == Support::NotThis, place, keyword)),
            }
        };
        let mut told: Vec<_> = keywords.0.iter().filter_map(told).collect();
        told.sort_unstable();
        let mut told: Vec<_> = told.into_iter().map(|(_, _, keyword)| keyword).collect();
        // Without the patterns, a rule for all other keys would hold for theirs.
        let others = Keyword::AdditionalProperties;
        let opens = told.contains(&Keyword::PatternProperties) && keywords.has(others);
        told.extend(opens.then_some(others));
        self.in_words(&mut keywords, &told);
        if opens {
            keywords.set(others, Ordered::Bool(true));
        }
        keywords.into_schema()
    }

    /// Moves keywords from a schema to its description.
    pub(super) fn in_words(&mut self, keywords: &mut Keywords, told: &[Keyword]) {
        let mut words = Vec::new();
        for keyword in told {
            let Some(value) = keywords.take(*keyword) else {
                continue;
            };
            let kind = match said(*keyword, &value) {
                Some(said) => {
                    words.push(said);
                    NoteKind::Demoted
                }
                None => NoteKind::Dropped,
            };
            self.note(kind, keyword.as_str(), &value);
        }
        if !words.is_empty() {
            keywords.append_to_description(&words.join("; "));
        }
    }
}

impl Rules {
    /// Decides if the dialect supports a keyword with this value and these siblings.
    pub(super) fn takes(&self, keyword: Keyword, value: &Ordered, beside: &Keywords) -> Support {
        let yes_if = |fits| {
            if fits { Support::Yes } else { Support::NotThis }
        };
        if keyword == Keyword::Enum {
            let takes = |value: &Ordered| {
                let is_number = matches!(value, Ordered::Number(_));
                self.enumerates(value.as_str(), is_number)
            };
            return yes_if(!matches!(value, Ordered::Array(values) if !values.iter().all(takes)));
        }
        if keyword == Keyword::Format {
            return match self.formats {
                Formats::Any => Support::Yes,
                Formats::Only([]) => Support::No,
                Formats::Only(known) => {
                    yes_if(value.as_str().is_some_and(|name| known.contains(&name)))
                }
            };
        }
        match self.when(keyword) {
            Condition::Always => Support::Yes,
            Condition::Never => Support::No,
            Condition::AtMost(most) => yes_if(value.as_u128().is_some_and(|count| count <= most)),
            Condition::NoLookaround => yes_if(!looks_around(value)),
            Condition::Python => yes_if(are_pythons(value)),
            Condition::PythonNoLookaround => yes_if(are_pythons(value) && !looks_around(value)),
            Condition::SafeInteger => yes_if(is_counted(value)),
            Condition::Regular => yes_if(is_regular(value)),
            Condition::RegularNoProperties => yes_if(is_regular(value) && !has_properties(value)),
            Condition::NoInnerPattern => {
                let pattern = beside.text(Keyword::Pattern).unwrap_or("^$");
                yes_if(pattern.starts_with('^') && pattern.ends_with('$'))
            }
            Condition::NoPatternNorFormat => {
                let taken = |form| {
                    let value = beside.keyword(form);
                    value.is_some_and(|value| self.takes(form, value, beside) == Support::Yes)
                };
                yes_if(!taken(Keyword::Pattern) && !taken(Keyword::Format))
            }
            Condition::NoneOptional => {
                let declared = beside.declared().unwrap_or_default();
                yes_if(declared.iter().all(|(name, _)| beside.requires(name)))
            }
        }
    }
}

/// A keyword as text; `None` if it has no effect.
fn said(keyword: Keyword, value: &Ordered) -> Option<String> {
    match (keyword, value) {
        (Keyword::UniqueItems, Ordered::Bool(true)) => Some("unique items".to_owned()),
        (Keyword::UniqueItems, _) => None,
        (Keyword::Default, Ordered::Null) => None,
        (Keyword::UnevaluatedProperties | Keyword::UnevaluatedItems, _) => None,
        (Keyword::Not, value) => {
            let constant = value.keyword(Keyword::Const);
            let one = constant.or_else(|| value.only_literal());
            Some(format!("not {}", one.unwrap_or(value).to_json()))
        }
        (
            Keyword::Pattern
            | Keyword::Format
            | Keyword::ContentEncoding
            | Keyword::ContentMediaType,
            Ordered::String(text),
        ) => Some(format!("{} {text}", keyword.as_str())),
        (_, value) => Some(format!("{} {}", keyword.as_str(), value.to_json())),
    }
}

/// Up to 2^53, beyond which doubles leave integers out.
fn is_counted(value: &Ordered) -> bool {
    let value = value.as_decimal();
    let (least, most) = ("-9007199254740992", "9007199254740992");
    value.is_none() || (Decimal::of(least) <= value && value <= Decimal::of(most))
}

/// Returns true if a pattern is valid and a regular expression in the strict sense: without look-around, word boundaries and
/// back-references.
fn is_regular(value: &Ordered) -> bool {
    let pattern = value.as_str().unwrap_or_default();
    if looks_around(value) || pattern_matches(pattern, "").is_none() {
        return false;
    }
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            continue;
        }
        match signs.next() {
            // A word boundary, a back-reference or a control character.
            Some('b' | 'B' | '1'..='9' | 'k' | 'c') => return false,
            // Half of a character.
            Some('u') if is_surrogate(signs.as_str()) => return false,
            _ => {}
        }
    }
    true
}

/// Returns true if the digits behind `\u` name half of a character.
fn is_surrogate(digits: &str) -> bool {
    let mut digits = digits.chars().map(|digit| digit.to_ascii_lowercase());
    digits.next() == Some('d') && matches!(digits.next(), Some('8' | '9' | 'a'..='f'))
}

/// Returns true if a pattern names a property of characters, `\p{L}`.
fn has_properties(value: &Ordered) -> bool {
    let mut signs = value.as_str().unwrap_or_default().chars();
    std::iter::from_fn(|| signs.find(|sign| *sign == '\\').and_then(|_| signs.next()))
        .any(|sign| matches!(sign, 'p' | 'P'))
}

/// Returns true if Python compiles a pattern, or each key of `patternProperties`.
fn are_pythons(value: &Ordered) -> bool {
    let keys = || value.entries().iter().all(|(key, _)| is_pythons(key));
    value.as_str().map_or_else(keys, is_pythons)
}

fn looks_around(value: &Ordered) -> bool {
    let pattern = value.as_str().unwrap_or_default();
    ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|sign| pattern.contains(sign))
}
