//! Support for `targets` of `tools!` and `#[tool]`: the checks in `const` that providers accept every tool,
//! and all of them in one request.

mod request;
mod words;

use super::{Descriptor, Handle, Listed, NameOverride, OneToolImplPerType};
use toolwright_provider::dialect::{Acceptance, Analysis, Dialect, LowerErrorCode};
use toolwright_schema::text::same;

pub use self::request::{LoadLimits, MOST_LOADED, count, fits_request, within_budget};
use toolwright_schema::shape::Kind;
use toolwright_schema::text::ConstText;

/// One element of a list: the tools that it brings.
#[derive(Debug, Clone, Copy)]
pub enum Inputs {
    /// A tool, with its clause `as`.
    One(&'static Descriptor, NameOverride),
    /// The tools of a type, with their clause `as`.
    Many(&'static [&'static Descriptor], NameOverride),
    /// No tool: the bounds of `bound` and `group` refuse the element already.
    None,
}

impl Inputs {
    /// Sets the clause `as`.
    #[must_use]
    pub const fn listed(self, listed: &'static NameOverride) -> Self {
        match self {
            Self::One(descriptor, _) => Self::One(descriptor, *listed),
            Self::Many(descriptors, _) => Self::Many(descriptors, *listed),
            Self::None => self,
        }
    }

    /// The tools, with the clause `as`.
    pub(super) const fn tools(&self) -> (&[&'static Descriptor], NameOverride) {
        match self {
            Self::One(descriptor, listed) => (std::slice::from_ref(descriptor), *listed),
            Self::Many(descriptors, listed) => (descriptors, *listed),
            Self::None => (&[], NameOverride::NONE),
        }
    }
}

impl<T: Handle> Listed<T> {
    /// The tool.
    pub const INPUT: Inputs = Inputs::One(T::DESCRIPTOR, NameOverride::NONE);
}

impl<T: OneToolImplPerType> Listed<T> {
    /// The tools of the type.
    pub const INPUTS: Inputs = Inputs::Many(T::TOOLS.descriptors, NameOverride::NONE);
}

/// See [`Listed`].
pub trait Untargeted: Sized {
    /// Nothing.
    const INPUT: Inputs = Inputs::None;
    /// Nothing.
    const INPUTS: Inputs = Inputs::None;
}

impl<T> Untargeted for Listed<T> {}

/// The dialect of this name; `None` if [`is_dialect`] returns false.
pub const fn dialect(name: &str) -> Option<Dialect> {
    Dialect::named(name)
}

/// Refuses a name that is not a dialect's.
///
/// # Panics
///
/// At the caller's place, if there is no such dialect.
#[track_caller]
pub const fn is_dialect(name: &str) {
    if Dialect::named(name).is_some() {
        return;
    }
    let mut text = ConstText::new();
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

/// Refuses a tool of `unproven` that the list does not have.
///
/// # Panics
/// At the caller's place.
#[track_caller]
pub const fn is_listed(name: &str, list: &[Inputs]) {
    let mut rest = list;
    while let [element, tail @ ..] = rest {
        let (mut tools, listed) = element.tools();
        while let [tool, more @ ..] = tools {
            // One that did not compile has no name.
            if same(tool.name, name) || tool.name.is_empty() {
                return;
            }
            tools = more;
        }
        if let NameOverride::Tool(other, _) = listed
            && same(other, name)
        {
            return;
        }
        rest = tail;
    }
    let mut text = ConstText::new();
    text.push("the list has no tool `");
    text.push(name);
    text.push("`\nhelp: write the name of one that it has, or remove it from `unproven`");
    panic!("{}", text.as_str());
}

/// Refuses an element of a list with a tool that a target does not accept.
///
/// # Panics
/// At the caller's place, with the tool, the argument, the target and the way out.
#[track_caller]
pub const fn accepted(targets: &[Option<Dialect>], element: &Inputs, unproven: &[&str], all: bool) {
    let (mut tools, listed) = element.tools();
    while let [tool, more @ ..] = tools {
        let name = called(listed, tool);
        let may_be_opaque = all || is_one_of(unproven, tool.name) || is_one_of(unproven, name);
        if let Some(text) = check_tool(targets, tool, name, may_be_opaque) {
            panic!("{}", text.as_str());
        }
        tools = more;
    }
}

/// The name for messages. The list has the prefix.
const fn called(listed: NameOverride, tool: &Descriptor) -> &'static str {
    match listed {
        NameOverride::Tool(name, _) if !name.is_empty() => name,
        _ => tool.name,
    }
}

pub(super) const fn is_one_of(names: &[&str], name: &str) -> bool {
    let mut rest = names;
    while let [one, tail @ ..] = rest {
        if same(one, name) {
            return true;
        }
        rest = tail;
    }
    false
}

/// Returns the message that refuses a tool of a list, if any. It is not about the name, which the macros
/// have found to be one that every provider takes.
const fn check_tool(
    targets: &[Option<Dialect>],
    tool: &Descriptor,
    name: &str,
    may_be_opaque: bool,
) -> Option<ConstText> {
    // It did not compile, and has its own error.
    if tool.name.is_empty() {
        return None;
    }
    let mut rest = targets;
    while let [target, tail @ ..] = rest {
        rest = tail;
        let Some(target) = target else { continue };
        let analysis = target.analyze(tool.input, tool.refs);
        match analysis.verdict {
            Acceptance::Refused(code, steps) => {
                return Some(words::refused(name, *target, code, &steps, &analysis.size));
            }
            Acceptance::Opaque(steps) if !may_be_opaque => {
                return Some(words::opaque(
                    name,
                    *target,
                    &steps,
                    words::Opaque::InList(tool.name),
                ));
            }
            _ => {}
        }
    }
    None
}

/// Acceptance of a tool's own targets: nothing, or the first of them that does not accept it.
#[derive(Clone, Copy)]
pub struct OwnTargets {
    tool: &'static str,
    found: Option<(Dialect, Analysis)>,
}

/// Asks a tool's own targets.
pub const fn own_targets(targets: &[Option<Dialect>], about: &Descriptor) -> OwnTargets {
    let tool = about.name;
    let mut rest = targets;
    while let [target, tail @ ..] = rest {
        rest = tail;
        let Some(target) = target else { continue };
        let analysis = target.analyze(about.input, about.refs);
        if !matches!(analysis.verdict, Acceptance::Accepted) {
            return OwnTargets {
                tool,
                found: Some((*target, analysis)),
            };
        }
    }
    OwnTargets { tool, found: None }
}

impl OwnTargets {
    /// Refuses the parameter of this name if it is why a target does not accept the tool.
    ///
    /// # Panics
    /// At the caller's place, with the tool, the argument, the target and the way out.
    #[track_caller]
    pub const fn argument(&self, name: &str) {
        if let Some((_, analysis)) = &self.found
            && let Acceptance::Refused(_, steps) | Acceptance::Opaque(steps) = &analysis.verdict
            && let [first, ..] = steps.names()
            && same(first, name)
        {
            self.refuse();
        }
    }

    /// Refuses a tool that a target does not accept, for whatever reason.
    ///
    /// # Panics
    /// See [`argument`](Self::argument).
    #[track_caller]
    pub const fn refuse(&self) {
        let Some((target, analysis)) = &self.found else {
            return;
        };
        let text = match &analysis.verdict {
            Acceptance::Refused(code, steps) => {
                words::refused(self.tool, *target, *code, steps, &analysis.size)
            }
            Acceptance::Opaque(steps) => {
                words::opaque(self.tool, *target, steps, words::Opaque::InTool)
            }
            Acceptance::Accepted => return,
        };
        panic!("{}", text.as_str());
    }
}

/// Returns true if a code is reported with a size.
const fn is_size(code: LowerErrorCode) -> bool {
    matches!(code, LowerErrorCode::TooLarge)
}

/// Refuses an argument of a prompt or a resource that no text is read as.
///
/// # Panics
/// At the caller's place.
#[track_caller]
pub const fn is_read_of_a_text(about: &Descriptor, name: &str) {
    let Kind::Object(object) = &about.input.kind else {
        return;
    };
    let mut rest = object.fields;
    while let [field, tail @ ..] = rest {
        rest = tail;
        assert!(
            !same(field.name, name) || field.shape.kind.is_read_of_a_text(),
            "an argument of a prompt or a resource is a string, and this type cannot be read from one\nhelp: take a string, a number, a `bool`, an enum without data, or an `Option` of one",
        );
    }
}
