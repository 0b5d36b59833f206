//! Support for `lock: "tools.lock"` of `tools!`: the comparison in `const` of each tool with the file.

mod brief;
mod file;

use toolwright_schema::compare::{Answer, Findings, Fingerprint, Question, is_opaque, write};
use toolwright_schema::compare::{Members, value_of};
use toolwright_schema::shape::{Refs, Shape};
use toolwright_schema::text::ConstText;
use toolwright_schema::text::same;

use super::targets::is_one_of;
use super::{As, Descriptor};
use crate::tool::Past;
use crate::toolset::{Locked, LockedTool, Toolset};
use toolwright_provider::call::Annotations;

pub use self::brief::{BlockOf, Brief, Briefed, Briefs, Input, NoTool, ToolOf, Unlocked};
use self::file::{Found, called};
pub use self::file::{Lock, lock};

/// Length of a schema that is compared in `const`, at most: in bytes.
const LONGEST: usize = 32 * 1024;

/// Returns true if the build is one that writes the file.
///
/// # Panics
/// At the caller's place, where `TOOLS_LOCK` says something else.
#[track_caller]
pub const fn lock_is_written(said: Option<&str>) -> bool {
    match said {
        None => false,
        Some(said) if said.is_empty() => false,
        Some(said) if same(said, "update") || same(said, "accept-major") => true,
        Some(_) => panic!(
            "`TOOLS_LOCK` says nothing that is known\nhelp: set it to `update`, to write the lock where nothing breaks, or to `accept-major`"
        ),
    }
}

/// Returns true if the build accepts breaks.
pub const fn lock_accepts(said: Option<&str>) -> bool {
    match said {
        Some(said) => same(said, "accept-major"),
        None => false,
    }
}

/// Refuses an element with a tool that breaks those who call it as the file says that they may.
///
/// # Panics
/// At the caller's place, with the tool, what broke, and the way out.
#[allow(clippy::indexing_slicing)] // The macros count the elements.
#[track_caller]
pub const fn kept<I: Input, const N: usize>(
    lock: &Lock<N>,
    list: &[Briefs; N],
    at: usize,
    element: Briefed<I>,
    unproven: &[&str],
    all: bool,
) {
    if lock.changed[at] {
        held(lock, *list[at].listed, element, unproven, all);
    }
}

/// Does the work of `kept` for an element with a tool that changed. A function of its own, so that the whole tools are made for
/// it alone.
#[track_caller]
const fn held<I: Input, const N: usize>(
    lock: &Lock<N>,
    listed: As,
    _: Briefed<I>,
    unproven: &[&str],
    all: bool,
) {
    let (mut tools, _) = I::INPUT.tools();
    while let [tool, more @ ..] = tools {
        tools = more;
        if tool.name.is_empty() {
            continue;
        }
        let mut name = called(listed, tool.name);
        let mut found = lock.find(name.as_str());
        if found.is_none() {
            name = lock.name_before(listed, tool.past.was);
            found = lock.find(name.as_str());
        }
        // A new tool breaks nobody.
        let Some(found) = found else { continue };
        let name = name.as_str();
        let may_be_opaque = all || is_one_of(unproven, tool.name) || is_one_of(unproven, name);
        if let Some(text) = judge(name, &found, tool, may_be_opaque) {
            panic!("{}", text.as_str());
        }
    }
}

/// Refuses a list that lacks a tool of the file, unless it belongs to an element that is switched off.
///
/// # Panics
/// At the caller's place, with the tool and the way out.
#[track_caller]
pub const fn none_is_gone<const N: usize>(
    lock: &Lock<N>,
    list: &[Briefs],
    off: &[&str],
    retired: &[&str],
) {
    if lock.is_straight {
        return;
    }
    lock.assert_whole();
    let mut rest = list;
    while let [element, others @ ..] = rest {
        if element.is_rejected() {
            return;
        }
        rest = others;
    }
    let (mut known, mut near) = (Members::inside(lock.prints), 0);
    while let Some((name, _, rest)) = known.split() {
        known = rest;
        if let Some(at) = place(list, near, name) {
            near = at;
        } else if !is_one_of(retired, name) && !lock.is_off_element(name, off) {
            let mut text = ConstText::new();
            text.push("the list has no tool `");
            text.push(name);
            text.push("` any more, and the lock says that it may be called\nhelp: list it again, say `#[tool(was(\"");
            text.push(name);
            text.push("\"))]` of the tool in its place, or accept the break: `TOOLS_LOCK=accept-major cargo test`");
            panic!("{}", text.as_str());
        }
    }
}

/// Returns the element that brings a tool of this name, or of which it was the name before. It is looked for from an element on, as
/// the file mostly has the order of the list.
#[allow(clippy::indexing_slicing)] // The index is below the length.
const fn place(list: &[Briefs], from: usize, name: &str) -> Option<usize> {
    let mut index = from;
    loop {
        let mut at = 0;
        while index < list.len()
            && let Some(tool) = list[index].tool(at)
        {
            let listed = *list[index].listed;
            if is_called(name, listed, tool.name) || brought(&tool, listed, name) {
                return Some(index);
            }
            at += 1;
        }
        index = if index < list.len() { index + 1 } else { 0 };
        if index == from {
            return None;
        }
    }
}

/// Returns true if a tool had a name before.
const fn brought(tool: &Brief, listed: As, name: &str) -> bool {
    let prefix = match listed {
        As::Instance(prefix, _) => prefix,
        As::Tool(..) => "",
    };
    let mut was = tool.was;
    while let [old, rest @ ..] = was {
        if is_called(name, As::Instance(prefix, ""), old) {
            return true;
        }
        was = rest;
    }
    false
}

/// Returns true if a name is the one that a list gives a tool.
const fn is_called(name: &str, listed: As, own: &str) -> bool {
    match listed {
        As::Tool(other, _) if !other.is_empty() => same(name, other),
        As::Tool(..) => same(name, own),
        As::Instance(prefix, _) => match name.split_at_checked(prefix.len()) {
            Some((start, rest)) => same(start, prefix) && same(rest, own),
            None => false,
        },
    }
}

/// The fingerprint of what a tool promises.
const fn fingerprint(tool: &Descriptor) -> u64 {
    promised(Fingerprint::NEW.tree(tool.input, false), tool.output, tool)
}

/// The fingerprint of a tool, from that of its parameters, its result and its hints.
pub(super) const fn promised(
    input: Fingerprint,
    output: Option<&Shape<'_>>,
    hints: &Descriptor,
) -> u64 {
    let Annotations {
        read_only,
        destructive,
        ..
    } = hints.annotations;
    let hints = matches!(read_only, Some(true)) as u64
        + ((matches!(destructive, Some(true)) as u64) << 1)
        + ((output.is_some() as u64) << 2);
    let print = input.number(hints);
    match output {
        Some(output) => print.tree(output, true).value(),
        None => print.value(),
    }
}

const fn tool_is_opaque(tool: &Descriptor) -> bool {
    is_opaque(tool.input)
        || match tool.output {
            Some(output) => is_opaque(output),
            None => false,
        }
}

/// Returns the message that refuses a tool, if any.
#[allow(clippy::large_stack_arrays)] // It runs in `const` alone.
const fn judge(
    name: &str,
    found: &Found,
    tool: &Descriptor,
    may_be_opaque: bool,
) -> Option<ConstText> {
    // It may only stand in another place.
    if let Some((hex, _)) = found.print.split_at_checked(17)
        && let Some((_, hex)) = hex.split_at_checked(1)
        && let Ok(print) = u64::from_str_radix(hex, 16)
        && print == fingerprint(tool)
    {
        return None;
    }
    let mut text = ConstText::new();
    text.push("`");
    text.push(name);
    if tool_is_opaque(tool) {
        if may_be_opaque {
            return None;
        }
        text.push("` has a part that is known at run time alone, so the lock cannot be held here\nhelp: say so, `unproven: [");
        text.push(tool.name);
        text.push("]`, and call `toolwright::lock::check` in a test");
        return Some(text);
    }
    let Some(entry) = found.entry(name) else {
        text.push("` has a fingerprint in the lock file, and no entry\nhelp: bring the file back from version control");
        return Some(text);
    };
    if let Some(gone) = broken_hint(entry, tool.annotations) {
        text.push("` breaks those who call it: ");
        text.push(gone);
        accept(&mut text);
        return Some(text);
    }
    let (mut input, mut output) = ([0; LONGEST], [0; LONGEST]);
    let Some(len) = write(&mut input, tool.input, tool.refs, false) else {
        return too_large(text, tool.name, may_be_opaque);
    };
    let old = match value_of(entry, "input") {
        Some(old) => old,
        None => "false",
    };
    let mut found = Findings::NONE;
    let question = Question {
        from: old.as_bytes(),
        by: input.split_at(len).0,
        is_output: false,
        renamed: tool.past.was_args,
    };
    if !matches!(question.answer(&mut found), Answer::Yes) {
        text.push("` breaks those who call it: ");
        tell(&mut text, &found, false);
        return Some(text);
    }
    let Some(old) = value_of(entry, "output") else {
        return None;
    };
    let Some(shape) = tool.output else {
        text.push("` breaks those who read its result: it is no longer described");
        accept(&mut text);
        return Some(text);
    };
    let refs = Refs::NONE;
    let Some(len) = write(&mut output, shape, &refs, true) else {
        return too_large(text, tool.name, may_be_opaque);
    };
    let mut found = Findings::NONE;
    let question = Question {
        from: output.split_at(len).0,
        by: old.as_bytes(),
        is_output: true,
        renamed: &[],
    };
    if matches!(question.answer(&mut found), Answer::Yes) {
        return None;
    }
    text.push("` breaks those who read its result: ");
    tell(&mut text, &found, true);
    Some(text)
}

const fn too_large(mut text: ConstText, name: &str, may_be_opaque: bool) -> Option<ConstText> {
    if may_be_opaque {
        return None;
    }
    text.push("` changed, and is too large to be compared here\nhelp: say so, `unproven: [");
    text.push(name);
    text.push("]`, and call `toolwright::lock::check` in a test");
    Some(text)
}

const fn tell(text: &mut ConstText, found: &Findings<'_>, is_output: bool) {
    if let Some(first) = found.first() {
        first.write(text, is_output);
    }
    if found.len > 1 {
        text.push(", and ");
        text.push_number(found.len - 1);
        text.push(" more");
    }
    // An argument that is gone may have another name.
    if let Some(old) = found.removed()
        && found.len > 1
    {
        text.push("\nhelp: if `");
        text.push(old);
        text.push("` has another name, say `#[arg(was = \"");
        text.push(old);
        text.push("\")]` there; else admit what was admitted, or accept the break: `TOOLS_LOCK=accept-major cargo test`");
        return;
    }
    accept(text);
}

const fn accept(text: &mut ConstText) {
    text.push("\nhelp: admit what was admitted, or accept the break: `TOOLS_LOCK=accept-major cargo test`");
}

const fn broken_hint(entry: &str, now: Annotations) -> Option<&'static str> {
    let Some(old) = value_of(entry, "annotations") else {
        return None;
    };
    if was(old, "read_only") && !matches!(now.read_only, Some(true)) {
        return Some("it only read, and may change things now");
    }
    if !was(old, "destructive") && matches!(now.destructive, Some(true)) {
        return Some("it may destroy things now");
    }
    None
}

const fn was(hints: &str, name: &str) -> bool {
    match value_of(hints, name) {
        Some(value) => same(value, "true"),
        None => false,
    }
}

/// The tools of a list as they are locked; `elements` has the last name of each element.
pub fn locked_tools(list: &'static [Briefs], elements: &[&'static str]) -> Vec<LockedTool> {
    let mut all = Vec::new();
    for (element, name) in list.iter().zip(elements) {
        let (inputs, listed) = element.inputs();
        let (tools, _) = inputs.tools();
        for tool in tools.iter().filter(|tool| !tool.name.is_empty()) {
            all.push(LockedTool {
                def: tool.def(listed),
                element: name,
                fingerprint: (!tool_is_opaque(tool)).then(|| fingerprint(tool)),
                past: Past {
                    name: tool.name,
                    ..tool.past
                },
            });
        }
    }
    all
}

/// Adds the lock of a list to its tools.
pub fn locked(tools: Toolset, lock: Locked) -> Toolset {
    tools.locked(lock)
}
