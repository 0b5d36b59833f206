//! The programs that the guide runs on a command line. This program's own `main` is one of them, or the tests, since an
//! exit code comes from a program's `main`. The name that they show is Unix's `argv[0]`.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Trial};

#[path = "guide/output.rs"]
#[macro_use]
#[allow(dead_code, unused_macros)]
mod output;

#[path = "programs/weather.rs"]
#[allow(clippy::needless_pass_by_value)]
mod weather;

const CHILD: &str = "GUIDE_PROGRAM";

fn main() -> ExitCode {
    if std::env::var_os(CHILD).is_some() {
        return weather::main();
    }
    // A file, and the commands that it shows.
    let shown: &[(&str, &[&str])] = &[
        ("list", &["list"]),
        ("search", &["search how is the weather in a city"]),
        ("help", &["call forecast --help"]),
        ("call", &["call forecast --city Oslo --days 2"]),
        ("refused", &["call forecast --days 20"]),
        (
            "destructive",
            &[
                "call cancel_order --id 7",
                "call cancel_order --id 7 --approve",
            ],
        ),
        ("check", &["check --target all"]),
    ];
    let trials = shown.iter().map(|(name, commands)| {
        Trial::test(format!("serve_{name}"), move || {
            let said: Vec<_> = commands.iter().map(|command| run(command)).collect();
            output::shown(&format!("serve.{name}.txt"), &said.join("\n"));
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// The command, what it prints on both outputs, and its exit code if it is not 0.
fn run(command: &str) -> String {
    let program = std::env::current_exe().expect("the program has a path");
    let output = Command::new(program)
        .arg0("weather")
        .args(command.split(' '))
        .env(CHILD, "1")
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    let (out, err) = (text(output.stdout), text(output.stderr));
    let code = match output.status.code() {
        Some(0) => String::new(),
        code => format!(
            "(exit code {})\n",
            code.map_or("none".to_owned(), |it| it.to_string())
        ),
    };
    format!("$ weather {command}\n{out}{err}{code}")
}
