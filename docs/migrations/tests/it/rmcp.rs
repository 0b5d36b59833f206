//! From `rmcp`: one client of rmcp asks both servers.

mod after;
mod before;

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use rmcp::service::{RoleClient, RunningService, ServiceError, ServiceExt};
use tokio::io::{DuplexStream, duplex, split};
use toolwright::mcp::McpServer;

use crate::check::{self, Answer};
use crate::shop::Db;

pub type Client = RunningService<RoleClient, ()>;

async fn connected(serve: impl FnOnce(DuplexStream)) -> Client {
    let (ours, theirs) = duplex(1 << 16);
    serve(theirs);
    ().serve(ours).await.unwrap()
}

async fn before() -> Client {
    connected(|pipe| {
        tokio::spawn(async {
            before::Shop::new(Db::default())
                .serve(pipe)
                .await
                .unwrap()
                .waiting()
                .await
        });
    })
    .await
}

/// A client of a server of Toolwright.
pub async fn served(server: McpServer) -> Client {
    connected(|pipe| {
        let (input, output) = split(pipe);
        tokio::spawn(server.serve_pipe(input, output));
    })
    .await
}

async fn after() -> Client {
    served(after::server(Db::default())).await
}

pub async fn definition(client: &Client) -> Tool {
    client.list_all_tools().await.unwrap().remove(0)
}

fn text(result: &CallToolResult) -> Answer {
    let text = result
        .content
        .iter()
        .filter_map(|block| block.as_text())
        .map(|text| &*text.text);
    let text = text.collect::<Vec<_>>().join("\n");
    if result.is_error == Some(true) {
        Err(text)
    } else {
        Ok(text)
    }
}

pub async fn call(client: &Client, arguments: &str) -> Answer {
    let arguments = serde_json::from_str(arguments).unwrap();
    let params = CallToolRequestParams::new("place_order").with_arguments(arguments);
    match client.call_tool(params).await {
        Ok(result) => text(&result),
        Err(ServiceError::McpError(error)) => Err(format!(
            "(JSON-RPC error {}) {}",
            error.code.0, error.message
        )),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn schemas() {
    let (before, after) = (
        definition(&before().await).await,
        definition(&after().await).await,
    );
    assert_eq!(
        (&before.name, &before.description),
        (&after.name, &after.description)
    );
    let before = serde_json::to_value(before).unwrap();
    let after = serde_json::to_value(after).unwrap();
    check::orders("rmcp", &before["inputSchema"], &after["inputSchema"]);
    check::schemas(
        "rmcp_output",
        &before["outputSchema"],
        &after["outputSchema"],
    );
}

#[tokio::test]
async fn answers() {
    let (before, after) = (before().await, after().await);
    check::answers(
        "rmcp",
        &[],
        async |arguments| call(&before, arguments).await,
        async |arguments| call(&after, arguments).await,
    )
    .await;
}
