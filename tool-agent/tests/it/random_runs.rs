//! Whatever a model says, tools do, people decide and programs lose: after every step each call, by
//! its place, has one answer or is pending, what is pending or asked can be answered, what ends a run is not
//! forgotten, and every request is one that providers take.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::session::{CallRef, SessionError};
use toolwright::agent::store::{CheckpointId, Checkpointer};
use toolwright::agent::thread::{FormatError, ThreadRepair};
use toolwright::agent::{
    Agent, AgentError, Budget, HANDOFF, MemoryCheckpointer, Model, ModelResponse, Node, Session,
    Status, Thread, ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::executor::PendingReason;
use toolwright::layers::{Approval, Cache, ConcurrencyLimit, Retry, Risk};
use toolwright::{
    Context, Executor, Outcome, ToolCall, ToolError, Toolset, Wire,
    call::{Approved, Cancel, Decision, HaltReason, StoredOutcome},
    executor::{ErrorPolicy, OpenCallError, OpenCallHandle, OpenCallState},
    tool, tools,
};

use toolwright::toolset::Namespace;
use toolwright::wire::FinishReason;

use crate::draws::Draws;
use crate::kept::cases;
use crate::remote::remote;

/// What tools did, by idempotency key, and the calls that they keep open.
#[derive(Default)]
struct Effects(Mutex<BTreeMap<String, usize>>, Mutex<Vec<OpenCallHandle>>);

impl Effects {
    fn happens(&self, cx: &Context) {
        let key = cx.idempotency_key().unwrap();
        *self.0.lock().unwrap().entry(key).or_default() += 1;
    }

    /// How many effects happened again.
    fn again(&self) -> usize {
        self.0.lock().unwrap().values().map(|times| times - 1).sum()
    }
}

/// Has an effect at once.
#[tool]
fn once(n: Option<u8>, #[state] effects: &Effects, #[context] cx: &Context) -> u8 {
    effects.happens(cx);
    n.unwrap_or(1)
}

/// Has an effect after a while, and takes a while to say so.
#[tool]
async fn slow(n: Option<u8>, #[state] effects: &Effects, #[context] cx: &Context) -> u8 {
    tokio::task::yield_now().await;
    effects.happens(cx);
    tokio::task::yield_now().await;
    n.unwrap_or(2)
}

/// May happen twice.
#[tool(idempotent)]
async fn same() -> &'static str {
    tokio::task::yield_now().await;
    "same"
}

/// Is asked about.
#[tool(meta(risk = "high"))]
async fn risky(n: Option<u8>, #[state] effects: &Effects, #[context] cx: &Context) -> u8 {
    slow(n, effects, cx).await
}

/// Is answered by the host.
#[tool(manual)]
fn by_hand(n: Option<u8>) -> u8 {
    n.unwrap_or(3)
}

/// Asks.
#[tool]
fn asks() -> Outcome {
    Outcome::ask("Which?")
}

/// Ends the run.
#[tool]
fn ends() -> Outcome {
    Outcome::halt(HaltReason::new("over"), "it is over")
}

/// Goes to the user.
#[tool(return_direct)]
fn direct() -> &'static str {
    "direct"
}

/// Fails.
#[tool]
fn fails() -> Result<u8, ToolError> {
    Err(ToolError::failed("no"))
}

/// Panics, without a word on the terminal.
#[tool]
fn panics() -> u8 {
    std::panic::resume_unwind(Box::new("!"))
}

/// Hands the conversation over, to whoever does not speak.
#[tool]
fn hands(#[context] cx: &Context) -> Outcome {
    let to = if cx.agent_id() == Some("desk") {
        "other"
    } else {
        "desk"
    };
    Outcome::halt(HANDOFF, json!({"agent": to}))
}

/// Has an effect in the background.
#[tool(background)]
async fn later(
    n: Option<u8>,
    #[state] effects: &Effects,
    #[context] cx: &Context,
) -> Result<u8, ToolError> {
    slow(n, effects, cx).await;
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    match n {
        Some(_) => Err(ToolError::failed("the bank said nothing").with_outcome_unknown()),
        None => Ok(5),
    }
}

/// May happen twice in the background.
#[tool(background, idempotent)]
async fn later_same() -> &'static str {
    tokio::task::yield_now().await;
    "the same, later"
}

/// Stays open until the host says more.
#[tool]
async fn keeps(#[state] effects: &Effects, #[context] cx: &Context) -> Result<Outcome, ToolError> {
    let handle = cx.keep_open().await?;
    effects.happens(cx);
    let outcome = handle.outcome("it goes on");
    effects.1.lock().unwrap().push(handle);
    Ok(outcome)
}

/// Has an effect that a person has approved.
#[tool(was("older"))]
async fn approved(
    n: Option<u8>,
    yes: Approved<'_>,
    #[state] effects: &Effects,
    #[context] cx: &Context,
) -> String {
    effects.happens(cx);
    tokio::task::yield_now().await;
    format!("{n:?}, as in {}", yes.arguments())
}

/// Reads what a cache may keep, and fails now and then.
#[tool(read_only)]
async fn look(n: Option<u8>) -> Result<u8, ToolError> {
    tokio::task::yield_now().await;
    n.ok_or_else(|| ToolError::failed("nothing is there"))
}

/// Does not know what it did.
#[tool]
fn doubts(#[state] effects: &Effects, #[context] cx: &Context) -> Result<u8, ToolError> {
    effects.happens(cx);
    Err(ToolError::failed("who knows").with_outcome_unknown())
}

/// Stops the run that calls it.
#[tool]
fn stops(#[context] cx: &Context) -> u8 {
    cx.get::<Cancel>().unwrap().cancel();
    4
}

const NAMES: [&str; 30] = [
    "once",
    "slow",
    "same",
    "risky",
    "by_hand",
    "asks",
    "ends",
    "direct",
    "fails",
    "panics",
    "nowhere",
    "slow",
    "asks",
    "risky",
    "hands",
    "stops",
    "later",
    "later_same",
    "keeps",
    "later",
    "keeps",
    "doubts",
    "approved",
    "approved",
    "older",
    "look",
    "look",
    "search_tools",
    "remote",
    "remote",
];

fn all(effects: &Arc<Effects>) -> Toolset {
    let local = tools![
        once, slow, same, risky, by_hand, asks, ends, direct, fails, panics, hands, stops, later,
        later_same, keeps, doubts, approved, look;
        state = Arc::clone(effects)
    ];
    let effects = Arc::clone(effects);
    local.with(remote(move |cx| effects.happens(cx)))
}

const WIRES: [Wire; 6] = [
    Wire::OpenAiChat,
    Wire::OpenAiResponses,
    Wire::Anthropic,
    Wire::Gemini,
    Wire::Ollama,
    Wire::BedrockConverse,
];

/// Says what was drawn, to requests that every provider takes.
#[derive(Clone)]
struct Drawn {
    draws: Draws,
    requests: Arc<AtomicUsize>,
    /// A call's failure ends the run, which goes before what ends it beside.
    failures_end: bool,
}

impl Drawn {
    fn response(&self) -> Result<ModelResponse, ModelError> {
        let draws = &self.draws;
        match draws.below(8) {
            0 => return Ok(ModelResponse::text("Done.")),
            1 => return Err(ModelError::new(ModelErrorKind::Busy, "429")),
            _ => {}
        }
        let stop = match draws.below(40) {
            0 => Some(FinishReason::CutOff),
            1 => Some(FinishReason::Paused),
            2 => Some(FinishReason::Refused),
            3 => Some(FinishReason::Filtered),
            4 => Some(FinishReason::MalformedCall),
            5 => Some(FinishReason::InProgress),
            6 => Some(FinishReason::Failed("it broke".to_owned())),
            7 => Some(FinishReason::Other("odd".to_owned())),
            _ => None,
        };
        let calls = (0..=draws.below(4)).map(|_| {
            let name = draws.one(&NAMES);
            // Ids that are equal, now and then, or not there; arguments that are wrong.
            let id = draws.one(&["a", "b", "c", "d", "e", "f", "a_1", ""]);
            let arguments = draws.one(&["{}", "{}", r#"{"n": "5"}"#, r#"{"n": []}"#, "{"]);
            ToolCall::new(id, name, arguments)
        });
        let response = ModelResponse::calls(calls);
        Ok(match stop {
            Some(stop) => response.with_stop(stop),
            None => response,
        })
    }
}

impl Model for Drawn {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        request
            .thread
            .check()
            .expect("a thread that providers take");
        let thread = request.thread;
        assert!(thread.questions().is_empty(), "nobody asked: {thread:?}");
        assert!(
            self.failures_end || !is_ended(thread.messages()),
            "what ended the run was forgotten: {thread:?}"
        );
        self.requests.fetch_add(1, Ordering::Relaxed);
        let response = self.response();
        Box::pin(async move {
            tokio::task::yield_now().await;
            response
        })
    }
}

/// Whether a tool of the last turn ended the run, and nobody has spoken since.
fn is_ended(messages: &[ThreadMessage]) -> bool {
    let behind = messages.iter().rev();
    let mut behind = behind.map_while(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer),
        _ => None,
    });
    behind.any(|answer| &*answer.name == "ends" && answer.text == "it is over")
}

/// Whatever is open can be answered, however the session came to stand where it does; and it says so.
fn can_be_answered(session: &Session) {
    let (pending, open) = (session.pending(), session.questions());
    let is_left = pending
        .iter()
        .any(|pending| pending.reason != PendingReason::NotRun);
    match session.status() {
        Status::AwaitingUser { index, .. } => assert_eq!(index, open[0].index, "{session:?}"),
        Status::AwaitingTools => assert!(open.is_empty() && is_left, "{session:?}"),
        _ => assert!(open.is_empty() && !is_left, "{session:?}"),
    }
    if matches!(session.status(), Status::Completed | Status::Failed { .. }) {
        assert!(pending.is_empty(), "{session:?}");
    }
    let mut said = session.clone();
    // A call that goes on with the answer is both.
    let is_asked = |index| open.iter().any(|asked| asked.index == index);
    for pending in pending.iter().filter(|pending| !is_asked(pending.index)) {
        let decided = said.decide(pending.index, Decision::Reject("no".into()));
        let is_taken = matches!(decided, Ok(()) | Err(SessionError::Decided(_)));
        assert!(is_taken, "{decided:?} {session:?}");
    }
    // In another order than they were asked.
    for asked in open.iter().rev() {
        let answered = said.answer_call(asked.index, "Oslo");
        assert_eq!(answered, Ok(()), "{session:?}");
    }
    assert!(said.questions().is_empty(), "{session:?}");
}

/// One list has all that waits for somebody, and each of it can be decided, once.
fn is_listed(agent: &Agent, session: &Session) {
    let (cx, mut said) = (Context::new(), elsewhere(session));
    said.clear_error();
    for one in agent.waiting(&said, &cx) {
        let reject = || Decision::Reject("no".into());
        let decided = said.decide(&one, reject());
        assert_eq!(decided, Ok(()), "{one:?} {session:?}");
        let again = said.decide(&one, reject());
        assert!(again.is_err(), "{one:?} {session:?}");
    }
    assert_eq!(agent.waiting(&said, &cx), [], "{session:?}");
}

/// Each call has one answer in its place, or is pending; and nothing is answered that was not asked.
fn holds(session: &Session) {
    let pending: Vec<_> = session
        .pending()
        .iter()
        .map(|pending| pending.index)
        .collect();
    let messages = session.thread().messages();
    let last = messages
        .iter()
        .rposition(|message| !message.tool_calls().is_empty());
    let mut open: Vec<&ToolCall> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        if matches!(message, ThreadMessage::Tool(_)) {
            assert!(!open.is_empty(), "an answer to nothing: {session:?}");
            continue;
        }
        open = message.tool_calls().iter().collect();
        let answers = messages[place + 1..]
            .iter()
            .map_while(|message| match message {
                ThreadMessage::Tool(answer) => Some(answer),
                _ => None,
            });
        let mut found: Vec<_> = answers
            .map(|answer| {
                assert_eq!(answer.id, open[answer.index].id, "{session:?}");
                answer.index
            })
            .collect();
        if Some(place) == last {
            found.extend(&pending);
        }
        found.sort_unstable();
        assert_eq!(found, (0..open.len()).collect::<Vec<_>>(), "{session:?}");
    }
    assert!(last.is_some() || pending.is_empty(), "{session:?}");
}

/// Each call that stays open is owned, or has its one result; and nothing has a result that was not open.
fn owned(session: &Session) {
    let mut owned: Vec<_> = session
        .open()
        .list()
        .into_iter()
        .map(|call| call.key)
        .collect();
    let messages = session.thread().messages().iter();
    let mut open = Vec::new();
    for message in messages {
        match message {
            ThreadMessage::Tool(answer) => open.extend(answer.open.clone()),
            ThreadMessage::Late(result) => {
                let key = result.open.clone().unwrap();
                assert!(open.contains(&key), "a result of nothing: {session:?}");
                owned.push(key);
            }
            _ => {}
        }
    }
    // A run that was dropped has begun calls that are not answered yet.
    let pending = session.pending();
    let mut listed = session.open().list();
    listed.retain(|call| !open.contains(&call.key));
    for call in &listed {
        assert!(
            pending
                .iter()
                .any(|pending| pending.call.id == call.call.id),
            "{session:?}"
        );
        owned.retain(|key| *key != call.key);
    }
    open.sort_unstable();
    owned.sort_unstable();
    assert_eq!(open, owned, "{session:?}");
}

/// The thread is a request on these wires, unless calls wait: then the refusal names these. Whoever
/// gives them up has a request too.
fn formats(session: &Session, wires: &[Wire]) {
    let requests = |session: &Session, wires: &[Wire]| {
        for &wire in wires {
            let body = session
                .thread()
                .format(wire, Some("You try."))
                .expect("a request");
            // Another file reads them: here it is enough that none is cut off.
            assert!(body.ends_with("]}"), "{body}");
        }
    };
    let pending = session.pending();
    if pending.is_empty() {
        return requests(session, wires);
    }
    let Err(FormatError::Thread(error)) = session.thread().format(Wire::Gemini, None) else {
        panic!("calls wait: {session:?}");
    };
    let named: Vec<_> = error.unanswered.iter().map(|open| open.index).collect();
    let waits: Vec<_> = pending.iter().map(|pending| pending.index).collect();
    assert_eq!(named, waits);
    let repair = match pending.len() % 2 {
        0 => ThreadRepair::Strip,
        _ => ThreadRepair::Answer("nobody did".to_owned()),
    };
    let mut repaired = session.clone();
    repaired.repair(&repair);
    holds(&repaired);
    assert!(repaired.pending().is_empty());
    // One of them: whoever goes on has all six.
    let wire = session.thread().len() % WIRES.len();
    requests(&repaired, &WIRES[wire..=wire]);
}

/// The session as a process reads it in which nothing of it runs.
fn elsewhere(session: &Session) -> Session {
    let mut stored = serde_json::to_value(session).unwrap();
    stored["born"] = json!(format!("{}+", stored["born"].as_str().unwrap()));
    serde_json::from_value(stored).unwrap()
}

/// What the future comes to, if it does before it was polled so often.
async fn at_most<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..polls {
        let done = std::future::poll_fn(|task| Poll::Ready(future.as_mut().poll(task)));
        if let Poll::Ready(done) = done.await {
            return Some(done);
        }
        tokio::task::yield_now().await;
    }
    None
}

/// A conversation, and whoever drives it.
struct Host {
    draws: Draws,
    agent: Agent,
    /// Where the conversation is kept, if it is.
    store: Option<MemoryCheckpointer>,
    requests: Arc<AtomicUsize>,
    effects: Arc<Effects>,
    /// What was written as requests last.
    formatted: Thread,
    /// The newest checkpoint that was looked at.
    checked: Option<CheckpointId>,
    /// How often somebody let a call of unknown outcome run again.
    again: usize,
    /// What was said to which question: the place of the message that makes the call, the call's, and the words.
    said: Vec<(usize, usize, String)>,
}

impl Host {
    fn new(draws: Draws, is_kept: bool) -> Self {
        let (effects, requests) = (Arc::default(), Arc::default());
        let policy = draws.below(3);
        let model = Drawn {
            draws: draws.clone(),
            requests: Arc::clone(&requests),
            failures_end: policy > 0,
        };
        let tools = match draws.below(6) {
            0 => all(&effects).defer(Namespace::new("more").unwrap()),
            1 => all(&effects).compact().unwrap(),
            _ => all(&effects),
        };
        let mut executor = match draws.below(3) {
            0 => Executor::serial(tools),
            _ => Executor::parallel(tools, 3),
        };
        // Around what asks, or inside of it.
        for _ in 0..draws.below(3) {
            executor = match draws.below(5) {
                0 => executor.layer(Cache::new(8)),
                1 => executor.layer(Cache::new(8).shared_for(["look"])),
                2 => executor.layer(Retry::new(2).backoff(Duration::ZERO, Duration::ZERO)),
                3 => executor.layer(ConcurrencyLimit::each(1)),
                _ => executor.layer(ConcurrencyLimit::of("slow", 2)),
            };
        }
        let policies = [ErrorPolicy::Continue, ErrorPolicy::Halt, ErrorPolicy::Abort];
        let executor = executor
            .layer(Approval::at_least(Risk::High))
            .on_error(policies[policy].clone());
        // A run that is dropped releases its lease.
        let term = (draws.below(3) == 0).then(|| Duration::from_hours(1));
        let store = is_kept.then(|| MemoryCheckpointer::new().with_lease(term));
        let some = |most: usize| 1 + u32::try_from(most).unwrap();
        let mut other = Agent::with_executor(model.clone(), executor.clone());
        // What guards a peer holds after a hand-over.
        match draws.below(6) {
            0 => other = other.interrupt_before(Node::Tools),
            1 => other = other.interrupt_after(Node::Model),
            2 => other = other.halt_when(|session, _| session.thread().len() > 12),
            3 => other = other.budget(Budget::new().tokens(40_000)),
            _ => {}
        }
        let mut agent = Agent::with_executor(model, executor)
            .name("desk")
            .peer("other", other)
            .max_turns(some(draws.below(5)))
            .max_tool_rounds(some(draws.below(4)))
            .max_steps(some(1 + draws.below(12)));
        if let Some(store) = &store {
            agent = agent.checkpointer(store.clone());
        }
        if draws.below(3) == 0 {
            agent = agent.report_edits();
        }
        for node in [Node::Model, Node::Tools] {
            if draws.below(4) == 0 {
                agent = agent.interrupt_before(node);
            }
            if draws.below(4) == 0 {
                agent = agent.interrupt_after(node);
            }
        }
        Self {
            draws,
            agent,
            store,
            requests,
            effects,
            formatted: Thread::new(),
            checked: None,
            again: 0,
            said: Vec::new(),
        }
    }

    async fn talk(&mut self) {
        let mut session = Session::with_id("s");
        session.say("Go!").unwrap();
        for _ in 0..25 {
            self.run(&mut session).await;
            self.look_at(&session, &WIRES);
            self.check_store().await;
            if self.draws.is_used_up() {
                break;
            }
            session = self.stored(session).await;
            if self.draws.below(4) == 0 {
                session = elsewhere(&session);
            }
            if let Status::Failed { .. } = session.status() {
                session.clear_error();
            }
            self.act(&mut session);
            self.act_on_open(&session).await;
            // One of them: after the run come all six.
            let wire = session.thread().len() % WIRES.len();
            self.look_at(&session, &WIRES[wire..=wire]);
        }
        assert!(
            self.effects.again() <= self.again,
            "an effect happened twice"
        );
    }

    /// What holds of every session that somebody is handed.
    fn look_at(&mut self, session: &Session, wires: &[Wire]) {
        holds(session);
        owned(session);
        can_be_answered(session);
        if self.formatted == *session.thread() {
            return;
        }
        is_listed(&self.agent, session);
        formats(session, wires);
        if wires.len() == WIRES.len() {
            self.formatted = session.thread().clone();
        }
        // Of a conversation that is kept, an older checkpoint may go on.
        if self.store.is_none() {
            for (at, index, words) in &self.said {
                let answers = session.thread().messages().iter().skip(at + 1);
                let mut answers = answers.map_while(|message| match message {
                    ThreadMessage::Tool(answer) => Some(answer),
                    _ => None,
                });
                let answer = answers.find(|answer| answer.index == *index);
                assert_eq!(&answer.unwrap().text, words, "{session:?}");
            }
        }
    }

    async fn run(&self, session: &mut Session) {
        let polls = match self.draws.below(4) {
            0 => self.draws.below(12),
            _ => 10_000,
        };
        let stop = Cancel::new();
        let cx = Context::new().with(stop.clone()).with_cancel(stop);
        // What a budget refuses goes on in a later run.
        let agent = match self.draws.below(4) {
            0 => {
                let most = 500 * u64::try_from(self.draws.below(8)).unwrap();
                self.agent.clone().budget(Budget::new().tokens(most))
            }
            _ => self.agent.clone(),
        };
        let run = at_most(polls, agent.run(session, &cx)).await;
        match run {
            // Somebody is needed, or the model does not answer: the session says so.
            Some(
                Ok(_)
                | Err(AgentError::Session(_) | AgentError::Model(_) | AgentError::Decision { .. }),
            ) => {}
            Some(Err(error)) => panic!("{error}: {session:?}"),
            // The run was dropped: the session stands where it stood.
            None if self.store.is_none() => {}
            // The program ended. What was kept is what there is.
            None => {
                if let Some(kept) = self.agent.state("s").await.unwrap() {
                    *session = kept;
                } else {
                    *session = Session::with_id("s");
                    session.say("Go!").unwrap();
                }
            }
        }
    }

    /// All that was kept since the last look can be read, and holds.
    async fn check_store(&mut self) {
        let Some(store) = &self.store else { return };
        let mut next = store.latest("s").await.unwrap();
        let newest = next.as_ref().map(|checkpoint| checkpoint.id);
        while let Some(checkpoint) = next.filter(|checkpoint| Some(checkpoint.id) > self.checked) {
            let session = checkpoint.session().unwrap();
            holds(&session);
            owned(&session);
            can_be_answered(&session);
            next = match checkpoint.parent {
                Some(parent) => store.get(parent).await.unwrap(),
                None => None,
            };
        }
        self.checked = newest;
    }

    /// The session as it comes back from a store, from a text, from an older checkpoint.
    async fn stored(&self, session: Session) -> Session {
        let read_back = || serde_json::from_str(&serde_json::to_string(&session).unwrap()).unwrap();
        let Some(store) = &self.store else {
            // Not between all of what happens, but between any two of it.
            return match self.draws.below(2) {
                0 => read_back(),
                _ => session,
            };
        };
        match self.draws.below(8) {
            0 => match self.agent.state("s").await.unwrap() {
                Some(kept) => kept,
                None => session,
            },
            1 => {
                let history = store.history("s").await.unwrap();
                if history.is_empty() {
                    return session;
                }
                let from = &history[self.draws.below(history.len())];
                self.agent.branch(from.id).await.unwrap()
            }
            _ => read_back(),
        }
    }

    /// People do something, sometimes the wrong thing. What is refused changes nothing.
    fn act(&mut self, session: &mut Session) {
        for _ in 0..=self.draws.below(3) {
            // It finds the open calls that go on in this process.
            drop(session.open());
            // A clone shares its open calls.
            let before = serde_json::to_string(session).unwrap();
            let pending = session.pending();
            let open = session.questions();
            let done = match self.draws.below(8) {
                0 => session.say("And?"),
                1 => session.answer("Oslo"),
                2 => session.submit("no such id", 1),
                3 => match pending.first() {
                    Some(first) => session.submit(&*first.call.id, 1),
                    None => session.submit(0, 1),
                },
                // Any of the questions.
                4 | 5 if !open.is_empty() => {
                    let asked = &open[self.draws.below(open.len())];
                    let words = format!("Rome {}", self.said.len());
                    let done = session.answer_call(asked.index, &words);
                    // The tool goes on with the answer.
                    if done.is_ok() && &*asked.call.name != "remote" {
                        let mut messages = session.thread().messages().iter();
                        let at = messages.rposition(|message| !message.tool_calls().is_empty());
                        self.said.push((at.unwrap(), asked.index, words));
                    }
                    done
                }
                _ => self.decide(session),
            };
            if done.is_err() {
                assert_eq!(serde_json::to_string(session).unwrap(), before);
            }
        }
    }

    /// Tools, people and others say what open calls came to: early, late, twice, of none.
    async fn act_on_open(&mut self, session: &Session) {
        let handle = self.effects.1.lock().unwrap().pop();
        match (self.draws.below(5), handle) {
            // It may have been cancelled meanwhile, or be of an older checkpoint.
            (0, Some(handle)) => drop(handle.end(Ok(Outcome::value("kept"))).await),
            (1, Some(handle)) => drop(handle),
            (_, handle) => self.effects.1.lock().unwrap().extend(handle),
        }
        let open = session.open();
        let all = open.list();
        if all.is_empty() || self.draws.below(3) > 0 {
            return;
        }
        let call = &all[self.draws.below(all.len())];
        let has_ended = matches!(call.state, OpenCallState::Ended(_));
        let said = StoredOutcome::new(&call.call, &Ok(Outcome::value("from elsewhere"))).unwrap();
        let error = open.end("no such key", said.clone()).await.unwrap_err();
        assert!(matches!(error, OpenCallError::NotOpen { .. }));
        let done = match self.draws.below(2) {
            0 => open.cancel(&call.key).await,
            _ => open.end(&call.key, said.clone()).await,
        };
        assert_eq!(done.is_err(), has_ended);
        let error = open.end(&call.key, said).await.unwrap_err();
        assert!(matches!(error, OpenCallError::Ended { .. }));
    }

    fn decide(&mut self, session: &mut Session) -> Result<(), SessionError> {
        let waiting = self.agent.waiting(session, &Context::new());
        let mut decisions = Vec::new();
        for one in &waiting {
            let decision = match self.draws.below(7) {
                0 => continue,
                1 => Decision::Reject("no".to_owned()),
                2 => Decision::Answer(json!({"by": "hand"})),
                3 => Decision::edit(json!({"n": 7})),
                4 => Decision::edit(json!({"m": 7})),
                _ => Decision::Approve,
            };
            let may_run = matches!(decision, Decision::Approve | Decision::Edit(_));
            if may_run && matches!(one.reason, PendingReason::OutcomeUnknown(_)) {
                self.again += 1;
            }
            let call = match (self.draws.below(4), &*one.path) {
                (0, path @ [_]) => CallRef::from(path),
                (1, [index]) => CallRef::Index(*index),
                _ => CallRef::from(one),
            };
            decisions.push((call, decision));
        }
        // What is decided already, or not there.
        if self.draws.below(8) == 0 {
            let index = self.draws.below(4);
            decisions.push((CallRef::Index(index), Decision::Approve));
        }
        session.decide_all(decisions)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: cases(64), ..ProptestConfig::default() })]
    #[test]
    fn each_call_has_one_answer_or_is_pending(
        numbers in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let mut host = Host::new(Draws::new(numbers), true);
        runtime.block_on(host.talk());
        prop_assert!(host.requests.load(Ordering::Relaxed) < 10_000);
    }
}

/// Many short conversations, one in four of which is kept. CI asks for 100,000.
#[test]
fn nothing_of_many_conversations_is_lost() {
    const THREADS: u64 = 4;
    let share = cases(2_000).div_ceil(4);
    let talks = move |first: u64| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let seeds = (first..).step_by(usize::try_from(THREADS).unwrap());
        for (number, seed) in seeds.take(usize::try_from(share).unwrap()).enumerate() {
            let mut host = Host::new(Draws::seeded(seed, 26), number % 4 == 0);
            let talk = std::panic::AssertUnwindSafe(|| runtime.block_on(host.talk()));
            assert!(
                std::panic::catch_unwind(talk).is_ok(),
                "with the seed {seed}"
            );
        }
    };
    let threads: Vec<_> = (0..THREADS)
        .map(|first| std::thread::spawn(move || talks(first)))
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// The property has something to hold of: the draws lead everywhere.
#[test]
fn the_draws_lead_everywhere() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let kinds = [
        "idle",
        "awaiting_user",
        "awaiting_tools",
        "interrupted",
        "completed",
        "failed",
        "not run",
        "manual",
        "decision",
        "unknown",
        "question",
        "open",
        "open, unknown",
        "open, ended",
        "late",
        "at branch",
    ];
    let is_often =
        |seen: &BTreeMap<String, usize>, kind: &str| seen.get(kind).is_some_and(|times| *times > 9);
    for seed in 0..100 {
        if kinds.iter().all(|kind| is_often(&seen, kind)) {
            break;
        }
        let mut host = Host::new(Draws::seeded(seed, 400), true);
        runtime.block_on(host.talk());
        let store = host.store.as_ref().unwrap();
        for checkpoint in runtime.block_on(store.history("s")).unwrap() {
            let session = checkpoint.session().unwrap();
            *seen
                .entry(session.status().as_str().to_owned())
                .or_default() += 1;
            for pending in session.pending() {
                let why = match pending.reason {
                    PendingReason::NotRun => "not run",
                    PendingReason::ManualTool => "manual",
                    PendingReason::Decision(_) => "decision",
                    PendingReason::OutcomeUnknown(_) => "unknown",
                    PendingReason::Question(_) => "question",
                    _ => "other",
                };
                *seen.entry(why.to_owned()).or_default() += 1;
            }
            for call in session.open().list() {
                let state = match call.state {
                    OpenCallState::Running => "open",
                    OpenCallState::Unknown(_) => "open, unknown",
                    _ => "open, ended",
                };
                *seen.entry(state.to_owned()).or_default() += 1;
            }
            let messages = session.thread().messages().iter();
            let late = messages.filter(|message| matches!(message, ThreadMessage::Late(_)));
            *seen.entry("late".to_owned()).or_default() += late.count();
            let written = checkpoint.written.as_str();
            *seen.entry(format!("at {written}")).or_default() += 1;
        }
    }
    let missing: Vec<_> = kinds.iter().filter(|kind| !is_often(&seen, kind)).collect();
    assert!(missing.is_empty(), "{missing:?}: {seen:?}");
}
