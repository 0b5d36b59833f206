//! Names that are words of the language.
#![deny(warnings)]

use toolwright::{Context, Encoder, ToolCall, tool, tools};

/// Match.
#[tool]
fn r#match(r#type: String, #[arg(default = 1)] r#loop: u8) -> String {
    r#type.repeat(usize::from(r#loop))
}

struct Engine;

#[tool]
impl Engine {
    /// Move.
    #[tool]
    fn r#move(&self, #[arg(default)] r#where: String) -> String {
        r#where
    }
}

#[test]
fn runs() {
    assert_eq!(r#match("a".into(), 2), "aa");
    let tools = tools![r#match, ..Engine: Engine];
    let call = ToolCall::new("1", "match", r#"{"type": "b", "loop": 3}"#);
    let result = tools.call_blocking(&call, &Context::new());
    assert_eq!(result.content(Encoder::auto()), "bbb");
    assert!(tools.get("move").is_some());
}
