//! Support for `instructions!`: names of tools and arguments, held against what there is.

use super::targets::Inputs;
use super::{About, As, Handle, OneToolBlock};
use crate::toolset::{Instructions, Part};
use toolwright_schema::text::{ConstText, nearer, same};

/// What instructions can name.
#[diagnostic::on_unimplemented(
    message = "a text for a model can name only tools, and this names something else",
    label = "not a tool",
    note = "put `#[tool]` on the function, or double the brace: it may stand in the text for itself"
)]
pub trait Mentioned {
    /// The tool.
    const ABOUT: About;
    /// The tool's own name: a constant of its own, so that tools may name each other.
    const NAME: &'static str;
}

#[diagnostic::do_not_recommend]
impl<T: Handle> Mentioned for T {
    const ABOUT: About = T::DESCRIPTOR;
    const NAME: &'static str = T::TOOL_NAME;
}

/// The tool of a function.
pub const fn mentioned<T: Mentioned>() -> About {
    T::ABOUT
}

/// The name of a function's tool.
pub const fn mentioned_name<T: Mentioned>() -> &'static str {
    T::NAME
}

/// The tool of a type's that has this name.
///
/// # Panics
/// At the caller's place, where there is none.
#[track_caller]
pub const fn mentioned_of<T: OneToolBlock>(ty: &str, name: &str) -> About {
    let mut nearest = None;
    let mut rest = T::DESCRIPTORS;
    while let [about, tail @ ..] = rest {
        if same(about.name, name) {
            return about;
        }
        nearer(name, about.name, &mut nearest);
        rest = tail;
    }
    let mut text = ConstText::new();
    text.push("type `");
    text.push(ty);
    text.push("` has no tool `");
    text.push(name);
    text.push("`\nhelp: ");
    match nearest {
        Some((near, _)) => {
            text.push("did you mean `");
            text.push(near);
            text.push("`?");
        }
        None => text.push("write the name that a model calls it by"),
    }
    panic!("{}", text.as_str());
}

/// A tool as a part of instructions.
pub const fn mention(about: About) -> Part {
    Part::Tool(about.name, about.input)
}

/// Refuses instructions that name a tool which a list lacks. Lists compare own names.
///
/// # Panics
/// At the caller's place, with the tool.
#[track_caller]
pub const fn names_listed(instructions: &Instructions, list: &[Inputs]) {
    let mut rest = instructions.parts();
    while let [part, tail @ ..] = rest {
        if let Part::Tool(name, _) = part
            && !has(list, name)
        {
            let mut text = ConstText::new();
            text.push("these instructions name the tool `");
            text.push(name);
            text.push("`, which the list lacks\nhelp: list it, or take it out of the instructions");
            panic!("{}", text.as_str());
        }
        rest = tail;
    }
}

/// Refuses an element of a list with a tool whose description names another that the list lacks.
///
/// # Panics
/// At the caller's place, with both.
#[track_caller]
pub const fn mentions_listed(element: &Inputs, list: &[Inputs]) {
    let (mut tools, listed) = element.tools();
    if let As::Tool(_, words) = listed
        && !words.is_empty()
    {
        return;
    }
    while let [tool, more @ ..] = tools {
        let mut mentions = tool.mentions;
        while let [(_, _, name), tail @ ..] = mentions {
            let is_known = name.is_empty() || has(list, name);
            assert!(is_known, "{}", lacks(tool.name, name).as_str());
            mentions = tail;
        }
        tools = more;
    }
}

/// The words about a tool that another's description names, and the list lacks.
pub(super) const fn lacks(tool: &str, name: &str) -> ConstText {
    let mut text = ConstText::new();
    text.push("the description of `");
    text.push(tool);
    text.push("` names the tool `");
    text.push(name);
    text.push(
        "`, which the list lacks\nhelp: list it too, or take the link out of the doc comment",
    );
    text
}

const fn has(list: &[Inputs], name: &str) -> bool {
    let mut rest = list;
    while let [element, tail @ ..] = rest {
        let (mut tools, _) = element.tools();
        while let [tool, more @ ..] = tools {
            // One that did not compile has no name.
            if same(tool.name, name) || tool.name.is_empty() {
                return true;
            }
            tools = more;
        }
        rest = tail;
    }
    false
}
