//! A batch on a runtime with several threads: what holds on one holds there, whether a tool awaits, is a
//! task of its own or blocks a thread.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use toolwright::layers::Retry;
use toolwright::{
    Context, DynTool, Executor, ToolCall, ToolError, ToolOptions, Toolset,
    call::{Cancel, ErrorKind},
    executor::{Batch, BlockingLimit, Event, Halted},
    tool, tools,
};

/// What all tools of a test share.
struct Shared {
    /// Whose turn it is to end.
    turn: watch::Sender<usize>,
    /// How many are at work, and the most that were.
    now: AtomicUsize,
    most: AtomicUsize,
    /// How many hang, and how many have heard that they are to end.
    hang: watch::Sender<usize>,
    heard: watch::Sender<usize>,
}

impl Shared {
    fn new(turn: usize) -> Arc<Self> {
        Arc::new(Self {
            turn: watch::Sender::new(turn),
            now: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            hang: watch::Sender::new(0),
            heard: watch::Sender::new(0),
        })
    }

    async fn turn(&self, n: usize) -> usize {
        self.turn
            .subscribe()
            .wait_for(|turn| *turn == n)
            .await
            .unwrap();
        self.turn.send_replace(n.wrapping_sub(1));
        n
    }

    async fn at_work(&self) {
        self.enter();
        while self.most.load(Ordering::SeqCst) < 3 {
            tokio::task::yield_now().await;
        }
        // One more would have the time to begin.
        tokio::time::sleep(Duration::from_millis(5)).await;
        self.leave();
    }

    fn enter(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
    }

    fn leave(&self) {
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Ends when it is its turn.
#[tool]
async fn turn(n: usize, #[state] shared: &Shared) -> usize {
    shared.turn(n).await
}

/// Ends when it is its turn.
#[tool(blocking)]
fn turn_blocking(n: usize, #[state] shared: &Shared) -> usize {
    while *shared.turn.borrow() != n {
        std::thread::yield_now();
    }
    shared.turn.send_replace(n.wrapping_sub(1));
    n
}

/// Waits until three were at work at once.
#[tool]
async fn three(#[state] shared: &Shared) {
    shared.at_work().await;
}

/// Waits until three were at work at once.
#[tool(blocking)]
fn three_blocking(#[state] shared: &Shared) {
    shared.enter();
    while shared.most.load(Ordering::SeqCst) < 3 {
        std::thread::yield_now();
    }
    // One more would have the time to begin.
    std::thread::sleep(Duration::from_millis(5));
    shared.leave();
}

/// Panics.
#[tool]
async fn boom() -> u8 {
    panic!("awaiting")
}

/// Panics.
#[tool(blocking)]
fn boom_blocking() -> u8 {
    panic!("on a thread")
}

/// Counts itself when it goes.
struct Heard<'a>(&'a Shared);

impl Drop for Heard<'_> {
    fn drop(&mut self) {
        self.0.heard.send_modify(|heard| *heard += 1);
    }
}

/// Never answers.
#[tool]
async fn hang(#[state] shared: &Shared) -> u8 {
    let _heard = Heard(shared);
    shared.hang.send_modify(|hang| *hang += 1);
    std::future::pending().await
}

/// Does not answer until it is told to end.
#[tool(blocking)]
fn hang_blocking(#[state] shared: &Shared, #[context] cx: &Context) -> u8 {
    let _heard = Heard(shared);
    shared.hang.send_modify(|hang| *hang += 1);
    while !cx.cancel().is_cancelled() {
        std::thread::yield_now();
    }
    1
}

/// Has a limit of its own, and never answers.
#[tool(timeout = "500ms")]
async fn hurried(#[state] shared: &Shared) -> u8 {
    let _heard = Heard(shared);
    std::future::pending().await
}

/// Has a limit of its own, and does not answer until it is told to end.
#[tool(blocking, timeout = "500ms")]
fn hurried_blocking(#[state] shared: &Shared, #[context] cx: &Context) -> u8 {
    let _heard = Heard(shared);
    while !cx.cancel().is_cancelled() {
        std::thread::yield_now();
    }
    1
}

/// Says it.
#[tool]
async fn echo(text: String) -> String {
    tokio::task::yield_now().await;
    text
}

/// Says it.
#[tool(blocking)]
fn echo_blocking(text: String) -> String {
    text
}

fn all(shared: &Arc<Shared>) -> Toolset {
    tools![
        turn, turn_blocking, three, three_blocking, boom, boom_blocking, hurried, hurried_blocking, hang,
        hang_blocking, echo, echo_blocking;
        state = Arc::clone(shared)
    ]
}

fn call(id: &str, name: &str, arguments: &serde_json::Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

/// A call with the arguments that its tool takes.
fn of(id: &str, name: &str) -> ToolCall {
    let arguments = if name.starts_with("echo") {
        json!({"text": "a"})
    } else {
        json!({})
    };
    call(id, name, &arguments)
}

fn kinds(batch: &Batch) -> Vec<Option<ErrorKind>> {
    let kind = |result: &toolwright::ToolResult| result.outcome.as_ref().err().map(ToolError::kind);
    batch.results().map(kind).collect()
}

/// What hangs fails.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(Duration::from_mins(1), future).await;
    done.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn answers_stand_in_call_order_under_their_ids() {
    for name in ["turn", "turn_blocking"] {
        // The last one ends first.
        let shared = Shared::new(7);
        let finished = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&finished);
        let executor = Executor::parallel(all(&shared), 8).on_event(move |event| {
            if let Event::Finished { index, .. } = event {
                seen.lock().unwrap().push(*index);
            }
        });
        // Two of them share each id.
        let calls = (0..8).map(|n| call(&format!("c{}", n / 2), name, &json!({"n": n})));
        let calls: Vec<_> = calls.collect();
        let batch = soon(executor.run(&calls, &Context::new())).await;
        let answers = batch.results().map(|result| (&*result.id, result.value()));
        let expected = ["c0", "c0", "c1", "c1", "c2", "c2", "c3", "c3"];
        let expected = expected.into_iter().zip((0..8).map(|n| Some(json!(n))));
        assert!(answers.eq(expected), "{name}: {batch:?}");
        let mut finished = finished.lock().unwrap().clone();
        if name == "turn" {
            assert_eq!(finished, [7, 6, 5, 4, 3, 2, 1, 0]);
        }
        // Threads may be heard of in another order than they end in, but once each.
        finished.sort_unstable();
        assert_eq!(finished, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_more_run_at_once_than_may() {
    for name in ["three", "three_blocking"] {
        let shared = Shared::new(0);
        let calls: Vec<_> = (0..30)
            .map(|n| call(&n.to_string(), name, &json!({})))
            .collect();
        let executor = Executor::parallel(all(&shared), 3);
        let batch = soon(executor.run(&calls, &Context::new())).await;
        assert_eq!(kinds(&batch), [None; 30], "{name}");
        assert_eq!(shared.most.load(Ordering::SeqCst), 3, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_panic_and_a_limit_concern_their_call_alone() {
    let shared = Shared::new(0);
    let names = [
        "echo",
        "boom",
        "hurried",
        "echo_blocking",
        "boom_blocking",
        "hurried_blocking",
        "nowhere",
    ];
    let calls: Vec<_> = names.iter().map(|name| of(name, name)).collect();
    let executor = Executor::parallel(all(&shared), 16);
    let batch = soon(executor.run(&calls, &Context::new())).await;
    let (panicked, late) = (Some(ErrorKind::Panicked), Some(ErrorKind::Timeout));
    assert_eq!(
        kinds(&batch),
        [
            None,
            panicked,
            late,
            None,
            panicked,
            late,
            Some(ErrorKind::Unknown)
        ]
    );
    let ids: Vec<_> = batch.results().map(|result| &*result.id).collect();
    assert_eq!(ids, names);
    // Both know that nobody waits for them.
    soon(shared.heard.subscribe().wait_for(|heard| *heard == 2))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelled_calls_are_answered_and_end() {
    let shared = Shared::new(0);
    let names = ["echo", "hang", "hang_blocking", "echo"];
    let calls = names.iter().enumerate();
    let calls: Vec<_> = calls.map(|(n, name)| of(&n.to_string(), name)).collect();
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let hang = shared.hang.subscribe();
    // From another task, once both are at work. Nobody says how far the others are.
    let stops = tokio::spawn(async move {
        let mut hang = hang;
        hang.wait_for(|hang| *hang == 2).await.unwrap();
        stop.cancel();
    });
    let executor = Executor::parallel(all(&shared), 4).timeout(None);
    let batch = soon(executor.run(&calls, &cx)).await;
    stops.await.unwrap();
    let cancelled = Some(ErrorKind::Cancelled);
    let found = kinds(&batch);
    assert_eq!(found[1..3], [cancelled; 2]);
    assert_eq!(found.len(), 4);
    assert_eq!(batch.halted(), Some(&Halted::Cancelled));
    let ids: Vec<_> = batch.results().map(|result| &*result.id).collect();
    assert_eq!(ids, ["0", "1", "2", "3"]);
    soon(shared.heard.subscribe().wait_for(|heard| *heard == 2))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_at_once_keep_their_answers_apart() {
    let shared = Shared::new(0);
    let executor = Executor::parallel(all(&shared), 8);
    let batches = (0..16).map(|batch| {
        let executor = executor.clone();
        tokio::spawn(async move {
            let names = ["echo", "echo_blocking"];
            let text = |n: usize| format!("{batch}/{n}");
            let calls = (0..60).map(|n| call("same", names[n % 2], &json!({"text": text(n)})));
            let calls: Vec<_> = calls.collect();
            let batch = executor.run(&calls, &Context::new()).await;
            let values = batch.results().map(toolwright::ToolResult::value);
            assert!(
                values.eq((0..60).map(|n| Some(json!(text(n))))),
                "{batch:?}"
            );
        })
    });
    for batch in batches.collect::<Vec<_>>() {
        soon(batch).await.unwrap();
    }
}

/// Notes that it ran.
#[tool(blocking)]
fn note(#[state] ran: &AtomicUsize) {
    ran.fetch_add(1, Ordering::SeqCst);
}

/// Says its number.
#[tool]
async fn say(n: u8) -> u8 {
    tokio::task::yield_now().await;
    n
}

#[test]
fn where_no_thread_can_be_had_the_call_is_told_so_and_the_others_are_answered() {
    let ran = Arc::new(AtomicUsize::new(0));
    let set = tools![say, note; state = Arc::clone(&ran)];
    let held = Arc::strong_count(&ran);
    let calls = [
        ToolCall::new("a", "say", r#"{"n": 1}"#),
        ToolCall::new("b", "note", "{}"),
        ToolCall::new("c", "say", r#"{"n": 3}"#),
    ];
    // No memory holds such a stack.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_stack_size(usize::MAX / 4)
        .build()
        .unwrap();
    for executor in [Executor::parallel(&set, 8), Executor::serial(&set)] {
        let batch = runtime.block_on(executor.run(&calls, &Context::new()));
        let told: Vec<_> = batch.results().collect();
        assert_eq!(told.len(), 3);
        assert_eq!(told[0].value(), Some(json!(1)));
        let error = told[1].outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotStarted);
        assert_eq!(error.to_string(), "the tool could not be started");
        assert_eq!(told[2].value(), Some(json!(3)));
    }
    assert_eq!(Arc::strong_count(&ran), held, "nothing of the call is left");
    drop(runtime);
    assert_eq!(ran.load(Ordering::SeqCst), 0);
}

/// Whether a body that awaits for ever on a thread of its own, and looks at nothing, has ended.
fn forgotten(ended: &Arc<AtomicUsize>) -> Toolset {
    struct Ends(Arc<AtomicUsize>);

    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    let ended = Arc::clone(ended);
    let tool = DynTool::builder().name("forgets").description("Waits.");
    let tool =
        tool.options(ToolOptions::new().blocking(true))
            .handler(move |_: serde_json::Value, _| {
                let ends = Ends(Arc::clone(&ended));
                async move {
                    std::future::pending::<()>().await;
                    drop(ends);
                    Ok::<_, ToolError>(())
                }
            });
    Toolset::new([tool.build().unwrap()]).unwrap()
}

#[test]
fn a_body_that_awaits_gives_its_thread_back() {
    let ended = Arc::new(AtomicUsize::new(0));
    // Time enough to begin: what has not is taken back, and ends nowhere.
    let executor = Executor::serial(forgotten(&ended)).timeout(Duration::from_millis(200));
    let calls = [ToolCall::new("1", "forgets", "{}")];
    let is_late = |batch: &Batch| {
        let error = batch.results().next().unwrap().outcome.as_ref().err();
        assert_eq!(error.map(ToolError::kind), Some(ErrorKind::Timeout));
        // Where much else runs, it may not have begun by then.
        error.is_some_and(ToolError::is_outcome_unknown)
    };
    // On a thread without a runtime, and on one of a runtime's, which waits for them where it ends.
    while !is_late(&executor.run_blocking(&calls, &Context::new())) {}
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    while !is_late(&runtime.block_on(executor.run(&calls, &Context::new()))) {}
    runtime.shutdown_timeout(Duration::from_secs(10));
    let began = std::time::Instant::now();
    while ended.load(Ordering::SeqCst) < 2 {
        assert!(began.elapsed() < Duration::from_secs(10), "it still waits");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until the gate opens, and then notes that it ran.
#[tool(blocking, destructive)]
fn gated(#[state] gate: &Gate) {
    let closed = gate.closed.lock().unwrap();
    drop(gate.opened.wait_while(closed, |closed| *closed).unwrap());
    gate.ran.fetch_add(1, Ordering::SeqCst);
}

struct Gate {
    closed: Mutex<bool>,
    opened: Condvar,
    ran: AtomicUsize,
}

impl Gate {
    fn closed() -> Arc<Self> {
        Arc::new(Self {
            closed: Mutex::new(true),
            opened: Condvar::new(),
            ran: AtomicUsize::new(0),
        })
    }

    fn open(&self) {
        *self.closed.lock().unwrap() = false;
        self.opened.notify_all();
    }
}

/// Opens the gate when it is dropped.
struct OpensAtEnd(Arc<Gate>);

impl Drop for OpensAtEnd {
    fn drop(&mut self) {
        self.0.open();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_beyond_the_limit_of_bodies_that_block_do_not_start() {
    let gate = Gate::closed();
    // The runtime waits for threads: an assertion that fails would never end.
    let _opens = OpensAtEnd(Arc::clone(&gate));
    let set = tools![gated, say; state = Arc::clone(&gate)];
    let limit = BlockingLimit::new(2);
    // One for each batch, as hosts make them.
    let executor = || {
        let executor = Executor::parallel(&set, 8).timeout(Duration::from_millis(300));
        executor.blocking_limit(&limit)
    };
    let calls = ["1", "2", "3", "4"].map(|id| ToolCall::new(id, "gated", "{}"));
    let batch = executor().run(&calls, &Context::new()).await;
    let (late, not_started) = (Some(ErrorKind::Timeout), Some(ErrorKind::NotStarted));
    assert_eq!(kinds(&batch), [late, late, not_started, not_started]);
    let words = batch.results().last().unwrap().outcome.clone().unwrap_err();
    assert!(
        words.to_string().starts_with("the call did not start: "),
        "{words}"
    );
    assert_eq!(limit.running(), 2);
    // Others run beside them; and whoever tries again soon enough finds a place.
    let mixed = [ToolCall::new("5", "say", r#"{"n": 5}"#), calls[0].clone()];
    let again = Executor::parallel(&set, 8)
        .blocking_limit(&limit)
        .layer(Retry::new(20));
    let opens = async {
        let batch = executor().run(&mixed, &Context::new()).await;
        assert_eq!(kinds(&batch), [None, not_started]);
        gate.open();
    };
    let cx = Context::new();
    let (batch, ()) = tokio::join!(again.run(&mixed, &cx), opens);
    assert_eq!(kinds(&batch), [None, None]);
    // The two that were late, and the one that was tried again.
    while limit.running() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(gate.ran.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn bodies_that_block_and_end_make_room_for_one_another() {
    let gate = Gate::closed();
    gate.open();
    let set = tools![gated; state = Arc::clone(&gate)];
    let limit = BlockingLimit::new(3);
    let executor = Executor::parallel(&set, 100).blocking_limit(&limit);
    let calls: Vec<_> = (0..100)
        .map(|n| ToolCall::new(n.to_string(), "gated", "{}"))
        .collect();
    let batch = executor.run(&calls, &Context::new()).await;
    assert!(kinds(&batch).iter().all(Option::is_none), "{batch:?}");
    assert_eq!(gate.ran.load(Ordering::SeqCst), 100);
    assert_eq!(limit.running(), 0);
}

/// Takes effect when it is let go, however often it is told to stop.
#[tool(blocking, timeout = "300ms")]
fn stubborn(#[state] latch: &Latch) -> u8 {
    latch.0.lock().unwrap().recv().unwrap();
    latch.1.fetch_add(1, Ordering::SeqCst);
    1
}

/// The same, again and again.
#[tool(blocking, idempotent, timeout = "300ms")]
fn stubborn_idempotent(#[state] latch: &Latch) -> u8 {
    latch.1.fetch_add(1, Ordering::SeqCst);
    latch.0.lock().unwrap().recv().unwrap();
    1
}

struct Latch(Mutex<std::sync::mpsc::Receiver<()>>, AtomicUsize);

fn latch() -> (std::sync::mpsc::Sender<()>, Arc<Latch>) {
    let (go_on, may) = std::sync::mpsc::channel();
    (go_on, Arc::new(Latch(Mutex::new(may), AtomicUsize::new(0))))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_limit_on_what_cannot_be_stopped_says_that_the_outcome_is_unknown() {
    let unknown = "its work may go on, and it is not known whether it took effect";
    let name = "stubborn";
    for retries in [false, true] {
        let (go_on, latch) = latch();
        let tools = tools![stubborn; state = Arc::clone(&latch)];
        let mut executor = Executor::serial(tools);
        if retries {
            // Whatever is said of the tool: it may have taken effect.
            let wait = Duration::ZERO;
            executor = executor.layer(Retry::new(3).always_for([name]).backoff(wait, wait));
        }
        let batch = soon(executor.run(&[of("1", name)], &Context::new())).await;
        let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{name}");
        assert_eq!(error.messages().last(), Some(unknown), "{name}");
        assert!(error.is_outcome_unknown(), "{name}");
        // And it does, later, once.
        go_on.send(()).unwrap();
        soon(async {
            while latch.1.load(Ordering::SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert_eq!(latch.1.load(Ordering::SeqCst), 1);
    }

    // What does the same again may be made again.
    let (go_on, latch) = latch();
    let tools = tools![stubborn_idempotent; state = Arc::clone(&latch)];
    let wait = Duration::ZERO;
    let executor = Executor::serial(tools).layer(Retry::new(3).backoff(wait, wait));
    let calls = [of("1", "stubborn_idempotent")];
    let batch = soon(executor.run(&calls, &Context::new())).await;
    assert_eq!(kinds(&batch), [Some(ErrorKind::Timeout)]);
    drop(go_on);
    assert!(latch.1.load(Ordering::SeqCst) > 1);

    // The limit of a batch, too.
    let (go_on, latch) = self::latch();
    let tools = tools![stubborn; state = Arc::clone(&latch)];
    let tool = Arc::clone(tools.get("stubborn").unwrap());
    let mut def = tool.def().clone();
    def.options.timeout = None;
    let tools = tools.attach([def]).unwrap();
    let executor = Executor::serial(tools).batch_timeout(Duration::from_millis(20));
    let batch = soon(executor.run(&[of("1", "stubborn")], &Context::new())).await;
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.is_outcome_unknown());
    go_on.send(()).unwrap();
}

#[test]
fn a_limit_on_what_has_not_begun_says_that_it_did_not_run() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let (_go_on, latch) = latch();
    let executor = Executor::serial(tools![stubborn; state = Arc::clone(&latch)]);
    // Other work has the only thread.
    let (begins, begun) = std::sync::mpsc::channel();
    let (ends, end) = std::sync::mpsc::channel::<()>();
    let other = runtime.spawn_blocking(move || {
        begins.send(()).unwrap();
        end.recv()
    });
    begun.recv().unwrap();
    let calls = [of("1", "stubborn")];
    let batch = runtime.block_on(soon(executor.run(&calls, &Context::new())));
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(!error.is_outcome_unknown());
    let words = "it had not begun, and did not run";
    assert_eq!(error.messages().last(), Some(words));
    ends.send(()).unwrap();
    runtime.block_on(other).unwrap().unwrap();
    runtime.shutdown_timeout(Duration::from_secs(10));
    assert_eq!(latch.1.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attempt_that_did_not_start_says_nothing_of_one_before_that_could_not_be_stopped() {
    let (go_on, latch) = latch();
    let tools = tools![stubborn_idempotent; state = Arc::clone(&latch)];
    let wait = Duration::ZERO;
    // The attempt that is stuck has the only place.
    let executor = Executor::serial(tools).blocking_limit(&BlockingLimit::new(1));
    let executor = executor.layer(Retry::new(2).backoff(wait, wait));
    let calls = [of("1", "stubborn_idempotent")];
    let batch = soon(executor.run(&calls, &Context::new())).await;
    assert_eq!(kinds(&batch), [Some(ErrorKind::NotStarted)]);
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert!(error.is_outcome_unknown(), "{error}");
    let words =
        "what ran before could not be stopped, and it is not known whether that took effect";
    assert_eq!(error.messages().last(), Some(words));
    assert_eq!(latch.1.load(Ordering::SeqCst), 1);
    drop(go_on);
}
