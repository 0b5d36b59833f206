//! What a tool may return.
#![deny(warnings)]

use std::fmt;
use toolwright::{
    Context, Encoder, Outcome, Schema, ToolCall, ToolError, call::Content, tool, tools,
};

/// As `anyhow::Error`: with words, but not an `Error`.
#[derive(Debug)]
struct Report(String);

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Report {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

type Result<T, E = Report> = std::result::Result<T, E>;

/// An error that cannot be shown in `Debug`.
struct Words;

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("words")
    }
}

#[derive(serde::Serialize, Schema)]
struct Receipt {
    total: u32,
}

/// A type that has the name of a trait.
#[derive(serde::Serialize, Schema)]
struct Stream {
    width: u32,
}

/// Finds a stream.
#[tool]
fn find_stream() -> std::result::Result<Stream, Box<dyn std::error::Error + Send + Sync>> {
    Ok(Stream { width: 3 })
}

#[test]
fn a_type_with_the_name_of_a_trait_is_returned() {
    let call = ToolCall::new("1", "find_stream", "{}");
    let result = tools![find_stream].call_blocking(&call, &Context::new());
    assert_eq!(result.content(Encoder::auto()), r#"{"width":3}"#);
}

/// Nothing.
#[tool]
fn nothing() {}

/// Unit.
#[tool]
fn unit() -> () {}

/// A value.
#[tool]
fn value() -> Receipt {
    Receipt { total: 3 }
}

/// Maybe.
#[tool]
fn maybe() -> Option<Receipt> {
    None
}

/// An alias.
#[tool]
fn alias(text: &str) -> Result<Receipt> {
    Ok(Receipt {
        total: text.parse()?,
    })
}

/// Another error in an alias.
#[tool]
async fn io() -> std::io::Result<()> {
    Ok(())
}

/// An error that is boxed.
#[tool]
fn boxed() -> Result<u8, Box<dyn std::error::Error + Send + Sync>> {
    Ok("3".parse()?)
}

/// A text as an error.
#[tool]
fn text() -> Result<u8, String> {
    Err("no".into())
}

/// A static text as an error.
#[tool]
fn static_text() -> Result<u8, &'static str> {
    Err("no")
}

/// Words.
#[tool]
fn words() -> Result<u8, Words> {
    Err(Words)
}

/// Several messages.
#[tool]
fn messages() -> Result<u8, Vec<String>> {
    Err(vec!["no".into()])
}

/// Our error.
#[tool]
fn ours() -> Result<Outcome, ToolError> {
    Ok(Outcome::direct("done"))
}

/// An outcome.
#[tool]
fn outcome() -> Outcome {
    Outcome::direct("done")
}

/// Content.
#[tool]
fn content() -> Content {
    Content::text("text")
}

/// Never.
#[tool]
fn infallible() -> Result<u8, std::convert::Infallible> {
    Ok(1)
}

#[test]
fn runs() {
    let tools = tools![
        nothing,
        unit,
        value,
        maybe,
        alias,
        io,
        boxed,
        text,
        static_text,
        words,
        messages,
        ours,
        outcome,
        content,
        infallible
    ];
    let result = tools.call_blocking(
        &ToolCall::new("1", "alias", r#"{"text": "x"}"#),
        &Context::new(),
    );
    assert_eq!(
        result.content(Encoder::auto()),
        "invalid digit found in string"
    );
}
