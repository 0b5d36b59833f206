use serde_json::json;

use toolwright_provider::call::{
    Content, Encoder, HaltReason, Outcome, ToolCall, ToolError, ToolResult, contained,
};

/// An encoder has a text for every answer, the same each time; a value stands in its text, and of an
/// error what the model may read and nothing else.
///
/// ```
/// use toolwright::{Encoder};
/// use toolwright_testing as testing;
///
/// testing::conformance::encoder(Encoder::envelope());
/// ```
///
/// # Panics
/// When it is not so.
#[track_caller]
pub fn encoder(encoder: Encoder) {
    let values = [
        (json!("needle"), "needle"),
        (json!("needle \"quoted\"\n\u{1}é"), "needle"),
        (json!(null), ""),
        (json!(42), "42"),
        (json!(true), "true"),
        (json!([1, "needle"]), "needle"),
        (json!({"needle": {"deep": [null]}}), "needle"),
    ];
    for (value, shown) in values {
        let text = write(encoder, Ok(Outcome::value(&value)));
        assert!(text.contains(shown), "{value} is shown as {text}");
    }
    write(encoder, Ok(Outcome::value("")));
    write(encoder, Ok(Outcome::ask("Which?")));
    write(encoder, Ok(Outcome::direct("needle")));
    write(encoder, Ok(Outcome::halt(HaltReason::new("done"), 1)));
    let content = Content::text("needle").image("image/png", "AAAA");
    write(encoder, Ok(Outcome::Content(content)));

    let error = ToolError::failed("needle \"one\"")
        .with_message("second")
        .with_debug("a secret")
        .with_source("a secret source");
    let text = write(encoder, Err(error));
    let told = text.contains("needle") && text.contains("second");
    assert!(told, "an error does not say why: {text}");
    assert!(
        !text.contains("secret"),
        "what only the host may read: {text}"
    );
    let good = write(encoder, Ok(Outcome::value("one")));
    let bad = write(encoder, Err(ToolError::failed("another")));
    assert!(good != bad, "a success and an error read the same: {good}");
}

#[track_caller]
fn write(encoder: Encoder, outcome: Result<Outcome, ToolError>) -> String {
    let result = ToolResult::new(&ToolCall::new("call_1", "tool", "{}"), outcome);
    let shown = format!("{:?}", result.outcome);
    match contained(|| result.content(encoder).into_owned()) {
        Ok(text) => {
            assert!(
                result.content(encoder) == text,
                "two texts of one answer: {shown}"
            );
            text
        }
        Err(panic) => panic!("the encoder panics: {shown}: {panic:?}"),
    }
}
