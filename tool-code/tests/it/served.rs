//! A program in a call over HTTP.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, ModelResponse};
use toolwright::call::{Cancel, Grant};
use toolwright::layers::Approval;
use toolwright::serve::http::HttpServer;
use toolwright::{Context, Executor, Outcome, ToolCall, Toolset, tool, tools};

use crate::{Log, add, pay, run_code};

/// Asks the user.
#[tool]
fn ask(what: &str) -> Outcome {
    Outcome::ask(what)
}

/// Posts to a server and returns the answer.
async fn post(address: &str, path: &str, body: &Value) -> Value {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}"
    );
    let request = format!("{head}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (_, answer) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(answer).unwrap()
}

/// An agent that pays, in the background of other conversations.
fn payer() -> Toolset {
    let call = ToolCall::new("p", "pay", r#"{"to": "y", "amount": 5}"#);
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([call])),
        Ok(ModelResponse::text("It is paid.")),
    ]);
    let executor = Executor::serial(tools![pay]).layer(Approval::default());
    let agent = AgentTool::new(Agent::with_executor(model, executor), "payer", "Pays.");
    Toolset::new([agent.detached().build().unwrap()]).unwrap()
}

/// Runs a program, and takes a decision each time that it waits. Returns the questions, the last answer, and what was paid.
async fn served(code: &str, decisions: &[Value]) -> (Vec<Value>, Value, Vec<String>) {
    served_with(&tools![add, ask, pay], code, decisions).await
}

async fn served_with(
    tools: &Toolset,
    code: &str,
    decisions: &[Value],
) -> (Vec<Value>, Value, Vec<String>) {
    let log = Log::default();
    let caller = Grant::unlimited().with_subject("ada");
    let server = HttpServer::new(Toolset::new([run_code(tools)]).unwrap());
    let server = server.context(Context::new().with(caller).with(log.clone()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let stop = Cancel::new();
    let serving = tokio::spawn(server.serve(listener, stop.clone()));
    let mut answer = post(&address, "/tools/run_code", &json!({ "code": code })).await;
    let mut asked = Vec::new();
    for decision in decisions {
        assert_eq!(answer["status"], "pending", "{answer}");
        asked.push(answer["ask"].clone());
        let path = format!("/calls/{}", answer["id"].as_str().unwrap());
        answer = post(&address, &path, decision).await;
    }
    stop.cancel();
    serving.await.unwrap().unwrap();
    (asked, answer, log.take())
}

#[tokio::test]
async fn a_question_waits_as_an_approval_does() {
    let code = "a = await add(1, 2)\ncity = await ask('Where?')\npaid = await pay(city, a)\n[a, city, paid]";
    let (asked, answer, paid) = served(code, &[json!({"answer": "Oslo"}), json!("approve")]).await;
    assert_eq!(
        (&asked[0]["tool"], &asked[0]["reason"]),
        (&json!("ask"), &json!("question"))
    );
    assert_eq!(asked[0]["ask"]["text"], "Where?");
    assert_eq!(
        (&asked[1]["tool"], &asked[1]["reason"]),
        (&json!("pay"), &json!("decision"))
    );
    let value = json!([3, "Oslo", "paid 3 to Oslo"]);
    assert_eq!(answer["value"], json!({ "value": value }), "{answer}");
    assert_eq!(paid, ["Oslo 3"]);
}

#[tokio::test]
async fn questions_and_approvals_of_a_gather_wait_one_after_the_other() {
    let code = "import asyncio\nawait asyncio.gather(ask('A?'), pay('x', 1), ask('B?'))";
    let decisions = [
        json!({"answer": 1}),
        json!("approve"),
        json!({"answer": {"b": 2}}),
    ];
    let (asked, answer, paid) = served(code, &decisions).await;
    let tools: Vec<_> = asked
        .iter()
        .map(|asked| asked["tool"].as_str().unwrap())
        .collect();
    assert_eq!(tools, ["ask", "pay", "ask"]);
    let value = json!([1, "paid 1 to x", {"b": 2}]);
    assert_eq!(answer["value"], json!({ "value": value }), "{answer}");
    assert_eq!(paid, ["x 1"]);
}

/// A decision that is none about a question leaves it waiting.
#[tokio::test]
async fn a_question_is_answered_or_rejected() {
    let (asked, answer, _) =
        served("await ask('A?')", &[json!("approve"), json!({"answer": 1})]).await;
    assert_eq!(asked[0]["tool"], asked[1]["tool"]);
    assert_eq!(answer["value"], json!({"value": 1}), "{answer}");
    let (_, answer, _) = served("await ask('A?')", &[json!({"reject": "no"})]).await;
    let error = answer["error"].to_string();
    assert!(error.contains("the call of ask was rejected"), "{answer}");
}

/// No result comes later in a program.
#[tokio::test]
async fn a_detached_agent_is_awaited_and_may_wait() {
    let code = "await payer('Pay!')";
    let (asked, answer, paid) = served_with(&payer(), code, &[json!("approve")]).await;
    assert_eq!(asked[0]["tool"], "pay");
    assert_eq!(answer["value"], json!({"value": "It is paid."}), "{answer}");
    assert_eq!(paid, ["y 5"]);
}
