//! The page `agents.md`.

mod crash;
mod program;

use toolwright::agent::Status;
use toolwright::agent::testing::ScriptedModel;
use toolwright::call::Cancel;
use toolwright::wire::Usage;
use toolwright::{Context, Executor, ToolCall, tool, tools};

use crate::output;

// ANCHOR: endpoint
use std::env::{VarError, var};
use toolwright::Toolset;
use toolwright::agent::{Agent, Endpoint};

fn with_a_model(tools: &Toolset) -> Result<Agent, VarError> {
    let model = Endpoint::openai_chat("https://api.openai.com/v1", "gpt-5", var("OPENAI_API_KEY")?)
        .body_field("temperature", 0.2) // any other member of the request's body
        .retries(3);
    Ok(Agent::new(model, tools).system("You plan trips. Answer briefly."))
}
// ANCHOR_END: endpoint

// ANCHOR: own_model
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::{Model, ModelResponse};
use toolwright::call::BoxFuture;

/// Repeats the user's words.
struct Echo;

impl Model for Echo {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>, // for a model that streams
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let words = request.thread.last_input().unwrap_or_default();
            Ok(ModelResponse::text(words)) // or `ModelResponse::calls`
        })
    }
}
// ANCHOR_END: own_model

// ANCHOR: stored
use toolwright::agent::Session;

fn stored_and_read(session: &Session) -> serde_json::Result<Session> {
    let text = serde_json::to_string(session)?; // into your database
    serde_json::from_str(&text)
}
// ANCHOR_END: stored

// ANCHOR: leases
use std::time::Duration;
use toolwright::agent::MemoryCheckpointer;
use toolwright::agent::store::{CheckpointError, Checkpointer};

fn leased() -> impl Checkpointer {
    MemoryCheckpointer::new().with_lease(Duration::from_secs(30))
}

async fn go_on(agent: &Agent, id: &str) -> Result<(), AgentError> {
    match agent.resume(id, &Context::new()).await {
        Err(AgentError::Checkpoint(CheckpointError::Held { left, .. })) => {
            println!("Another process goes on with it, for {left:?} at least.");
            Ok(())
        }
        resumed => resumed.map(drop),
    }
}
// ANCHOR_END: leases

// ANCHOR: requires
fn careful(agent: Agent) -> Agent {
    agent.requires(["escalate"])
}
// ANCHOR_END: requires

// ANCHOR: limits
fn limited(agent: Agent) -> Agent {
    agent
        .max_turns(8) // requests of one run; the default is 16
        .halt_when(|session, _last_message| session.usage().total() > 50_000)
}
// ANCHOR_END: limits

// ANCHOR: budget
use toolwright::agent::budget::{Money, Prices};
use toolwright::agent::{Budget, RunEnd};

fn with_budget(agent: Agent) -> Agent {
    // What a million tokens cost: of requests, and of responses.
    let prices = Prices::new().model("gpt-5", Money::from_cents(125), Money::from_cents(1_000));
    agent.budget(
        Budget::new()
            .tokens(200_000)
            .money(Money::from_cents(10), prices),
    )
}

async fn answer(agent: &Agent, session: &mut Session) -> Result<(), AgentError> {
    let run = agent.run(session, &Context::new()).await?;
    match &run.end {
        RunEnd::Budget { left, needs } => {
            println!("not sent: {needs} tokens are needed, {left} left");
        }
        _ => println!("{}", run.text().unwrap_or_default()),
    }
    if let Some(left) = run.left {
        println!("left: {left}");
    }
    Ok(())
}
// ANCHOR_END: budget

// ANCHOR: events
use toolwright::Encoder;
use toolwright::agent::RunEvent;
use toolwright::executor::Event;
use toolwright::wire::StreamEvent;

fn observed(agent: Agent) -> Agent {
    agent.on_event(|event| match event {
        // The model's words as they arrive.
        RunEvent::Delta {
            delta: StreamEvent::Text(text),
            ..
        } => println!("text: {text}"),
        RunEvent::Call {
            event: Event::Finished { call, result, .. },
            ..
        } => {
            println!("{}: {}", call.name, result.content(Encoder::auto()));
        }
        RunEvent::RunFinished { run, .. } => println!("end: {}", run.end.as_str()),
        _ => {}
    })
}
// ANCHOR_END: events

// ANCHOR: finalize
use serde::Deserialize;
use toolwright::Schema;
use toolwright::agent::AgentError;

#[derive(Debug, Deserialize, Schema)]
struct Weather {
    sunny: bool,
    /// In degrees Celsius
    #[schema(range(-60..=60))]
    degrees: i8,
}

async fn typed(agent: &Agent, session: &mut Session) -> Result<Weather, AgentError> {
    let _ = agent.run(session, &Context::new()).await?.completed()?;
    agent.finalize::<Weather>(session, &Context::new()).await
}
// ANCHOR_END: finalize

// ANCHOR: agent_tool
use toolwright::agent::AgentTool;
use toolwright::toolset::BuildError;

fn with_historian(historian: Agent) -> Result<Toolset, BuildError> {
    let tool =
        AgentTool::new(historian, "historian", "Answers questions about history.").build()?;
    let tools = tools![forecast].with(tool);
    Ok(tools)
}
// ANCHOR_END: agent_tool

// ANCHOR: handoff
use toolwright::agent::handoff;

fn desk(model: ScriptedModel, billing: Agent) -> Result<Agent, BuildError> {
    let transfer = handoff("billing", "Answers questions about invoices.")?;
    let tools = tools![forecast].with(transfer); // `transfer_to_billing`
    Ok(Agent::new(model, tools)
        .name("desk")
        .peer("billing", billing))
}
// ANCHOR_END: handoff

// ANCHOR: conversation
use toolwright::agent::Thread;

/// Says what the user asked for.
#[tool]
fn last_question(cx: &Context) -> Option<String> {
    let thread = cx.conversation::<Thread>()?;
    thread.last_input().map(str::to_owned)
}
// ANCHOR_END: conversation

// ANCHOR: background
use tokio::sync::Notify;

static ANSWERED: Notify = Notify::const_new();

/// Asks a supplier, which takes a while.
#[tool(background, read_only)]
async fn ask_supplier(article: String) -> String {
    ANSWERED.notified().await;
    format!("{article} is in stock")
}

async fn with_late_results(agent: &Agent, session: &mut Session) -> Result<(), AgentError> {
    loop {
        let run = agent.run(session, &Context::new()).await?;
        println!("{}", run.text().unwrap_or_default());
        if !session.open().is_live() && session.queue().is_empty() {
            return Ok(()); // `agent.waiting` has the calls that a crash left
        }
        session.queue().arrived().await; // a result, or a message of the user
    }
}
// ANCHOR_END: background

// ANCHOR: own_loop
use toolwright::agent::tool_node::{ToolNode, route};
use toolwright::agent::{Node, ThreadMessage};

async fn own_loop(agent: &Agent, node: &ToolNode) -> Result<Thread, AgentError> {
    let cx = Context::new();
    let mut thread = Thread::from([ThreadMessage::user("What will I need in Oslo?")]);
    loop {
        match route(&thread) {
            Node::Model => agent.chat(&mut thread, &cx).await?, // one request
            Node::Tools => {
                node.process(&mut thread, &cx).await?; // the calls of the last message
                continue;
            }
            Node::End => return Ok(thread),
        };
    }
}
// ANCHOR_END: own_loop

/// Weather forecast of a city.
#[tool(read_only)]
fn forecast(city: &str) -> String {
    format!("sun in {city}")
}

fn calls(name: &str, arguments: &str) -> ModelResponse {
    ModelResponse::calls([ToolCall::new("call_1", name, arguments)])
}

fn script<const N: usize>(responses: [ModelResponse; N]) -> ScriptedModel {
    ScriptedModel::new(responses.map(Ok))
}

fn forecaster() -> Agent {
    let model = script([
        calls("forecast", r#"{"city": "Oslo"}"#),
        ModelResponse::text("Take your sunglasses!"),
    ]);
    Agent::new(model, tools![forecast])
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

async fn run(agent: &Agent, session: &mut Session) -> String {
    let run = agent.run(session, &Context::new()).await.unwrap();
    run.text().unwrap_or(run.end.as_str()).to_owned()
}

#[test]
fn a_model_of_ones_own_answers() {
    let agent = Agent::new(Echo, Toolset::default());
    let mut session = Session::ask("Oslo?");
    assert_eq!(block_on(run(&agent, &mut session)), "Oslo?");
}

#[test]
fn a_session_is_data() {
    block_on(async {
        let agent = forecaster().interrupt_before(Node::Tools);
        let mut session = Session::ask("Oslo?");
        assert_eq!(run(&agent, &mut session).await, "interrupted");
        let mut session = stored_and_read(&session).unwrap();
        assert_eq!(run(&agent, &mut session).await, "Take your sunglasses!");
        assert_eq!(session.status(), Status::Completed);
    });
}

#[test]
fn a_lease_keeps_others_out() {
    block_on(async {
        let agent = forecaster().checkpointer(leased());
        let mut session = Session::ask("Oslo?");
        assert_eq!(run(&agent, &mut session).await, "Take your sunglasses!");
        go_on(&agent, session.id()).await.unwrap();
        let unknown = go_on(&agent, "nobody's").await.unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "there is no checkpoint of the session `nobody's`"
        );
    });
}

#[test]
fn a_run_does_not_start_without_a_required_tool() {
    block_on(async {
        let mut session = Session::ask("Oslo?");
        let agent = Agent::new(ScriptedModel::new([]), Toolset::default());
        let run = careful(agent).run(&mut session, &Context::new()).await;
        let lost = "the agent requires the tool `escalate`, which is not offered: there is no such tool in this conversation";
        assert_eq!(run.unwrap_err().to_string(), lost);
    });
}

#[test]
fn a_limit_is_an_end_and_the_next_run_goes_on() {
    block_on(async {
        let agent = limited(forecaster()).max_turns(1);
        let mut session = Session::ask("Oslo?");
        let end = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(end.end.as_str(), "max_turns");
        assert!(end.completed().is_err());
        assert_eq!(run(&agent, &mut session).await, "Take your sunglasses!");
    });
}

#[test]
fn a_budget_refuses_the_next_request() {
    let usage = Usage::new(60_000, 2_000);
    let model = ScriptedModel::new([Ok(ModelResponse::text("It is sunny.").with_usage(usage))]);
    let agent = Agent::new(model.named("gpt-5"), tools![forecast]);
    let agent = with_budget(agent.system("Answer in one sentence. ".repeat(2_000)));
    let printed = output::of(|| {
        block_on(async {
            let mut session = Session::ask("Oslo?");
            answer(&agent, &mut session).await.unwrap();
            session.say("And Rome?").unwrap();
            answer(&agent, &mut session).await.unwrap();
        });
    });
    output::shown("agents.budget.txt", &printed);
}

#[test]
fn a_cancelled_run_answers_its_calls() {
    block_on(async {
        let agent = Agent::new(script([]), tools![forecast]);
        let stop = Cancel::new();
        stop.cancel();
        let cx = Context::new().with_cancel(stop);
        let run = agent.run(&mut Session::ask("Oslo?"), &cx).await.unwrap();
        assert_eq!(run.end.as_str(), "cancelled");
    });
}

#[test]
fn events_are_sent_while_it_runs() {
    let agent = observed(forecaster());
    let printed = output::of(|| block_on(run(&agent, &mut Session::ask("Oslo?"))));
    output::shown("agents.events.txt", &printed);
}

#[test]
fn the_final_answer_is_typed() {
    block_on(async {
        let model = script([
            ModelResponse::text("It is sunny, 24 degrees."),
            ModelResponse::text(r#"{"sunny": true, "degrees": 24}"#),
            ModelResponse::text(r#"{"sunny": true, "degrees": 2400}"#),
        ]);
        let agent = Agent::new(model, tools![forecast]);
        let mut session = Session::ask("Oslo?");
        let weather = typed(&agent, &mut session).await.unwrap();
        assert!(weather.sunny && weather.degrees == 24);
        let error = agent
            .finalize::<Weather>(&mut session, &Context::new())
            .await
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("expected an integer from -60 to 60"),
            "{error}"
        );
    });
}

#[test]
fn an_agent_is_a_tool() {
    block_on(async {
        let historian = Agent::new(
            script([ModelResponse::text("In 1066.")]),
            Toolset::default(),
        );
        let tools = with_historian(historian).unwrap();
        output::shown_json(
            "agents.historian.json",
            tools.get("historian").unwrap().def().input.as_json(),
        );
        let model = script([
            calls(
                "historian",
                r#"{"input": "When was the battle of Hastings?"}"#,
            ),
            ModelResponse::text("1066."),
        ]);
        let agent = Agent::new(model, tools);
        assert_eq!(run(&agent, &mut Session::ask("Hastings?")).await, "1066.");
    });
}

#[test]
fn another_agent_takes_the_conversation_over() {
    block_on(async {
        let billing = Agent::new(
            script([ModelResponse::text("It was paid in May.")]),
            Toolset::default(),
        );
        let desk = desk(script([calls("transfer_to_billing", "{}")]), billing).unwrap();
        let mut session = Session::ask("Was invoice 7 paid?");
        assert_eq!(run(&desk, &mut session).await, "It was paid in May.");
        assert_eq!(session.agent(), Some("billing"));
    });
}

#[test]
fn a_tool_reads_the_conversation_if_the_agent_shares_it() {
    block_on(async {
        for (shares, answer) in [(true, "Hello!"), (false, "null")] {
            let model = script([calls("last_question", "{}"), ModelResponse::text("Done.")]);
            let agent = Agent::new(model, tools![last_question]);
            let agent = if shares { agent.share_thread() } else { agent };
            let mut session = Session::ask("Hello!");
            run(&agent, &mut session).await;
            let answered = format!("{:?}", session.thread().messages()[2]);
            assert!(answered.contains(answer), "{answered}");
        }
    });
}

#[test]
fn a_late_result_is_a_message() {
    let model = script([
        calls("ask_supplier", r#"{"article": "tea"}"#),
        ModelResponse::text("I asked."),
        ModelResponse::text("There is tea."),
    ]);
    let agent = Agent::new(model, tools![ask_supplier]).on_event(|event| {
        if matches!(event, RunEvent::RunFinished { .. }) {
            ANSWERED.notify_one();
        }
    });
    let mut session = Session::with_id("ann");
    session.say("Is there tea?").unwrap();
    let printed = output::of(|| block_on(with_late_results(&agent, &mut session)).unwrap());
    output::shown("agents.background.txt", &printed);
    let late = serde_json::to_string(&session.thread().messages()[4]).unwrap();
    output::shown_json("agents.background.json", &late);
}

#[test]
fn a_loop_of_ones_own() {
    let agent = forecaster();
    let node = ToolNode::new(Executor::serial(tools![forecast]));
    let thread = block_on(own_loop(&agent, &node)).unwrap();
    assert_eq!(thread.last_text(), Some("Take your sunglasses!"));
}
