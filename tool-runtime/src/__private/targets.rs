//! What `tools!` needs for `targets`: the check in `const` that providers accept every tool.

use super::text::Text;
use super::{Entry, Handle, Listed, OneToolBlock};
use crate::dialect::{Dialect, RejectCode, Steps, Verdict};
use crate::schema::Shape;

/// One element of a list: the arguments of the tools that it brings.
#[derive(Debug, Clone, Copy)]
pub enum Inputs {
    /// Those of a tool, by its name.
    One(&'static str, &'static Shape),
    /// Those of no tool: the bounds of `bound` and `group` refuse the element already.
    None,
}

impl<T: Handle> Listed<T> {
    /// The tool's arguments.
    pub const INPUT: Inputs = Inputs::One(T::DESCRIPTOR.name, T::DESCRIPTOR.input);
}

impl<T: OneToolBlock> Listed<T> {
    /// The tools of the type.
    pub const INPUTS: &'static [Entry<T>] = T::ENTRIES;
}

/// See [`Listed`].
pub trait Untargeted: Sized {
    /// Nothing.
    const INPUT: Inputs = Inputs::None;
    /// Nothing.
    const INPUTS: &'static [Entry<()>] = &[];
}

impl<T> Untargeted for Listed<T> {}

/// The dialect of this name.
///
/// # Panics
/// At the caller's place, where there is none.
#[track_caller]
pub const fn dialect(name: &str) -> Dialect {
    if let Some(dialect) = Dialect::named(name) {
        return dialect;
    }
    let mut text = Text::new();
    text.push("no dialect is called `");
    text.push(name);
    text.push("`\nhelp: the dialects are ");
    let mut rest: &[Dialect] = &Dialect::ALL;
    while let [one, tail @ ..] = rest {
        text.push(one.name());
        if !tail.is_empty() {
            text.push(", ");
        }
        rest = tail;
    }
    panic!("{}", text.as_str());
}

/// Refuses more tools than a target takes.
///
/// # Panics
/// At the caller's place, with the target.
#[track_caller]
pub const fn is_small(targets: &[Dialect], tools: usize) {
    let mut rest = targets;
    while let [target, tail @ ..] = rest {
        rest = tail;
        if let Some(most) = target.request_limits().tools
            && tools > most
        {
            let mut text = Text::new();
            text.push("the list has more tools than ");
            text.push(target.name());
            text.push(" takes in one request\nhelp: make lists of fewer tools, and send what a turn needs");
            panic!("{}", text.as_str());
        }
    }
}

/// Refuses a tool that a target does not accept.
///
/// # Panics
/// At the caller's place, with the tool, the argument, the target and the way out.
#[track_caller]
pub const fn accepted(targets: &[Dialect], inputs: &Inputs, name: Option<&str>, unproven: bool) {
    let Inputs::One(own, input) = inputs else {
        return;
    };
    // It did not compile, and has its own error.
    if own.is_empty() {
        return;
    }
    let tool = match name {
        Some(name) => name,
        None => own,
    };
    let mut rest = targets;
    while let [target, tail @ ..] = rest {
        rest = tail;
        if !target.accepts_name_const(tool) {
            let mut text = Text::new();
            text.push("`");
            text.push(tool);
            text.push("` is no name for ");
            text.push(target.name());
            text.push("\nhelp: give the tool another: `path as \"other_name\"`");
            panic!("{}", text.as_str());
        }
        match target.verdict(input) {
            Verdict::Refused(code, steps) => {
                panic!("{}", refused(tool, *target, code, &steps).as_str())
            }
            Verdict::Opaque(steps) if !unproven => {
                panic!("{}", opaque(tool, *target, &steps).as_str())
            }
            _ => {}
        }
    }
}

/// The same for all tools of a type.
///
/// # Panics
/// See [`accepted`].
#[track_caller]
pub const fn all_accepted<S>(targets: &[Dialect], entries: &[Entry<S>], unproven: bool) {
    let mut rest = entries;
    while let [entry, tail @ ..] = rest {
        let inputs = Inputs::One(entry.descriptor.name, entry.descriptor.input);
        accepted(targets, &inputs, None, unproven);
        rest = tail;
    }
}

const fn refused(tool: &str, target: Dialect, code: RejectCode, steps: &Steps) -> Text {
    let mut text = Text::new();
    text.push("`");
    text.push(tool);
    text.push("` cannot be sent to ");
    text.push(target.name());
    text.push(": ");
    whose(&mut text, steps);
    text.push(code.words());
    text.push("\nhelp: ");
    text.push(code.help());
    text
}

const fn opaque(tool: &str, target: Dialect, steps: &Steps) -> Text {
    let mut text = Text::new();
    text.push("nobody knows yet whether `");
    text.push(tool);
    text.push("` can be sent to ");
    text.push(target.name());
    text.push(": ");
    whose(&mut text, steps);
    text.push(" tells its schema only when the program runs\nhelp: derive `toolwright::Schema` for its type, or list the tool: `unproven: [");
    text.push(tool);
    text.push("]`");
    text
}

const fn whose(text: &mut Text, steps: &Steps) {
    let mut names = steps.names();
    if names.is_empty() {
        text.push("the arguments as a whole");
        return;
    }
    text.push("argument `");
    let mut is_first = true;
    while let [name, rest @ ..] = names {
        if matches!(name.as_bytes(), b"*") {
            text.push("[]");
        } else {
            if !is_first {
                text.push(".");
            }
            text.push(name);
        }
        is_first = false;
        names = rest;
    }
    text.push("`");
}
