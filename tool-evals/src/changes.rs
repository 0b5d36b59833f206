use std::collections::{HashMap, VecDeque};
use std::fmt;

use serde::{Deserialize, Serialize};

/// What differs between two reports of the same questions or conversations. `Display` prints a line for each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Differences {
    /// Numbers of the whole report that differ.
    pub numbers: Vec<Change>,
    /// Questions or conversations that got better.
    pub better: Vec<Change>,
    /// Those that got worse.
    pub worse: Vec<Change>,
    /// Those of the first report alone.
    pub only_before: Vec<String>,
    /// Those of the second report alone.
    pub only_after: Vec<String>,
}

/// A number in two reports. Of a question it is the mean of `1 / rank`, of a conversation the mean of its scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// Name of the number, the question or the conversation.
    pub name: String,
    /// Its value in the first report.
    pub before: f64,
    /// Its value in the second report.
    pub after: f64,
}

/// Numbers by name, in order. Equal names belong together in order.
pub(super) type Numbers<'r> = Vec<(&'r str, f64)>;

impl Differences {
    pub(super) fn of(numbers: [Numbers<'_>; 2], cases: [Numbers<'_>; 2]) -> Self {
        let mut changes = Self::default();
        let [before, after] = numbers;
        let pairs = before.into_iter().zip(after);
        let pairs = pairs.map(|((name, before), (_, after))| Change::new(name, before, after));
        changes.numbers = pairs.filter(Change::differs).collect();

        let [before, after] = cases;
        let mut left: HashMap<&str, VecDeque<f64>> = HashMap::new();
        for (name, value) in &after {
            left.entry(name).or_default().push_back(*value);
        }
        for (name, before) in before {
            match left.get_mut(name).and_then(VecDeque::pop_front) {
                Some(after) if after > before => {
                    changes.better.push(Change::new(name, before, after));
                }
                Some(after) if after < before => {
                    changes.worse.push(Change::new(name, before, after));
                }
                Some(_) => {}
                None => changes.only_before.push(name.to_owned()),
            }
        }
        // What is left of equal names are the last ones.
        for (name, _) in after.iter().rev() {
            if left.get_mut(name).and_then(VecDeque::pop_back).is_some() {
                changes.only_after.push((*name).to_owned());
            }
        }
        changes.only_after.reverse();
        changes
    }

    /// Returns true if nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Change {
    fn new(name: &str, before: f64, after: f64) -> Self {
        Self {
            name: name.to_owned(),
            before,
            after,
        }
    }

    fn differs(&self) -> bool {
        self.before.total_cmp(&self.after).is_ne()
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.3} -> {:.3}", self.name, self.before, self.after)
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing has changed\n");
        }
        for change in &self.numbers {
            writeln!(f, "{change}")?;
        }
        for (what, changes) in [("worse", &self.worse), ("better", &self.better)] {
            for change in changes {
                writeln!(f, "{what}: {change}")?;
            }
        }
        for (what, names) in [("gone", &self.only_before), ("new", &self.only_after)] {
            for name in names {
                writeln!(f, "{what}: {name}")?;
            }
        }
        Ok(())
    }
}
