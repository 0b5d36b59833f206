//! From `FastMCP`: a client of rmcp asks the server of Toolwright.

mod after;

use crate::check;
use crate::python::Printed;
use crate::rmcp::{Client, call, definition, served};
use crate::shop::Db;

async fn client() -> Client {
    served(after::server(Db::default())).await
}

#[tokio::test]
#[ignore = "tests/outside/migrations.sh runs the Python side"]
async fn schemas() {
    let before = Printed::read("fastmcp.json").definition;
    let after = serde_json::to_value(definition(&client().await).await).unwrap();
    for key in ["name", "description"] {
        assert_eq!(before[key], after[key]);
    }
    check::orders("fastmcp", &before["schema"], &after["inputSchema"]);
    check::schemas("fastmcp_output", &before["output"], &after["outputSchema"]);
}

#[tokio::test]
#[ignore = "tests/outside/migrations.sh runs the Python side"]
async fn answers() {
    let (before, client) = (Printed::read("fastmcp.json"), client().await);
    check::answers(
        "fastmcp",
        &[],
        async |_| before.answer(),
        async |arguments| call(&client, arguments).await,
    )
    .await;
    before.finish();
}
