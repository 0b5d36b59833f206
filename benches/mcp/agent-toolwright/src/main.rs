//! An agent of four tools, by Toolwright: reads `OPENAI_API_KEY`, and answers the question of its first argument.

#[path = "../../desk.rs"]
#[allow(dead_code)]
mod desk;

use std::error::Error;
use std::sync::Arc;

use toolwright::agent::{Agent, Endpoint, Session};
use toolwright::{Context, Schema, tool, tools};

use crate::desk::{Fault, Order, Orders, Search, Shop, State};

struct Desk(Arc<Shop>);

#[tool]
impl Desk {
    /// Find orders, the oldest first.
    #[tool(read_only)]
    fn find_orders(
        &self,
        /// Name of the customer
        #[arg(len(1..=200))]
        customer: Option<&str>,
        state: Option<State>,
        #[arg(default = 1, range(1..))] page: u32,
    ) -> Orders {
        let search = Search {
            customer,
            state,
            ..Search::default()
        };
        self.0.find(&search, page, 20)
    }

    /// Read an order.
    #[tool(read_only)]
    fn get_order(
        &self,
        /// Number of the order
        #[arg(pattern = "^o-[0-9]+$")]
        id: &str,
    ) -> Result<Order, Fault> {
        self.0.order(id)
    }

    /// Cancel an open order.
    #[tool(destructive)]
    fn cancel_order(
        &self,
        /// Number of the order
        #[arg(pattern = "^o-[0-9]+$")]
        id: &str,
        /// What the customer said
        #[arg(len(1..=200))]
        reason: String,
    ) -> Result<Order, Fault> {
        self.0.cancel(id, reason)
    }

    /// Refund a part of an order.
    #[tool(destructive)]
    fn refund(
        &self,
        /// Number of the order
        #[arg(pattern = "^o-[0-9]+$")]
        id: &str,
        #[arg(range(1..))] cents: u32,
    ) -> Result<Order, Fault> {
        self.0.refund(id, cents)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let question = std::env::args().nth(1).unwrap_or_default();
    let key = std::env::var("OPENAI_API_KEY")?;
    let model = Endpoint::openai_chat("https://api.openai.com/v1", "gpt-5.2", key);
    let shop = Arc::new(Shop::default());
    let agent = Agent::new(model, tools![..Desk(shop): Desk]).max_turns(8);
    let agent = agent.system("You are the desk of a shop.");
    let run = agent
        .run(&mut Session::ask(question), &Context::new())
        .await?;
    println!("{}", run.text().unwrap_or_default());
    Ok(())
}
