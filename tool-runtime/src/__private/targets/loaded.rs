//! Limits of one request of a list with deferred tools: of the tools that every request has, and of those that a conversation
//! may have loaded. Whatever a search, a filter or a group loads is a set of at most so many tools, so the largest shares
//! decide.

use super::Inputs;
use super::request::{Measure, Sum, all_accepted};
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::SEARCH_TOOLS;
use toolwright_schema::text::ConstText;
use toolwright_schema::tokens;

/// Default for `at_most`, as in `LoadOptions::at_most`.
pub const MOST_LOADED: usize = 40;

/// Tokens of the definition of `search_tools`, without its groups, at most. A test compares them.
pub(crate) const SEARCH: usize = 140;

/// What a list says of its deferred tools.
#[derive(Debug, Clone, Copy)]
pub struct LoadLimits {
    /// The number of elements that are not deferred; these come first.
    stable: usize,
    at_most: usize,
    /// Tokens that a model is told of the groups, at most.
    told: usize,
}

impl LoadLimits {
    /// Sets all of it. The groups are those with words, `name: words`.
    pub const fn new(stable: usize, at_most: usize, groups: &[&str]) -> Self {
        let mut told = 0;
        let mut rest = groups;
        while let [group, tail @ ..] = rest {
            // A line of a list, in JSON.
            told += tokens::bound(group) + 2;
            rest = tail;
        }
        Self {
            stable,
            at_most,
            told,
        }
    }
}

/// Returns the number of tools in a list.
pub const fn count(list: &[Inputs]) -> usize {
    Measure::Tools.sum(list).total
}

/// What the tools of a list add to a request.
struct Cost<const N: usize> {
    /// Of the tools that every request has.
    stable: usize,
    sum: Sum,
    /// Of the deferred ones, each.
    shares: [(&'static str, usize); N],
    deferred: usize,
    at_most: usize,
}

impl<const N: usize> Cost<N> {
    const fn of(measure: Measure, list: &[Inputs], loads: LoadLimits) -> Self {
        let (stable, deferred) = list.split_at(loads.stable);
        let sum = measure.sum(stable);
        let mut cost = Self {
            stable: sum.total,
            sum,
            shares: [("", 0); N],
            deferred: 0,
            at_most: loads.at_most,
        };
        let mut rest = deferred;
        while let [element, tail @ ..] = rest {
            let (mut tools, listed) = element.tools();
            while let [tool, more @ ..] = tools {
                if let Some(share) = measure.share(tool, listed)
                    && cost.deferred < N
                {
                    cost.put(share);
                }
                tools = more;
            }
            rest = tail;
        }
        cost
    }

    #[allow(clippy::indexing_slicing)] // The caller has counted them.
    const fn put(&mut self, share: (&'static str, usize)) {
        self.shares[self.deferred] = share;
        self.deferred += 1;
    }

    /// Takes the largest share out.
    #[allow(clippy::indexing_slicing)] // Both are within what was put in.
    const fn take_largest(&mut self) -> (&'static str, usize) {
        let (mut at, mut largest) = (0, 0);
        while at < self.deferred {
            if self.shares[at].1 > self.shares[largest].1 {
                largest = at;
            }
            at += 1;
        }
        let taken = self.shares[largest];
        self.deferred -= 1;
        self.shares[largest] = self.shares[self.deferred];
        taken
    }

    /// Adds the largest shares. Returns the number of tools that a request may load with `most` in all.
    const fn add_largest(&mut self, most: usize) -> usize {
        let (mut loaded, mut fitting) = (0, 0);
        while loaded < self.at_most && self.deferred > 0 {
            let (name, share) = self.take_largest();
            self.sum.add(name, share);
            loaded += 1;
            if self.sum.total <= most {
                fitting = loaded;
            }
        }
        fitting
    }

    /// Says what is too much, and what to write instead.
    const fn tell(
        &self,
        [target, what, help]: [&str; 3],
        most: usize,
        fitting: usize,
    ) -> ConstText {
        let mut text = ConstText::new();
        text.push("every request has ");
        text.push_number(self.stable);
        text.push(what);
        text.push(", what a conversation loads adds up to ");
        text.push_number(self.sum.total - self.stable);
        text.push(", and ");
        text.push(target);
        text.push_number(most);
        text.push("; most are in ");
        self.sum.tell(&mut text);
        text.push("\nhelp: ");
        if fitting > 0 {
            text.push("write `at_most: ");
            text.push_number(fitting);
            text.push("`, or ");
        }
        text.push(help);
        text
    }
}

/// Refuses more than a target takes in one request, whatever the conversation has loaded.
///
/// # Panics
/// At the caller's place, with what is too much, the tools that cost most and the `at_most` that would fit.
#[track_caller]
pub const fn fits_loaded<const N: usize>(
    target: Option<Dialect>,
    list: &[Inputs],
    loads: LoadLimits,
) {
    let Some(target) = target else { return };
    let limits = target.request_limits();
    if let Some(most) = limits.tools {
        let (stable, deferred) = list.split_at(loads.stable);
        let (stable, deferred) = (count(stable) + 1, count(deferred));
        let loaded = if deferred < loads.at_most {
            deferred
        } else {
            loads.at_most
        };
        if stable + loaded > most {
            let mut text = ConstText::new();
            text.push("every request has ");
            text.push_number(stable);
            text.push(" tools with `search_tools`, a conversation loads up to ");
            text.push_number(loaded);
            text.push(", and ");
            text.push(target.name());
            text.push(" takes ");
            text.push_number(most);
            text.push(" in one request\nhelp: ");
            if stable < most {
                text.push("write `at_most: ");
                text.push_number(most - stable);
                text.push("`, or ");
            }
            text.push("defer more of the tools");
            panic!("{}", text.as_str());
        }
    }
    if (limits.optional_keys.is_some() || limits.unions.is_some()) && all_accepted(target, list) {
        share::<N>(
            target,
            limits.optional_keys,
            Measure::OptionalKeys(target),
            (list, loads),
            " keys that may be missing",
            "make some of them required",
        );
        share::<N>(
            target,
            limits.unions,
            Measure::Unions(target),
            (list, loads),
            " values of one of several types",
            "use enums without data",
        );
    }
}

#[track_caller]
const fn share<const N: usize>(
    target: Dialect,
    most: Option<usize>,
    measure: Measure,
    (list, loads): (&[Inputs], LoadLimits),
    what: &str,
    help: &str,
) {
    let Some(most) = most else { return };
    let mut cost = Cost::<N>::of(measure, list, loads);
    let fitting = cost.add_largest(most);
    if cost.sum.total <= most {
        return;
    }
    let mut takes = ConstText::new();
    takes.push(target.name());
    takes.push(" takes ");
    let text = cost.tell([takes.as_str(), what, help], most, fitting);
    panic!("{}", text.as_str());
}

/// Refuses a list whose definitions take more tokens than the budget, whatever the conversation has loaded.
///
/// # Panics
/// At the caller's place, with the tokens, the budget, the tools that cost most and the `at_most` that would fit.
#[track_caller]
pub const fn loaded_within_budget<const N: usize>(
    budget: usize,
    list: &[Inputs],
    loads: LoadLimits,
) {
    let mut cost = Cost::<N>::of(Measure::Tokens, list, loads);
    cost.sum.add(SEARCH_TOOLS, SEARCH + loads.told);
    cost.stable = cost.sum.total;
    let fitting = cost.add_largest(budget);
    if cost.sum.total <= budget {
        return;
    }
    let help = "say less in the definitions, or raise the budget";
    let words = ["the budget is ", " tokens of definitions", help];
    let text = cost.tell(words, budget, fitting);
    panic!("{}", text.as_str());
}
