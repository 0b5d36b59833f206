//! The command line of a toolset, with commands and flags built from its schemas.
//!
//! `command` and `flags` build the tree, `arguments` turns flags into JSON, `call` runs a call, `show` prints. Answers
//! go to the standard output and everything else to the standard error, so a script can pipe the output.

mod arguments;
mod call;
mod command;
mod exit;
mod flags;
#[cfg(feature = "foreign")]
mod foreign;
#[cfg(feature = "lock")]
mod lock;
mod prompt;
mod schema;
#[cfg(feature = "agent")]
mod sessions;
mod show;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};
use clap_complete::Shell;
use toolwright_provider::definitions::Notice;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::text::Printable;

use self::call::CallCommand;
pub(crate) use self::exit::Exit;
use self::show::Printer;
pub(crate) use self::show::print_error;
use crate::serve::Serve;

/// Format of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputFormat {
    Text,
    Json,
}

/// Runs a command line. The first argument is the program's name.
pub(crate) fn run(serve: Serve, arguments: Vec<OsString>) -> Exit {
    let program = command::program(
        &serve.name,
        serve.version.as_deref(),
        serve.about.as_deref(),
        serve.is_attended,
    );
    let executor = serve.call_executor();
    if let Err(refused) = executor.check_examples() {
        print_error(&format!("tools refuse their examples:\n{refused}"));
        return Exit::Failed;
    }
    let tools = executor.tools(&serve.cx);
    let mut command = commands(program, &tools, &serve);
    let matches = match command.try_get_matches_from_mut(arguments) {
        Ok(matches) => matches,
        Err(error) => return print_clap_error(&printable(with_tip(error, &tools))),
    };
    let output = match matches.get_one::<String>("output").map(String::as_str) {
        Some("json") => OutputFormat::Json,
        _ => OutputFormat::Text,
    };
    let mut printer = Printer::new(output);
    let done = match matches.subcommand() {
        Some(("list", asked)) => printer.list(&executor, &tools, word(asked, "tokens")),
        Some(("search", asked)) => {
            let words = asked.get_many::<String>("words").unwrap_or_default();
            let words = words.map(String::as_str).collect::<Vec<_>>().join(" ");
            let most = asked.get_one("most").copied().unwrap_or(5);
            printer.search(&tools, &words, most, &serve.cx)
        }
        Some(("schema", asked)) => {
            printer.schemas(&tools, word(asked, "name"), word(asked, "dialect"))
        }
        Some(("check", asked)) => match subject(&tools, asked) {
            Ok(subject) => printer.check(&subject.tools, &subject.notices, asked),
            Err(done) => done,
        },
        #[cfg(feature = "lock")]
        Some(("lock", asked)) => match subject(&tools, asked) {
            Ok(subject) => printer.lock(&subject, asked),
            Err(done) => done,
        },
        Some(("call", asked)) => {
            let limit = serve.cx.limits().max_bytes;
            match CallCommand::read(asked, &tools, limit) {
                Ok(asked) => {
                    Printer::exclusive(output).and_then(|printer| asked.run(&serve, printer))
                }
                Err(words) => {
                    let words = Printable::new(&words);
                    return print_clap_error(&command.error(ErrorKind::ValueValidation, words));
                }
            }
        }
        #[cfg(feature = "agent")]
        Some(("sessions", asked)) => sessions::run(&serve, asked, output),
        Some(("mcp", _)) => serve.run_mcp(),
        Some(("serve", asked)) => serve_http(serve, asked),
        Some(("completions", asked)) => completions(command::for_a_script(command), asked),
        _ => Ok(Exit::Usage),
    };
    match done {
        Ok(exit) => exit,
        // The reader closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            print_error(&error.to_string());
            Exit::Failed
        }
    }
}

/// Tools that a command is about.
struct Subject {
    tools: Toolset,
    /// Notices of their client.
    notices: Vec<Notice>,
    #[cfg(feature = "lock")]
    is_foreign: bool,
}

/// Returns the tools of the server that `--foreign` names, or the program's own. The error is the end of the command.
#[cfg_attr(
    not(feature = "foreign"),
    allow(unused_variables, clippy::unnecessary_wraps)
)]
fn subject(own: &Toolset, asked: &ArgMatches) -> Result<Subject, io::Result<Exit>> {
    #[cfg(feature = "foreign")]
    if let Some(server) = word(asked, "foreign") {
        return foreign::fetch(server, asked);
    }
    Ok(Subject {
        tools: own.clone(),
        notices: Vec::new(),
        #[cfg(feature = "lock")]
        is_foreign: false,
    })
}

/// Adds the commands that the program's features and its agent bring.
#[cfg_attr(
    not(all(feature = "lock", feature = "agent", feature = "foreign")),
    allow(unused)
)]
fn commands(program: Command, tools: &Toolset, serve: &Serve) -> Command {
    let mut command = command::with_tools(program, tools);
    #[cfg(feature = "foreign")]
    {
        command = foreign::with_flags(command, "check");
    }
    #[cfg(feature = "lock")]
    {
        command = command.subcommand(lock::command());
        #[cfg(feature = "foreign")]
        {
            command = foreign::with_flags(command, "lock");
        }
    }
    #[cfg(feature = "agent")]
    if serve
        .agent
        .as_ref()
        .and_then(|agent| agent.store())
        .is_some()
    {
        command = command.subcommand(sessions::command());
    }
    command
}

fn completions(mut command: Command, asked: &ArgMatches) -> io::Result<Exit> {
    let Some(shell) = asked.get_one::<Shell>("shell") else {
        return Ok(Exit::Usage);
    };
    // The name under which the program was started.
    let name = command
        .get_bin_name()
        .unwrap_or(command.get_name())
        .to_owned();
    // Buffered, since the generator panics if the reader closes the pipe.
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut command, name, &mut script);
    io::stdout().write_all(&script)?;
    Ok(Exit::Done)
}

/// Adds a tip if the name of a tool was used as a command.
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

/// Maximal characters of an argument that an error repeats.
const MAX_ECHO_CHARS: usize = 256;

/// Makes the error safe to print. It repeats parts of the command line, which a script or a model may have written.
fn printable(mut error: clap::Error) -> clap::Error {
    let shown = |text: &str| {
        let text = Printable::new(text).one_line();
        text.at_most(MAX_ECHO_CHARS).to_string()
    };
    let cleaned = |value: &ContextValue| match value {
        ContextValue::String(text) => Some(ContextValue::String(shown(text))),
        ContextValue::Strings(texts) => {
            let texts = texts.iter().map(|text| shown(text)).collect();
            Some(ContextValue::Strings(texts))
        }
        // Tips have styles, and few of them repeat an argument.
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

/// Prints clap's message. Help and version are not errors.
fn print_clap_error(error: &clap::Error) -> Exit {
    // A failed print cannot be reported.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done,
        _ => Exit::Usage,
    }
}

fn word<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(String::as_str)
}

/// Reads a token from the environment. Prints an error if there is none.
fn environment_token(variable: &str) -> Result<String, Exit> {
    match std::env::var(variable) {
        Ok(token) if !token.trim_ascii().is_empty() => Ok(token),
        _ => {
            print_error(&format!("the environment has no token in `{variable}`"));
            Err(Exit::Usage)
        }
    }
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
        match environment_token(variable) {
            Ok(token) => serve = serve.http(move |http| http.bearer(token)),
            Err(exit) => return Ok(exit),
        }
    }
    if asked.get_flag("allow-anyone") {
        serve = serve.http(crate::http::HttpServer::allow_anyone);
    }
    serve.run_http(word(asked, "listen").unwrap_or_default())
}
