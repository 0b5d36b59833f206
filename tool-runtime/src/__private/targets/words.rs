//! Messages about a tool that a provider does not accept.

use super::is_size;
use toolwright_provider::dialect::{Dialect, InverseSteps, LowerErrorCode, Size};
use toolwright_schema::text::ConstText;

/// Place of an opaque argument.
#[derive(Clone, Copy)]
pub(super) enum Opaque {
    /// In a list, which may name the tool.
    InList(&'static str),
    /// In a tool with its own targets.
    InTool,
}

pub(super) const fn refused(
    tool: &str,
    target: Dialect,
    code: LowerErrorCode,
    steps: &InverseSteps,
    size: &Size,
) -> ConstText {
    let mut text = ConstText::new();
    text.push("`");
    text.push(tool);
    text.push("` cannot be sent to ");
    text.push(target.name());
    text.push(": ");
    match target.beyond(size) {
        Some((what, is, most)) if is_size(code) => {
            text.push("its schema has ");
            text.push_number(is);
            text.push(what);
            if !steps.names().is_empty() {
                text.push(" at ");
                whose(&mut text, steps);
            }
            text.push(", and it takes ");
            text.push_number(most);
        }
        _ => {
            whose(&mut text, steps);
            text.push(code.words());
            text.push(code.keyword());
        }
    }
    text.push("\nhelp: ");
    text.push(code.help());
    text
}

pub(super) const fn opaque(
    tool: &str,
    target: Dialect,
    steps: &InverseSteps,
    place: Opaque,
) -> ConstText {
    let mut text = ConstText::new();
    text.push("nobody knows yet whether `");
    text.push(tool);
    text.push("` can be sent to ");
    text.push(target.name());
    text.push(": ");
    whose(&mut text, steps);
    text.push(if steps.names().is_empty() {
        " tell their schema only when the program runs"
    } else {
        " tells its schema only when the program runs"
    });
    match place {
        Opaque::InList(name) => {
            text.push("\nhelp: derive `toolwright::Schema` for the types that it is made of, or list the tool: `unproven: [");
            text.push(name);
            text.push("]`");
        }
        Opaque::InTool => text.push("\nhelp: derive `toolwright::Schema` for the types that it is made of, or move the targets to the list, where the tool may be `unproven`"),
    }
    text
}

const fn whose(text: &mut ConstText, steps: &InverseSteps) {
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
