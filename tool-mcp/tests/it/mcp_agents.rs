//! Agents that are tools behind a server: the client's user is asked about the calls inside, or nothing runs.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, Model, ModelResponse};
use toolwright::call::BoxFuture;
use toolwright::layers::{Approval, Handled, Layer, Next, Request};
use toolwright::mcp::McpServer;
use toolwright::{Executor, Outcome, Registry, ToolCall, ToolError, Toolset, tool, tools};

use super::mcp_server::{Piped, request};

type Ran = Mutex<Vec<u32>>;

/// Looks up a bill.
#[tool(read_only)]
fn look(#[state] ran: &Ran) -> u32 {
    ran.lock().unwrap().push(0);
    7
}

/// Pays a bill.
#[tool(destructive)]
fn pay(#[arg(range(1..))] bill: u32, #[state] ran: &Ran) -> String {
    ran.lock().unwrap().push(bill);
    format!("{bill} is paid")
}

/// Sends a bill. The connection breaks before the answer comes.
#[tool]
fn send(bill: u32, #[state] ran: &Ran) -> Result<u32, ToolError> {
    ran.lock().unwrap().push(bill);
    Err(ToolError::failed("the connection broke").with_outcome_unknown())
}

/// Is answered by a person.
#[tool(manual)]
fn sign(bill: u32, #[state] ran: &Ran) -> String {
    ran.lock().unwrap().push(bill);
    "not called".into()
}

/// Asks, and expects to be called again with the answer.
#[tool]
fn which() -> Outcome {
    Outcome::ask("Which bill?").option("key", "bill")
}

fn model(turns: &[&[(&str, &str)]]) -> ScriptedModel {
    let turns = turns.iter().map(|turn| {
        let calls = turn.iter().enumerate();
        let calls =
            calls.map(|(id, (name, arguments))| ToolCall::new(format!("x{id}"), *name, *arguments));
        Ok(ModelResponse::calls(calls))
    });
    ScriptedModel::new(turns.chain([Ok(ModelResponse::text("All is done."))]))
}

fn agent(model: ScriptedModel, ran: &Arc<Ran>) -> Agent {
    let executor = Executor::serial(tools![look, pay, send, sign, which; state = Arc::clone(ran)]);
    Agent::with_executor(model, executor.layer(Approval::default()))
}

fn worker(agent: &Agent, description: &str) -> Toolset {
    let worker = AgentTool::new(agent.clone(), "worker", description);
    Toolset::new([worker.build().unwrap()]).unwrap()
}

fn server(model: ScriptedModel, ran: &Arc<Ran>) -> McpServer {
    McpServer::new(worker(&agent(model, ran), "Works."))
}

const PARAMS: &str = r#"{"name":"worker","arguments":{"input":"Pay!"}}"#;

fn message(asked: &Value) -> &str {
    asked["message"].as_str().unwrap()
}

fn yes(approve: bool) -> Value {
    json!({"action": "accept", "content": {"approve": approve, "reason": "no"}})
}

fn said(answer: &str) -> Value {
    json!({"action": "accept", "content": {"answer": answer}})
}

/// Answers each question of the server. Returns the answer of the call.
async fn answered(client: &mut Piped, mut asked: Value, steps: &[(&str, Value)]) -> Value {
    for (shown, says) in steps {
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        assert!(message(&asked["params"]).contains(shown), "{asked}");
        let says = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
        asked = client.ask(&says.to_string()).await;
        while asked["method"] == "notifications/tools/list_changed" {
            asked = client.hear().await;
        }
    }
    asked
}

#[tokio::test]
async fn the_user_is_asked_about_each_call_inside() {
    let ran = Arc::new(Ran::default());
    // Two equal calls are two questions.
    let bill = r#"{"bill": 7}"#;
    let model = model(&[
        &[("look", "{}"), ("pay", bill)],
        &[("pay", bill)],
        &[("pay", r#"{"bill": 8}"#)],
    ]);
    let mut client = Piped::with_a_user(server(model, &ran)).await;
    let asked = client.ask(&request(1, "tools/call", PARAMS)).await;
    let steps = [
        (r#"`pay` with {"bill": 7}"#, yes(true)),
        (r#"`pay` with {"bill": 7}"#, yes(true)),
        (r#"`pay` with {"bill": 8}"#, yes(false)),
    ];
    let answer = answered(&mut client, asked, &steps).await;
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(text, "All is done.", "{answer}");
    assert_eq!(*ran.lock().unwrap(), [0, 7, 7]);
}

#[tokio::test]
async fn the_user_answers_a_call_inside_that_does_not_run_by_a_yes() {
    let no = json!({"action": "decline"});
    let is_sent = r#"It is unknown whether `send` with {"bill": 7}, which `worker` calls, took effect (the connection broke)"#;
    let signs = |bill: u32| format!(r#"Please answer the call of `sign` with {{"bill": {bill}}}"#);
    // Calls inside, answers, and which of the tools' bodies ran.
    let one: &[&[(&str, &str)]] = &[&[("send", r#"{"bill": 7}"#)]];
    let two: &[&[(&str, &str)]] = &[
        &[("sign", r#"{"bill": 7}"#), ("sign", r#"{"bill": 8}"#)],
        &[("sign", r#"{"bill": 8}"#)],
    ];
    let cases = [
        (
            one,
            vec![(is_sent.to_owned(), said("it was sent"))],
            vec![7],
        ),
        (one, vec![(is_sent.to_owned(), no.clone())], vec![7]),
        // One answer is for one call.
        (
            two,
            vec![
                (signs(7), said("signed")),
                (signs(8), no),
                (signs(8), said("signed")),
            ],
            vec![],
        ),
    ];
    for (turns, steps, expected) in cases {
        let ran = Arc::new(Ran::default());
        let mut client = Piped::with_a_user(server(model(turns), &ran)).await;
        let asked = client.ask(&request(1, "tools/call", PARAMS)).await;
        let content = &asked["params"]["requestedSchema"]["properties"];
        assert_eq!(content, &json!({"answer": {"type": "string"}}), "{asked}");
        let steps = steps.iter().map(|(shown, says)| (&**shown, says.clone()));
        let steps: Vec<_> = steps.collect();
        let answer = answered(&mut client, asked, &steps).await;
        let text = &answer["result"]["content"][0]["text"];
        assert_eq!(text, "All is done.", "{answer}");
        assert_eq!(*ran.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn an_agent_that_asks_does_not_begin_anew() {
    let ran = Arc::new(Ran::default());
    let turn: &[(&str, &str)] = &[("look", "{}"), ("which", "{}")];
    let mut client = Piped::with_a_user(server(model(&[turn, turn]), &ran)).await;
    let asked = client.ask(&request(1, "tools/call", PARAMS)).await;
    let steps = [("Which bill?", said("The first."))];
    let answer = answered(&mut client, asked, &steps).await;
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(text, "The first.", "{answer}");
    assert_eq!(*ran.lock().unwrap(), [0]);
}

/// A model that computes its responses, such as a program.
struct Computed(ScriptedModel);

impl Model for Computed {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        self.0.respond(request, deltas)
    }

    fn __is_computed(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_computed_model_goes_on_with_the_answer_of_a_question() {
    let ran = Arc::new(Ran::default());
    let turn: &[(&str, &str)] = &[("look", "{}"), ("which", "{}")];
    let executor = Executor::serial(tools![look, which; state = Arc::clone(&ran)]);
    let agent = Agent::with_executor(Computed(model(&[turn, turn])), executor);
    let mut client = Piped::with_a_user(McpServer::new(worker(&agent, "Works."))).await;
    let asked = client.ask(&request(1, "tools/call", PARAMS)).await;
    let steps = [
        ("Which bill?", said("The first.")),
        ("Which bill?", said("The second.")),
    ];
    let answer = answered(&mut client, asked, &steps).await;
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(text, "All is done.", "{answer}");
    assert_eq!(*ran.lock().unwrap(), [0, 0]);
}

#[tokio::test]
async fn each_of_many_decisions_is_carried_out() {
    let ran = Arc::new(Ran::default());
    let bills: Vec<_> = (1..=20)
        .map(|bill| format!(r#"{{"bill": {bill}}}"#))
        .collect();
    let calls: Vec<_> = bills.iter().map(|bill| ("pay", &**bill)).collect();
    let mut client = Piped::with_a_user(server(model(&[&calls]), &ran)).await;
    let asked = client.ask(&request(1, "tools/call", PARAMS)).await;
    let steps: Vec<_> = bills.iter().map(|bill| (&**bill, yes(true))).collect();
    let answer = answered(&mut client, asked, &steps).await;
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(text, "All is done.", "{answer}");
    assert_eq!(*ran.lock().unwrap(), (1..=20).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_conversation_waits_on_while_its_tool_cannot_be_reached() {
    let ran = Arc::new(Ran::default());
    let bill = r#"{"bill": 7}"#;
    let agent = agent(model(&[&[("look", "{}"), ("pay", bill)]]), &ran);
    let tools = Registry::from(worker(&agent, "Works."));
    let mut client = Piped::with_a_user(McpServer::new(tools.clone())).await;
    let mut asked = client.ask(&request(1, "tools/call", PARAMS)).await;
    for (changed, shown) in [
        (worker(&agent, "Works well."), "(the tool has changed since"),
        (Toolset::default(), "unknown tool"),
        (
            worker(&agent, "Works better."),
            "(the tool has changed since",
        ),
    ] {
        tools.replace(changed);
        asked = answered(&mut client, asked, &[(bill, yes(true))]).await;
        assert!(message(&asked["params"]).contains(shown), "{asked}");
        assert_eq!(*ran.lock().unwrap(), [0]);
    }
    let answer = answered(&mut client, asked, &[(bill, yes(true))]).await;
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(text, "All is done.", "{answer}");
    assert_eq!(*ran.lock().unwrap(), [0, 7]);
}

/// Asks about a call whatever was decided.
struct Asks;

impl Layer for Asks {
    fn call<'a>(&'a self, _: Request<'a>, _: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(std::future::ready(Handled::Wait(json!({"why": "never"}))))
    }
}

#[tokio::test]
async fn a_call_that_only_asks_is_given_up() {
    let ran = Arc::new(Ran::default());
    let server = McpServer::new(tools![look; state = Arc::clone(&ran)]);
    let server = server.executor(|executor| executor.layer(Asks));
    let mut client = Piped::with_a_user(server).await;
    let call = request(1, "tools/call", r#"{"name":"look","arguments":{}}"#);
    let asked = client.ask(&call).await;
    let answer = answered(&mut client, asked, &[("never", yes(true))]).await;
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(text, "the call asks its user again and again", "{answer}");
    assert!(ran.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_client_of_2026_answers_by_another_request() {
    let ran = Arc::new(Ran::default());
    let bill = r#"{"bill": 7}"#;
    let model = model(&[&[("look", "{}"), ("pay", bill)], &[("pay", bill)]]);
    let mut client = Piped::silent(server(model, &ran));
    let params = |state: &Value, responses: Value| {
        let mut params: Value = serde_json::from_str(PARAMS).unwrap();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        });
        if state.is_string() {
            params["requestState"] = state.clone();
            params["inputResponses"] = responses;
        }
        request(1, "tools/call", &params.to_string())
    };
    let mut answer = client.ask(&params(&Value::Null, Value::Null)).await;
    for paid in 1..3 {
        assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
        let asked = &answer["result"]["inputRequests"]["toolwright/approval"]["params"];
        assert!(message(asked).contains("`pay` with"), "{answer}");
        let state = answer["result"]["requestState"].clone();
        let said = json!({"toolwright/approval": yes(true)});
        let again = params(&state, said);
        let cannot_ask = again.replace(r#""elicitation":{}"#, "");
        let error = client.ask(&cannot_ask).await;
        assert!(
            error["error"]["message"]
                .as_str()
                .unwrap()
                .contains("cannot ask"),
            "{error}"
        );
        answer = client.ask(&again).await;
        assert_eq!(ran.lock().unwrap().len(), 1 + paid);
        // One yes runs once.
        let error = client.ask(&again).await;
        assert!(error["error"].is_object(), "{error}");
        assert_eq!(ran.lock().unwrap().len(), 1 + paid);
    }
    assert_eq!(
        answer["result"]["content"][0]["text"], "All is done.",
        "{answer}"
    );
}

#[tokio::test]
async fn nothing_runs_where_nobody_can_be_asked() {
    let ran = Arc::new(Ran::default());
    let mut client = Piped::new(server(ScriptedModel::new([]), &ran)).await;
    let answer = client.ask(&request(1, "tools/call", PARAMS)).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(ran.lock().unwrap().is_empty());
}
