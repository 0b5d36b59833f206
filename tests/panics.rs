//! Where a tool panicked, for a host that asks; and what is printed then. A program of its own: panic hooks and a global
//! subscriber hold for all its threads.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, Once};

use serde_json::json;
use toolwright::{
    Context, Encoder, Executor, ToolCall, ToolError, ToolResult, Toolset,
    call::{ErrorKind, Filter, Scope},
    executor::{Batch, ErrorPolicy, Event, Source, TraceStore},
    panics, tool, tools,
};

thread_local! {
    /// What the program's own hook was told on this thread.
    static PRINTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static LOUD: Cell<bool> = const { Cell::new(true) };
}

fn printed() -> Vec<String> {
    PRINTED.take()
}

/// A hook of the program's own, and ours before it; asked for twice, which changes nothing.
fn set_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let text = info.payload_as_str().unwrap_or("no text").to_owned();
            PRINTED.with_borrow_mut(|printed| printed.push(text));
            if LOUD.get() {
                default(info);
            }
        }));
        panics::capture();
        panics::capture();
    });
    LOUD.set(false);
}

const LINE: u32 = line!() + 5;

/// Panics.
#[tool]
fn boom(message: &str) -> u8 {
    panic!("{message}")
}

/// Panics after it has waited.
#[tool]
async fn later() -> u8 {
    tokio::task::yield_now().await;
    panic!("later")
}

/// Panics away from the task of its batch.
#[tool(blocking)]
fn away() -> u8 {
    panic!("away")
}

/// Panics with something that is not a text.
#[tool]
fn no_text() -> u8 {
    panic::panic_any(7_u8)
}

/// Catches a panic of its own.
#[tool]
fn careful() -> bool {
    catch_unwind(|| panic!("caught")).is_err()
}

/// Catches a panic of its own, and panics.
#[tool]
fn careless() -> bool {
    let _ = catch_unwind(|| panic!("caught"));
    panic!("careless")
}

/// Throws on what no hook was told.
#[tool]
fn thrown() -> u8 {
    let _ = catch_unwind(|| panic!("caught"));
    resume_unwind(Box::new("thrown"))
}

fn all() -> Toolset {
    tools![boom, later, away, no_text, careful, careless, thrown]
}

fn run(name: &str) -> ToolResult {
    set_up();
    let call = ToolCall::new("1", name, json!({}).to_string());
    all().call_blocking(&call, &Context::new())
}

fn panicked(result: ToolResult) -> ToolError {
    let error = result.outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panicked);
    error
}

#[test]
fn the_host_learns_where_it_was_and_nothing_is_printed() {
    set_up();
    let call = ToolCall::new("1", "boom", r#"{"message": "secret 1234"}"#);
    let result = all().call_blocking(&call, &Context::new());
    for encoder in [
        Encoder::auto(),
        Encoder::json(),
        Encoder::envelope(),
        Encoder::text(),
    ] {
        let text = result.content(encoder);
        assert!(!text.contains("1234") && !text.contains("panics.rs"));
    }
    let error = panicked(result);
    let mut lines = error.host_detail().unwrap().lines();
    assert_eq!(lines.next(), Some("secret 1234"));
    let place = lines.next().unwrap();
    assert!(
        place.starts_with(&format!("at {}:{LINE}:", file!())),
        "{place}"
    );
    // The frames of the panic, with this function among them.
    let trace: Vec<_> = lines.collect();
    assert!(trace.iter().any(|line| line.contains("boom")), "{trace:#?}");
    assert!(printed().is_empty());
}

#[tokio::test]
async fn wherever_the_tool_runs() {
    set_up();
    let calls = ["later", "away", "no_text"].map(|name| ToolCall::new(name, name, "{}"));
    let batch = Executor::parallel(all(), 4)
        .run(&calls, &Context::new())
        .await;
    for (result, said) in
        batch
            .into_results()
            .zip(["later", "away", "a panic whose payload is not a text"])
    {
        let error = panicked(result);
        let detail = error.host_detail().unwrap();
        assert!(
            detail.starts_with(&format!("{said}\nat {}:", file!())),
            "{detail}"
        );
    }
    assert!(printed().is_empty());
}

#[test]
fn observers_and_traces_get_it_too() {
    set_up();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let details = Arc::clone(&seen);
    let trace = TraceStore::new(10);
    let executor = Executor::serial(all())
        .on_event(trace.observer())
        .on_event(move |event| {
            if let Event::Finished { result, .. } = event {
                let error = result.outcome.as_ref().unwrap_err();
                details
                    .lock()
                    .unwrap()
                    .push(error.host_detail().map(str::to_owned));
            }
        });
    let calls = [ToolCall::new("1", "boom", r#"{"message": "seen"}"#)];
    executor.run_blocking(&calls, &Context::new());
    let seen = seen.lock().unwrap();
    assert!(seen[0].as_ref().unwrap().starts_with("seen\nat tests/"));
    assert!(format!("{:?}", trace.events()).contains("seen\nat tests/"));
}

#[test]
fn other_panics_go_where_they_went_before() {
    set_up();
    let caught = catch_unwind(AssertUnwindSafe(|| panic!("the program's own")));
    assert!(caught.is_err());
    assert_eq!(printed(), ["the program's own"]);
    // Also after a tool has panicked on this thread.
    panicked(run("no_text"));
    assert!(catch_unwind(|| panic!("again")).is_err());
    assert_eq!(printed(), ["again"]);
}

#[test]
fn what_a_tool_catches_is_its_own_and_no_place_of_another_panic_is_told() {
    assert_eq!(run("careful").value(), Some(json!(true)));
    assert!(printed().is_empty());
    // Of two panics, one may be about to end the program: the second is printed.
    let error = panicked(run("careless"));
    assert!(error.host_detail().unwrap().starts_with("careless\nat "));
    assert_eq!(printed(), ["careless"]);
    let error = panicked(run("thrown"));
    assert_eq!(error.host_detail(), Some("thrown"));
    assert!(printed().is_empty());
}

/// Says no, and panics.
#[tool(visible = nobody_knows)]
fn hidden() -> u8 {
    1
}

fn nobody_knows(_: &Scope<'_>) -> bool {
    panic!("visible's own")
}

/// Fails.
#[tool]
fn fails() -> Result<u8, ToolError> {
    Err(ToolError::failed("no").with_debug("the table is gone"))
}

/// Does well.
#[tool]
fn fine() -> u8 {
    1
}

/// Does all that panics without being a call's own.
fn all_aside() -> Batch {
    let trace = TraceStore::new(10).on_store(|_| panic!("on_store's own"));
    let tools = tools![fine, fails, hidden];
    let executor = Executor::serial(Source::catalog(|_| panic!("the catalogue's own")));
    executor.run_blocking(&[ToolCall::new("1", "fine", "{}")], &Context::new());
    let executor = Executor::serial(&tools).filter(Filter::when(|_, _| panic!("the filter's own")));
    assert!(executor.tools(&Context::new()).iter().next().is_none());
    let executor = Executor::serial(tools)
        .on_event(trace.observer())
        .on_event(|_| panic!("the observer's own"))
        .on_error(ErrorPolicy::with(|_, _| panic!("the policy's own")));
    let calls = ["fine", "fails", "hidden"].map(|name| ToolCall::new(name, name, "{}"));
    executor.run_blocking(&calls, &Context::new())
}

const ASIDE: [&str; 6] = [
    "the catalogue's own",
    "the filter's own",
    "the observer's own",
    "on_store's own",
    "the policy's own",
    "visible's own",
];

#[test]
fn a_policys_panic_stands_beside_the_error_that_it_was_asked_about() {
    set_up();
    let policy = ErrorPolicy::with(|_, _| panic!("the policy's own"));
    let executor = Executor::serial(tools![fails]).on_error(policy);
    let batch = executor.run_blocking(&[ToolCall::new("1", "fails", "{}")], &Context::new());
    let error = batch.error().unwrap();
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::Failed, "no".to_owned())
    );
    let mut detail = error.host_detail().unwrap().lines();
    assert_eq!(detail.next(), Some("the table is gone"));
    assert_eq!(
        detail.next(),
        Some("the error policy panicked: the policy's own")
    );
    assert!(detail.next().unwrap().starts_with("at tests/panics.rs:"));
}

/// What is done by the test below, in a program of its own.
#[test]
fn aside() {
    if std::env::var_os("TOOLWRIGHT_ASIDE").is_some() {
        panics::capture();
        all_aside();
        let quotes = |_: &Event<'_>| panic!("quoted \u{202e}\u{1b}[2J");
        let executor = Executor::serial(tools![fine]).on_event(quotes);
        executor.run_blocking(&[ToolCall::new("1", "fine", "{}")], &Context::new());
    }
}

#[test]
fn where_nobody_listens_a_panic_that_changes_nothing_is_printed() {
    let this = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new(this);
    child.args(["--exact", "aside", "--nocapture"]);
    let output = child.env("TOOLWRIGHT_ASIDE", "1").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    for said in ASIDE {
        assert!(
            printed.contains(&format!("panicked: {said}\nat ")),
            "{said}: {printed}"
        );
    }
    assert!(printed.contains(r"quoted \u{202e}\u{1b}[2J"), "{printed}");
}

#[cfg(feature = "tracing")]
mod listened_to {
    use std::fmt::Debug;
    use std::sync::{Arc, Mutex};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Level, Metadata, Subscriber};

    use super::{ASIDE, all_aside, printed, set_up};

    #[derive(Clone, Default)]
    struct Errors(Arc<Mutex<Vec<String>>>);

    impl Visit for Errors {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            if field.name() == "message" {
                self.0.lock().unwrap().push(format!("{value:?}"));
            }
        }

        fn record_str(&mut self, field: &Field, value: &str) {
            if field.name() == "detail" {
                self.0.lock().unwrap().push(value.to_owned());
            }
        }
    }

    impl Subscriber for Errors {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &tracing::Event<'_>) {
            assert_eq!(*event.metadata().level(), Level::ERROR);
            event.record(&mut self.clone());
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn a_panic_that_changes_nothing_is_an_error_of_tracing() {
        set_up();
        // For all threads: a place in the code that a thread without a subscriber comes to first is off for others, too.
        let errors = Errors::default();
        tracing::subscriber::set_global_default(errors.clone()).unwrap();
        all_aside();
        let said = errors.0.lock().unwrap();
        for detail in ASIDE {
            let found = said
                .iter()
                .any(|said| said.starts_with(&format!("{detail}\nat ")));
            assert!(found, "{detail}: {said:#?}");
        }
        for what in [
            "an observer",
            "the error policy",
            "a catalogue",
            "a filter",
            "`on_store`",
        ] {
            assert!(
                said.contains(&format!("{what} panicked")),
                "{what}: {said:#?}"
            );
        }
        assert!(printed().is_empty());
    }
}
