// ANCHOR: program
use std::path::Path;
use std::time::Duration;

use tokio::sync::Notify;
use toolwright::agent::{Agent, Model, ModelResponse, Session, SqliteCheckpointer};
use toolwright::call::Decision;
use toolwright::{Context, tool, tools};

static BEGAN: Notify = Notify::const_new();

/// Pays a bill.
#[tool]
async fn pay(bill: u32, cx: &Context) -> String {
    // Send this key along, if the bank accepts one: the same call never pays twice.
    let _key = cx.idempotency_key();
    BEGAN.notify_one();
    tokio::time::sleep(Duration::from_mins(1)).await;
    format!("bill {bill} is paid")
}

fn agent(model: impl Model + 'static, file: &Path) -> Result<Agent, Box<dyn std::error::Error>> {
    Ok(Agent::new(model, tools![pay]).checkpointer(SqliteCheckpointer::open(file)?))
}

async fn first_process(agent: &Agent) {
    let mut session = Session::with_id("ann");
    session.say("Pay bill 7!").expect("it is new");
    let cx = Context::new();
    tokio::select! {
        _ = agent.run(&mut session, &cx) => {}
        () = BEGAN.notified() => {} // the process ends in the midst of the payment
    }
}

async fn second_process(agent: &Agent) -> Result<(), Box<dyn std::error::Error>> {
    let cx = Context::new();
    let (mut session, run) = agent.resume("ann", &cx).await?;
    println!("{}", run.end.as_str());
    for pending in session.pending() {
        println!("{}: {:?}", pending.call.name, pending.reason);
    }

    // A person looked at the account: it was paid.
    session.decide("call_1", Decision::Answer("bill 7 is paid".into()))?;
    let run = agent.run(&mut session, &cx).await?;
    println!("{}", run.text().unwrap_or_default());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn a_call_in_whose_midst_a_process_ended_waits_for_a_person() {
    use toolwright::ToolCall;
    use toolwright::agent::testing::ScriptedModel;

    let file = std::env::temp_dir().join(format!("toolwright-guide-{}.db", std::process::id()));
    let printed = crate::output::of(|| {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let pay = ToolCall::new("call_1", "pay", r#"{"bill": 7}"#);
            let model = ScriptedModel::new([Ok(ModelResponse::calls([pay]))]);
            first_process(&agent(model, &file).unwrap()).await;
            let model = ScriptedModel::new([Ok(ModelResponse::text("It is paid."))]);
            second_process(&agent(model, &file).unwrap()).await.unwrap();
        });
    });
    std::fs::remove_file(&file).unwrap();
    crate::output::shown("agents.crash.txt", &printed);
}
