//! What holds for a caller's calls holds inside of its programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use toolwright::agent::budget::{Budget, Money, Prices};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, MemoryCheckpointer, ModelResponse, RunEnd, Session, Status, ThreadMessage, handoff,
};
use toolwright::call::{BoxFuture, Cancel, Content, Decision, Grant, HaltReason, Progress, Scope};
use toolwright::executor::{Event, OutputLimit, Source};
use toolwright::layers::{CallLimit, Handled, Layer, Next, Request};
use toolwright::{
    Context, DynTool, Encoder, Executor, Outcome, ToolCall, ToolError, Toolset, tool, tools,
};
use toolwright_code::{CodeMode, Interpreter, Rejection};

use crate::{Log, add, agent, answer, answer_of, basic, call_of, code_mode, pay, run_code, text};

/// Reads the audit.
#[tool(read_only, scopes("audit"))]
fn read_audit() -> &'static str {
    "all is well"
}

struct Admin;

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.get::<Admin>().is_some()
}

/// Drops a database.
#[tool(visible = is_admin)]
fn drop_database() -> &'static str {
    "dropped"
}

/// Waits for a minute.
#[tool]
async fn wait(cx: &Context) -> &'static str {
    if let Some(log) = cx.get::<Log>() {
        log.add("waits");
    }
    tokio::time::sleep(Duration::from_mins(1)).await;
    "waited"
}

/// Ends the conversation.
#[tool]
fn finish(with: &str) -> Outcome {
    Outcome::halt(HaltReason::try_new("finished").unwrap(), with)
}

/// Renders a page.
#[tool(background)]
async fn render(page: u32) -> u32 {
    tokio::task::yield_now().await;
    page + 1
}

/// Writes to the user.
#[tool(return_direct)]
fn write(words: &str) -> String {
    words.to_owned()
}

/// Writes to the user, as its body says.
#[tool]
fn write_too(words: &str) -> Outcome {
    Outcome::direct(words)
}

/// Takes a picture.
#[tool]
fn picture() -> Content {
    Content::text("Here it is.").image("image/png", "iVBORw0KGgo=")
}

/// Says what it does.
#[tool]
fn work(cx: &Context) -> &'static str {
    cx.progress(Progress::new(1.0).with_message("half"));
    "done"
}

/// Asks the user.
#[tool]
fn ask() -> Outcome {
    Outcome::ask("Where?")
}

/// A long text.
#[tool]
fn long() -> String {
    "long ".repeat(100_000)
}

async fn answer_in(tools: &Toolset, code: &str, cx: &Context) -> String {
    let agent = agent(run_code(tools), vec![call_of(code)]);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed), "{:?}", run.end);
    text(&session)
}

#[tokio::test]
async fn scopes_of_a_grant_hold_inside() {
    let tools = tools![read_audit];
    let (none, some) = (Grant::new(), Grant::new().with_scopes(["audit"]));
    let text = answer_in(&tools, "await read_audit()", &Context::new().with(none)).await;
    assert!(
        text.contains("NameError: name 'read_audit' is not defined"),
        "{text}"
    );
    let text = answer_in(&tools, "await read_audit()", &Context::new().with(some)).await;
    assert_eq!(text, r#"{"value":"all is well"}"#);
}

#[tokio::test]
async fn a_hidden_tool_is_neither_named_nor_called() {
    let tools = tools![add, drop_database];
    let cx = Context::new().with(Log::default());
    // As a name that there is not.
    for code in [
        "await NAME()",
        "NAME()",
        "def NAME(): pass\nNAME()",
        "NAME",
        "x = NAME()",
    ] {
        let hidden = answer_in(&tools, &code.replace("NAME", "drop_database"), &cx).await;
        let unknown = answer_in(&tools, &code.replace("NAME", "fold_database"), &cx).await;
        assert_eq!(hidden, unknown.replace("fold_database", "drop_database"));
    }
    let admin = Context::new().with(Arc::new(())).with(Admin);
    let text = answer_in(&tools, "await drop_database()", &admin).await;
    assert_eq!(text, r#"{"value":"dropped"}"#);

    let shown = |cx: &Context| {
        code_mode(&tools)
            .build_for(cx)
            .unwrap()
            .def()
            .description
            .clone()
    };
    assert!(!run_code(&tools).def().description.contains("drop_database"));
    assert!(!shown(&cx).contains("drop_database"));
    assert!(shown(&admin).contains("drop_database"));

    for (cx, is_found) in [(&cx, false), (&admin, true)] {
        let search = code_mode(&tools).search().build().unwrap();
        let agent = agent(search, vec![call_of("await find_tools('database')")]);
        let mut session = Session::ask("Go!");
        let _ = agent.run(&mut session, cx).await.unwrap();
        let text = crate::text(&session);
        assert_eq!(text.contains("def drop_database"), is_found, "{text}");
    }
}

/// A tool that the executor adds is a function as any other.
#[tokio::test]
async fn tools_of_the_executor_are_functions() {
    let extended = |added: Toolset| {
        code_mode(&tools![add])
            .executor(move |tools| Executor::serial(tools.merge(&added).unwrap()))
            .build()
    };
    let tool = extended(tools![work]).unwrap();
    assert!(tool.def().description.contains("async def work()"));
    let text = answer_of(tool, "[await work(), await add(1, 2)]").await;
    assert_eq!(text, r#"{"value":["done",3]}"#);
    let named = |name: &'static str| {
        let tool = DynTool::builder().name(name).description("It.");
        let tool = tool.handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>(1));
        Toolset::new([tool.build().unwrap()]).unwrap()
    };
    for name in ["list", "import"] {
        assert!(extended(named(name)).is_err(), "{name}");
    }
}

#[test]
fn an_executor_without_the_search_is_an_error() {
    let mode = code_mode(&basic()).search();
    let without = mode.executor(|_| Executor::serial(basic())).build();
    let error = without.map(drop).unwrap_err().to_string();
    assert!(error.contains("`find_tools`"), "{error}");
    // The name is taken.
    let search = toolwright::DynTool::builder()
        .name("find_tools")
        .description("It.");
    let search = search.handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>(1));
    let tools = Toolset::new([search.build().unwrap()]).unwrap();
    assert!(code_mode(&tools).build().is_ok());
    assert!(code_mode(&tools).search().build().is_err());
}

#[tokio::test]
async fn a_search_returns_stubs() {
    let mode = || code_mode(&basic()).executor(Executor::serial).search();
    let description = mode().build().unwrap().def().description.clone();
    assert!(description.contains("find_tools") && !description.contains("async def add"));
    let tool = mode().build().unwrap();
    let code = "print(await find_tools('add numbers'))\nawait find_tools('pay')\nawait add(1, 2)";
    let text = answer_of(tool, code).await;
    assert!(
        text.contains("async def add(a: int, b: int) -> int:"),
        "{text}"
    );
    assert!(text.starts_with(r#"{"value":3,"#), "{text}");
}

#[tokio::test]
async fn a_time_limit_of_a_call_is_a_timeout() {
    let tool = code_mode(&tools![wait])
        .executor(|tools| Executor::serial(tools).timeout(Duration::from_millis(10)));
    let code = "try:\n    await wait()\nexcept TimeoutError as e:\n    x = 'late'\nx";
    assert_eq!(
        answer_of(tool.build().unwrap(), code).await,
        r#"{"value":"late"}"#
    );
}

#[tokio::test]
async fn a_cancelled_program_ends() {
    let agent = agent(run_code(&tools![wait]), vec![call_of("await wait()")]);
    let (stop, log) = (Cancel::new(), Log::default());
    let cx = Context::new().with_cancel(stop.clone()).with(log.clone());
    let mut session = Session::ask("Go!");
    let stops = async {
        while log.take().is_empty() {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    };
    let (run, ()) = tokio::join!(agent.run(&mut session, &cx), stops);
    assert!(matches!(run.unwrap().end, RunEnd::Cancelled));
    std::mem::forget(agent);
}

/// Counts calls.
#[derive(Clone, Default)]
struct Counted(Arc<AtomicUsize>);

impl Layer for Counted {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(next.run(request))
    }
}

#[tokio::test]
async fn layers_events_and_progress_see_the_calls() {
    let (counted, log) = (Counted::default(), Log::default());
    let (layer, heard) = (counted.clone(), log.clone());
    let tool = code_mode(&tools![work]).executor(move |tools| {
        Executor::serial(tools)
            .layer(layer)
            .on_event(move |event| match event {
                Event::Started { call, .. } => heard.add(format!("{} begins", call.name)),
                Event::Progress { progress, .. } => heard.add(progress.message.clone().unwrap()),
                Event::Finished { .. } => heard.add("ends"),
                _ => {}
            })
    });
    let text = answer_of(tool.build().unwrap(), "[await work(), await work()]").await;
    assert_eq!(text, r#"{"value":["done","done"]}"#);
    assert_eq!(counted.0.load(Ordering::Relaxed), 2);
    let events = ["work begins", "half", "ends", "work begins", "half", "ends"];
    assert_eq!(log.take(), events);
}

#[tokio::test]
async fn a_halt_inside_ends_the_outer_run() {
    let model = ScriptedModel::new([Ok(ModelResponse::calls([call_of(
        "x = await finish('bye')\nawait pay('x', 1)",
    )]))]);
    let tools = Toolset::new([run_code(&tools![finish, pay])]).unwrap();
    let agent = Agent::new(model, tools);
    let mut session = Session::ask("Go!");
    let log = Log::default();
    let run = agent
        .run(&mut session, &Context::new().with(log.clone()))
        .await
        .unwrap();
    let RunEnd::Halt { reason, value, .. } = run.end else {
        panic!("{:?}", run.end);
    };
    assert_eq!(
        (reason.as_str(), value.to_plain().as_ref()),
        ("finished", "bye")
    );
    assert!(log.take().is_empty());
}

/// Runs an agent whose program hands over, on a store, with approvals of what waits. Returns its last words, the current agent and
/// the conversation.
async fn handed_over(code: &str, log: &Log) -> (Option<String>, Option<String>, Session) {
    let helper = ScriptedModel::new([Ok(ModelResponse::text("I help."))]);
    let model = ScriptedModel::new([Ok(ModelResponse::calls([call_of(code)]))]);
    let over = handoff("helper", "Helps.").unwrap();
    let inner = Toolset::new(tools![add, pay].iter().cloned().chain([over])).unwrap();
    let agent = Agent::new(model, Toolset::new([run_code(&inner)]).unwrap())
        .name("desk")
        .peer("helper", Agent::new(helper, Toolset::default()))
        .checkpointer(MemoryCheckpointer::new());
    let mut session = Session::with_id("s");
    session.say("Go!").unwrap();
    let cx = Context::new().with(log.clone());
    loop {
        let run = agent.run(&mut session, &cx).await.unwrap();
        let waiting = agent.waiting(&session, &cx);
        let inside = waiting.iter().find(|one| one.path.len() == 2);
        let Some(inside) = inside else {
            let text = run.text().map(str::to_owned);
            return (text, session.agent().map(str::to_owned), session);
        };
        session.decide(inside, Decision::Approve).unwrap();
        session = serde_json::from_str(&serde_json::to_string(&session).unwrap()).unwrap();
    }
}

#[tokio::test]
async fn a_call_inside_hands_the_conversation_over() {
    for (code, ran) in [
        ("await transfer_to_helper()\nawait pay('x', 1)", &[][..]),
        ("await add(1, 2)\nreturn_ = await transfer_to_helper()", &[]),
        ("await pay('x', 1)\nawait transfer_to_helper()", &["x 1"]),
        (
            "import asyncio\nawait asyncio.gather(pay('x', 1), transfer_to_helper())",
            &["x 1"],
        ),
        (
            "try:\n    await transfer_to_helper()\nexcept BaseException:\n    pass\nawait pay('x', 1)",
            &[],
        ),
    ] {
        let log = Log::default();
        let (text, agent, session) = handed_over(code, &log).await;
        assert_eq!(text.as_deref(), Some("I help."), "{code}");
        assert_eq!(agent.as_deref(), Some("helper"), "{code}");
        assert_eq!(log.take(), ran, "{code}");
        let answered = session.thread().messages().iter();
        let answered = answered.filter(|message| matches!(message, ThreadMessage::Tool(_)));
        assert_eq!(answered.count(), 1, "{code}");
    }
}

#[tokio::test]
async fn a_program_waits_for_a_background_tool() {
    let text = answer(&tools![render], "await render(6)").await;
    assert_eq!(text, r#"{"value":7}"#);
}

#[tokio::test]
async fn a_result_for_the_user_is_a_value_in_a_program() {
    let code = "[await write('a'), await write_too('b')]";
    let text = answer(&tools![write, write_too], code).await;
    assert_eq!(text, r#"{"value":["a","b"]}"#);
}

#[tokio::test]
async fn an_image_is_refused_by_name() {
    let text = answer(&tools![picture], "await picture()").await;
    assert!(
        text.contains("TypeError: picture returned an image"),
        "{text}"
    );
}

#[tokio::test]
async fn a_result_that_was_cut_says_so() {
    let tool = code_mode(&tools![long])
        .executor(|tools| Executor::serial(tools).output_limit(OutputLimit::default()));
    let text = answer_of(tool.build().unwrap(), "x = await long()\nx[-80:]").await;
    let words = "[output truncated: 450000 of 500000 bytes left out]";
    assert!(text.contains(words), "{text}");
}

#[tokio::test]
async fn where_nobody_can_be_asked_nothing_runs() {
    // An executor alone has nobody to ask.
    let executor = Executor::serial(Toolset::new([run_code(&basic())]).unwrap());
    let log = Log::default();
    let cx = Context::new().with(log.clone());
    let batch = executor
        .run(&[call_of("await add(1, 2)\nawait pay('x', 1)")], &cx)
        .await;
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err()
        .to_string();
    assert!(error.contains("nobody can be asked here"), "{error}");
    assert!(log.take().is_empty());
    // Without such tools, there is nothing to ask about.
    let executor = Executor::serial(Toolset::new([run_code(&tools![add])]).unwrap());
    let batch = executor.run(&[call_of("await add(1, 2)")], &cx).await;
    assert_eq!(
        batch.results().next().unwrap().value(),
        Some(serde_json::json!({"value": 3}))
    );
}

#[tokio::test]
async fn a_question_where_nobody_can_be_asked_is_an_error_of_its_call() {
    let executor = Executor::serial(Toolset::new([run_code(&tools![add, ask])]).unwrap());
    let words = "RuntimeError: ask: the tool asks, and nobody can be asked here: Where?";
    let caught = r#"{"value":"ask: the tool asks, and nobody can be asked here: Where?"}"#;
    for (code, expected) in [
        ("await add(1, 2)\nawait ask()", words),
        (
            "import asyncio\nawait asyncio.gather(ask(), add(1, 2))",
            words,
        ),
        (
            "try:\n    await ask()\nexcept RuntimeError as e:\n    x = str(e)\nx",
            caught,
        ),
    ] {
        let batch = executor.run(&[call_of(code)], &Context::new()).await;
        let answer = batch.results().next().unwrap().content(Encoder::auto());
        assert!(answer.contains(expected), "{code}: {answer}");
    }
}

#[tokio::test]
async fn a_program_costs_no_money() {
    let usage = toolwright::wire::Usage::default();
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([call_of("await add(1, 2)")]).with_usage(usage)),
        Ok(ModelResponse::text("done").with_usage(usage)),
    ])
    .named("priced");
    let prices = Prices::new().model("priced", Money::from_cents(100), Money::from_cents(100));
    let tools = Toolset::new([run_code(&basic())]).unwrap();
    let agent =
        Agent::new(model, tools).budget(Budget::new().money(Money::from_cents(100), prices));
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("done"));
    assert_eq!(session.status(), Status::Completed);
}

#[tokio::test]
async fn times_are_the_same_when_a_program_goes_on() {
    let times = Arc::new(AtomicUsize::new(0));
    let clock = Arc::clone(&times);
    let mode = move || {
        let clock = Arc::clone(&clock);
        code_mode(&basic()).clock(move || {
            let days = clock.fetch_add(1, Ordering::Relaxed) as u64;
            SystemTime::UNIX_EPOCH + Duration::from_hours(24 * (20_000 + days))
        })
    };
    let code = "
from datetime import date, datetime, timezone
first = str(date.today())
await pay(first, 1)
second = str(datetime.now(timezone.utc))
await pay(second, 2)
[first, second, str(datetime.now())]";
    let first = agent(mode().build().unwrap(), vec![call_of(code)]);
    let log = Log::default();
    let cx = Context::new().with(log.clone());
    let mut session = Session::ask("Go!");
    let _ = first.run(&mut session, &cx).await.unwrap();
    for _ in 0..2 {
        let waiting = first.waiting(&session, &cx);
        let inside = waiting.iter().find(|one| one.path.len() == 2).unwrap();
        session
            .decide(inside, toolwright::call::Decision::Approve)
            .unwrap();
        let _ = first.run(&mut session, &cx).await.unwrap();
    }
    let second = "2024-10-05 00:00:00+00:00";
    assert_eq!(
        log.take(),
        ["2024-10-04 1".to_owned(), format!("{second} 2")]
    );
    let all = serde_json::json!({"value": ["2024-10-04", second, "2024-10-06 00:00:00"]});
    assert_eq!(text(&session), all.to_string());
}

#[test]
fn names_that_python_cannot_have_are_errors() {
    let named = |names: &[&'static str]| {
        let tools = names.iter().map(|name| {
            let tool = toolwright::DynTool::builder()
                .name(*name)
                .description("It.");
            let tool =
                tool.handler_sync(|_: serde_json::Value, _| Ok::<_, toolwright::ToolError>(1));
            tool.build().unwrap()
        });
        let tools = Toolset::new(tools).unwrap();
        code_mode(&tools)
            .build()
            .map(drop)
            .map_err(|error| error.to_string())
    };
    assert_eq!(named(&["a-b", "a_c"]), Ok(()));
    let both = "the tools `a-b` and `a_b` would both be `a_b` in Python: rename one";
    assert_eq!(named(&["a-b", "a_b"]).unwrap_err(), both);
    let keyword = "the tool `import` has the name of a Python keyword: rename it";
    assert_eq!(named(&["import"]).unwrap_err(), keyword);
    let builtin = "the tool `list` would hide Python's `list`: rename it";
    assert_eq!(named(&["list"]).unwrap_err(), builtin);
    for module in ["collections", "itertools", "dataclasses", "os", "sys"] {
        let error = named(&[module]).unwrap_err();
        assert!(error.contains("would hide Python's"), "{error}");
    }
}

#[test]
fn a_process_needs_worker_in_main() {
    let error = CodeMode::new(&basic()).build().unwrap_err().to_string();
    assert!(error.contains("toolwright_code::worker()"), "{error}");
    let chosen = CodeMode::new(&basic())
        .interpreter(Interpreter::Process)
        .build();
    assert!(chosen.is_err());
}

#[test]
fn the_tool_is_not_destructive_and_reaches_the_world() {
    let tool = run_code(&tools![pay]);
    let hints = tool.def().options.annotations;
    assert_eq!(
        (hints.destructive, hints.open_world, hints.read_only),
        (Some(false), Some(true), None)
    );
    let _ = ToolCall::new("1", "run_code", "{}");
}

/// The calls and results of a program are sent to no model.
#[tokio::test]
async fn a_program_takes_no_tokens_of_a_budget() {
    let tools = (0..50).map(|number| {
        let tool = DynTool::builder().name(format!("tool_{number}"));
        let tool = tool.description("Long words. ".repeat(100));
        let tool =
            tool.handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>("x".repeat(10_000)));
        tool.build().unwrap()
    });
    let run_code = code_mode(&Toolset::new(tools).unwrap()).search().build();
    let code = "for _ in range(20):\n    await tool_1()\n'done'";
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([call_of(code)])),
        Ok(ModelResponse::text("done")),
    ]);
    let agent = Agent::new(model, Toolset::new([run_code.unwrap()]).unwrap());
    let agent = agent.budget(Budget::new().tokens(5000));
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("done"), "{:?}", run.end);
    assert_eq!(text(&session), r#"{"value":"done"}"#);
}

/// Nothing of a program goes to the user or stays open, wherever a tool comes from.
#[tokio::test]
async fn results_of_tools_that_the_executor_adds_are_values() {
    let source = |tools: Toolset| {
        let all = tools.merge(&tools![render, write, write_too]).unwrap();
        Executor::serial(Source::catalog(move |_| all.clone()))
    };
    let tool = code_mode(&tools![add]).executor(source).build().unwrap();
    let code = "[await write('a'), await write_too('b'), await render(6), await add(1, 2)]";
    assert_eq!(answer_of(tool, code).await, r#"{"value":["a","b",7,3]}"#);
}

/// A layer cannot be told from a person: both reject.
#[tokio::test]
async fn a_call_that_a_layer_refuses_ends_the_program() {
    let code = "
for n in range(3):
    try:
        x = await add(n, 1)
    except PermissionError:
        x = 'refused'
x";
    for (rejection, expected) in [
        (
            Rejection::EndsProgram,
            "the call of add was rejected, which ended the program: ",
        ),
        (Rejection::Raises, r#"{"value":"refused"}"#),
    ] {
        let mode = code_mode(&tools![add]).rejection(rejection);
        let mode = mode.executor(|tools| Executor::serial(tools).layer(CallLimit::per_run(2)));
        let text = answer_of(mode.build().unwrap(), code).await;
        assert!(text.starts_with(expected), "{rejection:?}: {text}");
    }
}

#[tokio::test]
async fn the_tool_has_the_name_that_it_is_given() {
    let tool = code_mode(&tools![add]).name("python").build().unwrap();
    assert_eq!(tool.name(), "python");
    let executor = Executor::serial(Toolset::new([tool]).unwrap());
    let call = ToolCall::new("1", "python", r#"{"code":"1 + 1"}"#);
    let batch = executor.run(&[call], &Context::new()).await;
    let value = batch.results().next().unwrap().value();
    assert_eq!(value, Some(serde_json::json!({"value": 2})));
    assert!(code_mode(&basic()).name("no name").build().is_err());
}

/// Opens a safe.
#[tool(read_only)]
fn open_safe(room: u32, #[arg(secret)] code: &str) -> usize {
    code.len() + room as usize
}

#[tokio::test]
async fn events_show_no_secret_of_a_call() {
    let seen = Log::default();
    let hears = |seen: &Log| {
        let seen = seen.clone();
        move |event: &Event<'_>| seen.add(format!("{event:?}"))
    };
    let inner = hears(&seen);
    let tool = code_mode(&tools![open_safe])
        .executor(move |tools| Executor::serial(tools).on_event(inner));
    let tools = Toolset::new([tool.build().unwrap()]).unwrap();
    let executor = Executor::serial(tools).on_event(hears(&seen));
    for code in [
        "await open_safe(9, 'hun' + 'ter2')",
        "await open_safe('none', 'hun' + 'ter2')",
    ] {
        let batch = executor.run(&[call_of(code)], &Context::new()).await;
        seen.add(format!("{:?}", batch.results().next().unwrap().outcome));
    }
    let seen = seen.take().join("\n");
    assert!(seen.contains("open_safe") && seen.contains("16"), "{seen}");
    assert!(!seen.contains("hunter2"), "{seen}");
}

/// Each caller has its own functions, in the description and in programs.
#[tokio::test]
async fn callers_of_a_catalogue_have_their_own_functions() {
    let tools = tools![add, drop_database];
    let admin = Context::new().with(Admin);
    let built = [&Context::new(), &admin].map(|cx| {
        let tool = code_mode(&tools).build_for(cx).unwrap();
        Toolset::new([tool]).unwrap()
    });
    let executor = Executor::serial(Source::catalog(move |scope| {
        built[usize::from(is_admin(scope))].clone()
    }));
    for (cx, is_seen, expected) in [
        (&Context::new(), false, "NameError"),
        (&admin, true, "dropped"),
    ] {
        let tools = executor.tools(cx);
        let description = &tools.get("run_code").unwrap().def().description;
        assert!(description.contains("async def add("));
        assert_eq!(description.contains("drop_database"), is_seen);
        let batch = executor.run(&[call_of("await drop_database()")], cx).await;
        let answer = batch.results().next().unwrap().content(Encoder::auto());
        assert!(answer.contains(expected), "{answer}");
    }
}
