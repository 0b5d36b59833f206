//! The same tool here, behind MCP, and on a worker, one call after the other.

use std::time::Instant;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use toolwright::{Context, Executor, ToolCall, tool, tools};
use toolwright_mcp::McpServer;

use crate::{Failure, fleet, is_polled, start};

const QUEUE: &str = "rate-calls";
/// Turns of each way, so that all of them have the same neighbours.
const ROUNDS: usize = 10;

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

/// Serves the tool both ways until it is killed, and prints the URL of MCP.
pub(crate) async fn serve() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = McpServer::new(tools![add]);
    let router = Router::new().route_service("/mcp", server.http());
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let http = tokio::spawn(async move { axum::serve(listener, router).await });
    let worker = fleet().await?.worker().tools(QUEUE, tools![add]);
    let health = worker.health();
    let work = tokio::spawn(worker.run(std::future::pending()));
    is_polled(&health).await?;
    println!("http://{address}/mcp");
    work.await??;
    Ok(http.await??)
}

/// Returns the medians of calls in microseconds: here, by MCP, and by the fleet.
pub(crate) async fn medians(calls: usize) -> Result<[f64; 3], Failure> {
    let (_server, url) = start(&["tool"]).await?;
    let client = toolwright_mcp::connect(url).await?;
    let far = fleet().await?.toolset(QUEUE, &tools![add])?;
    let ways = [
        Executor::serial(tools![add]),
        Executor::serial(client.toolset()),
        Executor::serial(far),
    ];
    let mut times = [const { Vec::new() }; 3];
    for round in 0..=ROUNDS {
        for (way, times) in ways.iter().zip(&mut times) {
            for _ in 0..calls / ROUNDS {
                let took = call(way).await?;
                // The first round is for warmth.
                if round > 0 {
                    times.push(took);
                }
            }
        }
    }
    client.close().await;
    Ok(times.map(median))
}

async fn call(way: &Executor) -> Result<f64, Failure> {
    let call = ToolCall::new("c1", "add", r#"{"a": 1, "b": 2}"#);
    let began = Instant::now();
    let batch = way.run(std::slice::from_ref(&call), &Context::new()).await;
    let took = began.elapsed();
    let result = batch.into_results().next().ok_or("a call has no result")?;
    match result.outcome {
        Ok(_) => Ok(took.as_secs_f64() * 1e6),
        Err(error) => Err(error.to_string().into()),
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
