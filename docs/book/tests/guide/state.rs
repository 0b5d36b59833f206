//! The page `state.md`.

use toolwright::Toolset;
use toolwright::call::ErrorKind;

use crate::output;

// ANCHOR: program
use std::sync::Mutex;

use toolwright::{Context, Encoder, ToolCall, tool, tools};

struct Store {
    notes: Mutex<Vec<String>>,
}

/// Adds a note.
#[tool]
fn add_note(text: &str, #[state] store: &Store) -> usize {
    let mut notes = store.notes.lock().unwrap();
    notes.push(text.to_owned());
    notes.len()
}

/// Who is logged in. Another type than `String`, so that it can be found by its type.
struct User(String);

/// Says whose notes these are.
#[tool(read_only)]
fn owner(cx: &Context) -> Result<String, &'static str> {
    let User(name) = cx.get().ok_or("nobody is logged in")?;
    Ok(name.clone())
}

fn main() {
    let store = Store {
        notes: Mutex::new(Vec::new()),
    };
    let tools = tools![add_note, owner; state = store];

    let cx = Context::new().with(User("Ada".to_owned())); // one for each conversation or request
    for (name, arguments) in [("add_note", r#"{"text": "Buy tea"}"#), ("owner", "{}")] {
        let result = tools.call_blocking(&ToolCall::new("call_1", name, arguments), &cx);
        println!("{name}: {}", result.content(Encoder::auto()));
    }
}
// ANCHOR_END: program

// ANCHOR: provide
use std::sync::Arc;
use std::time::Instant;

use toolwright::Provide;

struct Database {
    rows: u32,
}

struct Settings {
    limit: u32,
}

#[derive(Provide)]
struct App {
    database: Database,
    settings: Arc<Settings>,
    #[provide(skip)]
    started: Instant,
}

/// Counts the rows.
#[tool(read_only)]
async fn count(#[state] database: &Database, #[state] settings: Arc<Settings>) -> u32 {
    let limited = async move { database.rows.min(settings.limit) };
    limited.await
}

/// Says how long the program has run.
#[tool(read_only)]
fn uptime(#[state] app: &App) -> u64 {
    app.started.elapsed().as_secs()
}

fn application() -> toolwright::Toolset {
    let app = App {
        database: Database { rows: 7 },
        settings: Arc::new(Settings { limit: 5 }),
        started: Instant::now(),
    };
    tools![count, uptime; state = app]
}
// ANCHOR_END: provide

// ANCHOR: shared
fn shared(app: &Arc<App>) -> toolwright::Toolset {
    tools![count, uptime; state = Arc::clone(app)]
}
// ANCHOR_END: shared

// ANCHOR: several
fn several(
    store: Store,
    app: App,
) -> Result<toolwright::Toolset, toolwright::toolset::ConflictError> {
    let notes = tools![add_note; state = store];
    let others = tools![count, uptime; state = app];
    notes.merge(&others)
}
// ANCHOR_END: several

// ANCHOR: traits
trait Clock: Send + Sync {
    fn hour(&self) -> u8;
}

struct AlwaysNoon;

impl Clock for AlwaysNoon {
    fn hour(&self) -> u8 {
        12
    }
}

/// Says the hour.
#[tool(read_only)]
fn hour(#[state] clock: Arc<dyn Clock>) -> u8 {
    clock.hour()
}

/// Says whether it is morning.
#[tool(read_only)]
fn is_morning<C: Clock + 'static>(#[state] clock: &C) -> bool {
    clock.hour() < 12
}

fn clocks() -> (toolwright::Toolset, toolwright::Toolset) {
    let clock: Arc<dyn Clock> = Arc::new(AlwaysNoon);
    (
        tools![hour; state = clock],
        tools![is_morning::<AlwaysNoon>; state = AlwaysNoon],
    )
}
// ANCHOR_END: traits

// ANCHOR: known
/// Describes the call.
#[tool(read_only)]
fn describe(cx: &Context) -> String {
    format!(
        "call {:?} of {:?}, conversation {:?}, turn {}, key {:?}",
        cx.call_id(),
        cx.tool(),
        cx.session_id(),
        cx.turn(),
        cx.idempotency_key(),
    )
}
// ANCHOR_END: known

// ANCHOR: progress
use std::time::Duration;

use toolwright::Executor;
use toolwright::call::{Cancel, Progress};
use toolwright::executor::Event;

/// Imports the customers.
#[tool(timeout = "10s")]
async fn import(files: u32, cx: &Context) -> String {
    for file in 1..=files {
        cx.progress(Progress::new(file.into()).with_total(files.into()));
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    format!("{files} files")
}

/// Computes on a thread of its own.
#[tool(blocking)]
fn compute(cx: &Context) -> u64 {
    let stop = cx.cancel();
    let mut steps = 0;
    while !stop.is_cancelled() && steps < 1_000_000_000 {
        steps += 1; // a part of the work
    }
    steps
}

async fn observed() {
    let executor = Executor::parallel(tools![import, compute], 8).on_event(|event| {
        if let Event::Progress { name, progress, .. } = event {
            println!("{name}: {} of {:?}", progress.done, progress.total);
        }
    });
    let stop = Cancel::new(); // `stop.cancel()` ends all calls of this context
    let cx = Context::new().with_cancel(stop);
    let calls = [ToolCall::new("call_1", "import", r#"{"files": 3}"#)];
    let batch = executor.run(&calls, &cx).await;
    for result in batch.results() {
        println!("{}", result.content(Encoder::auto()));
    }
}
// ANCHOR_END: progress

// ANCHOR: visible
use toolwright::Wire;
use toolwright::call::Scope;

enum Role {
    Guest,
    Admin,
}

fn is_admin(scope: &Scope<'_>) -> bool {
    matches!(scope.get(), Some(Role::Admin))
}

/// Deletes all notes.
#[tool(destructive, visible = is_admin)]
fn reset() -> &'static str {
    "deleted"
}

/// Lists the notes.
#[tool(read_only)]
fn list() -> Vec<String> {
    vec!["Buy tea".to_owned()]
}

fn roles() {
    let tools = tools![list, reset];
    for role in [Role::Guest, Role::Admin] {
        let cx = Context::new().with(role);
        let visible = tools.visible(&cx.scope());
        let sent = Wire::OpenAiChat.definitions(&visible); // and not of `tools`
        println!(
            "{} tools, reset among them: {}",
            visible.iter().len(),
            sent.contains("reset")
        );
        let result = tools.call_blocking(&ToolCall::new("call_1", "reset", "{}"), &cx);
        println!("{}", result.content(Encoder::auto()));
    }
}
// ANCHOR_END: visible

// ANCHOR: filter
use toolwright::call::Filter;

/// Logs in.
#[tool]
fn login(user: &str) -> String {
    format!("hello {user}")
}

/// Pays.
#[tool]
fn pay(amount: u32) -> String {
    format!("paid {amount}")
}

fn filtered() {
    let filter = Filter::after_tool("login")
        .only_for(["pay"])
        .and(Filter::deny(["list"]));
    let executor = Executor::serial(tools![login, pay, list]).filter(filter);
    for cx in [Context::new(), Context::new().with_called(["login"])] {
        let tools = executor.tools(&cx);
        let names: Vec<_> = tools.definitions().map(|def| &*def.name).collect();
        println!("{names:?}");
    }
}
// ANCHOR_END: filter

// ANCHOR: updates
/// Remembers the user's language.
#[tool]
fn set_language(language: &str, cx: &Context) {
    cx.update_state("language", language);
}

/// Greets the user.
#[tool(read_only)]
fn greet(cx: &Context) -> &'static str {
    match cx
        .session_state()
        .get("language")
        .and_then(|it| it.as_str())
    {
        Some("no") => "Hei!",
        _ => "Hello!",
    }
}

async fn two_turns() {
    let executor = Executor::serial(tools![set_language, greet]);
    let calls = [ToolCall::new(
        "call_1",
        "set_language",
        r#"{"language": "no"}"#,
    )];
    let batch = executor.run(&calls, &Context::new()).await;

    let state = batch.state().cloned().unwrap_or_default(); // `None` if nothing changed
    let next = Context::new().with_state(state);
    let batch = executor
        .run(&[ToolCall::new("call_2", "greet", "{}")], &next)
        .await;
    for result in batch.results() {
        println!("{}", result.content(Encoder::auto()));
    }
}
// ANCHOR_END: updates

fn text(tools: &Toolset, name: &str, arguments: &str, cx: &Context) -> String {
    let result = tools.call_blocking(&ToolCall::new("call_1", name, arguments), cx);
    result.content(Encoder::auto()).into_owned()
}

#[test]
fn the_first_program() {
    output::shown("state.program.txt", &output::of(main));
    let store = Store {
        notes: Mutex::default(),
    };
    let tools = tools![add_note, owner; state = store];
    assert_eq!(
        text(&tools, "owner", "{}", &Context::new()),
        "nobody is logged in"
    );
    let def = tools.definitions().next().unwrap();
    output::shown_schema("state.schema.json", &def.input.to_provider_json());
    let fault = text(
        &tools,
        "add_note",
        r#"{"text": "a", "store": {}}"#,
        &Context::new(),
    );
    assert!(fault.starts_with("store: unknown argument"), "{fault}");
}

#[test]
fn parts_of_a_struct() {
    let app = || App {
        database: Database { rows: 7 },
        settings: Arc::new(Settings { limit: 5 }),
        started: Instant::now(),
    };
    assert_eq!(text(&application(), "count", "{}", &Context::new()), "5");
    let app_of_host = Arc::new(app());
    assert_eq!(
        text(&shared(&app_of_host), "count", "{}", &Context::new()),
        "5"
    );
    let store = Store {
        notes: Mutex::default(),
    };
    let tools = several(store, app()).unwrap();
    assert_eq!(tools.iter().len(), 3);
    assert_eq!(
        text(&tools, "add_note", r#"{"text": "a"}"#, &Context::new()),
        "1"
    );
    let (hours, mornings) = clocks();
    assert_eq!(text(&hours, "hour", "{}", &Context::new()), "12");
    assert_eq!(
        text(&mornings, "is_morning", "{}", &Context::new()),
        "false"
    );
}

#[test]
fn what_a_context_knows() {
    let cx = Context::new()
        .with_session("chat_7")
        .with_run("run_1")
        .with_turn(2);
    output::shown(
        "state.known.txt",
        &text(&tools![describe], "describe", "{}", &cx),
    );
    // The values of one over those of another.
    let session = Context::new()
        .with(User("Ada".to_owned()))
        .with_session("chat_7");
    let call = Context::new().with_turn(1).with_fallback(&session);
    assert_eq!((call.session_id(), call.turn()), (Some("chat_7"), 1));
    assert!(call.get::<User>().is_some());
}

#[test]
fn progress_is_seen() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    output::shown(
        "state.progress.txt",
        &output::of(|| runtime.block_on(observed())),
    );
}

#[tokio::test]
async fn a_call_is_cancelled() {
    let stop = Cancel::new();
    stop.cancel();
    let cx = Context::new().with_cancel(stop);
    let executor = Executor::serial(tools![import, compute]);
    let calls = [ToolCall::new("call_1", "import", r#"{"files": 3}"#)];
    let batch = executor.run(&calls, &cx).await;
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err()
        .kind();
    assert_eq!(error, ErrorKind::Cancelled);
    // A plain toolset heeds no cancellation.
    let result = tools![import].call(&calls[0], &cx).await;
    assert!(result.is_success());
}

#[test]
fn tools_are_hidden() {
    output::shown("state.visible.txt", &output::of(roles));
    output::shown("state.filtered.txt", &output::of(filtered));
}

#[test]
fn updates_hold_from_the_next_turn() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let printed = output::of(|| runtime.block_on(two_turns()));
    assert_eq!(printed, "Hei!\n");
}

// ANCHOR: scopes
use toolwright::call::Grant;

/// Cancels an order.
#[tool(destructive, scopes("orders:write"))]
fn cancel_order(id: u32) -> String {
    format!("order {id} is cancelled")
}

fn of_a_reader() -> usize {
    let cx = Context::new().with(Grant::new().with_scopes(["orders:read"]));
    tools![cancel_order, list].visible(&cx.scope()).iter().len()
}
// ANCHOR_END: scopes

#[test]
fn scopes_of_a_token() {
    assert_eq!(of_a_reader(), 1);
    // Without a grant nothing is asked for.
    let found = text(
        &tools![cancel_order],
        "cancel_order",
        r#"{"id": 7}"#,
        &Context::new(),
    );
    assert_eq!(found, "order 7 is cancelled");
}
