//! An MCP server over HTTP that checks access tokens: `tests/outside/mcp_oauth.sh`.
//!
//! ```text
//! cargo run -p toolwright-serve --example authorized -- https://login.example.com
//! ```

use axum::Router;
use tokio::net::TcpListener;
use toolwright::call::Grant;
use toolwright::mcp::{Authorization, McpServer};
use toolwright::{Context, tool, tools};

/// Counts the orders.
#[tool(read_only)]
fn orders() -> u32 {
    3
}

/// Cancels an order.
#[tool(scopes("orders:write"))]
fn cancel_order(id: u32, cx: &Context) -> String {
    let by = cx.get::<Grant>().and_then(Grant::subject);
    format!("{id} is cancelled by {}", by.unwrap_or("nobody"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let issuer = std::env::args().nth(1).ok_or("say who issues tokens")?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let authorization = Authorization::new(&url, &issuer)?;
    let metadata = authorization.metadata_path().to_owned();
    let service = McpServer::new(tools![orders, cancel_order])
        .name("shop")
        .http()
        .authorization(authorization);
    let router = Router::new()
        .route_service("/mcp", service.clone())
        .route_service(&metadata, service);
    println!("{url}");
    axum::serve(listener, router).await?;
    Ok(())
}
