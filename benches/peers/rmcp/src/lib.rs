//! `rmcp`, in process: `ServerHandler::call_tool`, which a server's loop calls, without the loop and the transport.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, NumberOrString};
use rmcp::model::{JsonObject, Tool};
use rmcp::service::{Peer, RequestContext, serve_directly};
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright_benches_measure::{
    Group, NOTHING, Parallel, REST, calls, compute, definitions, dispatch, now, open_ai, receipt, runtime,
    start_up,
};

toolwright_benches_measure::types! {
    arguments: [Deserialize, JsonSchema],
    answers: [Serialize, JsonSchema],
    both: [Deserialize, Serialize, JsonSchema]
}

#[derive(Deserialize, JsonSchema)]
pub struct Add {
    /// First
    a: i64,
    /// Second
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
pub struct GetWeather {
    /// City name
    city: String,
    /// Celsius if nothing is said
    unit: Option<Unit>,
}

#[derive(Deserialize, JsonSchema)]
pub struct CreateOrder {
    /// Who
    customer: Customer,
    /// What
    lines: Vec<Line>,
}

#[derive(Deserialize, JsonSchema)]
pub struct IndexText {
    /// The text
    text: String,
}

#[derive(Clone)]
pub struct Server {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Server {
    /// Adds two numbers.
    #[tool]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        a.wrapping_add(b).to_string()
    }

    /// Current weather of a city.
    #[tool]
    fn get_weather(&self, Parameters(GetWeather { city, unit }): Parameters<GetWeather>) -> Json<Weather> {
        Json(weather(&city, unit))
    }

    /// Place an order.
    #[tool]
    fn create_order(&self, Parameters(CreateOrder { customer, lines }): Parameters<CreateOrder>) -> Json<Receipt> {
        Json(receipt!(customer, lines))
    }

    /// Index a text.
    #[tool]
    fn index_text(&self, Parameters(IndexText { text }): Parameters<IndexText>) -> String {
        text.len().to_string()
    }

    /// Sleeps for a millisecond.
    #[tool]
    async fn rest(&self) -> String {
        tokio::time::sleep(REST).await;
        7.to_string()
    }

    /// Computes.
    #[tool]
    fn work(&self) -> String {
        compute().to_string()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {}

mod hundred {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/hundred.rs"));
}

fn text<S: Send + Sync + 'static>(router: &ToolRouter<S>) -> String {
    let all = router.list_all();
    open_ai(all.iter().map(|tool| {
        (&*tool.name, tool.description.as_deref().unwrap_or_default(), &*tool.input_schema)
    }))
}

/// A connection that nothing comes through: a call's context holds one.
fn peer() -> Peer<RoleServer> {
    let runtime = runtime(1);
    let _guard = runtime.enter();
    let (_, transport) = tokio::io::duplex(64);
    let server = Server { tool_router: ToolRouter::new() };
    let running = serve_directly(server, transport, None);
    let peer = running.peer().clone();
    std::mem::forget(running);
    std::mem::forget(runtime);
    peer
}

fn params(tool: &'static str, arguments: &str) -> Result<CallToolRequestParams, String> {
    let arguments: JsonObject = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
    Ok(CallToolRequestParams::new(tool).with_arguments(arguments))
}

fn answer(response: Result<CallToolResponse, ErrorData>) -> Result<String, String> {
    let Ok(CallToolResponse::Complete(result)) = response else {
        return Err(format!("{response:?}"));
    };
    let text = result.content.into_iter().next().and_then(|content| match content {
        ContentBlock::Text(text) => Some(text.text),
        _ => None,
    });
    match result.is_error {
        Some(true) => Err(text.unwrap_or_default()),
        _ => Ok(text.unwrap_or_default()),
    }
}

/// All that is measured.
pub fn groups() -> Vec<Group> {
    let peer = peer();
    let context = {
        let peer = peer.clone();
        move || RequestContext::new(NumberOrString::Number(1), peer.clone())
    };
    let server = Server { tool_router: Server::tool_router() };
    let (one, make) = (server.clone(), context.clone());
    let mut groups = calls("rmcp", move |tool, arguments| {
        answer(now(one.call_tool(params(tool, arguments)?, make())))
    });
    groups.extend(definitions("rmcp", hundred::set, |set| text(set).into()));
    groups.push(start_up("rmcp", hundred::set));
    let make = context.clone();
    groups.extend(dispatch(
        "rmcp",
        |names| {
            let mut router = ToolRouter::<()>::new();
            for name in names {
                let attr = Tool::new(*name, "Answers.", Arc::new(JsonObject::new()));
                router.add_route(ToolRoute::new_dyn(attr, |_| {
                    async { Ok(CallToolResult::success(vec![ContentBlock::text("7")]).into()) }.boxed()
                }));
            }
            router
        },
        move |router, name| {
            let (router, make) = (router.clone(), make.clone());
            Box::new(move |told| {
                let params = params(name, NOTHING).expect("an object");
                let context = ToolCallContext::new(&(), params, make());
                told(&answer(now(router.call(context))).unwrap_or_default());
            })
        },
    ));
    let server = Arc::new(server);
    // As its server does: a task each.
    let (tasks, make) = (Arc::clone(&server), context.clone());
    let parallel = Parallel::new("rmcp", move |tool, count| {
        let (server, make) = (Arc::clone(&tasks), make.clone());
        async move {
            let all: Vec<_> = (0..count)
                .map(|_| {
                    let params = CallToolRequestParams::new(Cow::Borrowed(tool)).with_arguments(JsonObject::new());
                    let (server, context) = (Arc::clone(&server), make());
                    tokio::spawn(async move { server.call_tool(params, context).await })
                })
                .collect();
            join_all(all).await.into_iter().filter(|answer| matches!(answer, Ok(Ok(_)))).count()
        }
    });
    let mut all = parallel.groups();
    let one_task = Parallel::new("rmcp-join-all", move |tool, count| {
        let (server, make) = (Arc::clone(&server), context.clone());
        async move {
            let all = (0..count).map(|_| {
                let params = CallToolRequestParams::new(Cow::Borrowed(tool)).with_arguments(JsonObject::new());
                server.call_tool(params, make())
            });
            join_all(all).await.into_iter().filter(Result::is_ok).count()
        }
    });
    for (group, rows) in all.iter_mut().zip(one_task.groups()) {
        group.0.extend(rows.0);
    }
    groups.extend(all);
    groups
}
