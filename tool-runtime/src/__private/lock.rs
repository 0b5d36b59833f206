//! Support for `lock: "tools.lock"` of `tools!`: the comparison in `const` of each tool with the file.

use toolwright_schema::compare::{Answer, Findings, Fingerprint, Question, is_opaque, write};
use toolwright_schema::compare::{Members, value_of};
use toolwright_schema::text::ConstText;
use toolwright_schema::text::same;

use super::targets::is_one_of;
use super::{As, Descriptor, Inputs};
use crate::tool::Past;
use crate::toolset::{Locked, LockedTool, Toolset};
use toolwright_provider::call::Annotations;

/// Length of a schema that is compared in `const`, at most: in bytes.
const LONGEST: usize = 32 * 1024;

/// A lock file, and what it says of a list of `N` elements.
#[derive(Debug)]
pub struct Lock<const N: usize> {
    text: &'static str,
    /// True for each element with a tool whose fingerprint is not where it was.
    changed: [bool; N],
    /// True if the file has these tools in this order, and no others.
    is_straight: bool,
}

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

/// Reads the file: its fingerprints are held against the list's in one pass, tool by tool. What is not where it was is looked for
/// where it is asked for.
///
/// # Panics
/// At the caller's place, if the file is neither empty nor a lock.
#[allow(clippy::indexing_slicing)] // There are `N` elements.
#[track_caller]
pub const fn lock<const N: usize>(text: &'static str, is_off: bool, list: &[Inputs; N]) -> Lock<N> {
    let mut lock = Lock {
        text,
        changed: [false; N],
        is_straight: true,
    };
    if is_off || text.trim_ascii().is_empty() {
        return lock;
    }
    let Some((b"lock", version, rest)) = first_member(text) else {
        panic!(
            "the lock file cannot be read: it is not as it was written\nhelp: bring it back from version control, or empty it and write it anew: `TOOLS_LOCK=update cargo test`"
        );
    };
    assert!(
        same(version, "1"),
        "the lock file is of a later version\nhelp: build with the toolwright that wrote it"
    );
    let mut rest = match after(rest, b"\"fingerprints\":{") {
        Some(rest) => rest,
        None => &[],
    };
    let mut index = 0;
    while index < N {
        let (mut tools, listed) = list[index].tools();
        while let [tool, more @ ..] = tools {
            tools = more;
            if tool.name.is_empty() {
                continue;
            }
            match printed(rest, listed, tool) {
                Some(behind) => rest = behind,
                None => {
                    lock.changed[index] = true;
                    lock.is_straight = false;
                    // The next may stand behind it.
                    if let Some(behind) = behind_member(rest) {
                        rest = behind;
                    }
                }
            }
        }
        index += 1;
    }
    lock.is_straight &= after(rest, b"}").is_some();
    lock
}

/// Splits the first member off the text of an object.
const fn first_member(text: &str) -> Option<(&[u8], &str, &[u8])> {
    match Members::of(text).split() {
        Some((key, value, rest)) => Some((key.as_bytes(), value, rest.rest())),
        None => None,
    }
}

/// Returns what stands behind a member and its comma.
const fn behind_member(text: &[u8]) -> Option<&[u8]> {
    match Members::inside(text).split() {
        Some((_, _, rest)) => Some(rest.rest()),
        None => None,
    }
}

/// Returns what stands behind these bytes, if a text starts with them, but for white space and commas between.
const fn after<'t>(mut text: &'t [u8], mut bytes: &[u8]) -> Option<&'t [u8]> {
    while let [byte, wanted @ ..] = bytes {
        match text {
            [b' ' | b'\n' | b'\r' | b'\t' | b',', rest @ ..] => text = rest,
            [one, rest @ ..] if *one == *byte => {
                text = rest;
                bytes = wanted;
            }
            _ => return None,
        }
    }
    Some(text)
}

/// Returns what stands behind these bytes, if a text starts with them.
const fn behind<'t>(mut text: &'t [u8], mut bytes: &[u8]) -> Option<&'t [u8]> {
    while let [byte, wanted @ ..] = bytes {
        match text {
            [one, rest @ ..] if *one == *byte => text = rest,
            _ => return None,
        }
        bytes = wanted;
    }
    Some(text)
}

/// Returns what stands behind a tool's fingerprint, if it is the next one in the file.
const fn printed<'t>(text: &'t [u8], listed: As, tool: &Descriptor) -> Option<&'t [u8]> {
    let Some(text) = after(text, b"\"") else {
        return None;
    };
    let (prefix, name) = match listed {
        As::Tool(other, _) if !other.is_empty() => ("", other),
        As::Tool(..) => ("", tool.name),
        As::Instance(prefix, _) => (prefix, tool.name),
    };
    let Some(text) = behind(text, prefix.as_bytes()) else {
        return None;
    };
    let Some(text) = behind(text, name.as_bytes()) else {
        return None;
    };
    let Some(text) = after(text, b"\":\"") else {
        return None;
    };
    let (mut text, print) = (text, fingerprint(tool));
    let mut shift = u64::BITS;
    while shift > 0 {
        shift -= 4;
        let [digit, rest @ ..] = text else {
            return None;
        };
        text = rest;
        let value = match *digit {
            digit @ b'0'..=b'9' => digit - b'0',
            letter @ b'a'..=b'f' => letter - b'a' + 10,
            _ => return None,
        };
        if (print >> shift) & 15 != value as u64 {
            return None;
        }
    }
    after(text, b"\"")
}

/// Refuses an element with a tool that breaks those who call it as the file says that they may.
///
/// # Panics
/// At the caller's place, with the tool, what broke, and the way out.
#[track_caller]
pub const fn kept<const N: usize>(
    lock: &Lock<N>,
    element: &Inputs,
    at: usize,
    unproven: &[&str],
    all: bool,
) {
    match lock.changed.split_at_checked(at) {
        Some((_, [true, ..])) => {}
        _ => return,
    }
    let (mut tools, listed) = element.tools();
    while let [tool, more @ ..] = tools {
        tools = more;
        if tool.name.is_empty() {
            continue;
        }
        let now = called(listed, tool.name);
        let now = now.as_str();
        let before = lock.name_before(listed, tool);
        let before = before.as_str();
        // A new tool breaks nobody.
        let (name, print) = match (lock.print(now), lock.print(before)) {
            (Some(print), _) => (now, print),
            (None, Some(print)) => (before, print),
            (None, None) => continue,
        };
        let may_be_opaque = all || is_one_of(unproven, tool.name) || is_one_of(unproven, name);
        if let Some(text) = lock.judge(name, print, tool, may_be_opaque) {
            panic!("{}", text.as_str());
        }
    }
}

/// The name that a list gives a tool of this name.
const fn called(listed: As, own: &str) -> ConstText {
    let mut text = ConstText::new();
    match listed {
        As::Tool(other, _) if !other.is_empty() => text.push(other),
        As::Tool(..) => text.push(own),
        As::Instance(prefix, _) => {
            text.push(prefix);
            text.push(own);
        }
    }
    text
}

/// Refuses a list that lacks a tool of the file, unless it belongs to an element that is switched off.
///
/// # Panics
/// At the caller's place, with the tool and the way out.
#[track_caller]
pub const fn none_is_gone<const N: usize>(lock: &Lock<N>, list: &[Inputs], off: &[&str]) {
    if lock.is_straight {
        return;
    }
    let Some(prints) = value_of(lock.text, "fingerprints") else {
        return;
    };
    let mut known = Members::of(prints);
    while let Some((name, _, rest)) = known.split() {
        known = rest;
        if !is_listed(list, name) && !is_one_of(off, name) && !lock.is_off_element(name, off) {
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

const fn is_listed(mut list: &[Inputs], name: &str) -> bool {
    while let [element, rest @ ..] = list {
        if brings(element, name) || brought(element, name) {
            return true;
        }
        list = rest;
    }
    false
}

const fn brings(element: &Inputs, name: &str) -> bool {
    let (mut tools, listed) = element.tools();
    while let [tool, more @ ..] = tools {
        if is_called(name, listed, tool.name) {
            return true;
        }
        tools = more;
    }
    false
}

/// Returns true if one of an element's tools had a name before.
const fn brought(element: &Inputs, name: &str) -> bool {
    let (mut tools, listed) = element.tools();
    let prefix = match listed {
        As::Instance(prefix, _) => prefix,
        As::Tool(..) => "",
    };
    while let [tool, more @ ..] = tools {
        let mut was = tool.past.was;
        while let [old, rest @ ..] = was {
            if is_called(name, As::Instance(prefix, ""), old) {
                return true;
            }
            was = rest;
        }
        tools = more;
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
    let print = Fingerprint::NEW.tree(tool.input, false);
    let print = match tool.output {
        Some(output) => print.number(1).tree(output, true),
        None => print.number(0),
    };
    let Annotations {
        read_only,
        destructive,
        ..
    } = tool.annotations;
    print
        .number(matches!(read_only, Some(true)) as u64)
        .number(matches!(destructive, Some(true)) as u64)
        .value()
}

const fn tool_is_opaque(tool: &Descriptor) -> bool {
    is_opaque(tool.input)
        || match tool.output {
            Some(output) => is_opaque(output),
            None => false,
        }
}

impl<const N: usize> Lock<N> {
    /// The fingerprint of a tool in the file, as it is written.
    const fn print(&self, name: &str) -> Option<&'static str> {
        match value_of(self.text, "fingerprints") {
            Some(prints) => value_of(prints, name),
            None => None,
        }
    }

    /// Returns true if the file says that a tool belongs to an element that is switched off.
    const fn is_off_element(&self, name: &str, off: &[&str]) -> bool {
        let Some(entry) = self.entry(name) else {
            return false;
        };
        match value_of(entry, "element") {
            Some(element) => match element.as_bytes() {
                [b'"', inside @ .., b'"'] => match std::str::from_utf8(inside) {
                    Ok(element) => is_one_of(off, element),
                    Err(_) => false,
                },
                _ => false,
            },
            None => false,
        }
    }

    /// The name that a tool had in the file; nothing if it had none that the tool tells of.
    const fn name_before(&self, listed: As, tool: &Descriptor) -> ConstText {
        // A list's own name for a tool is none that the tool had.
        let listed = match listed {
            As::Instance(prefix, words) => As::Instance(prefix, words),
            As::Tool(..) => As::OWN,
        };
        let mut was = tool.past.was;
        while let [old, rest @ ..] = was {
            let name = called(listed, old);
            if self.print(name.as_str()).is_some() {
                return name;
            }
            was = rest;
        }
        ConstText::new()
    }

    const fn entry(&self, name: &str) -> Option<&'static str> {
        match value_of(self.text, "tools") {
            Some(tools) => value_of(tools, name),
            None => None,
        }
    }

    /// Returns the message that refuses a tool, if any.
    #[allow(clippy::large_stack_arrays)] // It runs in `const` alone.
    const fn judge(
        &self,
        name: &str,
        print: &str,
        tool: &Descriptor,
        may_be_opaque: bool,
    ) -> Option<ConstText> {
        // It may only stand in another place.
        if let [b'"', hex @ .., b'"'] = print.as_bytes()
            && let Ok(hex) = std::str::from_utf8(hex)
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
        let Some(entry) = self.entry(name) else {
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
        let refs = toolwright_schema::shape::Refs::NONE;
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
pub fn locked_tools(list: &'static [Inputs], elements: &[&'static str]) -> Vec<LockedTool> {
    let mut all = Vec::new();
    for (element, name) in list.iter().zip(elements) {
        let (tools, _) = element.tools();
        for tool in tools.iter().filter(|tool| !tool.name.is_empty()) {
            all.push(LockedTool {
                def: tool.def(element.listed_as()),
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
