//! A remote tool that asks, behind a server of ours: whoever calls the server is asked.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolwright::agent::{Agent, AgentTool, ModelResponse, Session};
use toolwright::call::Cancel;
use toolwright::mcp::McpServer;
use toolwright::serve::http::HttpServer;
use toolwright::{Registry, Toolset};
use toolwright_mcp::{self as mcp, Client, ElicitResult, ServerAt};

use super::pauses::{
    ARGUMENTS, agent, calls, calls_of, client, model, result, run, server, stored,
};
use super::{call, text};

/// An HTTP server with these tools.
struct Http {
    url: String,
    stop: Cancel,
}

impl Drop for Http {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Http {
    async fn start(tools: impl Into<Registry>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (server, stop) = (HttpServer::new(tools), Cancel::new());
        tokio::spawn(server.serve(listener, stop.clone()));
        Self { url, stop }
    }

    async fn post(&self, path: &str, body: impl ToString) -> (u16, Value) {
        let request = reqwest::Client::new().post(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/json");
        let answer = request.body(body.to_string()).send().await.unwrap();
        let status = answer.status().as_u16();
        let body = answer.text().await.unwrap();
        (status, serde_json::from_str(&body).unwrap())
    }

    async fn decide(&self, asked: &Value, decision: Value) -> (u16, Value) {
        let id = asked["id"].as_str().unwrap();
        self.post(&format!("/calls/{id}"), decision).await
    }
}

#[tokio::test]
async fn over_http_the_answer_is_sent_to_the_call() {
    let server = server().await;
    let http = Http::start(client(&server).await.toolset()).await;
    let (status, asked) = http.post("/tools/twice", ARGUMENTS).await;
    assert_eq!(
        (status, &asked["status"]),
        (200, &json!("ask_user")),
        "{asked}"
    );
    assert_eq!(asked["question"], "From?");
    assert!(!asked.to_string().contains("s3cret"), "{asked}");
    for wrong in [
        json!({"answer": {"city": 1}}),
        json!({"answer": "Oslo"}),
        json!("approve"),
    ] {
        let (status, refused) = http.decide(&asked, wrong).await;
        assert_eq!(status, 422, "{refused}");
    }
    let (_, next) = http
        .decide(&asked, json!({"answer": {"city": "Oslo"}}))
        .await;
    assert_eq!(next["question"], "To?", "{next}");
    assert!(!next.to_string().contains("Oslo"), "{next}");
    let (status, _) = http.decide(&asked, json!({"reject": ""})).await;
    assert_eq!(status, 404);
    let (status, done) = http.decide(&next, json!({"reject": "no"})).await;
    assert_eq!((status, &done["status"]), (200, &json!("done")), "{done}");
    let calls = calls(&server);
    assert_eq!(calls.len(), 2);
    let all = json!({
        "a": {"action": "accept", "content": {"city": "Oslo"}}, "b": {"action": "decline"}, "r": {"roots": []},
    });
    assert_eq!(calls[1]["inputResponses"], all);
}

/// An agent goes on where it stood.
#[tokio::test]
async fn over_http_an_agent_is_asked_about_inside() {
    let server = server().await;
    let clerk = AgentTool::new(agent(&server, "book").await, "clerk", "Books.");
    let tools = Toolset::new([clerk.build().unwrap()]).unwrap();
    let http = Http::start(tools).await;
    let (status, asked) = http.post("/tools/clerk", r#"{"input": "Book!"}"#).await;
    assert_eq!(status, 202, "{asked}");
    assert_eq!(asked["ask"]["ask"]["text"], "Where?", "{asked}");
    assert!(!asked.to_string().contains("s3cret"), "{asked}");
    let (_, asked) = http.decide(&asked, json!({"answer": {"city": 1}})).await;
    assert!(asked["ask"]["error"].is_string(), "{asked}");
    let (status, done) = http
        .decide(&asked, json!({"answer": {"city": "Oslo"}}))
        .await;
    assert_eq!((status, &done["value"]), (200, &json!("Done.")), "{done}");
    assert_eq!(calls(&server).len(), 2);
}

/// Connects to a server with these tools, and answers its questions so.
async fn connect(tools: Toolset, answers: &[Value]) -> (Client, Arc<Mutex<Vec<String>>>) {
    let server = McpServer::new(tools);
    let at = ServerAt::pipes(move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(server.clone().serve_pipe(input, output));
        Ok(tokio::io::split(ours))
    });
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let (told, answers) = (Arc::clone(&asked), answers.to_vec());
    let client = mcp::connect(at).on_elicitation(move |question| {
        let mut told = told.lock().unwrap();
        let answer = answers[told.len()].as_object().cloned();
        told.push(question.message);
        async { answer.map_or(ElicitResult::Decline, ElicitResult::Accept) }
    });
    (client.await.unwrap(), asked)
}

#[tokio::test]
async fn over_mcp_the_client_is_asked() {
    let server = server().await;
    let remote = client(&server).await.toolset();
    let answers = [json!({"city": "Oslo"}), json!({"word": "yes"})];
    let (front, asked) = connect(remote.clone(), &answers).await;
    let said = text(&call(&front.toolset(), "again", ARGUMENTS).await);
    assert_eq!(
        said,
        r#"{"later":{"action":"accept","content":{"word":"yes"}}}"#
    );
    assert_eq!(*asked.lock().unwrap(), ["Where?", "Sure?"]);

    let (front, _) = connect(remote.clone(), &[json!(null)]).await;
    let said = text(&call(&front.toolset(), "book", ARGUMENTS).await);
    assert_eq!(said, r#"{"where":{"action":"decline"}}"#);

    let (front, asked) = connect(remote, &[json!({})]).await;
    let said = text(&call(&front.toolset(), "visit", ARGUMENTS).await);
    assert_eq!(said, r#"{"go":{"action":"accept"}}"#);
    assert_eq!(
        *asked.lock().unwrap(),
        ["Log in! (https://example.com/login)"]
    );
    assert_eq!(calls(&server).len(), 7);
}

#[tokio::test]
async fn over_mcp_the_client_is_asked_about_an_agent_inside() {
    let server = server().await;
    let clerk = AgentTool::new(agent(&server, "book").await, "clerk", "Books.");
    let tools = Toolset::new([clerk.build().unwrap()]).unwrap();
    let (front, asked) = connect(tools, &[json!({"city": "O"}), json!({"city": "Oslo"})]).await;
    let said = text(&call(&front.toolset(), "clerk", r#"{"input": "Book!"}"#).await);
    assert_eq!(said, "Done.");
    let asked = asked.lock().unwrap().clone();
    assert!(asked[0].ends_with("asks: Where?"), "{asked:?}");
    // It was too short.
    assert!(asked[1].contains("does not fit"), "{asked:?}");
    assert_eq!(calls(&server).len(), 2);
}

/// Each server stores what is behind it.
#[tokio::test]
async fn a_question_goes_through_two_servers() {
    let server = server().await;
    let between = McpServer::new(client(&server).await.toolset());
    let at = move || {
        let between = between.clone();
        ServerAt::pipes(move || {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let (input, output) = tokio::io::split(theirs);
            tokio::spawn(between.clone().serve_pipe(input, output));
            Ok(tokio::io::split(ours))
        })
    };
    let agent = async |steps: Vec<ModelResponse>| {
        let client = mcp::connect(at()).pause_on_elicitation().await.unwrap();
        Agent::new(model(steps), client.toolset())
    };
    let mut session = Session::ask("Book!");
    let first = agent(vec![calls_of("book")]).await;
    assert_eq!(run(&first, &mut session).await, "ask_user");
    session.answer(json!({"city": "Oslo"})).unwrap();
    let mut session = stored(&session);
    let second = agent(vec![ModelResponse::text("Done.")]).await;
    assert_eq!(run(&second, &mut session).await, "completed");
    assert!(result(&session).contains("Oslo"));
    assert_eq!(calls(&server).len(), 2);
}
