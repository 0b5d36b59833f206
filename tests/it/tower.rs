//! Layers made for tower, around calls.
#![cfg(feature = "tower")]
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::future::Ready;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};
use toolwright::layers::{Approval, Risk, Tower, TowerRequest};
use toolwright::{
    Context, Encoder, Executor, ToolCall, ToolError,
    call::ErrorKind,
    executor::{Batch, PendingReason},
    layers::Handled,
    tool, tools,
};
use tower::limit::GlobalConcurrencyLimitLayer;
use tower::retry::{Policy, RetryLayer};
use tower::timeout::TimeoutLayer;
use tower::util::MapRequestLayer;

static TRIES: AtomicU32 = AtomicU32::new(0);

/// Fails twice.
#[tool(meta(risk = "low"))]
fn flaky() -> Result<u32, String> {
    match TRIES.fetch_add(1, Ordering::SeqCst) {
        tries if tries < 2 => Err("not yet".into()),
        tries => Ok(tries),
    }
}

/// Says it after a while.
#[tool(meta(risk = "high"))]
async fn say(text: String, #[arg(default)] ms: u64) -> String {
    sleep(Duration::from_millis(ms)).await;
    text
}

fn call(name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall::new("1", name, arguments.to_string())
}

fn executor() -> Executor {
    Executor::parallel(tools![flaky, say], 8)
}

fn texts(batch: &Batch) -> Vec<String> {
    let text = |result: &toolwright::ToolResult| result.content(Encoder::auto()).into_owned();
    batch.results().map(text).collect()
}

/// Tries what failed so often again.
#[derive(Clone)]
struct Again(u32);

impl Policy<TowerRequest, Handled, ToolError> for Again {
    type Future = Ready<()>;

    fn retry(
        &mut self,
        _: &mut TowerRequest,
        result: &mut Result<Handled, ToolError>,
    ) -> Option<Ready<()>> {
        let error = result.as_ref().err()?;
        self.0 = self.0.checked_sub(1)?;
        (error.kind() == ErrorKind::Failed).then(|| std::future::ready(()))
    }

    fn clone_request(&mut self, request: &TowerRequest) -> Option<TowerRequest> {
        Some(request.clone())
    }
}

#[tokio::test]
async fn a_retry_of_towers_calls_again() {
    for (again, expected) in [(1, "not yet"), (2, "2")] {
        TRIES.store(0, Ordering::SeqCst);
        let executor = executor().layer(Tower::new(RetryLayer::new(Again(again))));
        let batch = executor
            .run(&[call("flaky", json!({}))], &Context::new())
            .await;
        assert_eq!(texts(&batch), [expected]);
        assert_eq!(TRIES.load(Ordering::SeqCst), again + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn all_calls_share_one_service() {
    let executor = executor().layer(Tower::new(GlobalConcurrencyLimitLayer::new(2)));
    let calls: Vec<_> = (0..6)
        .map(|n| call("say", json!({"text": n.to_string(), "ms": 10})))
        .collect();
    let start = Instant::now();
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(texts(&batch), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(start.elapsed(), Duration::from_millis(30));
}

#[tokio::test(start_paused = true)]
async fn an_error_of_towers_is_the_calls_and_its_words_are_the_hosts() {
    let executor = executor().layer(Tower::new(TimeoutLayer::new(Duration::from_millis(5))));
    let calls = [
        call("say", json!({"text": "a", "ms": 10})),
        call("say", json!({"text": "b", "ms": 1})),
    ];
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(
        texts(&batch),
        ["the call was stopped before it had a result", "b"]
    );
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert_eq!(error.host_detail(), Some("request timed out"));
}

#[tokio::test]
async fn a_request_can_be_rewritten_and_is_validated_again() {
    let rewrites = |arguments: &'static str| {
        let layer = MapRequestLayer::new(move |request: TowerRequest| {
            assert_eq!(request.tool().def().name, "say");
            assert_eq!(request.context().call_id(), Some(&*request.call().id));
            request.with_arguments(arguments)
        });
        executor().layer(Tower::new(layer))
    };
    let calls = [call("say", json!({"text": "a"}))];
    let batch = rewrites(r#"{"text":"b"}"#)
        .run(&calls, &Context::new())
        .await;
    assert_eq!(texts(&batch), ["b"]);
    let batch = rewrites(r#"{"text":5}"#).run(&calls, &Context::new()).await;
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgs);
}

#[tokio::test]
async fn what_waits_further_in_waits() {
    let executor = executor()
        .layer(Tower::new(GlobalConcurrencyLimitLayer::new(2)))
        .layer(Approval::at_least(Risk::High));
    let calls = [call("say", json!({"text": "a"}))];
    let batch = executor.run(&calls, &Context::new()).await;
    let pending = batch.pending().next().unwrap();
    assert_eq!(
        pending.reason,
        PendingReason::Decision(json!({"risk": "high"}))
    );
}

#[tokio::test]
async fn a_panic_in_a_service_is_the_calls_error() {
    let panics = MapRequestLayer::new(|_: TowerRequest| -> TowerRequest { panic!("no") });
    let executor = executor().layer(Tower::new(panics));
    let batch = executor
        .run(&[call("flaky", json!({}))], &Context::new())
        .await;
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panicked);
}
