//! The approval prompt of a terminal.

use std::io::{self, BufRead, IsTerminal};

use tokio::sync::oneshot;
use toolwright_runtime::executor::{Pending, PendingReason, Question};
use toolwright_runtime::tool::{Cancel, Decision};
use toolwright_runtime::toolset::Toolset;

use super::show::{print_pending, print_question};

/// Returns true if a person can read a question and type an answer.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a decision about a pending call. Returns `None` if the input ends.
pub(super) async fn ask(pending: &Pending, tools: &Toolset) -> Option<Decision> {
    print_pending(pending, tools);
    let unknown = match &pending.reason {
        PendingReason::OutcomeUnknown(error) => Some(error),
        _ => None,
    };
    let question = match unknown {
        Some(_) => "Run it again?",
        None => "Run it?",
    };
    anstream::eprint!("{question} [y/N] ");
    let said = line().await?;
    let said = said.trim();
    let is_yes = ["y", "yes"]
        .iter()
        .any(|yes| said.eq_ignore_ascii_case(yes));
    Some(if is_yes {
        Decision::Approve
    } else {
        Decision::Reject(unknown.cloned().unwrap_or_default())
    })
}

/// Asks a tool's question. Returns `None` if the input ends.
pub(super) async fn answer(question: &Question, stop: &Cancel) -> Option<Decision> {
    print_question(&question.text, &question.options);
    anstream::eprint!("Your answer: ");
    tokio::select! {
        said = line() => said.map(|said| Decision::Answer(said.trim().into())),
        // A cancelled call is answered as cancelled, whatever the decision.
        () = stop.cancelled() => Some(Decision::Reject(String::new())),
    }
}

/// Reads the next line on its own thread, which nothing has to wait for.
async fn line() -> Option<String> {
    let (sender, line) = oneshot::channel();
    let read = move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        // The call may be cancelled.
        let _ = sender.send(read.is_ok_and(|bytes| bytes > 0).then_some(line));
    };
    std::thread::Builder::new().spawn(read).ok()?;
    line.await.ok()?
}
