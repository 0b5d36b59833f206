//! An MCP server of nine tools, a prompt and a resource, by Toolwright's macro.

#[path = "../../desk.rs"]
mod desk;

use std::sync::Arc;

use toolwright::mcp::McpServer;
use toolwright::{Schema, ToolError, prompt, resource, tool, tools};

use crate::desk::{
    Address, Article, Articles, Fault, Line, Order, Orders, Report, Search, Shop, State,
};

impl From<Fault> for ToolError {
    fn from(fault: Fault) -> Self {
        Self::failed(fault.to_string()).with_data(fault.data())
    }
}

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
        /// First day
        #[arg(format = "date")]
        from: Option<&str>,
        /// Last day
        #[arg(format = "date")]
        to: Option<&str>,
        #[arg(default = 1, range(1..))] page: u32,
        #[arg(default = 20, range(1..=100))] limit: u32,
    ) -> Orders {
        let search = Search {
            customer,
            state,
            from,
            to,
        };
        self.0.find(&search, page, limit)
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

    /// Place an order.
    #[tool(destructive = false)]
    fn place_order(
        &self,
        /// Name of the customer
        #[arg(len(1..=200))]
        customer: String,
        address: Address,
        #[arg(len(1..=50))] lines: Vec<Line>,
        /// Today
        #[arg(format = "date")]
        day: String,
        #[arg(len(1..=200))] note: Option<String>,
    ) -> Result<Order, Fault> {
        self.0.place(customer, address, lines, day, note)
    }

    /// Send an open order to another address.
    #[tool(idempotent)]
    fn change_address(
        &self,
        /// Number of the order
        #[arg(pattern = "^o-[0-9]+$")]
        id: &str,
        address: Address,
    ) -> Result<Order, Fault> {
        self.0.send_to(id, address)
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

    /// Find articles by their title.
    #[tool(read_only)]
    fn find_articles(
        &self,
        /// Part of the title
        #[arg(len(1..=200))]
        text: &str,
        #[arg(default = 20, range(1..=100))] limit: u32,
    ) -> Articles {
        self.0.articles(text, limit)
    }

    /// Read an article.
    #[tool(read_only)]
    fn get_article(
        &self,
        /// Article number
        #[arg(len(1..=20))]
        sku: &str,
    ) -> Result<Article, Fault> {
        self.0.article(sku)
    }

    /// Sum up the orders of some days.
    #[tool(read_only)]
    fn report(
        &self,
        /// First day
        #[arg(format = "date")]
        from: &str,
        /// Last day
        #[arg(format = "date")]
        to: &str,
    ) -> Report {
        self.0.report(from, to)
    }
}

/// Write an apology for an order.
#[prompt]
fn apology(
    /// Number of the order
    id: &str,
) -> String {
    format!("Write a short apology to the customer of order {id}.")
}

/// An order.
#[resource("orders://{id}")]
fn order(id: &str, #[state] shop: &Shop) -> Result<Order, Fault> {
    shop.order(id)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let shop = Arc::new(Shop::default());
    McpServer::new(tools![..Desk(shop.clone()): Desk])
        .prompts(tools![apology])
        .resources(tools![order; state = shop])
        .serve_stdio()
        .await
}
