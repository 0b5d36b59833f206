//! The command line of a toolset: commands and flags made of its schemas.

mod arguments;
mod call;
mod command;
mod exit;
mod flags;
mod prompt;
mod schema;
mod show;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};
use clap_complete::Shell;
use toolwright_runtime::{Printable, Toolset};

use self::call::Asked;
pub(crate) use self::exit::Exit;
use self::show::Printer;
pub(crate) use self::show::say;
use crate::serve::Serve;

/// What answers are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Text,
    Json,
}

/// Does what the command line says: the first argument is the program's own name.
pub(crate) fn run(serve: Serve, arguments: Vec<OsString>) -> Exit {
    let program = command::program(
        &serve.name,
        serve.version.as_deref(),
        serve.about.as_deref(),
        serve.is_attended,
    );
    let tools = serve.calls().tools(&serve.cx);
    let mut command = command::with_tools(program, &tools);
    let matches = match command.try_get_matches_from_mut(arguments) {
        Ok(matches) => matches,
        Err(error) => return told(&printable(with_tip(error, &tools))),
    };
    let output = match matches.get_one::<String>("output").map(String::as_str) {
        Some("json") => Output::Json,
        _ => Output::Text,
    };
    let mut printer = Printer::new(output);
    let done = match matches.subcommand() {
        Some(("list", _)) => printer.list(&tools),
        Some(("schema", asked)) => {
            printer.schemas(&tools, word(asked, "name"), word(asked, "dialect"))
        }
        Some(("check", asked)) => {
            let targets = asked.get_many::<String>("target").unwrap_or_default();
            printer.check(&tools, targets.map(String::as_str))
        }
        Some(("call", asked)) => {
            let limit = serve.cx.limits().text;
            match Asked::read(asked, &tools, limit) {
                Ok(asked) => Printer::alone(output).and_then(|printer| asked.run(&serve, printer)),
                Err(words) => {
                    let words = Printable::new(&words);
                    return told(&command.error(ErrorKind::ValueValidation, words));
                }
            }
        }
        Some(("mcp", _)) => serve.run_mcp(),
        Some(("serve", asked)) => serve_http(serve, asked),
        Some(("completions", asked)) => completions(&mut command, asked),
        _ => Ok(Exit::Usage),
    };
    match done {
        Ok(exit) => exit,
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            say(&error.to_string());
            Exit::Failed
        }
    }
}

fn completions(command: &mut Command, asked: &ArgMatches) -> io::Result<Exit> {
    let Some(shell) = asked.get_one::<Shell>("shell") else {
        return Ok(Exit::Usage);
    };
    // As it was called just now, whatever it calls itself.
    let name = command
        .get_bin_name()
        .unwrap_or(command.get_name())
        .to_owned();
    // Written at once: where nobody reads on, the generator itself would panic.
    let mut script = Vec::new();
    clap_complete::generate(*shell, command, name, &mut script);
    io::stdout().write_all(&script)?;
    Ok(Exit::Done)
}

/// Says where a tool is called that was taken for a command.
fn with_tip(mut error: clap::Error, tools: &Toolset) -> clap::Error {
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand)
        && tools.get(name).is_some()
    {
        let tip = format!("a tool is called with `call {name}`");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// So much of an argument is repeated.
const MOST_REPEATED: usize = 256;

/// The same error, in which what it repeats of the command line is safe to print: a script or a model may have
/// written that.
fn printable(mut error: clap::Error) -> clap::Error {
    let shown = |text: &str| {
        let text = Printable::new(text).one_line();
        text.at_most(MOST_REPEATED).to_string()
    };
    let cleaned = |value: &ContextValue| match value {
        ContextValue::String(text) => Some(ContextValue::String(shown(text))),
        ContextValue::Strings(texts) => {
            let texts = texts.iter().map(|text| shown(text)).collect();
            Some(ContextValue::Strings(texts))
        }
        // Tips have styles, and few of them repeat anything.
        ContextValue::StyledStrs(tips) => {
            let tips = tips.iter().map(|tip| {
                let plain = tip.to_string();
                let safe = shown(&plain);
                if safe == plain {
                    tip.clone()
                } else {
                    safe.into()
                }
            });
            Some(ContextValue::StyledStrs(tips.collect()))
        }
        _ => None,
    };
    let all = error.context();
    let all: Vec<_> = all
        .filter_map(|(kind, value)| Some((kind, cleaned(value)?)))
        .collect();
    for (kind, value) in all {
        error.insert(kind, value);
    }
    error
}

/// Prints what clap says: help and version where they were asked for, else what is wrong.
fn told(error: &clap::Error) -> Exit {
    // Nobody is there to be told that nobody can be told.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done,
        _ => Exit::Usage,
    }
}

fn word<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(String::as_str)
}

fn serve_http(serve: Serve, asked: &ArgMatches) -> io::Result<Exit> {
    let many = |name: &str| asked.get_many::<String>(name).unwrap_or_default().cloned();
    let mut serve = serve;
    for host in many("allow-host") {
        serve = serve.http(move |http| http.allow_host(host));
    }
    for origin in many("allow-origin") {
        serve = serve.http(move |http| http.allow_origin(origin));
    }
    if let Some(variable) = word(asked, "token-env") {
        match std::env::var(variable) {
            Ok(token) if !token.trim_ascii().is_empty() => {
                serve = serve.http(move |http| http.bearer(token));
            }
            _ => {
                say(&format!("the environment has no token in `{variable}`"));
                return Ok(Exit::Usage);
            }
        }
    }
    if asked.get_flag("allow-anyone") {
        serve = serve.http(crate::http::HttpServer::allow_anyone);
    }
    serve.run_http(word(asked, "listen").unwrap_or_default())
}
