//! A call of which its server made a task: asked about until it has ended.
//!
//! Source: the extension `io.modelcontextprotocol/tasks` of 2026-07-28.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};
use toolwright_json::ObjectWriter;
use toolwright_provider::call::{ErrorKind, ToolError};
use toolwright_runtime::tool::Context;

use super::answer::{Answered, ServerRefusal};
use super::call::{RequestSpec, RoundResult, broken, cancelled, fulfil, refused};
use super::connection::Connection;
use super::input_required::{InputRequired, InputResponses};
use super::link::Reconnector;
use super::session::McpSession;
use super::stderr::Tail;
use crate::protocol::{Fields, code};

/// Pause between two requests about a task, if the server names none.
const POLL: Duration = Duration::from_secs(1);

/// Of what a server says of it, no more and no less is heard.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_mins(1);

/// Time limit of telling the server that nobody waits any more.
const WITHDRAWAL: Duration = Duration::from_secs(10);

/// See the module.
pub(super) struct Task {
    id: String,
    poll: Duration,
}

/// The server's word about a task.
enum TaskStatus {
    /// It goes on.
    Goes,
    /// JSON of the result.
    Result(String),
    Asks(InputRequired),
    Failed(ToolError),
}

impl Task {
    /// Reads what a server answered in place of a result.
    pub(super) fn read(task: &Fields<'_>) -> Option<Self> {
        let mut read = Self {
            id: task.text("taskId")?.into_owned(),
            poll: POLL,
        };
        read.poll_of(task);
        Some(read)
    }

    fn poll_of(&mut self, task: &Fields<'_>) {
        let poll = task.some("pollIntervalMs");
        if let Some(ms) = poll.and_then(|ms| ms.parse().ok()) {
            self.poll = Duration::from_millis(ms).clamp(SHORTEST, LONGEST);
        }
    }

    fn wanted<'w>(&'w self, method: &'w str, params: ObjectWriter) -> RequestSpec<'w> {
        RequestSpec {
            method,
            name: Some(&self.id),
            params: params.text("taskId", &self.id),
            repeated: Vec::new(),
            is_repeatable: true,
        }
    }
}

/// Sends `tasks/cancel` when it is dropped, unless the task is over.
struct Withdrawal {
    session: McpSession,
    id: String,
    is_over: bool,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let (false, Ok(runtime)) = (self.is_over, Handle::try_current()) else {
            return;
        };
        let mut request = self.session.request("tasks/cancel");
        request.params = request.params.text("taskId", &self.id);
        request.head.name = Some(self.id.clone());
        let connection = self.session.connection.clone();
        runtime.spawn(async move {
            let answered = async { connection.request(request).await.answer().await };
            timeout(WITHDRAWAL, answered).await
        });
    }
}

/// Withdraws the task that the answer to a cancelled call names, if it names one.
pub(super) fn withdraw_task(connection: Arc<Connection>, result: &str) {
    if let Ok(RoundResult::Task(task)) = RoundResult::of(result) {
        let tail = Tail::default();
        drop(Withdrawal {
            session: McpSession { connection, tail },
            id: task.id,
            is_over: false,
        });
    }
}

impl Reconnector {
    /// Waits for the task's end: JSON of the result.
    pub(super) async fn task(
        &self,
        (mut number, session): (u64, McpSession),
        mut task: Task,
        cx: Context,
    ) -> Result<String, ToolError> {
        let cancel = cx.cancel();
        let mut withdrawal = Withdrawal {
            session,
            id: task.id.clone(),
            is_over: false,
        };
        let (mut answered, mut unsent) = (BTreeSet::new(), None::<InputResponses>);
        let (mut failures, mut heard) = (0, Instant::now());
        loop {
            let pause = match failures {
                0 => task.poll,
                failures => task.poll.max(self.settings.backoff.before(failures)),
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(cancelled(true).into_error()),
                () = sleep(pause) => {}
            }
            let session = withdrawal.session.clone();
            // Nobody is asked again because their answer did not arrive.
            if let Some(answers) = &unsent {
                let update = task.wanted("tasks/update", ObjectWriter::new());
                let sent = self.round(&session, &update, answers, None, &cx).await;
                if matches!(sent, Ok(Answered::Result(_))) {
                    unsent = None;
                }
            }
            match self.status(&session, &mut task, &cx).await {
                Some(TaskStatus::Result(result)) => {
                    withdrawal.is_over = true;
                    return Ok(result);
                }
                Some(TaskStatus::Failed(error)) => {
                    withdrawal.is_over = true;
                    return Err(error);
                }
                Some(TaskStatus::Asks(mut required)) => {
                    (failures, heard) = (0, Instant::now());
                    required.leave_out(&answered);
                    answered.extend(required.keys());
                    let _held = cx.__hold_time();
                    let answers = tokio::select! {
                        biased;
                        () = cancel.cancelled() => return Err(cancelled(true).into_error()),
                        answers = fulfil(&session, required) => answers?,
                    };
                    if !answers.is_empty() {
                        unsent = Some(answers);
                    }
                }
                Some(_) => (failures, heard) = (0, Instant::now()),
                None if cancel.is_cancelled() => return Err(cancelled(true).into_error()),
                None if heard.elapsed() < self.settings.call_limit => {
                    failures += 1;
                    if session.connection.is_closed()
                        && let Ok((next, session)) = self.session(number).await
                    {
                        number = next;
                        withdrawal.session = session;
                    }
                }
                None => {
                    let words = "the MCP server made a task of the call, and does not say what became of it; whether the call took effect is not known";
                    return Err(ToolError::failed(words).permanent().with_outcome_unknown());
                }
            }
        }
    }

    /// Asks for the state of a task. `None` if there is no answer.
    async fn status(
        &self,
        session: &McpSession,
        task: &mut Task,
        cx: &Context,
    ) -> Option<TaskStatus> {
        let wanted = task.wanted("tasks/get", ObjectWriter::new());
        let answers = InputResponses::default();
        let round = self.round(session, &wanted, &answers, None, cx).await;
        let text = match round.ok()? {
            Answered::Result(text) => text,
            Answered::Error(refusal) if is_forgotten(&refusal) => {
                let error = refused(&refusal).permanent().with_outcome_unknown();
                return Some(TaskStatus::Failed(error));
            }
            Answered::Error(_) => return None,
            Answered::Broken(_) | Answered::NotStarted(_) => return None,
            #[cfg(feature = "client-http")]
            Answered::Http(_) | Answered::Lost(_) => return None,
        };
        let said = Fields::of(&text).ok()?;
        task.poll_of(&said);
        Some(match &*said.text("status")? {
            "working" => TaskStatus::Goes,
            "cancelled" => TaskStatus::Failed(ToolError::new(
                ErrorKind::Cancelled,
                "the MCP server cancelled the call",
            )),
            "input_required" => match InputRequired::read(&text) {
                Ok(required) => TaskStatus::Asks(required),
                Err(error) => TaskStatus::Failed(error),
            },
            "completed" | "failed" => match (said.some("result"), said.some("error")) {
                (Some(result), _) => TaskStatus::Result(result.to_owned()),
                (None, Some(error)) => TaskStatus::Failed(refused(&ServerRefusal::of(error))),
                (None, None) => TaskStatus::Failed(broken("a task that ended without a result")),
            },
            _ => return None,
        })
    }
}

/// Returns true if the server knows no such task, and nobody knows more.
fn is_forgotten(refusal: &ServerRefusal) -> bool {
    let forgotten = [code::INVALID_PARAMS, code::RESOURCE_NOT_FOUND];
    refusal
        .code
        .parse()
        .is_ok_and(|code| forgotten.contains(&code))
}
