//! The page `turns.md`.

mod program;

use toolwright::Encoder;

use crate::output;

// ANCHOR: kinds
use toolwright::{Context, Executor, ToolCall, tool, tools};

/// Moves a table to its new columns.
#[tool(exclusive)]
async fn migrate(table: String) -> String {
    format!("{table} is migrated")
}

/// Reads a file of the project.
#[tool(blocking)]
fn read_file(path: String, cx: &Context) -> Result<String, String> {
    if cx.cancel().is_cancelled() {
        return Err("cancelled".into()); // nothing else can stop a thread
    }
    std::fs::read_to_string(&path).map_err(|error| error.to_string())
}

/// Counts the primes up to a number.
#[tool(blocking)]
fn count_primes(most: u32) -> usize {
    (2..=most).filter(|n| (2..*n).all(|m| n % m != 0)).count()
}
// ANCHOR_END: kinds

// ANCHOR: limits
use std::time::Duration;
use toolwright::Toolset;
use toolwright::executor::BlockingLimit;

/// Reads a page of the wiki.
#[tool(timeout = "50ms")]
async fn read_page(title: &str) -> String {
    tokio::time::sleep(Duration::from_mins(1)).await;
    format!("{title} is a page")
}

fn limited(tools: &Toolset) -> Executor {
    Executor::parallel(tools, 8)
        .timeout(Duration::from_secs(10)) // of a call without a limit of its own
        .batch_timeout(Duration::from_mins(1)) // of the whole turn
        .blocking_limit(&BlockingLimit::new(16)) // threads of `blocking` tools
}
// ANCHOR_END: limits

// ANCHOR: cancel
use toolwright::call::Cancel;

async fn stopped(executor: &Executor, calls: &[ToolCall]) {
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    tokio::spawn(async move { stop.cancel() }); // a button, a lost connection, Ctrl-C

    let batch = executor.run(calls, &cx).await;
    println!("{:?}", batch.halted());
    for result in batch.results() {
        println!("{}: {}", result.id, result.content(Encoder::auto()));
    }
}
// ANCHOR_END: cancel

// ANCHOR: policy
use toolwright::Outcome;
use toolwright::call::ErrorKind;
use toolwright::executor::{ErrorPolicy, OnFailure};

fn patient(tools: &Toolset) -> Executor {
    let policy = ErrorPolicy::with(|_call, error| match error.kind() {
        ErrorKind::Timeout => {
            OnFailure::Replace(Outcome::value("no answer in time; go on without it"))
        }
        ErrorKind::Panicked => OnFailure::Halt,
        _ => OnFailure::Continue,
    });
    Executor::parallel(tools, 8).on_error(policy)
}
// ANCHOR_END: policy

// ANCHOR: events
use toolwright::call::Progress;
use toolwright::executor::Event;

/// Sends a newsletter.
#[tool]
async fn send(readers: Vec<String>, cx: &Context) -> usize {
    let mut sent = 0;
    for reader in &readers {
        sent += 1;
        let message = format!("sent to {reader}");
        cx.progress(Progress::new(f64::from(sent)).with_message(message));
    }
    readers.len()
}

fn observed(tools: &Toolset) -> Executor {
    Executor::parallel(tools, 8).on_event(|event| match event {
        Event::Started { redacted, call, .. } => println!("{} {}", call.name, redacted.text()),
        Event::Progress { progress, .. } => {
            println!("  {}", progress.message.as_deref().unwrap_or("…"));
        }
        Event::Finished { result, .. } => println!("  {}", result.content(Encoder::auto())),
        _ => {}
    })
}
// ANCHOR_END: events

// ANCHOR: layers
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;
use toolwright::layers::{Cache, CallLimit, ConcurrencyLimit, Retry};

static ATTEMPTS: AtomicU32 = AtomicU32::new(0);

/// Looks up an exchange rate.
#[tool(read_only)]
fn rate(currency: String) -> Result<f64, String> {
    match (ATTEMPTS.fetch_add(1, Ordering::SeqCst), &*currency) {
        (0, _) => Err("the service is busy".into()),
        (_, "USD") => Ok(1.09),
        _ => Err(format!("no rate of {currency}")),
    }
}

fn layered(tools: &Toolset) -> Executor {
    Executor::serial(tools)
        .on_event(|event| {
            if let Event::Finished { call, result, .. } = event {
                let how = result
                    .outcome
                    .as_ref()
                    .map_or_else(|error| error.kind().as_str(), |_| "ok");
                println!("{} {}: {how}", call.id, call.name);
            }
        })
        .layer(CallLimit::per_run(3))
        .layer(Cache::new(1_000).shared_for(["rate"]))
        .layer(Retry::new(3).backoff(Duration::from_millis(1), Duration::from_secs(1)))
        .layer(ConcurrencyLimit::of("rate", 2))
}
// ANCHOR_END: layers

// ANCHOR: own_layer
use toolwright::ToolError;
use toolwright::call::BoxFuture;
use toolwright::layers::{Handled, Layer, Next, Request};

/// Refuses writes while the shop is closed.
struct Closed;

impl Layer for Closed {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            if request.annotations().read_only != Some(true) {
                return ToolError::new(ErrorKind::Rejected, "the shop is closed until 8:00").into();
            }
            next.run(request).await // the layers further in, and then the tool
        })
    }
}
// ANCHOR_END: own_layer

// ANCHOR: tower
use toolwright::layers::Tower;
use tower::limit::GlobalConcurrencyLimitLayer;

fn with_tower(tools: &Toolset) -> Executor {
    Executor::parallel(tools, 8).layer(Tower::new(GlobalConcurrencyLimitLayer::new(2)))
}
// ANCHOR_END: tower

// ANCHOR: output_limit
use toolwright::executor::{OutputLimit, Overflow};

/// Reads the log.
#[tool(read_only)]
fn read_log() -> String {
    "a line\n".repeat(30)
}

fn short_answers() -> Executor {
    let overflow = Overflow::new(16 * 1024 * 1024); // bytes, for all answers together
    let tools = tools![read_log].with(overflow.tool()); // the tool `read_output`
    Executor::serial(tools).output_limit(OutputLimit::new(50_000, 3).overflow(&overflow))
}
// ANCHOR_END: output_limit

// ANCHOR: background
use toolwright::executor::OpenCallState;
use toolwright::executor::OpenCalls;

/// Renders a film.
#[tool(background)]
async fn render(minutes: u32) -> String {
    format!("film.mp4, {minutes} minutes")
}

async fn rendered() {
    let open = OpenCalls::new();
    let executor = Executor::serial(tools![render]).open_calls(&open);
    let calls = [ToolCall::new("call_1", "render", r#"{"minutes": 3}"#)];
    let batch = executor.run(&calls, &Context::new()).await;
    for result in batch.results() {
        println!("now: {}", result.content(Encoder::auto()));
    }

    let ended = open.ended().await; // the call that ends next
    if let OpenCallState::Ended(outcome) = ended.state {
        let result = outcome.into_result(&ended.call);
        println!("later: {}", result.content(Encoder::auto()));
    }
}
// ANCHOR_END: background

fn calls<const N: usize>(calls: [(&str, &str); N]) -> Vec<ToolCall> {
    let numbered = calls.into_iter().zip(1..);
    numbered
        .map(|((name, arguments), n)| ToolCall::new(format!("call_{n}"), name, arguments))
        .collect()
}

fn answers(executor: &Executor, calls: &[ToolCall]) -> Vec<String> {
    let batch = executor.run_blocking(calls, &Context::new());
    assert_eq!(batch.calls().len(), calls.len());
    batch
        .results()
        .map(|result| result.content(Encoder::auto()).into_owned())
        .collect()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

#[test]
fn tools_of_all_kinds_are_answered_in_call_order() {
    let executor = Executor::parallel(tools![migrate, read_file, count_primes], 8);
    let calls = calls([
        ("count_primes", r#"{"most": 100}"#),
        ("migrate", r#"{"table": "orders"}"#),
        ("read_file", r#"{"path": "Cargo.toml"}"#),
    ]);
    let answers = answers(&executor, &calls);
    assert_eq!(answers[..2], ["25", "orders is migrated"]);
    assert!(answers[2].contains("toolwright-book"));
}

#[test]
fn a_tools_own_limit_goes_first() {
    let tools = tools![read_page];
    let page = calls([("read_page", r#"{"title": "Tea"}"#)]);
    let said = answers(&limited(&tools), &page);
    let late = "the tool did not answer within its time limit of 50ms (`timeout` of the tool or the executor changes it)\n\
                its work may go on, and it is not known whether it took effect";
    assert_eq!(said, [late]);

    let batch =
        Executor::parallel(tools![render_slowly], 8).batch_timeout(Duration::from_millis(50));
    assert!(answers(&batch, &calls([("render_slowly", "{}")]))[0].contains("50ms"));
}

/// Renders.
#[tool]
async fn render_slowly() {
    tokio::time::sleep(Duration::from_mins(1)).await;
}

#[test]
fn a_cancelled_batch_answers_every_call() {
    let executor = Executor::parallel(tools![render_slowly], 8);
    let calls = calls([("render_slowly", "{}"), ("render_slowly", "{}")]);
    let printed = output::of(|| block_on(stopped(&executor, &calls)));
    output::shown("turns.cancel.txt", &printed);
}

/// Panics.
#[tool]
fn panics() {
    panic!("a defect");
}

#[test]
fn the_policy_decides_about_failures() {
    let executor = patient(&tools![read_page, panics]);
    let calls = calls([
        ("read_page", r#"{"title": "Tea"}"#),
        ("panics", "{}"),
        ("pancs", "{}"),
    ]);
    let batch = executor.run_blocking(&calls, &Context::new());
    let halted = batch.halted().unwrap();
    assert!(
        matches!(halted, toolwright::executor::Halted::ToolError { index: 1 }),
        "{halted:?}"
    );
    let said: Vec<_> = batch
        .results()
        .map(|result| result.content(Encoder::auto()))
        .collect();
    assert_eq!(said[0], "no answer in time; go on without it");
    assert_eq!(said[2], "unknown tool `pancs`; did you mean `panics`?");

    let strict =
        Executor::serial(tools![panics]).on_error(ErrorPolicy::with(|_, error| {
            match error.kind() {
                ErrorKind::Unknown | ErrorKind::Hidden => OnFailure::Abort,
                _ => OnFailure::Continue,
            }
        }));
    let said = answers(&strict, &calls);
    assert!(said[1].contains("cancelled"), "{said:?}");
}

#[test]
fn events_are_sent_as_things_happen() {
    let executor = observed(&tools![send]);
    let calls = calls([("send", r#"{"readers": ["Ada", "Bob"]}"#)]);
    output::shown(
        "turns.events.txt",
        &output::of(|| answers(&executor, &calls)),
    );
}

#[test]
fn layers_stand_around_every_call() {
    let executor = layered(&tools![rate]);
    let rates = calls([("rate", r#"{"currency": "USD"}"#); 4]);
    let printed = output::of(|| {
        for answer in answers(&executor, &rates) {
            println!("{answer}");
        }
    });
    output::shown("turns.layers.txt", &printed);
    assert_eq!(
        ATTEMPTS.load(Ordering::SeqCst),
        2,
        "a retry, and then the cache"
    );

    let executor = Executor::serial(tools![rate, send]).layer(Closed);
    let calls = calls([
        ("send", r#"{"readers": []}"#),
        ("rate", r#"{"currency": "USD"}"#),
    ]);
    assert_eq!(
        answers(&executor, &calls),
        ["the shop is closed until 8:00", "1.09"]
    );
    assert_eq!(answers(&with_tower(&tools![rate]), &calls[1..]), ["1.09"]);
}

#[test]
fn long_answers_are_cut_and_read_on() {
    let executor = short_answers();
    let printed = output::of(|| {
        let calls = calls([
            ("read_log", "{}"),
            ("read_output", r#"{"id": "output_1", "offset": 196}"#),
        ]);
        let cx = Context::new().with_session("chat_1");
        for result in executor.run_blocking(&calls, &cx).results() {
            println!("{}", result.content(Encoder::auto()));
        }
    });
    output::shown("turns.output_limit.txt", &printed);
}

#[test]
fn a_background_result_comes_later() {
    output::shown("turns.background.txt", &output::of(|| block_on(rendered())));
    // Nobody takes it later: the tool is as any other.
    let waits = calls([("render", r#"{"minutes": 3}"#)]);
    assert_eq!(
        answers(&Executor::serial(tools![render]), &waits),
        ["film.mp4, 3 minutes"]
    );
}

/// Says who it is.
#[tool(timeout = "1ms")]
async fn slow() -> &'static str {
    tokio::time::sleep(Duration::from_millis(20)).await;
    "slow"
}

#[test]
fn a_plain_call_has_no_limits_and_heeds_no_cancellation() {
    let stop = Cancel::new();
    stop.cancel();
    let cx = Context::new().with_cancel(stop);
    let result = tools![slow].call_blocking(&ToolCall::new("1", "slow", "{}"), &cx);
    assert_eq!(result.content(Encoder::auto()), "slow");
    let result = tools![panics].call_blocking(&ToolCall::new("1", "panics", "{}"), &cx);
    let said = result.content(Encoder::auto());
    assert!(said.starts_with("the tool failed unexpectedly"), "{said}");
}
