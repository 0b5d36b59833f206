//! A person's yes, by any path, anywhere among the parameters; a type of one's own may have its name.
#![deny(warnings)]

use serde::Deserialize;
use toolwright::{Context, Schema, call, tool, tools};

/// Pays a bill.
#[tool]
fn pay(_: call::Approved<'_>, bill: u32) -> u32 {
    bill
}

/// Pays a bill, some time.
///
/// - `yes`: a person's
#[tool(destructive, validate = is_small)]
async fn pay_later<'a>(
    note: &'a str,
    mut yes: toolwright::call::Approved<'a>,
    #[context] cx: &Context,
    #[state] most: &u32,
) -> String {
    let _ = (&mut yes, cx, most);
    format!("{note}: {}", yes.arguments())
}

fn is_small(note: &str) -> Result<(), String> {
    if note.len() < 9 {
        Ok(())
    } else {
        Err("too long".into())
    }
}

/// Whether an invoice is approved.
#[derive(Deserialize, Schema)]
struct Approved {
    by: String,
}

/// Says who approved.
#[tool]
fn who(approved: Approved) -> String {
    approved.by
}

/// Finds a thing.
#[tool]
fn find<T: Schema + for<'de> Deserialize<'de> + std::fmt::Debug>(
    thing: T,
    yes: call::Approved<'_>,
) -> String {
    format!("{thing:?} {}", yes.to_value())
}

struct Desk;

#[tool]
impl Desk {
    /// Opens the desk.
    #[tool]
    fn open(&self, yes: call::Approved<'_>) {
        drop(yes);
    }
}

#[test]
fn runs() {
    let tools = tools![pay, pay_later, who, find::<u8> as "find_u8", ..Desk: Desk; state = 5_u32];
    let needs: Vec<_> = tools
        .definitions()
        .map(|def| def.options.needs_approval)
        .collect();
    assert_eq!(needs, [true, true, false, true, true]);
}
