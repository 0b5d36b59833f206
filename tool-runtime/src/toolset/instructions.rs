//! Words for a model that name tools.

use std::fmt::{self, Write};

use super::Toolset;
use toolwright_provider::definitions::Definitions;
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Shape, Side};
use toolwright_schema::text::Printable;

/// Words for a model that name tools and their arguments, such as a system prompt: `instructions!`.
///
/// The compiler holds each name against a tool. What the model reads has the names that a toolset gives.
#[derive(Clone, Copy)]
pub struct Instructions(&'static [Part]);

/// A part of instructions.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// Words as they stand.
    Text(&'static str),
    /// A tool, by its own name and the tree of its arguments.
    Tool(&'static str, &'static Shape<'static>),
}

/// Error of [`Instructions::render`]: the tools that the instructions name and the set lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionsError(Vec<&'static str>);

impl InstructionsError {
    /// Returns the tools' own names.
    pub fn missing(&self) -> &[&'static str] {
        &self.0
    }
}

impl fmt::Display for InstructionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the instructions name tools that the toolset lacks: ")?;
        for (index, name) in self.0.iter().enumerate() {
            let gap = if index > 0 { ", " } else { "" };
            write!(f, "{gap}`{}`", Printable::new(name).one_line())?;
        }
        Ok(())
    }
}

impl std::error::Error for InstructionsError {}

impl Instructions {
    #[doc(hidden)]
    pub const fn of_parts(parts: &'static [Part]) -> Self {
        Self(parts)
    }

    #[doc(hidden)]
    pub const fn parts(&self) -> &'static [Part] {
        self.0
    }

    /// Returns the words with the names that the tools have in a set: behind `as`, prefixes and
    /// [`rename`](Toolset::rename).
    ///
    /// Two tools of one own name are told apart by their arguments, and then the first is meant.
    ///
    /// # Errors
    /// When the set lacks a tool that is named; the error lists all of them.
    pub fn render(&self, tools: &Toolset) -> Result<String, InstructionsError> {
        self.with_names(tools, Some)
    }

    /// Returns the words with the names that a request's provider is told: those of [`render`](Self::render), unless
    /// the provider does not take one.
    ///
    /// # Errors
    /// When the set or the request lacks a tool that is named; the error lists all of them.
    pub fn render_for(
        &self,
        tools: &Toolset,
        sent: &Definitions,
    ) -> Result<String, InstructionsError> {
        let renames = sent.renames();
        self.with_names(tools, |name| renames.to_provider(name))
    }

    fn with_names<'n>(
        &self,
        tools: &'n Toolset,
        told: impl Fn(&'n str) -> Option<&'n str>,
    ) -> Result<String, InstructionsError> {
        let (mut out, mut missing) = (String::new(), Vec::new());
        for part in self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Tool(own, input) => match tools.named(own, input).and_then(&told) {
                    Some(name) => out.push_str(name),
                    None if missing.contains(own) => {}
                    None => missing.push(*own),
                },
            }
        }
        if missing.is_empty() {
            Ok(out)
        } else {
            Err(InstructionsError(missing))
        }
    }
}

impl Toolset {
    /// Returns the name here of the tool with this own name.
    fn named(&self, own: &str, input: &'static Shape<'static>) -> Option<&str> {
        let mut found = self.entries().filter(|entry| entry.def().own_name() == own);
        let first = found.next()?;
        let Some(second) = found.next() else {
            return Some(&first.def().name);
        };
        let input = SchemaDoc::from_shape(input, Side::Input);
        let mut all = [first, second].into_iter().chain(found);
        let same = all.find(|entry| entry.def().input == input);
        Some(&same.unwrap_or(first).def().name)
    }
}

/// Displays with the tools' own names.
impl fmt::Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Text(text) | Part::Tool(text, _) => f.write_str(text),
        })
    }
}

impl fmt::Debug for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Instructions(\"")?;
        for char in self.to_string().escape_debug() {
            f.write_char(char)?;
        }
        f.write_str("\")")
    }
}
