//! A model in the loop: what the thread holds afterwards, and why the run ended.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::session::{CallRef, SessionError};
use toolwright::agent::testing::{Recorded, ScriptedModel};
use toolwright::agent::thread::ThreadRepair;
use toolwright::agent::tool_node::ToolNode;
use toolwright::agent::{
    Agent, AgentError, MemoryCheckpointer, ModelResponse, Node, RunEnd, RunEvent, Session, Status,
    Thread, ThreadMessage,
};
use toolwright::executor::PendingReason;
use toolwright::wire::Usage;
use toolwright::{
    Context, Executor, Outcome, ToolCall, Toolset,
    call::{Cancel, Decision, Filter, HaltReason},
    executor::ErrorPolicy,
    tool, tools,
    wire::ToolChoice,
};

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Charges a card.
#[tool(manual)]
fn charge(cents: u64) -> String {
    format!("charged {cents}")
}

/// Asks for a city.
#[tool]
fn pick_city(city: Option<String>) -> Outcome {
    match city {
        Some(city) => Outcome::value(format!("sun in {city}")),
        None => Outcome::ask("Which city?").option("choices", json!(["Oslo", "Rome"])),
    }
}

/// Hands in a plan.
#[tool]
fn submit_plan(plan: String) -> Outcome {
    Outcome::halt(HaltReason::new("plan_submitted"), plan)
}

/// Goes to the user.
#[tool(return_direct)]
fn report() -> &'static str {
    "the report"
}

/// Learns.
#[tool]
fn learn(n: u64, #[context] cx: &Context) -> bool {
    cx.update_state("n", n)
}

fn all() -> Toolset {
    tools![add, charge, pick_city, submit_plan, report, learn]
}

fn call(id: &str, name: &str, arguments: &serde_json::Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

fn add_call(id: &str) -> ToolCall {
    call(id, "add", &json!({"a": 2, "b": 2}))
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn roles(session: &Session) -> Vec<&'static str> {
    let role = |message: &ThreadMessage| match message {
        ThreadMessage::User { .. } => "user",
        ThreadMessage::Assistant(_) => "assistant",
        ThreadMessage::Tool(_) => "tool",
        _ => "?",
    };
    session.thread().messages().iter().map(role).collect()
}

#[tokio::test]
async fn a_call_is_run_and_the_model_asked_again() {
    let model = ScriptedModel::new([calls(&[add_call("c1")]), text("It is 4.")]);
    let agent = Agent::new(model.clone(), all()).system("You add.");
    let mut session = Session::ask("What is 2 + 2?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed));
    assert_eq!(
        (run.turns, run.rounds, run.text()),
        (2, 1, Some("It is 4."))
    );
    assert_eq!(roles(&session), ["user", "assistant", "tool", "assistant"]);
    assert_eq!(session.status(), Status::Completed);

    // The prompt is sent each time and stored nowhere.
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests
            .iter()
            .all(|request| request.system.as_deref() == Some("You add."))
    );
    assert_eq!(requests[1].thread.len(), 3);
    let ThreadMessage::Tool(answer) = &requests[1].thread.messages()[2] else {
        panic!("{:?}", requests[1].thread);
    };
    assert_eq!(
        (&*answer.id, answer.text.as_str(), answer.is_error),
        ("c1", "4", false)
    );
}

#[tokio::test]
async fn without_calls_there_are_two_messages() {
    let model = ScriptedModel::new([text("Hello.")]);
    let mut session = Session::ask("Hi!");
    let agent = Agent::new(model, Toolset::default());
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(roles(&session), ["user", "assistant"]);

    // New words begin a new run on the same thread.
    session.say("Again!").unwrap();
    let model = ScriptedModel::new([text("Hello again.")]);
    let agent = Agent::new(model, Toolset::default());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Hello again."));
    assert_eq!(session.thread().len(), 4);
}

#[tokio::test]
async fn limits_are_results_and_errors_where_asked() {
    let forever = |times: usize| {
        let steps = (0..times).map(|_| calls(&[add_call("c")]));
        ScriptedModel::new(steps.collect::<Vec<_>>())
    };
    let model = forever(4);
    let agent = Agent::new(model.clone(), all()).max_tool_rounds(3);
    let mut session = Session::ask("Go on!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::MaxToolRounds(3)));
    assert_eq!(model.requests().len(), 4);
    assert_eq!(session.pending().len(), 1);
    assert_eq!(session.pending()[0].reason, PendingReason::NotRun);
    let error = run.completed().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the run reached its limit of 3 rounds of tools"
    );

    let agent = Agent::new(forever(2), all()).max_turns(2);
    let mut session = Session::ask("Go on!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::MaxTurns(2)));
    assert!(session.pending().is_empty());

    let agent = Agent::new(forever(2), all()).max_steps(3);
    let run = agent
        .run(&mut Session::ask("Go on!"), &Context::new())
        .await
        .unwrap();
    assert!(matches!(run.end, RunEnd::MaxSteps(3)));
}

#[tokio::test]
async fn manual_calls_are_answered_by_the_host() {
    let both = [
        call("c1", "charge", &json!({"cents": 2000})),
        add_call("c2"),
    ];
    let model = ScriptedModel::new([calls(&both), text("Charged.")]);
    let agent = Agent::new(model, all());
    let mut session = Session::ask("Charge me!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    assert_eq!(roles(&session), ["user", "assistant", "tool"]);
    let pending = session.pending();
    assert_eq!(
        (pending.len(), pending[0].index, &pending[0].reason),
        (1, 0, &PendingReason::ManualTool)
    );

    // Not a word until the call is answered.
    assert!(session.say("Hm?").is_err());
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert!(matches!(
        error,
        AgentError::Session(SessionError::WrongStatus { .. })
    ));
    assert_eq!(
        session.submit("c2", 1).unwrap_err(),
        SessionError::UnknownCall("c2".into())
    );

    let stored = serde_json::to_string(&session).unwrap();
    let mut session: Session = serde_json::from_str(&stored).unwrap();
    session.submit("c1", json!({"approved": true})).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Charged."));
    assert_eq!(
        roles(&session),
        ["user", "assistant", "tool", "tool", "assistant"]
    );
    assert!(session.thread().check().is_ok());
}

#[tokio::test]
async fn a_tool_asks_and_the_answer_goes_on() {
    let script = || {
        [
            calls(&[call("c1", "pick_city", &json!({}))]),
            text("Sun in Oslo."),
        ]
    };
    let agent = Agent::new(ScriptedModel::new(script()), all());
    let mut session = Session::ask("Weather?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    let RunEnd::AskUser {
        id,
        question,
        options,
        ..
    } = &run.end
    else {
        panic!("{:?}", run.end);
    };
    assert_eq!((&**id, question.as_str()), ("c1", "Which city?"));
    assert_eq!(options["choices"], json!(["Oslo", "Rome"]));
    assert_eq!(roles(&session), ["user", "assistant", "tool", "assistant"]);
    let stored = serde_json::to_string(&session).unwrap();

    // As a message of the user.
    session.say("Oslo").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        roles(&session),
        [
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
            "assistant"
        ]
    );

    // As the tool's result.
    let mut session: Session = serde_json::from_str(&stored).unwrap();
    let agent = Agent::new(ScriptedModel::new([text("Sun in Oslo.")]), all());
    session.answer("Oslo").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Sun in Oslo."));
    assert_eq!(roles(&session), ["user", "assistant", "tool", "assistant"]);
    let ThreadMessage::Tool(answer) = &session.thread().messages()[2] else {
        panic!("no answer");
    };
    assert_eq!(answer.text, "Oslo");
}

#[tokio::test]
async fn tools_end_runs() {
    let plan = call("c1", "submit_plan", &json!({"plan": "walk"}));
    let agent = Agent::new(ScriptedModel::new([calls(&[plan])]), all());
    let mut session = Session::ask("Plan!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    let RunEnd::Halt {
        id, reason, value, ..
    } = &run.end
    else {
        panic!("{:?}", run.end);
    };
    assert_eq!((&**id, reason.as_str()), ("c1", "plan_submitted"));
    assert_eq!(value.as_text(), Some("walk"));
    assert!(session.thread().check().is_ok());

    let direct = calls(&[call("c1", "report", &json!({}))]);
    let agent = Agent::new(ScriptedModel::new([direct]), all());
    let run = agent
        .run(&mut Session::ask("Report!"), &Context::new())
        .await
        .unwrap();
    assert_eq!(
        (run.end.as_str(), run.text()),
        ("return_direct", Some("the report"))
    );

    let wrong = calls(&[call("c1", "add", &json!({"a": "x"}))]);
    let executor = Executor::serial(all()).on_error(ErrorPolicy::Halt);
    let agent = Agent::with_executor(ScriptedModel::new([wrong]), executor);
    let run = agent
        .run(&mut Session::ask("Add!"), &Context::new())
        .await
        .unwrap();
    assert_eq!(run.end.as_str(), "tool_error");
    assert!(matches!(run.completed(), Err(AgentError::Tool(_))));
}

#[tokio::test]
async fn an_interrupt_stands_once_at_each_visit() {
    let model = ScriptedModel::new([calls(&[add_call("c1")]), text("4.")]);
    let agent = Agent::new(model, all())
        .interrupt_before(Node::Tools)
        .interrupt_after(Node::Model);
    let mut session = Session::ask("2 + 2?");
    let mut seen = Vec::new();
    loop {
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        match run.end {
            RunEnd::Interrupted { node, after } => seen.push((node, after, session.thread().len())),
            RunEnd::Completed => break,
            other => panic!("{other:?}"),
        }
        let stored = serde_json::to_string(&session).unwrap();
        session = serde_json::from_str(&stored).unwrap();
    }
    assert_eq!(
        seen,
        [
            (Node::Model, true, 2),
            (Node::Tools, false, 2),
            (Node::Model, true, 4),
        ]
    );
}

#[tokio::test]
async fn a_model_that_fails_is_an_error_first_and_a_result_later() {
    let broken = || Err(ModelError::new(ModelErrorKind::Busy, "429"));
    let agent = Agent::new(ScriptedModel::new([broken()]), all());
    let mut session = Session::ask("Hi!");
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert!(matches!(error, AgentError::Model(_)));
    assert_eq!(session.status(), Status::Idle);

    let script = [calls(&[add_call("c1")]), broken(), text("4.")];
    let agent = Agent::new(ScriptedModel::new(script), all());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::ModelError(_)));
    assert_eq!(roles(&session), ["user", "assistant", "tool"]);
    assert!(matches!(session.say("Hm?"), Err(SessionError::Failed(_))));
    session.clear_error();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("4."));
}

#[tokio::test]
async fn streaming_changes_nothing() {
    let script = || {
        [
            Ok(ModelResponse::calls([add_call("c1"), add_call("c1")]).with_usage(Usage::new(5, 2))),
            text("It is 4."),
        ]
    };
    let run = |listen: bool| async move {
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let mut agent = Agent::new(ScriptedModel::new(script()), all());
        if listen {
            agent = agent.on_event(move |event| {
                let name = format!("{event:?}");
                let end = name.find([' ', '(']).unwrap_or(name.len());
                heard.lock().unwrap().push(name[..end].to_owned());
            });
        }
        let mut session = Session::with_id("s");
        session.say("2 + 2?").unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.usage, Usage::new(5, 2));
        let told = told.lock().unwrap().clone();
        (session.thread().clone(), told)
    };
    let ((streamed, told), (whole, silent)) = (run(true).await, run(false).await);
    assert_eq!(streamed, whole);
    assert!(silent.is_empty());
    let count = |name: &str| told.iter().filter(|told| *told == name).count();
    assert_eq!(
        (
            count("CallsReady"),
            count("ModelFinished"),
            count("RunFinished")
        ),
        (1, 2, 1)
    );
    assert_eq!(told.last().unwrap(), "RunFinished");
    assert!(count("Delta") >= 6);
}

#[tokio::test]
async fn state_choice_and_queue_live_from_turn_to_turn() {
    let model = ScriptedModel::new([
        calls(&[call("c1", "learn", &json!({"n": 7}))]),
        text("Learned."),
        text("Also this."),
    ]);
    let agent = Agent::new(model.clone(), all()).tool_choice(ToolChoice::Required);
    let mut session = Session::ask("Learn 7!");
    session.queue().push("And tell me.");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(session.state().get("n"), Some(&json!(7)));
    assert_eq!(run.text(), Some("Learned."));
    assert_eq!(
        roles(&session),
        ["user", "assistant", "tool", "user", "assistant"]
    );
    let choices: Vec<_> = model
        .requests()
        .into_iter()
        .map(|request| request.choice)
        .collect();
    assert_eq!(choices, [ToolChoice::Required, ToolChoice::Auto]);
    session.say("And?").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();

    let agent = Agent::new(ScriptedModel::new([]), all()).tool_choice("nowhere");
    let error = agent
        .run(&mut Session::ask("Hi!"), &Context::new())
        .await
        .unwrap_err();
    assert!(matches!(error, AgentError::ToolChoice(_)));
}

#[tokio::test]
async fn the_host_can_say_stop() {
    let stop = Cancel::new();
    stop.cancel();
    let agent = Agent::new(ScriptedModel::new([]), all());
    let mut session = Session::ask("Hi!");
    let cx = Context::new().with_cancel(stop);
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Cancelled));
    assert_eq!(roles(&session), ["user"]);
}

#[tokio::test]
async fn a_thread_that_no_provider_takes_is_refused() {
    let thread = vec![
        ThreadMessage::user("Hi!"),
        ThreadMessage::calls([add_call("c1")]),
        ThreadMessage::user("Well?"),
    ];
    let mut session = Session::from_thread(thread.into());
    let agent = Agent::new(ScriptedModel::new([]), all());
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "message 1: the call `c1` of `add` has no answer"
    );
}

#[tokio::test]
async fn a_tool_opens_where_another_one_has_run() {
    let both = [
        call("c1", "report", &json!({})),
        call("c2", "add", &json!({"a": "x"})),
    ];
    let later = [call("c3", "report", &json!({}))];
    let model = ScriptedModel::new([
        calls(&both),
        calls(&[add_call("c4"), later[0].clone()]),
        calls(&later),
    ]);
    let filter = Filter::after_tool("add").only_for(["report"]);
    let executor = Executor::serial(all()).filter(filter);
    let agent = Agent::with_executor(model.clone(), executor);
    let mut session = Session::ask("Report!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("the report"));
    // Neither a call that fails nor one of the same turn opens it.
    let offered = |request: &Recorded| request.tools.iter().any(|tool| tool == "report");
    let offered: Vec<_> = model.requests().iter().map(offered).collect();
    assert_eq!(offered, [false, false, true]);
}

#[tokio::test]
async fn structured_input_of_a_run_opens_a_tool() {
    /// The user's choice in a form.
    struct Wants(&'static str);

    let model = ScriptedModel::new([text("No."), calls(&[add_call("c1")]), text("5.")]);
    let wants_sums = Filter::when(|_, scope| scope.get::<Wants>().is_some_and(|w| w.0 == "sums"));
    let executor = Executor::serial(all()).filter(wants_sums.only_for(["add"]));
    let agent = Agent::with_executor(model.clone(), executor);
    for wants in ["words", "sums"] {
        let cx = Context::new().with(Wants(wants));
        let _ = agent.run(&mut Session::ask("2 + 3?"), &cx).await.unwrap();
    }
    let offered = |request: &Recorded| request.tools.iter().any(|tool| tool == "add");
    let offered: Vec<_> = model.requests().iter().map(offered).collect();
    assert_eq!(offered, [false, true, true]);
}

#[tokio::test]
async fn a_turn_of_tools_asks_for_the_catalogue_twice() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let source = toolwright::executor::Source::catalog(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        all()
    });
    let model = ScriptedModel::new([calls(&[add_call("c1")]), text("5.")]);
    let agent = Agent::new(model, source);
    let mut session = Session::ask("2 + 3?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    // Two requests; and the turn between, by the agent and by its executor.
    assert_eq!(asked.load(Ordering::SeqCst), 2 + 2);
}

#[tokio::test]
async fn no_listener_keeps_events_from_another() {
    /// A panic's payload that panics itself.
    struct Worse;

    impl Drop for Worse {
        fn drop(&mut self) {
            panic!("worse");
        }
    }

    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let model = ScriptedModel::new([calls(&[add_call("c1")]), text("5.")]);
    let agent = Agent::new(model, all())
        .on_event(|_| std::panic::panic_any(Worse))
        .on_event(move |event| {
            let name = match event {
                RunEvent::RunStarted { .. } => "run",
                RunEvent::Call {
                    event: toolwright::executor::Event::Finished { .. },
                    ..
                } => "call",
                RunEvent::RunFinished { .. } => "end",
                _ => return,
            };
            heard.lock().unwrap().push(name);
        });
    let mut session = Session::ask("2 + 3?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("5."));
    assert_eq!(*told.lock().unwrap(), ["run", "call", "end"]);
}

#[tokio::test]
async fn a_slip_in_a_key_is_repaired_for_an_agents_own_model() {
    let slip = call("c1", "submit_plan", &json!({"paln": "go"}));
    let agent = Agent::new(ScriptedModel::new([calls(&[slip])]), all());
    let run = agent.run(&mut Session::ask("Plan."), &Context::new()).await;
    let halted = run.unwrap().end;
    assert!(
        matches!(&halted, RunEnd::Halt { reason, .. } if reason.as_str() == "plan_submitted"),
        "{halted:?}"
    );
}

#[tokio::test]
async fn every_event_says_of_which_session_and_run_it_is() {
    let heard: Arc<Mutex<Vec<(String, String, String)>>> = Arc::default();
    let seen = Arc::clone(&heard);
    let add = ToolCall::new("c1", "add", r#"{"a": 2, "b": 2}"#);
    let script = [
        Ok(ModelResponse::calls([add])),
        Ok(ModelResponse::text("4.")),
        Ok(ModelResponse::text("Bye.")),
    ];
    let agent = Agent::new(ScriptedModel::new(script), tools![add]);
    let agent = agent.on_event(move |event| {
        let words = format!("{event:?}");
        let kind = words.split_once(' ').unwrap().0.to_owned();
        let mut heard = seen.lock().unwrap();
        heard.push((kind, event.session().to_owned(), event.run_id().to_owned()));
    });
    let mut session = Session::with_id("s");
    for run in ["s/1", "s/2"] {
        session.say("Go!").unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(session.run_id(), run);
        let heard = std::mem::take(&mut *heard.lock().unwrap());
        let kinds = [
            "RunStarted",
            "NodeStarted",
            "Delta",
            "ModelFinished",
            "CallsReady",
            "Call",
            "NodeFinished",
            "RunFinished",
        ];
        for kind in kinds {
            let is_there = heard.iter().any(|(name, ..)| name == kind);
            assert!(is_there || run == "s/2", "{kind}: {heard:?}");
        }
        assert!(
            heard
                .iter()
                .all(|(_, session, id)| session == "s" && id == run),
            "{heard:?}"
        );
    }
}

/// Counts.
#[tool]
fn count() -> u8 {
    1
}

/// A turn of so many calls.
fn many(calls: usize) -> Vec<ToolCall> {
    (0..calls)
        .map(|n| ToolCall::new(format!("c{n}"), "count", "{}"))
        .collect()
}

/// As many as may run.
#[tokio::test]
async fn a_turn_of_16_384_calls_is_answered() {
    let calls = 16_384;
    let began = std::time::Instant::now();
    let executor = Executor::serial(tools![count]);
    let script = [
        Ok(ModelResponse::calls(many(calls))),
        Ok(ModelResponse::text("Done.")),
    ];
    let agent = Agent::with_executor(ScriptedModel::new(script), executor.clone());
    let mut session = Session::ask("Count!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        (run.text(), session.thread().len()),
        (Some("Done."), calls + 3)
    );
    assert!(session.thread().check().is_ok());
    println!("a run of {calls} calls: {:?}", began.elapsed());

    let began = std::time::Instant::now();
    let mut thread = Thread::from([
        ThreadMessage::user("Count!"),
        ThreadMessage::calls(many(calls)),
    ]);
    let answers = ToolNode::new(executor);
    let answers = answers.process(&mut thread, &Context::new()).await.unwrap();
    assert_eq!((answers.messages.len(), thread.len()), (calls, calls + 2));
    assert!(thread.check().is_ok());
    println!("a node of {calls} calls: {:?}", began.elapsed());

    // Calls that wait for the host.
    let began = std::time::Instant::now();
    let executor = Executor::serial(tools![count]).manual(|_| true);
    let script = [Ok(ModelResponse::calls(many(calls)))];
    let agent = Agent::with_executor(ScriptedModel::new(script), executor);
    let mut session = Session::ask("Count!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let pending = session.pending();
    assert_eq!(pending.len(), calls);
    println!("{calls} calls that wait: {:?}", began.elapsed());

    let began = std::time::Instant::now();
    let mut decided = session.clone();
    let approve = pending
        .iter()
        .map(|one| (CallRef::from(&*one.call.id), Decision::Approve));
    decided.decide_all(approve).unwrap();
    println!("{calls} decisions: {:?}", began.elapsed());
    let began = std::time::Instant::now();
    let results = pending
        .iter()
        .map(|one| (CallRef::from(&*one.call.id), Ok(Outcome::value(1))));
    session.submit_all(results).unwrap();
    assert!(session.pending().is_empty() && session.thread().check().is_ok());
    println!("{calls} results of the host's: {:?}", began.elapsed());

    let began = std::time::Instant::now();
    let mut thread = Thread::from([
        ThreadMessage::user("Count!"),
        ThreadMessage::calls(many(calls)),
    ]);
    thread.repair(&ThreadRepair::Answer("lost".to_owned()));
    assert!(thread.check().is_ok() && thread.len() == calls + 2);
    println!("{calls} calls that are repaired: {:?}", began.elapsed());

    // With a record of each.
    let began = std::time::Instant::now();
    let script = [
        Ok(ModelResponse::calls(many(calls))),
        Ok(ModelResponse::text("Done.")),
    ];
    let executor = Executor::serial(tools![count]);
    let store = MemoryCheckpointer::new();
    let agent = Agent::with_executor(ScriptedModel::new(script), executor).checkpointer(store);
    let mut session = Session::ask("Count!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    println!("a run of {calls} calls that is kept: {:?}", began.elapsed());
}

#[tokio::test]
async fn calls_beyond_the_limit_of_a_turn_are_answered_and_do_not_run() {
    let executor = || Executor::serial(tools![count]);
    let most = 16_384;
    let script = [
        Ok(ModelResponse::calls(many(most + 2))),
        Ok(ModelResponse::text("Done.")),
    ];
    let agent = Agent::with_executor(ScriptedModel::new(script), executor());
    let mut session = Session::ask("Count!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert!(session.thread().check().is_ok());
    let answers = session
        .thread()
        .messages()
        .iter()
        .filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some((answer.text.as_str(), answer.is_error)),
            _ => None,
        });
    let refused =
        "the call did not run: a turn may make at most 16384 calls, and this one made more";
    let mut expected = vec![("1", false); most];
    expected.extend([(refused, true); 2]);
    assert!(answers.collect::<Vec<_>>() == expected);

    // What is decided about a call goes by its place in the turn.
    let batch = executor()
        .manual(|_| true)
        .run(&many(most + 1), &Context::new())
        .await;
    assert_eq!(
        (batch.pending().count(), batch.results().count()),
        (most, 1)
    );
    let decided: Vec<_> = batch
        .pending()
        .map(|call| call.with_decision(Decision::Approve))
        .collect();
    let batch = executor().run(&decided[1..], &Context::new()).await;
    assert!(batch.results().all(toolwright::ToolResult::is_success));
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(
    expected = "error: wait: refused_example: the example {\"seconds\":300} is refused: seconds: expected"
)]
fn a_tool_that_refuses_its_example_is_not_offered() {
    /// Waits.
    #[tool(example({"seconds": 300}))]
    fn wait(seconds: u8) -> u8 {
        seconds
    }
    let _ = Agent::new(ScriptedModel::new([]), &tools![wait]);
}
