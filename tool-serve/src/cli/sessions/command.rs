//! The flags of the commands `sessions`.

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use serde_json::value::RawValue;
use toolwright_runtime::tool::Decision;

use crate::cli::word;

/// Builds the command.
pub(in crate::cli) fn command() -> Command {
    Command::new("sessions")
        .about("Lists, shows, decides and cancels the stored conversations of the agent")
        .after_help(
            "Exit codes are those of the program; 4 is a conversation or a call that there is not.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([
            Command::new("list").about("Lists the conversations").args([
                option("after", "ID", "Begins after this one, in the order of ids"),
                option("most", "NUMBER", "The most conversations to print")
                    .default_value("100")
                    .value_parser(value_parser!(usize)),
            ]),
            Command::new("show")
                .about("Shows a conversation, and what it waits for")
                .args([id().required(true), flag("full", "Shortens nothing")]),
            decide(),
            Command::new("cancel")
                .about("Takes a conversation from whoever runs it, and cancels what it waits for")
                .arg(id().required(true)),
            Command::new("delete")
                .about("Deletes a conversation")
                .arg(id().required(true)),
            prune(),
        ])
}

fn decide() -> Command {
    // A reason or a number may begin with a dash.
    let value = |name, value, help| option(name, value, help).allow_hyphen_values(true);
    let call = Arg::new("call")
        .value_name("CALL")
        .required(true)
        .help("The call's number or id, or its path: `0/1` is call 1 of the agent in call 0");
    Command::new("decide")
        .about("Decides a call that waits, or answers a question")
        .args([
            id().required(true),
            call,
            flag("approve", "The call runs as it was shown"),
            value(
                "reject",
                "WHY",
                "The call does not run; the model reads why",
            ),
            value("edit", "JSON", "The call runs with these arguments"),
            value(
                "answer",
                "JSON",
                "The call's result, or the answer to its question",
            ),
            flag("run", "The agent goes on at once"),
        ])
        .group(
            ArgGroup::new("decision")
                .args(["approve", "reject", "edit", "answer"])
                .required(true),
        )
}

fn prune() -> Command {
    Command::new("prune")
        .about("Deletes old states of conversations, never the newest")
        .args([
            id().required_unless_present("all").conflicts_with("all"),
            flag("all", "Of all conversations"),
            option("keep", "NUMBER", "Keeps so many of the newest")
                .value_parser(value_parser!(usize)),
            option("older-than", "DAYS", "Keeps what is not older")
                .value_parser(value_parser!(f64)),
        ])
        .group(
            ArgGroup::new("kept")
                .args(["keep", "older-than"])
                .multiple(true)
                .required(true),
        )
}

fn id() -> Arg {
    Arg::new("id")
        .value_name("ID")
        .help("The conversation's id")
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// Reads the decision about a call.
pub(super) fn decision(asked: &ArgMatches) -> Result<Decision, String> {
    // The options are named as the decisions are.
    let read = |name: &str, help: &str| {
        let Some(text) = word(asked, name) else {
            return Ok(None);
        };
        let is_json: Result<&RawValue, _> = serde_json::from_str(text);
        is_json
            .and_then(|json| serde_json::from_str(&format!(r#"{{"{name}":{json}}}"#)))
            .map(Some)
            .map_err(|error| format!("`--{name}`: {error}\nhelp: {help}"))
    };
    if let Some(why) = word(asked, "reject") {
        return Ok(Decision::Reject(why.to_owned()));
    }
    let edit = read("edit", "arguments are an object: `--edit '{\"id\": 7}'`")?;
    let answer = read("answer", "a text has quotes: `--answer '\"Oslo\"'`")?;
    Ok(edit.or(answer).unwrap_or(Decision::Approve))
}
