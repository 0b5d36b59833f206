//! What a model reads of a program, and what it does not.

use clap::{Arg, ArgAction, ArgGroup, Command, CommandFactory, value_parser};
use serde_json::{Value, json};
use toolwright_clap::{ClapTools, NoticeKind, Process, tools_of};

use crate::{cli, schema, shop_tools};

/// The tools of a program that is not run.
fn of(command: Command) -> ClapTools {
    tools_of(command).process(Process::new("never"))
}

fn notices(import: &ClapTools) -> Vec<String> {
    import.notices.iter().map(ToString::to_string).collect()
}

#[test]
fn subcommands_are_tools_named_by_their_path() {
    let import = shop_tools(Process::new("never"));
    let names: Vec<_> = import.tools.definitions().map(|def| &*def.name).collect();
    let odd = names.iter().filter(|name| name.starts_with("odd_")).count();
    assert_eq!(odd, 10);
    assert_eq!(
        names[..4],
        ["orders", "ship", "remote_add", "remote_remove"]
    );
    let orders = import.tools.get("orders").unwrap().def();
    assert_eq!(orders.description, "Lists orders");
    let hints = orders.options.annotations;
    assert_eq!(hints.destructive, Some(true));
    assert_eq!(hints.open_world, Some(true));
    assert!(orders.options.is_exact());
}

#[test]
fn types_lists_defaults_and_counts_are_schema() {
    let import = shop_tools(Process::new("never"));
    let orders = import
        .tools
        .get("orders")
        .unwrap()
        .def()
        .input
        .as_json()
        .to_owned();
    assert_eq!(
        orders,
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""status":{"type":"string","enum":["open","done"],"default":"open","#,
            r#""description":"Which ones\n- open: Not shipped\n- done: Shipped"},"#,
            r#""limit":{"type":"integer","minimum":0,"maximum":65535,"default":20,"description":"Most orders"},"#,
            r#""min_total":{"type":"number","description":"Least total"},"#,
            r#""tag":{"type":"array","items":{"type":"string"},"description":"Only these tags"},"#,
            r#""country":{"type":"array","items":{"type":"string"},"description":"Only these countries"},"#,
            r#""config":{"type":"string","minLength":1,"description":"File with the settings"},"#,
            r#""verbose":{"type":"integer","minimum":0,"maximum":255,"description":"Says more"}},"#,
            r#""required":[],"additionalProperties":false}"#,
        )
    );
    let ship = schema(&import.tools, "ship");
    assert_eq!(ship["required"], json!(["order"]));
    let about = |name: &str| ship["properties"][name]["description"].clone();
    assert_eq!(about("express"), "Arrives tomorrow\nExcludes `--slow`.");
    assert_eq!(
        about("insured"),
        "Value to insure\nRequires `--insurer <INSURER>`."
    );
}

#[test]
fn what_is_left_out_is_a_notice() {
    let import = shop_tools(Process::new("never"));
    let mut seen = notices(&import);
    seen.retain(|notice| !notice.contains("`token`"));
    assert_eq!(
        seen,
        [
            "command `orders`, argument `short_only` left out: it has no long name",
            "command `ship`, argument `secret_switch` left out: it is hidden",
            "command `serve` left out: its name says that it serves or writes completions",
            "command `completions` left out: its name says that it serves or writes completions",
            "command `internal` left out: it is hidden",
        ]
    );
    let tools = import.tools.iter().len();
    let tokens = import
        .notices
        .iter()
        .filter(|notice| notice.argument.as_deref() == Some("token"));
    assert_eq!(tokens.count(), tools, "each tool lacks the token");

    let serving = tools_of(cli::Cli::command())
        .offer("serve")
        .process(Process::new("never"));
    assert!(serving.tools.get("serve").is_some());
}

#[test]
fn an_argument_that_cannot_be_offered_and_is_required_takes_its_command_out() {
    let required = |arg: Arg| arg.required(true);
    for (arg, why) in [
        (Arg::new("a").short('a'), "it has no long name"),
        (Arg::new("a").long("a").hide(true), "it is hidden"),
        (
            Arg::new("a").long("a").num_args(2),
            "it takes several words at once",
        ),
    ] {
        let import = of(Command::new("p").arg(required(arg)));
        assert_eq!(
            notices(&import),
            [format!(
                "command `p` left out: it requires the argument `a`: {why}"
            )]
        );
        assert_eq!(import.tools.iter().len(), 0);
    }
    let last = Command::new("p")
        .arg(required(Arg::new("program")))
        .arg(Arg::new("words").last(true).num_args(1..));
    assert_eq!(
        notices(&of(last)),
        [
            "command `p` left out: it requires the argument `program`: it cannot follow `--`, where another argument begins"
        ]
    );
    let before = Command::new("p")
        .arg(required(Arg::new("file")))
        .subcommand(Command::new("show"));
    let before = of(before.subcommand_required(true));
    assert_eq!(
        notices(&before),
        [
            "command `show` left out: it requires the argument `file`: it stands before a subcommand, and cannot follow `--`"
        ]
    );
}

#[test]
fn one_bad_subcommand_costs_that_subcommand() {
    let import = of(Command::new("p")
        .subcommand_required(true)
        .subcommand(Command::new("bad").arg(Arg::new("a").short('a').required(true)))
        .subcommand(Command::new("remote_add"))
        .subcommand(
            Command::new("remote")
                .subcommand(Command::new("add"))
                .subcommand_required(true),
        )
        .subcommand(Command::new("über").about("\u{200b}Odd."))
        .subcommand(Command::new("good").about("Good.")));
    let names: Vec<_> = import.tools.definitions().map(|def| &*def.name).collect();
    assert_eq!(names.len(), 3);
    assert_eq!((names[0], names[2]), ("remote_add", "good"));
    let kinds: Vec<_> = import
        .notices
        .iter()
        .map(|notice| (&*notice.command, notice.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("bad", NoticeKind::CommandLeftOut),
            ("remote add", NoticeKind::CommandLeftOut),
            ("über", NoticeKind::Renamed),
        ]
    );
}

#[test]
fn a_command_that_runs_without_its_subcommands_is_a_tool_too() {
    let import = of(Command::new("stash")
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .action(ArgAction::SetTrue)
                .global(true),
        )
        .arg(Arg::new("keep").long("keep").action(ArgAction::SetTrue))
        .args_conflicts_with_subcommands(true)
        .subcommand(
            Command::new("pop").arg(
                Arg::new("index")
                    .long("index")
                    .value_parser(value_parser!(i64)),
            ),
        ));
    let names: Vec<_> = import.tools.definitions().map(|def| &*def.name).collect();
    assert_eq!(names, ["stash", "pop"]);
    let keys = |name: &str| -> Vec<String> {
        let schema = schema(&import.tools, name);
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    assert_eq!(keys("stash"), ["keep", "quiet"]);
    assert_eq!(keys("pop"), ["index"]);
}

#[test]
fn groups_and_exclusive_arguments_are_sentences() {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let import = of(Command::new("p")
        .about("Prints.")
        .args([flag("json"), flag("text"), flag("list").exclusive(true)])
        .group(ArgGroup::new("form").args(["json", "text"]).required(true)));
    let def = import.tools.get("p").unwrap().def();
    assert_eq!(def.description, "Prints.\nRequires `<--json|--text>`.");
    let schema = schema(&import.tools, "p");
    let about = |name: &str| schema["properties"][name]["description"].clone();
    assert_eq!(about("json"), "Excludes `--text`.");
    assert_eq!(about("list"), "Excludes all other arguments.");
}

#[test]
fn a_parser_of_the_programs_own_takes_text() {
    fn seconds(text: &str) -> Result<u64, String> {
        let number = text.strip_suffix('s').ok_or("a duration ends with `s`")?;
        number.parse().map_err(|_| "not a number".to_owned())
    }
    let option = |name: &'static str| Arg::new(name).long(name);
    let import = of(Command::new("p")
        .arg(option("wait").value_parser(seconds))
        .arg(option("port").value_parser(value_parser!(u16).range(1024..)))
        .arg(
            option("switch")
                .value_parser(value_parser!(bool))
                .default_value("true"),
        )
        .arg(option("big").value_parser(value_parser!(u64)))
        .arg(
            option("color")
                .num_args(0..=1)
                .default_missing_value("always"),
        ));
    let properties = schema(&import.tools, "p")["properties"].clone();
    let expected: Value = json!({
        "wait": {"type": "string"},
        "port": {"type": "string"},
        "switch": {"type": "boolean", "default": true},
        "big": {"type": "integer", "minimum": 0},
        "color": {"type": "string"},
    });
    assert_eq!(properties, expected);
    assert_eq!(
        notices(&import),
        ["command `p`, argument `color` narrowed: the form without a value is not offered"]
    );
}

/// A branch such as `completion {bash, zsh}` is left out with all below it.
#[test]
fn whole_branches_are_left_out() {
    let command = || {
        let branch = |name| {
            clap::Command::new(name)
                .subcommand_required(true)
                .subcommand(clap::Command::new("bash"))
                .subcommand(clap::Command::new("list"))
        };
        clap::Command::new("server")
            .subcommand(branch("completion"))
            .subcommand(branch("mcp").subcommand_required(false))
            .subcommand(branch("remote"))
    };
    let names = |import: toolwright_clap::ClapImport| {
        let import = import.handler_sync(|_, _| Ok::<_, toolwright::ToolError>("ran".to_owned()));
        let names: Vec<_> = import
            .tools
            .iter()
            .map(|tool| tool.name().to_owned())
            .collect();
        (names, import.notices.len())
    };
    let own = ["server", "remote_bash", "remote_list"];
    let (seen, notices) = names(tools_of(command()));
    assert_eq!((seen, notices), (own.map(str::to_owned).to_vec(), 2));
    let (seen, _) = names(tools_of(command()).offer("mcp_list"));
    assert_eq!(seen, ["server", "mcp_list", "remote_bash", "remote_list"]);
    let (seen, _) = names(tools_of(command()).offer("mcp"));
    let all = [
        "server",
        "mcp",
        "mcp_bash",
        "mcp_list",
        "remote_bash",
        "remote_list",
    ];
    assert_eq!(seen, all);
}

#[test]
fn a_command_is_left_out_by_the_words_of_its_name() {
    let commands = [
        "mcp-server",
        "start-server",
        "run_server",
        "serve-http",
        "generate-completions",
        "shell-completion",
        "listServers",
        "add-server",
        "servers",
        "preserve",
        "complete",
    ];
    let web = clap::Command::new("web").visible_alias("w").alias("serve");
    let mut command = clap::Command::new("p").subcommand(web);
    command = command.subcommand_required(true);
    for name in commands {
        command = command.subcommand(clap::Command::new(name));
    }
    let import = tools_of(command.clone()).process(Process::new("never"));
    let names: Vec<_> = import.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(
        names,
        [
            "listServers",
            "add-server",
            "servers",
            "preserve",
            "complete"
        ]
    );
    assert_eq!(import.notices.len(), 7);
    let import = tools_of(command)
        .offer("web")
        .process(Process::new("never"));
    assert!(import.tools.get("web").is_some());
    // The name of a program says what it is, and not what a call does.
    let program = tools_of(clap::Command::new("mcp-list")).process(Process::new("never"));
    assert!(program.tools.get("mcp-list").is_some());
}
