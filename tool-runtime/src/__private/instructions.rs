//! Support for `instructions!`: names of tools and arguments, held against what there is.

use super::targets::Inputs;
use super::{About, Handle, OneToolBlock};
use crate::toolset::{Instructions, Part};
use toolwright_schema::text::{ConstText, nearer, same};

/// What instructions can name.
#[diagnostic::on_unimplemented(
    message = "instructions can name only tools, and this names something else",
    label = "not a tool",
    note = "put `#[tool]` on the function, or double the brace: it may stand in the text for itself"
)]
pub trait Mentioned {
    /// The tool.
    const ABOUT: About;
}

#[diagnostic::do_not_recommend]
impl<T: Handle> Mentioned for T {
    const ABOUT: About = T::DESCRIPTOR;
}

/// The tool of a function.
pub const fn mentioned<T: Mentioned>() -> About {
    T::ABOUT
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
