//! What a change of a schema means to those who make calls.

use std::fmt;

use super::finding::Findings;
use super::relation::{Answer, Question};
use crate::render::SchemaDoc;
use crate::text::ConstText;

/// What a change means. The later, the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Nothing changed.
    Same,
    /// Words or the order changed: the same values are admitted.
    Patch,
    /// All that was admitted still is, and something new is.
    Minor,
    /// Nobody knows whether something is refused that was admitted. Take it as `Major`.
    Undecided,
    /// Something is refused that was admitted.
    Major,
}

impl Verdict {
    /// Returns the verdict's name: `"same"`, `"patch"`, `"minor"`, `"undecided"` or `"major"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Undecided => "undecided",
            Self::Major => "major",
        }
    }

    /// Returns true if calls that were written before may be refused.
    pub const fn breaks(self) -> bool {
        matches!(self, Self::Undecided | Self::Major)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A comparison of two schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// What the change means.
    pub verdict: Verdict,
    /// The reasons, a sentence each; none for `Same`.
    pub reasons: Vec<String>,
    /// The JSON of a value that the old schema admits and the new one refuses, where one was found.
    pub witness: Option<String>,
}

impl Comparison {
    /// A change that is told in words.
    pub fn said(verdict: Verdict, words: &str) -> Self {
        Self {
            verdict,
            reasons: vec![words.to_owned()],
            witness: None,
        }
    }
}

/// Compares two schemas of arguments.
///
/// `Same`, `Patch` and `Minor` are proofs: every object that the old schema admits is admitted by the new one. Keys that
/// an object neither names nor mentions in `additionalProperties` are nobody's: an optional argument of
/// such a name is `Minor`.
///
/// ```
/// use toolwright::lock::{Verdict, compare};
/// use toolwright::schema::SchemaDoc;
///
/// let old = SchemaDoc::parse(r#"{"type": "integer", "minimum": 0}"#)?;
/// let new = SchemaDoc::parse(r#"{"type": "integer", "minimum": 1}"#)?;
/// let comparison = compare(&old, &new);
/// assert_eq!(comparison.verdict, Verdict::Major);
/// assert_eq!(comparison.witness.as_deref(), Some("0"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn compare(old: &SchemaDoc, new: &SchemaDoc) -> Comparison {
    compared(old.as_json(), new.as_json(), false, &[])
}

/// Compares two schemas of results: a reader of the old one must be able to read the new ones.
pub fn compare_output(old: &SchemaDoc, new: &SchemaDoc) -> Comparison {
    compared(old.as_json(), new.as_json(), true, &[])
}

/// Compares two texts; `renamed` has the names of arguments, old and new.
pub fn compared(
    old: &str,
    new: &str,
    is_output: bool,
    renamed: &[(&'static str, &'static str)],
) -> Comparison {
    if old == new {
        return Comparison {
            verdict: Verdict::Same,
            reasons: Vec::new(),
            witness: None,
        };
    }
    let (from, by) = if is_output { (new, old) } else { (old, new) };
    let question = Question {
        from: from.as_bytes(),
        by: by.as_bytes(),
        is_output,
        renamed,
    };
    let mut found = Findings::NONE;
    let answer = question.answer(&mut found);
    let reasons = |found: &Findings<'_>| -> Vec<String> {
        found
            .iter()
            .map(|finding| {
                let mut text = ConstText::new();
                finding.write(&mut text, is_output);
                text.as_str().to_owned()
            })
            .collect()
    };
    if answer != Answer::Yes {
        // Renamed arguments are other values on both sides; readers of results are not asked by examples.
        let witness = (renamed.is_empty() && !is_output)
            .then(|| question.witness())
            .flatten();
        let verdict = if witness.is_some() || answer == Answer::No {
            Verdict::Major
        } else {
            Verdict::Undecided
        };
        return Comparison {
            verdict,
            reasons: reasons(&found),
            witness,
        };
    }
    let back = Question {
        from: by.as_bytes(),
        by: from.as_bytes(),
        is_output: false,
        renamed: &[],
    };
    let mut found = Findings::NONE;
    if renamed.is_empty() && back.answer(&mut found) == Answer::Yes {
        return Comparison {
            verdict: Verdict::Patch,
            reasons: vec!["words or the order changed".to_owned()],
            witness: None,
        };
    }
    let mut new: Vec<String> = found
        .iter()
        .map(|finding| {
            let mut text = ConstText::new();
            finding.write_wider(&mut text);
            text.as_str().to_owned()
        })
        .collect();
    if new.is_empty() {
        new.push("arguments have other names".to_owned());
    }
    Comparison {
        verdict: Verdict::Minor,
        reasons: new,
        witness: None,
    }
}
