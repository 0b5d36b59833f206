//! The command line, as a program that is started: this file's own, with the tools below. It is its
//! own harness, since a program's exit code comes from its `main`.
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments
)]

#[path = "command_line/tools.rs"]
mod tools;

#[path = "command_line/answers.rs"]
mod answers;
#[path = "command_line/attended.rs"]
mod attended;
#[path = "command_line/flags.rs"]
mod flags;
#[path = "command_line/program.rs"]
mod program;
#[path = "command_line/screen.rs"]
mod screen;

use std::process::ExitCode;

/// A test by its name.
type Named = (&'static str, fn());

fn main() -> ExitCode {
    if program::is_child() {
        if std::env::args().nth(1).as_deref() == Some("serve_stdio") {
            return program::serve_stdio_without_threads();
        }
        return tools::program().run();
    }
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let sought: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let all = flags::TESTS
        .iter()
        .chain(answers::TESTS)
        .chain(screen::TESTS)
        .chain(attended::TESTS);
    let is_sought =
        |(name, _): &&Named| sought.is_empty() || sought.iter().any(|part| name.contains(part));
    let mut failed = Vec::new();
    let mut count = 0;
    for (name, test) in all.filter(is_sought) {
        count += 1;
        if std::panic::catch_unwind(test).is_err() {
            failed.push(*name);
        }
    }
    println!("{count} tests of the command line, failed: {failed:?}");
    ExitCode::from(u8::from(!failed.is_empty()))
}
