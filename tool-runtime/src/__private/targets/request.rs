//! Limits of one request, checked against a list: against the tools of every request, and those that a conversation may
//! have loaded. A search, a filter or a group loads a limited number of tools, so the largest shares decide.

use super::{Descriptor, Inputs, NameOverride, called};
use toolwright_provider::dialect::{Acceptance, Dialect, Size};
use toolwright_provider::wire::SEARCH_TOOLS;
use toolwright_schema::text::ConstText;
use toolwright_schema::tokens;

/// Default for `at_most`, as in `LoadOptions::at_most`.
pub const MOST_LOADED: usize = 40;

/// Tokens of the definition of `search_tools`, without its groups, at most. A test compares them.
const SEARCH: usize = 140;

/// Number of tools that are named as those that cost most.
const NAMED: usize = 3;

/// Quantities that are counted of a tool.
#[derive(Clone, Copy)]
enum Measure {
    Tools,
    OptionalKeys(Dialect),
    Unions(Dialect),
    /// Tokens of the definition, at most.
    Tokens,
}

/// Total of all tools of a list, and those that cost most.
#[derive(Clone, Copy)]
struct Sum {
    total: usize,
    most: [(&'static str, usize); NAMED],
}

/// A list's limits on its deferred tools.
#[derive(Debug, Clone, Copy)]
pub struct LoadLimits {
    /// The number of elements that are not deferred; these come first.
    stable: usize,
    at_most: usize,
    /// Maximum of tokens for the list of groups.
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

impl Measure {
    /// Returns the name, and the help where there is too much of it.
    const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Tools => [
                " tools",
                "make lists of fewer tools, and send the one that a turn needs",
            ],
            Self::OptionalKeys(_) => [
                " keys that may be missing",
                "make some of them required, or make lists of fewer tools, and send the one that a turn needs",
            ],
            Self::Unions(_) => [
                " values of one of several types",
                "use enums without data, or make lists of fewer tools, and send the one that a turn needs",
            ],
            Self::Tokens => [
                " tokens of definitions",
                "say less in them, make lists of fewer tools, or raise the budget",
            ],
        }
    }

    /// Returns the share of `search_tools`, which a list with deferred tools adds.
    const fn search(self, loads: LoadLimits) -> usize {
        match self {
            Self::Tools => 1,
            Self::OptionalKeys(_) | Self::Unions(_) => 0,
            Self::Tokens => SEARCH + loads.told,
        }
    }

    const fn of(self, tool: &Descriptor, listed: NameOverride) -> usize {
        match self {
            Self::Tools => 1,
            Self::OptionalKeys(target) => size(target, tool).optional_keys,
            Self::Unions(target) => size(target, tool).unions,
            Self::Tokens => {
                let (name, description, more) = match listed {
                    NameOverride::Tool(name, description) => (
                        if name.is_empty() { tool.name } else { name },
                        if description.is_empty() {
                            tool.description
                        } else {
                            description
                        },
                        0,
                    ),
                    NameOverride::Instance(prefix, words) => {
                        let more = tokens::bound(prefix) + tokens::bound(words);
                        (tool.name, tool.description, more)
                    }
                };
                tokens::definition::bound(name, description, tool.input) + more
            }
        }
    }

    /// Returns a tool's name in the list and its share; nothing of a tool that did not compile.
    const fn share(self, tool: &Descriptor, listed: NameOverride) -> Option<(&'static str, usize)> {
        if tool.name.is_empty() {
            return None;
        }
        Some((called(listed, tool), self.of(tool, listed)))
    }

    const fn sum(self, list: &[Inputs]) -> Sum {
        let mut sum = Sum {
            total: 0,
            most: [("", 0); NAMED],
        };
        let mut rest = list;
        while let [element, tail @ ..] = rest {
            let (mut tools, listed) = element.tools();
            while let [tool, more @ ..] = tools {
                if let Some((name, share)) = self.share(tool, listed) {
                    sum.add(name, share);
                }
                tools = more;
            }
            rest = tail;
        }
        sum
    }
}

const fn size(target: Dialect, tool: &Descriptor) -> Size {
    target.analyze(tool.input, tool.refs).size
}

impl Sum {
    const fn add(&mut self, name: &'static str, count: usize) {
        self.total += count;
        let mut new = (name, count);
        let mut places: &mut [(&'static str, usize)] = &mut self.most;
        while let [place, rest @ ..] = places {
            if new.1 > place.1 {
                let old = *place;
                *place = new;
                new = old;
            }
            places = rest;
        }
    }

    /// Writes the tools that cost most, each with its cost.
    const fn write_costliest(&self, text: &mut ConstText) {
        let mut rest: &[(&'static str, usize)] = &self.most;
        let mut is_first = true;
        while let [(name, count), tail @ ..] = rest {
            rest = tail;
            if *count == 0 {
                continue;
            }
            text.push(if is_first { "`" } else { ", `" });
            text.push(name);
            text.push("` (");
            text.push_number(*count);
            text.push(")");
            is_first = false;
        }
    }
}

/// Returns true if no tool is refused. Nothing is known of one that is, and it has its own error.
const fn all_accepted(target: Dialect, list: &[Inputs]) -> bool {
    let mut rest = list;
    while let [element, tail @ ..] = rest {
        let (mut tools, _) = element.tools();
        while let [tool, more @ ..] = tools {
            if let Acceptance::Refused(..) = target.verdict(tool.input, tool.refs) {
                return false;
            }
            tools = more;
        }
        rest = tail;
    }
    true
}

/// Shares of deferred tools.
struct Shares<const N: usize> {
    shares: [(&'static str, usize); N],
    len: usize,
}

impl<const N: usize> Shares<N> {
    const fn of(measure: Measure, list: &[Inputs]) -> Self {
        let mut all = Self {
            shares: [("", 0); N],
            len: 0,
        };
        let mut rest = list;
        while let [element, tail @ ..] = rest {
            let (mut tools, listed) = element.tools();
            while let [tool, more @ ..] = tools {
                if let Some(share) = measure.share(tool, listed)
                    && let Some((_, [place, ..])) = all.shares.split_at_mut_checked(all.len)
                {
                    *place = share;
                    all.len += 1;
                }
                tools = more;
            }
            rest = tail;
        }
        all
    }

    /// Takes the largest share out.
    #[allow(clippy::indexing_slicing)] // Both are within what was put in.
    const fn take_largest(&mut self) -> Option<(&'static str, usize)> {
        let (mut at, mut largest) = (1, 0);
        while at < self.len {
            if self.shares[at].1 > self.shares[largest].1 {
                largest = at;
            }
            at += 1;
        }
        let Some(last) = self.len.checked_sub(1) else {
            return None;
        };
        let taken = self.shares[largest];
        self.shares[largest] = self.shares[last];
        self.len = last;
        Some(taken)
    }
}

/// Refuses more than a target accepts in one request, whatever the conversation has loaded: tools, keys that may be
/// missing, unions.
///
/// # Panics
///
/// At the caller's place, with the exceeded quantity, the tools that cost most and the `at_most` that would fit.
#[track_caller]
pub const fn fits_request<const N: usize>(
    target: Option<Dialect>,
    list: &[Inputs],
    loads: LoadLimits,
) {
    let Some(target) = target else { return };
    let limits = target.request_limits();
    let takes = [target.name(), " takes ", " in one request"];
    fits::<N>(Measure::Tools, limits.tools, takes, list, loads);
    if (limits.optional_keys.is_some() || limits.unions.is_some()) && all_accepted(target, list) {
        let keys = Measure::OptionalKeys(target);
        fits::<N>(keys, limits.optional_keys, takes, list, loads);
        fits::<N>(Measure::Unions(target), limits.unions, takes, list, loads);
    }
}

/// Refuses a list whose definitions may take more tokens than the budget, whatever the conversation has loaded.
///
/// # Panics
/// As [`fits_request`], with the budget.
#[track_caller]
pub const fn within_budget<const N: usize>(budget: usize, list: &[Inputs], loads: LoadLimits) {
    let takes = ["the budget", " is ", ""];
    fits::<N>(Measure::Tokens, Some(budget), takes, list, loads);
}

#[track_caller]
const fn fits<const N: usize>(
    measure: Measure,
    most: Option<usize>,
    takes: [&str; 3],
    list: &[Inputs],
    loads: LoadLimits,
) {
    let Some(most) = most else { return };
    let (stable, deferred) = list.split_at(loads.stable);
    let mut sum = measure.sum(stable);
    if !deferred.is_empty() {
        sum.add(SEARCH_TOOLS, measure.search(loads));
    }
    let always = sum.total;
    let mut shares = Shares::<N>::of(measure, deferred);
    let (mut loaded, mut fitting) = (0, 0);
    while loaded < loads.at_most
        && let Some((name, share)) = shares.take_largest()
    {
        sum.add(name, share);
        loaded += 1;
        if sum.total <= most {
            fitting = loaded;
        }
    }
    if sum.total <= most {
        return;
    }
    let [what, help] = measure.words();
    let mut text = ConstText::new();
    text.push("every request has ");
    text.push_number(always);
    text.push(what);
    if loaded > 0 {
        text.push(", what a conversation loads adds up to ");
        text.push_number(sum.total - always);
    }
    text.push(", and ");
    text.push(takes[0]);
    text.push(takes[1]);
    text.push_number(most);
    text.push(takes[2]);
    if !matches!(measure, Measure::Tools) {
        text.push("; most are in ");
        sum.write_costliest(&mut text);
    }
    text.push("\nhelp: ");
    if fitting > 0 {
        text.push("write `at_most: ");
        text.push_number(fitting);
        text.push("`, or ");
    }
    text.push(help);
    panic!("{}", text.as_str());
}
