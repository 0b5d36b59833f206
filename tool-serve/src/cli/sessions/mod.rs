//! The commands `sessions`: the stored conversations of an agent.
//!
//! `command` reads the flags, `conversation` shows a session.

mod command;
mod conversation;

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::ArgMatches;
use toolwright_agent::session::{CallRef, SessionError};
use toolwright_agent::store::{CheckpointError, Checkpointer, Keep};
use toolwright_agent::{Agent, AgentError, Run, RunEnd, Session, Status};
use toolwright_provider::call::ErrorKind;
use toolwright_runtime::executor::Waiting;
use toolwright_runtime::tool::Context;
use toolwright_runtime::toolset::Toolset;

pub(super) use self::command::command;
use self::command::decision;
use self::conversation::{mark_begun, one_line, waits_in_short, waits_text};
use super::exit::Exit;
use super::show::{Printer, print_error, print_note};
use super::{OutputFormat, word};
use crate::answer::json_of;
use crate::serve::{Serve, runtime};
use crate::signals::{Signals, cancel_on_signal};
use toolwright_json::{ObjectWriter, list, object};

/// Number of sessions that are read from the store at once.
const PAGE: usize = 100;

const MILLIS_PER_DAY: f64 = 86_400_000.0;

/// Runs one of the commands.
pub(super) fn run(serve: &Serve, asked: &ArgMatches, output: OutputFormat) -> io::Result<Exit> {
    let found = serve.agent.as_ref().zip(asked.subcommand());
    let Some((agent, (command, asked))) = found else {
        return Ok(Exit::Usage);
    };
    let Some(store) = agent.store() else {
        return Ok(Exit::Usage);
    };
    let runs = command == "decide" && asked.get_flag("run");
    let mut sessions = Sessions {
        agent,
        store,
        cx: &serve.cx,
        id: asked
            .try_get_one("id")
            .ok()
            .flatten()
            .map_or("", String::as_str),
        output,
        printer: if runs {
            Printer::exclusive(output)?
        } else {
            Printer::new(output)
        },
    };
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        match command {
            "list" => sessions.list(asked).await,
            "show" => sessions.show(asked.get_flag("full")).await,
            "decide" => sessions.decide(asked, runs).await,
            "cancel" => sessions.cancel().await,
            "delete" => sessions.delete().await,
            _ => sessions.prune(asked).await,
        }
    });
    // Does not wait for threads that tools keep busy.
    runtime.shutdown_background();
    match done {
        Ok(exit) => Ok(exit),
        Err(CommandError::Print(error)) => Err(error),
        Err(CommandError::Agent(error)) => Ok(sessions.failed(&error)),
    }
}

/// Reason why a command has failed.
enum CommandError {
    Print(io::Error),
    Agent(AgentError),
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::Print(error)
    }
}

impl From<AgentError> for CommandError {
    fn from(error: AgentError) -> Self {
        Self::Agent(error)
    }
}

impl From<CheckpointError> for CommandError {
    fn from(error: CheckpointError) -> Self {
        Self::Agent(error.into())
    }
}

impl From<SessionError> for CommandError {
    fn from(error: SessionError) -> Self {
        Self::Agent(error.into())
    }
}

struct Sessions<'a> {
    agent: &'a Agent,
    store: &'a Arc<dyn Checkpointer>,
    cx: &'a Context,
    /// Id of the conversation; empty for commands about several.
    id: &'a str,
    output: OutputFormat,
    printer: Printer,
}

impl Sessions<'_> {
    async fn list(&mut self, asked: &ArgMatches) -> Result<Exit, CommandError> {
        let most = asked.get_one("most").copied().unwrap_or(PAGE);
        let more = most.saturating_add(1);
        let mut ids = self.store.sessions(word(asked, "after"), more).await?;
        let is_more = ids.len() > most;
        ids.truncate(most);
        let mut rows = Vec::new();
        for id in ids {
            let row = self.row(&id).await;
            rows.push((id, row.or_else(damage)?));
        }
        if self.output == OutputFormat::Json {
            let rows = rows.iter().map(|(id, row)| row_json(id, row));
            let more = is_more.to_string();
            let members = [("sessions", list(rows)), ("more", more)];
            self.printer.line(&object(members))?;
            return Ok(Exit::Done);
        }
        let mut text = String::new();
        let width = rows.iter().map(|(id, _)| one_line(id).chars().count());
        let width = width.max().unwrap_or_default();
        for (id, row) in &rows {
            let id = one_line(id);
            let _ = match row {
                Ok(row) => {
                    let (age, session) = (age(row.age), &row.session);
                    let waits = waits_in_short(session, &row.waits).join("; ");
                    let (status, messages) = (session.status().as_str(), session.thread().len());
                    let row = format!(
                        "{id:width$}  {status:<14}  {messages:>4} messages  {age:>6}  {waits}"
                    );
                    writeln!(text, "{}", row.trim_end())
                }
                Err(error) => writeln!(text, "{id:width$}  {}", one_line(error)),
            };
        }
        if !text.is_empty() {
            self.printer.styled(&text)?;
        }
        if let (true, Some((id, _))) = (is_more, rows.last()) {
            print_note("there are more", &format!("`--after {id}`"));
        }
        Ok(Exit::Done)
    }

    async fn row(&self, id: &str) -> Result<Result<SessionRow, String>, CheckpointError> {
        let Some(checkpoint) = self.store.latest(id).await? else {
            return Ok(Err("it was deleted".to_owned()));
        };
        let session = checkpoint.session()?;
        Ok(Ok(SessionRow {
            waits: self.agent.waiting(&session, self.cx),
            session,
            age: Duration::from_millis(now_ms().saturating_sub(checkpoint.at_ms)),
        }))
    }

    async fn show(&mut self, is_full: bool) -> Result<Exit, CommandError> {
        let session = self.state().await?;
        let mut waits = self.agent.waiting(&session, self.cx);
        mark_begun(&mut waits, &self.store.calls(self.id).await?);
        let shown = match self.output {
            OutputFormat::Json => conversation::json(&self.tools(&session), &session, &waits),
            OutputFormat::Text => {
                conversation::text(&self.tools(&session), &session, &waits, is_full)
            }
        };
        Ok(self.print_shown(&shown)?)
    }

    /// Prints the conversation for programs, and these words for people.
    fn print(&mut self, session: &Session, words: &str) -> io::Result<Exit> {
        match self.output {
            OutputFormat::Json => self.print_shown(&self.json(session)),
            OutputFormat::Text => self.print_shown(words),
        }
    }

    fn print_shown(&mut self, shown: &str) -> io::Result<Exit> {
        match self.output {
            OutputFormat::Json => self.printer.line(shown)?,
            OutputFormat::Text => self.printer.styled(shown)?,
        }
        Ok(Exit::Done)
    }

    async fn decide(&mut self, asked: &ArgMatches, runs: bool) -> Result<Exit, CommandError> {
        let decision = match decision(asked) {
            Ok(decision) => decision,
            Err(words) => {
                print_error(&words);
                return Ok(Exit::Usage);
            }
        };
        let mut decided = self.state().await?;
        let call = word(asked, "call").unwrap_or_default();
        match decided.decide(call_ref(call), decision.clone()) {
            Err(SessionError::UnknownCall(_)) => {
                decided.decide(CallRef::Key(call.into()), decision)
            }
            done => done,
        }?;
        // A conflict, if somebody has written since.
        let update = |stored: &mut Session| {
            *stored = decided;
            Ok(())
        };
        let mut session = self.agent.update_state(self.id, update).await?;
        if runs {
            return self.run(&mut session).await;
        }
        let words = "it is stored; the next run of the conversation goes on with it";
        Ok(self.print(&session, words)?)
    }

    /// Runs the agent, and prints how the run ended.
    async fn run(&mut self, session: &mut Session) -> Result<Exit, CommandError> {
        let stop = self.cx.cancel().child();
        tokio::spawn(cancel_on_signal(Signals::new(), stop.clone()));
        let cx = self.cx.clone().with_cancel(stop);
        let run = self.agent.run(session, &cx).await?;
        let exit = exit_of(&run);
        if self.output == OutputFormat::Json {
            let object = ObjectWriter::new()
                .text("end", run.end.as_str())
                .maybe_text("text", run.text().or(run.text.as_deref()))
                .json("session", &self.json(session));
            self.printer.line(&object.end())?;
            return Ok(exit);
        }
        if let Some(text) = run
            .text()
            .or(run.text.as_deref())
            .filter(|text| !text.is_empty())
        {
            self.printer.line(text)?;
        }
        match run.completed() {
            Err(AgentError::Paused(_)) if exit == Exit::NeedsPerson => {
                let waiting = waits_text(&self.agent.waiting(session, self.cx), false);
                anstream::eprint!("{waiting}");
            }
            Ok(run) if exit != Exit::Done => {
                print_error(&format!("the run ended: {}", run.end.as_str()));
            }
            Ok(_) => {}
            Err(error) => print_error(&error.to_string()),
        }
        Ok(exit)
    }

    async fn cancel(&mut self) -> Result<Exit, CommandError> {
        let session = self.agent.stop(self.id).await?;
        let words = match session.status() {
            Status::Completed => "it has completed, and waits for nothing",
            _ => "it is cancelled; what it waited for is answered as cancelled",
        };
        Ok(self.print(&session, words)?)
    }

    async fn delete(&mut self) -> Result<Exit, CommandError> {
        if !self.store.delete(self.id).await? {
            return Ok(self.unknown());
        }
        match self.output {
            OutputFormat::Json => self.printer.line(r#"{"deleted":true}"#)?,
            OutputFormat::Text => self.printer.styled("it is deleted")?,
        }
        Ok(Exit::Done)
    }

    async fn prune(&mut self, asked: &ArgMatches) -> Result<Exit, CommandError> {
        let days = asked.get_one("older-than").copied().unwrap_or(0.0);
        let age = Duration::try_from_secs_f64(days * MILLIS_PER_DAY / 1000.0);
        let Ok(age) = age else {
            print_error("`--older-than` takes a number of days");
            return Ok(Exit::Usage);
        };
        let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        let keep = Keep {
            newest: asked.get_one("keep").copied().unwrap_or(1),
            since_ms: now_ms().saturating_sub(age),
        };
        let (mut deleted, mut exit) = (0, Exit::Done);
        if asked.get_flag("all") {
            let mut after = None;
            loop {
                let ids = self.store.sessions(after.as_deref(), PAGE).await?;
                for id in &ids {
                    match self.store.prune(id, keep).await.map(Ok).or_else(damage)? {
                        Ok(more) => deleted += more,
                        Err(error) => {
                            print_error(&format!("{id}: {error}"));
                            exit = Exit::Failed;
                        }
                    }
                }
                match ids.into_iter().last() {
                    Some(last) => after = Some(last),
                    None => break,
                }
            }
        } else {
            self.state().await?;
            deleted = self.store.prune(self.id, keep).await?;
        }
        match self.output {
            OutputFormat::Json => self.printer.line(&format!(r#"{{"deleted":{deleted}}}"#))?,
            OutputFormat::Text => self
                .printer
                .styled(&format!("old states deleted: {deleted}"))?,
        }
        Ok(exit)
    }

    async fn state(&self) -> Result<Session, AgentError> {
        let session = self.agent.state(self.id).await?;
        session.ok_or_else(|| CheckpointError::NoCheckpoint(self.id.to_owned()).into())
    }

    /// Returns the tools of the agent that answers in this conversation, and of the one that answered first, to hide secrets.
    fn tools(&self, session: &Session) -> [Toolset; 2] {
        let agent = self.agent.active_agent(session).unwrap_or(self.agent);
        [agent, self.agent].map(|agent| agent.executor().tools(self.cx))
    }

    fn json(&self, session: &Session) -> String {
        let waits = self.agent.waiting(session, self.cx);
        conversation::json(&self.tools(session), session, &waits)
    }

    fn unknown(&self) -> Exit {
        print_error(&format!("there is no session `{}`", self.id));
        Exit::UnknownTool
    }

    fn failed(&self, error: &AgentError) -> Exit {
        let id = self.id;
        let (help, exit) = match error {
            AgentError::Checkpoint(CheckpointError::NoCheckpoint(_)) => return self.unknown(),
            AgentError::Checkpoint(CheckpointError::Held { .. }) => (
                format!("`sessions cancel {id}` takes it from that run"),
                Exit::Failed,
            ),
            AgentError::Session(SessionError::UnknownCall(_)) => (
                format!("`sessions show {id}` prints what waits"),
                Exit::UnknownTool,
            ),
            AgentError::Session(
                SessionError::AmbiguousCall(_)
                | SessionError::WaitsInside(_)
                | SessionError::NeedsAnswer(_)
                | SessionError::Decided(_),
            ) => (String::new(), Exit::Usage),
            AgentError::Decision { error, .. } if error.kind() == ErrorKind::InvalidArgs => {
                (String::new(), Exit::Arguments)
            }
            _ => (String::new(), Exit::Failed),
        };
        let help = if help.is_empty() {
            help
        } else {
            format!("\nhelp: {help}")
        };
        print_error(&format!("{error}{help}"));
        exit
    }
}

/// Line of a conversation in a list.
struct SessionRow {
    session: Session,
    waits: Vec<Waiting>,
    age: Duration,
}

/// Returns the words of damage to one conversation, which does not concern the others.
fn damage<T>(error: CheckpointError) -> Result<Result<T, String>, CheckpointError> {
    match error {
        CheckpointError::Damaged(ref damage) if damage.session.is_some() => {
            Ok(Err(error.to_string()))
        }
        CheckpointError::Unreadable(_) => Ok(Err(error.to_string())),
        error => Err(error),
    }
}

fn row_json(id: &str, row: &Result<SessionRow, String>) -> String {
    let object = ObjectWriter::new().text("id", id);
    let object = match row {
        Ok(row) => object
            .text("status", row.session.status().as_str())
            .json("messages", &row.session.thread().len().to_string())
            .json("waits", &list(row.waits.iter().map(json_of)))
            .json("age_ms", &row.age.as_millis().to_string()),
        Err(error) => object.text("error", error),
    };
    object.end()
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

fn age(age: Duration) -> String {
    match age.as_secs() {
        seconds @ ..60 => format!("{seconds} s"),
        seconds @ ..3600 => format!("{} min", seconds / 60),
        seconds @ ..86_400 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// Reads a call's path, or its id.
fn call_ref(text: &str) -> CallRef<'_> {
    let path: Result<Vec<_>, _> = text.split('/').map(str::parse).collect();
    path.map_or_else(|_| text.into(), |path| CallRef::Path(path.into()))
}

fn exit_of(run: &Run) -> Exit {
    match &run.end {
        RunEnd::Completed | RunEnd::Halt { .. } | RunEnd::HaltWhen | RunEnd::ReturnDirect(_) => {
            Exit::Done
        }
        RunEnd::AskUser { .. } | RunEnd::Pending | RunEnd::Interrupted { .. } => Exit::NeedsPerson,
        RunEnd::Cancelled => Exit::Cancelled,
        _ => Exit::Failed,
    }
}
