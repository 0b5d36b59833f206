//! A client of `rmcp` with our own server, over pipes in memory.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use serde_json::json;
use tokio::time::timeout;
use toolwright::mcp::McpServer;
use toolwright::{tool, tools};

const LONG: Duration = Duration::from_secs(20);

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Multiplies.
#[tool]
fn multiply(a: i64, b: i64) -> i64 {
    a * b
}

#[tokio::test]
async fn a_client_of_rmcp_in_each_version() {
    for version in [
        ProtocolVersion::V_2025_06_18,
        ProtocolVersion::V_2025_11_25,
        ProtocolVersion::V_2026_07_28,
    ] {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        let served = tokio::spawn(McpServer::new(tools![add, multiply]).serve_pipe(input, output));
        let mut info = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("test", "1"),
        );
        info.protocol_version = version.clone();
        let client = if version == ProtocolVersion::V_2026_07_28 {
            let lifecycle = ClientLifecycleMode::Discover {
                preferred_versions: vec![version.clone()],
            };
            info.serve_with_lifecycle(ours, lifecycle).await.unwrap()
        } else {
            info.serve(ours).await.unwrap()
        };
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["add", "multiply"], "{version}");
        let arguments = json!({"a": 9_007_199_254_740_993_i64, "b": 0})
            .as_object()
            .cloned()
            .unwrap();
        let call = CallToolRequestParams::new("add").with_arguments(arguments);
        let result = client.call_tool(call).await.unwrap();
        let text = result.content[0].as_text().unwrap();
        assert_eq!(text.text, "9007199254740993", "{version}");
        client.cancel().await.unwrap();
        timeout(LONG, served).await.unwrap().unwrap().unwrap();
    }
}
