//! What guards an agent guards it after a hand-over, too, and one turn hands over once.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentTool, Budget, Hooks, ModelResponse, Node, Run, RunEnd, Session, ThreadMessage,
    handoff,
};
use toolwright::wire::Usage;
use toolwright::{Context, Outcome, Tool, ToolCall, Toolset, call::HaltReason, tool, tools};

#[derive(Default)]
struct Ran(AtomicUsize);

impl Ran {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Pays.
#[tool]
fn pay(#[state] ran: &Ran) -> usize {
    ran.0.fetch_add(1, Ordering::SeqCst)
}

fn calls(names: &[&str]) -> ModelResponse {
    let calls = names.iter().zip(1..);
    let calls = calls.map(|(name, id)| {
        let arguments = if *name == "helper" {
            r#"{"input": "Go!"}"#
        } else {
            "{}"
        };
        ToolCall::new(format!("c{id}"), *name, arguments)
    });
    ModelResponse::calls(calls)
}

fn script<const N: usize>(steps: [ModelResponse; N]) -> ScriptedModel {
    ScriptedModel::new(steps.map(Ok))
}

fn to(name: &str) -> Arc<dyn Tool> {
    handoff(name, "Somebody else.").unwrap()
}

async fn run(agent: &Agent, session: &mut Session) -> Run {
    agent.run(session, &Context::new()).await.unwrap()
}

fn answers(session: &Session) -> Vec<(String, bool)> {
    let messages = session.thread().messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some((answer.text.clone(), answer.is_error)),
        _ => None,
    });
    answers.collect()
}

#[tokio::test]
async fn of_two_hand_overs_in_one_turn_the_second_is_an_error() {
    let desk = script([calls(&["transfer_to_a", "transfer_to_b"])]);
    let a = Agent::new(
        script([ModelResponse::text("Here is A.")]),
        Toolset::default(),
    );
    let b = Agent::new(script([]), Toolset::default());
    let tools = Toolset::new([to("a"), to("b")]).unwrap();
    let desk = Agent::new(desk, tools).peer("a", a).peer("b", b);
    let mut session = Session::ask("Hi!");
    assert_eq!(run(&desk, &mut session).await.text(), Some("Here is A."));
    assert_eq!(session.agent(), Some("a"));
    let answers = answers(&session);
    assert_eq!(answers[0], (r#"{"agent":"a"}"#.to_owned(), false));
    assert!(answers[1].1 && answers[1].0.contains("`a`"), "{answers:?}");
}

/// A desk that hands over at once.
fn desk(peer: Agent) -> Agent {
    let desk = script([calls(&["transfer_to_billing"])]);
    Agent::new(desk, Toolset::new([to("billing")]).unwrap()).peer("billing", peer)
}

#[tokio::test]
async fn an_interrupt_of_the_other_agent_holds() {
    for (before, node) in [
        (true, Node::Tools),
        (true, Node::Model),
        (false, Node::Model),
    ] {
        let ran = Arc::new(Ran::default());
        let model = script([calls(&["pay"]), ModelResponse::text("Paid.")]);
        let billing = Agent::new(model, tools![pay; state = Arc::clone(&ran)]);
        let billing = if before {
            billing.interrupt_before(node)
        } else {
            billing.interrupt_after(node)
        };
        let agent = desk(billing);
        let mut session = Session::ask("Pay!");
        let mut run = run(&agent, &mut session).await;
        assert!(matches!(run.end, RunEnd::Interrupted { .. }), "{run:?}");
        assert_eq!(ran.count(), 0);
        while matches!(run.end, RunEnd::Interrupted { .. }) {
            run = self::run(&agent, &mut session).await;
        }
        assert_eq!((session.result(), ran.count()), (Some("Paid."), 1));
    }
}

#[tokio::test]
async fn a_budget_of_the_other_agent_holds() {
    let ran = Arc::new(Ran::default());
    let model = script([calls(&["pay"]).with_usage(Usage::new(2_000, 1))]);
    let billing = Agent::new(model, tools![pay; state = Arc::clone(&ran)]);
    let agent =
        desk(billing.budget(Budget::new().tokens(1_500))).budget(Budget::new().tokens(9_000));
    let run = run(&agent, &mut Session::ask("Pay!")).await;
    assert!(matches!(run.end, RunEnd::Budget { .. }), "{run:?}");
    assert_eq!(ran.count(), 0);
}

#[derive(Default, Clone)]
struct Heard(Arc<AtomicUsize>);

impl Hooks for Heard {
    fn before_model(&self, _: &mut Session) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_condition_and_hooks_of_the_other_agent_hold() {
    let heard = Heard::default();
    let ran = Arc::new(Ran::default());
    let billing = Agent::new(
        script([calls(&["pay"])]),
        tools![pay; state = Arc::clone(&ran)],
    )
    .halt_when(|_, said| said.calls.iter().any(|call| &*call.name == "pay"))
    .hooks(heard.clone());
    let run = run(&desk(billing), &mut Session::ask("Pay!")).await;
    assert!(matches!(run.end, RunEnd::HaltWhen), "{run:?}");
    assert_eq!((ran.count(), heard.0.load(Ordering::SeqCst)), (1, 1));
}

/// Limits count a whole run, so they belong to the agent that runs it.
#[tokio::test]
async fn limits_of_the_other_agent_are_refused() {
    let limited: [fn(Agent) -> Agent; 3] = [
        |agent| agent.max_turns(1),
        |agent| agent.max_tool_rounds(1),
        |agent| agent.max_steps(1),
    ];
    for limit in limited {
        let peer = limit(Agent::new(script([]), Toolset::default()));
        let built = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            Agent::new(script([]), Toolset::default()).peer("billing", peer)
        }));
        assert!(built.is_err());
    }
}

/// Hands in a plan.
#[tool]
fn plan() -> Outcome {
    Outcome::halt(HaltReason::new("planned"), "walk")
}

/// Answers the user.
#[tool]
fn show() -> Outcome {
    Outcome::direct("It is 5.")
}

fn helper(model: ScriptedModel, tools: Toolset) -> Toolset {
    let helper = AgentTool::new(Agent::new(model, tools), "helper", "Helps.");
    Toolset::new([helper.build().unwrap()]).unwrap()
}

#[tokio::test]
async fn an_end_inside_of_a_call_is_an_end_of_its_caller() {
    let inner = helper(script([calls(&["plan"])]), tools![plan]);
    let agent = Agent::new(script([calls(&["helper"])]), inner);
    let run = run(&agent, &mut Session::ask("Plan!")).await;
    let RunEnd::Halt { reason, value, .. } = &run.end else {
        panic!("{run:?}");
    };
    assert_eq!((reason.as_str(), &*value.to_plain()), ("planned", "walk"));

    let inner = helper(script([calls(&["show"])]), tools![show]);
    let agent = Agent::new(script([calls(&["helper"])]), inner);
    let run = self::run(&agent, &mut Session::ask("5?")).await;
    assert_eq!(
        (run.end.as_str(), run.text()),
        ("return_direct", Some("It is 5."))
    );
}

#[tokio::test]
async fn a_hand_over_inside_of_a_call_hands_over_the_conversation_of_its_caller() {
    let tools = Toolset::new([to("billing")]).unwrap();
    let inner = helper(script([calls(&["transfer_to_billing"])]), tools);
    let billing = Agent::new(
        script([ModelResponse::text("It was paid.")]),
        Toolset::default(),
    );
    let agent = Agent::new(script([calls(&["helper"])]), inner).peer("billing", billing);
    let mut session = Session::ask("Paid?");
    assert_eq!(run(&agent, &mut session).await.text(), Some("It was paid."));
    assert_eq!(session.agent(), Some("billing"));
}
