//! The programs that the guide runs on a command line. This program's own `main` is one of them, or the tests, since an
//! exit code comes from a program's `main`. The name that they show is Unix's `argv[0]`.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Trial};

#[path = "guide/output.rs"]
#[macro_use]
#[allow(dead_code, unused_macros)]
mod output;

#[path = "programs/desk.rs"]
mod desk;
#[path = "programs/shop/mod.rs"]
#[allow(clippy::needless_pass_by_value, clippy::unused_self)]
mod shop;
#[path = "programs/weather.rs"]
#[allow(clippy::needless_pass_by_value)]
mod weather;

const CHILD: &str = "GUIDE_PROGRAM";

fn main() -> ExitCode {
    match std::env::var(CHILD).as_deref() {
        Ok("desk") => return desk::main().expect("the store opens"),
        Ok("shop") => return shop::main().expect("the store opens"),
        Ok(_) => return weather::main(),
        Err(_) => {}
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
            let here = Path::new(".");
            let said = commands.iter().map(|command| run("weather", here, command));
            let said: Vec<_> = said.collect();
            output::shown(&format!("serve.{name}.txt"), &said.join("\n"));
            Ok(())
        })
    });
    let sessions = Trial::test("serve_sessions", || {
        let folder = std::env::temp_dir().join(format!("guide-desk-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        desk::talk(&folder).map_err(|error| error.to_string())?;
        let commands = [
            "sessions list",
            "sessions show ben-1",
            "sessions decide ben-1 0 --approve --run",
        ];
        let said = commands.map(|command| run("desk", &folder, command));
        output::shown("serve.sessions.txt", &said.join("\n"));
        Ok(std::fs::remove_dir_all(folder)?)
    });
    let application = Trial::test("application", || {
        let folder = std::env::temp_dir().join(format!("guide-shop-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let said = |commands: &[&str]| {
            let said = commands.iter().map(|command| run("shop", &folder, command));
            said.collect::<Vec<_>>().join("\n")
        };
        let calls = said(&[
            "list",
            "call list_orders --customer Ada",
            "call refund --id 7 --cents 500",
            "call refund --id 7 --cents 500 --approve",
        ]);
        output::shown("application.calls.txt", &calls);
        let sessions = said(&[
            "ask",
            "sessions show ada-1",
            "sessions decide ada-1 0 --approve --run",
        ]);
        output::shown("application.sessions.txt", &sessions);
        Ok(std::fs::remove_dir_all(folder)?)
    });
    let trials = trials.chain([sessions, application]).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The command, what it prints on both outputs, and its exit code if it is not 0.
fn run(name: &str, folder: &Path, command: &str) -> String {
    let program = std::env::current_exe().expect("the program has a path");
    let output = Command::new(program)
        .arg0(name)
        .args(command.split(' '))
        .current_dir(folder)
        .env(CHILD, name)
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
    format!("$ {name} {command}\n{out}{err}{code}")
}
