//! Budgets: what is refused before it happens, what is left, and what counts.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::sync::Notify;
use toolwright::agent::budget::{Left, Money, Prices};
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, AgentTool, Budget, Hooks, ModelResponse, Run, RunEnd, RunEvent, Session,
    Thread, ThreadMessage, handoff,
};
use toolwright::executor::{PendingReason, TraceStore, Traced};
use toolwright::tokens::Tokenizer;
use toolwright::wire::Usage;
use toolwright::{Context, Executor, Schema, ToolCall, Toolset, Wire, tool, tools};

use crate::kept::stores;
use crate::waits::dropped_at;

type Step = Result<ModelResponse, ModelError>;

fn took(response: ModelResponse, input: u64, output: u64) -> Step {
    Ok(response.with_usage(Usage::new(input, output)))
}

fn says(input: u64, output: u64) -> Step {
    took(ModelResponse::text("Done."), input, output)
}

fn calls(names: &[&str], input: u64, output: u64) -> Step {
    let calls = names.iter().zip(1..);
    let calls = calls.map(|(name, id)| ToolCall::new(format!("c{id}"), *name, arguments(name)));
    took(ModelResponse::calls(calls), input, output)
}

fn arguments(name: &str) -> &'static str {
    match name {
        "helper" | "other" => r#"{"input": "Go!"}"#,
        _ => "{}",
    }
}

fn script<const N: usize>(steps: [Step; N]) -> ScriptedModel {
    ScriptedModel::new(steps).named("big")
}

#[derive(Default)]
struct Ran(AtomicUsize, Notify);

/// Pays.
#[tool]
fn pay(#[state] ran: &Ran) -> usize {
    ran.0.fetch_add(1, Ordering::SeqCst) + 1
}

fn payer(model: ScriptedModel, ran: &Arc<Ran>) -> Agent {
    Agent::new(model, tools![pay; state = Arc::clone(ran)])
}

fn talker(model: ScriptedModel) -> Agent {
    Agent::new(model, Toolset::default())
}

fn tool_of(agent: Agent, name: &str) -> Arc<dyn toolwright::Tool> {
    AgentTool::new(agent, name, "Helps.").build().unwrap()
}

/// A budget that counts four characters as a token.
fn limits() -> Budget {
    Budget::new().tokenizer(Tokenizer::Gemini)
}

/// One unit for a million tokens of requests, ten for a million of responses.
fn prices() -> Prices {
    Prices::new().model("big", Money::from_cents(100), Money::from_cents(1_000))
}

async fn run(agent: &Agent, session: &mut Session) -> Run {
    agent.run(session, &Context::new()).await.unwrap()
}

/// What was left, and what the next request needed.
fn refused(run: &Run) -> (Left, u64) {
    match run.end {
        RunEnd::Budget { left, needs } => (left, needs),
        ref end => panic!("{end:?}"),
    }
}

fn stored(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

fn answers(session: &Session) -> Vec<String> {
    let messages = session.thread().messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    answers.collect()
}

/// Returns the tokens of the request of the next two tests: the model says nothing of its wire.
fn sent(tokenizer: Tokenizer) -> u64 {
    let (thread, system) = (
        Thread::from([ThreadMessage::user("Hi!")]),
        "x".repeat(4_001),
    );
    let text = thread.format(Wire::Gemini, Some(&system)).unwrap();
    assert!((4_050..4_110).contains(&text.len()), "{}", text.len());
    tokenizer.count(&text) as u64
}

#[tokio::test]
async fn a_request_that_does_not_fit_is_not_sent() {
    // The script is empty: a request would panic.
    let model = script([]);
    let agent = talker(model.clone())
        .system("x".repeat(4_001))
        .budget(limits().tokens(1_000));
    let mut session = Session::ask("Hi!");
    let run = run(&agent, &mut session).await;
    let (left, needs) = refused(&run);
    assert_eq!((left.tokens, left.money), (Some(1_000), None));
    assert_eq!(needs, sent(Tokenizer::Gemini));
    assert_eq!(run.turns, 0);
    assert_eq!(
        run.clone().completed().unwrap_err().to_string(),
        format!(
            "the budget does not pay for what comes next: it needs {needs} tokens, and 1000 tokens are left"
        )
    );
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_request_is_counted_by_a_bound_unless_told_otherwise() {
    for (budget, needed) in [
        (Budget::new(), Tokenizer::Bound),
        (Budget::default(), Tokenizer::Bound),
        (limits(), Tokenizer::Gemini),
        (limits().tokenizer(Tokenizer::Claude), Tokenizer::Claude),
    ] {
        let agent = talker(script([]))
            .system("x".repeat(4_001))
            .budget(budget.tokens(1_000));
        let run = run(&agent, &mut Session::ask("Hi!")).await;
        assert_eq!(refused(&run).1, sent(needed));
    }
}

#[tokio::test]
async fn a_request_that_just_fits_is_sent() {
    let agent = talker(script([says(1_000, 10)]))
        .system("x".repeat(3_890))
        .budget(limits().tokens(1_000));
    let mut session = Session::ask("Hi!");
    let run = run(&agent, &mut session).await;
    assert!(matches!(run.end, RunEnd::Completed));
    // The response took more than was left.
    assert_eq!(run.left.unwrap().tokens, Some(0));
}

#[tokio::test]
async fn calls_stay_pending_once_nothing_is_left_and_run_with_a_larger_budget() {
    let ran = Arc::new(Ran::default());
    let model = script([calls(&["pay", "pay"], 900, 100), says(50, 5)]);
    let trace = TraceStore::new(100);
    let agent = payer(model.clone(), &ran).listener(trace.clone());
    let small = agent.clone().budget(limits().tokens(1_000));
    let mut session = Session::ask("Pay twice.");
    let first = run(&small, &mut session).await;
    assert_eq!(refused(&first).1, 0);
    assert_eq!(first.left.unwrap().to_string(), "0 tokens");
    assert_eq!(first.end.as_str(), "budget");
    let finished = trace.matching(|event| matches!(event.what, Traced::RunFinished { .. }));
    let finished = finished[0].to_string();
    assert!(finished.contains("budget"), "{finished}");
    assert!(!first.end.is_limit());
    let error = first.completed().unwrap_err().to_string();
    assert_eq!(
        error,
        "the budget does not pay for what comes next: 0 tokens left"
    );
    assert_eq!(ran.0.load(Ordering::SeqCst), 0);
    let pending = session.pending();
    assert_eq!(pending.len(), 2);
    assert!(
        pending
            .iter()
            .all(|call| call.reason == PendingReason::NotRun)
    );

    // The same budget refuses again, also in another process.
    let mut session = stored(&session);
    assert_eq!(refused(&run(&small, &mut session).await).1, 0);

    let large = agent.budget(limits().tokens(2_000));
    let end = run(&large, &mut session).await;
    assert_eq!(end.text(), Some("Done."));
    assert_eq!(ran.0.load(Ordering::SeqCst), 2);
    assert_eq!(end.left.unwrap().tokens, Some(945));
    model.finish();
}

#[tokio::test]
async fn the_next_run_counts_what_earlier_ones_spent() {
    let agent = talker(script([says(600, 0), says(300, 0)]));
    let budget = limits().tokens(900);
    let agent = agent.budget(budget.clone());
    let mut session = Session::ask("One.");
    let _ = run(&agent, &mut session).await;
    session.say("Two.").unwrap();
    let second = run(&agent, &mut session).await;
    assert_eq!((second.usage.input, second.turns), (300, 1));
    session.say("Three.").unwrap();
    let third = run(&agent, &mut session).await;
    assert_eq!((refused(&third).0.tokens, third.turns), (Some(0), 0));
    assert!(budget.left(&session).unwrap().is_empty());
}

#[tokio::test]
async fn money_is_counted_by_model_and_outlives_the_process() {
    let agent = talker(script([says(500_000, 50_000)]));
    let mut session = Session::ask("Hi!");
    let _ = run(&agent, &mut session).await;
    // Another model of the same conversation.
    let small = ScriptedModel::new([says(1_000_000, 0)]).named("small");
    session.say("Go on.").unwrap();
    let _ = run(&talker(small), &mut session).await;

    let session = stored(&session);
    let prices = prices().model("small", Money::from_cents(10), Money::from_cents(10));
    assert_eq!(prices.cost(&session).unwrap(), Money::from_cents(110));
    let budget = limits().money(Money::from_cents(250), prices);
    assert_eq!(
        budget.left(&session).unwrap().money,
        Some(Money::from_cents(140))
    );
    assert_eq!(budget.left(&session).unwrap().to_string(), "money 1.4");
}

#[tokio::test]
async fn money_refuses_a_request() {
    // 0.04 pays for 40,000 tokens of requests.
    let model = script([says(30_000, 0)]);
    let budget = limits().money(Money::from_cents(4), prices());
    let agent = talker(model.clone())
        .system("x".repeat(80_000))
        .budget(budget);
    let mut session = Session::ask("Hi!");
    let _ = run(&agent, &mut session).await;
    session.say("More.").unwrap();
    let (left, needs) = refused(&run(&agent, &mut session).await);
    assert_eq!(left.money, Some(Money::from_cents(1)));
    assert!((20_000..20_100).contains(&needs), "{needs}");
    model.finish();
}

#[tokio::test]
async fn a_model_without_a_price_is_not_asked() {
    for (model, words) in [
        (
            ScriptedModel::new([]).named("other"),
            "the table of prices has no model `other`",
        ),
        (
            ScriptedModel::new([]),
            "the table of prices has none for a model without a name",
        ),
    ] {
        let budget = limits().money(Money::from_cents(4), prices());
        let agent = talker(model.clone()).budget(budget);
        let mut session = Session::ask("Hi!");
        let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
        assert!(matches!(&error, AgentError::NoPrice(_)), "{error:?}");
        assert_eq!(error.to_string(), words);
    }
}

#[tokio::test]
async fn the_empty_name_is_the_price_of_models_without_a_name() {
    let model = ScriptedModel::new([says(1_000_000, 0)]);
    let prices = prices().model("", Money::from_cents(5), Money::from_cents(5));
    let budget = limits().money(Money::from_cents(10), prices);
    let agent = talker(model).budget(budget);
    let end = run(&agent, &mut Session::ask("Hi!")).await;
    assert_eq!(end.left.unwrap().money, Some(Money::from_cents(5)));
}

#[tokio::test]
async fn what_a_model_without_a_price_spent_before_is_an_error() {
    let model = ScriptedModel::new([says(10, 0)]).named("other");
    let mut session = Session::ask("Hi!");
    let _ = run(&talker(model), &mut session).await;
    session.say("More.").unwrap();
    let budget = limits().money(Money::from_cents(4), prices());
    assert!(matches!(budget.left(&session), Err(AgentError::NoPrice(name)) if name == "other"));
    let agent = talker(script([])).budget(budget);
    let ran = agent.run(&mut session, &Context::new()).await;
    assert!(matches!(ran, Err(AgentError::NoPrice(_))));
}

#[tokio::test]
async fn usage_that_is_not_reported_is_estimated() {
    let model = script([Ok(ModelResponse::text("x".repeat(400)))]);
    let agent = talker(model).system("x".repeat(800));
    let mut session = Session::ask("Four");
    let request = session
        .thread()
        .format(Wire::Gemini, Some(&"x".repeat(800)));
    let input = request.unwrap().len().div_ceil(4) as u64;
    let end = run(&agent.budget(limits().tokens(1_000)), &mut session).await;
    assert_eq!((end.usage.input, end.usage.output), (input, 100));
    assert_eq!(end.left.unwrap().tokens, Some(900 - input));
    // Without a budget nothing is invented.
    let model = script([Ok(ModelResponse::text("Hello."))]);
    let end = run(&talker(model), &mut Session::ask("Hi!")).await;
    assert_eq!((end.usage.total(), end.left), (0, None));
}

#[tokio::test]
async fn a_request_that_fails_counts_nothing() {
    let busy = ModelError::new(ModelErrorKind::Busy, "busy");
    let agent = talker(script([Err(busy)])).budget(limits().tokens(1_000));
    let mut session = Session::ask("Hi!");
    assert!(agent.run(&mut session, &Context::new()).await.is_err());
    assert_eq!(session.usage().total(), 0);
}

#[tokio::test]
async fn a_hook_may_shorten_the_thread_first() {
    struct Trims;
    impl Hooks for Trims {
        fn before_model(&self, session: &mut Session) {
            *session.thread_mut() = toolwright::agent::Thread::from([ThreadMessage::user("Hi!")]);
        }
    }
    let agent = talker(script([says(1, 1)])).hooks(Trims);
    let agent = agent.budget(limits().tokens(100));
    let end = run(&agent, &mut Session::ask("x".repeat(1_000))).await;
    assert_eq!(end.text(), Some("Done."));
}

#[tokio::test]
async fn agents_in_calls_count_once_and_spend_from_the_budget_around_them() {
    let ran = Arc::new(Ran::default());
    // The helper would go on for ever.
    let inner = script([calls(&["pay"], 300, 0), calls(&["pay"], 400, 0)]);
    let outer = script([calls(&["helper"], 100, 0)]);
    let tools = Toolset::new([tool_of(payer(inner.clone(), &ran), "helper")]).unwrap();
    let agent = Agent::new(outer.clone(), tools).budget(limits().tokens(800));
    let mut session = Session::ask("Hi!");
    let end = run(&agent, &mut session).await;
    // Its second calls did not run: nothing was left.
    assert_eq!(ran.0.load(Ordering::SeqCst), 1);
    assert_eq!((session.usage().total(), end.usage.total()), (800, 800));
    assert_eq!(refused(&end).0.tokens, Some(0));
    assert!(answers(&session).is_empty());
    inner.finish();
    outer.finish();
    // With the same budget it stands where it stood, and a larger one goes on there.
    let mut session = stored(&session);
    assert_eq!(refused(&run(&agent, &mut session).await).0.tokens, Some(0));
    let inner = script([says(100, 0)]);
    let outer = script([says(100, 0)]);
    let tools = Toolset::new([tool_of(payer(inner.clone(), &ran), "helper")]).unwrap();
    let agent = Agent::new(outer.clone(), tools).budget(limits().tokens(5_000));
    assert_eq!(run(&agent, &mut session).await.text(), Some("Done."));
    assert_eq!(ran.0.load(Ordering::SeqCst), 2);
    assert_eq!(
        (session.usage().total(), answers(&session)),
        (1_000, vec!["Done.".to_owned()])
    );
    inner.finish();
}

#[tokio::test]
async fn an_agent_in_a_call_has_a_budget_of_its_own() {
    let inner = talker(script([])).budget(limits().tokens(0));
    let outer = script([calls(&["helper"], 10, 0), says(10, 0)]);
    let tools = Toolset::new([tool_of(inner, "helper")]).unwrap();
    let agent = Agent::new(outer, tools).budget(limits().tokens(10_000));
    let mut session = Session::ask("Hi!");
    assert_eq!(run(&agent, &mut session).await.text(), Some("Done."));
    assert_eq!(
        answers(&session),
        ["the agent's budget does not pay for more"]
    );
}

#[tokio::test]
async fn a_detached_agent_spends_from_its_own_budget_alone() {
    let inner = talker(script([says(1_000, 0)]));
    let tool = AgentTool::new(inner, "helper", "Helps.").detached();
    let outer = script([calls(&["helper"], 100, 0), says(10, 0), says(10, 0)]);
    let tools = Toolset::new([tool.build().unwrap()]).unwrap();
    let agent = Agent::new(outer, tools).budget(limits().tokens(500));
    let mut session = Session::ask("Hi!");
    let _ = run(&agent, &mut session).await;
    session.queue().arrived().await;
    let end = run(&agent, &mut session).await;
    assert_eq!(end.text(), Some("Done."));
    assert_eq!(end.left.unwrap().tokens, Some(380));
}

#[tokio::test]
async fn an_agent_whose_model_has_no_price_is_an_error_of_its_call() {
    let inner = talker(ScriptedModel::new([]).named("other"));
    let outer = script([calls(&["helper"], 10, 0), says(10, 0)]);
    let tools = Toolset::new([tool_of(inner, "helper")]).unwrap();
    let budget = limits().money(Money::from_cents(1_000), prices());
    let mut session = Session::ask("Hi!");
    let _ = run(&Agent::new(outer, tools).budget(budget), &mut session).await;
    assert_eq!(answers(&session), ["the agent could not run"]);
}

#[tokio::test]
async fn agents_that_run_at_once_do_not_spend_the_same_tokens() {
    // Each request needs more than half of the rest.
    let first = script([says(600, 0)]);
    let sent = Arc::new(Mutex::new(0));
    let heard = Arc::clone(&sent);
    let inner = talker(first).system("x".repeat(2_400));
    let inner = inner.on_event(move |event| {
        if let RunEvent::ModelStarted { .. } = event {
            *heard.lock().unwrap() += 1;
        }
    });
    let helpers = [tool_of(inner.clone(), "helper"), tool_of(inner, "other")];
    let outer = script([calls(&["helper", "other"], 0, 0)]);
    let executor = Executor::parallel(Toolset::new(helpers).unwrap(), 2);
    let agent = Agent::with_executor(outer, executor).budget(limits().tokens(1_000));
    let mut session = Session::ask("Hi!");
    let end = run(&agent, &mut session).await;
    assert_eq!(*sent.lock().unwrap(), 1);
    assert!(matches!(end.end, RunEnd::Budget { .. }), "{end:?}");
    assert_eq!(end.left.unwrap().tokens, Some(400));
    // The other one goes on with a larger budget.
    assert_eq!(
        (answers(&session), session.pending().len()),
        (vec!["Done.".to_owned()], 1)
    );
}

/// Hangs the first time.
#[tool(read_only)]
async fn hang(#[state] ran: &Ran) -> &'static str {
    if ran.0.fetch_add(1, Ordering::SeqCst) == 0 {
        ran.1.notify_one();
        std::future::pending::<()>().await;
    }
    "seen"
}

#[tokio::test]
async fn what_an_agent_in_a_call_spent_before_a_crash_still_counts() {
    for (store, _kept) in stores().await {
        let ran = Arc::new(Ran::default());
        let inner = script([calls(&["hang"], 700, 0)]);
        let outer = script([calls(&["helper"], 100, 0)]);
        let hanging = Agent::new(inner.clone(), tools![hang; state = Arc::clone(&ran)]);
        let tools = Toolset::new([tool_of(hanging.system("x".repeat(1_000)), "helper")]).unwrap();
        let agent = Agent::new(outer.clone(), tools).checkpointer(store);
        let agent = agent.budget(limits().tokens(1_000));
        let mut session = Session::with_id("s");
        session.say("Go!").unwrap();
        {
            let (cx, mut session) = (Context::new(), stored(&session));
            dropped_at(&ran.1, agent.run(&mut session, &cx)).await;
        }
        // 200 are left, and the helper's next request needs more.
        let (session, end) = agent.resume("s", &Context::new()).await.unwrap();
        assert_eq!(ran.0.load(Ordering::SeqCst), 2);
        assert_eq!((session.usage().total(), end.usage.total()), (800, 700));
        assert!(matches!(end.end, RunEnd::Budget { .. }), "{end:?}");
        assert!(answers(&session).is_empty());
        inner.finish();
    }
}

#[tokio::test]
async fn a_hand_over_stays_within_the_budget_and_has_the_prices_of_its_model() {
    let billing = ScriptedModel::new([says(1_000_000, 0)]).named("small");
    let desk = script([calls(&["transfer_to_billing"], 1_000_000, 0)]);
    let tools = Toolset::new([handoff("billing", "Knows invoices.").unwrap()]).unwrap();
    let prices = prices().model("small", Money::from_cents(10), Money::from_cents(10));
    let budget = limits().money(Money::from_cents(110), prices);
    let desk = Agent::new(desk, tools).name("desk");
    let desk = desk.peer("billing", talker(billing)).budget(budget);
    let mut session = Session::ask("Hi!");
    let end = run(&desk, &mut session).await;
    assert_eq!(session.agent(), Some("billing"));
    assert_eq!(end.left.unwrap().money, Some(Money::default()));
    session.say("More.").unwrap();
    refused(&run(&desk, &mut session).await);
}

#[derive(serde::Deserialize, Schema)]
struct Answer {
    sum: i64,
}

#[tokio::test]
async fn a_final_answer_is_a_request_too() {
    let model = script([
        says(100, 0),
        took(ModelResponse::text(r#"{"sum": 5}"#), 100, 0),
    ]);
    let budget = limits().tokens(200);
    let agent = talker(model.clone()).budget(budget.clone());
    let (mut session, cx) = (Session::ask("2 + 3"), Context::new());
    let _ = run(&agent, &mut session).await;
    let answer: Answer = agent.finalize(&mut session, &cx).await.unwrap();
    assert_eq!(answer.sum, 5);
    assert_eq!(budget.left(&session).unwrap().tokens, Some(0));
    let again = agent.finalize::<Answer>(&mut session, &cx).await;
    assert!(matches!(again, Err(AgentError::Budget { left, .. }) if left.is_empty()));
    model.finish();
}

#[test]
fn money_is_exact_and_decimal() {
    for (text, micros) in [
        ("0", 0),
        ("2.5", 2_500_000),
        ("0.075", 75_000),
        ("10.000001", 10_000_001),
        ("18446744073709.551615", u64::MAX),
    ] {
        let money: Money = text.parse().unwrap();
        assert_eq!((money.as_micros(), &*money.to_string()), (micros, text));
    }
    for text in [
        "",
        ".",
        "1.",
        ".5",
        "-1",
        "+1",
        "1e3",
        "1.0000001",
        "1,5",
        " 1",
        "18446744073709.551616",
        "١",
    ] {
        let error = text.parse::<Money>().unwrap_err();
        assert!(error.contains("not an amount of money"), "{error}");
    }
}

#[tokio::test]
async fn prices_are_read_from_json_and_costs_are_rounded_up() {
    let table = json!({"big": {"input": "0.075", "output": "10"}});
    let prices: Prices = serde_json::from_value(table.clone()).unwrap();
    assert_eq!(serde_json::to_value(&prices).unwrap(), table);
    let mut session = Session::ask("Hi!");
    let _ = run(&talker(script([says(1, 0)])), &mut session).await;
    // 0.075 millionths.
    assert_eq!(prices.cost(&session).unwrap(), Money::from_micros(1));
    let wrong = json!({"big": {"input": "free", "output": "10"}});
    assert!(serde_json::from_value::<Prices>(wrong).is_err());
}
