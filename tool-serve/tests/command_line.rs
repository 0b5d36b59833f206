//! The command line, as a program that is started: this file's own, with the tools below. Its `main` runs the tests by
//! `libtest-mimic`, or is the program, since a program's exit code comes from its `main`.
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments
)]

/// A test and its name.
type Named = (&'static str, fn());

/// Tests with the names of their functions.
macro_rules! named {
    ($($(#[$on:meta])* $test:ident),* $(,)?) => {
        &[$($(#[$on])* (stringify!($test), $test)),*]
    };
}

#[path = "command_line/tools.rs"]
mod tools;

#[path = "command_line/answers.rs"]
mod answers;
#[path = "command_line/attended.rs"]
mod attended;
#[path = "command_line/flags.rs"]
mod flags;
#[path = "command_line/foreign.rs"]
mod foreign;
#[path = "command_line/program.rs"]
mod program;
#[path = "command_line/screen.rs"]
mod screen;
#[path = "command_line/sessions.rs"]
mod sessions;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if program::is_child() {
        if std::env::args().nth(1).as_deref() == Some("serve_stdio") {
            return program::serve_stdio_without_threads();
        }
        return program::inside(|| sessions::with_agent(tools::program()).run());
    }
    let all = [
        flags::TESTS,
        answers::TESTS,
        screen::TESTS,
        attended::TESTS,
        sessions::TESTS,
        foreign::TESTS,
    ]
    .concat();
    let trials = all.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
