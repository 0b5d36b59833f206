//! What becomes of calls and runs when machines die.

use std::future::pending;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tokio::sync::Notify;
use toolwright::agent::store::{Checkpointer as _, Keep};
use toolwright::agent::{Agent, Session, SqliteCheckpointer};
use toolwright::call::Decision;
use toolwright::executor::{PendingReason, UnknownOutcome};
use toolwright::{Context, DynTool, Executor, ToolCall, ToolError, Toolset, tools};

use crate::child::{Machine, agent, charge, look_up};
use crate::support::{
    HEARTBEAT, Obedient, call, end_of, file, fleet, noted, notes, run, running, said, start, unique,
};

fn arguments(notes: &std::path::Path, ms: u64) -> String {
    json!({"notes": notes, "ms": ms}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_worker_dies_is_unknown_and_was_begun_once() {
    let (fleet, queue, notes_file) = (fleet().await, unique("dies"), file("notes"));
    let far = fleet.toolset(&queue, &tools![charge, look_up]).unwrap();
    let executor = Executor::serial(&far).on_unknown_outcome(UnknownOutcome::Ask);
    let machine = Machine::tools(&queue);
    let (cx, asked) = (
        run("dies"),
        ToolCall::new("c1", "charge", arguments(&notes_file, 20_000)),
    );
    let batch = tokio::spawn({
        let (executor, cx, asked) = (executor.clone(), cx.clone(), asked.clone());
        async move { executor.run(&[asked], &cx).await }
    });
    noted(&notes_file, "begin", 1).await;
    let began = Instant::now();
    machine.kill().await;
    let batch = batch.await.unwrap();
    println!("the death of a worker was seen after {:?}", began.elapsed());
    let pending = batch.pending().next().unwrap();
    let PendingReason::OutcomeUnknown(why) = &pending.reason else {
        panic!("{pending:?}");
    };
    assert_eq!(
        why,
        "the worker that ran the call is gone; it is not known whether the call took effect"
    );
    // Another worker is there, and nobody repeats it.
    let worker = start(fleet.worker().tools(&queue, tools![charge, look_up]));
    let again = call(&far, &asked, &cx).await.outcome.unwrap_err();
    assert!(again.is_outcome_unknown());
    assert_eq!(notes(&notes_file, "begin"), 1);
    // A person lets it run again: another call, with another key.
    let asked = ToolCall::new("c1", "charge", arguments(&notes_file, 0));
    let mut decided = pending.with_decision(Decision::Approve);
    decided.call = asked;
    let batch = executor.run(&[decided], &cx).await;
    assert!(batch.results().next().unwrap().is_success());
    assert_eq!(notes(&notes_file, "begin"), 2);
    let text = std::fs::read_to_string(&notes_file).unwrap();
    let keys: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("begin"))
        .collect();
    assert_eq!(keys[1], format!("{}#1", keys[0]));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_may_be_repeated_runs_again_elsewhere() {
    let (fleet, queue, notes_file) = (fleet().await, unique("repeats"), file("notes"));
    let far = fleet.toolset(&queue, &tools![charge, look_up]).unwrap();
    let machine = Machine::tools(&queue);
    let asked = ToolCall::new("c1", "look_up", arguments(&notes_file, 3000));
    let result = tokio::spawn(async move { call(&far, &asked, &run("repeats")).await });
    noted(&notes_file, "begin", 1).await;
    machine.kill().await;
    let worker = start(fleet.worker().tools(&queue, tools![charge, look_up]));
    let result = result.await.unwrap();
    assert_eq!(
        result.value(),
        Some(format!("done by {}", std::process::id()).into())
    );
    assert_eq!(
        (notes(&notes_file, "begin"), notes(&notes_file, "end")),
        (2, 1)
    );
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_caller_dies_is_found_again() {
    let (fleet, queue, notes_file) = (fleet().await, unique("caller"), file("notes"));
    let worker = start(fleet.worker().tools(&queue, tools![charge, look_up]));
    let far = fleet.toolset(&queue, &tools![charge, look_up]).unwrap();
    let (id, text) = (unique("caller"), arguments(&notes_file, 6000));
    let machine = Machine::caller(&queue, &id, &text);
    noted(&notes_file, "begin", 1).await;
    machine.kill().await;
    let (cx, asked) = (
        Context::new().with_run(&*id),
        ToolCall::new("c1", "charge", text),
    );
    // While it runs, and after it has ended.
    for _ in 0..2 {
        let result = call(&far, &asked, &cx).await;
        assert!(result.is_success(), "{result:?}");
        assert_eq!(
            (notes(&notes_file, "begin"), notes(&notes_file, "end")),
            (1, 1)
        );
    }
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_machine_dies_goes_on_elsewhere_and_finds_its_calls() {
    let (fleet, queue, notes_file, store) = (
        fleet().await,
        unique("tools"),
        file("notes"),
        file("store.db"),
    );
    drop(SqliteCheckpointer::open(&store).unwrap());
    let name = unique("agent");
    let tools = start(fleet.worker().tools(&queue, tools![charge, look_up]));
    let machine = Machine::agent(&name, &store, &queue);
    let talk = fleet.conversation(&name, "t1");
    let text = arguments(&notes_file, 5000);
    talk.say(format!("call charge {text}\ncall charge {text}"))
        .await
        .unwrap();
    noted(&notes_file, "begin", 1).await;
    machine.kill().await;
    let agent = agent(&store, &queue).await;
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    let began = Instant::now();
    let run = running(&talk, |run| run.attempt == 2 && run.worker.is_some()).await;
    assert_eq!(run.failure.as_deref(), Some("activity Heartbeat timeout"));
    let state = talk.wait().await.unwrap();
    println!(
        "the run went on elsewhere and ended after {:?}",
        began.elapsed()
    );
    assert_eq!(end_of(&state), Some("completed"), "{state:?}");
    let done = format!("done by {}", std::process::id());
    assert_eq!(state.text, Some(format!("{done} | {done}")));
    assert_eq!(
        (notes(&notes_file, "begin"), notes(&notes_file, "end")),
        (2, 2)
    );
    assert_eq!(said(&agent, &talk).await.len(), 1);
    worker.stop().await;
    tools.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_worker_dies_in_a_conversation_waits_for_a_person() {
    let (fleet, queue, notes_file, store) = (
        fleet().await,
        unique("tools"),
        file("notes"),
        file("store.db"),
    );
    let agent = agent(&store, &queue).await;
    let name = unique("agent");
    let worker = start(fleet.worker().agent(&name, agent));
    let machine = Machine::tools(&queue);
    let talk = fleet.conversation(&name, "t1");
    talk.say(format!("call charge {}", arguments(&notes_file, 20_000)))
        .await
        .unwrap();
    noted(&notes_file, "begin", 1).await;
    machine.kill().await;
    let state = talk.wait().await.unwrap();
    assert_eq!(end_of(&state), Some("pending"), "{state:?}");
    let pending = &state.waiting[0];
    assert!(matches!(pending.reason, PendingReason::OutcomeUnknown(_)));
    talk.decide(pending, Decision::Answer(json!("it was charged")))
        .await
        .unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!(state.text.as_deref(), Some("it was charged"));
    assert_eq!(notes(&notes_file, "begin"), 1);
    worker.stop().await;
}

/// A program that ended in a call of `charge`, of which the server knows nothing.
async fn ended_in_a_call(store: &Arc<SqliteCheckpointer>, id: &str, text: &str) {
    let began = Arc::new(Notify::new());
    let charge = DynTool::builder().name("charge").description("Charges.");
    let charge = charge.handler({
        let began = Arc::clone(&began);
        move |_: serde_json::Value, _| {
            let began = Arc::clone(&began);
            async move {
                began.notify_one();
                pending::<Result<(), ToolError>>().await
            }
        }
    });
    let tools = Toolset::new([charge.build().unwrap()]).unwrap();
    let agent = Agent::new(Obedient, tools).checkpointer(Arc::clone(store));
    let mut session = Session::with_id(id);
    session.say(format!("call charge {text}")).unwrap();
    let cx = Context::new();
    tokio::select! {
        _ = agent.run(&mut session, &cx) => panic!("it came to its end"),
        () = began.notified() => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_the_server_has_forgotten_is_not_begun_again() {
    let (fleet, queue) = (fleet().await, unique("forgotten"));
    let worker = start(fleet.worker().tools(&queue, tools![charge, look_up]));
    let far = fleet.toolset(&queue, &tools![charge, look_up]).unwrap();
    // The session's id is part of the calls' keys.
    for (is_old, is_known, begins) in [(false, false, 1), (true, false, 0), (true, true, 1)] {
        let (id, notes_file) = (unique("s"), file("notes"));
        let store = Arc::new(SqliteCheckpointer::open(file("store.db")).unwrap());
        let text = arguments(&notes_file, 0);
        ended_in_a_call(&store, &id, &text).await;
        assert_eq!(
            store.calls(&id).await.unwrap()[0].key,
            format!("{id}/1/0/0/c1")
        );
        if is_known {
            let asked = ToolCall::new("c1", "charge", &*text);
            let cx = Context::new().with_run(format!("{id}/1"));
            assert!(call(&far, &asked, &cx).await.is_success());
        }
        let agent = Agent::new(Obedient, far.clone()).checkpointer(Arc::clone(&store));
        if is_old {
            // The checkpoint from which its age is known is gone.
            agent.update_state(&id, |_| Ok(())).await.unwrap();
            let keep = Keep {
                newest: 1,
                since_ms: u64::MAX,
            };
            assert!(store.prune(&id, keep).await.unwrap() > 0);
        }
        let (session, run) = agent.resume(&id, &Context::new()).await.unwrap();
        assert_eq!(notes(&notes_file, "begin"), begins);
        if begins == 1 {
            let done = format!("done by {}", std::process::id());
            assert_eq!(run.text(), Some(&*done));
            continue;
        }
        let pending = session.pending();
        let PendingReason::OutcomeUnknown(error) = &pending[0].reason else {
            panic!("{pending:?}");
        };
        assert_eq!(
            error,
            "an earlier run made the call, and the server no longer knows of it; it is not known whether the call took effect"
        );
        let stored = serde_json::to_value(&session).unwrap();
        assert!(stored["waits"][0]["record"].is_u64());
    }
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn inputs_take_effect_once_whatever_dies() {
    let (fleet, queue, store) = (fleet().await, unique("tools"), file("store.db"));
    let notes_file = file("notes");
    let tools = start(fleet.worker().tools(&queue, tools![charge, look_up]));
    let name = unique("agent");
    let talk = fleet.conversation(&name, "t1");
    let mut expected = Vec::new();
    let text = format!("call look_up {}", arguments(&notes_file, 300));
    for round in 0..3_u64 {
        let machine = Machine::agent(&name, &store, &queue);
        for text in [format!("message {round}"), text.clone()] {
            talk.say(&*text).await.unwrap();
            expected.push(text);
        }
        // Somewhere between the checkpoints.
        noted(&notes_file, "begin", usize::try_from(round).unwrap() + 1).await;
        tokio::time::sleep(std::time::Duration::from_millis(round * 170)).await;
        machine.kill().await;
    }
    let agent = agent(&store, &queue).await;
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    let state = talk.wait().await.unwrap();
    assert_eq!(end_of(&state), Some("completed"), "{state:?}");
    assert!(state.refused.is_empty(), "{state:?}");
    assert_eq!(said(&agent, &talk).await, expected);
    worker.stop().await;
    tools.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_counts_as_dead_and_is_not_disturbs_nobody() {
    let (fleet, queue, notes_file, store) = (
        fleet().await,
        unique("tools"),
        file("notes"),
        file("store.db"),
    );
    let name = unique("agent");
    let tools = start(fleet.worker().tools(&queue, tools![charge, look_up]));
    let machine = Machine::agent(&name, &store, &queue);
    let talk = fleet.conversation(&name, "t1");
    talk.say(format!("call charge {}", arguments(&notes_file, 15_000)))
        .await
        .unwrap();
    noted(&notes_file, "begin", 1).await;
    // It hangs until another machine has its run, and wakes up in the midst of it.
    machine.signal("-STOP");
    let agent = agent(&store, &queue).await;
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    tokio::time::sleep(HEARTBEAT * 2).await;
    machine.signal("-CONT");
    let state = talk.wait().await.unwrap();
    assert_eq!(end_of(&state), Some("completed"), "{state:?}");
    let done = format!("done by {}", std::process::id());
    assert_eq!(state.text, Some(done), "{state:?}");
    assert_eq!(
        (notes(&notes_file, "begin"), notes(&notes_file, "end")),
        (1, 1)
    );
    // Both go on with what comes next.
    for round in 0..4 {
        talk.say(format!("message {round}")).await.unwrap();
        let state = talk.wait().await.unwrap();
        assert_eq!(state.text, Some(format!("heard message {round}")));
    }
    assert_eq!(said(&agent, &talk).await.len(), 5);
    machine.kill().await;
    worker.stop().await;
    tools.stop().await;
}
