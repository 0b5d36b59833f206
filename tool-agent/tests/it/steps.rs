//! Nodes and steps for hosts that keep their own loop.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use serde_json::json;
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::store::Checkpointer;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::tool_node::{ToolNode, route};
use toolwright::agent::{
    Agent, AgentError, MemoryCheckpointer, ModelResponse, Node, RunEnd, Session, Thread,
    ThreadMessage,
};
use toolwright::executor::PendingReason;
use toolwright::{
    Context, Executor, Outcome, ToolCall, Toolset,
    call::{Cancel, Filter, HaltReason, State},
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
fn charge(cents: u64) -> u64 {
    cents
}

/// Goes to the user.
#[tool(return_direct)]
fn report() -> &'static str {
    "the report"
}

/// Learns, and tells what it is told.
#[tool]
fn learn(n: u64, #[context] cx: &Context) -> String {
    cx.update_state("n", n);
    let known = cx.session_state().get("n").map(ToString::to_string);
    format!(
        "{} in {}, key {}",
        known.unwrap_or_default(),
        cx.input().unwrap_or("nothing"),
        cx.idempotency_key().unwrap_or_default()
    )
}

fn all() -> Toolset {
    tools![add, charge, report, learn]
}

fn call(id: &str, name: &str, arguments: &serde_json::Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

fn add_call(id: &str, a: i64) -> ToolCall {
    call(id, "add", &json!({"a": a, "b": 1}))
}

fn thread(calls: &[ToolCall]) -> Thread {
    [
        ThreadMessage::user("Go!"),
        ThreadMessage::calls(calls.iter().cloned()),
    ]
    .into()
}

fn answers(thread: &Thread) -> Vec<(String, String)> {
    let messages = thread.messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some((answer.id.to_string(), answer.text.clone())),
        _ => None,
    });
    answers.collect()
}

fn node() -> ToolNode {
    ToolNode::new(Executor::parallel(all(), 4))
}

#[test]
fn the_last_message_says_where_it_goes_on() {
    let open = thread(&[add_call("c1", 1)]);
    assert_eq!(route(&open), Node::Tools);
    assert_eq!(route(&Thread::new()), Node::End);
    assert_eq!(route(&[ThreadMessage::user("Hi!")].into()), Node::Model);
    assert_eq!(route(&[ThreadMessage::assistant("Hi!")].into()), Node::End);

    // Nothing can be run where a call was passed over.
    let mut passed_over = open;
    passed_over.push(ThreadMessage::user("Well?"));
    assert_eq!(route(&passed_over), Node::Model);
}

#[tokio::test]
async fn each_call_has_one_answer_in_call_order() {
    let mut thread = thread(&[
        add_call("c1", 1),
        call("c2", "ad", &json!({})),
        add_call("c3", 3),
    ]);
    let answered = node().process(&mut thread, &Context::new()).await.unwrap();
    assert_eq!(
        answers(&thread),
        [
            ("c1".to_owned(), "2".to_owned()),
            (
                "c2".to_owned(),
                "unknown tool `ad`; did you mean `add`?".to_owned()
            ),
            ("c3".to_owned(), "4".to_owned()),
        ]
    );
    assert_eq!(answered.messages.len(), 3);
    assert!(answered.halted.is_none() && answered.pending.is_empty());
    assert_eq!(route(&thread), Node::Model);
    assert!(thread.check().is_ok());

    // Now that all have one, nothing is to be done.
    let before = thread.clone();
    let answered = node().process(&mut thread, &Context::new()).await.unwrap();
    assert!(answered.messages.is_empty());
    assert_eq!(thread, before);
    let mut said: Thread = [ThreadMessage::user("Hi!"), ThreadMessage::assistant("Hi!")].into();
    node().process(&mut said, &Context::new()).await.unwrap();
    assert_eq!(said.len(), 2);
}

#[tokio::test]
async fn an_empty_or_broken_thread_is_refused() {
    let error = node().process(&mut Thread::new(), &Context::new()).await;
    assert!(matches!(error, Err(AgentError::EmptyThread)));
    let mut passed_over = thread(&[add_call("c1", 1)]);
    passed_over.push(ThreadMessage::user("Well?"));
    let error = node().process(&mut passed_over, &Context::new()).await;
    let error = error.unwrap_err();
    assert_eq!(
        error.to_string(),
        "message 1: the call `c1` of `add` has no answer"
    );
    let agent = Agent::new(ScriptedModel::new([]), all());
    let error = agent.chat(&mut passed_over, &Context::new()).await;
    assert!(matches!(error, Err(AgentError::Thread(_))));
    let error = agent.chat(&mut Thread::new(), &Context::new()).await;
    assert!(matches!(error, Err(AgentError::EmptyThread)));
    assert_eq!(passed_over.len(), 3);
}

#[tokio::test]
async fn a_call_that_waits_has_no_answer_and_the_others_run_once() {
    let both = [
        call("c1", "charge", &json!({"cents": 5})),
        add_call("c2", 1),
    ];
    let mut thread = thread(&both);
    let answered = node().process(&mut thread, &Context::new()).await.unwrap();
    assert_eq!(answered.pending.len(), 1);
    assert_eq!(&*answered.pending[0].call.id, "c1");
    assert_eq!(route(&thread), Node::Tools);

    // The host answers it, or asks again.
    let again = node().process(&mut thread, &Context::new()).await.unwrap();
    assert_eq!((again.messages.len(), again.pending.len()), (0, 1));
    let executor = Executor::serial(all());
    let says = toolwright::call::Decision::Approve;
    let decided = [again.pending[0].with_decision(says)];
    let batch = executor.run(&decided, &Context::new()).await;
    let result = batch.results().next().unwrap();
    let answer = toolwright::agent::thread::ToolMessage::of(0, result, toolwright::Encoder::auto());
    assert!(thread.answer(answer));
    assert_eq!(route(&thread), Node::Model);
}

#[tokio::test]
async fn what_the_context_does_not_say_the_thread_does() {
    let filter = Filter::after_tool("add").only_for(["report"]);
    let node = ToolNode::new(Executor::serial(all()).filter(filter));
    let mut thread = thread(&[
        call("c1", "report", &json!({})),
        call("c2", "learn", &json!({"n": 7})),
        add_call("c3", 1),
    ]);
    let cx = Context::new().with_state(State::new().with("n", 6));
    let answered = node.process(&mut thread, &cx).await.unwrap();
    assert_eq!(answered.state.unwrap().get("n"), Some(&json!(7)));
    let texts: Vec<_> = answers(&thread).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["unknown tool `report`", "6 in Go!, key ", "2"]);

    thread.push(ThreadMessage::calls([call("c4", "report", &json!({}))]));
    let answered = node.process(&mut thread, &cx).await.unwrap();
    assert_eq!(
        answered.halted.map(|halted| halted.as_str().to_owned()),
        Some("return_direct".to_owned())
    );
}

#[tokio::test]
async fn a_chat_is_one_request_and_a_step_its_calls_too() {
    let script = [
        Ok(ModelResponse::calls([add_call("c1", 1)])),
        Ok(ModelResponse::calls([
            call("c2", "learn", &json!({"n": 7})),
            call("c3", "charge", &json!({"cents": 5})),
        ])),
        Ok(ModelResponse::text("Done.")),
    ];
    let model = ScriptedModel::new(script);
    let agent = Agent::new(model.clone(), all()).system("You add.");
    let mut thread: Thread = [ThreadMessage::user("Go!")].into();
    let cx = Context::new()
        .with_run("r1")
        .with_turn(3)
        .with_state(State::new().with("n", 6));

    let step = agent.chat(&mut thread, &cx).await.unwrap();
    assert!(matches!(
        step.end,
        RunEnd::Interrupted {
            node: Node::Tools,
            after: false
        }
    ));
    assert_eq!((thread.len(), step.pending.len()), (2, 1));
    assert_eq!(step.pending[0].reason, PendingReason::NotRun);
    node().process(&mut thread, &cx).await.unwrap();

    let step = agent.step(&mut thread, &cx).await.unwrap();
    assert!(matches!(step.end, RunEnd::Pending));
    assert_eq!(step.pending[0].reason, PendingReason::ManualTool);
    assert_eq!(step.state.get("n"), Some(&json!(7)));
    // What the host says of its conversation holds.
    assert_eq!(answers(&thread)[1].1, "6 in Go!, key r1/3/0/c2");

    let mut session = Session::from_thread(thread);
    session.repair(&toolwright::agent::thread::ThreadRepair::Answer(
        "no".into(),
    ));
    let mut thread = session.thread().clone();
    let step = agent.step(&mut thread, &cx).await.unwrap();
    assert!(matches!(step.end, RunEnd::Completed));
    assert_eq!(step.text.as_deref(), Some("Done."));
    assert_eq!(route(&thread), Node::End);
    let systems = model.requests();
    assert!(
        systems
            .iter()
            .all(|request| request.system.as_deref() == Some("You add."))
    );
}

#[tokio::test]
async fn a_step_that_fails_changes_nothing() {
    let broken = Err(ModelError::new(ModelErrorKind::Busy, "429"));
    let agent = Agent::new(ScriptedModel::new([broken]), all());
    let mut thread: Thread = [ThreadMessage::user("Go!")].into();
    let error = agent.step(&mut thread, &Context::new()).await.unwrap_err();
    assert!(matches!(error, AgentError::Model(_)));
    assert_eq!(thread.len(), 1);

    let stop = Cancel::new();
    stop.cancel();
    let cancelled = agent
        .step(&mut thread, &Context::new().with_cancel(stop))
        .await;
    assert!(matches!(cancelled.unwrap().end, RunEnd::Cancelled));
    assert_eq!(thread.len(), 1);
}

#[tokio::test]
async fn a_step_keeps_nothing_and_needs_no_checkpoint() {
    let store = MemoryCheckpointer::new();
    let model = ScriptedModel::new([Ok(ModelResponse::calls([add_call("c1", 1)]))]);
    let agent = Agent::new(model, all()).checkpointer(store.clone());
    let mut thread: Thread = [ThreadMessage::user("Go!")].into();
    let cx = Context::new().with_session("s");
    let step = agent.step(&mut thread, &cx).await.unwrap();
    assert!(step.pending.is_empty(), "{step:?}");
    assert_eq!(answers(&thread), [("c1".to_owned(), "2".to_owned())]);
    assert!(store.latest("s").await.unwrap().is_none());
}

#[tokio::test]
async fn a_choice_that_was_followed_is_not_forced_again() {
    let calls = |id| Ok(ModelResponse::calls([add_call(id, 1)]));
    let text = |text: &str| Ok(ModelResponse::text(text));
    let model = ScriptedModel::new([calls("c1"), text("2."), calls("c2"), text("2 again.")]);
    let agent = Agent::new(model.clone(), all()).tool_choice(ToolChoice::Required);
    let (mut thread, cx) = (
        Thread::from([ThreadMessage::user("1 + 1?")]),
        Context::new(),
    );
    agent.step(&mut thread, &cx).await.unwrap();
    let step = agent.step(&mut thread, &cx).await.unwrap();
    assert!(matches!(step.end, RunEnd::Completed));

    // Each time the user asks it is to be followed.
    thread.push(ThreadMessage::user("And again?"));
    agent.chat(&mut thread, &cx).await.unwrap();
    node().process(&mut thread, &cx).await.unwrap();
    agent.chat(&mut thread, &cx).await.unwrap();
    let requests = model.requests().into_iter();
    let choices: Vec<_> = requests.map(|request| request.choice).collect();
    let (forced, free) = (ToolChoice::Required, ToolChoice::Auto);
    assert_eq!(choices, [forced.clone(), free.clone(), forced, free]);
}

/// Asks.
#[tool]
fn asks() -> Outcome {
    Outcome::ask("Which?")
}

/// Ends the conversation.
#[tool]
fn ends() -> Outcome {
    Outcome::halt(HaltReason::new("over"), 7)
}

#[tokio::test]
async fn the_questions_of_a_turn_stand_in_the_thread_until_each_is_answered() {
    let turn = [
        call("a", "asks", &json!({})),
        call("b", "ends", &json!({})),
        call("c", "asks", &json!({})),
    ];
    for is_step in [false, true] {
        let (mut thread, ends) = if is_step {
            let model = ScriptedModel::new([Ok(ModelResponse::calls(turn.clone()))]);
            let agent = Agent::new(model, tools![asks, ends]);
            let mut thread = Thread::from([ThreadMessage::user("Go!")]);
            let step = agent.step(&mut thread, &Context::new()).await.unwrap();
            assert_eq!(step.end.as_str(), "ask_user");
            (thread, step.deferred_end.unwrap().as_str().to_owned())
        } else {
            let mut thread = thread(&turn);
            let node = ToolNode::new(Executor::serial(tools![asks, ends]));
            let answered = node.process(&mut thread, &Context::new()).await.unwrap();
            assert_eq!(answered.messages.len(), 3);
            let halts: Vec<_> = answered
                .halts
                .iter()
                .map(toolwright::executor::Halted::as_str)
                .collect();
            assert_eq!(halts, ["ask_user", "ask_user", "over"]);
            assert_eq!(answered.halted.as_ref(), answered.halts.first());
            (thread, halts[2].to_owned())
        };
        assert_eq!(ends, "over");
        // The model is not asked before: somebody else is.
        assert_eq!(route(&thread), Node::End);
        let stored = serde_json::to_string(&thread).unwrap();
        thread = serde_json::from_str(&stored).unwrap();
        assert_eq!(thread.questions().len(), 2);
        thread.answer_call("c", "two").unwrap();
        assert!(thread.answer_call("c", "again").is_err());
        assert_eq!(thread.last_text(), Some("Which?"));
        assert!(thread.check().is_ok());
        thread.answer_call(0, "one").unwrap();
        assert_eq!(route(&thread), Node::Model);
        let read: Vec<_> = answers(&thread).into_iter().map(|(_, text)| text).collect();
        assert_eq!(read, ["one", "7", "two"]);
    }
}

/// Asks.
#[tool]
fn which() -> Outcome {
    Outcome::ask("Which?")
}

#[tokio::test]
async fn nothing_is_said_over_an_open_question() {
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([call("c1", "which", &json!({}))])),
        Ok(ModelResponse::text("Thanks.")),
    ]);
    let agent = Agent::new(model, tools![which]);
    let (mut thread, cx) = (Thread::from([ThreadMessage::user("Go!")]), Context::new());
    let step = agent.step(&mut thread, &cx).await.unwrap();
    assert!(matches!(step.end, RunEnd::AskUser { .. }));
    let before = thread.len();
    for error in [
        agent.chat(&mut thread, &cx).await.unwrap_err(),
        agent.step(&mut thread, &cx).await.unwrap_err(),
    ] {
        assert!(matches!(error, AgentError::Session(_)), "{error}");
    }
    assert_eq!((thread.len(), thread.questions().len()), (before, 1));
    thread.answer_call("c1", "this").unwrap();
    let step = agent.chat(&mut thread, &cx).await.unwrap();
    assert_eq!(step.text.as_deref(), Some("Thanks."));
}
