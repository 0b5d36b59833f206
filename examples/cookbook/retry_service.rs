// How do I retry a service that fails at times?

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use toolwright::layers::Retry;
use toolwright::{Context, Encoder, Executor, ToolCall, ToolError, tool, tools};

/// Answers every third request.
#[derive(Default)]
struct Service(AtomicU32);

/// Look up the exchange rate of a currency.
// Only `read_only` and `idempotent` tools are called again.
#[tool(read_only)]
async fn exchange_rate(currency: &str, #[state] service: &Service) -> Result<f64, ToolError> {
    let request = service.0.fetch_add(1, Ordering::Relaxed) + 1;
    println!("request {request} for {currency}");
    match (currency, request % 3) {
        // Trying again does not help.
        ("XXX", _) => Err(ToolError::failed("there is no currency XXX").permanent()),
        (_, 0) => Ok(11.7),
        _ => Err(ToolError::failed("the service is busy")),
    }
}

#[tokio::main]
async fn main() {
    let tools = tools![exchange_rate; state = Service::default()];
    let (first, longest) = (Duration::from_millis(1), Duration::from_millis(20));
    let executor = Executor::serial(&tools).layer(Retry::new(3).backoff(first, longest));
    let calls = [
        ToolCall::new("call_1", "exchange_rate", r#"{"currency": "NOK"}"#),
        ToolCall::new("call_2", "exchange_rate", r#"{"currency": "XXX"}"#),
    ];
    let batch = executor.run(&calls, &Context::new()).await;
    for result in batch.results() {
        println!("{}", result.content(Encoder::auto()));
    }
}

// Prints:
// request 1 for NOK
// request 2 for NOK
// request 3 for NOK
// request 4 for XXX
// 11.7
// there is no currency XXX
