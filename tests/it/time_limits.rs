//! A time limit says where it bites: which limit it was, that the work may go on, and how to change it.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use toolwright::call::ErrorKind;
use toolwright::executor::{PendingReason, UnknownOutcome};
use toolwright::{Context, Executor, ToolCall, ToolError, tool, tools};

struct Bank {
    open: Mutex<Receiver<()>>,
    paid: AtomicUsize,
}

impl Bank {
    fn new() -> (Sender<()>, Arc<Self>) {
        let (opens, open) = channel();
        let (open, paid) = (Mutex::new(open), AtomicUsize::new(0));
        (opens, Arc::new(Self { open, paid }))
    }

    fn pay(&self) {
        if self.open.lock().unwrap().recv().is_ok() {
            self.paid.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Pays on a thread of its own.
#[tool(timeout = "30ms")]
async fn moves(#[state] bank: &Arc<Bank>) -> bool {
    let bank = Arc::clone(bank);
    tokio::task::spawn_blocking(move || bank.pay())
        .await
        .is_ok()
}

/// Pays in a task of its own, which outlives the call.
#[tool(timeout = "30ms")]
async fn spawns(#[state] bank: &Arc<Bank>) -> bool {
    let bank = Arc::clone(bank);
    let task = tokio::spawn(async move {
        let blocking = tokio::task::spawn_blocking(move || bank.pay());
        blocking.await.is_ok()
    });
    task.await.is_ok()
}

/// Pays where it blocks.
#[tool(blocking, timeout = "30ms")]
fn blocks(#[state] bank: &Arc<Bank>) -> bool {
    bank.pay();
    true
}

/// Has asked a bank that does not answer.
#[tool(timeout = "30ms")]
async fn waits() -> bool {
    std::future::pending().await
}

/// Looks.
#[tool(read_only, timeout = "30ms")]
async fn looks() -> bool {
    std::future::pending().await
}

async fn late(executor: &Executor, name: &str) -> ToolError {
    let calls = [ToolCall::new("c1", name, "{}")];
    let batch = executor.run(&calls, &Context::new()).await;
    batch.results().next().unwrap().outcome.clone().unwrap_err()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_names_itself_and_says_that_the_work_may_go_on() {
    for name in ["moves", "spawns", "blocks", "waits", "looks"] {
        let (opens, bank) = Bank::new();
        let state = Arc::new(Arc::clone(&bank));
        let tools = tools![moves, spawns, blocks, waits, looks; state = state];
        let executor = Executor::serial(tools);
        let error = late(&executor, name).await;
        assert_eq!(error.kind(), ErrorKind::Timeout, "{name}");
        assert!(error.is_outcome_unknown(), "{name}: {error}");
        let words = error.to_string();
        for part in ["its time limit of 30ms", "`timeout`", "may go on"] {
            assert!(words.contains(part), "{name}: {words}");
        }
        // It does go on, where it was moved.
        if matches!(name, "moves" | "spawns" | "blocks") {
            opens.send(()).unwrap();
            while bank.paid.load(Ordering::SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_decides_about_code_that_goes_on() {
    let (opens, bank) = Bank::new();
    let state = Arc::new(Arc::clone(&bank));
    let tools = tools![moves, blocks, looks; state = state];
    let executor = Executor::serial(tools).on_unknown_outcome(UnknownOutcome::Ask);
    let calls = ["moves", "blocks", "looks"].map(|name| ToolCall::new(name, name, "{}"));
    let batch = executor.run(&calls, &Context::new()).await;
    let pending: Vec<_> = batch.pending().collect();
    assert_eq!(pending.len(), 1);
    assert_eq!(&*pending[0].call.name, "blocks");
    assert!(matches!(
        &pending[0].reason,
        PendingReason::OutcomeUnknown(_)
    ));
    drop(opens);
}

/// The limit of an executor has another name.
#[tokio::test(start_paused = true)]
async fn a_limit_of_thirty_seconds_holds_unless_it_is_changed() {
    /// Never ends.
    #[tool]
    async fn hangs() -> bool {
        std::future::pending().await
    }
    let error = late(&Executor::serial(tools![hangs]), "hangs").await;
    assert!(
        error.to_string().contains("its time limit of 30s"),
        "{error}"
    );
}
