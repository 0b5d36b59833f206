//! Defaults, for every way in which an argument is passed.
#![deny(warnings)]

use std::borrow::Cow;
use toolwright::{Context, Encoder, Schema, ToolCall, tool, tools};

const LIMIT: u32 = 10;

fn names() -> Vec<String> {
    vec!["Ada".to_owned()]
}

#[derive(Debug, Default, Clone, Copy, serde::Deserialize, serde::Serialize, Schema)]
enum Speed {
    #[default]
    Slow,
    Fast,
}

/// No schema shows its default, since it cannot be written.
#[derive(Debug, Default, serde::Deserialize, Schema)]
struct Filter {
    word: String,
}

/// Show the defaults.
#[tool]
fn show(
    #[arg(default)] flag: bool,
    #[arg(default = LIMIT * 2)] limit: u32,
    #[arg(default = names())] names: Vec<String>,
    #[arg(default = Speed::Fast)] speed: Speed,
    #[arg(default)] other: Speed,
    #[arg(default)] filter: Filter,
    #[arg(default = "text")] text: &str,
    #[arg(default)] empty: &str,
    #[arg(default = &[1, 2])] numbers: &[i32],
    #[arg(default = &Speed::Slow)] lent: &Speed,
    #[arg(default = Some("maybe"))] maybe: Option<&str>,
    #[arg(default = Cow::Borrowed("cow"))] cow: Cow<'_, str>,
    #[arg(default = "owned".into())] owned: String,
    #[arg(default = Some(3))] option: Option<u8>,
) -> String {
    format!(
        "{flag}{limit}{names:?}{speed:?}{other:?}{}{text}{empty}{numbers:?}{lent:?}{maybe:?}{cow}{owned}{option:?}",
        filter.word
    )
}

/// Stand at the ends of their ranges.
#[tool]
fn ends(
    #[arg(default = -5, range(-5..))] low: i8,
    #[arg(default = 340282366920938463463374607431768211454, range(..340282366920938463463374607431768211455))]
    high: u128,
    #[arg(default = -0.0, range(0.0..=1.0))] zero: f64,
    #[arg(default = LIMIT, range(..=10))] named: u32,
) -> String {
    format!("{low} {high} {zero} {named}")
}

#[test]
fn runs() {
    let result = tools![ends].call_blocking(&ToolCall::new("1", "ends", "{}"), &Context::new());
    assert_eq!(
        result.content(Encoder::auto()),
        "-5 340282366920938463463374607431768211454 -0 10"
    );
    let result = tools![show].call_blocking(&ToolCall::new("1", "show", "{}"), &Context::new());
    assert_eq!(
        result.content(Encoder::auto()),
        r#"false20["Ada"]FastSlowtext[1, 2]SlowSome("maybe")cowownedSome(3)"#
    );
}
