use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use toolwright::{Context, Toolset};

use crate::changes::{Differences, Numbers};
use crate::{mean, picture, share};

/// Number of tools that are looked at.
const MOST: usize = 10;

/// A question, and the tools that answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchQuestion {
    /// What is searched for, in somebody's words.
    pub question: String,
    /// Names of all tools that the question needs.
    pub expected: Vec<String>,
}

/// How well a search finds the tools that questions need. `Display` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recall {
    /// Share of the expected tools that are the first one found, as the mean of all questions. A question that expects
    /// several tools can reach only a part of it.
    pub recall_at_1: f64,
    /// The same among the first five.
    pub recall_at_5: f64,
    /// The same among the first ten.
    pub recall_at_10: f64,
    /// Mean of `1 / rank` of the first expected tool that is found, 0 if none is.
    pub mean_reciprocal_rank: f64,
    /// Expected names that no tool of the set has.
    pub unknown: Vec<String>,
    /// Each question, with what was found.
    pub searches: Vec<Search>,
}

/// A question and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Search {
    /// The question.
    pub question: String,
    /// Names of the tools that it needs.
    pub expected: Vec<String>,
    /// Names of the first ten tools that were found, the best first.
    pub found: Vec<String>,
}

/// Reads questions from JSON, one on a line: `{"question": "…", "expected": ["name"]}`. Empty lines are left out.
///
/// # Errors
/// Fails at a line that is not a question, with its number.
pub fn questions(lines: &str) -> Result<Vec<SearchQuestion>, String> {
    let lines = (1..).zip(lines.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let read = |(number, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))
    };
    lines.map(read).collect()
}

/// Plays questions against [`Toolset::search`]. Questions that expect no tool are left out.
pub fn recall(tools: &Toolset, questions: &[SearchQuestion]) -> Recall {
    let cx = Context::new();
    let mut recall = recall_by(questions, |question| {
        let found = tools.search(question, MOST, &cx.scope());
        found.iter().map(|it| it.def.name.to_string()).collect()
    });
    let expected = recall.searches.iter().flat_map(|search| &search.expected);
    let unknown: BTreeSet<_> = expected.filter(|name| tools.get(name).is_none()).collect();
    recall.unknown = unknown.into_iter().cloned().collect();
    recall
}

/// Plays questions against another search, or against what a model chose: `find` returns the names, the best first.
/// Names after the tenth are not looked at.
pub fn recall_by(
    questions: &[SearchQuestion],
    mut find: impl FnMut(&str) -> Vec<String>,
) -> Recall {
    let questions = questions.iter().filter(|it| !it.expected.is_empty());
    let searches = questions.map(|SearchQuestion { question, expected }| {
        let mut found = find(question);
        found.truncate(MOST);
        Search {
            question: question.clone(),
            expected: expected.clone(),
            found,
        }
    });
    let searches: Vec<Search> = searches.collect();
    let at = |most| mean(searches.iter().map(|search| search.recall_at(most)));
    Recall {
        recall_at_1: at(1),
        recall_at_5: at(5),
        recall_at_10: at(MOST),
        mean_reciprocal_rank: mean(searches.iter().map(Search::reciprocal_rank)),
        unknown: Vec::new(),
        searches,
    }
}

impl Search {
    /// Returns the rank of a tool, from 1.
    pub fn rank(&self, name: &str) -> Option<usize> {
        let place = self.found.iter().position(|found| found == name);
        place.map(|place| place + 1)
    }

    /// Returns the share of the expected tools that are among the first `most`.
    pub fn recall_at(&self, most: usize) -> f64 {
        let ranks = self.expected.iter().filter_map(|name| self.rank(name));
        share(
            ranks.filter(|rank| *rank <= most).count(),
            self.expected.len(),
        )
    }

    fn reciprocal_rank(&self) -> f64 {
        let ranks = self.expected.iter().filter_map(|name| self.rank(name));
        ranks.min().map_or(0.0, |rank| share(1, rank))
    }

    /// Returns a number that differs if any rank does.
    fn quality(&self) -> f64 {
        let ranks = self.expected.iter().map(|name| self.rank(name));
        mean(ranks.map(|rank| rank.map_or(0.0, |rank| share(1, rank))))
    }
}

impl Recall {
    /// Returns the questions of which an expected tool is not among the first ten.
    pub fn missed(&self) -> impl Iterator<Item = &Search> {
        let searches = self.searches.iter();
        searches.filter(|search| search.recall_at(MOST) < 1.0)
    }

    /// Compares with a later report, question by question.
    pub fn compare(&self, after: &Self) -> Differences {
        let cases = [self, after].map(|report| {
            let searches = report.searches.iter();
            let cases = searches.map(|search| (&*search.question, search.quality()));
            cases.collect()
        });
        Differences::of([self.numbers(), after.numbers()], cases)
    }

    /// Draws a bar for each number, as SVG.
    pub fn to_svg(&self) -> String {
        let title = format!("questions: {}", self.searches.len());
        picture::bars(&title, &self.numbers())
    }

    fn numbers(&self) -> Numbers<'static> {
        vec![
            ("recall at 1", self.recall_at_1),
            ("recall at 5", self.recall_at_5),
            ("recall at 10", self.recall_at_10),
            ("mean reciprocal rank", self.mean_reciprocal_rank),
        ]
    }
}

impl fmt::Display for Recall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "questions: {}", self.searches.len())?;
        for (name, value) in self.numbers() {
            writeln!(f, "{name}: {value:.3}")?;
        }
        for name in &self.unknown {
            writeln!(f, "no tool has the expected name: {name}")?;
        }
        for search in self.missed() {
            let missed = search.expected.iter();
            let missed = missed.filter(|name| search.rank(name).is_none());
            let missed: Vec<&str> = missed.map(String::as_str).collect();
            let found = match search.found.as_slice() {
                [] => "nothing".to_owned(),
                found => found.join(", "),
            };
            let (question, missed) = (&search.question, missed.join(", "));
            writeln!(f, "missed: {question}\n  {missed}; found: {found}")?;
        }
        Ok(())
    }
}
