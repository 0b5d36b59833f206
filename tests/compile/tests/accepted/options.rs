//! Every option of `#[tool]`.
#![deny(warnings)]

use toolwright::{call::Scope, tool, tools};

fn only_when_asked(scope: &Scope<'_>) -> bool {
    scope.input.is_some()
}

mod rules {
    pub fn is_small(
        name: &str,
        count: &u32,
        note: &Option<&str>,
        lines: Option<&[u8]>,
    ) -> Result<(), String> {
        let length = name.len() + note.map_or(0, str::len) + lines.map_or(0, <[u8]>::len);
        if length + *count as usize > 3 {
            Err("too much".into())
        } else {
            Ok(())
        }
    }
}

/// What people read.
#[tool(
    name = "take-it",
    title = "Take it",
    description = "What the model reads.",
    read_only = false,
    destructive,
    idempotent = true,
    open_world,
    exclusive,
    return_direct,
    blocking,
    timeout = "2m",
    meta(kind = "test", priority = 1, deep = -1.5, on = true),
    visible = only_when_asked,
    validate = rules::is_small,
    crate = ::toolwright,
)]
fn take(
    name: String,
    #[arg(default = 1)] count: u32,
    note: Option<&str>,
    lines: Option<&[u8]>,
) -> u32 {
    let _ = (name, note, lines);
    count
}

/// Left to the host.
#[tool(manual)]
fn ask() {}

/// Runs as it is written.
#[tool(exact)]
fn spell(word: &str) -> usize {
    word.len()
}

#[test]
fn runs() {
    assert_eq!(tools![take, ask, spell].iter().len(), 3);
}
