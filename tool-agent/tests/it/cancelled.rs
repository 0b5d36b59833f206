//! A host that says stop while something is at work: the run ends, the session is in order, and goes on.
// A test that finds less than it expects has failed; steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, Model, ModelResponse, Run, RunEnd, RunEvent, Session, Status, Thread,
    ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::{
    Context, Executor, ToolCall, Toolset, call::Cancel, tool, tools, wire::StreamEvent,
};

use crate::clock::still;
use crate::kept::{none_and_stores, stores};

/// What a run comes to that is stopped as soon as something is at work.
async fn stopped(
    agent: &Agent,
    session: &mut Session,
    at_work: &Notify,
) -> Result<Run, AgentError> {
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let run = async {
        let stops = async {
            at_work.notified().await;
            stop.cancel();
        };
        tokio::join!(agent.run(session, &cx), stops).0
    };
    let run = tokio::time::timeout(Duration::from_mins(1), run).await;
    assert!(run.is_ok(), "the run does not end");
    run.unwrap()
}

/// A model that answers as it is told to, and at one request begins and never comes to an end.
#[derive(Clone)]
struct Hangs(Arc<Hanging>);

struct Hanging {
    script: ScriptedModel,
    /// The request in which it hangs, from 0.
    at: usize,
    asked: AtomicUsize,
    /// What it says before.
    says: Vec<StreamEvent>,
    at_work: Notify,
    /// Its answer was given up.
    dropped: AtomicBool,
}

impl Hangs {
    fn new(at: usize, says: Vec<StreamEvent>, script: ScriptedModel) -> Self {
        Self(Arc::new(Hanging {
            script,
            at,
            asked: AtomicUsize::new(0),
            says,
            at_work: Notify::new(),
            dropped: AtomicBool::new(false),
        }))
    }
}

struct GivenUp<'a>(&'a AtomicBool);

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Model for Hangs {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let model = &*self.0;
        if model.asked.fetch_add(1, Ordering::SeqCst) != model.at {
            return model.script.respond(request, deltas);
        }
        Box::pin(async move {
            let _given_up = GivenUp(&model.dropped);
            for event in &model.says {
                deltas.send(event);
                tokio::task::yield_now().await;
            }
            model.at_work.notify_one();
            std::future::pending().await
        })
    }
}

/// Looks.
#[tool]
fn look() -> &'static str {
    "seen"
}

fn look_call() -> ToolCall {
    ToolCall::new("c1", "look", "{}")
}

/// What a model streams before it hangs: half a call too.
fn half() -> Vec<StreamEvent> {
    let (place, name) = (0, "look".to_owned());
    let text = "{".to_owned();
    vec![
        StreamEvent::Text("Let me ".to_owned()),
        StreamEvent::Text("see".to_owned()),
        StreamEvent::Call { place, name },
        StreamEvent::Arguments { place, text },
    ]
}

#[tokio::test(start_paused = true)]
async fn a_model_that_answers_is_given_up_and_nothing_of_its_answer_is_kept() {
    let first = Ok(ModelResponse::calls([look_call()]));
    let last = Ok(ModelResponse::text("Done."));
    for (at, says) in [(0, Vec::new()), (0, half()), (1, Vec::new()), (1, half())] {
        for (store, _kept) in stores().await {
            let store = still(store);
            let script = ScriptedModel::new([first.clone(), last.clone()]);
            let model = Hangs::new(at, says.clone(), script.clone());
            let told = Arc::new(Mutex::new(Vec::new()));
            let heard = Arc::clone(&told);
            let agent = Agent::new(model.clone(), tools![look])
                .checkpointer(store.clone())
                .on_event(move |event| {
                    let name = match event {
                        RunEvent::Delta { .. } => "piece",
                        RunEvent::ModelFinished { .. } => "answer",
                        RunEvent::RunFinished { run, .. } => run.end.as_str(),
                        _ => return,
                    };
                    heard.lock().unwrap().push(name.to_owned());
                });
            let mut session = Session::with_id("s");
            session.say("Go!").unwrap();
            let run = stopped(&agent, &mut session, &model.0.at_work).await;
            let run = run.unwrap();
            assert!(matches!(run.end, RunEnd::Cancelled), "{run:?}");
            assert_eq!((run.text(), run.turns), (None, u32::try_from(at).unwrap()));
            assert!(model.0.dropped.load(Ordering::SeqCst));
            {
                // All pieces were heard, and no answer.
                let mut told = told.lock().unwrap();
                assert_eq!(told.last().unwrap(), "cancelled");
                let after = told.iter().rposition(|name| name == "answer");
                let since = &told[after.map_or(0, |place| place + 1)..];
                assert_eq!(since.len(), says.len() + 1, "{told:?}");
                told.clear();
            }

            // In order: as it stood before the request, here and in the store.
            assert_eq!(session.status(), Status::Idle);
            assert_eq!(session.thread().len(), 1 + 2 * at);
            assert!(session.thread().check().is_ok() && session.pending().is_empty());
            let kept = agent.state("s").await.unwrap().unwrap();
            assert_eq!(kept.thread(), session.thread());
            assert_eq!(
                store.latest("s").await.unwrap().map(|one| one.id),
                session.checkpoint()
            );

            // It goes on where it stood, in another process too.
            let stored = serde_json::to_string(&session).unwrap();
            let mut session: Session = serde_json::from_str(&stored).unwrap();
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!((run.text(), session.thread().len()), (Some("Done."), 4));
            assert_eq!(script.requests()[at].thread.len(), 1 + 2 * at);
            script.finish();
        }
    }
}

/// Holds a thread until the test says so; then it has its result, and wants the conversation to know it.
struct Held {
    at_work: Notify,
    go_on: Mutex<Receiver<()>>,
    ran: AtomicUsize,
    /// Whether what it noted was taken.
    noted: AtomicBool,
    over: Arc<Notify>,
}

/// Blocks, and is late.
#[tool(blocking)]
fn late(#[state] held: &Held, #[context] cx: &Context) -> &'static str {
    struct Over(Arc<Notify>);
    impl Drop for Over {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }

    let _over = Over(Arc::clone(&held.over));
    held.ran.fetch_add(1, Ordering::SeqCst);
    held.at_work.notify_one();
    held.go_on.lock().unwrap().recv().unwrap();
    let noted = cx.update_state("late", true);
    held.noted.store(noted, Ordering::SeqCst);
    "too late"
}

fn answers(thread: &Thread) -> Vec<(&str, bool, &str)> {
    let messages = thread.messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some((&*answer.id, answer.is_error, answer.text.as_str())),
        _ => None,
    });
    answers.collect()
}

#[tokio::test]
async fn a_result_that_comes_after_the_end_is_nobodys() {
    for store in none_and_stores().await {
        let (go_on, may_go_on) = channel();
        let held = Arc::new(Held {
            at_work: Notify::new(),
            go_on: Mutex::new(may_go_on),
            ran: AtomicUsize::new(0),
            noted: AtomicBool::new(false),
            over: Arc::default(),
        });
        let both = [
            look_call(),
            ToolCall::new("c2", "late", "{}"),
            ToolCall::new("c3", "look", "{}"),
        ];
        let script = ScriptedModel::new([
            Ok(ModelResponse::calls(both)),
            Ok(ModelResponse::text("Done.")),
        ]);
        let all: Toolset = tools![look, late; state = Arc::clone(&held)];
        let mut agent = Agent::with_executor(script.clone(), Executor::serial(all));
        if let Some((store, _)) = &store {
            agent = agent.checkpointer(store.clone());
        }
        let mut session = Session::with_id("s");
        session.say("Go!").unwrap();
        let run = stopped(&agent, &mut session, &held.at_work).await.unwrap();
        assert!(matches!(run.end, RunEnd::Cancelled), "{run:?}");

        // What ended before is kept, and the rest says that it was cancelled, one answer for each call.
        let cancelled = "the call was cancelled";
        let running = "the call was cancelled\n\
                       its work may go on, and it is not known whether it took effect";
        let expected = [
            ("c1", false, "seen"),
            ("c2", true, running),
            ("c3", true, cancelled),
        ];
        assert_eq!(answers(session.thread()), expected);
        assert!(session.thread().check().is_ok() && session.pending().is_empty());
        let before = serde_json::to_string(&session).unwrap();

        // Now the tool comes to its end.
        go_on.send(()).unwrap();
        held.over.notified().await;
        assert!(!held.noted.load(Ordering::SeqCst));
        assert_eq!(serde_json::to_string(&session).unwrap(), before);

        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        assert_eq!(answers(&script.requests()[1].thread), expected);
        assert_eq!(answers(session.thread()), expected);
        assert!(session.state().is_empty() && session.queue().is_empty());
        assert_eq!(held.ran.load(Ordering::SeqCst), 1);
        if let Some((store, _)) = &store {
            let kept = agent.state("s").await.unwrap().unwrap();
            assert_eq!(kept.thread(), session.thread());
            let records = store.calls("s").await.unwrap();
            let ends = records
                .iter()
                .filter_map(|record| record.outcome.as_deref());
            assert!(
                ends.into_iter()
                    .all(|outcome| !outcome.contains("too late")),
                "{records:?}"
            );
        }
        script.finish();
    }
}

/// A model that has its answer worked out elsewhere, for the session that asks, until the host says stop.
struct Elsewhere {
    at_work: Arc<Notify>,
    stopped: tokio::sync::mpsc::UnboundedSender<Option<String>>,
}

impl Model for Elsewhere {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let session = request.session.map(str::to_owned);
        let cancel = request.cancel.cloned();
        let stopped = self.stopped.clone();
        // It outlives the request, whose future is dropped.
        tokio::spawn(async move {
            if let Some(cancel) = cancel {
                cancel.cancelled().await;
                stopped.send(session).unwrap();
            }
        });
        self.at_work.notify_one();
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_model_knows_its_session_and_hears_of_the_end() {
    let (stopped_at, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let at_work = Arc::new(Notify::new());
    let agent = Agent::new(
        Elsewhere {
            at_work: Arc::clone(&at_work),
            stopped: stopped_at,
        },
        Toolset::default(),
    );
    let mut session = Session::with_id("a session");
    session.say("Go!").unwrap();
    let run = stopped(&agent, &mut session, &at_work).await.unwrap();
    assert!(matches!(run.end, RunEnd::Cancelled));
    let heard = tokio::time::timeout(Duration::from_mins(1), heard.recv()).await;
    assert_eq!(heard.unwrap().flatten().as_deref(), Some("a session"));
}
