//! Words for a model that name tools.

use std::fmt::{self, Write};

use super::Toolset;
use super::report::{Problem, ProblemCode};
use toolwright_provider::definitions::Definitions;
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Shape, Side, keys_beside};
use toolwright_schema::text::{did_you_mean, escaped, near};

/// Words for a model that name tools and their arguments, such as a system prompt: `instructions!`.
///
/// [`render`](Self::render) resolves the names in a toolset. The model reads the names that the toolset gives.
#[derive(Clone, Copy)]
pub struct Instructions(&'static [InstructionsPart]);

/// A part of instructions.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum InstructionsPart {
    /// Literal text.
    Text(&'static str),
    /// A tool by its name in code, or the key of the argument at this path of keys.
    Tool {
        name: &'static str,
        keys: &'static [&'static str],
        /// The tree of the arguments; `None` if there is no such tool.
        input: fn(&str) -> Option<&'static Shape<'static>>,
    },
}

/// Error of [`Instructions::render`]: the tools and arguments that the instructions name and the toolset lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionsError(Vec<Problem>);

impl InstructionsError {
    /// Returns the problems, as [`Toolset::check`] reports them for the instructions of a list.
    pub fn problems(&self) -> &[Problem] {
        &self.0
    }
}

impl fmt::Display for InstructionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the instructions name what the toolset lacks")?;
        self.0
            .iter()
            .try_for_each(|problem| write!(f, "\n{problem}"))
    }
}

impl std::error::Error for InstructionsError {}

impl Instructions {
    #[doc(hidden)]
    pub const fn of_parts(parts: &'static [InstructionsPart]) -> Self {
        Self(parts)
    }

    /// Returns the words with the names that the tools have in a set: behind `as`, prefixes and
    /// [`rename`](Toolset::rename).
    ///
    /// Two tools with one name in code are distinguished by their arguments; otherwise the first is meant.
    ///
    /// # Errors
    /// When the set lacks a tool or an argument that is named; the error lists all of them.
    pub fn render(&self, tools: &Toolset) -> Result<String, InstructionsError> {
        self.with_names(tools, Some)
    }

    /// Returns the text with the names in a request: those of [`render`](Self::render), except for names that the
    /// provider rejects.
    ///
    /// # Errors
    /// When the set or the request lacks a tool or an argument that is named; the error lists all of them.
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
        let (mut out, mut problems) = (String::new(), Vec::new());
        for part in self.0 {
            match part {
                InstructionsPart::Text(text) => out.push_str(text),
                InstructionsPart::Tool { name, keys, input } => {
                    let input = input(name);
                    let found = tools.named(name, input).and_then(&told);
                    let found = found.ok_or_else(|| tools.unknown_tool(name));
                    match found.and_then(|found| argument(name, keys, input).map(|()| found)) {
                        Ok(found) => out.push_str(keys.last().unwrap_or(&found)),
                        Err(problem) if problems.contains(&problem) => {}
                        Err(problem) => problems.push(problem),
                    }
                }
            }
        }
        if problems.is_empty() {
            Ok(out)
        } else {
            Err(InstructionsError(problems))
        }
    }
}

/// Refuses keys that lead to no argument.
fn argument(
    tool: &str,
    keys: &[&str],
    input: Option<&'static Shape<'static>>,
) -> Result<(), Problem> {
    let Some(([key, ..], mut names)) = input.and_then(|input| keys_beside(input, keys)) else {
        return Ok(());
    };
    names.sort_unstable();
    names.dedup();
    let near = did_you_mean(&near(key, names.iter().copied()));
    let mut path = String::new();
    for key in keys {
        path.push('/');
        path.push_str(&escaped(key));
    }
    let message = format!("the instructions name `{key}`, which is not there");
    Err(Problem {
        path: Some(path),
        help: match names.as_slice() {
            _ if !near.is_empty() => near,
            [] => "name the argument alone: it has no keys".to_owned(),
            names => format!("the keys are `{}`", names.join("`, `")),
        },
        ..Problem::new(tool, ProblemCode::UnknownArgument, message)
    })
}

impl Toolset {
    /// Returns the name here of the tool with this own name.
    fn named(&self, own: &str, input: Option<&'static Shape<'static>>) -> Option<&str> {
        let mut found = self.entries().filter(|entry| entry.def().own_name() == own);
        let first = found.next()?;
        let (Some(second), Some(input)) = (found.next(), input) else {
            return Some(&first.def().name);
        };
        let input = SchemaDoc::from_shape(input, Side::Input);
        let mut all = [first, second].into_iter().chain(found);
        let same = all.find(|entry| entry.def().input == input);
        Some(&same.unwrap_or(first).def().name)
    }

    fn unknown_tool(&self, own: &str) -> Problem {
        let names = self.entries().map(|entry| entry.def().own_name());
        let near = did_you_mean(&near(own, names));
        let message = "the instructions name the tool, which the set lacks";
        Problem {
            help: if near.is_empty() {
                "add it to the set, or take it out of the instructions".to_owned()
            } else {
                near
            },
            ..Problem::new(own, ProblemCode::UnknownTool, message)
        }
    }
}

/// Displays with the tools' own names.
impl fmt::Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            InstructionsPart::Text(text) => f.write_str(text),
            InstructionsPart::Tool { name, keys, .. } => f.write_str(keys.last().unwrap_or(name)),
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
