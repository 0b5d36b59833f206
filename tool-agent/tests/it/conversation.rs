//! What a conversation holds, and who hears of it: messages in order, hooks, events, words that are
//! left while an agent works.
// A test that finds less than it expects has failed; steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::sync::Notify;
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::session::Queue;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, Hooks, Listener, Model, ModelResponse, Run, RunEvent, Session, ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::{
    Context, Executor, Registry, ToolCall, Toolset,
    call::Scope,
    executor::{Event as CallEvent, Source, TraceStore},
    tool, tools,
    wire::StreamEvent,
};

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Leaves words for whoever runs the session.
#[tool]
fn remind(#[context] cx: &Context) -> &'static str {
    cx.get::<Queue>().unwrap().push("And tell me.");
    "noted"
}

/// Learns a number.
#[tool]
fn learn(#[context] cx: &Context) -> bool {
    cx.update_state("n", 1)
}

fn all() -> Toolset {
    tools![add, remind]
}

fn add_call(id: &str) -> ToolCall {
    ToolCall::new(id, "add", json!({"a": 2, "b": 2}).to_string())
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn roles(messages: &[ThreadMessage]) -> Vec<&'static str> {
    let role = |message: &ThreadMessage| match message {
        ThreadMessage::User { .. } => "user",
        ThreadMessage::Assistant(_) => "assistant",
        ThreadMessage::Tool(_) => "tool",
        _ => "?",
    };
    messages.iter().map(role).collect()
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[tokio::test]
async fn the_message_with_the_calls_stands_before_their_answers() {
    let mut said = ModelResponse::calls([add_call("c1"), add_call("c2")]);
    said.text = "Let me see.".into();
    let model = ScriptedModel::new([Ok(said), text("Both are 4.")]);
    let mut session = Session::ask("2 + 2, twice?");
    let agent = Agent::new(model, all());
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let messages = session.thread().messages();
    assert_eq!(
        roles(messages),
        ["user", "assistant", "tool", "tool", "assistant"]
    );
    // Words and calls of one turn are one message.
    let ThreadMessage::Assistant(said) = &messages[1] else {
        panic!("{messages:?}");
    };
    assert_eq!((said.text.as_str(), said.calls.len()), ("Let me see.", 2));
    let ids = messages.iter().filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(&*answer.id),
        _ => None,
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["c1", "c2"]);
}

#[tokio::test]
async fn a_session_is_a_value_and_its_run_is_all_in_it() {
    let model = ScriptedModel::new([calls(&[add_call("c1")]), text("4.")]);
    let mut session = Session::ask("2 + 2?");
    let before = session.clone();
    let agent = Agent::new(model, all());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(before.thread().len(), 1);
    assert_eq!(session.thread().last_text(), run.text());
    // What tools answered, too.
    assert_eq!(
        roles(session.thread().messages()),
        ["user", "assistant", "tool", "assistant"]
    );
}

#[tokio::test]
async fn calls_of_a_model_that_was_given_no_tools_end_nothing() {
    let mut said = ModelResponse::calls([add_call("c1")]);
    said.text = "I would add.".into();
    let model = ScriptedModel::new([Ok(said), text("I have no tools.")]);
    let agent = Agent::new(model.clone(), Toolset::default());
    let mut session = Session::ask("2 + 2?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        (run.end.as_str(), run.text()),
        ("completed", Some("I have no tools."))
    );
    // Its words are kept, and it was told.
    let asked = &model.requests()[1].thread;
    let [_, ThreadMessage::Assistant(said), ThreadMessage::Tool(told)] = asked.messages() else {
        panic!("{asked:?}");
    };
    assert_eq!(said.text, "I would add.");
    assert_eq!(
        (told.is_error, told.text.as_str()),
        (true, "unknown tool `add`")
    );
}

#[tokio::test]
async fn what_tools_there_are_is_asked_anew_for_each_turn() {
    let asked = Lines::default();
    let notes = asked.clone();
    let catalogue = Source::catalog(move |scope: &Scope<'_>| {
        let (turn, input) = (scope.turn, scope.input.unwrap_or_default());
        notes.write(format!("{turn} {input} {:?}", scope.state.get("n")));
        match turn {
            0 => tools![learn],
            1 => tools![add],
            _ => Toolset::default(),
        }
    });
    let learn_call = ToolCall::new("c1", "learn", "{}");
    let model = ScriptedModel::new([calls(&[learn_call]), calls(&[add_call("c2")]), text("4.")]);
    let agent = Agent::new(model.clone(), catalogue);
    let mut session = Session::ask("2 + 2?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let offered: Vec<_> = model.requests().into_iter().map(|one| one.tools).collect();
    assert_eq!(offered, [vec!["learn"], vec!["add"], vec![]]);
    // What was offered is what can be called.
    let failed = session
        .thread()
        .messages()
        .iter()
        .filter(|message| matches!(message, ThreadMessage::Tool(answer) if answer.is_error));
    assert_eq!(failed.count(), 0);
    let mut asked = asked.take();
    asked.dedup();
    assert_eq!(asked[0], "0 2 + 2? None");
    assert_eq!(asked.last().unwrap(), "2 2 + 2? Some(Number(1))");

    // So are tools that come and go.
    let registry = Registry::from(tools![add]);
    let model = ScriptedModel::new([calls(&[add_call("c1")]), text("4."), text("Bye.")]);
    let agent = Agent::new(model.clone(), &registry).on_event({
        let registry = registry.clone();
        move |event| {
            if let RunEvent::Call {
                event: CallEvent::Finished { .. },
                ..
            } = event
            {
                registry.replace(tools![remind]);
            }
        }
    });
    let mut session = Session::ask("2 + 2?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let offered: Vec<_> = model.requests().into_iter().map(|one| one.tools).collect();
    assert_eq!(offered, [vec!["add"], vec!["remind"]]);
    session.say("Bye!").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
}

/// Says a word, and the rest when it is let.
struct Slow(Arc<Notify>);

impl Model for Slow {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let first = request.thread.len() == 1;
        Box::pin(async move {
            assert!(deltas.is_wanted());
            if !first {
                deltas.send(&StreamEvent::Text("4.".into()));
                return text("4.");
            }
            deltas.send(&StreamEvent::Text("Let me ".into()));
            self.0.notified().await;
            deltas.send(&StreamEvent::Text("see.".into()));
            let mut said = ModelResponse::calls([add_call("c1"), add_call("c2")]);
            said.text = "Let me see.".into();
            Ok(said)
        })
    }
}

/// The events of a run, in words.
fn told(event: &RunEvent<'_>) -> Option<String> {
    Some(match event {
        RunEvent::RunStarted { .. } => "run".into(),
        RunEvent::Delta {
            delta: StreamEvent::Text(text),
            ..
        } => text.clone(),
        RunEvent::ModelFinished { .. } => "model finished".into(),
        RunEvent::CallsReady { calls, .. } => format!("{} calls", calls.len()),
        RunEvent::Call {
            event: CallEvent::Started { index, .. },
            ..
        } => format!("{index} started"),
        RunEvent::Call {
            event: CallEvent::Finished { index, .. },
            ..
        } => format!("{index} finished"),
        RunEvent::NodeFinished { node, .. } => format!("{node} done"),
        RunEvent::RunFinished { run, .. } => run.end.as_str().to_owned(),
        _ => return None,
    })
}

#[tokio::test]
async fn words_are_heard_while_the_model_speaks_and_a_run_is_one_stream() {
    let (go_on, lines) = (Arc::new(Notify::new()), Lines::default());
    let (hears, let_go) = (lines.clone(), Arc::clone(&go_on));
    let agent = Agent::new(Slow(go_on), all()).on_event(move |event| {
        let Some(line) = told(event) else { return };
        // The model waits until its first word was heard.
        if line == "Let me " {
            let_go.notify_one();
        }
        hears.write(line);
    });
    let mut session = Session::ask("2 + 2?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        lines.take(),
        [
            "run",
            "Let me ",
            "see.",
            "model finished",
            "2 calls",
            "model done",
            "0 started",
            "0 finished",
            "1 started",
            "1 finished",
            "tools done",
            "4.",
            "model finished",
            "model done",
            "completed",
        ]
    );
}

/// Says whether it was asked to stream.
struct Asked;

impl Model for Asked {
    fn respond<'a>(
        &'a self,
        _: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move { text(&deltas.is_wanted().to_string()) })
    }
}

/// Hears that runs end.
struct Ends(Lines, bool);

impl Listener for Ends {
    fn event(&self, event: &RunEvent<'_>) {
        if let RunEvent::RunFinished { run, .. } = event {
            self.0.write(run.text.clone().unwrap_or_default());
        }
    }

    fn wants_deltas(&self) -> bool {
        self.1
    }
}

#[tokio::test]
async fn models_stream_if_a_listener_hears_deltas() {
    let agent = Agent::new(Asked, all()).listener(TraceStore::new(100));
    let mut session = Session::ask("Do you stream?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text.as_deref(), Some("false"));
    let ends = |hears: bool| Ends(Lines::default(), hears);
    for (hears, streams) in [
        (&[][..], "false"),
        (&[false], "false"),
        (&[true], "true"),
        (&[false, true, false], "true"),
    ] {
        let mut agent = Agent::new(Asked, all());
        let listeners: Vec<_> = hears.iter().map(|hears| ends(*hears)).collect();
        let lines: Vec<_> = listeners.iter().map(|it| it.0.clone()).collect();
        for listener in listeners {
            agent = agent.listener(listener);
        }
        let mut session = Session::ask("Do you stream?");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text.as_deref(), Some(streams), "{hears:?}");
        for lines in lines {
            assert_eq!(lines.take(), [streams]);
        }
    }
}

#[tokio::test]
async fn a_stream_asks_the_model_once_a_turn_however_many_pieces_come() {
    let words = "one two three four five six seven eight nine ten";
    let model = ScriptedModel::new([calls(&[add_call("c1"), add_call("c2")]), text(words)]);
    let pieces = Lines::default();
    let hears = pieces.clone();
    let agent = Agent::new(model.clone(), all()).on_event(move |event| {
        if let RunEvent::Delta { delta: piece, .. } = event {
            hears.write(format!("{piece:?}"));
        }
    });
    let _ = agent
        .run(&mut Session::ask("2 + 2?"), &Context::new())
        .await
        .unwrap();
    assert!(pieces.take().len() > 10);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn words_that_are_left_while_an_agent_works_are_answered_once() {
    // While a tool runs: they stand behind its turn, and the next request answers both.
    let call = ToolCall::new("c1", "remind", "{}");
    let model = ScriptedModel::new([calls(&[call, add_call("c2")]), text("Noted.")]);
    let agent = Agent::new(model.clone(), all());
    let mut session = Session::ask("Remind me!");
    let cx = Context::new().with(session.queue());
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!((run.turns, run.text()), (2, Some("Noted.")));
    let expected = ["user", "assistant", "tool", "tool", "user", "assistant"];
    assert_eq!(roles(session.thread().messages()), expected);
    assert_eq!(session.thread().last_input(), Some("And tell me."));
    assert!(session.thread().check().is_ok());

    // While the model speaks its last word: one request more, for each of them.
    let model = ScriptedModel::new([text("Hello."), text("One."), text("Two.")]);
    let queue: Arc<Mutex<Option<Queue>>> = Arc::default();
    let leaves = Arc::clone(&queue);
    let agent = Agent::new(model.clone(), all()).on_event(move |event| {
        if let RunEvent::Delta { .. } = event
            && let Some(queue) = leaves.lock().unwrap().take()
        {
            queue.push("1?");
            queue.push("2?");
        }
    });
    let mut session = Session::ask("Hi!");
    *queue.lock().unwrap() = Some(session.queue());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.turns, run.text()), (3, Some("Two.")));
    let said: Vec<_> = model
        .requests()
        .iter()
        .map(|asked| asked.thread.len())
        .collect();
    assert_eq!(said, [1, 3, 5]);
}

#[tokio::test]
async fn a_chat_keeps_tool_messages_and_trims_whole_turns() {
    /// Keeps no more than so many words, as a count of tokens would.
    struct Trim;

    impl Hooks for Trim {
        fn before_model(&self, session: &mut Session) {
            session.thread_mut().trim(8, |message| match message {
                ThreadMessage::User { text } => text.split(' ').count(),
                ThreadMessage::Assistant(said) => said.calls.len() + said.text.split(' ').count(),
                _ => 1,
            });
        }
    }

    let script = [
        calls(&[add_call("c1")]),
        text("It is four."),
        text("It is five."),
        calls(&[add_call("c2")]),
        text("It is four again."),
    ];
    let model = ScriptedModel::new(script);
    let agent = Agent::new(model.clone(), all())
        .system("You add.")
        .hooks(Trim);
    let mut session = Session::new();
    for words in ["2 + 2?", "2 + 3?", "2 + 2 again?"] {
        session.say(words).unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    }
    let asked = model.requests();
    // The prompt and the tools are told each time, and the prompt is in no thread.
    assert!(
        asked
            .iter()
            .all(|one| one.system.as_deref() == Some("You add."))
    );
    assert!(asked.iter().all(|one| one.tools == ["add", "remind"]));
    let seen: Vec<_> = asked
        .iter()
        .map(|one| roles(one.thread.messages()))
        .collect();
    assert_eq!(seen[1], ["user", "assistant", "tool"]);
    // The first turn is gone, its call and the answer together; the others are whole.
    assert_eq!(seen[2], ["user"]);
    assert_eq!(seen[4], ["user", "assistant", "tool"]);
    assert!(asked.iter().all(|one| one.thread.check().is_ok()));
    assert_eq!(asked[4].thread.last_input(), Some("2 + 2 again?"));
}

/// Notes when it is asked.
struct Notes(&'static str, Lines);

impl Hooks for Notes {
    fn before_run(&self, session: &mut Session) {
        self.1.write(format!(
            "{} before run, {} said",
            self.0,
            session.thread().len()
        ));
    }

    fn after_run(&self, _session: &mut Session, run: &Run) {
        self.1
            .write(format!("{} after run, {}", self.0, run.end.as_str()));
    }

    fn before_model(&self, session: &mut Session) {
        self.1.write(format!(
            "{} before model, {} said",
            self.0,
            session.thread().len()
        ));
    }

    fn after_model(&self, session: &mut Session) {
        self.1.write(format!(
            "{} after model, {} said",
            self.0,
            session.thread().len()
        ));
    }
}

#[tokio::test]
async fn hooks_go_in_order_and_come_back_in_reverse_once_a_run() {
    let lines = Lines::default();
    let model = ScriptedModel::new([calls(&[add_call("c1")]), text("4."), text("Bye.")]);
    let agent = Agent::new(model, all())
        .hooks(Notes("a", lines.clone()))
        .hooks(Notes("b", lines.clone()));
    let mut session = Session::ask("2 + 2?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        lines.take(),
        [
            "a before run, 1 said",
            "b before run, 1 said",
            "a before model, 1 said",
            "b before model, 1 said",
            "b after model, 2 said",
            "a after model, 2 said",
            "a before model, 3 said",
            "b before model, 3 said",
            "b after model, 4 said",
            "a after model, 4 said",
            "b after run, completed",
            "a after run, completed",
        ]
    );
    // Again for the next run of the same agent.
    session.say("Bye!").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let again = lines.take();
    assert_eq!(
        (again.len(), again[0].as_str()),
        (8, "a before run, 5 said")
    );
}

/// Asks a model once more where it was busy.
struct Again<M>(M);

impl<M: Model> Model for Again<M> {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            match self.0.respond(request, deltas).await {
                Err(error) if error.kind().is_transient() => self.0.respond(request, deltas).await,
                other => other,
            }
        })
    }
}

#[tokio::test]
async fn a_model_around_a_model_is_one() {
    let busy = ModelError::new(ModelErrorKind::Busy, "429");
    let model = ScriptedModel::new([Err(busy), text("Hello.")]);
    let agent = Agent::with_executor(Again(model.clone()), Executor::serial(all()));
    let run = agent
        .run(&mut Session::ask("Hi!"), &Context::new())
        .await
        .unwrap();
    assert_eq!((run.turns, run.text()), (1, Some("Hello.")));
    assert_eq!(model.requests().len(), 2);
}
