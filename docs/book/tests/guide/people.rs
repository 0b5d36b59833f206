//! The page `people.md`.

mod program;

use serde_json::json;
use toolwright::call::Decision;
use toolwright::layers::{Approval, Layer, Risk};
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

use crate::output;

// ANCHOR: which
use toolwright::Toolset;
fn by_risk(tools: &Toolset) -> Executor {
    // `#[tool(meta(risk = "medium"))]` and above: low, medium, high, critical.
    Executor::serial(tools).layer(Approval::at_least(Risk::Medium))
}

fn by_arguments(tools: &Toolset) -> Executor {
    let large = Approval::when(|request| {
        let arguments = serde_json::from_str::<serde_json::Value>(&request.call().arguments);
        arguments.is_ok_and(|it| it["cents"].as_u64() > Some(1_000))
    });
    Executor::serial(tools).layer(large.details(|_| json!({"why": "more than ten euros"})))
}
// ANCHOR_END: which

// ANCHOR: approved
use toolwright::call::Approved;

/// Transfers money to an account.
#[tool]
fn transfer(account: &str, cents: u64, yes: Approved<'_>) -> String {
    format!("{cents} to {account}, as approved: {}", yes.arguments())
}
// ANCHOR_END: approved

// ANCHOR: needs
async fn pay() {
    let (tools, cx) = (tools![transfer], Context::new());
    let call = ToolCall::new("1", "transfer", r#"{"account": "NO93", "cents": 500}"#);
    // Nobody is asked here.
    println!(
        "{}",
        tools.call(&call, &cx).await.content(Encoder::default())
    );

    let executor = Executor::serial(tools);
    let batch = executor.run(&[call], &cx).await;
    for pending in batch.pending() {
        println!("May it run? {}", pending.call.arguments);
        let decided = [pending.with_decision(Decision::Approve)];
        let batch = executor.run(&decided, &cx).await;
        for result in batch.results() {
            println!("{}", result.content(Encoder::default()));
        }
    }
}
// ANCHOR_END: needs

// ANCHOR: ask
fn at_once(tools: &Toolset) -> Executor {
    let approval = Approval::default().ask(|ask| async move {
        // Send it to a chat, a page, a terminal, and wait for what comes back.
        println!("May I {} {}?", ask.call.name, ask.arguments());
        Decision::Reject("nobody is here at night".into())
    });
    Executor::serial(tools).layer(approval)
}
// ANCHOR_END: ask

// ANCHOR: stored
use toolwright::executor::{Batch, DecidedCall};

/// What a page stores when somebody has clicked.
fn store(batch: &Batch, decision: Decision) -> Option<String> {
    let pending = batch.pending().next()?;
    serde_json::to_string(&pending.with_decision(decision)).ok()
}

/// Another process, on another day.
async fn go_on(executor: &Executor, stored: &str, cx: &Context) -> serde_json::Result<Batch> {
    let decided: DecidedCall = serde_json::from_str(stored)?;
    Ok(executor.run(&[decided], cx).await)
}
// ANCHOR_END: stored

// ANCHOR: questions
use toolwright::Outcome;
/// Asks the customer where to send something. The answer is the address.
#[tool(read_only)]
fn ask_address() -> Outcome {
    Outcome::ask("Where shall we send it?").option("choices", ["Oslo", "Bergen"])
}
// ANCHOR_END: questions

// ANCHOR: asked
use toolwright::executor::Halted;

fn asked(batch: &Batch) {
    for halted in batch.halts() {
        if let Halted::AskUser {
            id,
            question,
            options,
            ..
        } = halted
        {
            println!("{id} asks: {question} {}", json!(options));
        }
    }
}
// ANCHOR_END: asked

// ANCHOR: manual
/// Takes a photo with the user's camera.
#[tool(manual)]
fn take_photo(title: &str) -> String {
    unreachable!("the app answers `{title}`")
}
// ANCHOR_END: manual

// ANCHOR: agent
use toolwright::agent::{
    Agent, AgentError, ModelResponse, Session, Status, testing::ScriptedModel,
};

fn desk() -> Agent {
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([
            ToolCall::new("call_1", "delete_order", r#"{"order": 18}"#),
            ToolCall::new("call_2", "ask_address", "{}"),
        ])),
        Ok(ModelResponse::text("It is on its way to Oslo.")),
    ]);
    let executor = Executor::serial(tools![delete_order, ask_address]).layer(Approval::default());
    Agent::with_executor(model, executor)
}

async fn converse() -> Result<(), Box<dyn std::error::Error>> {
    let (agent, cx) = (desk(), Context::new());
    let mut session = Session::ask("Order 18 never came. Send it again!");
    loop {
        let run = agent.run(&mut session, &cx).await?;
        println!("the run ended: {}", run.end.as_str());
        // Answer and decide, then run again.
        loop {
            match session.status() {
                Status::AwaitingTools => {
                    for pending in session.pending() {
                        println!("{} {}", pending.call.name, pending.call.arguments);
                        session.decide(pending.index, Decision::Reject("keep it".into()))?;
                    }
                    break;
                }
                Status::AwaitingUser { question, .. } => {
                    println!("{question}");
                    session.answer("Oslo")?;
                }
                Status::Completed => {
                    println!("{}", run.text().unwrap_or_default());
                    return Ok(());
                }
                _ => break,
            }
        }
    }
}
// ANCHOR_END: agent

// ANCHOR: interrupt
use toolwright::agent::Node;

fn every_call(agent: Agent) -> Agent {
    agent.interrupt_before(Node::Tools)
}
// ANCHOR_END: interrupt

/// Deletes an order.
#[tool(destructive)]
fn delete_order(order: u32) -> String {
    format!("order {order} is gone")
}

/// Pays money back.
#[tool(meta(risk = "medium"))]
fn refund(cents: u32) -> String {
    format!("{cents} cents")
}

fn call(name: &str, arguments: &str) -> [ToolCall; 1] {
    [ToolCall::new("call_1", name, arguments)]
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

#[test]
fn an_approval_says_which_calls_wait() {
    let (cx, tools) = (Context::new(), tools![refund, delete_order]);
    let waits = |executor: &Executor, name, arguments| {
        !executor
            .run_blocking(&call(name, arguments), &cx)
            .is_settled()
    };
    assert!(waits(&by_risk(&tools), "refund", r#"{"cents": 1}"#));
    assert!(!waits(&by_risk(&tools), "delete_order", r#"{"order": 1}"#));
    assert!(!waits(
        &by_arguments(&tools),
        "refund",
        r#"{"cents": 1000}"#
    ));
    assert!(waits(&by_arguments(&tools), "refund", r#"{"cents": 1001}"#));
}

#[test]
fn a_closure_decides_at_once() {
    let executor = at_once(&tools![delete_order]);
    let printed = output::of(|| {
        let batch =
            executor.run_blocking(&call("delete_order", r#"{"order": 18}"#), &Context::new());
        println!(
            "{}",
            batch.results().next().unwrap().content(Encoder::auto())
        );
    });
    output::shown("people.ask.txt", &printed);
}

/// Rewrites the arguments of each call.
struct Rewrites;

impl Layer for Rewrites {
    fn call<'a>(
        &'a self,
        request: toolwright::layers::Request<'a>,
        next: toolwright::layers::Next<'a>,
    ) -> toolwright::call::BoxFuture<'a, toolwright::layers::Handled> {
        Box::pin(next.run(request.with_arguments(r#"{"order": 99}"#)))
    }
}

#[test]
fn a_decision_is_bound_to_the_arguments_that_were_shown() {
    let (cx, tools) = (Context::new(), tools![delete_order]);
    let executor = Executor::serial(&tools).layer(Approval::default());
    let batch = executor.run_blocking(&call("delete_order", r#"{"order": 18}"#), &cx);
    let stored = store(&batch, Decision::Approve).unwrap();
    output::shown_json("people.stored.json", &stored);

    let said = |batch: Batch| {
        batch
            .results()
            .next()
            .map(|it| it.content(Encoder::auto()).into_owned())
    };
    let batch = block_on(go_on(&executor, &stored, &cx)).unwrap();
    assert_eq!(said(batch).unwrap(), "order 18 is gone");

    // A layer outside the approval changes the arguments: somebody has to look again.
    let outside = Executor::serial(&tools)
        .layer(Rewrites)
        .layer(Approval::default());
    let batch = block_on(go_on(&outside, &stored, &cx)).unwrap();
    assert_eq!(
        &*batch.pending().next().unwrap().call.arguments,
        r#"{"order": 99}"#
    );

    // One further in: the call does not run.
    let inside = Executor::serial(&tools)
        .layer(Approval::default())
        .layer(Rewrites);
    let batch = block_on(go_on(&inside, &stored, &cx)).unwrap();
    assert!(
        said(batch)
            .unwrap()
            .contains("were changed after they had been approved")
    );

    // Edited arguments are decoded like those of a model.
    let edited = stored.replace("\"approve\"", r#"{"edit": {"order": "x"}}"#);
    let batch = block_on(go_on(&executor, &edited, &cx)).unwrap();
    assert_eq!(
        said(batch).unwrap(),
        "order: expected an integer of 0 or more, got \"x\""
    );
}

#[test]
fn nothing_runs_without_a_yes() {
    output::shown("people.needs.txt", &output::of(|| block_on(pay())));
}

#[test]
fn a_question_halts_the_turn() {
    let executor = Executor::serial(tools![ask_address]);
    let batch = executor.run_blocking(&call("ask_address", "{}"), &Context::new());
    output::shown("people.question.txt", &output::of(|| asked(&batch)));
}

#[test]
fn the_host_answers_calls_of_manual_tools() {
    let (executor, cx) = (Executor::serial(tools![take_photo]), Context::new());
    let batch = executor.run_blocking(&call("take_photo", r#"{"title": "Me"}"#), &cx);
    let answer = Decision::Answer("me.jpg".into());
    let batch = batch
        .resume_blocking(&executor, [(0, answer)], &cx)
        .unwrap();
    assert_eq!(
        batch.results().next().unwrap().content(Encoder::auto()),
        "me.jpg"
    );
}

#[test]
fn an_agent_pauses_for_people() {
    output::shown(
        "people.agent.txt",
        &output::of(|| block_on(converse()).unwrap()),
    );
}

#[test]
fn an_interrupt_shows_every_call() {
    block_on(async {
        let agent = every_call(desk());
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.end.as_str(), "interrupted");
        assert_eq!(session.pending().len(), 2);

        // An edit that does not fit: nothing runs, and the call is still pending.
        session
            .decide("call_1", Decision::edit(json!({"order": "x"})))
            .unwrap();
        let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
        assert!(
            matches!(&error, AgentError::Decision { path, .. } if path[..] == [0]),
            "{error}"
        );
        assert_eq!(session.pending().len(), 2);

        // Decided calls pass the `Approval` too; the others run as the model wrote them.
        session
            .decide("call_1", Decision::edit(json!({"order": 19})))
            .unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        session.answer("Oslo").unwrap();
        while session.result().is_none() {
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        }
        let said = serde_json::to_string(session.thread()).unwrap();
        assert!(said.contains("order 19 is gone"), "{said}");
    });
}
