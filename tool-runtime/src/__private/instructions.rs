//! Support for `instructions!` and for links in doc comments: the tools behind paths.

use super::{Handle, OneToolImplPerType};
use crate::toolset::InstructionsPart;
use toolwright_schema::shape::Shape;

/// Items that instructions can name.
#[diagnostic::on_unimplemented(
    message = "a text for a model can name only tools, and this names something else",
    label = "not a tool",
    note = "put `#[tool]` on the function, or double the brace: it may stand in the text for itself"
)]
pub trait Mentioned {
    /// The tool's name: a separate constant, so that tools may name each other.
    const NAME: &'static str;

    /// Returns the tree of the arguments.
    fn input() -> &'static Shape<'static>;
}

#[diagnostic::do_not_recommend]
impl<T: Handle> Mentioned for T {
    const NAME: &'static str = T::TOOL_NAME;

    fn input() -> &'static Shape<'static> {
        T::DESCRIPTOR.input
    }
}

/// The name of a function's tool.
pub const fn mentioned_name<T: Mentioned>() -> &'static str {
    T::NAME
}

/// A function's tool as a part of instructions, or a key of its arguments.
pub const fn mention<T: Mentioned>(keys: &'static [&'static str]) -> InstructionsPart {
    InstructionsPart::Tool {
        name: T::NAME,
        keys,
        input: |_| Some(T::input()),
    }
}

/// A tool of a type as a part of instructions, or a key of its arguments.
pub const fn mention_of<T: OneToolImplPerType>(
    name: &'static str,
    keys: &'static [&'static str],
) -> InstructionsPart {
    InstructionsPart::Tool {
        name,
        keys,
        input: |name| {
            let tool = T::TOOLS.descriptors.iter().find(|tool| tool.name == name)?;
            Some(tool.input)
        },
    }
}
