//! The tools of an MCP server: listed, or one of them called.
//!
//! `cargo run -p toolwright --example mcp_tools --features mcp -- npx -y @modelcontextprotocol/server-everything`
//! lists those of a command; `… -- https://example.com/mcp` those of a URL. With a call in the
//! environment that one is made: `CALL='get-sum {"a": 1, "b": 2}'`.

use std::error::Error;
use std::process::Command;

use toolwright::mcp::{self, ClientEvent, ServerAt};
use toolwright::{Context, Encoder, ToolCall, text::Printable};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let first = words.next().ok_or("say a command or a URL")?;
    let server = if first.starts_with("http") {
        ServerAt::from(first)
    } else {
        let mut command = Command::new(first);
        command.args(words);
        command.into()
    };
    let client = mcp::connect(server)
        .on_event(|event| match event {
            ClientEvent::Stderr(line) => eprintln!("| {}", Printable::new(line).one_line()),
            other => eprintln!("{other:?}"),
        })
        .await?;
    for notice in client.notices() {
        eprintln!("{notice}");
    }

    let tools = client.toolset();
    match std::env::var("CALL") {
        Ok(asked) => {
            let (name, arguments) = asked.split_once(' ').unwrap_or((&asked, "{}"));
            let call = ToolCall::new("call_1", name, arguments);
            let result = tools.call(&call, &Context::new()).await;
            println!("{}", Printable::new(&result.content(Encoder::auto())));
        }
        Err(_) => {
            for def in tools.definitions() {
                let line = def.description.lines().next().unwrap_or_default();
                println!("{}: {}", def.name, Printable::new(line).one_line());
            }
        }
    }
    client.close().await;
    Ok(())
}
