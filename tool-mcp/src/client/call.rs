//! One call of a tool: sent once, and answered, cancelled, or told to be lost.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use toolwright_json::ObjectWriter;
use toolwright_provider::call::{ErrorKind, Outcome, ToolError};
use toolwright_runtime::executor::PausedCall;
use toolwright_runtime::tool::Context;

use super::answer::{Answered, ServerRefusal};
#[cfg(feature = "client-http")]
use super::answer::{Executed, HttpAnswer};
use super::connection::{ServerQuestion, short};
use super::event::ClientEvent;
use super::in_flight::InFlight;
use super::input_required::{InputRequired, InputResponses};
use super::link::Reconnector;
use super::live_calls::LiveCall;
use super::paused_input::{PausedInput, Resumed};
use super::remote::Remote;
use super::result::outcome;
use super::session::McpSession;
use super::task::Task;
use crate::TraceContext;
use crate::protocol::{Fields, key};
use crate::trace::{RequestSpan, Spanned};

/// A server may ask for more so many times before it answers.
const MOST_ROUNDS: usize = 16;

/// A time limit that never comes.
const FAR: Duration = Duration::from_hours(24 * 365 * 30);

/// The kinds of results.
pub(super) enum RoundResult {
    Settled,
    Asks(InputRequired),
    Task(Task),
}

/// Why a round has no answer.
pub(super) enum SendError {
    /// The server has not read the request, and a connection that comes may take it.
    Unsent,
    Failed(ToolError),
}

impl SendError {
    pub(super) fn into_error(self) -> ToolError {
        match self {
            Self::Failed(error) => error,
            Self::Unsent => ToolError::failed("the call was not sent"),
        }
    }
}

/// How the rounds of a request begin and end.
#[derive(Default)]
pub(super) struct Rounds {
    /// Answers that a person gave while the call waited: the server has heard of the call before.
    pub(super) resumed: Option<Resumed>,
    /// Pause of a call that waits for a person.
    pub(super) pause: Option<PausedCall>,
}

/// A request whose answer somebody waits for.
pub(super) struct RequestSpec<'w> {
    pub(super) method: &'w str,
    /// The name or URI of what it is about, which is repeated in a header of HTTP.
    pub(super) name: Option<&'w str>,
    pub(super) params: ObjectWriter,
    /// Further headers of HTTP.
    pub(super) repeated: Vec<(String, String)>,
    /// True if a second request does no harm.
    pub(super) is_repeatable: bool,
}

impl Reconnector {
    /// Calls the tool with these arguments, an object in one line.
    pub(super) async fn call(
        &self,
        remote: &Remote,
        arguments: String,
        cx: Context,
    ) -> Result<Outcome, ToolError> {
        let mut repeated = Vec::new();
        if !remote.repeated.is_empty() {
            let arguments = toolwright_json::Value::parse(&arguments).unwrap_or_default();
            let all = remote.repeated.iter();
            let all = all.filter_map(|one| Some((one.header.clone(), one.of(&arguments)?)));
            repeated.extend(all);
        }
        let params = ObjectWriter::new()
            .text("name", &remote.name)
            .json("arguments", &arguments);
        let wanted = RequestSpec {
            method: "tools/call",
            name: Some(&remote.name),
            params,
            repeated,
            is_repeatable: remote.is_repeatable,
        };
        let pause = PausedCall::of(&cx);
        let resumed = pause.as_ref().map(PausedInput::resume).transpose()?;
        let pause = pause.filter(|_| self.settings.asker.pauses);
        let rounds = Rounds {
            resumed: resumed.flatten(),
            pause,
        };
        let result = self.ask(&wanted, rounds, cx).await?;
        outcome(&result, self.settings.is_strict, |what| {
            let event = ClientEvent::BadMessage(what.to_owned());
            self.settings.events.tell(&event);
        })
    }

    /// Asks for something until there is an answer: JSON of the result.
    pub(super) async fn ask(
        &self,
        wanted: &RequestSpec<'_>,
        rounds: Rounds,
        cx: Context,
    ) -> Result<String, ToolError> {
        let span = RequestSpan::open("client", || Spanned {
            method: wanted.method,
            target: wanted.name.map(Cow::from),
            id: None,
            session: None,
            version: None,
            is_http: self.is_http,
        });
        let answer = span.around(self.try_ask(wanted, rounds, cx)).await;
        match &answer {
            Ok(result) => span.answered(result),
            Err(error) => span.failed(error.kind().as_str()),
        }
        answer
    }

    async fn try_ask(
        &self,
        wanted: &RequestSpec<'_>,
        rounds: Rounds,
        cx: Context,
    ) -> Result<String, ToolError> {
        let mut is_sent = rounds.resumed.is_some();
        let (mut answers, mut live) = (InputResponses::default(), None);
        match rounds.resumed {
            Some(Resumed::Again(given)) => answers = given,
            Some(Resumed::Live { id, answer }) => {
                live = self.live_calls.answer(&id, answer, &cx);
                if live.is_none() && !wanted.is_repeatable {
                    return Err(disconnected());
                }
                is_sent = live.is_some();
            }
            None => {}
        }
        let (mut number, mut session) = match &live {
            Some(live) => (0, live.session.clone()),
            None => {
                let up = self.session(0).await;
                up.map_err(|error| open(error, is_sent))?
            }
        };
        for _ in 0..MOST_ROUNDS {
            #[cfg(feature = "lock")]
            if let (Some(lock), "tools/call", Some(tool)) =
                (&self.settings.lock, wanted.method, wanted.name)
            {
                let cancel = cx.cancel();
                let checked = lock.check(tool, self.settings.connect_limit);
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => return Err(cancelled(is_sent).into_error()),
                    checked = checked => checked.map_err(|why| unsent(why, is_sent))?,
                }
            }
            let pause = rounds.pause.as_ref();
            let answered = match live.take() {
                Some(live) => self.wait(live, wanted, pause, &cx).await,
                None => self.round(&session, wanted, &answers, pause, &cx).await,
            };
            let answered = match answered {
                Ok(answered) => answered,
                Err(SendError::Failed(error)) => return Err(error),
                Err(SendError::Unsent) => {
                    (number, session) = self.session(number).await?;
                    continue;
                }
            };
            let result = match answered {
                Answered::Result(result) => result,
                Answered::Error(refusal) => return Err(refused(&refusal)),
                Answered::Broken(why) => return Err(broken(&why)),
                Answered::NotStarted(why) => return Err(unsent(why, is_sent)),
                #[cfg(feature = "client-http")]
                Answered::Http(answer) => return Err(http_answered(&answer, wanted)),
                #[cfg(feature = "client-http")]
                Answered::Lost(why) => return Err(broken(&why)),
            };
            is_sent = true;
            match RoundResult::of(&result)? {
                RoundResult::Settled => return Ok(result),
                RoundResult::Asks(required) => {
                    if let Some(pause) = &rounds.pause
                        && required.asks()
                    {
                        let server = session.connection.server_name();
                        return Err(PausedInput::new(server, required)?.ask(pause));
                    }
                    let cancel = cx.cancel();
                    let _held = cx.__hold_time();
                    answers = tokio::select! {
                        biased;
                        () = cancel.cancelled() => return Err(cancelled(true).into_error()),
                        answers = fulfil(&session, required) => answers?,
                    };
                }
                RoundResult::Task(task) => return self.task((number, session), task, cx).await,
            }
        }
        Err(ToolError::failed(
            "the server asked for more again and again, and never answered",
        ))
    }

    /// Sends the request and waits.
    pub(super) async fn round(
        &self,
        session: &McpSession,
        wanted: &RequestSpec<'_>,
        answers: &InputResponses,
        pause: Option<&PausedCall>,
        cx: &Context,
    ) -> Result<Answered, SendError> {
        let mut request = session.request(wanted.method);
        request.context = Some(cx.clone());
        request.is_repeatable = wanted.is_repeatable;
        request.params = wanted.params.clone();
        if !answers.responses.is_empty() {
            let responses = Value::from_iter(answers.responses.clone()).to_string();
            request.params = request.params.json("inputResponses", &responses);
        }
        request.params = request
            .params
            .maybe_text("requestState", answers.state.as_deref());
        if let Some(key) = cx.idempotency_key() {
            request.meta = request.meta.text(key::IDEMPOTENCY_KEY, &key);
        }
        let own = self.settings.trace.now();
        if let Some(trace) = own.as_ref().or_else(|| TraceContext::of(cx)) {
            request.meta = trace.write(request.meta);
        }
        request.head.name = wanted.name.map(str::to_owned);
        request.head.parameters.clone_from(&wanted.repeated);
        // A newer server asks by its answer.
        let pauses = pause.is_some() && !session.connection.is_modern();
        let question = pauses.then(|| {
            let (question, asked) = oneshot::channel();
            request.question = Some(question);
            asked
        });
        let limit = self.settings.call_limit;
        let skips = session.connection.health.skips();
        let cancel = cx.cancel();
        let pending = tokio::select! {
            biased;
            pending = session.connection.request(request) => pending,
            () = cancel.cancelled() => return Err(cancelled(false)),
            () = sleep_until(after(limit)) => {
                let skipped = session.connection.health.skipped_since(skips);
                return Err(silent(limit, false, skipped));
            }
        };
        let live = LiveCall {
            session: session.clone(),
            pending,
            question,
        };
        self.wait(live, wanted, pause, cx).await
    }

    /// Waits for the answer to a request on its way.
    async fn wait(
        &self,
        mut live: LiveCall,
        wanted: &RequestSpec<'_>,
        pause: Option<&PausedCall>,
        cx: &Context,
    ) -> Result<Answered, SendError> {
        let session = live.session.clone();
        let pending = &mut live.pending;
        let limit = self.settings.call_limit;
        let skips = session.connection.health.skips();
        let mut due = after(limit);
        let cancel = cx.cancel();
        let (way, alive) = (Arc::clone(&pending.way), Arc::clone(&pending.alive));
        let asking = &session.connection.asking;
        let mut asks = asking.changes();
        loop {
            // The time limit of the call does not run, either.
            let _held = asking.is_there().then(|| cx.__hold_time());
            tokio::select! {
                biased;
                Ok(()) = asks.changed() => {}
                answered = pending.answer() => return match answered {
                    #[cfg(feature = "client-http")]
                    Some(Answered::Lost(why)) => Err(lost(&session, wanted, &way, &why)),
                    Some(Answered::Result(result)) => {
                        Ok(Answered::Result(session.connection.readable(result)))
                    }
                    Some(answered) => Ok(answered),
                    None => Err(lost(&session, wanted, &way, "the connection was lost")),
                },
                () = cancel.cancelled() => {
                    pending.reason = "the call was cancelled";
                    return Err(cancelled(!way.withdraw()));
                }
                () = alive.notified() => due = after(limit),
                () = sleep_until(due) => {
                    if session.connection.asking.is_there() {
                        due = after(limit);
                        continue;
                    }
                    pending.reason = "the call took too long";
                    let skipped = session.connection.health.skipped_since(skips);
                    return Err(silent(limit, !way.withdraw(), skipped));
                }
                asked = next(&mut live.question) => {
                    live.question = None;
                    if let (Some(asked), Some(pause)) = (asked, pause) {
                        return Err(SendError::Failed(self.pause(live, asked, pause)));
                    }
                }
            }
        }
    }
}

/// Returns the question that comes during a call; never, for a call that cannot wait for its answer.
async fn next(question: &mut Option<oneshot::Receiver<ServerQuestion>>) -> Option<ServerQuestion> {
    match question {
        Some(question) => question.await.ok(),
        None => std::future::pending().await,
    }
}

/// A call that waited, and whose connection is gone.
fn disconnected() -> ToolError {
    let words = "the call waited for an answer, and the connection to the MCP server is gone; whether the call took effect is not known";
    ToolError::failed(words).permanent().with_outcome_unknown()
}

/// Does what the server asks for before it answers.
pub(super) async fn fulfil(
    session: &McpSession,
    required: InputRequired,
) -> Result<InputResponses, ToolError> {
    let mut responses = BTreeMap::new();
    for (key, asked) in required.input_requests.unwrap_or_default() {
        let answer = if asked.asks() {
            session.connection.ask(&asked.params).await
        } else {
            asked.at_once()?
        };
        responses.insert(key, answer);
    }
    Ok(InputResponses {
        responses,
        state: required.request_state,
    })
}

/// A call that the host ended.
pub(super) fn cancelled(is_sent: bool) -> SendError {
    let words = if is_sent {
        "the call was cancelled; whether it took effect is not known"
    } else {
        "the call was cancelled before it was sent"
    };
    SendError::Failed(open(ToolError::new(ErrorKind::Cancelled, words), is_sent))
}

/// Marks the error of a call that the server may have run.
fn open(error: ToolError, is_sent: bool) -> ToolError {
    if is_sent {
        error.with_outcome_unknown()
    } else {
        error
    }
}

/// The end of a time that begins now. What no clock counts to is far away.
fn after(limit: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(limit).unwrap_or_else(|| now + FAR)
}

/// A call of which the server let nothing be heard, or that it let wait.
fn silent(limit: Duration, is_sent: bool, skipped: Option<String>) -> SendError {
    let mut words = if is_sent {
        format!(
            "the server was silent for {limit:?}; the call was cancelled, and whether it took effect is not known"
        )
    } else {
        format!("the call could not be sent within {limit:?}, and was not")
    };
    if let Some(line) = skipped {
        words = format!("{words}; the server wrote a line that is not a message: `{line}`");
    }
    SendError::Failed(open(ToolError::new(ErrorKind::Timeout, words), is_sent))
}

/// A request without an answer.
fn lost(session: &McpSession, wanted: &RequestSpec<'_>, way: &InFlight, why: &str) -> SendError {
    let why = short(why);
    if !way.is_sent() {
        if session.connection.is_closed() {
            return SendError::Unsent;
        }
        let error = ToolError::failed("the MCP server could not be reached; the call was not sent");
        return SendError::Failed(error.with_debug(why));
    }
    let error = if wanted.is_repeatable {
        // Whoever tries calls again may do so: it takes the tool's word for it.
        ToolError::failed(
            "the connection to the MCP server was lost before it answered; the tool may be called again",
        )
    } else {
        let words = "the connection to the MCP server was lost before it answered; whether the call took effect is not known";
        ToolError::failed(words).permanent().with_outcome_unknown()
    };
    SendError::Failed(error.with_debug(why))
}

impl RoundResult {
    pub(super) fn of(result: &str) -> Result<Self, ToolError> {
        let fields = Fields::of(result).unwrap_or_default();
        match fields.text("resultType").as_deref() {
            Some("input_required") => InputRequired::read(result).map(Self::Asks),
            Some("task") => {
                let task = Task::read(&fields).ok_or_else(|| broken("a task without an id"))?;
                Ok(Self::Task(task))
            }
            _ => Ok(Self::Settled),
        }
    }
}

pub(super) fn refused(refusal: &ServerRefusal) -> ToolError {
    let ServerRefusal { code, message, .. } = refusal;
    let words = format!("the MCP server refused the call: {}", short(message.trim()));
    ToolError::failed(words).with_debug(format!("JSON-RPC error {}", short(code)))
}

/// A call that HTTP answered, and no server of MCP.
#[cfg(feature = "client-http")]
fn http_answered(answer: &HttpAnswer, wanted: &RequestSpec<'_>) -> ToolError {
    let said = format!("the MCP server answered {}", answer.words);
    let not_run = |rest: &str| {
        let words = format!("{said}; the call did not run{rest}");
        ToolError::new(ErrorKind::NotStarted, words)
    };
    match answer.ran {
        Executed::Never => not_run("").permanent(),
        Executed::NotNow => not_run(", and may be made again later"),
        Executed::Perhaps if wanted.is_repeatable => {
            ToolError::failed(format!("{said}; the tool may be called again"))
        }
        Executed::Perhaps => {
            let words = format!("{said}; whether the call took effect is not known");
            ToolError::failed(words).permanent().with_outcome_unknown()
        }
    }
}

/// A call that this client did not send.
/// Returns the error of a request that was not sent. An earlier round of its call was, if `is_begun`.
fn unsent(why: String, is_begun: bool) -> ToolError {
    if is_begun {
        open(ToolError::failed(why), true)
    } else {
        ToolError::new(ErrorKind::NotStarted, why)
    }
}

pub(super) fn broken(why: &str) -> ToolError {
    let words = format!("the MCP server's answer cannot be read: {}", short(why));
    ToolError::new(ErrorKind::InvalidReturn, words)
}
