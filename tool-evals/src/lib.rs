//! How well tools are chosen, as numbers: so that a change of a description is one.
//!
//! [`recall`] plays questions against the search of a toolset. A [`Trajectory`] is what a model called in a conversation,
//! by the events of a trace; it is asserted, or scored against what was wanted. Both reports are text (`Display`), JSON
//! (`serde`) and a picture (`to_svg`), and compare themselves with one that was stored before.
//!
//! ```
//! use toolwright::{tool, tools};
//! use toolwright_evals as evals;
//!
//! /// Tells the weather of a city.
//! #[tool]
//! fn forecast(city: String) -> String {
//!     format!("{city}: sun")
//! }
//!
//! /// Counts words.
//! #[tool]
//! fn count(text: &str) -> usize {
//!     text.split_whitespace().count()
//! }
//!
//! let questions = evals::questions(r#"
//!     {"question": "how is the weather?", "expected": ["forecast"]}
//!     {"question": "do I need a coat?", "expected": ["forecast"]}
//! "#).unwrap();
//! let before = evals::recall(&tools![forecast, count], &questions);
//! assert_eq!(before.recall_at_1, 0.5);
//! assert_eq!(before.missed().next().unwrap().question, "do I need a coat?");
//!
//! /// Tells the weather of a city: rain, and whether one needs a coat.
//! #[tool(name = "forecast")]
//! fn better(city: String) -> String {
//!     forecast(city)
//! }
//!
//! let after = evals::recall(&tools![better, count], &questions);
//! let changes = before.compare(&after);
//! assert_eq!(changes.better[0].name, "do I need a coat?");
//! assert!(changes.worse.is_empty());
//! ```

mod changes;
mod picture;
mod recall;
mod scores;
mod trajectory;

pub use self::changes::{Change, Differences};
pub use self::recall::{Recall, Search, SearchQuestion, questions, recall, recall_by};
pub use self::scores::{Score, Scored, Scores};
pub use self::trajectory::{MadeCall, Order, Trajectory, Wanted, call};

/// A part of a whole. Of nothing, all of it is there.
fn share(part: usize, whole: usize) -> f64 {
    let count = |number| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    if whole == 0 {
        1.0
    } else {
        count(part) / count(whole)
    }
}

/// The mean; 0 of nothing.
fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}
