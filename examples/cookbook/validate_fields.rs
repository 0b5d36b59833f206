// How do I check arguments against each other?

use toolwright::{Context, Encoder, ToolCall, tool, tools};

/// Book a room.
#[tool(validate = dates_in_order)]
fn book_room(
    #[arg(format = "date")] arrival: &str,
    #[arg(format = "date")] departure: &str,
    #[arg(range(1..=4))] guests: u8,
) -> String {
    format!("Booked for {guests}, {arrival} to {departure}")
}

// Gets each argument by reference, after all have passed their own checks.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn dates_in_order(arrival: &str, departure: &str, _guests: &u8) -> Result<(), String> {
    if arrival < departure {
        Ok(())
    } else {
        Err(format!("`departure` must be later than {arrival}"))
    }
}

fn main() {
    let tools = tools![book_room];
    for arguments in [
        r#"{"arrival": "2026-05-01", "departure": "2026-05-04", "guests": 2}"#,
        r#"{"arrival": "2026-05-04", "departure": "2026-05-01", "guests": 2}"#,
        r#"{"arrival": "2026-05-04", "departure": "soon", "guests": 9}"#,
    ] {
        let call = ToolCall::new("call_1", "book_room", arguments);
        let result = tools.call_blocking(&call, &Context::new());
        println!("{}", result.content(Encoder::auto()));
    }
}

// Prints:
// Booked for 2, 2026-05-01 to 2026-05-04
// `departure` must be later than 2026-05-04
// departure: expected a string in the format `date`, got "soon"
// guests: expected an integer from 1 to 4, got 9
