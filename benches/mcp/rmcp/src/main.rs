//! The tools by `rmcp`'s macros: `mcp-rmcp stdio`, `mcp-rmcp stdio-pipes` or `mcp-rmcp http`, which prints where it listens.

use std::error::Error;
use std::sync::Arc;

use axum::serve::ListenerExt;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::transport::io::{stdio, stdio_pipes};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright_benches_measure::receipt;

toolwright_benches_measure::types! {
    arguments: [Deserialize, JsonSchema],
    answers: [Serialize, JsonSchema],
    both: [Deserialize, Serialize, JsonSchema]
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// First
    a: i64,
    /// Second
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
struct CreateOrder {
    /// Who
    customer: Customer,
    /// What
    lines: Vec<Line>,
}

#[derive(Clone)]
struct Server {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Server {
    fn new() -> Self {
        Self {
            tool_router: Self::tool_router(),
        }
    }

    /// Adds two numbers.
    #[tool]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        a.wrapping_add(b).to_string()
    }

    /// Place an order.
    #[tool]
    fn create_order(
        &self,
        Parameters(CreateOrder { customer, lines }): Parameters<CreateOrder>,
    ) -> Json<Receipt> {
        Json(receipt!(customer, lines))
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("stdio") => {
            Server::new().serve(stdio()).await?.waiting().await?;
        }
        Some("stdio-pipes") => {
            Server::new().serve(stdio_pipes()).await?.waiting().await?;
        }
        Some("http") => {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
            println!("{}", listener.local_addr()?);
            // The tools are made once, and not for each session.
            let server = Server::new();
            let service = StreamableHttpService::new(
                move || Ok(server.clone()),
                Arc::new(LocalSessionManager::default()),
                // Short of a stream where none is needed, as Toolwright's.
                StreamableHttpServerConfig::default().with_json_response(true),
            );
            let router = axum::Router::new().route_service("/mcp", service);
            axum::serve(listener.tap_io(|tcp| drop(tcp.set_nodelay(true))), router).await?;
        }
        _ => return Err("say `stdio`, `stdio-pipes` or `http`".into()),
    }
    Ok(())
}
