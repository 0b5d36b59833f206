//! `&Context` without a mark, by any path, in all that a macro reads; another type of the name where an attribute says so.
#![deny(warnings)]

use toolwright::mcp::Messages;
use toolwright::{Context, Encoder, ToolCall, prompt, resource, tool, tools};

mod own {
    /// A type of the application, which has the name by chance.
    pub struct Context(pub u32);
}

/// Names the call.
#[tool]
fn named(cx: &Context) -> String {
    cx.call_id().unwrap_or("none").to_owned()
}

/// Names the call, by a path.
#[tool]
async fn by_path(cx: &toolwright::Context, count: u32) -> String {
    format!("{} {count}", cx.call_id().unwrap_or("none"))
}

/// Reads the state of the same name.
#[tool]
fn of_state(#[state] settings: &own::Context, cx: &Context) -> String {
    format!("{} {}", settings.0, cx.call_id().unwrap_or("none"))
}

/// Greets.
#[prompt]
fn greet(cx: &Context, name: &str) -> Messages {
    Messages::new().user(format!("{name} {}", cx.call_id().is_some()))
}

/// A note.
#[resource("notes://{name}")]
fn note(cx: &Context, name: &str) -> String {
    format!("{name} {}", cx.call_id().is_some())
}

struct Crm;

#[tool]
impl Crm {
    /// Names the call of a method.
    #[tool]
    fn of_method(&self, cx: &Context) -> String {
        cx.call_id().unwrap_or("none").to_owned()
    }
}

#[test]
fn a_context_needs_no_mark() {
    let crm = Crm;
    let tools = tools![named, by_path, of_state, ..crm: Crm; state = own::Context(7)];
    for (name, arguments, expected) in [
        ("named", "{}", "1"),
        ("by_path", r#"{"count": 2}"#, "1 2"),
        ("of_state", "{}", "7 1"),
        ("of_method", "{}", "1"),
    ] {
        let result = tools.call_blocking(&ToolCall::new("1", name, arguments), &Context::new());
        assert_eq!(result.content(Encoder::auto()), expected, "{name}");
    }
    for listed in [tools![greet], tools![note]] {
        let keys = listed.definitions().next().unwrap().input.as_json();
        assert!(
            keys.contains("\"name\"") && !keys.contains("\"cx\""),
            "{keys}"
        );
    }
}
