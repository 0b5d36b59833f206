//! A value never becomes another argument.

use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, value_parser};
use serde_json::json;
use toolwright::{ToolError, Toolset};
use toolwright_clap::{Process, tools_of};

use crate::{call, cli, error, shop, text};

const ODD: [&str; 20] = [
    "--slow",
    "-x",
    "-",
    "--",
    "---",
    "",
    " ",
    "--express=true",
    "=",
    "--insurer",
    "a b",
    "a\nb",
    "\n",
    "help",
    "--help",
    "-V",
    "'; rm -rf /",
    "$(id)",
    "\u{202e}x",
    "*",
];

fn shop_as_child() -> Toolset {
    tools_of(cli::Cli::command())
        .process(Process::new(shop()))
        .tools
}

fn shop_by_handler() -> Toolset {
    use clap::FromArgMatches;
    tools_of(cli::Cli::command())
        .handler_sync(|matches: ArgMatches, _cx| {
            cli::Cli::from_arg_matches(&matches).map(|cli| format!("{cli:?}"))
        })
        .tools
}

#[tokio::test]
async fn odd_values_arrive_as_they_are_given() {
    for tools in [shop_as_child(), shop_by_handler()] {
        for odd in ODD {
            // clap refuses an empty path.
            let path = if odd.is_empty() { "./" } else { odd };
            let arguments = json!({"name": odd, "url": odd, "config": path});
            let seen = text(&tools, "remote_add", arguments).await;
            let expected = format!(
                "Cli {{ config: Some({path:?}), token: None, verbose: 0, command: Remote {{ command: Add {{ name: {odd:?}, url: {odd:?} }} }} }}"
            );
            assert_eq!(seen, expected);
            let arguments =
                json!({"order": 7, "notes": [odd, "--", odd], "insurer": odd, "slow": true});
            let seen = text(&tools, "ship", arguments).await;
            let expected = format!(
                "command: Ship {{ order: 7, notes: [{odd:?}, \"--\", {odd:?}], express: false, slow: true, insured: None, insurer: Some({odd:?}), secret_switch: false }}"
            );
            assert!(seen.contains(&expected), "{seen}");
        }
    }
}

#[tokio::test]
async fn both_ways_read_the_same() {
    let (child, handler) = (shop_as_child(), shop_by_handler());
    for (name, arguments) in [
        ("orders", json!({})),
        (
            "orders",
            json!({"status": "done", "limit": 5, "min_total": -0.5, "verbose": 3}),
        ),
        (
            "orders",
            json!({"tag": ["a", "--limit=1", ""], "country": ["NO", "SE"], "limit": 3.0}),
        ),
        (
            "orders",
            json!({"tag": [], "country": [""], "min_total": 1e3}),
        ),
        (
            "ship",
            json!({"order": u64::MAX, "express": true, "slow": false}),
        ),
        ("ship", json!({"order": 1, "insured": -20, "insurer": "-"})),
        ("remote_remove", json!({"name": "-1"})),
    ] {
        let seen = text(&child, name, arguments.clone()).await;
        assert_eq!(seen, text(&handler, name, arguments).await);
        assert!(seen.starts_with("Cli {"), "{seen}");
    }
}

#[tokio::test]
async fn a_call_that_the_program_refuses_does_not_run() {
    for tools in [shop_as_child(), shop_by_handler()] {
        for (arguments, why) in [
            (
                json!({"order": 1, "express": true, "slow": true}),
                "the argument '--express' cannot be used with '--slow'",
            ),
            (
                json!({"order": 1, "insured": 5}),
                "the following required arguments were not provided:\n  --insurer <INSURER>",
            ),
            (
                json!({"order": 1, "notes": ["a\u{0}b"]}),
                "`notes` has a NUL, which no argument may have",
            ),
        ] {
            let error = error(&tools, "ship", arguments).await;
            assert_eq!(error.kind().as_str(), "invalid_args");
            assert_eq!(error.messages().collect::<Vec<_>>(), [why]);
        }
        let error = error(&tools, "orders", json!({"country": ["NO,SE"]})).await;
        let why = "the program would read `country` otherwise than it is given here";
        assert_eq!(error.messages().collect::<Vec<_>>(), [why]);
        // The schema refuses these before clap sees them.
        for arguments in [
            json!({"order": -1}),
            json!({"order": "1"}),
            json!({"order": 1, "secret_switch": true}),
        ] {
            assert!(!call(&tools, "ship", arguments).await.is_success());
        }
    }
}

/// A tool of this command that returns the words of `id`.
fn words_of(command: Command, id: &'static str) -> Toolset {
    tools_of(command)
        .handler_sync(move |matches: ArgMatches, _cx| {
            let words = matches.try_get_raw(id).unwrap().into_iter().flatten();
            let words: Vec<_> = words
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            Ok::<_, ToolError>(words.join("|"))
        })
        .tools
}

#[tokio::test]
async fn a_value_that_would_be_read_otherwise_is_refused() {
    // A value that ends the list.
    let list = Arg::new("files").num_args(1..).value_terminator(";");
    let tools = words_of(
        Command::new("p").arg(list).arg(Arg::new("to").last(true)),
        "to",
    );
    assert!(
        !call(&tools, "p", json!({"files": ["a"]}))
            .await
            .is_success()
    );

    let list = Arg::new("files").num_args(1..).value_terminator(";");
    let tools = words_of(Command::new("p").arg(list).arg(Arg::new("to")), "files");
    assert_eq!(text(&tools, "p", json!({"files": ["a", "b"]})).await, "a|b");
    let refused = error(&tools, "p", json!({"files": ["a", ";", "b"]})).await;
    assert_eq!(
        refused.messages().collect::<Vec<_>>(),
        ["the program would read `files` otherwise than it is given here"]
    );

    // A positional argument without the one before it.
    let two = Command::new("p").arg(Arg::new("from")).arg(Arg::new("to"));
    let tools = words_of(two, "to");
    assert_eq!(
        text(&tools, "p", json!({"from": "a", "to": "b"})).await,
        "b"
    );
    let refused = error(&tools, "p", json!({"to": "b"})).await;
    assert_eq!(
        refused.messages().collect::<Vec<_>>(),
        ["the program would read `from` otherwise than it is given here"]
    );

    // One of two options that override each other.
    let option = |name: &'static str| Arg::new(name).long(name);
    let two = Command::new("p")
        .arg(option("a").overrides_with("b"))
        .arg(option("b"));
    let tools = words_of(two, "a");
    assert_eq!(text(&tools, "p", json!({"a": "--b"})).await, "--b");
    assert!(
        !call(&tools, "p", json!({"a": "1", "b": "2"}))
            .await
            .is_success()
    );

    // Errors that the program ignores.
    let lax = Command::new("p")
        .ignore_errors(true)
        .arg(option("n").value_parser(value_parser!(u8).range(..5)));
    let tools = words_of(lax, "n");
    assert_eq!(text(&tools, "p", json!({"n": 4})).await, "4");
    assert!(!call(&tools, "p", json!({"n": 9})).await.is_success());
}

/// clap then reads words after `--` as those of the last argument.
#[tokio::test]
async fn where_the_first_positional_argument_may_be_missing_the_last_is_offered() {
    let command = Command::new("p")
        .allow_missing_positional(true)
        .arg(Arg::new("from"))
        .arg(Arg::new("to").required(true));
    let import = tools_of(command.clone()).process(Process::new("never"));
    let notices: Vec<_> = import.notices.iter().map(ToString::to_string).collect();
    let why = "command `p`, argument `from` left out: it cannot follow `--`, where another argument begins";
    assert_eq!(notices, [why]);
    let tools = words_of(command, "to");
    assert_eq!(text(&tools, "p", json!({"to": "--from"})).await, "--from");
}

#[tokio::test]
async fn arguments_stand_where_their_command_reads_them() {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let command = Command::new("p")
        .arg(flag("outer"))
        .arg(Arg::new("everywhere").long("everywhere").global(true))
        .subcommand_required(true)
        .subcommand(
            Command::new("a")
                .subcommand(Command::new("b").arg(flag("inner")))
                .arg(flag("middle")),
        );
    let tools = tools_of(command)
        .handler_sync(|matches: ArgMatches, _cx| {
            let (_, a) = matches.subcommand().unwrap();
            let (_, b) = a.subcommand().unwrap();
            let flags = (
                matches.get_flag("outer"),
                a.get_flag("middle"),
                b.get_flag("inner"),
            );
            Ok::<_, ToolError>(format!("{flags:?} {:?}", b.get_one::<String>("everywhere")))
        })
        .tools;
    let arguments = json!({"outer": true, "middle": true, "inner": true, "everywhere": "b"});
    assert_eq!(
        text(&tools, "a_b", arguments).await,
        r#"(true, true, true) Some("b")"#
    );
    assert_eq!(
        text(&tools, "a_b", json!({})).await,
        "(false, false, false) None"
    );
}
