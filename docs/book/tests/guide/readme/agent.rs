// ANCHOR: program
use toolwright::agent::{Agent, AgentError, Model, Session}; // feature `agent`
use toolwright::call::Decision;
use toolwright::layers::Approval;
use toolwright::{Context, Executor, tool, tools};

/// Pays an invoice.
#[tool(destructive)]
fn pay(invoice: u32, euros: u32) -> String {
    format!("{euros} euros paid for invoice {invoice}")
}

async fn ask(model: impl Model + 'static, cx: &Context) -> Result<Option<String>, AgentError> {
    let executor = Executor::serial(tools![pay]).layer(Approval::default());
    let agent = Agent::with_executor(model, executor); // `Endpoint`, feature `http`, is a model
    let mut session = Session::ask("Pay invoice 7: 120 euros.");
    let mut run = agent.run(&mut session, cx).await?;
    for waiting in session.pending() {
        println!("{}{}", waiting.call.name, waiting.call.arguments); // or store the session
        session.decide(waiting.call.id.as_str(), Decision::Approve)?;
        run = agent.run(&mut session, cx).await?;
    }
    Ok(run.completed()?.text().map(str::to_owned))
}
// ANCHOR_END: program

use toolwright::ToolCall;
use toolwright::agent::ModelResponse;
use toolwright::agent::testing::ScriptedModel;

#[test]
fn a_person_decides() {
    let call = ToolCall::new("call_1", "pay", r#"{"invoice": 7, "euros": 120}"#);
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([call])),
        Ok(ModelResponse::text("Done.")),
    ]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let printed = crate::output::of(|| {
        let text = runtime.block_on(ask(model.clone(), &Context::new()));
        assert_eq!(text.unwrap().as_deref(), Some("Done."));
    });
    assert_eq!(printed, "pay{\"invoice\": 7, \"euros\": 120}\n");
    let thread = serde_json::to_string(&model.requests()[1].thread).unwrap();
    assert!(thread.contains("120 euros paid for invoice 7"), "{thread}");
    model.finish();
}
