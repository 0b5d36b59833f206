//! Runs that are dropped, agents, layers and tools around a remote call that waits for a person.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::agent::session::SessionError;
use toolwright::agent::{
    Agent, AgentError, AgentTool, MemoryCheckpointer, ModelResponse, Session, Thread, ThreadMessage,
};
use toolwright::call::{BoxFuture, Decision};
use toolwright::executor::PendingReason;
use toolwright::layers::{Approval, Handled, Layer, Next, Request, Retry};
use toolwright::{Context, Executor, Outcome, ToolCall, Toolset};
use toolwright_mcp as mcp;

use super::pauses::{
    ARGUMENTS, after, agent, before, calls, calls_of, client, key, model, question, result, run,
    serve, server, shown, stored, with_store,
};
use super::raw_http::Server;
use super::text;

/// A session whose run was dropped: the request with the answer has arrived, and its client is gone before it is answered.
struct Dropped {
    server: Server,
    session: Session,
    store: Option<Arc<MemoryCheckpointer>>,
    trusts: bool,
    /// Ends the request when it is dropped.
    _release: mpsc::Sender<()>,
}

impl Dropped {
    async fn new(has_store: bool, trusts: bool) -> Self {
        let (release, held) = mpsc::channel::<()>();
        let (arrival, hangs_now) = tokio::sync::oneshot::channel();
        let (held, arrival) = (Mutex::new(held), Mutex::new(Some(arrival)));
        let server = serve(move |params| {
            let is_answered = params.get("requestState").is_some();
            let first = arrival.lock().unwrap().take_if(|_| is_answered);
            if let Some(first) = first {
                first.send(()).unwrap();
                let _ = held.lock().unwrap().recv();
            }
            None
        })
        .await;
        let mut dropped = Self {
            server,
            session: Session::ask("Book!"),
            store: has_store.then(|| Arc::new(MemoryCheckpointer::new())),
            trusts,
            _release: release,
        };
        let agent = dropped.agent(calls_of("hangs")).await;
        run(&agent, &mut dropped.session).await;
        dropped.session.answer(json!({"city": "Oslo"})).unwrap();
        tokio::select! {
            end = run(&agent, &mut dropped.session) => panic!("{end:?}"),
            () = async { hangs_now.await.unwrap() } => {}
        }
        dropped.session = if has_store {
            let stored = agent.state(dropped.session.id()).await;
            stored.unwrap().unwrap()
        } else {
            stored(&dropped.session)
        };
        dropped
    }

    /// An agent in a process of its own.
    async fn agent(&self, step: ModelResponse) -> Agent {
        let connector = mcp::connect(&*self.server.url).pause_on_elicitation();
        let connector = if self.trusts {
            connector.trust_hints()
        } else {
            connector
        };
        let agent = Agent::new(model([step]), connector.await.unwrap().toolset());
        with_store(agent, self.store.as_ref())
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_behind_the_answer_makes_the_call_once() {
    for has_store in [false, true] {
        let mut dropped = Dropped::new(has_store, false).await;
        let agent = dropped.agent(ModelResponse::text("Done.")).await;
        let session = &mut dropped.session;
        assert_eq!(run(&agent, session).await, "pending");
        let reason = session.pending()[0].reason.clone();
        assert!(
            matches!(reason, PendingReason::OutcomeUnknown(_)),
            "{reason:?}"
        );
        assert_eq!(calls(&dropped.server).len(), 2);

        // Again from the beginning, as another call.
        session.decide("c1", Decision::Approve).unwrap();
        assert_eq!(run(&agent, session).await, "ask_user");
        session.answer(json!({"city": "Rome"})).unwrap();
        assert_eq!(run(&agent, session).await, "completed");
        assert!(result(session).contains("Rome"));
        let calls = calls(&dropped.server);
        assert_eq!(calls.len(), 4);
        assert_eq!(calls[2].get("requestState"), None);
        assert_eq!(key(&calls[0]), key(&calls[1]));
        assert_eq!(key(&calls[2]), key(&calls[3]));
        assert_ne!(key(&calls[1]), key(&calls[2]));
    }
}

/// The server says that a second call does no harm, and the host trusts it.
#[tokio::test]
async fn an_idempotent_call_is_made_again_with_the_answer() {
    for has_store in [false, true] {
        let mut dropped = Dropped::new(has_store, true).await;
        let agent = dropped.agent(ModelResponse::text("Done.")).await;
        assert_eq!(run(&agent, &mut dropped.session).await, "completed");
        let calls = calls(&dropped.server);
        assert_eq!(calls.len(), 3);
        assert_eq!(calls[1]["inputResponses"], calls[2]["inputResponses"]);
        assert_eq!(calls[1]["requestState"], calls[2]["requestState"]);
        assert_eq!(key(&calls[1]), key(&calls[2]));
    }
}

#[tokio::test]
async fn an_agent_inside_an_agent_asks_through_the_outer_one() {
    let server = server().await;
    for has_store in [false, true] {
        let others = calls(&server).len();
        let store = Arc::new(MemoryCheckpointer::new());
        let outer = |step, inner| {
            let clerk = AgentTool::new(inner, "clerk", "Books.").build().unwrap();
            let agent = Agent::new(model([step]), Toolset::new([clerk]).unwrap());
            with_store(agent, has_store.then_some(&store))
        };
        let call = ToolCall::new("o1", "clerk", r#"{"input": "Book!"}"#);
        let step = ModelResponse::calls([call]);
        let first = outer(step, before(&server, "book").await);
        let mut session = Session::ask("Book!");
        run(&first, &mut session).await;
        assert_eq!(question(&session).0, "Where?");
        let shown = shown(&first, &session);
        assert!(!shown.contains("s3cret"), "{shown}");
        let error = session.answer(json!({"city": 1})).unwrap_err();
        assert!(matches!(error, SessionError::InvalidAnswer(_)), "{error:?}");
        let waiting = first.waiting(&session, &Context::new());
        let inside = waiting.last().unwrap();
        assert_eq!(inside.path, [0, 0]);
        session
            .decide(inside, Decision::Answer(json!({"city": "Oslo"})))
            .unwrap();

        let mut session = stored(&session);
        let second = outer(ModelResponse::text("All is done."), after(&server).await);
        assert_eq!(run(&second, &mut session).await, "completed");
        assert_eq!(result(&session), "Done.");
        let calls = calls(&server).split_off(others);
        assert_eq!(calls.len(), 2, "{calls:?}");
        assert_eq!(key(&calls[0]), key(&calls[1]));
        assert!(calls[1].to_string().contains("Oslo"), "{calls:?}");
    }
}

/// Nobody keeps a call of an executor, nor the session of an agent in it.
#[tokio::test]
async fn where_nothing_keeps_the_call_the_question_is_declined() {
    let server = server().await;
    let call = ToolCall::new("c1", "book", ARGUMENTS);
    let executor = Executor::serial(client(&server).await.toolset());
    let batch = executor.run(&[call], &Context::new()).await;
    let said = text(batch.results().next().unwrap());
    assert_eq!(said, r#"{"where":{"action":"decline"}}"#);

    let clerk = AgentTool::new(agent(&server, "book").await, "clerk", "Books.");
    let executor = Executor::serial(Toolset::new([clerk.build().unwrap()]).unwrap());
    let call = ToolCall::new("c1", "clerk", r#"{"input": "Book!"}"#);
    let batch = executor.run(&[call], &Context::new()).await;
    assert_eq!(text(batch.results().next().unwrap()), "Done.");
    let calls = calls(&server);
    assert_eq!(calls.len(), 4);
    let declined = json!({"where": {"action": "decline"}});
    assert_eq!(calls[3]["inputResponses"], declined);
}

/// One step stores no session.
#[tokio::test]
async fn a_step_declines() {
    let server = server().await;
    let agent = before(&server, "book").await;
    let mut thread = Thread::from([ThreadMessage::user("Book!")]);
    agent.step(&mut thread, &Context::new()).await.unwrap();
    let session = Session::from_thread(thread);
    assert_eq!(result(&session), r#"{"where":{"action":"decline"}}"#);
}

/// Takes what the model wrote away, and writes its own.
struct Rewrites;

impl Layer for Rewrites {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(next.run(request.with_arguments(ARGUMENTS)))
    }
}

#[tokio::test]
async fn an_approved_call_asks_and_is_not_approved_twice() {
    let server = server().await;
    let tools = client(&server).await.toolset();
    let executor = Executor::serial(tools)
        .layer(Rewrites)
        .layer(Approval::when(|_| true));
    let agent = Agent::with_executor(
        model([calls_of("book"), ModelResponse::text("Done.")]),
        executor,
    );
    let mut session = Session::ask("Book!");
    assert_eq!(run(&agent, &mut session).await, "pending");
    session.decide("c1", Decision::Approve).unwrap();
    assert_eq!(run(&agent, &mut session).await, "ask_user");
    session.answer(json!({"city": "Oslo"})).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    assert_eq!(calls(&server).len(), 2);
}

/// Holds back what was approved.
struct Holds;

impl Layer for Holds {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            if request.is_approved() {
                Handled::Wait(json!({"why": "closed"}))
            } else {
                next.run(request).await
            }
        })
    }
}

#[tokio::test]
async fn a_call_that_a_layer_holds_back_keeps_its_question() {
    let server = server().await;
    let tools = client(&server).await.toolset();
    let executor = Executor::serial(tools.clone()).layer(Holds);
    let first = Agent::with_executor(model([calls_of("book")]), executor);
    let mut session = Session::ask("Book!");
    run(&first, &mut session).await;
    session.answer(json!({"city": "Oslo"})).unwrap();
    let error = first.run(&mut session, &Context::new()).await.unwrap_err();
    assert!(matches!(error, AgentError::Decision { .. }), "{error:?}");
    assert_eq!(question(&session).0, "Where?");
    assert_eq!(calls(&server).len(), 1);

    session.answer(json!({"city": "Rome"})).unwrap();
    let second = after(&server).await;
    assert_eq!(run(&second, &mut session).await, "completed");
    assert!(result(&session).contains("Rome"));
}

/// A retry sends the same answer again.
#[tokio::test]
async fn a_layer_may_make_a_resumed_call_again() {
    let answers = Mutex::new(0);
    let server = serve(move |params| {
        let mut answers = answers.lock().unwrap();
        *answers += u32::from(params.get("requestState").is_some());
        (*answers == 1).then(|| json!({"content": [], "isError": true}))
    })
    .await;
    let tools = client(&server).await.toolset();
    let executor = Executor::serial(tools).layer(Retry::new(2).always_for(["book"]));
    let steps = [calls_of("book"), ModelResponse::text("Done.")];
    let agent = Agent::with_executor(model(steps), executor);
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    session.answer(json!({"city": "Oslo"})).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    let calls = calls(&server);
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[1]["inputResponses"], calls[2]["inputResponses"]);
}

/// Two calls of a turn are asked about, and answered in any order.
#[tokio::test]
async fn two_calls_of_a_turn_ask() {
    let server = server().await;
    let both = ["book", "again"].map(|name| ToolCall::new(name, name, ARGUMENTS));
    let model = model([ModelResponse::calls(both), ModelResponse::text("Done.")]);
    let agent = Agent::new(model, client(&server).await.toolset());
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    assert_eq!(session.questions().len(), 2);
    session
        .answer_call("again", json!({"city": "Oslo"}))
        .unwrap();
    run(&agent, &mut session).await;
    assert_eq!(session.questions().len(), 2);
    assert_eq!(calls(&server).len(), 3);
    session.answer(json!({"city": "Rome"})).unwrap();
    session.answer(json!({"word": "yes"})).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    assert_eq!(calls(&server).len(), 5);
}

/// An answer is for the tool that asked.
#[tokio::test]
async fn a_tool_that_has_changed_takes_no_answer() {
    let server = server().await;
    let mut session = Session::ask("Book!");
    run(&before(&server, "book").await, &mut session).await;
    session.answer(json!({"city": "Oslo"})).unwrap();
    let book = toolwright::DynTool::builder()
        .name("book")
        .description("Other.");
    let book = book.handler_sync(|_: Value, _| Ok::<_, toolwright::ToolError>(Outcome::value(1)));
    for tools in [
        Toolset::default(),
        Toolset::new([book.build().unwrap()]).unwrap(),
    ] {
        let mut session = stored(&session);
        let agent = Agent::new(model([ModelResponse::text("Done.")]), tools);
        let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
        assert!(matches!(error, AgentError::Decision { .. }), "{error:?}");
        assert_eq!(question(&session).0, "Where?");
        session.decide("c1", Decision::Reject("no".into())).unwrap();
        assert_eq!(run(&agent, &mut session).await, "completed");
    }
    assert_eq!(calls(&server).len(), 1);
}
