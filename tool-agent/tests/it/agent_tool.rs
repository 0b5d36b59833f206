//! Agents that are tools of other ones: what they come to, and what they wait for.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright::agent::budget::{Budget, Money, Prices};
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::session::{CallRef, SessionError};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::tool_node::{ToolNode, route};
use toolwright::agent::{
    Agent, AgentError, AgentTool, ModelResponse, Node, RunEnd, Session, Status, ThreadMessage,
};
use toolwright::executor::PendingReason;
use toolwright::layers::Approval;
use toolwright::wire::Usage;
use toolwright::{
    Context, Executor, Outcome, Schema, Tool, ToolCall, Toolset,
    call::{Approved, Cancel, Decision, HaltReason, State},
    tool, tools,
};

fn ask(id: &str, tool: &str, input: &str) -> ToolCall {
    ToolCall::new(id, tool, json!({"input": input}).to_string())
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn script(steps: impl IntoIterator<Item = Result<ModelResponse, ModelError>>) -> ScriptedModel {
    ScriptedModel::new(steps)
}

/// The agent as the tool `helper`.
fn helper(agent: Agent) -> Arc<dyn Tool> {
    let tool = AgentTool::new(agent, "helper", "Helps.");
    tool.build().unwrap()
}

/// An agent with this one tool.
fn with(model: ScriptedModel, tool: Arc<dyn Tool>) -> Agent {
    Agent::new(model, Toolset::new([tool]).unwrap())
}

/// A session as it comes back from storage.
fn stored(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

fn answers(session: &Session) -> Vec<(String, bool)> {
    let answers = session.thread().messages().iter();
    let answers = answers.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some((answer.text.clone(), answer.is_error)),
        _ => None,
    });
    answers.collect()
}

/// What ran.
#[derive(Clone, Default)]
struct Ran(Arc<Mutex<Vec<String>>>);

impl Ran {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Pays.
#[tool(meta(risk = "high"))]
fn pay(cents: u64, #[state] ran: &Ran) -> u64 {
    ran.note(format!("paid {cents}"));
    cents
}

/// Looks.
#[tool(read_only)]
fn look(#[state] ran: &Ran) -> &'static str {
    ran.note("looked");
    "seen"
}

/// Asks for a city.
#[tool]
fn pick_city() -> Outcome {
    Outcome::ask("Which city?").option("choices", json!(["Oslo", "Rome"]))
}

/// Hands in a plan.
#[tool]
fn submit_plan(steps: u8) -> Outcome {
    Outcome::halt(HaltReason::new("plan_submitted"), json!({"steps": steps}))
}

/// What the conversation knows.
#[tool]
fn knows(#[context] cx: &Context) -> bool {
    cx.state().get("admin") == Some(&json!(true))
}

/// Opens a vault.
#[tool]
#[allow(clippy::needless_pass_by_value)] // The yes is spent here.
fn open_vault(#[arg(secret)] code: &str, yes: Approved<'_>) -> usize {
    let _ = yes;
    code.len()
}

#[tokio::test]
async fn all_that_is_waited_for_is_listed_with_its_path_and_without_secrets() {
    let vault = ToolCall::new("v", "open_vault", r#"{"code": "1234"}"#);
    let innermost = script([
        calls(&[ToolCall::new("p", "pick_city", "{}"), vault]),
        text("Open."),
    ]);
    let innermost = helper(Agent::new(innermost, tools![pick_city, open_vault]));
    let inner = script([
        calls(&[ask("x", "helper", "Open it!")]),
        text("It is open."),
    ]);
    let model = script([calls(&[ask("a", "helper", "Open!")]), text("Done.")]);
    let agent = with(model, helper(with(inner, innermost)));
    let (mut session, cx) = (Session::ask("Go!"), Context::new());
    let _ = agent.run(&mut session, &cx).await.unwrap();
    let waiting = agent.waiting(&stored(&session), &cx);
    let listed: Vec<_> = waiting
        .iter()
        .map(|one| (&*one.path, &*one.tool, one.arguments.as_deref()))
        .collect();
    assert_eq!(
        listed,
        [
            (&[0][..], "helper", Some(r#"{"input":"Open!"}"#)),
            (&[0, 0], "helper", Some(r#"{"input":"Open it!"}"#)),
            (&[0, 0, 0], "pick_city", Some("{}")),
            (&[0, 0, 1], "open_vault", Some(r#"{"code":"[secret]"}"#)),
        ]
    );
    assert_eq!(waiting[2].reason.question().unwrap().text, "Which city?");
    // An agent that has no such tool any more knows nothing of what is inside.
    let other = Agent::new(script([]), Toolset::default());
    let shown = other.waiting(&session, &cx);
    assert!(shown.iter().all(|one| one.arguments.is_none()), "{shown:?}");

    for path in [&[][..], &[0, 7, 1], &[0, 0, 2], &[0, 0, 0, 0], &[1]] {
        session.decide(path, Decision::Approve).unwrap_err();
        session.answer_call(path, "Oslo").unwrap_err();
    }
    let other = CallRef::Key(waiting[3].key.replace("/1/", "/2/").into());
    session.decide(other, Decision::Approve).unwrap_err();
    session.decide(&waiting[3], Decision::Approve).unwrap();
    session.answer_call(&waiting[2], "Oslo").unwrap();
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(answers(&session)[0].0, "It is open.");
}

/// An agent that pays when somebody says yes.
fn payer(model: ScriptedModel, ran: &Ran) -> Agent {
    let tools = tools![pay, look; state = ran.clone()];
    Agent::with_executor(
        model,
        Executor::serial(tools).layer(Approval::at_least("high")),
    )
}

fn pay_call(id: &str, cents: u64) -> ToolCall {
    ToolCall::new(id, "pay", json!({"cents": cents}).to_string())
}

#[tokio::test]
async fn a_coordinator_calls_a_historian() {
    let inner = script([text("In 1066."), text("In 1815.")]);
    let historian = Agent::new(inner.clone(), Toolset::default()).system("You know all dates.");
    let historian = AgentTool::new(historian, "historian", "Answers questions about history.");
    let both = [
        ask("c1", "historian", "When was Hastings?"),
        ToolCall::new("c2", "historian", "{}"),
        ask("c3", "historian", "And Waterloo?"),
    ];
    let model = script([calls(&both), text("Hastings was in 1066.")]);
    let agent = with(model.clone(), historian.build().unwrap());
    let mut session = Session::ask("When was Hastings?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Hastings was in 1066."));
    assert_eq!(
        answers(&session),
        [
            ("In 1066.".to_owned(), false),
            ("input: missing, expected a string".to_owned(), true),
            ("In 1815.".to_owned(), false),
        ]
    );

    // A conversation of its own, each time: its prompt, and the words that it was given.
    let requests = inner.requests();
    assert_eq!(requests.len(), 2);
    for (request, words) in requests.iter().zip(["When was Hastings?", "And Waterloo?"]) {
        assert_eq!(request.system.as_deref(), Some("You know all dates."));
        assert_eq!(request.thread.messages(), [ThreadMessage::user(words)]);
    }
    assert_eq!(model.requests()[0].tools, ["historian"]);
}

#[test]
fn its_one_parameter_is_its_input() {
    let tool = helper(Agent::new(script([]), Toolset::default()));
    assert_eq!(
        tool.def().input.to_value(),
        json!({
            "type": "object",
            "properties": {
                "input": {"type": "string", "description": "Instructions for this agent"}
            },
            "required": ["input"],
            "additionalProperties": false
        })
    );
    let nameless = AgentTool::new(Agent::new(script([]), Toolset::default()), "a b", "Helps.");
    assert!(nameless.build().is_err());
}

#[tokio::test]
async fn what_goes_wrong_inside_is_an_error_of_the_call() {
    let busy = Err(ModelError::new(ModelErrorKind::Busy, "429 from 10.0.0.7"));
    let wants = || calls(&[ToolCall::new("x", "submit_plan", "{}")]);
    let inner = script([busy, wants()]);
    let inner = Agent::new(inner, tools![submit_plan]).max_turns(1);
    let asks = || calls(&[ask("c", "helper", "Go!")]);
    let agent = with(script([asks(), asks(), text("Sorry.")]), helper(inner));
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Sorry."));
    assert_eq!(
        answers(&session),
        [
            ("the agent's model failed".to_owned(), true),
            (
                "the agent reached its limit of 1 model calls".to_owned(),
                true
            ),
        ]
    );
}

#[tokio::test]
async fn a_tool_that_ends_the_inner_conversation_ends_that_of_its_caller() {
    let plan = ToolCall::new("x", "submit_plan", r#"{"steps": 3}"#);
    let inner = Agent::new(script([calls(&[plan])]), tools![submit_plan]);
    let outer = script([calls(&[ask("c1", "helper", "Plan!")])]);
    let mut session = Session::ask("Plan!");
    let agent = with(outer, helper(inner));
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "plan_submitted");
    assert_eq!(answers(&session), [(r#"{"steps":3}"#.to_owned(), false)]);
}

#[tokio::test]
async fn the_state_goes_in_and_the_cost_comes_out() {
    let usage = |input, output| Usage::new(input, output);
    let inner = script([
        Ok(ModelResponse::calls([ToolCall::new("x", "knows", "{}")]).with_usage(usage(7, 3))),
        Ok(ModelResponse::text("true").with_usage(usage(10, 1))),
    ]);
    let outer = script([
        Ok(ModelResponse::calls([ask("c1", "helper", "Well?")]).with_usage(usage(100, 10))),
        text("Yes."),
    ]);
    let agent = with(outer, helper(Agent::new(inner.clone(), tools![knows])));
    let mut session = Session::ask("Well?").with_state(State::new().with("admin", true));
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        (run.usage, session.usage()),
        (usage(117, 14), usage(117, 14))
    );
    let Some(ThreadMessage::Tool(answer)) = inner.requests()[1].thread.last().cloned() else {
        panic!("no answer");
    };
    assert_eq!(answer.text, "true");
}

#[tokio::test]
async fn a_result_may_be_a_value() {
    #[derive(serde::Serialize, serde::Deserialize, Schema)]
    struct Sum {
        sum: i64,
    }

    let inner = script([
        text("It is 5."),
        text(r#"{"sum": 5}"#),
        text("?"),
        text("5"),
    ]);
    let inner = Agent::new(inner.clone(), Toolset::default());
    let tool = AgentTool::new(inner, "helper", "Adds.").finalize::<Sum>();
    let tool = tool.build().unwrap();
    let output = tool.def().output.as_ref().unwrap().to_value();
    assert_eq!(output["properties"]["sum"]["type"], "integer");
    let asks = || calls(&[ask("c", "helper", "2 + 3?")]);
    let agent = with(script([asks(), asks(), text("5.")]), tool);
    let mut session = Session::ask("2 + 3?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let answers = answers(&session);
    assert_eq!(answers[0], (r#"{"sum":5}"#.to_owned(), false));
    assert!(
        answers[1].1
            && answers[1]
                .0
                .starts_with("the agent's answer does not match the schema")
    );
}

/// An agent whose helper asks for a city, and the session that waits for it.
async fn asked(next: Option<&str>) -> (Agent, Session) {
    let picks = calls(&[ToolCall::new("x", "pick_city", "{}")]);
    let inner = script(std::iter::once(picks).chain(next.map(text)));
    let inner = Agent::new(inner, tools![pick_city]);
    let outer = script([calls(&[ask("c1", "helper", "Weather?")]), text("Sun.")]);
    let agent = with(outer, helper(inner));
    let mut session = Session::ask("Weather?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    let RunEnd::AskUser {
        index: 0,
        id,
        question,
        options,
    } = run.end
    else {
        panic!("{:?}", run.end);
    };
    assert_eq!((&*id, question.as_str()), ("c1", "Which city?"));
    assert_eq!(options["choices"], json!(["Oslo", "Rome"]));
    (agent, stored(&session))
}

#[tokio::test]
async fn a_question_inside_is_asked_outside() {
    for as_a_message in [false, true] {
        let (agent, mut session) = asked(Some("Sun in Oslo.")).await;
        assert!(matches!(session.status(), Status::AwaitingUser { .. }));
        let pending = session.pending();
        assert_eq!(
            (pending.len(), &pending[0].reason),
            (1, &PendingReason::Agent)
        );
        let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
        assert!(matches!(
            error,
            AgentError::Session(SessionError::WrongStatus { .. })
        ));

        if as_a_message {
            session.reply("Oslo").unwrap();
        } else {
            session.answer("Oslo").unwrap();
        }
        assert_eq!(session.status(), &Status::AwaitingTools);
        let inside = session.sub_session("c1").unwrap().thread();
        assert_eq!(inside.len(), if as_a_message { 5 } else { 3 });
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Sun."));
        assert_eq!(answers(&session), [("Sun in Oslo.".to_owned(), false)]);
        assert_eq!(session.thread().len(), 4);
    }
}

#[tokio::test]
async fn whoever_waits_for_an_agent_may_end_it() {
    let (agent, mut session) = asked(None).await;
    let reject = Decision::Reject("never mind".into());
    session.decide("c1", reject).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let rejected = "the call was rejected: never mind";
    assert_eq!(answers(&session), [(rejected.to_owned(), true)]);

    let (agent, mut session) = asked(None).await;
    session.submit("c1", "rain").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(&session), [("rain".to_owned(), false)]);

    // Its first words are said.
    let (agent, mut session) = asked(Some("Sun in Oslo.")).await;
    let edit = Decision::edit(json!({"input": "Snow?"}));
    session.decide("c1", edit).unwrap();
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert!(matches!(&error, AgentError::Decision { path, .. } if path[..] == [0]));
    session.answer("Oslo").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(&session), [("Sun in Oslo.".to_owned(), false)]);
}

#[tokio::test]
async fn decisions_reach_calls_inside() {
    let ran = Ran::default();
    let inner = script([
        calls(&[
            pay_call("x", 5),
            ToolCall::new("y", "look", "{}"),
            pay_call("z", 7),
        ]),
        text("Paid."),
    ]);
    // Between them stands one that hands on what it is given.
    let middle = script([calls(&[ask("m", "helper", "Pay!")]), text("It paid.")]);
    let middle = with(middle, helper(payer(inner, &ran)));
    let middle = AgentTool::new(middle, "manager", "Manages.")
        .build()
        .unwrap();
    let both = [
        ask("c1", "manager", "Pay!"),
        ToolCall::new("c2", "look", "{}"),
    ];
    let outer = script([calls(&both), text("Done.")]);
    let tools = tools![look; state = ran.clone()];
    let tools = tools.merge(&Toolset::new([middle]).unwrap()).unwrap();
    let agent = Agent::new(outer, tools);
    let mut session = Session::ask("Pay!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    assert_eq!(ran.all(), ["looked", "looked"]);

    let mut session = stored(&session);
    let inside = session.sub_session("c1").unwrap();
    let inside = inside.sub_session(0).unwrap().pending();
    assert!(matches!(&inside[0].reason, PendingReason::Decision(shown) if shown["risk"] == "high"));
    assert_eq!(session.sub_session("c2").map(Session::id), None);

    // One of the two: the others wait on, and nothing runs twice.
    let decide = |session: &mut Session, call: &str, decision: Decision| {
        session.in_sub_session("c1", |sub| {
            sub.in_sub_session("m", |sub| sub.decide(call, decision))
        })
    };
    decide(&mut session, "z", Decision::edit(json!({"cents": 1}))).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    assert_eq!(ran.all(), ["looked", "looked", "paid 1"]);
    assert_eq!(
        decide(&mut session, "z", Decision::Approve),
        Err(SessionError::UnknownCall("z".into()))
    );
    decide(&mut session, "x", Decision::Approve).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(ran.all(), ["looked", "looked", "paid 1", "paid 5"]);
    assert_eq!(answers(&session)[0], ("It paid.".to_owned(), false));
    // One round of tools, in three runs.
    assert!(session.thread().check().is_ok());
}

/// An agent, one that hands on to it, and the caller; and the session that waits for a decision at the path `[0, 0, 0]`.
/// `inside` makes the innermost agent. All models make their calls, or say that it is done, or are not asked.
fn nested(asked: Asked, ran: &Ran, inside: impl FnOnce(ScriptedModel, &Ran) -> Agent) -> Agent {
    let step = |first, then| match asked {
        Asked::First => script([first]),
        Asked::Then => script([then]),
        Asked::Never => script([]),
    };
    let inner = step(calls(&[pay_call("x", 5)]), text("Paid."));
    let middle = step(calls(&[ask("m", "helper", "Pay!")]), text("It paid."));
    let middle = with(middle, helper(inside(inner, ran)));
    let middle = AgentTool::new(middle, "manager", "Manages.");
    let outer = step(calls(&[ask("c1", "manager", "Pay!")]), text("Done."));
    with(outer, middle.build().unwrap())
}

#[derive(Clone, Copy)]
enum Asked {
    First,
    Then,
    Never,
}

async fn waits_deep_inside(ran: &Ran) -> Session {
    let mut session = Session::ask("Pay!");
    let agent = nested(Asked::First, ran, payer);
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    stored(&session)
}

/// Nothing ran, no model read anything, and the call waits on, for another decision.
async fn waits_on(agent: &Agent, session: &mut Session, ran: &Ran, why: &str) {
    let before = session.usage();
    let error = agent.run(session, &Context::new()).await.unwrap_err();
    let AgentError::Decision { path, error } = &error else {
        panic!("{error:?}");
    };
    assert!(path.starts_with(&[0]), "{path:?}");
    assert!(error.to_string().contains(why), "{error}");
    assert_eq!((ran.all().len(), session.usage()), (0, before));
    assert_eq!(session.status(), &Status::AwaitingTools);
    let waits = agent.waiting(session, &Context::new());
    let paths: Vec<_> = waits.iter().map(|waits| &waits.path[..]).collect();
    assert_eq!(paths, [&[0][..], &[0, 0], &[0, 0, 0]]);
}

#[tokio::test]
async fn a_decision_that_cannot_be_carried_out_inside_stays_pending() {
    let decide = |session: &mut Session, decision| session.decide(&[0; 3][..], decision);
    // Edits that do not fit.
    for cents in [json!("five"), json!(null), json!(-1), json!(1.5), json!([])] {
        let ran = Ran::default();
        let mut session = waits_deep_inside(&ran).await;
        decide(&mut session, Decision::edit(json!({"cents": cents}))).unwrap();
        let agent = nested(Asked::Never, &ran, payer);
        waits_on(&agent, &mut session, &ran, "cents: expected").await;
        let agent = nested(Asked::Then, &ran, payer);
        decide(&mut session, Decision::edit(json!({"cents": 1}))).unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(
            (run.text(), ran.all()),
            (Some("Done."), vec!["paid 1".to_owned()])
        );
    }
    // A tool that is gone.
    let ran = Ran::default();
    let mut session = waits_deep_inside(&ran).await;
    decide(&mut session, Decision::Approve).unwrap();
    let without = |model, ran: &Ran| Agent::new(model, tools![look; state = ran.clone()]);
    let agent = nested(Asked::Never, &ran, without);
    waits_on(&agent, &mut session, &ran, "has changed since").await;
    let reject = Decision::Reject("not today".into());
    decide(&mut session, reject).unwrap();
    let agent = nested(Asked::Then, &ran, without);
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.text(), ran.all().len()), (Some("Done."), 0));
}

#[tokio::test]
async fn an_agent_inside_that_the_host_has_to_mend_goes_on_where_it_stood() {
    type Inside = fn(ScriptedModel, &Ran) -> Agent;
    let changes: [(Inside, &str); 2] = [
        (
            |model, ran| payer(model, ran).requires(["nothing"]),
            "requires the tool `nothing`",
        ),
        (
            |model, ran| {
                let budget = Budget::new().money(Money::from_cents(4), Prices::new());
                payer(model, ran).budget(budget)
            },
            "the table of prices",
        ),
    ];
    for (change, why) in changes {
        let ran = Ran::default();
        let mut session = waits_deep_inside(&ran).await;
        session.decide(&[0; 3][..], Decision::Approve).unwrap();
        for _ in 0..2 {
            session = stored(&session);
            let agent = nested(Asked::Never, &ran, change);
            let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
            assert!(
                matches!(&error, AgentError::Decision { path, .. } if path[..] == [0, 0]),
                "{error:?}"
            );
            assert!(error.to_string().contains(why), "{error}");
            assert_eq!(ran.all(), ["paid 5"]);
            assert_eq!(answers(&session), []);
        }
        let agent = nested(Asked::Then, &ran, payer);
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(
            (run.text(), ran.all()),
            (Some("Done."), vec!["paid 5".to_owned()])
        );
    }
}

#[tokio::test]
async fn a_call_whose_agent_waits_is_not_approved() {
    let ran = Ran::default();
    let mut session = waits_deep_inside(&ran).await;
    let before = stored(&session);
    for path in [&[0][..], &[0, 0]] {
        let error = session.decide(path, Decision::Approve).unwrap_err();
        let inside = vec![0; 3];
        assert_eq!(error, SessionError::WaitsInside(inside.clone()));
        let shown = format!("{inside:?}");
        assert!(error.to_string().contains(&shown), "{error}");
    }
    assert_eq!(
        serde_json::to_value(&session).unwrap(),
        serde_json::to_value(&before).unwrap()
    );
    // Once that is decided, an approval says nothing that is wrong.
    session.decide(&[0; 3][..], Decision::Approve).unwrap();
    session.decide(0, Decision::Approve).unwrap();
    let agent = nested(Asked::Then, &ran, payer);
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        (run.text(), ran.all()),
        (Some("Done."), vec!["paid 5".to_owned()])
    );

    // A question inside.
    let (agent, mut session) = asked(Some("Sun in Oslo.")).await;
    assert_eq!(
        session.decide(0, Decision::Approve),
        Err(SessionError::WaitsInside(vec![0, 0]))
    );
    session.answer("Oslo").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
}

#[tokio::test]
async fn a_turn_that_goes_on_is_one_round() {
    let ran = Ran::default();
    let inner = script([calls(&[pay_call("x", 5), pay_call("y", 6)]), text("Paid.")]);
    let inner = payer(inner, &ran).max_tool_rounds(1);
    let outer = script([calls(&[ask("c1", "helper", "Pay!")]), text("Done.")]);
    let agent = with(outer, helper(inner)).max_tool_rounds(1);
    let mut session = Session::ask("Pay!");
    for call in ["x", "y"] {
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        session
            .in_sub_session("c1", |sub| sub.decide(call, Decision::Approve))
            .unwrap();
    }
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(ran.all(), ["paid 5", "paid 6"]);
}

#[tokio::test]
async fn an_interrupt_inside_needs_nobody() {
    let ran = Ran::default();
    let inner = script([calls(&[ToolCall::new("y", "look", "{}")]), text("Seen.")]);
    let inner = payer(inner, &ran).interrupt_before(Node::Tools);
    let outer = script([calls(&[ask("c1", "helper", "Look!")]), text("Done.")]);
    let agent = with(outer, helper(inner));
    let mut session = Session::ask("Look!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    assert!(ran.all().is_empty());
    let inside = session.sub_session("c1").unwrap();
    assert_eq!(inside.status(), &Status::Interrupted { node: Node::Tools });
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(ran.all(), ["looked"]);
}

#[tokio::test]
async fn two_that_ask_are_answered_one_after_the_other() {
    let inner = || {
        let picks = calls(&[ToolCall::new("x", "pick_city", "{}")]);
        Agent::new(script([picks, text("Sun.")]), tools![pick_city])
    };
    let named = |name: &str| AgentTool::new(inner(), name, "Helps.").build().unwrap();
    let both = [ask("c1", "one", "Weather?"), ask("c2", "two", "Weather?")];
    let outer = script([calls(&both), text("Sun everywhere.")]);
    let tools = Toolset::new([named("one"), named("two")]).unwrap();
    let agent = Agent::new(outer, tools);
    let mut session = Session::ask("Weather?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let asking = |session: &Session| match session.status() {
        Status::AwaitingUser { id, .. } => id.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(asking(&session), "c1");
    session.answer("Oslo").unwrap();
    assert_eq!(asking(&session), "c2");
    session.answer("Rome").unwrap();
    assert_eq!(session.status(), &Status::AwaitingTools);
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Sun everywhere."));
}

#[tokio::test]
async fn who_stops_the_caller_stops_the_agent() {
    /// Says stop, and hangs.
    #[tool]
    async fn hang(#[state] stop: &Cancel) -> u8 {
        stop.cancel();
        std::future::pending::<()>().await;
        1
    }

    let stop = Cancel::new();
    let inner = script([calls(&[ToolCall::new("x", "hang", "{}")])]);
    let inner = Agent::new(inner, tools![hang; state = stop.clone()]);
    let outer = script([calls(&[ask("c1", "helper", "Go!")])]);
    let agent = with(outer, helper(inner));
    let mut session = Session::ask("Go!");
    let cx = Context::new().with_cancel(stop);
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Cancelled));
    let answers = answers(&session);
    assert!(answers.len() == 1 && answers[0].1, "{answers:?}");
    assert!(session.pending().is_empty());
}

#[tokio::test]
async fn an_executor_alone_keeps_no_pause() {
    let picks = calls(&[ToolCall::new("x", "pick_city", "{}")]);
    let asks = helper(Agent::new(script([picks]), tools![pick_city]));
    let node = ToolNode::new(Executor::serial(Toolset::new([asks]).unwrap()));
    let asked = || {
        let asked = ThreadMessage::calls([ask("c1", "helper", "Weather?")]);
        [ThreadMessage::user("Weather?"), asked].into()
    };
    let mut thread = asked();
    let answers = node.process(&mut thread, &Context::new()).await.unwrap();
    assert!(matches!(
        answers.halted,
        Some(toolwright::executor::Halted::AskUser { .. })
    ));

    // Nothing of it runs, not even its model.
    let ran = Ran::default();
    let pays = payer(script([]), &ran);
    let node = ToolNode::new(Executor::serial(Toolset::new([helper(pays)]).unwrap()));
    let mut thread = asked();
    let answers = node.process(&mut thread, &Context::new()).await.unwrap();
    assert_eq!(
        answers.messages[0].text,
        "the agent needs somebody's decision, and nobody can be asked here"
    );
    assert_eq!((route(&thread), ran.all().len()), (Node::Model, 0));
}

#[tokio::test]
async fn what_is_the_callers_alone_stays_outside() {
    /// Who calls.
    #[tool]
    fn seen(#[context] cx: &Context) -> String {
        cx.agent_id().unwrap_or("nobody").to_owned()
    }

    let noted = Ran::default();
    let calls_of_batches = noted.clone();
    let inner = script([calls(&[ToolCall::new("x", "seen", "{}")]), text("Done.")]);
    let executor = Executor::serial(tools![seen]).on_event(move |event| {
        if let toolwright::executor::Event::BatchStarted { cx, .. } = event {
            calls_of_batches.note(cx.call_id().unwrap_or("no call"));
        }
    });
    let agent = with(
        script([calls(&[ask("c1", "helper", "Go!")]), text("Done.")]),
        helper(Agent::with_executor(inner.clone(), executor)),
    );
    let agent = agent.name("desk");
    let cx = Context::new();
    let _ = agent.run(&mut Session::ask("Go!"), &cx).await.unwrap();
    let Some(ThreadMessage::Tool(answer)) = inner.requests()[1].thread.last().cloned() else {
        panic!("no answer");
    };
    assert_eq!(answer.text, "nobody");
    assert_eq!(noted.all(), ["no call"]);
}

/// Waits for a word, whoever tells it to stop.
#[tool(blocking)]
fn transfer(#[state] word: &Mutex<std::sync::mpsc::Receiver<()>>) -> u8 {
    // Nobody says it where the test has failed.
    let _ = word.lock().unwrap().recv();
    1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_on_an_agent_whose_tool_cannot_be_stopped_says_that_the_outcome_is_unknown() {
    let (word, heard) = std::sync::mpsc::channel();
    let inner = Agent::new(
        script([calls(&[ToolCall::new("i1", "transfer", "{}")])]),
        tools![transfer; state = Arc::new(Mutex::new(heard))],
    );
    let limit = std::time::Duration::from_millis(200);
    let helper = AgentTool::new(inner, "helper", "Helps.").timeout(limit);
    let model = script([calls(&[ask("c1", "helper", "Go!")])]);
    let agent = with(model, helper.build().unwrap());
    let mut session = Session::ask("Transfer!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
    let PendingReason::OutcomeUnknown(error) = &session.pending()[0].reason else {
        panic!("{:?}", session.pending());
    };
    assert!(
        error.ends_with("its work may go on, and it is not known whether it took effect"),
        "{error}"
    );
    drop(word);
}
