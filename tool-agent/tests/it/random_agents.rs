//! Whatever agents that are tools of agents say, wait for and lose: each call of each of their
//! conversations has one answer or is pending, and no effect happens twice unless somebody says so.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use proptest::prelude::*;
use serde_json::json;
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::session::SessionError;
use toolwright::agent::{
    Agent, AgentError, AgentTool, Model, ModelResponse, Node, Session, Status, ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::executor::PendingReason;
use toolwright::layers::{Approval, Risk};
use toolwright::{Context, Executor, Outcome, ToolCall, Toolset, call::Decision, tool, tools};

use crate::draws::Draws;
use crate::kept::{Store, WRITES_COME_LATE, cases, quick_stores, stores};

/// What tools did, by idempotency key.
#[derive(Default)]
struct Effects(Mutex<BTreeMap<String, usize>>);

/// Has an effect, and takes a while to say so.
#[tool]
async fn slow(#[state] effects: &Effects, #[context] cx: &Context) -> u8 {
    tokio::task::yield_now().await;
    let key = cx.idempotency_key().unwrap();
    *effects.0.lock().unwrap().entry(key).or_default() += 1;
    tokio::task::yield_now().await;
    2
}

/// Is asked about.
#[tool(meta(risk = "high"))]
async fn risky(#[state] effects: &Effects, #[context] cx: &Context) -> u8 {
    slow(effects, cx).await
}

/// Is answered by the host.
#[tool(manual)]
fn by_hand() -> u8 {
    3
}

/// Asks.
#[tool]
fn asks() -> Outcome {
    Outcome::ask("Which?")
}

/// Says what was drawn.
struct Drawn {
    draws: Draws,
    tools: &'static [&'static str],
}

impl Model for Drawn {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        request
            .thread
            .check()
            .expect("a thread that providers take");
        let draws = &self.draws;
        let response = match draws.below(5) {
            0 | 1 => Ok(ModelResponse::text("Done.")),
            2 if draws.below(4) == 0 => Err(ModelError::new(ModelErrorKind::Busy, "429")),
            _ => Ok(ModelResponse::calls((0..=draws.below(3)).map(|_| {
                let id = draws.one(&["a", "b", "c"]);
                let name = draws.one(self.tools);
                let arguments = match name {
                    "helper" | "manager" => r#"{"input": "Go!"}"#,
                    _ => "{}",
                };
                ToolCall::new(id, name, arguments)
            }))),
        };
        Box::pin(async move {
            tokio::task::yield_now().await;
            response
        })
    }
}

const INNER: [&str; 5] = ["slow", "slow", "risky", "by_hand", "asks"];
const MIDDLE: [&str; 3] = ["helper", "slow", "helper"];
const OUTER: [&str; 4] = ["manager", "manager", "slow", "risky"];

fn agent(draws: &Draws, tools: Toolset, names: &'static [&'static str]) -> Agent {
    let model = Drawn {
        draws: draws.clone(),
        tools: names,
    };
    let executor = match draws.below(2) {
        0 => Executor::serial(tools),
        _ => Executor::parallel(tools, 3),
    };
    let executor = executor.layer(Approval::at_least(Risk::High));
    let agent = Agent::with_executor(model, executor);
    let agent = agent.max_turns(4);
    match draws.below(4) {
        0 => agent.interrupt_before(Node::Tools),
        1 => agent.interrupt_after(Node::Model),
        _ => agent,
    }
}

fn and(tools: &Toolset, agent: Agent, name: &str) -> Toolset {
    let tool = AgentTool::new(agent, name, "Helps.").build().unwrap();
    let tool = Toolset::new([tool]).unwrap();
    tools.merge(&tool).unwrap()
}

/// How often something was seen.
#[derive(Default)]
struct Seen(BTreeMap<String, usize>);

impl Seen {
    fn note(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }
}

/// Each call of each conversation has one answer in its place, or is pending.
fn holds(session: &Session, depth: usize, seen: &mut Seen) {
    let messages = session.thread().messages();
    let last = messages
        .iter()
        .rposition(|message| !message.tool_calls().is_empty());
    let pending = session.pending();
    for (place, message) in messages.iter().enumerate() {
        let calls = message.tool_calls();
        let behind = messages[place + 1..].iter();
        let mut found: Vec<_> = behind
            .map_while(|message| match message {
                ThreadMessage::Tool(answer) if !calls.is_empty() => Some(answer.index),
                _ => None,
            })
            .collect();
        if Some(place) == last {
            found.extend(pending.iter().map(|pending| pending.index));
        }
        found.sort_unstable();
        assert_eq!(found, (0..calls.len()).collect::<Vec<_>>(), "{session:?}");
    }
    seen.note(format!("{} at {depth}", session.status().as_str()));
    for pending in &pending {
        let sub = session.sub_session(pending.index);
        if pending.reason == PendingReason::Agent {
            holds(sub.unwrap(), depth + 1, seen);
        }
    }
    if let Status::AwaitingUser { index, .. } = session.status()
        && pending.iter().any(|pending| pending.index == index)
    {
        let sub = session.sub_session(index).unwrap();
        assert!(matches!(sub.status(), Status::AwaitingUser { .. }));
    }
}

/// People do something, at any depth. How often they let a call of unknown outcome run again.
fn act(draws: &Draws, session: &mut Session) -> usize {
    let mut again = 0;
    match draws.below(4) {
        0 => drop(session.answer("Oslo")),
        1 => drop(session.say("Oslo")),
        _ => {}
    }
    for pending in session.pending() {
        if pending.reason == PendingReason::Agent && draws.below(8) > 0 {
            let inside = session.in_sub_session(pending.index, |sub| {
                again += act(draws, sub);
                Ok::<_, SessionError>(())
            });
            // It may have been decided without its agent.
            assert!(matches!(inside, Ok(()) | Err(SessionError::Decided(_))));
            continue;
        }
        let decision = match draws.below(6) {
            0 => continue,
            1 => Decision::Reject("no".to_owned()),
            2 => Decision::Answer(json!("by hand")),
            _ => Decision::Approve,
        };
        let runs = decision == Decision::Approve;
        if session.decide(pending.index, decision).is_ok()
            && runs
            && matches!(pending.reason, PendingReason::OutcomeUnknown(_))
        {
            again += 1;
        }
    }
    again
}

/// What the future comes to, if it does before it was polled so often: once at first, and then whenever something has happened.
async fn at_most<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let (mut future, mut left) = (pin!(future), polls);
    std::future::poll_fn(|task| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(task).map(Some)
    })
    .await
}

/// A conversation with agents inside of agents, and whoever drives it.
async fn talk(draws: &Draws, store: Store, seen: &mut Seen) {
    let effects = Arc::<Effects>::default();
    let tools = tools![slow, risky, by_hand, asks; state = Arc::clone(&effects)];
    let helper = agent(draws, tools.clone(), &INNER);
    let manager = agent(draws, and(&tools, helper, "helper"), &MIDDLE);
    let agent = agent(draws, and(&tools, manager, "manager"), &OUTER).checkpointer(store);
    let begin = || {
        let mut session = Session::with_id("s");
        session.say("Go!").unwrap();
        session
    };
    let (mut session, mut again) = (begin(), 0);
    for _ in 0..30 {
        let polls = match draws.below(3) {
            0 => draws.below(40),
            _ => 10_000,
        };
        match at_most(polls, agent.run(&mut session, &Context::new())).await {
            Some(
                Ok(_)
                | Err(AgentError::Session(_) | AgentError::Model(_) | AgentError::Decision { .. }),
            ) => {}
            // What a dropped run was writing has been written behind the test's back.
            Some(Err(AgentError::Checkpoint(error))) if WRITES_COME_LATE && error.is_conflict() => {
                seen.note("late");
                session = agent.state("s").await.unwrap().unwrap();
            }
            Some(Err(error)) => panic!("{error}: {session:?}"),
            // The program ended. What was kept is what there is.
            None => {
                seen.note("dropped");
                session = agent.state("s").await.unwrap().unwrap_or_else(begin);
            }
        }
        holds(&session, 0, seen);
        if draws.is_used_up() {
            break;
        }
        session = serde_json::from_str(&serde_json::to_string(&session).unwrap()).unwrap();
        session.clear_error();
        again += act(draws, &mut session);
        holds(&session, 0, seen);
    }
    let twice = effects
        .0
        .lock()
        .unwrap()
        .values()
        .map(|times| times - 1)
        .sum::<usize>();
    assert!(
        twice <= again,
        "{twice} effects happened twice, {again} were to"
    );
    for _ in 0..again {
        seen.note("again");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: cases(64), ..ProptestConfig::default() })]
    #[test]
    fn each_call_of_each_agent_has_one_answer_or_is_pending(
        numbers in proptest::collection::vec(any::<u8>(), 0..500),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for (store, _kept) in quick_stores().await {
                talk(&Draws::new(numbers.clone()), store, &mut Seen::default()).await;
            }
        });
    }
}

/// The property has something to hold of: the draws lead everywhere.
#[test]
fn the_draws_lead_everywhere() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut seen = Seen::default();
    let kinds = [
        "completed at 0",
        "awaiting_user at 0",
        "awaiting_tools at 0",
        "awaiting_user at 1",
        "awaiting_tools at 1",
        "interrupted at 1",
        "awaiting_user at 2",
        "awaiting_tools at 2",
        "interrupted at 2",
        "dropped",
        "again",
    ];
    let is_often = |seen: &Seen, kind: &str| seen.0.get(kind).is_some_and(|times| *times > 5);
    for seed in 0..60 {
        if kinds.iter().all(|kind| is_often(&seen, kind)) {
            break;
        }
        runtime.block_on(async {
            let (store, _kept) = quick_stores().await.remove(0);
            talk(&Draws::seeded(seed, 500), store, &mut seen).await;
        });
    }
    let missing: Vec<_> = kinds.iter().filter(|kind| !is_often(&seen, kind)).collect();
    assert!(missing.is_empty(), "{missing:?}: {:?}", seen.0);
}

/// Each conversation takes seconds on a slow disk, so these are few.
#[tokio::test]
async fn it_holds_on_every_store() {
    for seed in 0..5 {
        for (store, _kept) in stores().await {
            talk(&Draws::seeded(seed, 300), store, &mut Seen::default()).await;
        }
    }
}
