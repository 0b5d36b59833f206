//! Calls of remote tools that wait in the session of an agent while a person answers (protocol 2026-07-28).

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::agent::session::SessionError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, MemoryCheckpointer, ModelResponse, RunEnd, Session, Status, ThreadMessage,
};
use toolwright::call::Decision;
use toolwright::{Context, ToolCall};
use toolwright_mcp::{self as mcp, Client};

use super::raw_http::{Asked, Reply, Server};

pub(crate) const ARGUMENTS: &str = r#"{"n":  1.0}"#;

fn asks(message: &str, property: &str) -> Value {
    json!({"method": "elicitation/create", "params": {
        "mode": "form", "message": message, "requestedSchema": {
            "type": "object", "properties": {property: {"type": "string", "minLength": 2}}, "required": [property],
        },
    }})
}

/// What the server answers to a call.
fn called(params: &Value) -> Value {
    let needs = |state: &str, requests: Value| json!({"resultType": "input_required", "requestState": state, "inputRequests": requests});
    let responses = &params["inputResponses"];
    let done = || json!({"content": [{"type": "text", "text": responses.to_string()}]});
    match (
        params["name"].as_str().unwrap(),
        params["requestState"].as_str(),
    ) {
        ("visit", None) => needs(
            "s3cret",
            json!({"go": {"method": "elicitation/create", "params": {
                "mode": "url", "message": "Log in!", "url": "https://example.com/login", "elicitationId": "e1",
            }}}),
        ),
        ("twice", None) => needs(
            "s3cret",
            json!({
                "a": asks("From?", "city"), "b": asks("To?", "city"), "r": {"method": "roots/list"},
            }),
        ),
        ("again", Some("s3cret")) => needs("s3cret 2", json!({"later": asks("Sure?", "word")})),
        ("samples", None) => needs(
            "s3cret",
            json!({"a": asks("From?", "city"), "m": {"method": "sampling/createMessage"}}),
        ),
        (_, None) => needs("s3cret", json!({"where": asks("Where?", "city")})),
        (_, Some(state)) => {
            assert!(state.starts_with("s3cret"), "{params}");
            done()
        }
    }
}

/// A server, which outlives its clients.
pub(crate) async fn serve(
    answer: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static,
) -> Server {
    let names = [
        "book", "twice", "again", "visit", "samples", "expires", "hangs",
    ];
    let tools = names.iter().map(|name| {
        json!({"name": name, "description": "Does.", "inputSchema": {"type": "object"},
            "annotations": {"idempotentHint": *name == "hangs"}})
    });
    let tools: Vec<_> = tools.collect();
    Server::start(move |asked| {
        let message = asked.json();
        let result = match message["method"].as_str() {
            Some("server/discover") => json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "bookings", "version": "2"}, "ttlMs": 0, "cacheScope": "private",
            }),
            Some("tools/list") => {
                json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools})
            }
            Some("tools/call") => {
                let params = &message["params"];
                if params["name"] == "expires" && params.get("requestState").is_some() {
                    let error = json!({"code": -32602, "message": "the state has expired"});
                    return Reply::json(
                        &json!({"jsonrpc": "2.0", "id": message["id"], "error": error}),
                    );
                }
                answer(params).unwrap_or_else(|| called(params))
            }
            _ => return Reply::status("400 Bad Request"),
        };
        Reply::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    })
    .await
}

pub(crate) async fn server() -> Server {
    serve(|_| None).await
}

pub(crate) async fn client(server: &Server) -> Client {
    let connector = mcp::connect(&*server.url).pause_on_elicitation();
    connector.await.unwrap()
}

/// The parameters of the calls that the server was sent.
pub(crate) fn calls(server: &Server) -> Vec<Value> {
    let asked = server.asked();
    let calls = asked
        .iter()
        .filter(|asked| asked.json()["method"] == "tools/call");
    calls
        .inspect(|asked: &&Asked| assert!(asked.body.contains(ARGUMENTS), "{}", asked.body))
        .map(|asked| asked.json()["params"].clone())
        .collect()
}

pub(crate) fn key(call: &Value) -> &Value {
    &call["_meta"]["toolwright/idempotency_key"]
}

pub(crate) fn calls_of(tool: &str) -> ModelResponse {
    ModelResponse::calls([ToolCall::new("c1", tool, ARGUMENTS)])
}

pub(crate) fn model(steps: impl IntoIterator<Item = ModelResponse>) -> ScriptedModel {
    ScriptedModel::new(steps.into_iter().map(Ok))
}

/// An agent that calls the tool, and ends.
pub(crate) async fn agent(server: &Server, tool: &str) -> Agent {
    let steps = [calls_of(tool), ModelResponse::text("Done.")];
    Agent::new(model(steps), client(server).await.toolset())
}

/// An agent that calls the tool in one process.
pub(crate) async fn before(server: &Server, tool: &str) -> Agent {
    Agent::new(model([calls_of(tool)]), client(server).await.toolset())
}

/// The same agent in another one, where it ends.
pub(crate) async fn after(server: &Server) -> Agent {
    let steps = [ModelResponse::text("Done.")];
    Agent::new(model(steps), client(server).await.toolset())
}

pub(crate) fn with_store(agent: Agent, store: Option<&Arc<MemoryCheckpointer>>) -> Agent {
    match store {
        Some(store) => agent.checkpointer(Arc::clone(store)),
        None => agent,
    }
}

/// The name of the run's end.
pub(crate) async fn run(agent: &Agent, session: &mut Session) -> String {
    let run = agent.run(session, &Context::new()).await.unwrap();
    run.end.as_str().to_owned()
}

/// Another copy, as another process reads it.
pub(crate) fn stored(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

/// Text and schema of the first question.
pub(crate) fn question(session: &Session) -> (String, Value) {
    let Status::AwaitingUser {
        question, options, ..
    } = session.status()
    else {
        panic!("{:?}", session.status());
    };
    assert_eq!(options["server"], "bookings");
    (question, options.into())
}

/// The result of the call.
pub(crate) fn result(session: &Session) -> String {
    let mut messages = session.thread().messages().iter();
    let result = messages.find_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    result.unwrap()
}

/// All that people see of a session, and of its agent's waiting calls.
pub(crate) fn shown(agent: &Agent, session: &Session) -> String {
    let waiting = serde_json::to_string(&agent.waiting(session, &Context::new())).unwrap();
    let (status, pending) = (session.status(), session.pending());
    format!("{waiting} {status:?} {pending:?} {session:?}")
}

#[tokio::test]
async fn the_answer_is_sent_with_the_state_and_the_same_arguments_and_key() {
    let server = server().await;
    let agent = agent(&server, "book").await;
    let mut session = Session::ask("Book!");
    let end = agent.run(&mut session, &Context::new()).await.unwrap().end;
    assert!(matches!(&end, RunEnd::AskUser { question, .. } if question == "Where?"));
    let (_, options) = question(&session);
    assert_eq!(options["schema"]["required"], json!(["city"]));
    assert_eq!(session.questions().len(), 1);
    assert!(!format!("{end:?}").contains("s3cret"));
    let shown = shown(&agent, &session);
    assert!(!shown.contains("s3cret"), "{shown}");
    assert!(serde_json::to_string(&session).unwrap().contains("s3cret"));

    session.answer(json!({"city": "Oslo"})).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    let said = r#"{"where":{"action":"accept","content":{"city":"Oslo"}}}"#;
    assert_eq!(result(&session), said);
    let [first, second] = &calls(&server)[..] else {
        panic!("{:?}", calls(&server));
    };
    assert_eq!(key(first), key(second));
    assert!(key(first).is_string(), "{first}");
    let abilities = &first["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert!(abilities["elicitation"].is_object(), "{first}");
    assert!(first.get("requestState").is_none());
    assert_eq!(second["requestState"], "s3cret");
}

#[tokio::test]
async fn another_process_takes_the_answer_to_the_server() {
    let store = Arc::new(MemoryCheckpointer::new());
    for has_store in [false, true] {
        let server = server().await;
        let with_store = |agent| with_store(agent, has_store.then_some(&store));
        let mut session = Session::ask("Book!");
        run(&with_store(before(&server, "book").await), &mut session).await;
        let mut session = stored(&session);
        let question = question(&session);
        assert_eq!(question.0, "Where?");
        let path = session.questions()[0].index;
        session
            .decide(path, Decision::Answer(json!({"city": "Rome"})))
            .unwrap();
        assert_eq!(session.status(), Status::AwaitingTools);

        let mut session = stored(&session);
        let agent = with_store(after(&server).await);
        assert_eq!(run(&agent, &mut session).await, "completed");
        assert!(result(&session).contains("Rome"));
        let calls = calls(&server);
        assert_eq!(calls.len(), 2, "{calls:?}");
        assert_eq!(key(&calls[0]), key(&calls[1]));
    }
}

#[tokio::test]
async fn questions_of_one_round_are_asked_one_after_the_other() {
    let server = server().await;
    let agent = agent(&server, "twice").await;
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    assert_eq!(question(&session).0, "From?");
    session.answer(json!({"city": "Oslo"})).unwrap();
    let mut session = stored(&session);
    assert_eq!(run(&agent, &mut session).await, "ask_user");
    assert_eq!(question(&session).0, "To?");
    // Nobody sees what was answered before.
    let shown = shown(&agent, &session);
    assert!(!shown.contains("Oslo"), "{shown}");
    assert_eq!(calls(&server).len(), 1);

    session.answer(json!({"city": "Rome"})).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    let calls = calls(&server);
    assert_eq!(calls.len(), 2);
    let answer = |city: &str| json!({"action": "accept", "content": {"city": city}});
    let all = json!({"a": answer("Oslo"), "b": answer("Rome"), "r": {"roots": []}});
    assert_eq!(calls[1]["inputResponses"], all);
}

#[tokio::test]
async fn a_server_may_ask_again() {
    let server = server().await;
    let store = Arc::new(MemoryCheckpointer::new());
    let agent = agent(&server, "again").await;
    let agent = agent.checkpointer(store);
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    session.answer(json!({"city": "Oslo"})).unwrap();
    run(&agent, &mut session).await;
    assert_eq!(question(&session).0, "Sure?");
    let mut session = stored(&session);
    session.answer(json!({"word": "yes"})).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    let calls = calls(&server);
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[2]["requestState"], "s3cret 2");
    let last = json!({"later": {"action": "accept", "content": {"word": "yes"}}});
    assert_eq!(calls[2]["inputResponses"], last);
    assert!(calls.iter().all(|call| key(call) == key(&calls[0])));
}

#[tokio::test]
async fn a_rejection_declines() {
    let server = server().await;
    let agent = agent(&server, "book").await;
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    session
        .decide("c1", Decision::Reject("not my business".into()))
        .unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    assert_eq!(result(&session), r#"{"where":{"action":"decline"}}"#);
    let calls = calls(&server);
    assert!(!calls[1].to_string().contains("business"), "{calls:?}");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_refused_and_the_call_waits_on() {
    let server = server().await;
    let agent = agent(&server, "book").await;
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    for answer in [
        json!("Oslo"),
        json!({}),
        json!({"city": 3}),
        json!({"city": "O"}),
        json!(null),
    ] {
        let error = session.answer(&answer).unwrap_err();
        assert!(matches!(error, SessionError::InvalidAnswer(_)), "{error:?}");
        let error = session.decide("c1", Decision::Answer(answer)).unwrap_err();
        assert!(matches!(error, SessionError::InvalidAnswer(_)), "{error:?}");
    }
    let error = session.say("Oslo").unwrap_err();
    assert!(matches!(error, SessionError::InvalidAnswer(_)), "{error:?}");
    for decision in [Decision::Approve, Decision::edit(json!({}))] {
        let error = session.decide("c1", decision).unwrap_err();
        assert!(matches!(error, SessionError::NeedsAnswer(_)), "{error:?}");
    }
    assert_eq!(question(&session).0, "Where?");
    session.say("Oslo").unwrap_err();
    session.answer(json!({"city": "Oslo"})).unwrap();
    let error = session.decide("c1", Decision::Reject(String::new()));
    assert!(matches!(error, Err(SessionError::Decided(_))), "{error:?}");
    assert_eq!(run(&agent, &mut session).await, "completed");
    assert_eq!(calls(&server).len(), 2);
}

#[tokio::test]
async fn a_person_visits_a_url() {
    let server = server().await;
    let agent = agent(&server, "visit").await;
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    let (_, options) = question(&session);
    assert_eq!(options["url"], "https://example.com/login");
    assert_eq!(options.get("schema"), None);
    session.say("I was there").unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    assert_eq!(result(&session), r#"{"go":{"action":"accept"}}"#);
}

#[tokio::test]
async fn an_expired_state_is_the_error_of_the_call() {
    let server = server().await;
    let agent = agent(&server, "expires").await;
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    session.answer(json!({"city": "Oslo"})).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    let result = result(&session);
    assert!(result.contains("the state has expired"), "{result}");
}

/// What is not offered is not asked for half.
#[tokio::test]
async fn a_request_that_is_not_offered_fails_before_anybody_is_asked() {
    let server = server().await;
    let agent = agent(&server, "samples").await;
    let mut session = Session::ask("Book!");
    assert_eq!(run(&agent, &mut session).await, "completed");
    let result = result(&session);
    assert!(result.contains("sampling/createMessage"), "{result}");
}
