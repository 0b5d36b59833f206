//! Agents that are tools, in programs that end in their midst: nothing runs twice, nothing is lost.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::sync::Notify;
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::store::{CheckpointError, Checkpointer};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentError, AgentTool, ModelResponse, Session, ThreadMessage};
use toolwright::executor::PendingReason;
use toolwright::layers::{Approval, Retry, Risk};
use toolwright::wire::Usage;
use toolwright::{
    Context, Executor, Tool, ToolCall, ToolError, Toolset,
    call::{Cancel, Decision, ErrorKind, WrapTool},
    tool, tools,
};

use crate::clock::still;
use crate::kept::{Store, none_and_stores, stores, stores_without_leases};
use crate::waits::dropped_at;

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn script(steps: impl IntoIterator<Item = Result<ModelResponse, ModelError>>) -> ScriptedModel {
    ScriptedModel::new(steps)
}

/// How often each tool ran.
#[derive(Default)]
struct Ran {
    pay: AtomicUsize,
    hang: AtomicUsize,
    /// A tool hangs.
    hangs: Notify,
}

impl Ran {
    fn both(&self) -> (usize, usize) {
        (
            self.pay.load(Ordering::SeqCst),
            self.hang.load(Ordering::SeqCst),
        )
    }
}

/// Pays.
#[tool]
fn pay(#[state] ran: &Ran) -> usize {
    ran.pay.fetch_add(1, Ordering::SeqCst) + 1
}

/// Is asked about.
#[tool(meta(risk = "high"))]
fn risky(#[state] ran: &Ran) -> usize {
    ran.pay.fetch_add(10, Ordering::SeqCst) + 10
}

/// Looks, and hangs the first time.
#[tool(read_only)]
async fn hang(#[state] ran: &Ran) -> &'static str {
    if ran.hang.fetch_add(1, Ordering::SeqCst) == 0 {
        ran.hangs.notify_one();
        std::future::pending::<()>().await;
    }
    "seen"
}

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, "{}")
}

fn ask() -> Result<ModelResponse, ModelError> {
    calls(&[ToolCall::new(
        "c1",
        "helper",
        json!({"input": "Go!"}).to_string(),
    )])
}

/// An agent with a helper that has these tools.
fn agent(outer: ScriptedModel, inner: ScriptedModel, ran: &Arc<Ran>) -> Agent {
    let tools = tools![pay, risky, hang; state = Arc::clone(ran)];
    let executor = Executor::serial(tools).layer(Approval::at_least(Risk::High));
    let inner = Agent::with_executor(inner, executor);
    let tool = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
    Agent::new(outer, Toolset::new([tool]).unwrap())
}

fn asked() -> Session {
    let mut session = Session::with_id("s");
    session.say("Go!").unwrap();
    session
}

fn answers(session: &Session) -> Vec<String> {
    let messages = session.thread().messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    answers.collect()
}

#[tokio::test]
async fn a_program_that_ends_inside_goes_on_inside() {
    for (store, _kept) in stores().await {
        let ran = Arc::new(Ran::default());
        let both = calls(&[call("x", "pay"), call("y", "hang")]);
        let first = agent(script([ask()]), script([both]), &ran).checkpointer(store.clone());
        dropped_at(&ran.hangs, first.run(&mut asked(), &Context::new())).await;
        assert_eq!(ran.both(), (1, 1));

        // The conversations of both are there; neither model is asked again for what it has said.
        let second = agent(script([text("Done.")]), script([text("Paid.")]), &ran);
        let second = second.checkpointer(store.clone());
        let (session, run) = second.resume("s", &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        assert_eq!(answers(&session), ["Paid."]);
        assert_eq!(ran.both(), (1, 2));
        assert_eq!(store.sessions(None, 9).await.unwrap().len(), 2);
        // The helper's own calls are journaled, and the call of the helper is not.
        let ids = store.sessions(None, 9).await.unwrap();
        let inner = ids.iter().find(|id| **id != "s").unwrap();
        assert_eq!(store.calls(inner).await.unwrap().len(), 2);
        assert!(store.calls("s").await.unwrap().is_empty());
    }
}

/// Changes nothing.
struct Wrapped(Arc<dyn Tool>);

impl WrapTool for Wrapped {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.0
    }
}

#[tokio::test]
async fn wrappers_change_nothing_about_that() {
    for (store, _kept) in stores().await {
        let ran = Arc::new(Ran::default());
        let build = |outer: ScriptedModel, inner: ScriptedModel| {
            let tools = tools![pay, hang; state = Arc::clone(&ran)];
            let helper = AgentTool::new(Agent::new(inner, tools), "inner", "Helps.");
            let helper = Arc::new(Wrapped(helper.build().unwrap().handle_errors()));
            let tools = Toolset::new([helper as Arc<dyn Tool>]).unwrap();
            let tools = tools.rename("inner", "helper").unwrap();
            Agent::new(outer, tools).checkpointer(store.clone())
        };
        let both = calls(&[call("x", "pay"), call("y", "hang")]);
        let first = build(script([ask()]), script([both]));
        dropped_at(&ran.hangs, first.run(&mut asked(), &Context::new())).await;
        let second = build(script([text("Done.")]), script([text("Paid.")]));
        let (session, _) = second.resume("s", &Context::new()).await.unwrap();
        assert_eq!(answers(&session), ["Paid."]);
        assert_eq!(ran.both(), (1, 2));
    }
}

#[tokio::test]
async fn what_has_ended_inside_is_not_reapproval() {
    /// Hangs until its program ends.
    #[tool(read_only)]
    async fn forever(#[state] ran: &Ran) -> u8 {
        if ran.hang.fetch_add(1, Ordering::SeqCst) == 0 {
            ran.hangs.notify_one();
            std::future::pending::<()>().await;
        }
        1
    }

    for (store, _kept) in stores().await {
        let ran = Arc::new(Ran::default());
        let build = |outer: ScriptedModel, inner: ScriptedModel| {
            let inner = Agent::new(inner, Toolset::default());
            let helper = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
            let tools = tools![forever; state = Arc::clone(&ran)];
            let tools = tools.merge(&Toolset::new([helper]).unwrap()).unwrap();
            Agent::new(outer, tools).checkpointer(store.clone())
        };
        let ask = ToolCall::new("c1", "helper", json!({"input": "Go!"}).to_string());
        let both = calls(&[ask, call("c2", "forever")]);
        let first = build(script([both]), script([text("Helped.")]));
        dropped_at(&ran.hangs, first.run(&mut asked(), &Context::new())).await;
        let second = build(script([text("Done.")]), script([]));
        let (session, _) = second.resume("s", &Context::new()).await.unwrap();
        assert_eq!(answers(&session), ["Helped.", "1"]);
    }
}

#[tokio::test]
async fn a_pause_inside_is_found_in_the_store_and_decided_once() {
    for (store, _kept) in stores().await {
        let ran = Arc::new(Ran::default());
        let inner = script([
            calls(&[call("x", "pay"), call("y", "risky")]),
            text("Paid."),
        ]);
        let first = agent(script([ask(), text("Done.")]), inner, &ran).checkpointer(store.clone());
        let _ = first.run(&mut asked(), &Context::new()).await.unwrap();
        let mut one = first.state("s").await.unwrap().unwrap();
        let mut other = first.state("s").await.unwrap().unwrap();
        assert_eq!(one.pending()[0].reason, PendingReason::Agent);
        let approve = |session: &mut Session| {
            session
                .in_sub_session("c1", |sub| sub.decide("y", Decision::Approve))
                .unwrap();
        };
        approve(&mut one);
        approve(&mut other);
        let run = first.run(&mut one, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        assert_eq!(ran.both(), (11, 0));
        let error = first.run(&mut other, &Context::new()).await.unwrap_err();
        assert!(matches!(
            error,
            AgentError::Checkpoint(CheckpointError::Conflict { .. })
        ));
        assert_eq!(ran.both(), (11, 0));
    }
}

#[tokio::test]
async fn whoever_was_overtaken_inside_does_nothing_more() {
    for (store, _kept) in stores_without_leases().await {
        let ran = Arc::new(Ran::default());
        let inner = script([calls(&[call("x", "hang"), call("y", "pay")])]);
        let first = agent(script([ask()]), inner, &ran).checkpointer(store.clone());
        let mut session = asked();
        let cx = Context::new();
        let mut overtaken = Box::pin(first.run(&mut session, &cx));
        tokio::select! {
            biased;
            _ = &mut overtaken => panic!("it came to its end"),
            () = ran.hangs.notified() => {}
        }
        // Somebody else goes on with it.
        let second = agent(script([text("Done.")]), script([text("Paid.")]), &ran);
        let second = second.checkpointer(store.clone());
        let (session, _) = second.resume("s", &Context::new()).await.unwrap();
        assert_eq!(answers(&session), ["Paid."]);
        assert_eq!(ran.both(), (1, 2));
        drop(overtaken);
        assert_eq!(ran.both(), (1, 2));
    }
}

#[tokio::test]
async fn a_failure_that_was_recorded_keeps_its_faults() {
    /// Fails as another tool would.
    #[tool]
    fn picky() -> Result<u8, ToolError> {
        let tools = tools![pay_exactly];
        let call = ToolCall::new("i", "pay_exactly", r#"{"cents": "x", "cent": 1}"#);
        let result = tools.call_blocking(&call, &Context::new());
        Err(result.outcome.map(drop).unwrap_err())
    }

    /// Pays.
    #[tool]
    fn pay_exactly(cents: u64) -> u64 {
        cents
    }

    for (store, _kept) in stores().await {
        let ran = Arc::new(Ran::default());
        let build = |model: ScriptedModel, seen: &Arc<std::sync::Mutex<Vec<ToolError>>>| {
            let seen = Arc::clone(seen);
            let tools = tools![hang; state = Arc::clone(&ran)];
            let tools = tools.merge(&tools![picky]).unwrap();
            let executor = Executor::serial(tools).on_event(move |event| {
                if let toolwright::executor::Event::Finished { result, .. } = event
                    && let Err(error) = &result.outcome
                    && error.kind() != ErrorKind::Cancelled
                {
                    seen.lock().unwrap().push(error.clone());
                }
            });
            Agent::with_executor(model, executor).checkpointer(store.clone())
        };
        let seen = Arc::default();
        let both = calls(&[call("c1", "picky"), call("c2", "hang")]);
        dropped_at(
            &ran.hangs,
            build(script([both]), &seen).run(&mut asked(), &Context::new()),
        )
        .await;
        let second = build(script([text("Done.")]), &seen);
        let _ = second.resume("s", &Context::new()).await.unwrap();
        let seen = seen.lock().unwrap();
        let [first, again] = &seen[..] else {
            panic!("{seen:?}");
        };
        assert_eq!(first.faults().len(), 2);
        assert_eq!(again.faults(), first.faults());
        assert_eq!(again.kind(), first.kind());
        assert_eq!(again.to_string(), first.to_string());
    }
}

fn costs(
    response: Result<ModelResponse, ModelError>,
    input: u64,
    output: u64,
) -> Result<ModelResponse, ModelError> {
    response.map(|response| response.with_usage(Usage::new(input, output)))
}

/// What a session costs whose helper fails after its first turn, and is called again.
async fn cost_of_two_attempts(
    second: impl IntoIterator<Item = Result<ModelResponse, ModelError>>,
    store: Option<Store>,
) -> Usage {
    let busy = Err(ModelError::new(ModelErrorKind::Busy, "429"));
    let first = [costs(calls(&[call("x", "pay")]), 7, 3), busy];
    let inner = script(first.into_iter().chain(second));
    let helper = Agent::new(inner, tools![pay; state = Arc::new(Ran::default())]);
    let tool = AgentTool::new(helper, "helper", "Helps.").build().unwrap();
    let executor = Executor::serial(Toolset::new([tool]).unwrap());
    let executor = executor.layer(Retry::new(2).always_for(["helper"]));
    let outer = script([costs(ask(), 100, 10), text("Done.")]);
    let mut agent = Agent::with_executor(outer, executor);
    if let Some(store) = store {
        agent = agent.checkpointer(store);
    }
    let mut session = asked();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(&session), ["It is paid."]);
    assert_eq!(run.usage, session.usage());
    session.usage()
}

#[tokio::test(start_paused = true)]
async fn each_attempt_counts_once() {
    let (input, output) = (100 + 7 + 7 + 10, 10 + 3 + 3 + 1);
    let again = [
        costs(calls(&[call("x", "pay")]), 7, 3),
        costs(text("It is paid."), 10, 1),
    ];
    let cost = cost_of_two_attempts(again, None).await;
    assert_eq!(cost, Usage::new(input, output));

    for (store, _kept) in stores().await {
        // With a store the second one goes on where the first one stood.
        let (input, output) = (100 + 7 + 10, 10 + 3 + 1);
        let rest = [costs(text("It is paid."), 10, 1)];
        let cost = cost_of_two_attempts(rest, Some(still(store))).await;
        assert_eq!(cost, Usage::new(input, output));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_ended_from_outside_has_cost_what_it_cost() {
    for stops in [false, true] {
        for store in none_and_stores().await {
            let ran = Arc::<Ran>::default();
            let inner = script([costs(calls(&[call("x", "hang")]), 7, 3)]);
            let helper = Agent::new(inner, tools![pay, hang; state = Arc::clone(&ran)]);
            let limit = std::time::Duration::from_secs(5);
            let tool = AgentTool::new(helper, "helper", "Helps.").timeout(limit);
            let tools = Toolset::new([tool.build().unwrap()]).unwrap();
            let last = (!stops).then(|| text("It takes too long."));
            let outer = script([costs(ask(), 100, 10)].into_iter().chain(last));
            let mut agent = Agent::new(outer, tools);
            if let Some((store, _)) = &store {
                agent = agent.checkpointer(still(Arc::clone(store)));
            }
            let stop = Cancel::new();
            let cx = Context::new().with_cancel(stop.clone());
            let mut session = asked();
            let stops = async {
                tokio::time::sleep(limit / 2).await;
                if stops {
                    stop.cancel();
                }
            };
            let (run, ()) = tokio::join!(agent.run(&mut session, &cx), stops);
            let (input, output) = (107, 13);
            assert_eq!(run.unwrap().usage, Usage::new(input, output));
            assert_eq!(session.usage(), Usage::new(input, output));
        }
    }
}

#[tokio::test]
async fn what_a_program_that_ended_paid_counts_too() {
    for (store, _kept) in stores().await {
        let ran = Arc::<Ran>::default();
        let inner = script([
            costs(calls(&[call("x", "hang")]), 7, 3),
            costs(text("Seen."), 10, 1),
        ]);
        let outer = script([costs(ask(), 100, 10), text("Done.")]);
        let agent = agent(outer, inner, &ran).checkpointer(store);
        dropped_at(&ran.hangs, agent.run(&mut asked(), &Context::new())).await;
        let (session, _) = agent.resume("s", &Context::new()).await.unwrap();
        let (input, output) = (117, 14);
        assert_eq!(session.usage(), Usage::new(input, output));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_paid_two_levels_down_counts_when_a_time_limit_ends_both() {
    let limit = std::time::Duration::from_secs(5);
    for attempts in [1, 2] {
        for store in none_and_stores().await {
            let keeps = store.is_some();
            let ran = Arc::<Ran>::default();
            let turn = || costs(calls(&[call("x", "hang")]), 7, 3);
            // In a store the second attempt goes on behind the turns that were paid.
            let again = (attempts == 2 && !keeps).then(turn);
            let last = (attempts == 2).then(|| costs(text("Seen."), 1, 1));
            let inner = script([turn()].into_iter().chain(again).chain(last));
            let inner = Agent::new(inner, tools![hang; state = Arc::clone(&ran)]);
            let inner = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
            let again = (attempts == 2 && !keeps).then(|| costs(ask(), 20, 2));
            let last = (attempts == 2).then(|| costs(text("So it is."), 1, 1));
            let middle = script([costs(ask(), 20, 2)].into_iter().chain(again).chain(last));
            let middle = Agent::new(middle, Toolset::new([inner]).unwrap());
            let middle = AgentTool::new(middle, "helper", "Helps.").timeout(limit);
            let middle = Toolset::new([middle.build().unwrap()]).unwrap();
            let executor = Executor::serial(middle);
            let executor = executor.layer(Retry::new(attempts).always_for(["helper"]));
            let outer = script([costs(ask(), 100, 10), text("It took long.")]);
            let mut agent = Agent::with_executor(outer, executor);
            if let Some((store, _)) = &store {
                agent = agent.checkpointer(still(Arc::clone(store)));
            }
            let mut session = asked();
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            let (input, output) = match (keeps, attempts) {
                (_, 1) => (100 + 20 + 7, 10 + 2 + 3),
                (true, _) => (100 + 20 + 7 + 2, 10 + 2 + 3 + 2),
                (false, _) => (100 + 2 * 20 + 2 * 7 + 2, 10 + 2 * 2 + 2 * 3 + 2),
            };
            let case = (keeps, attempts);
            assert_eq!((case, run.usage), (case, Usage::new(input, output)));
            assert_eq!(session.usage(), run.usage);
        }
    }
}

#[tokio::test]
async fn a_branch_goes_on_inside_with_a_conversation_of_its_own() {
    for (store, _kept) in stores().await {
        let ran = Arc::new(Ran::default());
        let build = |outer: ScriptedModel, inner: ScriptedModel| {
            agent(outer, inner, &ran).checkpointer(store.clone())
        };
        let approve = |session: &mut Session| {
            let said = session.in_sub_session("c1", |sub| sub.decide("y", Decision::Approve));
            said.unwrap();
        };
        let inner = script([calls(&[call("y", "risky")]), text("Paid.")]);
        let first = build(script([ask(), text("Done.")]), inner);
        let (mut session, cx) = (asked(), Context::new());
        let _ = first.run(&mut session, &cx).await.unwrap();
        let paused = session.checkpoint().unwrap();
        approve(&mut session);
        let _ = first.run(&mut session, &cx).await.unwrap();
        assert_eq!(
            (answers(&session), ran.both()),
            (vec!["Paid.".to_owned()], (10, 0))
        );

        // The conversation inside has gone on since. The branch's program ends in its midst.
        let mut branch = first.branch(paused).await.unwrap();
        approve(&mut branch);
        let second = build(script([]), script([calls(&[call("z", "hang")])]));
        dropped_at(&ran.hangs, second.run(&mut branch, &cx)).await;
        assert_eq!(ran.both(), (20, 1));
        let third = build(script([text("Again.")]), script([text("Paid again.")]));
        let (session, run) = third.resume("s", &Context::new()).await.unwrap();
        assert_eq!(
            (run.text(), answers(&session)),
            (Some("Again."), vec!["Paid again.".to_owned()])
        );
        assert_eq!(ran.both(), (20, 2));
        assert_eq!(store.sessions(None, 10).await.unwrap().len(), 3);
    }
}

#[tokio::test]
async fn who_does_not_know_the_agent_inside_leaves_its_conversation_as_it_is() {
    /// Is no agent, and pays.
    #[tool(name = "helper")]
    fn other(input: &str, #[state] ran: &Ran) -> usize {
        ran.pay.fetch_add(100, Ordering::SeqCst) + input.len()
    }

    let ran = Arc::new(Ran::default());
    let inner = script([calls(&[call("y", "risky")]), text("Paid.")]);
    let knows = agent(script([ask(), text("Done.")]), inner, &ran);
    let (mut session, cx) = (asked(), Context::new());
    let _ = knows.run(&mut session, &cx).await.unwrap();
    let said = session.in_sub_session("c1", |sub| sub.decide("y", Decision::Approve));
    said.unwrap();
    for tools in [Toolset::default(), tools![other; state = Arc::clone(&ran)]] {
        let stored = serde_json::to_string(&session).unwrap();
        session = serde_json::from_str(&stored).unwrap();
        let error = Agent::new(script([]), tools).run(&mut session, &cx).await;
        let error = error.unwrap_err();
        assert!(
            matches!(&error, AgentError::Decision { path, .. } if path[..] == [0]),
            "{error}"
        );
        assert_eq!((ran.both(), session.pending().len()), ((0, 0), 1));
    }
    let run = knows.run(&mut session, &cx).await.unwrap();
    assert_eq!((run.text(), ran.both()), (Some("Done."), (10, 0)));
}
