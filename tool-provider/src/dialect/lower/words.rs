//! What a dialect has no word for, told in the description.

use toolwright_json::Decimal;

use super::super::reject::NoteKind;
use super::super::rules::{Formats, Rules, When};
use super::Pass;
use toolwright_schema::read::keywords::{Keywords, place_in_words};
use toolwright_schema::read::{Ordered, Pair};

/// Whether a dialect takes a keyword.
#[derive(PartialEq, Eq)]
pub(super) enum Taken {
    Yes,
    /// Not with this value.
    NotThis,
    No,
}

impl Pass<'_> {
    /// The schema, once all that the dialect has no word for is told otherwise.
    pub(super) fn finished(&mut self, mut keywords: Keywords) -> Ordered {
        let told = |(key, value): &Pair| {
            let place = place_in_words(key)?;
            match self.rules.takes(key, value, &keywords) {
                Taken::Yes => None,
                // What it never takes is told first.
                taken => Some((taken == Taken::NotThis, place, key.clone())),
            }
        };
        let mut told: Vec<_> = keywords.0.iter().filter_map(told).collect();
        told.sort_unstable();
        let mut words = Vec::new();
        for (_, _, keyword) in told {
            let Some(value) = keywords.take(&keyword) else {
                continue;
            };
            let kind = match said(&keyword, &value) {
                Some(said) => {
                    words.push(said);
                    NoteKind::Demoted
                }
                None => NoteKind::Dropped,
            };
            self.note(kind, &keyword, &value);
        }
        if !words.is_empty() {
            keywords.tell(&words.join("; "));
        }
        keywords.into_schema()
    }

    /// Whether a dialect has a word for what keys that fit a pattern hold.
    pub(super) fn takes_patterns(&self, patterns: &Ordered) -> bool {
        self.rules
            .takes("patternProperties", patterns, &Keywords::default())
            == Taken::Yes
    }
}

impl Rules {
    /// Whether a keyword is taken with a value, beside others.
    pub(super) fn takes(&self, keyword: &str, value: &Ordered, beside: &Keywords) -> Taken {
        let yes_if = |fits| if fits { Taken::Yes } else { Taken::NotThis };
        if keyword == "enum" {
            let takes = |value: &Ordered| {
                let is_number = matches!(value, Ordered::Number(_));
                self.enumerates(value.as_str().is_some(), is_number)
            };
            return yes_if(!matches!(value, Ordered::Array(values) if !values.iter().all(takes)));
        }
        if keyword == "format" {
            return match self.formats {
                Formats::Any => Taken::Yes,
                Formats::Only([]) => Taken::No,
                Formats::Only(known) => {
                    yes_if(value.as_str().is_some_and(|name| known.contains(&name)))
                }
            };
        }
        match self.when(keyword) {
            When::Always => Taken::Yes,
            When::Never => Taken::No,
            When::ConcurrencyLimit(most) => {
                yes_if(value.as_u128().is_some_and(|count| count <= most))
            }
            When::NoLookaround => yes_if(!looks_around(value)),
            When::Counted => yes_if(is_counted(value)),
            When::Regular => yes_if(is_regular(value)),
            When::NoForm => {
                let taken = |form| {
                    let value = beside.get(form);
                    value.is_some_and(|value| self.takes(form, value, beside) == Taken::Yes)
                };
                yes_if(!taken("pattern") && !taken("format"))
            }
            When::NoneOptional => {
                let declared = beside.entries("properties").unwrap_or_default();
                yes_if(declared.iter().all(|(name, _)| beside.requires(name)))
            }
        }
    }
}

/// A keyword in words; nothing where it says nothing.
fn said(keyword: &str, value: &Ordered) -> Option<String> {
    match (keyword, value) {
        ("uniqueItems", Ordered::Bool(true)) => Some("unique items".to_owned()),
        ("uniqueItems", _) => None,
        ("default", Ordered::Null) => None,
        ("unevaluatedProperties" | "unevaluatedItems", _) => None,
        ("not", value) => {
            let one = match (value.get("const"), value.get("enum")) {
                (Some(one), _) => Some(one),
                (None, Some(Ordered::Array(values))) => match values.as_slice() {
                    [one] => Some(one),
                    _ => None,
                },
                _ => None,
            };
            Some(format!("not {}", one.unwrap_or(value).to_json()))
        }
        ("pattern" | "format" | "contentEncoding" | "contentMediaType", Ordered::String(text)) => {
            Some(format!("{keyword} {text}"))
        }
        (_, value) => Some(format!("{keyword} {}", value.to_json())),
    }
}

/// Up to 2^53, beyond which doubles leave integers out.
fn is_counted(value: &Ordered) -> bool {
    let value = value.as_decimal();
    let (least, most) = ("-9007199254740992", "9007199254740992");
    value.is_none() || (Decimal::of(least) <= value && value <= Decimal::of(most))
}

/// Whether a pattern says nothing of what stands around, and nothing of what stood before.
fn is_regular(value: &Ordered) -> bool {
    if looks_around(value) {
        return false;
    }
    let mut signs = value.as_str().unwrap_or_default().chars();
    while let Some(sign) = signs.next() {
        // A word's edge, what a group held, a control character.
        if sign == '\\'
            && let Some('b' | 'B' | '1'..='9' | 'k' | 'c') = signs.next()
        {
            return false;
        }
    }
    true
}

fn looks_around(value: &Ordered) -> bool {
    let pattern = value.as_str().unwrap_or_default();
    ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|sign| pattern.contains(sign))
}
