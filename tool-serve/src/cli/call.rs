//! The command `call`: reads the flags, runs the call, asks for approvals, and prints the result.

use std::io::{self, IsTerminal, Read, Write};
use std::time::Duration;

use clap::ArgMatches;
use serde_json::Value;
use tokio::sync::mpsc::Receiver;
use toolwright_json::strip_bom;
use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::{Batch, DecidedCall, Executor, Pending, PendingReason, Reply};
use toolwright_runtime::tool::{Context, Decision, Progress};
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::text::Printable;

use super::arguments::{self, FlagValues};
use super::command::{called, id, parameters};
use super::exit::Exit;
use super::prompt;
use super::show::Printer;
use crate::answer::{self, ReplyStatus};
use crate::serve::{Serve, runtime};
use crate::signals::{Signals, cancel_on_signal};
use toolwright_mcp::outside::{from_outside, repaired_before};
use toolwright_mcp::progress;

/// Parsed command `call`.
pub(super) struct CallCommand {
    call: ToolCall,
    approve: bool,
    timeout: Option<Duration>,
}

impl CallCommand {
    /// Reads the flags of a tool's command. `limit` is the maximal length of the standard input.
    ///
    /// # Errors
    /// Fails with a message for the user if the flags cannot be combined to arguments.
    pub(super) fn read(
        matches: &ArgMatches,
        tools: &Toolset,
        limit: usize,
    ) -> Result<Self, String> {
        let Some((name, matches)) = matches.subcommand() else {
            return Err("name a tool".to_owned());
        };
        // An unknown tool is answered with near names.
        let Some(tool) = called(tools, name) else {
            return Ok(Self::of(name, "{}".to_owned()));
        };
        let (schema, flags) = parameters(tool);
        let given: Vec<_> = flags
            .iter()
            .filter_map(|flag| {
                let values = matches.try_get_many::<String>(&id(flag)).ok()??;
                let values = values.cloned().collect();
                Some(FlagValues { flag, values })
            })
            .collect();
        let base = match matches.get_one::<String>("json").map(String::as_str) {
            Some("-") => {
                let read = read_stdin(limit);
                Some(read.map_err(|error| format!("cannot read the arguments: {error}"))?)
            }
            text => text.map(str::to_owned),
        };
        let text = arguments::to_json(&schema, base, &given).map_err(|error| error.to_string())?;
        let timeout = match matches.get_one::<f64>("timeout") {
            Some(seconds) => {
                let limit = Duration::try_from_secs_f64(*seconds);
                Some(limit.map_err(|error| format!("`--timeout`: {error}"))?)
            }
            None => None,
        };
        Ok(Self {
            approve: matches.get_flag("approve"),
            timeout,
            ..Self::of(name, text)
        })
    }

    fn of(name: &str, arguments: String) -> Self {
        Self {
            call: ToolCall::new("call_1", name, arguments),
            approve: false,
            timeout: None,
        }
    }

    /// Runs the call and prints its result.
    pub(super) fn run(self, serve: &Serve, mut printer: Printer) -> io::Result<Exit> {
        let cx = from_outside(serve.cx.clone());
        let stop = cx.cancel().child();
        let executor = match self.timeout {
            Some(limit) => serve.call_executor().timeout(None).batch_timeout(limit),
            None => serve.call_executor(),
        };
        let executor = progress::with_progress(executor);
        let (cx, reports) = progress::subscribe(cx.with_cancel(stop.clone()));
        let runtime = runtime()?;
        // In a task of the runtime, since a blocking tool may block this thread.
        let signals = {
            let _inside = runtime.enter();
            Signals::new()
        };
        runtime.spawn(cancel_on_signal(signals, stop));
        let reply = runtime.block_on(self.answer(&executor, &cx, reports));
        // Does not wait for threads that tools keep busy.
        runtime.shutdown_background();
        let Some(reply) = reply else {
            return Ok(Exit::Failed);
        };
        printer.reply(&reply, &executor.tools(&cx))?;
        Ok(Exit::of(ReplyStatus::of(&reply)))
    }

    /// Runs the call, and continues it after approvals. Returns its reply.
    async fn answer(
        &self,
        executor: &Executor,
        cx: &Context,
        mut reports: Receiver<Progress>,
    ) -> Option<Reply> {
        let mut meter = Meter::new();
        let mut approve = self.approve;
        let run = executor.run(std::slice::from_ref(&self.call), cx);
        let mut batch = meter.over(run, &mut reports).await;
        let mut repairs = Vec::new();
        loop {
            let waits = match batch.calls().first()? {
                Reply::Pending(waits) => waits,
                Reply::Answered(result) => {
                    let result = repaired_before(result.clone(), &repairs);
                    let said = match answer::question(&result) {
                        Some(question) if prompt::is_possible() => {
                            prompt::answer(&question, &cx.cancel()).await
                        }
                        _ => None,
                    };
                    let Some(said) = said else {
                        return Some(Reply::Answered(result));
                    };
                    repairs = result.repairs.into();
                    let decided = [DecidedCall::new(self.call.clone(), 0, said)];
                    batch = executor.run(&decided, cx).await;
                    continue;
                }
            };
            // A layer may change the arguments after an approval. These need another one.
            // `--approve` was said of a call that had not run.
            let has_run = matches!(waits.reason, PendingReason::OutcomeUnknown(_));
            let decision = if !has_run && std::mem::take(&mut approve) {
                Decision::Approve
            } else if let Some(decision) = ask(executor, cx, waits).await {
                decision
            } else {
                return Some(Reply::Pending(waits.clone()));
            };
            repairs.extend_from_slice(&waits.repairs);
            let decided = [waits.with_decision(decision)];
            batch = meter.over(executor.run(&decided, cx), &mut reports).await;
        }
    }
}

/// Asks the person at the terminal for a decision, if there is one.
async fn ask(executor: &Executor, cx: &Context, waits: &Pending) -> Option<Decision> {
    if !prompt::is_possible() {
        return None;
    }
    let (tools, stop) = (executor.tools(cx), cx.cancel());
    tokio::select! {
        said = prompt::ask(waits, &tools) => said,
        // A cancelled call is answered as cancelled, whatever the decision.
        () = stop.cancelled() => Some(Decision::Reject(String::new())),
    }
}

/// Reads at most one byte more than a call may have, which is enough to report that the input is too long.
fn read_stdin(limit: usize) -> io::Result<String> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    // The input may be cut inside a character; it is too long in any case.
    if bytes.len() > limit {
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    std::str::from_utf8(&bytes)
        .map(|text| strip_bom(text).to_owned())
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Maximal characters of a streamed item in a progress line.
const ITEM: usize = 80;

/// Returns the beginning of an item, as long as a progress line has space for.
fn beginning(item: &Value) -> String {
    let text = match item {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Printable::new(&text).one_line().at_most(ITEM).to_string()
}

/// Prints progress to the standard error: on a terminal in one line that is overwritten, otherwise one line per report.
struct Meter {
    is_terminal: bool,
    is_shown: bool,
}

impl Meter {
    fn new() -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
            is_shown: false,
        }
    }

    /// Waits for a batch and prints its progress.
    async fn over(
        &mut self,
        run: impl Future<Output = Batch>,
        reports: &mut Receiver<Progress>,
    ) -> Batch {
        let mut run = std::pin::pin!(run);
        let batch = loop {
            tokio::select! {
                biased;
                batch = &mut run => break batch,
                Some(report) = reports.recv() => self.show(&report),
            }
        };
        // Reports that arrived with the end.
        while let Ok(report) = reports.try_recv() {
            self.show(&report);
        }
        self.clear();
        batch
    }

    fn show(&mut self, report: &Progress) {
        let mut line = match report.total {
            Some(total) => format!("{} of {total}", report.done),
            None => report.done.to_string(),
        };
        let item = || report.item.as_ref().map(|item| beginning(item).into());
        if let Some(words) = report.message.clone().or_else(item) {
            line.push_str(": ");
            line.push_str(&Printable::new(&words).one_line().to_string());
        }
        let mut to = io::stderr().lock();
        // A failed print does not affect the call.
        let _ = if self.is_terminal {
            self.is_shown = true;
            write!(to, "\r\x1b[K{line}").and_then(|()| to.flush())
        } else {
            writeln!(to, "{line}")
        };
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
