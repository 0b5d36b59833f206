//! The tools by Toolwright's macro: `mcp-toolwright stdio` or `mcp-toolwright http`, which prints where it listens.

use axum::serve::ListenerExt;
use serde::{Deserialize, Serialize};
use toolwright::mcp::McpServer;
use toolwright::{Schema, tool, tools};
use toolwright_benches_measure::receipt;

toolwright_benches_measure::types! {
    arguments: [Deserialize, Schema],
    answers: [Serialize, Schema],
    both: [Deserialize, Serialize, Schema]
}

/// Adds two numbers.
///
/// - `a`: First
/// - `b`: Second
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

/// Place an order.
///
/// - `customer`: Who
/// - `lines`: What
#[tool]
fn create_order(customer: Customer, lines: Vec<Line>) -> Receipt {
    receipt!(customer, lines)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let server = McpServer::new(tools![add, create_order]);
    match std::env::args().nth(1).as_deref() {
        Some("stdio") => server.serve_stdio().await,
        Some("http") => {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
            println!("{}", listener.local_addr()?);
            let router = axum::Router::new().route_service("/mcp", server.http());
            axum::serve(listener.tap_io(|tcp| drop(tcp.set_nodelay(true))), router).await
        }
        _ => Err(std::io::Error::other("say `stdio` or `http`")),
    }
}
