//! Toolwright and rmcp with each other: the bridge over pipes in memory, and each one's own client with the other's
//! server.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod peer_tools;
mod protocol_over_http;
mod protocol_over_pipes;
mod server;

use rmcp::model::JsonObject;
use rmcp::service::{RoleClient, RunningService, ServiceExt};
use rmcp::{RoleServer, Service};
use serde_json::Value;

/// Connects a client to a server.
async fn connected<S, C>(server: S, client: C) -> RunningService<RoleClient, C>
where
    S: Service<RoleServer>,
    C: Service<RoleClient>,
{
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let running = server.serve(theirs).await.unwrap();
        running.waiting().await.unwrap();
    });
    client.serve(ours).await.unwrap()
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}
