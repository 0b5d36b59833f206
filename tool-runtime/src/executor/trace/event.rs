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

impl Traced {
    /// Returns the duration, if this is an end.
    fn duration(&self) -> Option<Duration> {
        match self {
            Self::Finished { duration, .. }
            | Self::BatchFinished { duration, .. }
            | Self::ModelFinished { duration, .. }
            | Self::ModelFailed { duration, .. }
            | Self::RunFinished { duration, .. }
            | Self::RunFailed { duration, .. } => Some(*duration),
            _ => None,
        }
    }

    /// Returns the line of an event, without the duration.
    fn line(&self, batch: u64, run: &str) -> String {
        let tokens = |usage: &Usage| format!("{} tokens in, {} out", usage.input, usage.output);
        match self {
            Self::BatchStarted { names } => format!("batch {batch}: {}", named(names, "calls")),
            Self::Started(call) => format!("{call} started"),
            Self::Progress {
                id, name, progress, ..
            } => {
                let total = progress.total.map(|total| format!(" of {total}"));
                let message = progress.message.as_deref();
                let message = message.map(|message| format!(": {}", cut(message)));
                let rest = [total, message].map(Option::unwrap_or_default).concat();
                format!("call {}: {}: {}{rest}", cut(id), cut(name), progress.done)
            }
            Self::Finished { call, outcome, .. } => match outcome {
                Ok(outcome) => {
                    let answered = ToolCall::new(&*call.id, &*call.name, "");
                    let result = ToolResult::new(&answered, Ok(outcome.clone()));
                    format!("{call} -> {}", cut(&result.content(Encoder::auto())))
                }
                Err(error) => {
                    let kind = error.kind().as_str();
                    format!("{call} failed: {kind}: {}", cut(&error.to_string()))
                }
            },
            Self::Pending { call, reason } => format!("{call} waits: {reason}"),
            Self::BatchFinished {
                successes,
                failures,
                pending,
                halted,
                ..
            } => {
                let halted = halted.as_deref();
                let halted =
                    halted.map_or_else(String::new, |why| format!(", halted: {}", cut(why)));
                format!(
                    "batch {batch}: {successes} succeeded, {failures} failed, {pending} wait{halted}"
                )
            }
            Self::RunStarted => format!("run {run} started"),
            Self::ModelStarted { messages, tools } => {
                format!(
                    "model asked: {messages} messages, {}",
                    named(tools, "tools")
                )
            }
            Self::ModelFinished {
                text, calls, usage, ..
            } => {
                let words = (!text.is_empty()).then(|| cut(text));
                let calls = (!calls.is_empty()).then(|| named(calls, "calls"));
                let parts = [words, calls, usage.as_ref().map(tokens)];
                let parts = parts.into_iter().flatten().collect::<Vec<_>>();
                format!("model finished: {}", parts.join("; "))
            }
            Self::ModelFailed { kind, message, .. } => {
                format!("model failed: {kind}: {}", cut(message))
            }
            Self::HandedOver { agent } => format!("handed over to {}", cut(agent)),
            Self::RunFinished {
                end,
                turns,
                rounds,
                usage,
                ..
            } => {
                let (end, tokens) = (cut(end), tokens(usage));
                format!("run {run}: {end}; {turns} turns, {rounds} rounds of tools; {tokens}")
            }
            Self::RunFailed { message, .. } => format!("run {run} failed: {}", cut(message)),
        }
    }
}

impl fmt::Display for TraceEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let batch = self.batch.map_or(0, BatchId::as_u64);
        let run = cut(self.run.as_deref().unwrap_or_default());
        f.write_str(&self.what.line(batch, &run))?;
        let duration = self.what.duration();
        duration.map_or(Ok(()), |duration| write!(f, " ({duration:?})"))
    }
}
