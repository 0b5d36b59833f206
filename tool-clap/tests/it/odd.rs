//! Programs with rare settings of clap: what becomes of each.

use std::fmt::Debug;

use clap::{
    Arg, ArgAction, ArgGroup, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand,
};
use serde_json::{Value, json};
use toolwright::Toolset;
use toolwright_clap::{ClapTools, tools_of};

use crate::{error, schema, text};

/// Tools that return what the program reads.
fn read<C: CommandFactory + FromArgMatches + Debug>() -> ClapTools {
    tools_of(C::command()).handler_sync(|matches, _cx| {
        C::from_arg_matches(&matches).map(|program| format!("{program:?}"))
    })
}

fn notices(import: &ClapTools) -> Vec<String> {
    import.notices.iter().map(ToString::to_string).collect()
}

async fn refused(tools: &Toolset, name: &str, arguments: Value) -> String {
    error(tools, name, arguments).await.to_string()
}

#[derive(Parser, Debug)]
#[command(name = "git")]
struct Git {
    #[arg(long, global = true)]
    verbose: bool,
    #[arg(long, global = true, value_delimiter = ';', default_value = "a;b")]
    paths: Vec<String>,
    #[command(flatten)]
    login: Login,
    #[command(subcommand)]
    command: GitCommand,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct Login {
    #[arg(long)]
    user: Option<String>,
    #[arg(long)]
    anonymous: bool,
}

#[derive(Subcommand, Debug)]
#[allow(clippy::option_option)] // Clap's type of an optional value.
enum GitCommand {
    /// Lists.
    #[command(visible_alias = "ls", alias = "l")]
    List {
        #[arg(long, num_args(0..=1), default_missing_value = "always", default_value = "auto", require_equals = true)]
        color: String,
        #[arg(long, num_args(0..=1))]
        depth: Option<Option<u8>>,
    },
}

#[tokio::test]
async fn global_flags_flattened_groups_and_aliases() {
    let import = read::<Git>();
    let names: Vec<_> = import
        .tools
        .iter()
        .map(|tool| tool.name().to_owned())
        .collect();
    assert_eq!(names, ["list"], "an alias is the same command");
    let seen = schema(&import.tools, "list");
    // clap splits a default as it splits a value.
    assert_eq!(seen["properties"]["paths"]["default"], json!(["a", "b"]));
    assert_eq!(seen["properties"]["color"]["default"], "auto");
    assert_eq!(
        notices(&import),
        [
            "command `list`, argument `color` narrowed: the form without a value is not offered",
            "command `list`, argument `depth` narrowed: the form without a value is not offered",
        ]
    );
    let arguments = json!({"verbose": true, "paths": ["x", "y"], "user": "--anonymous", "color": "never", "depth": 3});
    let program = text(&import.tools, "list", arguments).await;
    assert_eq!(
        program,
        r#"Git { verbose: true, paths: ["x", "y"], login: Login { user: Some("--anonymous"), anonymous: false }, command: List { color: "never", depth: Some(Some(3)) } }"#
    );
    let program = text(&import.tools, "list", json!({"anonymous": true})).await;
    assert!(program.contains(r#"paths: ["a", "b"]"#), "{program}");
    assert!(
        program.contains(r#"color: "auto", depth: None"#),
        "{program}"
    );
    // One of the group, and one alone.
    let none = refused(&import.tools, "list", json!({})).await;
    assert!(none.contains("--user <USER>|--anonymous"), "{none}");
    let both = refused(
        &import.tools,
        "list",
        json!({"user": "a", "anonymous": true}),
    )
    .await;
    assert!(both.contains("cannot be used with"), "{both}");
    let split = refused(
        &import.tools,
        "list",
        json!({"anonymous": true, "paths": ["x;y"]}),
    )
    .await;
    assert!(split.contains("`paths`"), "{split}");
}

#[derive(Parser, Debug)]
#[command(name = "run")]
enum Run {
    /// Runs a program.
    Exec {
        #[arg(long)]
        dir: Option<String>,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<String>,
    },
    #[command(external_subcommand)]
    #[allow(dead_code)] // No call is one.
    Plugin(Vec<String>),
}

#[tokio::test]
async fn trailing_words_are_values_and_external_subcommands_a_notice() {
    let import = read::<Run>();
    assert_eq!(import.tools.iter().count(), 1);
    assert_eq!(
        notices(&import),
        [
            "command `run` narrowed: the subcommands that it takes without declaring them are not offered"
        ]
    );
    let command = json!({"dir": "/tmp", "command": ["ls", "--dir=/", "-l", "--"]});
    assert_eq!(
        text(&import.tools, "exec", command).await,
        r#"Exec { dir: Some("/tmp"), command: ["ls", "--dir=/", "-l", "--"] }"#
    );
    // No word of a call is the name of a subcommand.
    let first = json!({"command": ["plugin", "exec"]});
    assert_eq!(
        text(&import.tools, "exec", first).await,
        r#"Exec { dir: None, command: ["plugin", "exec"] }"#
    );
}

#[tokio::test]
async fn rare_arguments_are_read_as_they_are_given_or_refused() {
    let program = Command::new("odd")
        .arg(
            Arg::new("pair")
                .long("pair")
                .num_args(2)
                .action(ArgAction::Append),
        )
        .arg(Arg::new("in").long("in").num_args(1..).value_delimiter(','))
        .arg(
            Arg::new("cache")
                .long("no-cache")
                .action(ArgAction::SetFalse),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .ignore_case(true)
                .value_parser(["Json", "Text"]),
        )
        .arg(Arg::new("a").long("a").action(ArgAction::SetTrue))
        .arg(Arg::new("b").long("b").action(ArgAction::SetTrue))
        .arg(Arg::new("c").long("c").requires("choice"))
        .group(ArgGroup::new("choice").args(["a", "b"]).multiple(false))
        .arg(Arg::new("words").value_terminator(";").num_args(1..))
        .arg(
            Arg::new("neg")
                .long("neg")
                .value_parser(clap::value_parser!(i32)),
        );
    let import = tools_of(program).handler_sync(|matches, _cx| {
        let words = matches
            .get_many::<String>("words")
            .map(Iterator::collect::<Vec<_>>);
        let files = matches
            .get_many::<String>("in")
            .map(Iterator::collect::<Vec<_>>);
        let (cache, neg) = (matches.get_flag("cache"), matches.get_one::<i32>("neg"));
        Ok::<_, String>(format!("{words:?} {files:?} {cache} {neg:?}"))
    });
    assert_eq!(
        notices(&import),
        ["command `odd`, argument `pair` left out: it takes several words at once"]
    );
    let seen = &schema(&import.tools, "odd")["properties"];
    assert_eq!(seen["c"]["description"], "Requires `<--a|--b>`.");
    assert_eq!(seen["a"]["description"], "Excludes `--b`.");
    assert_eq!(seen["format"]["enum"], json!(["Json", "Text"]));
    let arguments = json!({"words": ["-x", "--"], "in": ["a", "b"], "no_cache": true, "neg": -5});
    assert_eq!(
        text(&import.tools, "odd", arguments).await,
        r#"Some(["-x", "--"]) Some(["a", "b"]) false Some(-5)"#
    );
    for (arguments, words) in [
        (json!({"words": ["a", ";", "b"]}), "unexpected argument 'b'"),
        (json!({"c": "x"}), "--a|--b"),
        (json!({"a": true, "b": true}), "cannot be used with"),
        (json!({"in": ["a,b"]}), "`in`"),
    ] {
        let error = refused(&import.tools, "odd", arguments.clone()).await;
        assert!(error.contains(words), "{arguments}: {error}");
    }
}
