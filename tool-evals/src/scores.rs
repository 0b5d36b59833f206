use std::fmt;

use serde::{Deserialize, Serialize};

use crate::changes::{Differences, Numbers};
use crate::trajectory::{Order, Trajectory, Wanted};
use crate::{mean, picture, share};

/// How near a trajectory is to the wanted calls, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Score {
    /// Share of the calls that are wanted. 1 without calls.
    pub precision: f64,
    /// Share of the wanted calls that were made. 1 if none is wanted.
    pub recall: f64,
    /// Share of the wanted calls that were made in order. 1 if none is wanted.
    pub order: f64,
    /// True if these calls were made in this order, and no others.
    pub exact: bool,
}

/// Scores of many conversations. `Display` prints them.
///
/// ```
/// use toolwright_evals::{Scores, Trajectory, call};
///
/// # let trajectory: Trajectory = serde_json::from_str(
/// #     r#"[{"tool": "find", "arguments": {}, "ok": true}, {"tool": "find", "arguments": {}, "ok": true}]"#
/// # ).unwrap();
/// let mut scores = Scores::new();
/// // The model called `find` twice.
/// scores.add("pay invoice 7", &trajectory, &[call("find"), call("pay")]);
/// assert_eq!(scores.to_string(), "\
/// conversations: 1
/// precision: 0.500
/// recall: 0.500
/// order: 0.500
/// exact: 0.000
/// pay invoice 7: missing `pay`; too many: find
/// ");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scores {
    /// Mean precision.
    pub precision: f64,
    /// Mean recall.
    pub recall: f64,
    /// Mean order.
    pub order: f64,
    /// Share of the conversations that are exact.
    pub exact: f64,
    /// Each conversation.
    pub conversations: Vec<Scored>,
}

/// A conversation and its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scored {
    /// Its name.
    pub name: String,
    /// Its score.
    pub score: Score,
    /// Wanted calls that were not made.
    pub missing: Vec<String>,
    /// Tools of the calls that nobody wanted.
    pub extra: Vec<String>,
}

impl Trajectory {
    /// Compares with wanted calls, as numbers.
    pub fn score(&self, wanted: &[Wanted]) -> Score {
        let made = self.pairs(wanted).into_iter().flatten().count();
        Score {
            precision: share(made, self.calls.len()),
            recall: share(made, wanted.len()),
            order: share(self.in_order(wanted), wanted.len()),
            exact: self.check(Order::Exact, wanted).is_ok(),
        }
    }
}

impl Score {
    /// Returns the mean of precision, recall and order.
    fn quality(&self) -> f64 {
        mean([self.precision, self.recall, self.order])
    }
}

impl Scores {
    /// Creates an empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a conversation. Its name is by which reports are compared, such as the user's first message.
    pub fn add(&mut self, name: impl Into<String>, trajectory: &Trajectory, wanted: &[Wanted]) {
        let pairs = trajectory.pairs(wanted);
        let missing = wanted.iter().zip(&pairs).filter(|(_, step)| step.is_none());
        let steps = trajectory.calls.iter().enumerate();
        let extra = steps.filter(|(place, _)| !pairs.contains(&Some(*place)));
        self.conversations.push(Scored {
            name: name.into(),
            score: trajectory.score(wanted),
            missing: missing.map(|(wanted, _)| wanted.to_string()).collect(),
            extra: extra.map(|(_, step)| step.tool.clone()).collect(),
        });
        let scores = || self.conversations.iter().map(|it| it.score);
        self.precision = mean(scores().map(|it| it.precision));
        self.recall = mean(scores().map(|it| it.recall));
        self.order = mean(scores().map(|it| it.order));
        self.exact = mean(scores().map(|it| f64::from(u8::from(it.exact))));
    }

    /// Compares with a later report, conversation by conversation.
    pub fn compare(&self, after: &Self) -> Differences {
        let cases = [self, after].map(Self::cases);
        Differences::of([self.numbers(), after.numbers()], cases)
    }

    /// Draws a bar for each number and each conversation, as SVG.
    pub fn to_svg(&self) -> String {
        let title = format!("conversations: {}", self.conversations.len());
        let mut bars = self.numbers();
        bars.extend(self.cases());
        picture::bars(&title, &bars)
    }

    fn cases(&self) -> Numbers<'_> {
        let conversations = self.conversations.iter();
        conversations
            .map(|it| (&*it.name, it.score.quality()))
            .collect()
    }

    fn numbers(&self) -> Numbers<'_> {
        vec![
            ("precision", self.precision),
            ("recall", self.recall),
            ("order", self.order),
            ("exact", self.exact),
        ]
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "conversations: {}", self.conversations.len())?;
        for (name, value) in self.numbers() {
            writeln!(f, "{name}: {value:.3}")?;
        }
        let wrong = self.conversations.iter().filter(|it| !it.score.exact);
        for Scored {
            name,
            missing,
            extra,
            ..
        } in wrong
        {
            let faults = match (missing.as_slice(), extra.as_slice()) {
                ([], []) => "in another order".to_owned(),
                (missing, []) => format!("missing {}", missing.join(", ")),
                ([], extra) => format!("too many: {}", extra.join(", ")),
                (missing, extra) => {
                    format!(
                        "missing {}; too many: {}",
                        missing.join(", "),
                        extra.join(", ")
                    )
                }
            };
            writeln!(f, "{name}: {faults}")?;
        }
        Ok(())
    }
}
