//! The tree of commands, built from the tools when the program starts.

use std::collections::HashMap;
use std::ffi::OsStr;

use clap::builder::{PossibleValue, StyledStr, TypedValueParser};
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use clap_complete::Shell;
use toolwright_json::Value;
use toolwright_provider::call::ToolDef;
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::SEARCH_TOOLS;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::Parts;
use toolwright_schema::text::Printable;
use toolwright_schema::tokens::Tokenizer;

use super::exit;
use super::flags::{Flag, FlagKind, flags};
use super::schema::{Choice, ToolSchema};

/// Flags of every tool's command, which parameters cannot have.
const RESERVED_FLAGS: [&str; 6] = ["approve", "help", "json", "output", "timeout", "version"];

/// Default address: only this machine can connect.
const DEFAULT_ADDRESS: &str = "127.0.0.1:8080";

/// Help text about approvals.
const APPROVAL_HELP: &str = "\
Calls that destroy something or are of high risk wait for a person's approval:
  call   with `--approve`, or by `y` at the prompt of a terminal
  mcp    by the client, which asks its user; refused where it cannot
  serve  answered as pending, and decided by POST /calls/{id}";

/// Builds the root command.
pub(super) fn program(
    name: &str,
    version: Option<&str>,
    about: Option<&str>,
    is_attended: bool,
) -> Command {
    let output = Arg::new("output")
        .long("output")
        .global(true)
        .value_name("FORMAT")
        .value_parser(["text", "json"])
        .default_value("text")
        .help_heading("Options of every command")
        .help("What answers are written as");
    let command = Command::new(name.to_owned())
        .about(
            about
                .unwrap_or("Tools, to call from here and to serve")
                .to_owned(),
        )
        .after_help(if is_attended {
            format!("{APPROVAL_HELP}\n\n{}", exit::EXIT_CODES)
        } else {
            exit::EXIT_CODES.to_owned()
        })
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(output);
    match version {
        Some(version) => command.version(version.to_owned()),
        None => command,
    }
}

/// Adds all subcommands.
pub(super) fn with_tools(program: Command, tools: &Toolset) -> Command {
    let dialects = || Dialect::ALL.into_iter().map(Dialect::name);
    let dialect = Arg::new("dialect")
        .long("dialect")
        .value_name("DIALECT")
        .value_parser(Suggestions(dialects().map(Choice::from).collect()))
        .help("As this provider is told them");
    let names = tools.definitions().map(|def| Choice::from(&*def.name));
    let name = Arg::new("name")
        .value_name("NAME")
        .value_parser(Suggestions(names.collect()))
        .help("Of this tool alone");
    let target = Arg::new("target")
        .long("target")
        .value_name("DIALECT")
        .required(true)
        .action(ArgAction::Append)
        .value_delimiter(',')
        .value_parser(Suggestions(
            std::iter::once("all")
                .chain(dialects())
                .map(Choice::from)
                .collect(),
        ))
        .help("What to check against; `all` for every dialect");
    // Exact in a program that has the feature `tokens`.
    let best = "o200k".parse().unwrap_or(Tokenizer::Bound).name();
    let tokens = Arg::new("tokens")
        .long("tokens")
        .value_name("TOKENIZER")
        .num_args(0..=1)
        .default_missing_value(best)
        .value_parser(Suggestions(
            Tokenizer::ALL
                .iter()
                .map(|one| Choice::from(one.name()))
                .collect(),
        ))
        .help("With the tokens that definitions take");
    program
        .subcommand(Command::new("list").about("Lists the tools").arg(&tokens))
        .subcommand(search())
        .subcommand(
            Command::new("schema")
                .about("Prints the JSON Schemas of the tools' arguments")
                .args([name, dialect]),
        )
        .subcommand(
            Command::new("check")
                .about("Tells what providers would refuse of the tools")
                .args([target, tokens]),
        )
        .subcommand(call(tools))
        .subcommand(Command::new("mcp").about("Serves the tools over MCP, on stdin and stdout"))
        .subcommand(serve())
        .subcommand(
            Command::new("completions")
                .about("Prints a script that completes this program's commands in a shell")
                .arg(
                    Arg::new("shell")
                        .required(true)
                        .value_parser(value_parser!(Shell)),
                ),
        )
}

fn search() -> Command {
    Command::new("search")
        .about("Finds tools by what they do, as a model does that searches")
        .arg(
            Arg::new("words")
                .value_name("WORDS")
                .required(true)
                .num_args(1..)
                .help("What the tool should do"),
        )
        .arg(
            Arg::new("most")
                .long("most")
                .value_name("NUMBER")
                .default_value("5")
                .value_parser(value_parser!(usize))
                .help("The most tools to print"),
        )
}

fn serve() -> Command {
    let many = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(if name == "allow-host" {
                "HOST"
            } else {
                "ORIGIN"
            })
            .action(ArgAction::Append)
            .help(help)
    };
    Command::new("serve")
        .about("Serves the tools over HTTP, with a page to try them, and over MCP at /mcp")
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .default_value(DEFAULT_ADDRESS)
                .value_hint(ValueHint::Hostname)
                .help("Where; port 0 for any that is free"),
        )
        .arg(
            Arg::new("token-env")
                .long("token-env")
                .value_name("VARIABLE")
                .help("The environment variable with the token that requests must bear"),
        )
        .arg(many(
            "allow-host",
            "A name under which it is reached, beside localhost",
        ))
        .arg(many(
            "allow-origin",
            "A web page's origin that may call tools, beside its own",
        ))
        .arg(
            Arg::new("allow-anyone")
                .long("allow-anyone")
                .action(ArgAction::SetTrue)
                .help("Listens beyond this machine although no token is asked for"),
        )
}

fn call(tools: &Toolset) -> Command {
    Command::new("call")
        .about("Calls a tool")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand_value_name("NAME")
        .subcommand_help_heading("Tools")
        // An unknown tool gets the model's error, with near names.
        .allow_external_subcommands(true)
        .subcommands(summaries(tools).flat_map(|(def, summary)| {
            let command = tool(def, &summary);
            // A call by an old name is reported as a repair, so it is a command and no alias.
            let old = old_names(tools, def).map(|name| command.clone().name(name).hide(true));
            let old: Vec<_> = old.collect();
            std::iter::once(command).chain(old)
        }))
}

/// Returns the old names by which a tool can be called.
fn old_names(tools: &Toolset, def: &ToolDef) -> impl Iterator<Item = String> {
    let names = def.old_names().names.iter();
    names
        .map(ToString::to_string)
        .filter(|old| called(tools, old).is_some_and(|tool| tool.name == def.name))
}

/// Returns the tool that a command calls. An exact tool is not called by an old name.
pub(super) fn called<'t>(tools: &'t Toolset, name: &str) -> Option<&'t ToolDef> {
    let def = tools.get(name)?.def();
    (def.name == name || !def.is_exact()).then_some(def)
}

/// The flags of a tool's command, and the schema that they are read by.
pub(super) fn parameters(def: &ToolDef) -> (ToolSchema, Vec<Flag>) {
    let schema = ToolSchema::read(def.input.as_json());
    let flags = flags(&schema, &def.old_names().arguments, &RESERVED_FLAGS);
    (schema, flags)
}

fn tool(def: &ToolDef, summary: &str) -> Command {
    let (schema, flags) = parameters(def);
    Command::new(def.name.clone().into_owned())
        // Texts of tools that arrive at run time are foreign, so they are escaped.
        .about(Printable::new(summary).to_string())
        .long_about(Printable::new(&def.description).to_string())
        .disable_version_flag(true)
        .args(flags.iter().map(|flag| parameter(&schema, flag)))
        .next_help_heading("How to call it")
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("TEXT")
                .help("The arguments as JSON, or `-` to read them from stdin; flags go over them"),
        )
        .arg(
            Arg::new("approve")
                .long("approve")
                .action(ArgAction::SetTrue)
                .help(
                    "Approves the call if it waits for a person's approval; without it a terminal is asked, \
                     and elsewhere the call does not run",
                ),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .allow_negative_numbers(true)
                .value_parser(value_parser!(f64))
                .help("How long the call may take"),
        )
}

fn parameter(schema: &ToolSchema, flag: &Flag) -> Arg {
    let words = schema.description(&flag.schema);
    let said = |keyword| flag.schema.keyword(keyword).map(Value::to_json);
    let mut help = words.trim().to_owned();
    // After a list of choices, the notes would read as part of its last line.
    let mut gap = if help.contains('\n') { "\n" } else { " " };
    let mut note = |text: String| {
        help.push_str(if help.is_empty() { "" } else { gap });
        help.push_str(&text);
        gap = " ";
    };
    if flag.is_required {
        note("[required]".to_owned());
    }
    if let Some(condition) = &flag.condition {
        note(format!("[{condition}]"));
    }
    if matches!(flag.kind, FlagKind::Many | FlagKind::Entries) {
        note("[may be repeated]".to_owned());
    }
    let format = flag.schema.keyword(Keyword::Format).and_then(Value::as_str);
    if let Some(format) = format.filter(|_| schema.admits(&flag.schema, "string")) {
        note(format!("[{format}]"));
    }
    let ends = [Keyword::Minimum, Keyword::Maximum].map(said);
    if let [Some(least), Some(most)] = &ends {
        note(format!("[{least} to {most}]"));
    } else {
        let [least, most] = ends;
        let bounds = [
            ("at least", least),
            ("above", said(Keyword::ExclusiveMinimum)),
            ("at most", most),
            ("below", said(Keyword::ExclusiveMaximum)),
        ];
        for (words, bound) in bounds {
            if let Some(bound) = bound {
                note(format!("[{words} {bound}]"));
            }
        }
    }
    // Without a flag there is no value, which is what null says.
    if let Some(default) = said(Keyword::Default).filter(|default| default != "null") {
        note(format!("[default: {default}]"));
    }
    let choices = choices(schema, flag);
    let arg = Arg::new(id(flag))
        .long(flag.long.clone())
        .value_name(value_name(schema, flag))
        .value_parser(Suggestions(choices))
        .help(Printable::new(&help).to_string())
        .hide(flag.is_old)
        .allow_negative_numbers(true);
    let arg = match &flag.alias {
        Some(alias) => arg.alias(alias.clone()),
        None => arg,
    };
    match flag.kind {
        FlagKind::One => arg.action(ArgAction::Set),
        FlagKind::Many | FlagKind::Entries => arg.action(ArgAction::Append),
        FlagKind::Switch => arg
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
    }
}

/// Leaves nothing of a tool in its command that a shell could run as part of a script: of texts their words, of values
/// those that are one word. The scripts of `clap_complete` quote some texts, and values not at all.
pub(super) fn for_a_script(program: Command) -> Command {
    let is_plain = |char: char| char.is_alphanumeric() || ".,-_/".contains(char);
    let words = |text: Option<&StyledStr>| {
        let text = text.map(StyledStr::to_string).unwrap_or_default();
        text.replace(|char| !is_plain(char), " ")
    };
    let parameter = |arg: Arg| {
        if !arg.get_id().as_str().starts_with('.') {
            return arg;
        }
        let help = words(arg.get_help());
        let values = arg.get_possible_values();
        let values = values.iter().map(PossibleValue::get_name);
        let values = values.filter(|value| !value.is_empty() && value.chars().all(is_plain));
        let values = values.map(Choice::from).collect();
        arg.help(help).value_parser(Suggestions(values))
    };
    // The scripts would complete what help hides.
    let tool = |tool: &Command| {
        let shown = tool.get_arguments().filter(|arg| !arg.is_hide_set());
        Command::new(tool.get_name().to_owned())
            .about(words(tool.get_about()))
            .args(shown.cloned().map(parameter))
    };
    program.mut_subcommand("call", |call| {
        let shown = call.get_subcommands().filter(|tool| !tool.is_hide_set());
        Command::new("call")
            .about(words(call.get_about()))
            .disable_help_subcommand(true)
            .subcommands(shown.map(tool))
    })
}

/// Returns the argument id of a flag. No other id starts with a dot.
pub(super) fn id(flag: &Flag) -> String {
    format!(".{}", flag.path.join("\u{0}"))
}

fn choices(schema: &ToolSchema, flag: &Flag) -> Vec<Choice> {
    match flag.kind {
        FlagKind::Switch => ["true", "false"].map(Choice::from).into(),
        FlagKind::One => schema.choices(&flag.schema).unwrap_or_default(),
        FlagKind::Many => {
            let alternatives = schema.alternatives(&flag.schema);
            let mut items = alternatives
                .iter()
                .filter_map(|alternative| alternative.keyword(Keyword::Items));
            let choices = items.next().and_then(|items| schema.choices(items));
            choices.unwrap_or_default()
        }
        FlagKind::Entries => Vec::new(),
    }
}

fn value_name(schema: &ToolSchema, flag: &Flag) -> &'static str {
    let name = |at: &Value<'static>| {
        let is = |kind| schema.admits(at, kind);
        if is("object") || is("array") || (is("string") && schema.admits_more_than(at, "string")) {
            "JSON"
        } else if is("string") {
            "TEXT"
        } else if is("number") {
            "NUMBER"
        } else if is("integer") {
            "INTEGER"
        } else {
            "VALUE"
        }
    };
    match flag.kind {
        FlagKind::One => name(&flag.schema),
        FlagKind::Many => {
            let alternatives = schema.alternatives(&flag.schema);
            let mut items = alternatives
                .iter()
                .filter_map(|alternative| alternative.keyword(Keyword::Items));
            items.next().map_or("JSON", name)
        }
        FlagKind::Switch => "BOOLEAN",
        FlagKind::Entries => "KEY=VALUE",
    }
}

pub(super) fn first_paragraph(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or_default().trim()
}

/// Returns the tools of a list with a line about each: the first sentence of its description, or all of it if another
/// tool begins with the same sentence. Two instances of a type differ at the end.
pub(super) fn summaries(tools: &Toolset) -> impl Iterator<Item = (&ToolDef, String)> {
    let mut uses = HashMap::<&str, usize>::new();
    for def in callable(tools) {
        *uses.entry(first_sentence(&def.description)).or_default() += 1;
    }
    callable(tools).map(move |def| {
        let sentence = first_sentence(&def.description);
        let is_shared = uses.get(sentence).is_some_and(|uses| *uses > 1);
        let words = if is_shared {
            &*def.description
        } else {
            sentence
        };
        (
            def,
            words.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
        )
    })
}

/// All tools, and the search that loads deferred ones.
fn callable(tools: &Toolset) -> impl Iterator<Item = &ToolDef> {
    let search = tools.get(SEARCH_TOOLS).map(|tool| tool.def());
    let search = search.filter(|_| tools.definitions().all(|def| def.name != SEARCH_TOOLS));
    tools.definitions().chain(search)
}

fn first_sentence(text: &str) -> &str {
    let text = first_paragraph(text);
    match text.find(". ") {
        Some(end) => text.get(..=end).unwrap_or(text),
        None => text,
    }
}

/// Parser that suggests values and accepts any text. The tool validates it, with its own messages.
#[derive(Clone)]
struct Suggestions(Vec<Choice>);

impl TypedValueParser for Suggestions {
    type Value = String;

    fn parse_ref(&self, cmd: &Command, _: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        match value.to_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(Error::new(ErrorKind::InvalidUtf8).with_cmd(cmd)),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        if self.0.is_empty() {
            return None;
        }
        let shown = |text: &str| Printable::new(text).one_line().to_string();
        Some(Box::new(self.0.iter().map(move |choice| {
            let value = PossibleValue::new(shown(&choice.word));
            match &choice.help {
                Some(help) => value.help(shown(help)),
                None => value,
            }
        })))
    }
}
