// How do I test a tool?

use serde_json::json;
use toolwright::{Context, Dialect, ToolError, Toolset, call::ErrorKind, tool, tools};
use toolwright_testing as testing;

/// Cut a text into words of at most so many letters.
#[tool]
fn short_words(text: &str, #[arg(range(1..=20))] letters: usize) -> Vec<String> {
    let words = text.split_whitespace().map(str::to_owned);
    words
        .filter(|word| word.chars().count() <= letters)
        .collect()
}

fn my_tools() -> Toolset {
    tools![short_words]
}

// In a project these are `#[test]` and `#[tokio::test]` functions.

/// The function stays a function.
fn keeps_short_words() {
    assert_eq!(short_words("a cup of tea", 2), ["a", "of"]);
}

/// What a model would read.
async fn refuses_words_of_no_letters() -> Result<(), ToolError> {
    let arguments = json!({"text": "a cup", "letters": 0});
    let result = my_tools()
        .call_json("short_words", arguments, &Context::new())
        .await;
    let error = result.expect_err("0 is below the range");
    assert_eq!(error.kind(), ErrorKind::InvalidArgs);
    println!("{error}");
    Ok(())
}

/// Calls with random arguments that the schema admits: none panics.
fn takes_what_its_schema_admits() {
    let results = testing::assert_callable(&my_tools(), &Context::new(), 1, 50);
    println!("{} calls", results.len());
}

fn openai_accepts_it() {
    testing::assert_accepted(&my_tools(), Dialect::OpenAiStrict);
}

#[tokio::main]
async fn main() -> Result<(), ToolError> {
    keeps_short_words();
    refuses_words_of_no_letters().await?;
    takes_what_its_schema_admits();
    openai_accepts_it();
    println!("all passed");
    Ok(())
}

// Prints:
// letters: expected an integer from 1 to 20, got 0
// 51 calls
// all passed
