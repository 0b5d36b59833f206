//! What was approved is what ran: whatever a model calls, layers rewrite, people say, in whatever
//! order and program, and however tools change in between.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::session::{CallRef, SessionError};
use toolwright::agent::{
    Agent, AgentError, MemoryCheckpointer, Model, ModelResponse, Node, Session, Status,
    ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::executor::{Pending, PendingReason};
use toolwright::layers::{Approval, Risk};
use toolwright::{
    Context, Executor, ToolCall, Toolset,
    call::Decision,
    layers::{Handled, Layer, Next, Request as CallRequest},
    tool, tools,
};

use crate::draws::Draws;
use crate::kept::cases;

/// What ran: the tool, which of its versions, and with what.
#[derive(Debug, Clone)]
struct Ran {
    tool: &'static str,
    version: u8,
    arguments: Value,
}

#[derive(Default)]
struct Ledger(Mutex<Vec<Ran>>);

impl Ledger {
    fn ran(&self, tool: &'static str, version: u8, arguments: Value) {
        let ran = Ran {
            tool,
            version,
            arguments,
        };
        self.0.lock().unwrap().push(ran);
    }
}

/// The tools as they were first.
mod first {
    use super::{Ledger, json, tool};

    /// Pays. A layer asks.
    #[tool(destructive, meta(risk = "high"))]
    pub(crate) fn pay(n: u64, to: &str, #[state] ledger: &Ledger) {
        ledger.ran("pay", 1, json!({"n": n, "to": to}));
    }

    /// Charges. The tool itself waits.
    #[tool(manual)]
    pub(crate) fn charge(n: u64, to: &str, #[state] ledger: &Ledger) {
        ledger.ran("charge", 1, json!({"n": n, "to": to}));
    }

    /// Looks. Nobody is asked.
    #[tool]
    pub(crate) fn look(n: u64, to: &str, #[state] ledger: &Ledger) {
        ledger.ran("look", 1, json!({"n": n, "to": to}));
    }
}

/// The same tools later: they take what they took, and more.
mod later {
    use super::{Ledger, json, tool};

    fn ran(ledger: &Ledger, tool: &'static str, n: u64, to: &str, note: Option<u8>) {
        let mut arguments = json!({"n": n, "to": to});
        if let Some(note) = note {
            arguments["note"] = note.into();
        }
        ledger.ran(tool, 2, arguments);
    }

    /// Pays. A layer asks.
    #[tool(destructive, meta(risk = "high"))]
    pub(crate) fn pay(n: u64, to: &str, note: Option<u8>, #[state] ledger: &Ledger) {
        ran(ledger, "pay", n, to, note);
    }

    /// Charges. The tool itself waits.
    #[tool(manual)]
    pub(crate) fn charge(n: u64, to: &str, note: Option<u8>, #[state] ledger: &Ledger) {
        ran(ledger, "charge", n, to, note);
    }

    /// Looks. Nobody is asked.
    #[tool]
    pub(crate) fn look(n: u64, to: &str, note: Option<u8>, #[state] ledger: &Ledger) {
        ran(ledger, "look", n, to, note);
    }
}

fn all(version: u8, ledger: &Arc<Ledger>) -> Toolset {
    let ledger = Arc::clone(ledger);
    if version == 1 {
        tools![first::pay, first::charge, first::look; state = ledger]
    } else {
        tools![later::pay, later::charge, later::look; state = ledger]
    }
}

/// Changes where something goes: to the same each time, or to something new.
#[derive(Clone, Copy)]
enum Rewrites {
    Same,
    Grows,
}

impl Layer for Rewrites {
    fn call<'a>(&'a self, request: CallRequest<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let mut arguments: Value = serde_json::from_str(&request.call().arguments).unwrap();
            let to = arguments["to"].as_str().unwrap().to_owned();
            arguments["to"] = match self {
                Self::Same => "fixed".into(),
                Self::Grows => format!("{to}!").into(),
            };
            next.run(request.with_arguments(arguments.to_string()))
                .await
        })
    }
}

/// Calls what was drawn; no two calls have the same number.
struct Drawn {
    draws: Draws,
    numbers: Arc<AtomicU64>,
}

impl Model for Drawn {
    fn respond<'a>(
        &'a self,
        _request: ModelRequest<'a>,
        _deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let calls = (0..self.draws.below(5)).map(|place| {
            let n = self.numbers.fetch_add(1, Ordering::Relaxed);
            let name = self.draws.one(&["pay", "pay", "charge", "charge", "look"]);
            let arguments = match self.draws.below(5) {
                0 => json!({"n": n.to_string(), "to": "text"}),
                1 => json!({"n": n, "to": []}),
                _ => json!({"n": n, "to": "ada"}),
            };
            let id = self.draws.one(&["a", "b", "c"]);
            ToolCall::new(format!("{id}{}", place / 2), name, arguments.to_string())
        });
        let response = ModelResponse::calls(calls);
        Box::pin(async { Ok(response) })
    }
}

/// What a call of this number may do.
#[derive(Debug, Clone)]
enum Says {
    /// Run just so; where it was shown, with the tool of this version.
    Runs(String, Value, Option<u8>),
    /// Not run: it was rejected, answered, or other arguments were given in its place; or it has run.
    Not,
}

/// What was shown of a call that waits: its arguments and why, under which version.
type Shown = (String, PendingReason, u8);

struct Host {
    draws: Draws,
    numbers: Arc<AtomicU64>,
    ledger: Arc<Ledger>,
    store: Option<MemoryCheckpointer>,
    says: BTreeMap<u64, Says>,
    /// By turn and place.
    shown: BTreeMap<(usize, usize), Shown>,
    /// How often what happened.
    seen: BTreeMap<&'static str, usize>,
}

/// The number and the arguments, as they are read: a number may be written as a text.
fn read(arguments: &str) -> Option<(u64, Value)> {
    let mut value: Value = serde_json::from_str(arguments).ok()?;
    let n = &value["n"];
    let n = n.as_u64().or_else(|| n.as_str()?.parse().ok())?;
    value["n"] = n.into();
    Some((n, value))
}

/// How many turns with calls there were.
fn turns(session: &Session) -> usize {
    let messages = session.thread().messages().iter();
    messages
        .filter(|message| !message.tool_calls().is_empty())
        .count()
}

impl Host {
    fn new(draws: Draws) -> Self {
        let store = (draws.below(2) == 0).then(MemoryCheckpointer::new);
        Self {
            draws,
            numbers: Arc::new(AtomicU64::new(1)),
            ledger: Arc::default(),
            store,
            says: BTreeMap::new(),
            shown: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    fn sees(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    /// An agent as a program makes it that may be newer than the one before.
    fn agent(&self, version: u8) -> Agent {
        let tools = all(version, &self.ledger);
        let mut executor = match self.draws.below(2) {
            0 => Executor::serial(tools),
            _ => Executor::parallel(tools, 3),
        };
        match self.draws.below(4) {
            0 => executor = executor.layer(Rewrites::Same),
            1 => executor = executor.layer(Rewrites::Grows),
            _ => {}
        }
        executor = executor.layer(Approval::at_least(Risk::High));
        if self.draws.below(6) == 0 {
            executor = executor.layer(Rewrites::Same);
        }
        let model = Drawn {
            draws: self.draws.clone(),
            numbers: Arc::clone(&self.numbers),
        };
        let mut agent = Agent::with_executor(model, executor);
        if let Some(store) = &self.store {
            agent = agent.checkpointer(store.clone());
        }
        if self.draws.below(3) == 0 {
            agent = agent.interrupt_before(Node::Tools);
        }
        agent
    }

    async fn talk(&mut self) {
        let mut session = Session::with_id("s");
        session.say("Go!").unwrap();
        for _ in 0..40 {
            let version = if self.draws.below(3) == 0 { 2 } else { 1 };
            let agent = self.agent(version);
            let result = agent.run(&mut session, &Context::new()).await;
            self.look_at(result.err(), version, &session);
            if self.draws.is_used_up() {
                return;
            }
            // Another program may go on.
            let stored = serde_json::to_string(&session).unwrap();
            session = serde_json::from_str(&stored).unwrap();
            if session.status() == Status::Completed {
                session.say("More!").unwrap();
            }
            session = self.decide(&agent, session).await;
        }
    }

    /// What ran is what somebody said, or what nobody had to say anything about.
    fn look_at(&mut self, error: Option<AgentError>, version: u8, session: &Session) {
        let mut refused = false;
        match error {
            None | Some(AgentError::Session(_)) => {}
            Some(AgentError::Decision { .. }) => {
                self.sees("refused");
                refused = true;
            }
            Some(error) => panic!("{error}: {session:?}"),
        }
        let ran = std::mem::take(&mut *self.ledger.0.lock().unwrap());
        for ran in ran {
            let n = ran.arguments["n"].as_u64().unwrap();
            match self.says.insert(n, Says::Not) {
                Some(Says::Runs(tool, arguments, shown_with)) => {
                    assert_eq!((ran.tool, &ran.arguments), (&*tool, &arguments));
                    assert!(
                        shown_with.is_none_or(|shown| shown == ran.version),
                        "{ran:?}"
                    );
                    self.sees(if shown_with.is_some() {
                        "approved"
                    } else {
                        "edited"
                    });
                }
                Some(Says::Not) => panic!("nobody let it run: {ran:?}"),
                None => assert_eq!(ran.tool, "look", "nobody was asked: {ran:?}"),
            }
        }
        let turn = turns(session);
        for pending in session.pending() {
            let Pending {
                call, reason: why, ..
            } = &pending;
            let asked = (call.arguments.to_string(), why.clone());
            let place = (turn, pending.index);
            match self.shown.get_mut(&place) {
                // Shown before, and nothing has happened since.
                Some((arguments, why, _))
                    if refused && *arguments == asked.0 && !is_of_a_changed_tool(&asked.1) =>
                {
                    *why = asked.1;
                    continue;
                }
                Some((arguments, why, _)) if (&*arguments, &*why) == (&asked.0, &asked.1) => {
                    continue;
                }
                Some(_) => self.sees("asked again"),
                None => {}
            }
            self.shown.insert(place, (asked.0, asked.1, version));
        }
        let sealed = "its arguments were changed after they had been approved";
        let last = session.thread().messages().iter().rev();
        let answers = last.map_while(|message| match message {
            ThreadMessage::Tool(answer) => Some(&answer.text),
            _ => None,
        });
        if answers.into_iter().any(|text| text.contains(sealed)) {
            self.sees("sealed");
        }
    }

    /// Somebody says something about some of the calls, in some order, here or in the store.
    async fn decide(&mut self, agent: &Agent, mut session: Session) -> Session {
        let reviews = matches!(session.status(), Status::Interrupted { .. });
        if !reviews && session.status() != Status::AwaitingTools {
            return session;
        }
        let turn = turns(&session);
        let mut pending = session.pending();
        // What is decided already waits for nobody.
        let waiting = agent.waiting(&session, &Context::new());
        pending.retain(|pending| waiting.iter().any(|one| *one.path == [pending.index]));
        let by = self.draws.below(pending.len().max(1));
        pending.rotate_left(by);
        pending.retain(|_| self.draws.below(4) > 0);
        let mut decisions = Vec::new();
        for pending in pending {
            let n = self.numbers.fetch_add(1, Ordering::Relaxed);
            let decision = match self.draws.below(9) {
                0 => Decision::Reject("no".to_owned()),
                1 => Decision::Answer(json!("by hand")),
                2 => Decision::edit(json!({"n": n, "to": "eve"})),
                3 => Decision::edit(json!({"n": n, "to": "eve", "note": 1})),
                _ => Decision::Approve,
            };
            self.note(turn, &pending, &decision);
            decisions.push((CallRef::Index(pending.index), decision));
        }
        let say = |session: &mut Session| -> Result<(), SessionError> {
            decisions
                .into_iter()
                .try_for_each(|(call, decision)| session.decide(call, decision))
        };
        if self.store.is_some() && self.draws.below(2) == 0 {
            return agent.update_state("s", say).await.unwrap();
        }
        say(&mut session).unwrap();
        session
    }

    fn note(&mut self, turn: usize, pending: &Pending, decision: &Decision) {
        let name = pending.call.name.to_string();
        let shown = read(&pending.call.arguments);
        if let Some((n, arguments)) = shown {
            let (_, _, version) = self.shown[&(turn, pending.index)];
            let says = match decision {
                Decision::Approve => Says::Runs(name.clone(), arguments, Some(version)),
                _ => Says::Not,
            };
            self.says.insert(n, says);
        }
        if let Decision::Edit(edited) = decision {
            let edited: Value = serde_json::from_str(edited).unwrap();
            let n = edited["n"].as_u64().unwrap();
            self.says.insert(n, Says::Runs(name, edited, None));
        }
    }
}

/// The tool has changed, so that people are asked again.
fn is_of_a_changed_tool(reason: &PendingReason) -> bool {
    matches!(reason, PendingReason::Decision(details) if !details["tool"].is_null())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: cases(64), ..ProptestConfig::default() })]
    #[test]
    fn what_was_approved_is_what_ran(numbers in proptest::collection::vec(any::<u8>(), 0..600)) {
        runtime().block_on(Host::new(Draws::new(numbers)).talk());
    }
}

/// The property has something to hold of.
#[test]
fn the_draws_lead_everywhere() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let kinds = ["approved", "edited", "refused", "asked again", "sealed"];
    let is_often =
        |seen: &BTreeMap<&str, usize>, kind: &str| seen.get(kind).is_some_and(|times| *times > 9);
    for seed in 0..40 {
        if kinds.iter().all(|kind| is_often(&seen, kind)) {
            break;
        }
        let mut host = Host::new(Draws::seeded(seed, 600));
        runtime().block_on(host.talk());
        for (what, times) in host.seen {
            *seen.entry(what).or_default() += times;
        }
    }
    let missing: Vec<_> = kinds.iter().filter(|kind| !is_often(&seen, kind)).collect();
    assert!(missing.is_empty(), "{missing:?}: {seen:?}");
}
