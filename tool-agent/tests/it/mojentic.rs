//! What Mojentic's chats do around a tool, in an agent's loop.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use toolwright::agent::{Agent, AgentTool, Node, RunEvent, Session};
use toolwright::executor::PendingReason;
use toolwright::{
    Context, Executor, Outcome, ToolError, Toolset,
    call::ErrorKind,
    executor::{Event, TraceEvent, TraceStore, Traced},
    tool, tools,
};

use crate::scripts::{Notes, answers, bare, call, calls, script, text};

const TICK: Duration = Duration::from_millis(40);

/// Takes a while.
#[tool]
async fn wait(city: &str, #[arg(secret)] key: Option<&str>) -> Result<String, String> {
    sleep(TICK).await;
    match (city, key) {
        ("Oslo", _) => Ok("sun".into()),
        _ => Err(format!("no such city: {city}")),
    }
}

fn wait_call(id: &str, city: &str) -> toolwright::ToolCall {
    call(id, "wait", &json!({"city": city, "key": "hunter2"}))
}

/// Id, tool, value, error and duration of an outcome.
type Outcomes = Vec<(String, String, Option<Value>, Vec<String>, Duration)>;

#[tokio::test(start_paused = true)]
async fn an_outcome_has_id_name_value_or_error_and_how_long_it_took() {
    let turn = || {
        calls([
            wait_call("c1", "Oslo"),
            wait_call("c2", "Rome"),
            bare("nope"),
        ])
    };
    for executor in [
        Executor::serial(tools![wait]),
        Executor::parallel(tools![wait], 3),
    ] {
        let outcomes: Arc<Mutex<Outcomes>> = Arc::default();
        let listens = Arc::clone(&outcomes);
        let agent = Agent::with_executor(script([turn(), text("Done.")]), executor);
        let agent = agent.on_event(move |event| {
            if let RunEvent::Call {
                event: Event::Finished { result, .. },
                ..
            } = event
            {
                let errors = result.errors().map(Into::into).collect();
                let (id, name) = (result.id.to_string(), result.name.to_string());
                listens
                    .lock()
                    .unwrap()
                    .push((id, name, result.value(), errors, result.duration));
            }
        });
        let mut session = Session::ask("Go!");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let mut found = outcomes.lock().unwrap().clone();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let row = |id: &str, name: &str, value: Option<&str>, error: &[&str], took| {
            let errors = error.iter().map(|&line| line.to_owned()).collect();
            (
                id.to_owned(),
                name.to_owned(),
                value.map(Value::from),
                errors,
                took,
            )
        };
        // The clock stands still but for what tools wait; a call waits for its turn at nobody's cost.
        assert_eq!(
            found,
            [
                row("c1", "wait", Some("sun"), &[], TICK),
                row("c2", "wait", None, &["no such city: Rome"], TICK),
                row(
                    "nope",
                    "nope",
                    None,
                    &["unknown tool `nope`"],
                    Duration::ZERO
                ),
            ]
        );
    }
}

/// Notes when it begins and ends.
#[tool]
async fn step(id: u8, #[state] notes: &Notes) -> u8 {
    notes.write(format!("{id} begins"));
    tokio::task::yield_now().await;
    notes.write(format!("{id} ends"));
    id
}

#[tokio::test]
async fn calls_run_one_after_the_other_unless_the_host_says_at_once_or_by_hand() {
    let turn = || calls([1, 2].map(|id| call(&format!("c{id}"), "step", &json!({"id": id}))));
    let notes = Notes::default();
    let tools: Toolset = tools![step; state = notes.clone()];
    let in_turn = ["1 begins", "1 ends", "2 begins", "2 ends"];
    let at_once = ["1 begins", "2 begins"];
    let model = || script([turn(), text("Done.")]);
    for (agent, expected) in [
        // Without a word, in turn.
        (Agent::new(model(), &tools), &in_turn[..]),
        (
            Agent::with_executor(model(), Executor::serial(&tools)),
            &in_turn,
        ),
        (
            Agent::with_executor(model(), Executor::parallel(&tools, 2)),
            &at_once,
        ),
        (
            Agent::with_executor(model(), Executor::parallel(&tools, 1)),
            &in_turn,
        ),
    ] {
        let mut session = Session::ask("Go!");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let heard = notes.take();
        assert_eq!(heard.len(), 4);
        assert_eq!(heard[..expected.len()], *expected);
        assert_eq!(answers(session.thread()), ["1", "2"]);
    }
    let by_hand = Executor::parallel(&tools, 2).manual(|_| true);
    let agent = Agent::with_executor(script([turn()]), by_hand);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    assert_eq!(notes.take(), [""; 0]);
    let reasons = session.pending().into_iter().map(|call| call.reason);
    assert_eq!(
        reasons.collect::<Vec<_>>(),
        vec![PendingReason::ManualMode; 2]
    );
}

fn of_agent(events: &[Arc<TraceEvent>], agent: &str) -> Vec<Arc<TraceEvent>> {
    let of = events
        .iter()
        .filter(|event| event.agent.as_deref() == Some(agent));
    of.cloned().collect()
}

/// What a trace says of a call or a batch that has ended.
fn ended(event: &TraceEvent) -> Option<String> {
    Some(match &event.what {
        Traced::Finished {
            call,
            outcome,
            duration,
            ..
        } => {
            let words = match outcome {
                Ok(Outcome::Value(value)) => value.to_plain().into_owned(),
                Ok(other) => format!("{other:?}"),
                Err(error) => format!("{}: {error}", ToolError::kind(error).as_str()),
            };
            format!(
                "{}({}) -> {words} in {duration:?}",
                call.name, call.arguments
            )
        }
        Traced::BatchFinished {
            names,
            successes,
            failures,
            duration,
            ..
        } => {
            format!(
                "{} calls: {successes} good, {failures} bad in {duration:?}",
                names.len()
            )
        }
        _ => return None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_trace_has_each_request_call_and_batch_of_whoever_made_it_under_one_id() {
    let trace = TraceStore::new(100);
    let inner = script([calls([wait_call("x", "Rome")]), text("No such city.")]);
    let inner_executor = Executor::serial(tools![wait]).on_event(trace.observer());
    let helper = Agent::with_executor(inner, inner_executor).name("helper");
    let helper = AgentTool::new(helper, "ask_helper", "Helps.")
        .build()
        .unwrap();
    let tools = Toolset::new([helper])
        .unwrap()
        .merge(&tools![wait])
        .unwrap();

    let requests = Notes::default();
    let listens = requests.clone();
    let ask = call("c2", "ask_helper", &json!({"input": "Is it warm in Rome?"}));
    let turn = [wait_call("c1", "Oslo"), ask, bare("nope")];
    let executor = Executor::serial(tools).on_event(trace.observer());
    let agent = Agent::with_executor(script([calls(turn), text("Done.")]), executor)
        .name("desk")
        .on_event(move |event| match event {
            RunEvent::NodeStarted {
                run_id,
                node: Node::Model,
                ..
            } => {
                listens.write(format!("{run_id} asks"));
            }
            RunEvent::ModelFinished {
                run_id, response, ..
            } => {
                let (words, calls) = (&response.text, response.calls.len());
                listens.write(format!("{run_id} is answered: {words} {calls} calls"));
            }
            _ => {}
        });
    let mut session = Session::with_id("s");
    session.say("Go!").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();

    let requests = requests.take();
    assert_eq!(
        requests,
        [
            "s/1 asks",
            "s/1 is answered:  3 calls",
            "s/1 asks",
            "s/1 is answered: Done. 0 calls"
        ]
    );
    // Who called is on each event, and so are the run and the batch, which are never missing.
    let events = trace.events();
    let (outer, inner) = (of_agent(&events, "desk"), of_agent(&events, "helper"));
    assert_eq!(outer.len() + inner.len(), events.len());
    for (events, run) in [(&outer, "s/1"), (&inner, "s/1/")] {
        let first = &events[0];
        assert!(first.run.as_deref().unwrap().starts_with(run), "{first:?}");
        assert!(
            events
                .iter()
                .all(|event| (&event.run, event.batch) == (&first.run, first.batch))
        );
    }
    assert_ne!(outer[0].batch, inner[0].batch);
    let lines = |events: &[Arc<TraceEvent>]| -> Vec<_> {
        events.iter().filter_map(|event| ended(event)).collect()
    };
    // A failed call has its error; secrets are in none.
    assert_eq!(
        lines(&inner),
        [
            r#"wait({"city":"Rome","key":"[secret]"}) -> failed: no such city: Rome in 40ms"#,
            "1 calls: 0 good, 1 bad in 40ms",
        ]
    );
    assert_eq!(
        lines(&outer),
        [
            r#"nope("[2 bytes]") -> unknown_tool: unknown tool `nope` in 0ns"#,
            r#"wait({"city":"Oslo","key":"[secret]"}) -> sun in 40ms"#,
            r#"ask_helper({"input":"Is it warm in Rome?"}) -> No such city. in 40ms"#,
            "3 calls: 2 good, 1 bad in 80ms",
        ]
    );
    let unknown = |event: &TraceEvent| matches!(&event.what, Traced::Finished { outcome: Err(error), .. } if error.kind() == ErrorKind::Unknown);
    assert_eq!(trace.matching(unknown).len(), 1);
}
