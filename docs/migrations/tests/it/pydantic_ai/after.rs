use crate::shop::{Db, NoArticle};
// ANCHOR: after
use serde::{Deserialize, Serialize};
use toolwright::agent::{Agent, AgentError, Model, Session};
use toolwright::{Context, Schema, Toolset, tool, tools};

/// Who pays
#[derive(Deserialize, Schema)]
struct Customer {
    /// Full name
    name: String,
    /// Two-letter country code
    country: Option<String>,
}

#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    Normal,
    Express,
}

#[derive(Serialize, Schema)]
struct Receipt {
    number: u32,
    total: u32,
    bill_to: String,
}

/// Place an order.
#[tool]
fn place_order(
    /// Article number
    sku: &str,
    customer: Customer,
    /// How many
    #[arg(default = 1)]
    quantity: u8,
    /// How fast it is sent
    #[arg(default = Speed::Normal)]
    speed: Speed,
    #[state] db: &Db,
) -> Result<Receipt, NoArticle> {
    let (number, total) = db.order(sku, quantity, matches!(speed, Speed::Express))?;
    let bill_to = match customer.country {
        Some(country) => format!("{}, {country}", customer.name),
        None => customer.name,
    };
    Ok(Receipt {
        number,
        total,
        bill_to,
    })
}

pub fn toolset(db: Db) -> Toolset {
    tools![place_order; state = db]
}

// A `model` is `Endpoint::openai_chat(url, name, key)` (feature `http`), or your own.
pub async fn run(model: impl Model + 'static, db: Db, prompt: &str) -> Result<String, AgentError> {
    let agent = Agent::new(model, toolset(db))
        .system("You work for a shop.")
        .max_turns(8);
    let mut session = Session::ask(prompt);
    let run = agent.run(&mut session, &Context::new()).await?;
    Ok(run.text().unwrap_or_default().to_owned())
}
// ANCHOR_END: after
