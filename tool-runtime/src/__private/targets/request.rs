//! Limits of one request, and what a list asks of it.

use super::{As, Descriptor, Inputs, called};
use toolwright_provider::dialect::{Acceptance, Dialect, Size};
use toolwright_schema::text::ConstText;
use toolwright_schema::tokens;

/// Number of tools that are named as those that cost most.
const NAMED: usize = 3;

/// Quantities that are counted of a tool.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    Tools,
    OptionalKeys(Dialect),
    Unions(Dialect),
    /// Tokens of the definition, at most.
    Tokens,
}

/// Total of all tools of a list, and those that cost most.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub(super) total: usize,
    most: [(&'static str, usize); NAMED],
}

impl Measure {
    const fn of(self, tool: &Descriptor, listed: As) -> usize {
        match self {
            Self::Tools => 1,
            Self::OptionalKeys(target) => size(target, tool).optional_keys,
            Self::Unions(target) => size(target, tool).unions,
            Self::Tokens => {
                let (name, description, more) = match listed {
                    As::Tool(name, description) => (
                        if name.is_empty() { tool.name } else { name },
                        if description.is_empty() {
                            tool.description
                        } else {
                            description
                        },
                        0,
                    ),
                    As::Instance(prefix, words) => {
                        let more = tokens::bound(prefix) + tokens::bound(words);
                        (tool.name, tool.description, more)
                    }
                };
                tokens::definition::bound(name, description, tool.input) + more
            }
        }
    }

    /// Returns a tool's name in the list and its share; nothing of a tool that did not compile.
    pub(super) const fn share(
        self,
        tool: &Descriptor,
        listed: As,
    ) -> Option<(&'static str, usize)> {
        if tool.name.is_empty() {
            return None;
        }
        Some((called(listed, tool), self.of(tool, listed)))
    }

    pub(super) const fn sum(self, list: &[Inputs]) -> Sum {
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
    target.judge(tool.input, tool.refs).size
}

impl Sum {
    pub(super) const fn add(&mut self, name: &'static str, count: usize) {
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

    /// Says which tools cost most, each with what it costs.
    pub(super) const fn tell(&self, text: &mut ConstText) {
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

/// Refuses more than a target takes in one request: tools, keys that may be missing, unions.
///
/// # Panics
/// At the caller's place, with the target, what is too much and the tools that cost most.
#[track_caller]
pub const fn fits_request(target: Option<Dialect>, list: &[Inputs]) {
    let Some(target) = target else { return };
    let limits = target.request_limits();
    let tools = Measure::Tools.sum(list).total;
    if let Some(most) = limits.tools
        && tools > most
    {
        let mut text = ConstText::new();
        text.push("the list has ");
        text.push_number(tools);
        text.push(" tools, and ");
        text.push(target.name());
        text.push(" takes ");
        text.push_number(most);
        text.push(
            " in one request\nhelp: make lists of fewer tools, and send the one that a turn needs",
        );
        panic!("{}", text.as_str());
    }
    if (limits.optional_keys.is_some() || limits.unions.is_some()) && all_accepted(target, list) {
        share(
            target,
            limits.optional_keys,
            Measure::OptionalKeys(target).sum(list),
            " keys that may be missing",
            "\nhelp: make some of them required, or make lists of fewer tools, and send the one that a turn needs",
        );
        share(
            target,
            limits.unions,
            Measure::Unions(target).sum(list),
            " values of one of several types",
            "\nhelp: use enums without data, or make lists of fewer tools, and send the one that a turn needs",
        );
    }
}

/// Returns true if no tool is refused. Nothing is known of one that is, and it has its own error.
pub(super) const fn all_accepted(target: Dialect, list: &[Inputs]) -> bool {
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

#[track_caller]
const fn share(target: Dialect, most: Option<usize>, sum: Sum, what: &str, help: &str) {
    let Some(most) = most else { return };
    if sum.total <= most {
        return;
    }
    let mut text = ConstText::new();
    text.push("the list has ");
    text.push_number(sum.total);
    text.push(what);
    text.push(", and ");
    text.push(target.name());
    text.push(" takes ");
    text.push_number(most);
    text.push(" in one request; most are in ");
    sum.tell(&mut text);
    text.push(help);
    panic!("{}", text.as_str());
}

/// Refuses a list whose definitions may take more tokens than the budget.
///
/// # Panics
/// At the caller's place, with the tokens, the budget and the tools that cost most.
#[track_caller]
pub const fn within_budget(budget: usize, list: &[Inputs]) {
    let sum = Measure::Tokens.sum(list);
    if sum.total <= budget {
        return;
    }
    let mut text = ConstText::new();
    text.push("the definitions take up to ");
    text.push_number(sum.total);
    text.push(" tokens of every request, and the budget is ");
    text.push_number(budget);
    text.push("; most are of ");
    sum.tell(&mut text);
    text.push("\nhelp: say less in them, make lists of fewer tools, or raise the budget");
    panic!("{}", text.as_str());
}
