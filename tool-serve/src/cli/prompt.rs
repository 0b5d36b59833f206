//! Asks whoever sits at the terminal.

use std::io::{self, BufRead, IsTerminal};

use tokio::sync::oneshot;
use toolwright_runtime::{Decision, Pending};

use super::show::waits;

/// Whether somebody sees a question, and can type an answer.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// What a person says about a call that waits; `None` when the input ends.
pub(super) async fn ask(pending: &Pending, shown: &str) -> Option<Decision> {
    waits(pending, shown);
    anstream::eprint!("Run it? [y/N] ");
    let said = line().await?;
    let said = said.trim();
    let is_yes = ["y", "yes"]
        .iter()
        .any(|yes| said.eq_ignore_ascii_case(yes));
    Some(if is_yes {
        Decision::Approve
    } else {
        Decision::Reject(String::new())
    })
}

/// The next line, read on a thread that nobody has to wait for.
async fn line() -> Option<String> {
    let (sender, line) = oneshot::channel();
    let read = move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        // Nobody waits any more for a call that was cancelled.
        let _ = sender.send(read.is_ok_and(|bytes| bytes > 0).then_some(line));
    };
    std::thread::Builder::new().spawn(read).ok()?;
    line.await.ok()?
}
