//! What ALLM's chats and sessions do around a tool, in an agent's loop.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolwright::agent::{
    Agent, AgentError, Node, RunEnd, RunEvent, Session, Status, Thread, ThreadMessage,
};
use toolwright::executor::PendingReason;
use toolwright::layers::{Approval, Risk};
use toolwright::{
    Context, DynTool, Executor, Outcome, ToolCall, ToolDef, ToolError, Toolset,
    call::{Decision, ErrorKind, HaltReason, State},
    executor::{ErrorPolicy, Event, OnFailure},
    tool, tools,
};

use crate::scripts::{
    Notes, Step, answered, answers, bare, call, calls, roles, script, stored, text,
};

/// Looks about.
#[tool]
fn look(#[state] ran: &Notes) -> &'static str {
    ran.write("look");
    "seen"
}

/// Fails.
#[tool]
fn fail() -> Result<u8, &'static str> {
    Err("no")
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("boom")
}

/// Asks for a city.
#[tool]
fn pick() -> Outcome {
    Outcome::ask("Which city?").option("choices", json!(["Oslo", "Rome"]))
}

/// Hands in a plan, after a while.
#[tool]
async fn submit(plan: u8, after: u8) -> Outcome {
    for _ in 0..after {
        tokio::task::yield_now().await;
    }
    Outcome::halt(HaltReason::new("plan_submitted"), json!({"plan": plan}))
}

/// Charges a card.
#[tool(manual)]
fn charge(#[state] ran: &Notes) -> &'static str {
    ran.write("charge");
    "charged"
}

/// Pays.
#[tool(meta(risk = "high"))]
fn pay(#[state] ran: &Notes) -> &'static str {
    ran.write("pay");
    "paid"
}

fn all(ran: &Notes) -> Toolset {
    tools![look, fail, boom, pick, submit, charge, pay; state = ran.clone()]
}

/// Both ways to run calls.
fn executors(ran: &Notes) -> [Executor; 2] {
    [Executor::serial(all(ran)), Executor::parallel(all(ran), 4)]
}

fn turn(names: &[&str]) -> Step {
    let calls = names.iter().enumerate();
    let calls = calls.map(|(at, name)| ToolCall::new(format!("c{at}"), *name, "{}"));
    crate::scripts::calls(calls)
}

fn submit_call(id: &str, plan: u8, after: u8) -> ToolCall {
    call(id, "submit", &json!({"plan": plan, "after": after}))
}

/// The tools of the pending calls, and why each waits.
fn pending(session: &Session) -> Vec<(String, PendingReason)> {
    let pending = session.pending().into_iter();
    pending
        .map(|one| (one.call.name.to_string(), one.reason))
        .collect()
}

fn waits(names: &[&str], reason: &PendingReason) -> Vec<(String, PendingReason)> {
    names
        .iter()
        .map(|name| ((*name).to_owned(), reason.clone()))
        .collect()
}

struct Tenant(&'static str);

/// Says what it knows of its call.
#[tool]
fn knows(#[context] cx: &Context) -> Value {
    json!({
        "tenant": cx.get::<Tenant>().map(|tenant| tenant.0), "engine": cx.get::<Agent>().is_some(),
        "session": cx.session_id(), "run": cx.run_id(), "agent": cx.agent_id(),
        "call": cx.call_id(), "tool": cx.tool(), "place": cx.call_index(), "turn": cx.turn(),
        "user": cx.session_state().get("user"),
    })
}

/// Doubles a number.
#[tool]
fn double(n: u32) -> u32 {
    2 * n
}

#[tokio::test]
async fn a_tool_takes_its_arguments_alone_or_what_is_known_of_its_call_too() {
    let both = || {
        calls([
            call("c1", "double", &json!({"n": 4})),
            call("c2", "knows", &json!({})),
        ])
    };
    let agent = Agent::new(
        script([both(), both(), text("Done.")]),
        tools![double, knows],
    )
    .name("desk");
    let mut session = Session::with_id("s").with_state(State::new().with("user", "ada"));
    session.say("Go!").unwrap();
    let cx = Context::new().with(Tenant("acme")).with(agent.clone());
    let _ = agent.run(&mut session, &cx).await.unwrap();
    let read = answers(session.thread());
    assert_eq!((read[0], read[2]), ("8", "8"));
    let known = |at: usize| serde_json::from_str::<Value>(read[at]).unwrap();
    let expected = |turn: u32| {
        json!({
            "tenant": "acme", "engine": true, "session": "s", "run": "s/1", "agent": "desk",
            "call": "c2", "tool": "knows", "place": 1, "turn": turn, "user": "ada",
        })
    };
    assert_eq!([known(1), known(3)], [expected(0), expected(1)]);

    // Where the host says nothing there is nothing of its own.
    let agent = Agent::new(
        script([calls([bare("knows")]), text("Done.")]),
        tools![knows],
    );
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let known: Value = serde_json::from_str(answers(session.thread())[0]).unwrap();
    for key in ["tenant", "agent", "user"] {
        assert_eq!(known[key], Value::Null);
    }
    assert_eq!(
        (&known["engine"], &known["session"]),
        (&json!(false), &json!(session.id()))
    );
}

#[tokio::test]
async fn a_declared_tool_without_code_is_an_error_that_the_policy_sees() {
    let tools = || {
        let declared = DynTool::declare(ToolDef::new("refund", "Refunds."));
        Toolset::new([declared])
            .unwrap()
            .merge(&tools![double])
            .unwrap()
    };
    let both = || calls([bare("refund"), call("c2", "double", &json!({"n": 1}))]);
    let mut session = Session::ask("Go!");
    let agent = Agent::new(script([both(), text("Done.")]), tools());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(
        answered(session.thread()),
        [("refund", "refund", true), ("c2", "double", false)]
    );

    let seen = Notes::default();
    let listens = seen.clone();
    let policy = ErrorPolicy::with(move |call, error| {
        listens.write(format!("{} {}", call.name, error.kind().as_str()));
        OnFailure::Halt
    });
    let executor = Executor::serial(tools()).on_error(policy);
    let agent = Agent::with_executor(script([both()]), executor);
    let run = agent
        .run(&mut Session::ask("Go!"), &Context::new())
        .await
        .unwrap();
    let RunEnd::ToolError(error) = run.end else {
        panic!("{:?}", run.end);
    };
    assert_eq!(error.kind(), ErrorKind::NoHandler);
    assert_eq!(
        seen.take(),
        [format!("refund {}", ErrorKind::NoHandler.as_str())]
    );
}

#[tokio::test]
async fn a_turn_without_calls_runs_nothing_and_ends() {
    for executor in executors(&Notes::default()) {
        let heard = Notes::default();
        let listens = heard.clone();
        let agent = Agent::with_executor(script([text("Hello.")]), executor.clone());
        let agent = agent.on_event(move |event| match event {
            RunEvent::NodeStarted { node, .. } => listens.write(node.as_str()),
            RunEvent::Call { event, .. } => listens.write(format!("{event:?}")),
            _ => {}
        });
        let run = agent
            .run(&mut Session::ask("Hi!"), &Context::new())
            .await
            .unwrap();
        assert_eq!((run.end.as_str(), run.rounds), ("completed", 0));
        assert_eq!(heard.take(), ["model"]);
        // So does a batch of none.
        let batch = executor.run(&[] as &[ToolCall], &Context::new()).await;
        assert!(batch.calls().is_empty() && batch.halted().is_none());
    }
}

/// What no encoder can write.
struct Unwritable;

impl serde::Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("never"))
    }
}

/// A policy, what the answers of `fail` and `look` are, and how the run ends.
type Failing = (
    &'static str,
    fn() -> OnFailure,
    [&'static str; 2],
    &'static str,
);

#[tokio::test]
async fn after_a_failure_a_run_goes_on_halts_or_does_what_the_host_says_once() {
    let rows: [Failing; 5] = [
        (
            "continues",
            || OnFailure::Continue,
            ["no", "seen"],
            "completed",
        ),
        ("halts", || OnFailure::Halt, ["no", "seen"], "tool_error"),
        (
            "replaces",
            || OnFailure::Replace(Outcome::value("instead")),
            ["instead", "seen"],
            "completed",
        ),
        (
            "panics",
            || panic!("the policy"),
            ["no", "seen"],
            "tool_error",
        ),
        (
            "replaces by what cannot be written",
            || OnFailure::Replace(Outcome::value(Unwritable)),
            ["no", "seen"],
            "tool_error",
        ),
    ];
    let ran = Notes::default();
    for (what, decide, expected, end) in rows {
        for executor in executors(&ran) {
            let asked = Arc::new(AtomicUsize::new(0));
            let counts = Arc::clone(&asked);
            let policy = ErrorPolicy::with(move |_, _| {
                counts.fetch_add(1, Ordering::SeqCst);
                decide()
            });
            let steps = [turn(&["fail", "look"]), text("Done.")];
            let model = script(
                steps
                    .into_iter()
                    .take(if end == "completed" { 2 } else { 1 }),
            );
            let agent = Agent::with_executor(model, executor.on_error(policy));
            let mut session = Session::ask("Go!");
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.end.as_str(), end, "{what}");
            assert_eq!(asked.load(Ordering::SeqCst), 1, "{what}");
            assert_eq!(answers(session.thread()), expected, "{what}");
            assert_eq!(ran.take(), ["look"]);
            // The run's error is the tool's own.
            if let Err(error) = run.completed() {
                assert!(
                    matches!(&error, AgentError::Tool(error) if error.kind() == ErrorKind::Failed)
                );
                assert_eq!(error.to_string(), "no");
            }
        }
    }
    // Without a policy it goes on; each failure is asked about, whatever it is.
    let agent = Agent::new(script([turn(&["fail", "boom"]), text("Done.")]), all(&ran));
    let run = agent
        .run(&mut Session::ask("Go!"), &Context::new())
        .await
        .unwrap();
    assert_eq!(run.end.as_str(), "completed");
    let kinds = Notes::default();
    let listens = kinds.clone();
    let policy = ErrorPolicy::with(move |call, error| {
        listens.write(format!("{} {}", call.name, ToolError::kind(error).as_str()));
        OnFailure::Continue
    });
    let executor = Executor::serial(all(&ran)).on_error(policy);
    let agent = Agent::with_executor(
        script([turn(&["fail", "boom", "nope"]), text("Done.")]),
        executor,
    );
    let _ = agent
        .run(&mut Session::ask("Go!"), &Context::new())
        .await
        .unwrap();
    let mut kinds = kinds.take();
    kinds.sort();
    assert_eq!(kinds, ["boom panicked", "fail failed", "nope unknown_tool"]);
}

#[tokio::test]
async fn a_halt_lets_the_rest_of_its_turn_end_and_the_first_calls_halt_counts_streamed_or_not() {
    let ran = Notes::default();
    let mut threads = Vec::new();
    for executor in executors(&ran) {
        for streams in [false, true] {
            // The second to halt in the turn is the first to come to its end.
            let turn = [
                bare("look"),
                submit_call("first", 1, 9),
                submit_call("second", 2, 0),
                bare("fail"),
            ];
            let mut agent = Agent::with_executor(script([calls(turn)]), executor.clone());
            let heard = Notes::default();
            let listens = heard.clone();
            if streams {
                agent = agent.on_event(move |event| {
                    event
                        .end()
                        .into_iter()
                        .for_each(|end| listens.write(end.as_str()));
                });
            }
            let mut session = Session::ask("Plan!");
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            let RunEnd::Halt {
                index,
                id,
                reason,
                value,
            } = &run.end
            else {
                panic!("{:?}", run.end);
            };
            assert_eq!(
                (*index, &**id, reason.as_str()),
                (1, "first", "plan_submitted")
            );
            assert_eq!(value.to_json(), r#"{"plan":1}"#);
            // Each answer is there, in call order; that of a halt is its value, encoded.
            assert_eq!(
                answers(session.thread()),
                ["seen", r#"{"plan":1}"#, r#"{"plan":2}"#, "no"]
            );
            assert_eq!(session.result(), Some(r#"{"plan":1}"#));
            assert_eq!((session.status(), run.turns), (Status::Completed, 1));
            let ends = if streams {
                vec!["plan_submitted"]
            } else {
                vec![]
            };
            assert_eq!(heard.take(), ends);
            threads.push(session.thread().clone());
        }
    }
    assert!(threads.iter().all(|thread| *thread == threads[0]));
}

/// Ends the run for a reason that the model gives.
#[tool]
fn finish(reason: &str) -> Result<Outcome, ToolError> {
    let reason =
        HaltReason::try_new(reason).ok_or_else(|| ToolError::failed("a reserved reason"))?;
    Ok(Outcome::halt(reason, 7))
}

/// Ends the run as if the model had.
#[tool]
fn pretend() -> Outcome {
    Outcome::halt(HaltReason::new("completed"), 7)
}

#[tokio::test]
async fn no_tool_ends_a_run_for_a_reason_that_is_the_runtimes() {
    let finish_call = |reason: &str| call(reason, "finish", &json!({"reason": reason}));
    let reserved = [
        "ask_user",
        "max_turns",
        "halt_when",
        "tool_error",
        "cancelled",
        "completed",
        "error",
        "pending",
    ];
    let tries = reserved
        .map(finish_call)
        .into_iter()
        .chain([bare("pretend")]);
    let model = script([calls(tries), calls([finish_call("done")])]);
    let agent = Agent::new(model, tools![finish, pretend]);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    // Each such return is an error of its call, which the model reads, and the run goes on.
    assert_eq!(run.turns, 2);
    let failed: Vec<_> = answered(session.thread())
        .into_iter()
        .map(|one| one.2)
        .collect();
    assert_eq!(
        failed,
        [vec![true; reserved.len() + 1], vec![false]].concat()
    );
    assert!(matches!(&run.end, RunEnd::Halt { reason, .. } if reason.as_str() == "done"));
}

#[tokio::test]
async fn a_question_is_in_the_thread_with_its_mark_and_the_run_waits() {
    let both = || turn(&["look", "pick"]);
    let ran = Notes::default();
    let model = script([both()]);
    let agent = Agent::new(model.clone(), all(&ran));
    let mut session = Session::ask("Weather?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    let RunEnd::AskUser {
        index,
        id,
        question,
        options,
    } = &run.end
    else {
        panic!("{:?}", run.end);
    };
    assert_eq!((*index, &**id, question.as_str()), (1, "c1", "Which city?"));
    assert_eq!(options["choices"], json!(["Oslo", "Rome"]));
    assert_eq!(
        answers(session.thread()),
        ["seen", "<awaiting user response>"]
    );
    assert_eq!(
        roles(session.thread()),
        ["user", "assistant", "tool", "tool", "assistant"]
    );
    let Some(ThreadMessage::Assistant(said)) = session.thread().last() else {
        panic!("{:?}", session.thread());
    };
    assert_eq!((said.text.as_str(), said.asks), ("Which city?", true));
    // Nobody runs on before it is answered.
    agent.run(&mut session, &Context::new()).await.unwrap_err();
    model.finish();

    // So it is after a step, of which the host has the thread alone.
    let agent = Agent::new(script([both()]), all(&ran));
    let mut thread = Thread::from([ThreadMessage::user("Weather?")]);
    let step = agent.step(&mut thread, &Context::new()).await.unwrap();
    assert_eq!(step.end.as_str(), "ask_user");
    assert_eq!(&thread, session.thread());
}

#[tokio::test]
async fn by_hand_the_first_turn_of_tools_brings_all_calls_to_the_host() {
    let ran = Notes::default();
    for executor in executors(&ran) {
        let model = script([turn(&["look", "charge", "look"]), text("Done.")]);
        let agent = Agent::with_executor(model.clone(), executor.manual(|_| true));
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.end.as_str(), "pending");
        // Also those that would run, and one that waits by itself is one of them.
        let left: Vec<_> = pending(&session)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(left, ["look", "charge", "look"]);
        assert_eq!(roles(session.thread()), ["user", "assistant"]);
        for place in 0..3 {
            session.submit(place, format!("by hand {place}")).unwrap();
        }
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        // A turn of words ends as ever.
        assert_eq!((run.end.as_str(), run.text()), ("completed", Some("Done.")));
        assert_eq!(
            answers(session.thread()),
            ["by hand 0", "by hand 1", "by hand 2"]
        );
    }
    assert_eq!(ran.take(), [""; 0]);
}

#[tokio::test]
async fn an_unknown_name_is_told_before_anybody_is_asked_to_answer_by_hand() {
    let ran = Notes::default();
    for (manual, waiting) in [(false, &["charge"][..]), (true, &["charge", "look"])] {
        let [executor, _] = executors(&ran);
        let executor = if manual {
            executor.manual(|_| true)
        } else {
            executor
        };
        let names = ["charge", "nope", "look"];
        let agent = Agent::with_executor(script([turn(&names)]), executor.clone());
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.end.as_str(), "pending");
        assert_eq!(answers(session.thread())[0], "unknown tool `nope`");
        let left: Vec<_> = pending(&session)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(left, waiting);
        ran.take();

        // Where the host wants it so, such a name ends the run: nothing runs, and what waits for the host is not lost.
        let aborts = executor.on_error(ErrorPolicy::Abort);
        let agent = Agent::with_executor(script([turn(&names)]), aborts);
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        let told = |end: &RunEnd| match end {
            RunEnd::ToolError(error) => error.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(told(&run.end), "unknown tool `nope`");
        assert_eq!(ran.take(), [""; 0]);
        let left: Vec<_> = pending(&session)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(left, waiting);
        for call in session.pending() {
            session.submit(call.index, "by hand").unwrap();
        }
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(told(&run.end), "unknown tool `nope`");
        assert!(session.thread().check().is_ok());
    }
}

#[tokio::test]
async fn of_a_mixed_turn_a_question_or_a_halt_counts_and_the_calls_by_hand_are_not_lost() {
    let ran = Notes::default();
    for executor in executors(&ran) {
        let by_hand = |id| call(id, "charge", &json!({}));
        for (other, end) in [
            (bare("look"), "pending"),
            (bare("pick"), "ask_user"),
            (submit_call("submit", 1, 2), "plan_submitted"),
        ] {
            let halts = end == "plan_submitted";
            let steps = [calls([by_hand("a"), other, by_hand("b")]), text("Done.")];
            let model = script(steps.into_iter().take(if halts { 1 } else { 2 }));
            let agent = Agent::with_executor(model, executor.clone());
            let mut session = Session::ask("Go!");
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.end.as_str(), end);
            assert_eq!(
                pending(&session),
                waits(&["charge", "charge"], &PendingReason::ManualTool)
            );
            // They are answered beside it, in whatever order, and the run goes on from there.
            let mut session = stored(&session);
            session.submit("b", "second").unwrap();
            if end == "ask_user" {
                session.answer_call("pick", "Oslo").unwrap();
            }
            session.submit("a", "first").unwrap();
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.end.as_str(), if halts { end } else { "completed" });
            let read = answers(session.thread());
            assert_eq!((read.len(), read[0], read[2]), (3, "first", "second"));
            assert!(session.thread().check().is_ok());
        }
    }
    assert!(ran.take().iter().all(|name| name == "look"));
}

/// What the model does first, what the host says to the pause, and how the first run ends.
type Pause = (&'static [&'static str], fn(&mut Session), &'static str);

#[tokio::test]
async fn a_copy_from_storage_drives_the_same_turns_from_each_pause() {
    let pauses: [Pause; 6] = [
        (
            &["look", "pick"],
            |session| session.say("Oslo").unwrap(),
            "ask_user",
        ),
        (
            &["look", "pick"],
            |session| session.answer("Oslo").unwrap(),
            "ask_user",
        ),
        (
            &["look", "charge"],
            |session| session.submit("c1", "charged").unwrap(),
            "pending",
        ),
        (
            &["look", "pay"],
            |session| session.decide("c1", Decision::Approve).unwrap(),
            "pending",
        ),
        (&["look", "look"], |_| {}, "interrupted"),
        (
            &["look", "fail"],
            |session| session.say("And then?").unwrap(),
            "completed",
        ),
    ];
    for (names, says, end) in pauses {
        let ran = Notes::default();
        let build = |steps: Vec<Step>| {
            let model = script(steps);
            let executor = Executor::serial(all(&ran)).layer(Approval::at_least(Risk::High));
            let mut agent =
                Agent::with_executor(model.clone(), executor).system("You are a clerk.");
            if end == "interrupted" {
                agent = agent.interrupt_after(Node::Tools);
            }
            (model, agent)
        };
        let rest = || {
            let last = if end == "interrupted" {
                vec![]
            } else {
                vec![turn(&["look"])]
            };
            last.into_iter().chain([text("Done.")]).collect::<Vec<_>>()
        };
        let first = if end == "completed" {
            vec![turn(names), text("Done.")]
        } else {
            vec![turn(names)]
        };
        let (cx, asked) = (Context::new(), first.len());
        let (model, agent) = build(first.into_iter().chain(rest()).collect());
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert_eq!(run.end.as_str(), end);
        // The conversation is stored, and nothing of who runs it.
        let kept = serde_json::to_string(&session).unwrap();
        assert!(
            !kept.contains("clerk") && !kept.contains("Looks about"),
            "{kept}"
        );
        let mut copy: Session = serde_json::from_str(&kept).unwrap();
        let before = ran.take().len();

        let mut done = Vec::new();
        let (model_of_copy, agent_of_copy) = build(rest());
        for (session, agent) in [(&mut session, &agent), (&mut copy, &agent_of_copy)] {
            says(session);
            let run = agent.run(session, &cx).await.unwrap();
            assert_eq!((run.end.as_str(), run.text()), ("completed", Some("Done.")));
            done.push(ran.take());
        }
        assert!(before > 0 && done[0] == done[1], "{done:?}");
        assert_eq!(session.thread(), copy.thread());
        assert_eq!(session.state(), copy.state());
        let threads = |requests: Vec<toolwright::agent::testing::Recorded>| -> Vec<_> {
            requests.into_iter().map(|request| request.thread).collect()
        };
        assert_eq!(
            threads(model.requests())[asked..],
            threads(model_of_copy.requests())
        );
    }
}

/// What a stream tells of calls, nodes and the run.
fn told(event: &RunEvent<'_>) -> Option<String> {
    Some(match event {
        RunEvent::Call {
            event: Event::Started { index, .. },
            ..
        } => format!("{index} started"),
        RunEvent::Call {
            event: Event::Finished { index, result, .. },
            ..
        } => match &result.outcome {
            Ok(Outcome::AskUser { question, .. }) => format!("{index} asks {question}"),
            Ok(Outcome::Halt { reason, .. }) => format!("{index} halts: {reason}"),
            _ => format!(
                "{index} finished: {}",
                result.content(toolwright::Encoder::auto())
            ),
        },
        RunEvent::Call {
            event: Event::Pending { pending, .. },
            ..
        } => format!("{} waits", pending.index),
        RunEvent::Call {
            event: Event::BatchFinished { .. },
            ..
        } => "batch done".into(),
        RunEvent::NodeFinished { node, .. } => format!("{node} done"),
        RunEvent::RunFinished { run, .. } => format!("run: {}", run.end.as_str()),
        _ => return None,
    })
}

#[tokio::test]
async fn each_call_is_told_of_from_its_start_to_what_it_came_to_and_each_node_and_run_once() {
    let ran = Notes::default();
    for executor in executors(&ran) {
        let mixed = || {
            let mixed = [
                bare("look"),
                bare("charge"),
                submit_call("s", 1, 0),
                bare("pick"),
                bare("fail"),
            ];
            [turn(&["look"]), calls(mixed)]
        };
        let heard = Notes::default();
        let listens = heard.clone();
        let streams = Agent::with_executor(script(mixed()), executor.clone())
            .on_event(move |event| told(event).into_iter().for_each(|line| listens.write(line)));
        let silent = Agent::with_executor(script(mixed()), executor);
        let (mut streamed, mut whole) = (Session::with_id("s"), Session::with_id("s"));
        for (agent, session) in [(&streams, &mut streamed), (&silent, &mut whole)] {
            session.say("Go!").unwrap();
            let run = agent.run(session, &Context::new()).await.unwrap();
            assert_eq!(
                (run.end.as_str(), run.turns, run.rounds),
                ("ask_user", 2, 2)
            );
        }
        assert_eq!(streamed.thread(), whole.thread());
        assert_eq!(pending(&streamed), pending(&whole));

        let lines = heard.take();
        let first = [
            "model done",
            "0 started",
            "0 finished: seen",
            "batch done",
            "tools done",
            "model done",
        ];
        assert_eq!(lines[..6], first);
        let last = ["batch done", "tools done", "run: ask_user"];
        assert_eq!(lines[lines.len() - 3..], last);
        let between = &lines[6..lines.len() - 3];
        // Of a call by hand, only that it waits.
        for (index, end) in [
            (0, Some("0 finished: seen")),
            (1, None),
            (2, Some("2 halts: plan_submitted")),
            (3, Some("3 asks Which city?")),
            (4, Some("4 finished: no")),
        ] {
            let of = between
                .iter()
                .filter(|line| line.starts_with(&index.to_string()));
            let of: Vec<_> = of.map(String::as_str).collect();
            let started = format!("{index} started");
            match end {
                Some(end) => assert_eq!(of, [started.as_str(), end]),
                None => assert_eq!(of, ["1 waits"]),
            }
        }
        assert_eq!(between.len(), 9);
    }
}

/// Weather forecast of a city.
///
/// It is for the days to come, and knows no storms.
#[tool]
fn forecast(
    /// Name of the city
    city: &str,
    days: Option<u8>,
) -> String {
    format!("sun in {city} for {}", days.unwrap_or(1))
}

#[tokio::test]
async fn a_model_that_is_told_tools_in_a_line_asks_for_the_rest_and_is_told_the_usage() {
    let compact = tools![forecast, double].compact().unwrap();
    let stubs: Vec<_> = compact
        .definitions()
        .map(|def| def.description.to_string())
        .collect();
    assert_eq!(
        stubs[0],
        "Weather forecast of a city. forecast(city: string, days?: integer)"
    );
    let model = script([
        calls([call("c1", "forecast", &json!({"days": 3}))]),
        calls([call("c2", "search_tools", &json!({"query": "forecast"}))]),
        calls([call("c3", "forecast", &json!({"city": "Oslo", "days": 3}))]),
        text("Sun."),
    ]);
    let agent = Agent::new(model.clone(), compact);
    let mut session = Session::ask("Weather?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Sun."));
    let read = answers(session.thread());
    assert!(
        read[0].contains("city")
            && read[0].contains("usage: forecast(city: string, days?: integer)"),
        "{}",
        read[0]
    );
    assert!(
        read[1].contains("knows no storms") && read[1].contains("Name of the city"),
        "{}",
        read[1]
    );
    assert_eq!(read[2], "sun in Oslo for 3");
    // The list stays as it is, for the provider's cache.
    let offered: Vec<_> = model.requests().into_iter().map(|one| one.tools).collect();
    assert_eq!(offered, vec![["forecast", "double", "search_tools"]; 4]);
}
