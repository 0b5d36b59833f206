//! The tools of a terminal, as the example makes them.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "../../examples/console.rs"]
mod example;

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use example::{Console, User, ask_user, tell_user};
use toolwright::{Context, Encoder, ToolCall, ToolResult, Toolset, call::ErrorKind, tools};

#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn run(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    tools.call_blocking(&ToolCall::new("1", name, arguments), &Context::new())
}

#[test]
fn a_user_is_asked_and_told_and_one_who_is_gone_is_an_error() {
    let screen = Screen::default();
    let console = Console::new(Cursor::new("Oslo\n"), screen.clone());
    let tools = tools![ask_user, tell_user; state = User(Box::new(console))];
    let question = r#"{"question": "Where to?"}"#;
    let answer = run(&tools, "ask_user", question);
    assert_eq!(answer.content(Encoder::auto()), "Oslo");
    assert!(run(&tools, "tell_user", r#"{"message": "Thanks."}"#).is_success());
    // Nobody types any more.
    let gone = run(&tools, "ask_user", question);
    let text = gone.content(Encoder::text());
    assert_eq!(text, "Error: nobody answers: the input has ended");
    assert_eq!(gone.outcome.unwrap_err().kind(), ErrorKind::Failed);
    let shown = String::from_utf8(screen.0.lock().unwrap().clone()).unwrap();
    assert_eq!(shown, "Where to? Thanks.\nWhere to? ");
}
