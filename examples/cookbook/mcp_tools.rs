// How do I use the tools of an MCP server?

use serde_json::json;
use tokio::io::{duplex, split};
use toolwright::mcp::{self, McpServer, ServerAt};
use toolwright::{Context, tool, tools};

/// Read a file.
#[tool(read_only)]
async fn read_file(path: &str) -> String {
    format!("the words of {path}")
}

/// Delete a file.
#[tool(destructive)]
async fn delete_file(path: &str) -> String {
    format!("{path} is gone")
}

/// Count words.
#[tool(read_only)]
fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A server in this process. Elsewhere: `Command::new("npx")` with its arguments,
    // or `"https://files.example/mcp"`.
    let server = ServerAt::pipes(|| {
        let (ours, theirs) = duplex(64 * 1024);
        let (input, output) = split(theirs);
        let files = McpServer::new(tools![read_file, delete_file]);
        tokio::spawn(files.serve_pipe(input, output));
        Ok(split(ours))
    });
    let files = mcp::connect(server)
        .prefix("files_")
        // It is our own server.
        .trust_hints()
        .filter(|def| def.options.annotations.read_only == Some(true))
        .await?;

    // Beside our own, for an executor or an agent.
    let tools = tools![count_words].merge(&files.toolset())?;
    for def in tools.definitions() {
        println!("{}: {}", def.name, def.description);
    }
    let cx = Context::new();
    let read = tools.call_json("files_read_file", json!({"path": "a.txt"}), &cx);
    println!("{}", read.await?);
    Ok(())
}

// Prints:
// count_words: Count words.
// files_read_file: Read a file.
// "the words of a.txt"
