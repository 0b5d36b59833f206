//! Agents whose calls code of the host runs.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentTool, MemoryCheckpointer, ModelResponse, Session, ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::executor::{Runner, RunnerCall, UnknownOutcome};
use toolwright::{Context, Executor, Outcome, ToolCall, Toolset, tool, tools};

/// Doubles a number.
#[tool]
fn double(n: i64) -> i64 {
    2 * n
}

/// What a runner does with a call.
#[derive(Debug, Clone, Copy)]
enum Does {
    RunsIt,
    AnswersIt,
    DropsIt,
    Panics,
    LeavesTheRest,
}

struct Script(Vec<Does>);

impl Runner for Script {
    fn run(&self, calls: Vec<RunnerCall>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            for call in calls {
                match self.0[call.index()] {
                    Does::RunsIt => call.run().await,
                    Does::AnswersIt => call.answer(Ok(Outcome::value("elsewhere"))),
                    Does::DropsIt => drop(call),
                    Does::Panics => panic!("a runner that breaks"),
                    Does::LeavesTheRest => return,
                }
            }
        })
    }
}

fn answers(session: &Session) -> Vec<(usize, String, bool)> {
    let answers = session.thread().messages().iter();
    let answers = answers.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some((answer.index, answer.text.clone(), answer.is_error)),
        _ => None,
    });
    answers.collect()
}

#[tokio::test]
async fn no_call_is_lost_whatever_a_runner_does() {
    use Does::{AnswersIt, DropsIt, LeavesTheRest, Panics, RunsIt};

    for (does, expected) in [
        ([RunsIt, AnswersIt, RunsIt], ["0", "elsewhere", "4"]),
        ([RunsIt, DropsIt, AnswersIt], ["0", "", "elsewhere"]),
        ([DropsIt, DropsIt, DropsIt], ["", "", ""]),
        ([AnswersIt, Panics, RunsIt], ["elsewhere", "", ""]),
        ([LeavesTheRest, RunsIt, RunsIt], ["", "", ""]),
    ] {
        for has_journal in [false, true] {
            // All calls have one id: what counts is their place.
            let calls = (0..3).map(|n| ToolCall::new("c", "double", format!(r#"{{"n": {n}}}"#)));
            let model = ScriptedModel::new([
                Ok(ModelResponse::calls(calls)),
                Ok(ModelResponse::text("Done.")),
            ]);
            let executor = Executor::parallel(tools![double], 8)
                .runner(Script(does.to_vec()))
                .on_unknown_outcome(UnknownOutcome::Fail);
            let mut agent = Agent::with_executor(model, executor);
            if has_journal {
                agent = agent.checkpointer(MemoryCheckpointer::default());
            }
            let mut session = Session::ask("Double!");
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.text(), Some("Done."), "{does:?}");
            let answers = answers(&session);
            let lost = "nobody answered the call, and it is not known whether it took effect";
            let expected = expected
                .iter()
                .enumerate()
                .map(|(index, text)| match *text {
                    "" => (index, lost.to_owned(), true),
                    text => (index, text.to_owned(), false),
                });
            assert_eq!(answers, expected.collect::<Vec<_>>(), "{does:?}");
        }
    }
}

#[tokio::test]
async fn a_runner_runs_agents_that_are_tools_here() {
    let inner = ScriptedModel::new([Ok(ModelResponse::text("In 1066."))]);
    let inner = Agent::new(inner, Toolset::default());
    let inner = AgentTool::new(inner, "historian", "Knows dates.")
        .build()
        .unwrap();
    let ask = ToolCall::new("c", "historian", r#"{"input": "When?"}"#);
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ask])),
        Ok(ModelResponse::text("Done.")),
    ]);
    let tools = Toolset::new([inner]).unwrap();
    let executor = Executor::serial(tools).runner(Script(vec![Does::RunsIt]));
    let agent = Agent::with_executor(model, executor).checkpointer(MemoryCheckpointer::default());
    let mut session = Session::ask("When?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(&session), [(0, "In 1066.".to_owned(), false)]);
}
