// How do I serve tools over MCP?

use serde_json::json;
use tokio::io::{duplex, split};
use toolwright::layers::Approval;
use toolwright::mcp::{self, McpServer, ServerAt};
use toolwright::{Context, tool, tools};

/// Find an order.
#[tool(read_only)]
async fn find_order(id: u32) -> String {
    format!("order {id}: two lamps")
}

/// Cancel an order.
#[tool(destructive)]
async fn cancel_order(id: u32) -> String {
    format!("order {id} is cancelled")
}

fn server() -> McpServer {
    McpServer::new(tools![find_order, cancel_order])
        .name("shop")
        .version("1.2.0")
        // The client asks its user before `cancel_order` runs.
        .executor(|executor| executor.layer(Approval::default()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A program of its own does `server().serve_stdio().await?`, and a router takes
    // `server().http()`. Here the other end of the pipe is our own client.
    let pipe = ServerAt::pipes(|| {
        let (ours, theirs) = duplex(64 * 1024);
        let (input, output) = split(theirs);
        tokio::spawn(server().serve_pipe(input, output));
        Ok(split(ours))
    });
    let client = mcp::connect(pipe).await?;
    println!("{}", client.server_name().unwrap_or_default());
    let tools = client.toolset();
    let cx = Context::new();
    println!(
        "{}",
        tools.call_json("find_order", json!({"id": 7}), &cx).await?
    );
    let cancel = tools.call_json("cancel_order", json!({"id": 7}), &cx);
    if let Err(error) = cancel.await {
        println!("{error}");
    }
    client.close().await;
    Ok(())
}

// Prints:
// shop
// "order 7: two lamps"
// the MCP server refused the call: the call did not run, since it needs a person's answer and this client cannot ask for one: Shall `cancel_order` with {"id":7} run? (destructive)
