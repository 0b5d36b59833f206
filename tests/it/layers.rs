//! What goes around every call: the onion, and the layers that come with it.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use toolwright::layers::{Approval, Cache, CallLimit, ConcurrencyLimit, Retry, Risk};
use toolwright::{
    Context, Encoder, Executor, Outcome, Registry, ToolCall, ToolError, Toolset,
    call::{BoxFuture, Cancel, ErrorKind, Scope, State},
    executor::{Batch, Event, PendingReason},
    layers::{Handled, Layer, Next, Request},
    tool, tools,
};

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

fn texts(batch: &Batch) -> Vec<String> {
    let text = |result: &toolwright::ToolResult| result.content(Encoder::auto()).into_owned();
    batch.results().map(text).collect()
}

fn kinds(batch: &Batch) -> Vec<Option<ErrorKind>> {
    let kind = |result: &toolwright::ToolResult| result.outcome.as_ref().err().map(ToolError::kind);
    batch.results().map(kind).collect()
}

/// Says what it is told.
#[tool(meta(team = "words"))]
fn say(text: String) -> String {
    text
}

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.state.get("role") == Some(&json!("admin"))
}

/// Resets.
#[tool(visible = is_admin)]
fn reset() -> bool {
    true
}

type Notes = Arc<Mutex<Vec<String>>>;

/// Notes when a call passes on its way in and out.
struct Passes(&'static str, Notes);

impl Layer for Passes {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        let note = |what| self.1.lock().unwrap().push(format!("{}-{what}", self.0));
        note("before");
        Box::pin(async move {
            let handled = next.run(request).await;
            note("after");
            handled
        })
    }
}

/// Does what a closure says before the call, and instead of it if the closure answers.
struct Does<F>(F);

impl<F> Layer for Does<F>
where
    F: Fn(Request<'_>) -> Result<Arc<str>, Handled> + Send + Sync,
{
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            match (self.0)(request.clone()) {
                Ok(arguments) => next.run(request.with_arguments(arguments)).await,
                Err(handled) => handled,
            }
        })
    }
}

#[test]
fn the_first_layer_sees_a_call_first_and_its_answer_last() {
    let notes = Notes::default();
    let inner = Arc::clone(&notes);
    let plain = Executor::serial(tools![say]);
    let executor = plain
        .clone()
        .layer(Passes("m1", Arc::clone(&notes)))
        .layer(Passes("m2", Arc::clone(&notes)))
        .layer(Does(move |request: Request<'_>| {
            inner.lock().unwrap().push("inner".into());
            Ok(Arc::clone(&request.call().arguments))
        }));
    let calls = [call("1", "say", json!({"text": "a"}))];
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(texts(&batch), ["a"]);
    assert_eq!(
        notes.lock().unwrap().join(" "),
        "m1-before m2-before inner m2-after m1-after"
    );
    // Adding one made another executor.
    notes.lock().unwrap().clear();
    plain.run_blocking(&calls, &Context::new());
    assert!(notes.lock().unwrap().is_empty());
}

#[test]
fn a_layer_may_answer_itself_and_nothing_further_in_runs() {
    let notes = Notes::default();
    let executor = Executor::serial(tools![say])
        .layer(Passes("m1", Arc::clone(&notes)))
        .layer(Does(|_: Request<'_>| {
            Err(ToolError::failed("blocked").into())
        }))
        .layer(Passes("m2", Arc::clone(&notes)));
    let batch = executor.run_blocking(&[call("1", "say", json!({"text": "a"}))], &Context::new());
    assert_eq!(texts(&batch), ["blocked"]);
    assert_eq!(kinds(&batch), [Some(ErrorKind::Failed)]);
    assert_eq!(notes.lock().unwrap().join(" "), "m1-before m1-after");
    // Its attributes are there all the same.
    let result = batch.results().next().unwrap();
    assert_eq!(result.attributes.get("team"), Some(&json!("words")));
}

#[test]
fn rewritten_arguments_are_read_and_validated_again() {
    let run = |arguments: &'static str| {
        let seen = Notes::default();
        let inner = Arc::clone(&seen);
        let executor = Executor::serial(tools![say])
            .layer(Does(move |_: Request<'_>| Ok(arguments.into())))
            .layer(Does(move |request: Request<'_>| {
                let arguments = Arc::clone(&request.call().arguments);
                inner.lock().unwrap().push(arguments.to_string());
                Ok(arguments)
            }));
        let batch =
            executor.run_blocking(&[call("1", "say", json!({"text": "a"}))], &Context::new());
        let seen = seen.lock().unwrap().clone();
        (texts(&batch).remove(0), kinds(&batch)[0], seen)
    };
    let (text, kind, seen) = run(r#"{"text":"b"}"#);
    assert_eq!(
        (&*text, kind, seen),
        ("b", None, vec![r#"{"text":"b"}"#.to_owned()])
    );
    // Wrong ones are seen by nothing further in.
    let (text, kind, seen) = run(r#"{"text":5}"#);
    assert_eq!((kind, seen), (Some(ErrorKind::InvalidArgs), vec![]));
    assert!(text.starts_with("text: expected a string"), "{text}");
}

#[test]
fn layers_see_only_calls_that_could_run_and_hide_nothing() {
    let seen = Notes::default();
    let names = Arc::clone(&seen);
    let executor = Executor::serial(tools![say, reset]).layer(Does(move |request: Request<'_>| {
        names.lock().unwrap().push(request.call().name.to_string());
        Ok(Arc::clone(&request.call().arguments))
    }));
    let calls = [
        call("1", "say", json!({"text": 5})),
        call("2", "reset", json!({})),
        call("3", "absent", json!({})),
        call("4", "say", json!({"text": "a"})),
    ];
    let guest = Context::new();
    let admin = Context::new().with_state(State::new().with("role", "admin"));
    let names = |cx: &Context| -> Vec<String> {
        let tools = executor.tools(cx);
        tools
            .definitions()
            .map(|def| def.name.to_string())
            .collect()
    };
    assert_eq!(names(&guest), ["say"]);
    assert_eq!(names(&admin), ["say", "reset"]);
    let batch = executor.run_blocking(&calls, &guest);
    assert_eq!(
        kinds(&batch),
        [
            Some(ErrorKind::InvalidArgs),
            Some(ErrorKind::Hidden),
            Some(ErrorKind::Unknown),
            None
        ]
    );
    assert_eq!(*seen.lock().unwrap(), ["say"]);
}

#[test]
fn a_layer_can_let_a_call_wait_and_what_it_changed_is_not_known() {
    let executor = Executor::serial(tools![say]).layer(Does(|request: Request<'_>| {
        assert!(request.context().update_state("asked", true));
        Err(Handled::Wait(json!({"question": "now?"})))
    }));
    let batch = executor.run_blocking(&[call("1", "say", json!({"text": "a"}))], &Context::new());
    let pending = batch.pending().next().unwrap();
    let shown = json!({"question": "now?"});
    assert_eq!(pending.reason, PendingReason::Decision(shown));
    assert!(batch.state().is_none());
}

#[test]
fn a_panic_of_a_layer_is_the_calls_error_and_those_further_out_see_it() {
    let notes = Notes::default();
    let executor = Executor::serial(tools![say])
        .layer(Passes("out", Arc::clone(&notes)))
        .layer(Does(|request: Request<'_>| {
            assert_ne!(&*request.call().id, "1");
            Ok(Arc::clone(&request.call().arguments))
        }));
    let calls = [
        call("1", "say", json!({"text": "a"})),
        call("2", "say", json!({"text": "b"})),
    ];
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(kinds(&batch), [Some(ErrorKind::Panicked), None]);
    assert_eq!(notes.lock().unwrap().len(), 4);
}

#[test]
fn no_secret_is_logged_or_shown_to_who_decides() {
    /// Logs in.
    #[tool(meta(risk = "high"))]
    fn login(user: String, #[arg(secret)] password: String) -> Result<u8, String> {
        Err(format!("{user} {password}"))
    }

    let lines = Notes::default();
    let (log, asked) = (Arc::clone(&lines), Arc::clone(&lines));
    let wrapped = Arc::clone(tools![login].get("login").unwrap());
    let calls = [call(
        "1",
        "login",
        json!({"user": "ada", "password": "s3cret"}),
    )];
    for tool in [
        Arc::clone(&wrapped),
        wrapped.handle_errors().return_direct(),
    ] {
        let (log, asked) = (Arc::clone(&log), Arc::clone(&asked));
        let executor = Executor::serial(Toolset::new([tool]).unwrap())
            .on_event(move |event| {
                if let Event::Finished { redacted, .. } = event {
                    log.lock().unwrap().push(redacted.to_string());
                }
            })
            .layer(Approval::at_least(Risk::High).ask(move |ask| {
                asked.lock().unwrap().push(ask.arguments().into_owned());
                async { toolwright::call::Decision::Approve }
            }));
        executor.run_blocking(&calls, &Context::new());
        let lines = std::mem::take(&mut *lines.lock().unwrap());
        assert_eq!(lines.len(), 2);
        for line in lines {
            assert!(line.contains("ada") && !line.contains("s3cret"), "{line}");
        }
    }
}

static TRIES: AtomicU32 = AtomicU32::new(0);

/// Succeeds on the third attempt.
#[tool(idempotent)]
fn flaky(#[context] cx: &Context) -> Result<Option<String>, String> {
    let tries = TRIES.fetch_add(1, Ordering::SeqCst) + 1;
    cx.update_state(format!("try {tries}"), tries);
    if tries < 3 {
        Err(format!("try {tries}"))
    } else {
        Ok(cx.idempotency_key())
    }
}

#[tokio::test(start_paused = true)]
async fn what_failed_is_tried_again_after_a_while_that_doubles() {
    TRIES.store(0, Ordering::SeqCst);
    let executor = Executor::serial(tools![flaky])
        .layer(Retry::new(5).backoff(Duration::from_millis(100), Duration::from_secs(1)));
    let start = Instant::now();
    let cx = Context::new().with_run("r");
    let batch = executor.run(&[call("1", "flaky", json!({}))], &cx).await;
    assert_eq!(texts(&batch), ["r/0/0/1"]);
    assert_eq!(TRIES.load(Ordering::SeqCst), 3);
    assert_eq!(start.elapsed(), Duration::from_millis(300));
    // What the failed attempts wanted to be known is not.
    let state = batch.state().unwrap();
    assert_eq!(state.get("try 3"), Some(&json!(3)));
    assert!(state.get("try 1").is_none() && state.get("try 2").is_none());
}

#[tokio::test(start_paused = true)]
async fn only_what_may_be_repeated_is() {
    static CALLS: AtomicU32 = AtomicU32::new(0);

    fn count() {
        CALLS.fetch_add(1, Ordering::SeqCst);
    }

    /// May be repeated.
    #[tool(read_only)]
    fn reads() -> Result<u8, &'static str> {
        count();
        Err("no")
    }

    /// Nobody knows.
    #[tool]
    fn changes() -> Result<u8, &'static str> {
        count();
        Err("no")
    }

    /// Says that it will not change.
    #[tool(idempotent)]
    fn gone() -> Result<u8, ToolError> {
        count();
        Err(ToolError::failed("gone").permanent())
    }

    /// A defect.
    #[tool(idempotent)]
    fn boom() -> u8 {
        count();
        panic!("boom")
    }

    /// Says no.
    #[tool(idempotent)]
    fn refuses() -> Result<u8, ToolError> {
        count();
        Err(ToolError::new(ErrorKind::Rejected, "no"))
    }

    /// Takes too long.
    #[tool(idempotent, timeout = "10ms")]
    async fn hangs() -> u8 {
        count();
        std::future::pending().await
    }

    let tools = tools![reads, changes, gone, boom, refuses, hangs];
    let retry = Retry::new(3);
    let attempts = async |retry: Retry, name: &str| {
        CALLS.store(0, Ordering::SeqCst);
        let executor = Executor::serial(&tools).layer(retry);
        let batch = executor
            .run(&[call("1", name, json!({}))], &Context::new())
            .await;
        (CALLS.load(Ordering::SeqCst), kinds(&batch)[0].unwrap())
    };
    for (name, expected) in [
        ("reads", (3, ErrorKind::Failed)),
        ("changes", (1, ErrorKind::Failed)),
        ("gone", (1, ErrorKind::Failed)),
        ("boom", (1, ErrorKind::Panicked)),
        ("refuses", (1, ErrorKind::Rejected)),
        ("hangs", (3, ErrorKind::Timeout)),
    ] {
        assert_eq!(attempts(retry.clone(), name).await, expected, "{name}");
    }
    let forced = retry.clone().always_for(["changes"]);
    assert_eq!(attempts(forced, "changes").await, (3, ErrorKind::Failed));
    for none in [0, 1] {
        assert_eq!(
            attempts(Retry::new(none), "reads").await,
            (1, ErrorKind::Failed)
        );
    }
    // The limit of a tool is one on each attempt; no wait is longer than it may be.
    let start = Instant::now();
    let short = Retry::new(5).backoff(Duration::from_millis(10), Duration::from_millis(20));
    attempts(short, "hangs").await;
    assert_eq!(
        start.elapsed(),
        Duration::from_millis(50 + 10 + 20 + 20 + 20)
    );
}

/// An API answers with the time when it may be asked again, which is known to its tool alone.
#[tokio::test(start_paused = true)]
async fn an_error_says_how_long_to_wait() {
    static ATTEMPTS: AtomicU32 = AtomicU32::new(0);

    /// Is busy for some seconds.
    #[tool(read_only)]
    fn busy(seconds: u64) -> Result<u8, ToolError> {
        ATTEMPTS.fetch_add(1, Ordering::SeqCst);
        Err(ToolError::failed("busy").with_retry_after(Duration::from_secs(seconds)))
    }

    let executor = Executor::serial(tools![busy])
        .layer(Retry::new(3).backoff(Duration::from_secs(1), Duration::from_secs(10)));
    // Never sooner than the layer itself would ask, and not at all if the wait is too long.
    for (seconds, attempts, waited) in [(4, 3, 8), (0, 3, 3), (10, 3, 20), (11, 1, 0)] {
        ATTEMPTS.store(0, Ordering::SeqCst);
        let start = Instant::now();
        let calls = [call("1", "busy", json!({ "seconds": seconds }))];
        let batch = executor.run(&calls, &Context::new()).await;
        assert_eq!(kinds(&batch), [Some(ErrorKind::Failed)]);
        let seen = (ATTEMPTS.load(Ordering::SeqCst), start.elapsed().as_secs());
        assert_eq!(seen, (attempts, waited), "{seconds}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_not_tried_again() {
    static ATTEMPTS: AtomicU32 = AtomicU32::new(0);

    /// Never succeeds.
    #[tool(idempotent)]
    fn never() -> Result<u8, &'static str> {
        ATTEMPTS.fetch_add(1, Ordering::SeqCst);
        Err("no")
    }

    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let executor = Executor::serial(tools![never])
        .layer(Retry::new(100).backoff(Duration::from_secs(1), Duration::from_secs(1)));
    let calls = [call("1", "never", json!({}))];
    let (batch, ()) = tokio::join!(executor.run(&calls, &cx), async {
        sleep(Duration::from_millis(2_500)).await;
        stop.cancel();
    });
    assert_eq!(kinds(&batch), [Some(ErrorKind::Cancelled)]);
    assert_eq!(ATTEMPTS.load(Ordering::SeqCst), 3);
}

static READS: AtomicU32 = AtomicU32::new(0);

/// Reads, and says how often it was asked.
#[tool(read_only)]
fn read(#[arg(default)] path: String, #[arg(default)] deep: bool) -> String {
    let n = READS.fetch_add(1, Ordering::SeqCst);
    format!("{path} {deep} {n}")
}

/// Writes.
#[tool]
fn store() -> bool {
    true
}

/// Reads, and fails now and then.
#[tool(read_only)]
fn fails(ok: bool) -> Result<u32, u32> {
    let n = READS.fetch_add(1, Ordering::SeqCst);
    if ok { Ok(n) } else { Err(n) }
}

/// Reads, and remembers.
#[tool(read_only)]
fn remembers(#[context] cx: &Context) -> u32 {
    let n = READS.fetch_add(1, Ordering::SeqCst);
    cx.update_state("n", n);
    n
}

/// Asks.
#[tool(read_only)]
fn asks() -> Outcome {
    Outcome::ask(READS.fetch_add(1, Ordering::SeqCst).to_string())
}

/// The counter is one for all tests here.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// How often the tools ran for these calls, one after the other.
fn runs(cache: Cache, calls: &[(&str, &str, &str)]) -> Vec<u32> {
    let executor = Executor::serial(tools![read, store, fails, remembers, asks]).layer(cache);
    let run = |(session, name, arguments): &(&str, &str, &str)| {
        READS.store(0, Ordering::SeqCst);
        let cx = match *session {
            "" => Context::new(),
            session => Context::new().with_session(session),
        };
        let batch = executor.run_blocking(&[ToolCall::new("1", *name, *arguments)], &cx);
        assert_eq!(batch.calls().len(), 1);
        READS.load(Ordering::SeqCst)
    };
    calls.iter().map(run).collect()
}

#[test]
fn an_answer_is_kept_for_the_same_call_of_the_same_conversation() {
    let _one = ONE_AT_A_TIME.lock();
    let calls = [
        ("a", "read", r#"{"path": "x", "deep": true}"#),
        ("a", "read", r#"{"deep":true,"path":"x"}"#),
        ("a", "read", r#"{"path": "y"}"#),
        ("b", "read", r#"{"path": "x", "deep": true}"#),
        ("a", "read", r#"{"path": "x", "deep": true}"#),
        ("a", "read", ""),
        ("a", "read", "{}"),
        ("", "read", "{}"),
        ("", "read", "{}"),
    ];
    assert_eq!(runs(Cache::new(10), &calls), [1, 0, 1, 1, 0, 1, 0, 1, 1]);
    assert_eq!(
        runs(Cache::new(10).shared_for(["read"]), &calls),
        [1, 0, 1, 0, 0, 1, 0, 0, 0]
    );
}

#[test]
fn only_successes_that_change_nothing_are_kept() {
    let _one = ONE_AT_A_TIME.lock();
    let twice = |name, arguments| {
        let calls = [("a", name, arguments), ("a", name, arguments)];
        runs(Cache::new(10), &calls)
    };
    assert_eq!(twice("fails", r#"{"ok": true}"#), [1, 0]);
    assert_eq!(twice("fails", r#"{"ok": false}"#), [1, 1]);
    assert_eq!(twice("remembers", "{}"), [1, 1]);
    assert_eq!(twice("asks", "{}"), [1, 1]);
    let long = json!({"path": "x".repeat(65 * 1024)}).to_string();
    let calls = [("a", "read", &*long), ("a", "read", &*long)];
    assert_eq!(runs(Cache::new(10), &calls), [1, 1]);
}

#[test]
fn what_may_have_changed_is_read_again() {
    let _one = ONE_AT_A_TIME.lock();
    let calls = [
        ("a", "read", "{}"),
        ("b", "read", "{}"),
        ("a", "store", "{}"),
        ("a", "read", "{}"),
        ("b", "read", "{}"),
    ];
    assert_eq!(runs(Cache::new(10), &calls), [1, 1, 0, 1, 0]);
    assert_eq!(
        runs(Cache::new(10).keep_after_writes(), &calls),
        [1, 1, 0, 0, 0]
    );
    assert_eq!(
        runs(Cache::new(10).always_for(["store"]), &calls),
        [1, 1, 0, 0, 0]
    );
}

#[test]
fn no_more_is_kept_than_may_be() {
    let _one = ONE_AT_A_TIME.lock();
    let (x, y, z) = (r#"{"path": "x"}"#, r#"{"path": "y"}"#, r#"{"path": "z"}"#);
    let calls = [
        ("a", "read", x),
        ("a", "read", y),
        ("a", "read", x),
        // Takes the place of y, which was not used the longest.
        ("a", "read", z),
        ("a", "read", x),
        ("a", "read", y),
    ];
    assert_eq!(runs(Cache::new(2), &calls), [1, 1, 0, 1, 0, 1]);
    assert_eq!(runs(Cache::new(0), &calls), [1; 6]);
}

#[tokio::test(start_paused = true)]
// The lock keeps other tests out, and this one runs on one thread.
#[allow(clippy::await_holding_lock)]
async fn an_answer_is_kept_for_its_time_and_of_its_tool() {
    let _one = ONE_AT_A_TIME.lock();
    let registry = Registry::from(tools![read]);
    let executor = Executor::serial(&registry).layer(Cache::new(9).ttl(Duration::from_mins(1)));
    let cx = Context::new().with_session("a");
    let reads = async || {
        READS.store(0, Ordering::SeqCst);
        executor.run(&[call("1", "read", json!({}))], &cx).await;
        READS.load(Ordering::SeqCst)
    };
    assert_eq!(reads().await, 1);
    sleep(Duration::from_secs(59)).await;
    assert_eq!(reads().await, 0);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(reads().await, 1);
    registry.insert(Arc::clone(tools![read].get("read").unwrap()));
    assert_eq!(reads().await, 1);
    assert_eq!(reads().await, 0);
}

#[tokio::test(start_paused = true)]
async fn what_was_read_before_a_write_ended_is_not_kept() {
    static SLOW: AtomicU32 = AtomicU32::new(0);

    /// Reads for 10 ms.
    #[tool(read_only)]
    async fn slow() -> u32 {
        sleep(Duration::from_millis(10)).await;
        SLOW.fetch_add(1, Ordering::SeqCst)
    }

    /// Writes for 5 ms.
    #[tool]
    async fn put() -> u8 {
        sleep(Duration::from_millis(5)).await;
        0
    }

    let executor = Executor::parallel(tools![slow, put], 2).layer(Cache::new(9));
    let cx = Context::new().with_session("a");
    let both = [call("1", "slow", json!({})), call("2", "put", json!({}))];
    executor.run(&both, &cx).await;
    executor.run(&both[..1], &cx).await;
    executor.run(&both[..1], &cx).await;
    assert_eq!(SLOW.load(Ordering::SeqCst), 2);
}

#[test]
fn a_run_has_no_more_calls_than_it_may() {
    let tools = tools![say, store];
    let executor = Executor::parallel(&tools, 4)
        .layer(CallLimit::of("say", 2))
        .layer(CallLimit::per_run(3));
    let say = || call("1", "say", json!({"text": "a"}));
    let store = || call("2", "store", json!({}));
    let (one, other) = (Context::new().with_run("1"), Context::new().with_run("2"));
    let refused = Some(ErrorKind::Rejected);
    let batch = executor.run_blocking(&[say(), say(), say(), store()], &one);
    assert_eq!(kinds(&batch), [None, None, refused, None]);
    assert_eq!(
        texts(&batch)[2],
        "the call was rejected: `say` may be called no more than 2 times here"
    );
    // The next turn of the same run.
    let batch = executor.run_blocking(&[store()], &one);
    assert_eq!(
        texts(&batch),
        ["the call was rejected: no more than 3 tool calls may be made here"]
    );
    let batch = executor.run_blocking(&[store(), say()], &other);
    assert_eq!(kinds(&batch), [None, None]);
}

#[test]
fn a_call_that_waits_is_not_counted_twice() {
    let executor = Executor::serial(tools![say])
        .layer(CallLimit::per_run(1))
        .layer(Approval::when(|_| true));
    let cx = Context::new();
    let batch = executor.run_blocking(&[call("1", "say", json!({"text": "a"}))], &cx);
    let decided = [batch
        .pending()
        .next()
        .unwrap()
        .with_decision(toolwright::call::Decision::Approve)];
    assert_eq!(texts(&executor.run_blocking(&decided, &cx)), ["a"]);
    let again = executor.run_blocking(&decided, &cx);
    assert_eq!(kinds(&again), [Some(ErrorKind::Rejected)]);
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_of_a_tool_run_at_once_than_may() {
    static NOW: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
    static PEAK: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

    async fn counted(of: usize) {
        let now = NOW[of].fetch_add(1, Ordering::SeqCst) + 1;
        PEAK[of].fetch_max(now, Ordering::SeqCst);
        sleep(Duration::from_millis(5)).await;
        NOW[of].fetch_sub(1, Ordering::SeqCst);
    }

    /// Searches.
    #[tool]
    async fn search() -> u8 {
        counted(0).await;
        0
    }

    /// Fetches.
    #[tool]
    async fn fetch() -> u8 {
        counted(1).await;
        0
    }

    let calls: Vec<_> = (0..20)
        .map(|n| call("1", ["search", "fetch"][n % 2], json!({})))
        .collect();
    let tools = tools![search, fetch];
    let mut peaks = Vec::new();
    for layer in [ConcurrencyLimit::of("search", 2), ConcurrencyLimit::each(3)] {
        for peak in &PEAK {
            peak.store(0, Ordering::SeqCst);
        }
        let executor = Executor::parallel(&tools, 20).layer(layer);
        // Over all batches that run.
        let cx = Context::new();
        let (batch, other) = tokio::join!(executor.run(&calls, &cx), executor.run(&calls, &cx));
        let ok = |batch: &Batch| batch.results().filter(|one| one.is_success()).count();
        assert_eq!((ok(&batch), ok(&other)), (20, 20));
        peaks.push([
            PEAK[0].load(Ordering::SeqCst),
            PEAK[1].load(Ordering::SeqCst),
        ]);
    }
    assert_eq!(peaks, [[2, 20], [3, 3]]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_leaves_its_seat() {
    /// Hangs.
    #[tool]
    async fn hang(ms: u64) -> u8 {
        sleep(Duration::from_millis(ms)).await;
        0
    }

    let executor = Executor::parallel(tools![hang], 2).layer(ConcurrencyLimit::of("hang", 1));
    let hangs = [
        call("1", "hang", json!({"ms": 1_000_000})),
        call("2", "hang", json!({"ms": 1_000_000})),
    ];
    let cx = Context::new();
    let run = executor.run(&hangs, &cx);
    let dropped = tokio::time::timeout(Duration::from_millis(10), run).await;
    assert!(dropped.is_err());
    let start = Instant::now();
    let quick = [call("3", "hang", json!({"ms": 1}))];
    let batch = executor.run(&quick, &cx).await;
    assert_eq!(kinds(&batch), [None]);
    assert_eq!(start.elapsed(), Duration::from_millis(1));
}

#[test]
fn many_layers_are_one_answer() {
    let lines = Notes::default();
    let log = Arc::clone(&lines);
    let executor = Executor::parallel(tools![say, reset], 4)
        .on_event(move |event| {
            if let Event::Finished { call, .. } = event {
                log.lock().unwrap().push(call.id.to_string());
            }
        })
        .layer(Approval::at_least(Risk::High))
        .layer(CallLimit::per_run(10))
        .layer(Cache::new(10))
        .layer(Retry::new(3))
        .layer(ConcurrencyLimit::each(2));
    let calls: Vec<_> = (0..8)
        .map(|n| call(&n.to_string(), "say", json!({"text": n.to_string()})))
        .collect();
    let batch = executor.run_blocking(&calls, &Context::new().with_session("s"));
    assert_eq!(texts(&batch), ["0", "1", "2", "3", "4", "5", "6", "7"]);
    assert_eq!(lines.lock().unwrap().len(), 8);
    let _: &Toolset = &executor.tools(&Context::new());
}
