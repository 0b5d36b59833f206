//! The page `mcp-server.md`.

// ANCHOR: server
use toolwright::mcp::McpServer;
use toolwright::{prompt, resource, tool, tools};

/// Finds orders of a customer.
#[tool(read_only)]
fn find_orders(
    /// Name, or a part of it
    customer: &str,
) -> Vec<String> {
    vec![format!("17: two lamps for {customer}")]
}

/// Reviews an order before it is placed.
#[prompt]
fn review(order: u64) -> String {
    format!("Please check order {order} for mistakes.")
}

/// An order of the shop.
#[resource("orders://{id}")]
fn order(id: u64) -> String {
    format!("Order {id}: two lamps")
}

fn server() -> McpServer {
    McpServer::new(tools![find_orders])
        .name("shop")
        .version("1.2.0")
        .instructions("Orders of the shop. Ask before you change one.")
        .prompts(tools![review])
        .resources(tools![order])
}
// ANCHOR_END: server

// ANCHOR: methods
use std::sync::Arc;
use toolwright::mcp::{Prompts, Resources};

struct Shop {
    city: String,
}

#[tool]
impl Shop {
    /// Counts the orders of a customer.
    #[tool(read_only)]
    fn count_orders(&self, customer: &str) -> usize {
        customer.len() + self.city.len()
    }

    /// Drafts an answer to a customer.
    #[prompt]
    fn answer(&self, question: &str) -> String {
        format!("Answer for our shop in {}: {question}", self.city)
    }

    /// The opening hours of a day.
    #[resource("hours://{day}")]
    fn hours(&self, day: &str) -> String {
        format!("{day} in {}: 9 to 17", self.city)
    }
}

fn server_of(shop: Arc<Shop>) -> McpServer {
    McpServer::new(tools![..shop.clone(): Shop])
        .prompts(tools![..Prompts(shop.clone()): Prompts<Shop>])
        .resources(tools![..Resources(shop): Resources<Shop>])
}
// ANCHOR_END: methods

// ANCHOR: stdio
#[tokio::main]
async fn main() -> std::io::Result<()> {
    server().serve_stdio().await
}
// ANCHOR_END: stdio

// ANCHOR: http
use toolwright::serve::axum::Router; // axum itself, which you may depend on instead

fn router() -> Router {
    Router::new().route_service("/mcp", server().http())
}
// ANCHOR_END: http

// ANCHOR: approvals
use toolwright::layers::Approval;

/// Cancels an order.
#[tool(destructive)]
fn cancel_order(id: u64) -> String {
    format!("Order {id} is cancelled")
}

fn careful() -> McpServer {
    McpServer::new(tools![cancel_order]).executor(|executor| executor.layer(Approval::default()))
}
// ANCHOR_END: approvals

// ANCHOR: scopes
use toolwright::Context;
use toolwright::call::Grant;

/// Refunds an order.
#[tool(scopes("orders:write"))]
fn refund(id: u64, cx: &Context) -> String {
    let who = cx.get::<Grant>().and_then(Grant::subject);
    format!("Order {id} is refunded by {}", who.unwrap_or("nobody"))
}
// ANCHOR_END: scopes

// ANCHOR: authorization
use toolwright::mcp::{Authorization, AuthorizationError};

fn protected() -> Result<Router, AuthorizationError> {
    let authorization = Authorization::new("https://shop.example/mcp", "https://login.example")?;
    let metadata = authorization.metadata_path().to_owned();
    let service = McpServer::new(tools![refund])
        .http()
        .authorization(authorization);
    Ok(Router::new()
        .route_service("/mcp", service.clone())
        .route_service(&metadata, service))
}
// ANCHOR_END: authorization

use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use toolwright::mcp::{self, ElicitResult, ServerAt};

use crate::output;

/// Our own client, on pipes to a server.
fn at(server: impl Fn() -> McpServer + Send + Sync + 'static) -> ServerAt {
    ServerAt::pipes(move || {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(server().serve_pipe(input, output));
        Ok(tokio::io::split(ours))
    })
}

#[tokio::test]
async fn the_lines_on_the_page_are_answered_as_shown() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(theirs);
    let served = tokio::spawn(server().serve_pipe(input, output));
    let (read, mut write) = tokio::io::split(ours);
    let said = include_str!("mcp_server/lines.json");
    write.write_all(said.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(read).lines();
    let mut answers = Vec::new();
    while answers.len() < 3 {
        answers.push(lines.next_line().await.unwrap().unwrap());
    }
    let last: Value = serde_json::from_str(&answers[2]).unwrap();
    assert_eq!(last["id"], 3);
    output::shown_json("mcp_server.list.json", &answers[1]);
    output::shown_json("mcp_server.call.json", &answers[2]);
    drop((lines, write));
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_sees_tools_prompts_and_resources() {
    let client = mcp::connect(at(server)).await.unwrap();
    assert!(client.toolset().get("find_orders").is_some());
    let messages = client.prompt("review", [("order", "17")]).await.unwrap();
    assert_eq!(messages.len(), 1);
    let order = client.read("orders://17").await.unwrap();
    assert!(order.to_plain().contains("Order 17: two lamps"));
}

#[tokio::test]
async fn a_client_sees_the_methods_of_a_value() {
    let shop = Arc::new(Shop {
        city: "Oslo".to_owned(),
    });
    let client = mcp::connect(at(move || server_of(shop.clone())));
    let client = client.await.unwrap();
    assert!(client.toolset().get("count_orders").is_some());
    let messages = client.prompt("answer", [("question", "When?")]).await;
    assert_eq!(messages.unwrap().len(), 1);
    let hours = client.read("hours://monday").await.unwrap();
    assert!(hours.to_plain().contains("monday in Oslo: 9 to 17"));
}

#[tokio::test]
async fn a_person_is_asked_before_a_destructive_call() {
    for (yes, expected) in [(true, "Order 4 is cancelled"), (false, "")] {
        let client = mcp::connect(at(careful)).on_elicitation(move |_| async move {
            if yes {
                ElicitResult::Accept(Map::from_iter([("approve".to_owned(), true.into())]))
            } else {
                ElicitResult::Decline
            }
        });
        let client = client.await.unwrap();
        let call = toolwright::ToolCall::new("1", "cancel_order", r#"{"id": 4}"#);
        let result = client.toolset().call(&call, &Context::new()).await;
        assert_eq!(result.is_success(), yes, "{result:?}");
        if yes {
            assert_eq!(result.value(), Some(expected.into()));
        }
    }
}

#[test]
fn routers_are_made() {
    let _ = (router(), protected().unwrap());
}
