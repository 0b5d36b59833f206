//! The command `lock`: the tools held to a file.

use std::io;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolwright_lock::{Lock, LockChange};
use toolwright_schema::text::Printable;

use super::OutputFormat;
use super::exit::Exit;
use super::show::{Printer, print_error};
use crate::json::{list, object, quoted};

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

/// Returns the path of the lock file.
pub(super) fn file(asked: &ArgMatches) -> &str {
    asked.get_one::<String>("file").map_or("", |file| file)
}

impl Printer {
    /// Compares tools with a file, or writes it, and prints what changed.
    pub(super) fn lock(&mut self, mut lock: Lock, asked: &ArgMatches) -> io::Result<Exit> {
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
    object(vec![
        ("tool", quoted(&change.tool).into()),
        ("verdict", quoted(change.verdict.as_str()).into()),
        ("reasons", list(reasons).into()),
    ])
}
