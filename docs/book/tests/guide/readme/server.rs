// ANCHOR: program
use toolwright::mcp::McpServer; // feature `mcp-server`
use toolwright::{tool, tools};

/// Finds orders of a customer.
#[tool(read_only)]
fn find_orders(customer: &str) -> Vec<String> {
    vec![format!("17: two lamps for {customer}")]
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    McpServer::new(tools![find_orders]).serve_stdio().await
}
// ANCHOR_END: program

use toolwright::mcp::{self, ServerAt};

#[tokio::test]
async fn a_client_finds_the_tool() {
    let at = ServerAt::pipes(|| {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(McpServer::new(tools![find_orders]).serve_pipe(input, output));
        Ok(tokio::io::split(ours))
    });
    let client = mcp::connect(at).await.unwrap();
    assert!(client.toolset().get("find_orders").is_some());
}
