//! A script that is not played to its end, or beyond it, fails its test, wherever the model is asked.
// Steps of a script are results.
#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, ModelResponse, Session, Thread, ThreadMessage};
use toolwright::{Context, ToolCall, Toolset};

fn calls(name: &str) -> ModelResponse {
    ModelResponse::calls([ToolCall::new("c1", name, r#"{"input": "Go!"}"#)])
}

fn script<const N: usize>(steps: [ModelResponse; N]) -> ScriptedModel {
    ScriptedModel::new(steps.map(Ok))
}

/// What a panic says.
fn complaint(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().build().unwrap();
    runtime.block_on(future)
}

/// Runs an agent as somebody might who does not look at what comes of it.
fn run(agent: &Agent) {
    let mut session = Session::ask("Go!");
    drop(block_on(agent.run(&mut session, &Context::new())));
}

#[test]
fn a_model_that_is_asked_too_often_says_so_at_once() {
    // At the first request, where an error would be one of the run; later, where it would be a result; and
    // in a step.
    let said = complaint(|| run(&Agent::new(script([]), Toolset::default())));
    assert_eq!(
        said,
        "the script has 0 steps, and the model was asked 1 times"
    );
    let said = complaint(|| run(&Agent::new(script([calls("nowhere")]), Toolset::default())));
    assert_eq!(
        said,
        "the script has 1 steps, and the model was asked 2 times"
    );
    let said = complaint(|| {
        let agent = Agent::new(script([]), Toolset::default());
        let mut thread = Thread::from([ThreadMessage::user("Go!")]);
        drop(block_on(agent.step(&mut thread, &Context::new())));
    });
    assert_eq!(
        said,
        "the script has 0 steps, and the model was asked 1 times"
    );
}

#[test]
fn where_the_panic_was_contained_it_is_said_at_the_end() {
    // An executor contains what its tools do, so the run goes on.
    let agent = || {
        let inner = script([]);
        let helper = Agent::new(inner.clone(), Toolset::default());
        let helper = AgentTool::new(helper, "helper", "Helps.").build().unwrap();
        let outer = script([calls("helper"), ModelResponse::text("Done.")]);
        (inner, Agent::new(outer, Toolset::new([helper]).unwrap()))
    };
    let expected = "the script has 0 steps, and the model was asked 1 times";
    let (inner, whole) = agent();
    run(&whole);
    assert_eq!(complaint(|| inner.finish()), expected);
    // Once.
    drop((inner, whole));

    let (inner, whole) = agent();
    run(&whole);
    drop(inner);
    assert_eq!(complaint(|| drop(whole)), expected);
}

#[test]
fn steps_that_are_left_over_are_told_once() {
    let left =
        "2 steps of the script were not asked for: did an error or an early return end the run?";
    let model = script([ModelResponse::text("a"), ModelResponse::text("b")]);
    assert_eq!(complaint(|| model.finish()), left);
    drop(model);
    let model = script([ModelResponse::text("a"), ModelResponse::text("b")]);
    assert_eq!(complaint(|| drop(model)), left);
    // One that is played to its end says nothing.
    let model = script([ModelResponse::text("Done.")]);
    run(&Agent::new(model.clone(), Toolset::default()));
    model.finish();
}
