//! The page `examples.md`.

use crate::output;

// ANCHOR: program
use toolwright::{Instructions, Wire, instructions, tool, tools};

/// Tells the weather of the next days.
#[tool(
    read_only,
    example({"city": "Oslo", "days": 2}, "two days"),
    example({"city": "Bergen"}, "today"),
)]
fn forecast(city: String, #[arg(range(1..=14))] days: Option<u8>) -> String {
    format!("{city}: sun for {} days", days.unwrap_or(1))
}

/// Books a table.
#[tool(example({"guests": 2, "outside": true}))]
fn book(guests: u8, outside: bool) -> String {
    format!("booked for {guests}, outside: {outside}")
}

const SYSTEM: Instructions = instructions!(
    "Look with `{forecast}` before you call `{book}`; set `{book.outside}` only if it does not rain."
);

fn main() {
    let tools = tools! { instructions: [SYSTEM]; forecast as "weather", book };
    println!("{}", Wire::Anthropic.definitions(&tools));
    println!("{}", SYSTEM.render(&tools).unwrap());
}
// ANCHOR_END: program

#[test]
fn the_first_program() {
    let printed = output::of(main);
    let (sent, system) = printed.split_once('\n').unwrap();
    output::shown_schema("examples.anthropic.json", sent);
    output::shown("examples.system.txt", system);
}

#[test]
fn others_are_told_in_the_description() {
    let tool = toolwright::tool_of!(forecast).describe_examples();
    let tools = toolwright::Toolset::new([tool]).unwrap();
    let sent = Wire::OpenAiResponses.definitions(&tools).to_string();
    let sent: serde_json::Value = serde_json::from_str(&sent).unwrap();
    output::shown(
        "examples.described.txt",
        sent[0]["description"].as_str().unwrap(),
    );
}

mod stale {
    use crate::output;

    // ANCHOR: refused
    use toolwright::{Dialect, Instructions, instructions, tool, tools};

    /// Tells the weather. Dress by [`fn@advise`].
    #[tool(example({"city": 7, "days": 15}))]
    fn forecast(city: String, #[arg(range(1..=14))] days: Option<u8>) -> String {
        format!("{city}: sun for {} days", days.unwrap_or(1))
    }

    /// Says what to wear.
    #[tool]
    fn advise(sky: String) -> String {
        format!("a hat for {sky}")
    }

    const SYSTEM: Instructions = instructions!("`{forecast.place}` is in English.");

    fn main() {
        let tools = tools! { instructions: [SYSTEM]; forecast };
        println!("{}", tools.check(Dialect::Anthropic));
    }
    // ANCHOR_END: refused

    #[test]
    fn a_check_reports_what_is_stale() {
        output::shown("examples.refused.txt", &output::of(main));
        assert_eq!(advise("rain".to_owned()), "a hat for rain");
    }
}
