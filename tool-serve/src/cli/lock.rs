//! The command `lock`: the tools held to a file.

use std::io;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolwright_json::{ObjectWriter, list, quoted};
use toolwright_lock::{Lock, LockChange};
use toolwright_schema::text::Printable;

use super::exit::Exit;
use super::show::{Printer, print_error};
use super::{OutputFormat, Subject, word};

pub(super) fn command() -> Command {
    Command::new("lock")
        .about("Compares the tools with a lock file; fails if it is missing or not up to date")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .default_value("tools.lock")
                .help("The lock file"),
        )
        .arg(
            Arg::new("update")
                .long("update")
                .action(ArgAction::SetTrue)
                .help("Write the file, unless a tool breaks those who use it"),
        )
        .arg(
            Arg::new("accept")
                .long("accept")
                .value_name("VERDICT")
                .value_parser(["major"])
                .help("Write the file, and accept changes that break those who use a tool"),
        )
}

impl Printer {
    /// Compares tools with a file, or writes it, and prints what changed.
    pub(super) fn lock(&mut self, subject: &Subject, asked: &ArgMatches) -> io::Result<Exit> {
        let file = word(asked, "file").unwrap_or_default();
        let tools = &subject.tools;
        let mut lock = if subject.is_foreign {
            Lock::foreign(tools.definitions().cloned(), file)
        } else {
            Lock::new(tools, file)
        };
        let accepts_breaks = asked.contains_id("accept");
        if accepts_breaks || asked.get_flag("update") {
            lock = lock.update(accepts_breaks);
        }
        let checked = lock.check();
        let changes = match &checked {
            Ok(changes) => changes,
            Err(error) => error.changes(),
        };
        if self.output == OutputFormat::Json {
            self.line(&list(changes.iter().map(json)))?;
        } else if checked.is_ok() {
            for change in changes {
                self.line(&Printable::new(&change.to_string()).to_string())?;
            }
            if changes.is_empty() {
                self.line("the tools are as the lock says")?;
            }
        }
        Ok(match checked {
            Ok(_) => Exit::Done,
            Err(error) => {
                print_error(&error.to_string());
                Exit::Failed
            }
        })
    }
}

fn json(change: &LockChange) -> String {
    let reasons = change.reasons.iter().map(|reason| quoted(reason));
    ObjectWriter::new()
        .text("tool", &change.tool)
        .text("verdict", change.verdict.as_str())
        .json("reasons", &list(reasons))
        .end()
}
