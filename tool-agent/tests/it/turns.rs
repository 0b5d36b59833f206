//! Turns of which several things are open at once, and what ends a run beside them: nothing is forgotten, and
//! what waits can be answered.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::session::CallRef;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::thread::{Native, ToolMessage};
use toolwright::agent::tool_node::ToolNode;
use toolwright::agent::{
    Agent, AgentTool, MemoryCheckpointer, Model, ModelResponse, RunEnd, Session, Status, Thread,
    ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::executor::PendingReason;
use toolwright::layers::{Approval, Risk};
use toolwright::{
    Context, Encoder, Executor, Outcome, ToolCall, ToolError, ToolResult, Toolset, Wire,
    call::{Cancel, Decision, HaltReason, State},
    executor::ErrorPolicy,
    tool, tools,
};

/// What ran.
#[derive(Default)]
struct Ran(Mutex<Vec<String>>);

impl Ran {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Asks.
#[tool]
fn asks(#[context] cx: &Context) -> Outcome {
    Outcome::ask(format!("What of {}?", cx.call_id().unwrap_or_default()))
}

/// Pays, if somebody lets it.
#[tool(destructive, meta(risk = "high"))]
fn pay(#[state] ran: &Ran) -> &'static str {
    ran.note("pay");
    "paid"
}

/// Is answered by hand.
#[tool(manual)]
fn by_hand(#[state] ran: &Ran) -> &'static str {
    ran.note("by hand");
    "by hand"
}

/// Ends the run.
#[tool]
fn ends() -> Outcome {
    Outcome::halt(HaltReason::new("over"), json!({"sum": 7}))
}

/// Fails.
#[tool]
fn fails() -> Result<u8, ToolError> {
    Err(ToolError::failed("no"))
}

/// Looks.
#[tool]
fn look(#[state] ran: &Ran) -> &'static str {
    ran.note("look");
    "seen"
}

/// Stops the run that calls it.
#[tool]
fn stops(#[context] cx: &Context) -> u8 {
    cx.get::<Cancel>().unwrap().cancel();
    1
}

fn all(ran: &Arc<Ran>) -> Toolset {
    tools![asks, pay, by_hand, ends, fails, look, stops; state = Arc::clone(ran)]
}

/// Calls of these tools, under the ids `c0`, `c1`, …
fn turn(names: &[&str]) -> ModelResponse {
    let calls = names.iter().enumerate();
    ModelResponse::calls(calls.map(|(place, name)| ToolCall::new(format!("c{place}"), *name, "{}")))
}

fn agent(ran: &Arc<Ran>, script: impl IntoIterator<Item = ModelResponse>) -> Agent {
    let model = ScriptedModel::new(script.into_iter().map(Ok));
    let executor = Executor::parallel(all(ran), 4).layer(Approval::at_least(Risk::High));
    Agent::with_executor(model, executor)
}

/// As it comes back from wherever it was kept.
fn stored(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

fn answers(thread: &Thread) -> Vec<String> {
    let messages = thread.messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    answers.collect()
}

fn question(session: &Session) -> String {
    match session.status() {
        Status::AwaitingUser { question, .. } => question,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_question_of_a_turn_is_asked_and_the_model_reads_each_answer() {
    let ran = Arc::default();
    let agent = agent(
        &ran,
        [turn(&["asks", "asks"]), ModelResponse::text("Thanks.")],
    );
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "ask_user");
    assert_eq!(question(&session), "What of c0?");
    let mut session = stored(&session);
    session.answer("x").unwrap();
    let mut session = stored(&session);
    assert_eq!(question(&session), "What of c1?");
    session.answer("y").unwrap();
    assert_eq!(session.status(), Status::Idle);
    let run = agent.run(&mut stored(&session), &Context::new()).await;
    assert_eq!(run.unwrap().text(), Some("Thanks."));
    assert_eq!(answers(session.thread()), ["x", "y"]);
}

#[tokio::test]
async fn words_answer_one_question_after_the_other() {
    let ran = Arc::default();
    let agent = agent(
        &ran,
        [turn(&["asks", "asks"]), ModelResponse::text("Thanks.")],
    );
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.say("x").unwrap();
    assert_eq!(question(&session), "What of c1?");
    session.say("y").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(session.thread()), ["x", "y"]);
}

#[tokio::test]
async fn what_is_pending_beside_a_tool_that_ends_the_run_can_be_decided_about() {
    for policy in [ErrorPolicy::Continue, ErrorPolicy::Halt, ErrorPolicy::Abort] {
        for (name, halted) in [("ends", "over"), ("fails", "tool_error")] {
            if name == "fails" && matches!(policy, ErrorPolicy::Continue) {
                continue;
            }
            let ran = Arc::default();
            let model = ScriptedModel::new([Ok(turn(&["by_hand", name, "pay"]))]);
            let executor = Executor::serial(all(&ran)).on_error(policy.clone());
            let executor = executor.layer(Approval::at_least(Risk::High));
            let agent = Agent::with_executor(model, executor);
            let mut session = Session::ask("Go!");
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.end.as_str(), halted);
            // Somebody is needed, so nobody says that it is over.
            assert_eq!(session.status(), Status::AwaitingTools);
            assert_eq!(session.result(), None);
            let mut session = stored(&session);
            for pending in session.pending() {
                session.decide(pending.index, Decision::Approve).unwrap();
            }
            // The model is not asked: what ended the run ends it now.
            let mut session = stored(&session);
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.end.as_str(), halted);
            assert!(session.pending().is_empty());
            let paid = !matches!((name, &policy), ("fails", ErrorPolicy::Abort));
            let expected = if paid {
                &["by hand", "pay"][..]
            } else {
                &["by hand"]
            };
            assert_eq!(ran.all(), expected);
            if name == "ends" {
                assert_eq!(session.status(), Status::Completed);
                assert_eq!(session.result(), Some(r#"{"sum":7}"#));
                let run = agent.run(&mut session, &Context::new()).await.unwrap();
                assert!(matches!(run.end, RunEnd::Completed));
            }
        }
    }
}

#[tokio::test]
async fn what_is_pending_beside_a_run_that_was_stopped_can_be_decided_about() {
    let ran = Arc::default();
    let agent = agent(
        &ran,
        [turn(&["by_hand", "stops"]), ModelResponse::text("Done.")],
    );
    let stop = Cancel::new();
    let cx = Context::new().with(stop.clone()).with_cancel(stop);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Cancelled));
    assert_eq!(session.pending()[0].reason, PendingReason::ManualTool);
    session.submit("c0", "here").unwrap();
    let run = agent.run(&mut stored(&session), &Context::new()).await;
    assert_eq!(run.unwrap().text(), Some("Done."));
}

#[tokio::test]
async fn a_tool_that_ends_the_run_ends_it_behind_the_questions_of_its_turn() {
    for by_message in [false, true] {
        let ran = Arc::default();
        let agent = agent(&ran, [turn(&["ends", "asks", "by_hand"])]);
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.end.as_str(), "ask_user");
        // In any order.
        session.submit("c2", "here").unwrap();
        let mut session = stored(&session);
        assert_eq!(question(&session), "What of c1?");
        if by_message {
            session.say("x").unwrap();
        } else {
            session.answer("x").unwrap();
        }
        let run = agent
            .run(&mut stored(&session), &Context::new())
            .await
            .unwrap();
        let RunEnd::Halt {
            reason,
            value,
            index,
            id,
        } = &run.end
        else {
            panic!("{:?}", run.end);
        };
        assert_eq!((reason.as_str(), *index, &**id), ("over", 0, "c0"));
        assert_eq!(value.to_value(), json!({"sum": 7}));
        assert_eq!(answers(session.thread())[1..], ["x", "here"]);
    }
}

#[tokio::test]
async fn a_question_in_a_run_that_was_stopped_or_failed_is_still_asked() {
    for (other, policy) in [
        ("stops", ErrorPolicy::Continue),
        ("fails", ErrorPolicy::Abort),
    ] {
        let ran = Arc::default();
        let model = ScriptedModel::new([Ok(turn(&["asks", other]))]);
        let executor = Executor::serial(all(&ran)).on_error(policy);
        let agent = Agent::with_executor(model, executor);
        let stop = Cancel::new();
        let cx = Context::new().with(stop.clone()).with_cancel(stop);
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Cancelled | RunEnd::ToolError(_)));
        assert_eq!(question(&stored(&session)), "What of c0?");
        session.answer("x").unwrap();
        assert_eq!(answers(session.thread())[0], "x");
    }
}

#[tokio::test]
async fn a_run_inside_that_ends_beside_a_pending_call_lets_its_call_wait() {
    let ran = Arc::default();
    let inner = agent(&ran, [turn(&["ends", "pay"])]);
    let helper = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
    let ask = ToolCall::new("c1", "helper", r#"{"input": "Pay!"}"#);
    let model = ScriptedModel::new([Ok(ModelResponse::calls([ask]))]);
    let agent = Agent::new(model, Toolset::new([helper]).unwrap());
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending), "{:?}", run.end);
    let mut session = stored(&session);
    let approve = |sub: &mut Session| sub.decide("c1", Decision::Approve);
    session.in_sub_session("c1", approve).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "over");
    assert_eq!(ran.all(), ["pay"]);
    assert_eq!(answers(session.thread()), [r#"{"sum":7}"#]);
}

#[tokio::test]
async fn a_clone_of_a_session_has_a_queue_of_its_own() {
    let session = Session::ask("Go!");
    session.queue().push("first");
    let copy = session.clone();
    session.queue().push("for the original");
    copy.queue().push("for the copy");
    let heard = |mut session: Session| async move {
        let ran = Arc::default();
        let agent = agent(&ran, ["a", "b", "c"].map(ModelResponse::text));
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert!(session.queue().is_empty());
        serde_json::to_string(session.thread()).unwrap()
    };
    let (original, copy) = (heard(session).await, heard(copy).await);
    for (thread, own, other) in [
        (original, "for the original", "for the copy"),
        (copy, "for the copy", "for the original"),
    ] {
        assert!(thread.contains("first") && thread.contains(own) && !thread.contains(other));
    }
}

type Limit = fn(Agent, u32) -> Agent;

#[tokio::test]
async fn a_session_whose_run_came_to_a_limit_can_be_run_again() {
    let most = |most: u32| most;
    let limits: [(&str, Limit, u32); 3] = [
        ("max_tool_rounds", Agent::max_tool_rounds, 1),
        ("max_turns", Agent::max_turns, 1),
        ("max_steps", Agent::max_steps, 3),
    ];
    for (name, limit, n) in limits {
        let ran = Arc::default();
        let script = [
            turn(&["look"]),
            turn(&["look"]),
            ModelResponse::text("Done."),
        ];
        let agent = limit(agent(&ran, script), most(n));
        let mut session = Session::ask("Go!");
        let mut ends = Vec::new();
        while session.status() != Status::Completed {
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            ends.push(run.end.as_str().to_owned());
            // What is pending then can be decided about, too.
            for pending in session.pending() {
                let says = Decision::Answer(json!("by hand"));
                stored(&session).decide(pending.index, says).unwrap();
            }
            session = stored(&session);
            assert!(ends.len() < 9, "{name}: {ends:?}");
        }
        assert_eq!(ends.pop().as_deref(), Some("completed"));
        assert!(
            !ends.is_empty() && ends.iter().all(|end| end == name),
            "{ends:?}"
        );
        assert_eq!(ran.all(), ["look", "look"]);
    }
}

/// Makes calls without ids, and says so in a form of its own.
struct Nameless;

impl Model for Nameless {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let turns = request.thread.messages().iter();
        let turns = turns
            .filter(|message| !message.tool_calls().is_empty())
            .count();
        Box::pin(async move {
            if turns == 2 {
                return Ok(ModelResponse::text("Done."));
            }
            let ids = ["", "call_1", ""];
            let calls = ids.map(|id| ToolCall::new(id, "look", "{}"));
            let mut response = ModelResponse::calls(calls);
            response.native = Some(Native {
                wire: toolwright::agent::thread::wire_name(Wire::Anthropic),
                messages: vec![r#"{"role":"assistant","content":[]}"#.to_owned()],
            });
            Ok(response)
        })
    }
}

#[tokio::test]
async fn calls_without_ids_are_given_some_before_anybody_hears_of_them() {
    let ran = Arc::default();
    let store = MemoryCheckpointer::new();
    let agent = Agent::new(Nameless, all(&ran)).checkpointer(store);
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let calls = session.thread().messages().iter();
    let ids: Vec<_> = calls
        .flat_map(ThreadMessage::tool_calls)
        .map(|call| call.id.to_string())
        .collect();
    assert_eq!(
        ids,
        ["call_0", "call_1", "call_2", "call_3", "call_1", "call_4"]
    );
    let body = session.thread().format(Wire::Anthropic, None).unwrap();
    assert!(
        !body.contains(r#""id":"""#) && !body.contains(r#""tool_use_id":"""#),
        "{body}"
    );
    assert_eq!(ran.all().len(), 6);
}

#[tokio::test]
async fn two_calls_of_one_id_both_run_and_no_request_has_an_id_twice() {
    let ran = Arc::default();
    let same = || ModelResponse::calls(["a", "a", "a_1"].map(|id| ToolCall::new(id, "look", "{}")));
    let agent = agent(&ran, [same(), same(), ModelResponse::text("Done.")]);
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(ran.all().len(), 6);
    let messages = session.thread().messages().iter();
    let answered: Vec<_> = messages
        .filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some((answer.index, &*answer.id)),
            _ => None,
        })
        .collect();
    let once = [(0, "a"), (1, "a"), (2, "a_1")];
    assert_eq!(answered, [once, once].concat());
    // Of the whole conversation where answers are found by ids alone; else of a turn.
    for (wire, per) in [
        (Wire::Anthropic, 6),
        (Wire::OpenAiResponses, 6),
        (Wire::BedrockConverse, 6),
        (Wire::OpenAiChat, 3),
        (Wire::Gemini, 3),
        (Wire::Ollama, 3),
    ] {
        let body = session.thread().format(wire, None).unwrap();
        let keys = ["id", "call_id", "toolUseId", "tool_use_id", "tool_call_id"];
        let mut ids = Vec::new();
        find_ids(&serde_json::from_str(&body).unwrap(), &keys, &mut ids);
        // Each id stands in its call and its answer.
        assert_eq!(ids.len(), 12, "{wire:?} {body}");
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), per, "{wire:?} {ids:?}");
        for id in &distinct {
            let times = ids.iter().filter(|other| other == id).count();
            assert_eq!(times, 12 / per, "{wire:?} {id}");
        }
        // What was written before stays as it was when the thread grows.
        let mut longer = session.thread().clone();
        longer.extend([
            ThreadMessage::user("And?"),
            ThreadMessage::calls([ToolCall::new("a_2", "look", "{}")]),
        ]);
        let result = ToolResult::new(&ToolCall::new("a_2", "look", ""), Ok(Outcome::value(1)));
        longer.answer(ToolMessage::of(0, &result, Encoder::auto()));
        let longer = longer.format(wire, None).unwrap();
        assert!(
            longer.starts_with(body.trim_end_matches(['}', ']'])),
            "{wire:?}"
        );
    }
}

fn find_ids(value: &serde_json::Value, keys: &[&str], found: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(items) => {
            for item in items {
                find_ids(item, keys, found);
            }
        }
        serde_json::Value::Object(members) => {
            for (key, value) in members {
                match value.as_str() {
                    Some(id) if keys.contains(&key.as_str()) => found.push(id.to_owned()),
                    _ => find_ids(value, keys, found),
                }
            }
        }
        _ => {}
    }
}

/// Says who may see it.
fn not_guest(scope: &toolwright::call::Scope<'_>) -> bool {
    scope.state.get("role").and_then(|role| role.as_str()) != Some("guest")
}

/// Wipes all.
#[tool(visible = not_guest)]
fn wipe(#[state] ran: &Ran) -> &'static str {
    ran.note("wiped");
    "wiped"
}

/// Says what it is told, and learns.
#[tool]
fn told(#[state] ran: &Ran, #[context] cx: &Context) -> bool {
    let state = cx.session_state();
    let known = ["role", "team", "n"].map(|name| state.get(name).cloned().unwrap_or_default());
    ran.note(format!(
        "{known:?} {:?} {:?} {:?}",
        cx.agent_id(),
        cx.input(),
        cx.get::<u8>()
    ));
    cx.update_state("n", 2) && cx.update_state("role", "boss")
}

#[tokio::test]
async fn what_the_context_of_a_run_says_goes_over_what_the_session_says() {
    let ran: Arc<Ran> = Arc::default();
    let tools = tools![wipe, told; state = Arc::clone(&ran)];
    let guest = Context::new()
        .with_state(State::new().with("role", "guest").with("team", "crm"))
        .with_agent("a7")
        .with_input("in other words")
        .with(5_u8);
    let both =
        || ModelResponse::calls(["wipe", "told"].map(|name| ToolCall::new(name, name, "{}")));
    let executor = || Executor::serial(&tools);
    assert_eq!(executor().tools(&guest).iter().len(), 1);

    let script = ScriptedModel::new([Ok(both()), Ok(both()), Ok(ModelResponse::text("Done."))]);
    let agent = Agent::with_executor(script.clone(), executor()).name("desk");
    let known = State::new().with("role", "admin").with("n", 1);
    let mut session = Session::ask("Go!").with_state(known);
    let _ = agent.run(&mut session, &guest).await.unwrap();
    assert!(
        script
            .requests()
            .iter()
            .all(|request| request.tools == ["told"])
    );
    assert_eq!(
        ran.all(),
        [
            r#"[String("guest"), String("crm"), Number(1)] Some("a7") Some("in other words") Some(5)"#,
            r#"[String("guest"), String("crm"), Number(2)] Some("a7") Some("in other words") Some(5)"#,
        ]
    );
    // The session has what tools let it know, and not what the call said alone.
    let learned = State::new().with("role", "boss").with("n", 2);
    assert_eq!(session.state(), &learned);

    // The model alone, a step, and a node of its own.
    let script = ScriptedModel::new([Ok(both())]);
    let agent = Agent::with_executor(script.clone(), executor());
    let mut thread = Thread::from([ThreadMessage::user("Go!")]);
    agent.chat(&mut thread, &guest).await.unwrap();
    assert_eq!(script.requests()[0].tools, ["told"]);
    let before = ran.all().len();
    let script = ScriptedModel::new([Ok(both())]);
    let agent = Agent::with_executor(script.clone(), executor());
    let mut thread = Thread::from([ThreadMessage::user("Go!")]);
    let step = agent.step(&mut thread, &guest).await.unwrap();
    assert_eq!(script.requests()[0].tools, ["told"]);
    assert_eq!(step.state.get("n"), Some(&json!(2)));
    let mut thread = Thread::from([
        ThreadMessage::user("Go!"),
        ThreadMessage::calls(both().calls),
    ]);
    ToolNode::new(executor())
        .process(&mut thread, &guest)
        .await
        .unwrap();
    let ran = ran.all();
    assert_eq!(ran.len(), before + 2);
    assert!(!ran.contains(&"wiped".to_owned()), "{ran:?}");
}

#[tokio::test]
async fn what_the_context_of_a_run_says_holds_for_agents_that_it_calls() {
    let ran: Arc<Ran> = Arc::default();
    let tools = tools![wipe, told, pay; state = Arc::clone(&ran)];
    let guest = Context::new()
        .with_state(State::new().with("role", "guest"))
        .with_input("of the outer one");
    let names = ["wipe", "told", "pay"];
    let turn = ModelResponse::calls(names.map(|name| ToolCall::new(name, name, "{}")));
    let again = ModelResponse::calls([ToolCall::new("d", "told", "{}")]);
    let inner = ScriptedModel::new([Ok(turn), Ok(again), Ok(ModelResponse::text("Done."))]);
    let executor = Executor::serial(tools).layer(Approval::at_least(Risk::High));
    let inner = Agent::with_executor(inner.clone(), executor).name("helper");
    let helper = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
    let ask = ToolCall::new("c1", "helper", r#"{"input": "Go!"}"#);
    let outer = ScriptedModel::new([
        Ok(ModelResponse::calls([ask])),
        Ok(ModelResponse::text("Done.")),
    ]);
    let agent = Agent::new(outer, Toolset::new([helper]).unwrap());
    // What the session knew when the call began is known inside; the guest comes later.
    let mut session = Session::ask("Go!").with_state(State::new().with("team", "crm"));
    let _ = agent.run(&mut session, &guest).await.unwrap();
    let approve = |sub: &mut Session| sub.decide(CallRef::from("pay"), Decision::Approve);
    session.in_sub_session("c1", approve).unwrap();
    let _ = agent.run(&mut stored(&session), &guest).await.unwrap();
    // What a tool inside learned is known inside, but for what the host says of the call.
    let first = r#"[String("guest"), String("crm"), Null] Some("helper") Some("Go!") None"#;
    let then = r#"[String("guest"), String("crm"), Number(2)] Some("helper") Some("Go!") None"#;
    assert_eq!(ran.all(), [first, "pay", then]);
}
