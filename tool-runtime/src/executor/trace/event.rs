use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::super::batch::{Batch, Reply};
use super::super::event::{BatchId, Event};
use super::super::redacted::Redacted;
use crate::tool::Progress;
use toolwright_provider::call::{Encoder, Outcome, ToolCall, ToolError, ToolResult};
use toolwright_provider::wire::Usage;
use toolwright_schema::decode::Repair;
use toolwright_schema::text::{ShortStr, excerpt};

/// Number of characters of results and arguments in a line.
const MOST: usize = 100;

/// A stored event. `Display` prints one line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TraceEvent {
    /// Time.
    pub at: SystemTime,
    /// Id of the conversation, if the host or an agent set one. It joins the events of all runs of a session.
    pub session: Option<Arc<str>>,
    /// Run id, if the host or an agent set one. It joins the events of one run.
    pub run: Option<Arc<str>>,
    /// Turn of the run, from 0: a request to the model and the calls of its response. `None` for the run's own events.
    pub turn: Option<u32>,
    /// Agent id, if the host or an agent set one. `None` for the run's own events.
    pub agent: Option<Arc<str>>,
    /// Batch of a call's event.
    pub batch: Option<BatchId>,
    /// The event itself.
    pub what: Traced,
}

/// Content of a stored event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Traced {
    /// A batch began.
    BatchStarted {
        /// The tools' names, in call order.
        names: Vec<ShortStr>,
    },
    /// A call began.
    Started(TracedCall),
    /// A tool reported progress.
    Progress {
        /// The call's index in the batch, from 0.
        index: usize,
        /// The call's id.
        id: ShortStr,
        /// The tool's name.
        name: ShortStr,
        /// The progress.
        progress: Progress,
    },
    /// A call was answered.
    Finished {
        /// The call.
        call: TracedCall,
        /// The outcome.
        outcome: Result<Outcome, ToolError>,
        /// Repairs of its arguments.
        repairs: Vec<Repair>,
        /// Duration.
        duration: Duration,
    },
    /// A call waits for a person or the host.
    Pending {
        /// The call.
        call: TracedCall,
        /// Name of the reason.
        reason: &'static str,
    },
    /// A batch ended.
    BatchFinished {
        /// The tools' names, in call order.
        names: Vec<ShortStr>,
        /// Number of calls that succeeded.
        successes: usize,
        /// Number of calls that failed.
        failures: usize,
        /// Number of pending calls.
        pending: usize,
        /// Reason why the conversation does not continue; see [`Halted::as_str`](crate::executor::Halted::as_str).
        halted: Option<String>,
        /// Duration.
        duration: Duration,
    },
    /// An agent's run started, or continued after a pause.
    RunStarted,
    /// An agent sent a request to its model.
    ModelStarted {
        /// Number of messages in the request.
        messages: usize,
        /// Names of the tools that were offered, in order.
        tools: Vec<ShortStr>,
    },
    /// The model responded.
    ModelFinished {
        /// Text of the response.
        text: String,
        /// Names of the tools that the model calls, in order. The events of the calls have their arguments.
        calls: Vec<ShortStr>,
        /// Usage, if the provider reported it.
        usage: Option<Usage>,
        /// Duration.
        duration: Duration,
    },
    /// The model failed.
    ModelFailed {
        /// Kind of the error: `busy`.
        kind: &'static str,
        /// Message of the error.
        message: String,
        /// Duration.
        duration: Duration,
    },
    /// Another agent took over the conversation.
    HandedOver {
        /// Name of the other agent.
        agent: Arc<str>,
    },
    /// An agent's run ended, or paused.
    RunFinished {
        /// Name of the reason: `completed`.
        end: String,
        /// Number of model calls.
        turns: u32,
        /// Number of tool rounds.
        rounds: u32,
        /// Usage of all model calls.
        usage: Usage,
        /// Duration.
        duration: Duration,
    },
    /// An agent's run failed.
    RunFailed {
        /// Message of the error.
        message: String,
        /// Duration.
        duration: Duration,
    },
}

/// A call in a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TracedCall {
    /// Its index in the batch, from 0.
    pub index: usize,
    /// Its id.
    pub id: ShortStr,
    /// The tool's name, as the model wrote it.
    pub name: ShortStr,
    /// Its arguments without secrets; see [`Tool::redacted`](crate::tool::Tool::redacted).
    pub arguments: String,
}

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TraceKind {
    /// A batch began.
    BatchStarted,
    /// A call began.
    Started,
    /// A tool reported progress.
    Progress,
    /// A call was answered.
    Finished,
    /// A call waits.
    Pending,
    /// A batch ended.
    BatchFinished,
    /// An agent's run started, or continued after a pause.
    RunStarted,
    /// An agent sent a request to its model.
    ModelStarted,
    /// The model responded.
    ModelFinished,
    /// The model failed.
    ModelFailed,
    /// Another agent took over the conversation.
    HandedOver,
    /// An agent's run ended, or paused.
    RunFinished,
    /// An agent's run failed.
    RunFailed,
}

impl TracedCall {
    fn of(index: usize, call: &ToolCall, redacted: Redacted<'_>) -> Self {
        Self {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: redacted.text().into_owned(),
        }
    }
}

impl TraceEvent {
    /// Makes a stored event; `None` for events that a later one repeats.
    pub(super) fn of(event: &Event<'_>, at: SystemTime) -> Option<Self> {
        let cx = event.context();
        Some(Self {
            at,
            session: cx.session_id().map(Into::into),
            run: cx.run_id().map(Into::into),
            // A context without one has turn 0.
            turn: cx.run_id().map(|_| cx.turn()),
            agent: cx.agent_id().map(Into::into),
            batch: Some(event.batch_id()),
            what: Traced::of(event)?,
        })
    }

    /// Makes the event of an agent's run.
    #[doc(hidden)]
    pub fn of_run(at: SystemTime, session: &str, run: &str, what: Traced) -> Self {
        Self {
            at,
            session: Some(session.into()),
            run: Some(run.into()),
            turn: None,
            agent: None,
            batch: None,
            what,
        }
    }

    /// Returns the kind.
    pub fn kind(&self) -> TraceKind {
        match self.what {
            Traced::BatchStarted { .. } => TraceKind::BatchStarted,
            Traced::Started(_) => TraceKind::Started,
            Traced::Progress { .. } => TraceKind::Progress,
            Traced::Finished { .. } => TraceKind::Finished,
            Traced::Pending { .. } => TraceKind::Pending,
            Traced::BatchFinished { .. } => TraceKind::BatchFinished,
            Traced::RunStarted => TraceKind::RunStarted,
            Traced::ModelStarted { .. } => TraceKind::ModelStarted,
            Traced::ModelFinished { .. } => TraceKind::ModelFinished,
            Traced::ModelFailed { .. } => TraceKind::ModelFailed,
            Traced::HandedOver { .. } => TraceKind::HandedOver,
            Traced::RunFinished { .. } => TraceKind::RunFinished,
            Traced::RunFailed { .. } => TraceKind::RunFailed,
        }
    }
}

impl Traced {
    fn of(event: &Event<'_>) -> Option<Self> {
        Some(match *event {
            Event::BatchStarted { calls, .. } => Self::BatchStarted {
                names: calls.iter().map(|call| call.name.clone()).collect(),
            },
            Event::Started {
                index,
                call,
                redacted,
                ..
            } => Self::Started(TracedCall::of(index, call, redacted)),
            // The result lists them.
            Event::Repaired { .. } => return None,
            Event::Progress {
                index,
                id,
                name,
                progress,
                ..
            } => Self::Progress {
                index,
                id: id.into(),
                name: name.into(),
                progress: progress.clone(),
            },
            Event::Finished {
                index,
                call,
                redacted,
                result,
                ..
            } => Self::Finished {
                call: TracedCall::of(index, call, redacted),
                outcome: result.outcome.clone(),
                repairs: result.repairs.to_vec(),
                duration: result.duration,
            },
            Event::Pending {
                pending, redacted, ..
            } => Self::Pending {
                call: TracedCall::of(pending.index, &pending.call, redacted),
                reason: pending.reason.as_str(),
            },
            Event::BatchFinished {
                batch, duration, ..
            } => Self::finished(batch, duration),
        })
    }

    fn finished(batch: &Batch, duration: Duration) -> Self {
        let name = |reply: &Reply| match reply {
            Reply::Answered(result) => result.name.clone(),
            Reply::Pending(pending) => pending.call.name.clone(),
        };
        let successes = batch.results().filter(|result| result.is_success()).count();
        Self::BatchFinished {
            names: batch.calls().iter().map(name).collect(),
            successes,
            failures: batch.results().count() - successes,
            pending: batch.pending().count(),
            halted: batch.halted().map(|halted| halted.as_str().to_owned()),
            duration,
        }
    }
}

/// Cuts a text to one line.
fn cut(text: &str) -> String {
    excerpt(text, MOST)
}

impl fmt::Display for TracedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, name) = (cut(&self.id), cut(&self.name));
        write!(f, "call {id}: {name}({})", cut(&self.arguments))
    }
}

/// Prints names with their number: `2 tools: add, look`.
fn named(names: &[ShortStr], what: &str) -> String {
    let gap = if names.is_empty() { "" } else { ": " };
    format!("{} {what}{gap}{}", names.len(), cut(&names.join(", ")))
}

fn tokens(usage: Usage) -> String {
    format!("{} tokens in, {} out", usage.input, usage.output)
}

impl fmt::Display for TraceEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let batch = self.batch.map_or(0, BatchId::as_u64);
        let run = cut(self.run.as_deref().unwrap_or_default());
        match &self.what {
            Traced::BatchStarted { names } => {
                write!(f, "batch {batch}: {}", named(names, "calls"))
            }
            Traced::Started(call) => write!(f, "{call} started"),
            Traced::Progress {
                id, name, progress, ..
            } => {
                write!(f, "call {}: {}: {}", cut(id), cut(name), progress.done)?;
                if let Some(total) = progress.total {
                    write!(f, " of {total}")?;
                }
                match &progress.message {
                    Some(message) => write!(f, ": {}", cut(message)),
                    None => Ok(()),
                }
            }
            Traced::Finished {
                call,
                outcome: Ok(outcome),
                duration,
                ..
            } => {
                let call_of = ToolCall::new(&*call.id, &*call.name, "");
                let result = ToolResult::new(&call_of, Ok(outcome.clone()));
                let text = result.content(Encoder::auto());
                write!(f, "{call} -> {} ({duration:?})", cut(&text))
            }
            Traced::Finished {
                call,
                outcome: Err(error),
                duration,
                ..
            } => {
                let (kind, words) = (error.kind().as_str(), error.to_string());
                write!(f, "{call} failed: {kind}: {} ({duration:?})", cut(&words))
            }
            Traced::Pending { call, reason } => write!(f, "{call} waits: {reason}"),
            Traced::BatchFinished {
                successes,
                failures,
                pending,
                halted,
                duration,
                ..
            } => {
                write!(
                    f,
                    "batch {batch}: {successes} succeeded, {failures} failed, {pending} wait"
                )?;
                if let Some(halted) = halted {
                    write!(f, ", halted: {}", cut(halted))?;
                }
                write!(f, " ({duration:?})")
            }
            Traced::RunStarted => write!(f, "run {run} started"),
            Traced::ModelStarted { messages, tools } => {
                write!(
                    f,
                    "model asked: {messages} messages, {}",
                    named(tools, "tools")
                )
            }
            Traced::ModelFinished {
                text,
                calls,
                usage,
                duration,
            } => {
                let words = (!text.is_empty()).then(|| cut(text));
                let calls = (!calls.is_empty()).then(|| named(calls, "calls"));
                let parts = [words, calls, usage.map(tokens)].into_iter().flatten();
                let parts = parts.collect::<Vec<_>>().join("; ");
                write!(f, "model finished: {parts} ({duration:?})")
            }
            Traced::ModelFailed {
                kind,
                message,
                duration,
            } => write!(f, "model failed: {kind}: {} ({duration:?})", cut(message)),
            Traced::HandedOver { agent } => write!(f, "handed over to {}", cut(agent)),
            Traced::RunFinished {
                end,
                turns,
                rounds,
                usage,
                duration,
            } => {
                let (end, tokens) = (cut(end), tokens(*usage));
                write!(
                    f,
                    "run {run}: {end}; {turns} turns, {rounds} rounds of tools; {tokens} ({duration:?})"
                )
            }
            Traced::RunFailed { message, duration } => {
                write!(f, "run {run} failed: {} ({duration:?})", cut(message))
            }
        }
    }
}
