//! The invariant of execution: every call that a model made is answered exactly once, listed as pending, or open
//! and owned, in every state that is handed out.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;
use tokio::time::{Instant, sleep};
use toolwright::{
    Context, DynTool, Executor, Outcome, ToolCall, ToolError, ToolResult, Toolset,
    call::{BoxFuture, Cancel, ErrorKind, HaltReason},
    executor::{Batch, ErrorPolicy, Event, OnFailure, OpenCalls},
    layers::{Handled, Layer, Next, Request},
    tool, tools,
};

/// How long a call may take, in milliseconds, where a case limits it.
const LIMIT: u64 = 40;

/// What a panic that is part of a case says; no other panic is quiet.
const INJECTED: &str = "part of the case";

/// What a tool does after it has waited.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, toolwright::Schema,
)]
enum Then {
    Answer,
    Fail,
    Panic,
    /// A local of the body panics when it is dropped.
    PanicInDrop,
    /// It never ends.
    Hang,
    Ask,
    Halt,
    Direct,
    /// A value that cannot be written as JSON.
    Unwritable,
    /// The tool fires the host's token.
    CancelAll,
}

/// Which tool is called, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Exclusive,
    Background,
    Blocking,
    OwnLimit,
    Manual,
    Hidden,
    Unknown,
    /// Arguments that are not right.
    Wrong,
    /// Arguments that are not JSON.
    NoJson,
    /// A declaration without code.
    Declared,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Plain | Self::Wrong | Self::NoJson => "plain",
            Self::Exclusive => "exclusive",
            Self::Background => "background",
            Self::Blocking => "blocking",
            Self::OwnLimit => "own_limit",
            Self::Manual => "manual",
            Self::Hidden => "hidden",
            Self::Unknown => "nowhere",
            Self::Declared => "declared",
        }
    }
}

#[derive(Debug, Clone)]
struct One {
    kind: Kind,
    then: Then,
    ms: u64,
    /// Few, so that some are equal.
    id: u8,
}

#[derive(Debug, Clone, Copy)]
enum End {
    Never,
    CancelBefore,
    CancelAfter(u64),
    DropAfter(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    /// Hands on.
    Through,
    /// Panics at every third call.
    Panics,
    /// Lets every third call wait.
    Waits,
    /// Rewrites the arguments of every third call into wrong ones.
    Spoils,
    /// Runs every third call twice.
    Twice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    Continue,
    Halt,
    Abort,
    Replace,
    ReplaceUnwritable,
    Panics,
}

#[derive(Debug, Clone)]
struct Case {
    calls: Vec<One>,
    at_once: usize,
    limited: bool,
    batch_limit: Option<u64>,
    end: End,
    around: Around,
    policy: Policy,
    observer_panics: bool,
}

fn then() -> impl Strategy<Value = Then> {
    prop_oneof![
        6 => Just(Then::Answer),
        1 => Just(Then::Fail),
        1 => Just(Then::Panic),
        1 => Just(Then::PanicInDrop),
        1 => Just(Then::Hang),
        1 => Just(Then::Ask),
        1 => Just(Then::Halt),
        1 => Just(Then::Direct),
        1 => Just(Then::Unwritable),
        1 => Just(Then::CancelAll),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        8 => Just(Kind::Plain),
        2 => Just(Kind::Exclusive),
        2 => Just(Kind::Background),
        1 => Just(Kind::Blocking),
        1 => Just(Kind::OwnLimit),
        1 => Just(Kind::Manual),
        1 => Just(Kind::Hidden),
        1 => Just(Kind::Unknown),
        1 => Just(Kind::Wrong),
        1 => Just(Kind::NoJson),
        1 => Just(Kind::Declared),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let one = (kind(), then(), 0..60_u64, 0..4_u8).prop_map(|(kind, then, ms, id)| One {
        kind,
        then,
        ms,
        id,
    });
    let end = prop_oneof![
        4 => Just(End::Never),
        1 => Just(End::CancelBefore),
        2 => (0..80_u64).prop_map(End::CancelAfter),
        2 => (0..80_u64).prop_map(End::DropAfter),
    ];
    let around = prop_oneof![
        4 => Just(Around::Nothing),
        1 => Just(Around::Through),
        1 => Just(Around::Panics),
        1 => Just(Around::Waits),
        1 => Just(Around::Spoils),
        1 => Just(Around::Twice),
    ];
    let policy = prop_oneof![
        4 => Just(Policy::Continue),
        1 => Just(Policy::Halt),
        1 => Just(Policy::Abort),
        1 => Just(Policy::Replace),
        1 => Just(Policy::ReplaceUnwritable),
        1 => Just(Policy::Panics),
    ];
    let limits = (any::<bool>(), prop::option::weighted(0.2, 0..80_u64));
    let calls = prop::collection::vec(one, 0..9);
    let observer_panics = prop::bool::weighted(0.2);
    (
        calls,
        1..6_usize,
        limits,
        end,
        around,
        policy,
        observer_panics,
    )
        .prop_map(
            |(calls, at_once, (limited, batch_limit), end, around, policy, observer_panics)| Case {
                calls,
                at_once,
                limited,
                batch_limit,
                end,
                around,
                policy,
                observer_panics,
            },
        )
}

/// What the bodies of a case share.
struct Shared {
    host: Cancel,
    /// How often each call's body ran.
    ran: Vec<AtomicUsize>,
    /// How many bodies are there now.
    alive: AtomicUsize,
}

/// A body that is there; it can panic when it is gone.
struct Body<'a>(&'a Shared, bool);

impl Drop for Body<'_> {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::SeqCst);
        if self.1 && !std::thread::panicking() {
            panic::panic_any(INJECTED);
        }
    }
}

struct Unwritable;

impl serde::Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("cannot be written"))
    }
}

async fn act(shared: &Shared, n: usize, ms: u64, then: Then) -> Result<Outcome, ToolError> {
    shared.ran[n].fetch_add(1, Ordering::SeqCst);
    shared.alive.fetch_add(1, Ordering::SeqCst);
    let _body = Body(shared, then == Then::PanicInDrop);
    sleep(Duration::from_millis(ms)).await;
    match then {
        Then::Answer | Then::PanicInDrop => Ok(Outcome::value(n)),
        Then::Fail => Err(ToolError::failed("no")),
        Then::Panic => panic::panic_any(INJECTED),
        Then::Hang => std::future::pending().await,
        Then::Ask => Ok(Outcome::ask("Which?")),
        Then::Halt => Ok(Outcome::halt(HaltReason::new("enough"), n)),
        Then::Direct => Ok(Outcome::direct(n)),
        Then::Unwritable => Ok(Outcome::value(Unwritable)),
        Then::CancelAll => {
            shared.host.cancel();
            Ok(Outcome::value(n))
        }
    }
}

/// Does as it is told.
#[tool]
async fn plain(n: usize, ms: u64, then: Then, #[state] s: &Shared) -> Result<Outcome, ToolError> {
    act(s, n, ms, then).await
}

/// Does so alone.
#[tool(exclusive)]
async fn exclusive(
    n: usize,
    ms: u64,
    then: Then,
    #[state] s: &Shared,
) -> Result<Outcome, ToolError> {
    act(s, n, ms, then).await
}

/// Does so in the background.
#[tool(background)]
async fn background(
    n: usize,
    ms: u64,
    then: Then,
    #[state] s: &Shared,
) -> Result<Outcome, ToolError> {
    act(s, n, ms, then).await
}

/// Does so within its own limit.
#[tool(timeout = "20ms")]
async fn own_limit(
    n: usize,
    ms: u64,
    then: Then,
    #[state] s: &Shared,
) -> Result<Outcome, ToolError> {
    act(s, n, ms, then).await
}

/// Does so at once, on a thread; what never ends is left out, since nothing could end it.
#[tool(blocking)]
fn blocking(n: usize, ms: u64, then: Then, #[state] s: &Shared) -> Result<Outcome, ToolError> {
    let _ = ms;
    s.ran[n].fetch_add(1, Ordering::SeqCst);
    match then {
        Then::Fail => Err(ToolError::failed("no")),
        Then::Panic | Then::PanicInDrop => panic::panic_any(INJECTED),
        _ => Ok(Outcome::value(n)),
    }
}

/// A person does it.
#[tool(manual)]
async fn manual(n: usize, ms: u64, then: Then, #[state] s: &Shared) -> Result<Outcome, ToolError> {
    act(s, n, ms, then).await
}

/// Nobody may.
#[tool(visible = nobody)]
async fn hidden(n: usize, ms: u64, then: Then, #[state] s: &Shared) -> Result<Outcome, ToolError> {
    act(s, n, ms, then).await
}

fn nobody(_: &toolwright::call::Scope<'_>) -> bool {
    false
}

struct Layered(Around);

impl Layer for Layered {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            if request.index() % 3 != 1 {
                return next.run(request).await;
            }
            match self.0 {
                Around::Nothing | Around::Through => next.run(request).await,
                Around::Panics => panic::panic_any(INJECTED),
                Around::Waits => Handled::Wait(json!("a person")),
                Around::Spoils => next.run(request.with_arguments("{\"n\": []}")).await,
                Around::Twice => {
                    next.run(request.clone()).await;
                    next.run(request).await
                }
            }
        })
    }
}

/// What observers were told.
#[derive(Default)]
struct Told {
    started: Vec<usize>,
    finished: Vec<usize>,
    pending: Vec<usize>,
    batches: usize,
}

fn executor(case: &Case, tools: Toolset, told: &Arc<Mutex<Told>>) -> Executor {
    let policy = case.policy;
    let policy = match policy {
        Policy::Continue => ErrorPolicy::Continue,
        Policy::Halt => ErrorPolicy::Halt,
        Policy::Abort => ErrorPolicy::Abort,
        Policy::Replace => ErrorPolicy::with(|_, _| OnFailure::Replace(Outcome::value("instead"))),
        Policy::ReplaceUnwritable => {
            ErrorPolicy::with(|_, _| OnFailure::Replace(Outcome::value(Unwritable)))
        }
        Policy::Panics => ErrorPolicy::with(|_, _| panic::panic_any(INJECTED)),
    };
    let (told, panics) = (Arc::clone(told), case.observer_panics);
    let mut executor = Executor::parallel(tools, case.at_once)
        .on_error(policy)
        .on_event(move |event| {
            // Of what goes on in the background the owner is told.
            let is_open = match event {
                Event::Started { cx, .. }
                | Event::Finished { cx, .. }
                | Event::BatchFinished { cx, .. } => cx.open_call().is_some(),
                _ => false,
            };
            if !is_open {
                let mut told = told.lock().unwrap();
                match event {
                    Event::Started { index, .. } => told.started.push(*index),
                    Event::Finished { index, .. } => told.finished.push(*index),
                    Event::Pending { pending, .. } => told.pending.push(pending.index),
                    Event::BatchFinished { .. } => told.batches += 1,
                    _ => {}
                }
            }
            if panics {
                panic::panic_any(INJECTED);
            }
        });
    if case.limited {
        executor = executor.timeout(Duration::from_millis(LIMIT));
    }
    if let Some(limit) = case.batch_limit {
        executor = executor.batch_timeout(Duration::from_millis(limit));
    }
    if case.around != Around::Nothing {
        executor = executor.layer(Layered(case.around));
    }
    executor
}

fn call(n: usize, one: &One) -> ToolCall {
    let arguments = match one.kind {
        Kind::Wrong => json!({"n": n, "ms": "soon", "then": "Answer"}).to_string(),
        Kind::NoJson => "{\"n\": ".to_owned(),
        _ => json!({"n": n, "ms": one.ms, "then": one.then}).to_string(),
    };
    ToolCall::new(one.id.to_string(), one.kind.name(), arguments)
}

/// Whether a call may be answered so.
fn may_be(case: &Case, one: &One, n: usize, result: &ToolResult) -> bool {
    let layered = case.around != Around::Nothing && n % 3 == 1;
    let may_cancel = !matches!(case.end, End::Never)
        || case.policy == Policy::Abort
        || case.calls.iter().any(|one| one.then == Then::CancelAll);
    let kind = match &result.outcome {
        Ok(outcome) => {
            let replaced =
                case.policy == Policy::Replace && result.value() == Some(json!("instead"));
            let own = matches!(
                (one.then, outcome),
                (Then::Answer, Outcome::Value(_))
                    | (Then::Ask, Outcome::AskUser { .. })
                    | (Then::Halt, Outcome::Halt { .. })
                    | (Then::Direct, Outcome::ReturnDirect(_))
            ) || (one.kind == Kind::Blocking && matches!(outcome, Outcome::Value(_)));
            if one.kind == Kind::Background {
                return replaced || matches!(outcome, Outcome::Open { .. });
            }
            let runs = !matches!(
                one.kind,
                Kind::Manual
                    | Kind::Hidden
                    | Kind::Unknown
                    | Kind::Wrong
                    | Kind::NoJson
                    | Kind::Declared
            );
            return replaced || (own && runs);
        }
        Err(error) => error.kind(),
    };
    match kind {
        ErrorKind::Cancelled => may_cancel,
        ErrorKind::Timeout => {
            case.limited || case.batch_limit.is_some() || one.kind == Kind::OwnLimit
        }
        ErrorKind::Unknown => one.kind == Kind::Unknown,
        ErrorKind::Hidden => one.kind == Kind::Hidden,
        ErrorKind::InvalidArgs => {
            matches!(one.kind, Kind::Wrong | Kind::NoJson)
                || (layered && case.around == Around::Spoils)
        }
        ErrorKind::Panicked => {
            matches!(one.then, Then::Panic | Then::PanicInDrop)
                || (layered && case.around == Around::Panics)
        }
        ErrorKind::Failed => one.then == Then::Fail,
        ErrorKind::Encoding => one.then == Then::Unwritable,
        ErrorKind::NoHandler => one.kind == Kind::Declared,
        _ => false,
    }
}

/// Each call that stays open ends once, and those alone that the batch says stay open.
async fn ends_once(open: &OpenCalls, batch: Option<&Batch>) -> Result<(), TestCaseError> {
    for call in open.list().iter().step_by(2) {
        // It may have ended before.
        let _ = open.cancel(&call.key).await;
    }
    let mut ended = Vec::new();
    while !open.is_empty() {
        ended.push(open.ended().await.key);
    }
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    prop_assert!(open.is_empty());
    if let Some(batch) = batch {
        let noted = batch.results().filter_map(|result| match &result.outcome {
            Ok(Outcome::Open { key, .. }) => Some(key.clone()),
            _ => None,
        });
        let mut noted: Vec<_> = noted.collect();
        noted.sort_unstable();
        ended.sort_unstable();
        prop_assert_eq!(noted, ended);
    }
    Ok(())
}

/// What comes of the batch, if its future is not dropped.
async fn batch_of(
    case: &Case,
    executor: &Executor,
    calls: &[ToolCall],
    host: &Cancel,
) -> Option<Batch> {
    // Nothing hangs a case: what has no limit ends here.
    let end = match case.end {
        End::Never => Duration::from_secs(100),
        End::CancelBefore => {
            host.cancel();
            Duration::from_secs(100)
        }
        End::CancelAfter(ms) | End::DropAfter(ms) => Duration::from_millis(ms),
    };
    let cx = Context::new().with_cancel(host.clone());
    let run = executor.run(calls, &cx);
    if let End::DropAfter(_) = case.end {
        return tokio::time::timeout(end, run).await.ok();
    }
    let (batch, ()) = tokio::join!(run, async {
        if let End::CancelAfter(_) = case.end {
            sleep(end).await;
            host.cancel();
        }
    });
    Some(batch)
}

async fn run(case: &Case) -> Result<(), TestCaseError> {
    let shared = Arc::new(Shared {
        host: Cancel::new(),
        ran: case.calls.iter().map(|_| AtomicUsize::new(0)).collect(),
        alive: AtomicUsize::new(0),
    });
    let told = Arc::new(Mutex::new(Told::default()));
    let declared = DynTool::declare(toolwright::ToolDef::new("declared", "Has no code."));
    let tools = tools![plain, exclusive, background, blocking, own_limit, manual, hidden; state = Arc::clone(&shared)]
        .merge(&Toolset::new([declared]).unwrap())
        .unwrap();
    let open = OpenCalls::new().timeout(Duration::from_secs(90));
    let executor = executor(case, tools, &told).open_calls(&open);
    let calls: Vec<_> = case
        .calls
        .iter()
        .enumerate()
        .map(|(n, one)| call(n, one))
        .collect();
    let start = Instant::now();
    let batch = batch_of(case, &executor, &calls, &shared.host).await;
    // What runs as a task ends when it is next asked for.
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    ends_once(&open, batch.as_ref()).await?;
    let told = told.lock().unwrap();
    let counted = |list: &[usize], n| list.iter().filter(|&&index| index == n).count();
    prop_assert_eq!(
        shared.alive.load(Ordering::SeqCst),
        0,
        "a body outlives its batch"
    );
    if let Some(batch) = &batch {
        prop_assert!(start.elapsed() < Duration::from_secs(500));
        prop_assert_eq!(batch.calls().len(), calls.len());
        prop_assert_eq!(told.batches, 1);
    }
    for (n, (one, call)) in case.calls.iter().zip(&calls).enumerate() {
        let ran = shared.ran[n].load(Ordering::SeqCst);
        let twice = case.around == Around::Twice && n % 3 == 1;
        prop_assert!(
            ran <= if twice { 2 } else { 1 },
            "call {} ran {} times",
            n,
            ran
        );
        let (started, finished) = (counted(&told.started, n), counted(&told.finished, n));
        let waits = counted(&told.pending, n);
        prop_assert!(
            started <= 1 && finished + waits <= 1,
            "events of call {}",
            n
        );
        prop_assert!(ran == 0 || started == 1, "call {} ran before it started", n);
        let Some(batch) = &batch else {
            prop_assert_eq!(finished + waits, 1, "a dropped batch tells all");
            continue;
        };
        prop_assert_eq!(finished + waits, 1, "events of call {}", n);
        match &batch.calls()[n] {
            toolwright::executor::Reply::Answered(result) => {
                prop_assert_eq!((&result.id, &result.name), (&call.id, &call.name));
                prop_assert!(may_be(case, one, n, result), "call {}: {:?}", n, result);
                prop_assert_eq!(waits, 0);
            }
            toolwright::executor::Reply::Pending(pending) => {
                prop_assert_eq!(pending.index, n);
                prop_assert_eq!(&pending.call, call);
                let layered = case.around == Around::Waits && n % 3 == 1;
                prop_assert!(one.kind == Kind::Manual || layered);
                prop_assert!(ran == 0 && waits == 1);
            }
        }
    }
    Ok(())
}

/// Whether the case can end: what hangs needs a limit, or an end from outside.
fn ends(case: &Case) -> bool {
    let hangs = case
        .calls
        .iter()
        .any(|one| one.then == Then::Hang && one.kind != Kind::Blocking);
    !hangs || case.limited || case.batch_limit.is_some() || !matches!(case.end, End::Never)
}

fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if info.payload().downcast_ref::<&str>() != Some(&INJECTED) {
                loud(info);
            }
        }));
    });
}

#[test]
fn every_call_is_answered_once_or_pending() {
    quiet();
    let cases = std::env::var("TOOLWRIGHT_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let config = Config {
        cases: cases.unwrap_or(2_000),
        max_shrink_iters: 2_000,
        failure_persistence: None,
        ..Config::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let cases = case().prop_filter("hangs", ends);
    let result = TestRunner::new(config).run(&cases, |case| runtime.block_on(run(&case)));
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
