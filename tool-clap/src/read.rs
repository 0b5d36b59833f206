//! Subcommands of a program, each with the arguments that its tool takes.

use std::collections::HashSet;
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, builder::ValueParser};
use serde_json::{Map, Value};

use crate::argument::{self, Argument, Form};
use crate::notice::{Notice, NoticeKind};
use crate::process::Process;

/// A command that a tool runs.
pub(crate) struct Leaf {
    /// The whole program. That of a child has no defaults of this process's environment.
    pub(crate) command: Arc<Command>,
    /// Names of the program and of the commands down to this one.
    pub(crate) names: Vec<String>,
    pub(crate) arguments: Vec<Argument>,
    /// Words of arguments that the environment of a child sets, with their levels.
    pub(crate) preset: Vec<(usize, String)>,
    /// Ids of the other arguments that each of these commands declares.
    pub(crate) ids: Vec<Vec<String>>,
    about: String,
}

/// Words in the names of commands that no model should call.
const LEFT_OUT: [&str; 6] = ["completion", "completions", "daemon", "lsp", "mcp", "serve"];
/// Words that start a `server`. Other commands may make one elsewhere.
const STARTS: [&str; 4] = ["launch", "mcp", "run", "start"];

/// Returns true for a command whose name or alias says that it serves or writes completions.
fn is_left_out(command: &Command) -> bool {
    let mut names = command.get_all_aliases().chain([command.get_name()]);
    names.any(|name| {
        let words: Vec<_> = name.split(['-', '_']).collect();
        let starts = words.len() == 1 || words.iter().any(|word| STARTS.contains(word));
        words.iter().any(|word| LEFT_OUT.contains(word)) || words.contains(&"server") && starts
    })
}

/// Reads the commands that become tools, in the program's order.
pub(crate) fn leaves(
    command: &Command,
    offered: &[String],
    process: Option<&Process>,
) -> (Vec<Leaf>, Vec<Notice>) {
    let mut built = command.clone();
    built.build();
    let command = match process {
        Some(process) => without_env(command.clone(), process),
        None => command.clone(),
    };
    let mut reader = Reader {
        lenient: lenient(command.clone()),
        command: Arc::new(command),
        process,
        offered,
        leaves: Vec::new(),
        notices: Vec::new(),
    };
    if built.is_multicall_set() {
        let why = "the program is called by the names of its subcommands (`multicall`)";
        reader.left_out(&[&built], why);
    } else {
        reader.descend(&mut vec![&built], false);
    }
    (reader.leaves, reader.notices)
}

struct Reader<'a> {
    command: Arc<Command>,
    /// The same, with options that take any value.
    lenient: Command,
    process: Option<&'a Process>,
    offered: &'a [String],
    leaves: Vec<Leaf>,
    notices: Vec<Notice>,
}

impl Reader<'_> {
    /// Reads the last of the commands, and those below it. `is_barred` is true below a command that is not offered.
    fn descend(&mut self, commands: &mut Vec<&Command>, is_barred: bool) {
        let Some(command) = commands.last().copied() else {
            return;
        };
        if command.is_hide_set() {
            return self.left_out(commands, "it is hidden");
        }
        let has_subcommands = command.has_subcommands();
        let needs_subcommand = has_subcommands
            && (command.is_subcommand_required_set() || command.is_arg_required_else_help_set());
        // A program is more than its name says if it has subcommands, or other words in its name.
        let is_whole = !has_subcommands && !command.get_name().contains(['-', '_']);
        let is_named = is_left_out(command) && (commands.len() > 1 || is_whole);
        let name = name(&names(commands));
        let is_barred = (is_barred || is_named) && !self.offered.contains(&name);
        let below = format!("{name}_");
        let is_offered_below = self
            .offered
            .iter()
            .any(|offered| offered.starts_with(&below));
        let why = "its name says that it serves or writes completions";
        if is_barred && !is_offered_below {
            return self.left_out(commands, why);
        }
        if is_barred {
            self.left_out(commands, why);
        } else if !needs_subcommand {
            self.leaf(commands);
        }
        if command.is_allow_external_subcommands_set() {
            let why = "the subcommands that it takes without declaring them are not offered";
            let path = path(&names(commands));
            self.notices
                .push(Notice::of_command(&path, NoticeKind::Narrowed, why));
        }
        for subcommand in command.get_subcommands() {
            if subcommand.get_name() != "help" {
                commands.push(subcommand);
                self.descend(commands, is_barred);
                commands.pop();
            }
        }
    }

    fn left_out(&mut self, commands: &[&Command], why: impl Into<String>) {
        let notice = Notice::of_command(&path(&names(commands)), NoticeKind::CommandLeftOut, why);
        self.notices.push(notice);
    }

    fn leaf(&mut self, commands: &[&Command]) {
        let names = names(commands);
        let path = path(&names);
        let note = |argument: &Arg, kind, why: &str| Notice {
            argument: Some(argument.get_id().to_string()),
            ..Notice::of_command(&path, kind, why)
        };
        let (mut notices, mut arguments): (_, Vec<Argument>) = (Vec::new(), Vec::new());
        let mut taken = HashSet::new();
        // The names of inner commands go first.
        for (level, command) in commands.iter().enumerate().rev() {
            let is_inner = level + 1 == commands.len();
            let may_lack = !is_inner
                && (command.is_subcommand_negates_reqs_set()
                    || command.is_args_conflicts_with_subcommands_set());
            for arg in declared(commands, level) {
                let read = match argument::read(arg, level, may_follow(command, arg)) {
                    Ok(_) if !is_inner && arg.is_positional() => Err(Some(
                        "it stands before a subcommand, and cannot follow `--`",
                    )),
                    Ok(_) if !is_inner && command.is_args_conflicts_with_subcommands_set() => {
                        Err(Some("it conflicts with subcommands"))
                    }
                    Ok((argument, _)) if !taken.insert(argument.name.clone()) => {
                        Err(Some("another argument has its name"))
                    }
                    read => read,
                };
                match read {
                    Ok((mut argument, narrowed)) => {
                        argument.is_required &= !may_lack;
                        add_conflicts(&mut argument.help, command, arg);
                        notices.extend(narrowed.map(|why| note(arg, NoticeKind::Narrowed, why)));
                        arguments.push(argument);
                    }
                    // The environment may have it; the check of a call says if not.
                    Err(Some(why))
                        if arg.is_required_set() && !may_lack && arg.get_env().is_none() =>
                    {
                        let why = format!("it requires the argument `{}`: {why}", arg.get_id());
                        return self.left_out(commands, why);
                    }
                    Err(Some(why)) => notices.push(note(arg, NoticeKind::ArgumentLeftOut, why)),
                    Err(None) => {}
                }
            }
        }
        self.notices.append(&mut notices);
        let Some(command) = commands.last() else {
            return;
        };
        let about = command.get_long_about().or_else(|| command.get_about());
        let about = about.map(|about| about.to_string().trim().to_owned());
        let (mut preset, mut ids) = (Vec::new(), Vec::new());
        for level in 0..commands.len() {
            let mut others = Vec::new();
            for arg in declared(commands, level) {
                match self.preset(arg) {
                    Some(word) => preset.push((level, word)),
                    None if argument::is_help(arg.get_action()) => {}
                    None => others.push(arg.get_id().to_string()),
                }
            }
            ids.push(others);
        }
        let mut leaf = Leaf {
            command: Arc::clone(&self.command),
            about: match about {
                Some(about) if !about.is_empty() => about,
                _ => format!("Runs `{}`.", names.join(" ")),
            },
            preset,
            ids,
            names,
            arguments,
        };
        leaf.add_requirements(&mut self.lenient);
        self.leaves.push(leaf);
    }

    /// Returns a word for an argument that the environment of a child sets. The value does not matter.
    fn preset(&self, arg: &Arg) -> Option<String> {
        let is_set = self.process?.has_env(arg.get_env()?);
        let long = long_of_value(arg).filter(|_| is_set)?;
        Some(format!("--{long}=environment"))
    }
}

/// Returns the program without its defaults in the environment of this process. What that of the child sets is not required,
/// unless a word stands for it.
fn without_env(command: Command, process: &Process) -> Command {
    // One that is not the last would get the words of the next.
    let last = command.get_positionals().last().map(Arg::get_id).cloned();
    command
        .mut_args(
            |arg| match arg.get_env().map(|name| process.has_env(name)) {
                Some(is_set) => {
                    let is_last = !arg.is_positional() || last.as_ref() == Some(arg.get_id());
                    let is_free = is_set && is_last && long_of_value(&arg).is_none();
                    let is_required = arg.is_required_set() && !is_free;
                    lenient_arg(arg.env(None::<&'static str>)).required(is_required)
                }
                None => arg,
            },
        )
        .mut_subcommands(|command| without_env(command, process))
}

/// Returns the long name of an option that takes a value.
fn long_of_value(arg: &Arg) -> Option<&str> {
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    arg.get_long().filter(|_| takes_value)
}

/// Returns the arguments that one of the commands declares. Global ones are declared once.
fn declared<'c>(commands: &[&'c Command], level: usize) -> impl Iterator<Item = &'c Arg> {
    let outer = level.checked_sub(1).and_then(|outer| commands.get(outer));
    let outer: HashSet<_> = outer.map_or_else(HashSet::new, |outer| {
        let globals = outer.get_arguments().filter(|arg| arg.is_global_set());
        globals.map(Arg::get_id).collect()
    });
    let arguments = commands.get(level).map(|command| command.get_arguments());
    arguments
        .into_iter()
        .flatten()
        .filter(move |arg| !(arg.is_global_set() && outer.contains(arg.get_id())))
}

/// Returns whether words after `--` may be those of this positional argument. In some programs, they are only those of the last.
fn may_follow(command: &Command, arg: &Arg) -> bool {
    let only_last = command.is_allow_missing_positional_set()
        || command.get_positionals().any(Arg::is_last_set);
    let last = command.get_positionals().filter_map(Arg::get_index).max();
    !only_last || arg.get_index() == last
}

/// Adds a sentence about the arguments that exclude this one.
fn add_conflicts(help: &mut String, command: &Command, arg: &Arg) {
    if arg.is_exclusive_set() {
        return add_sentence(help, "Excludes all other arguments.");
    }
    let mut others: Vec<&Arg> = Vec::new();
    // clap panics if a global argument conflicts with a group.
    if !arg.is_global_set() {
        others = command.get_arg_conflicts_with(arg);
    }
    for group in command.get_groups() {
        let members: Vec<_> = group.get_args().collect();
        if members.contains(&arg.get_id()) && !group.clone().is_multiple() {
            others.extend(command.get_arguments().filter(|other| {
                other.get_id() != arg.get_id() && members.contains(&other.get_id())
            }));
        }
    }
    let mut seen = HashSet::new();
    others.retain(|other| !other.is_hide_set() && seen.insert(other.get_id()));
    if !others.is_empty() {
        let others: Vec<_> = others.iter().map(|arg| format!("`{arg}`")).collect();
        add_sentence(help, &format!("Excludes {}.", others.join(", ")));
    }
}

fn add_sentence(text: &mut String, sentence: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(sentence);
}

fn names(commands: &[&Command]) -> Vec<String> {
    commands
        .iter()
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// The name of a tool.
fn name(names: &[String]) -> String {
    match names {
        [_, inner @ ..] if !inner.is_empty() => inner.join("_"),
        names => names.join("_"),
    }
}

fn path(names: &[String]) -> String {
    match names {
        [_, inner @ ..] if !inner.is_empty() => inner.join(" "),
        names => names.join(" "),
    }
}

impl Leaf {
    pub(crate) fn name(&self) -> String {
        name(&self.names)
    }

    pub(crate) fn path(&self) -> String {
        path(&self.names)
    }

    pub(crate) fn description(&self) -> String {
        self.about.clone()
    }

    /// Returns the schema of the arguments, as text: its order is that of the program.
    pub(crate) fn schema(&self) -> String {
        let member = |(key, value): &(&str, Value)| format!("{}:{value}", Value::from(*key));
        let properties = self.arguments.iter().map(|argument| {
            let mut members: Vec<_> = argument.schema.iter().map(member).collect();
            if !argument.help.is_empty() {
                members.push(member(&("description", argument.help.as_str().into())));
            }
            format!(
                "{}:{{{}}}",
                Value::from(argument.name.as_str()),
                members.join(",")
            )
        });
        let properties: Vec<_> = properties.collect();
        let required = self
            .arguments
            .iter()
            .filter(|argument| argument.is_required);
        let required: Vec<&str> = required.map(|argument| argument.name.as_str()).collect();
        format!(
            r#"{{"type":"object","properties":{{{}}},"required":{},"additionalProperties":false}}"#,
            properties.join(","),
            Value::from(required),
        )
    }

    /// Adds sentences about what arguments need beside them. clap does not list it, so it is asked with samples.
    fn add_requirements(&mut self, lenient: &mut Command) {
        let mut samples = |extra: Option<&Argument>| {
            let all = self.arguments.iter();
            let given = all.filter(|argument| {
                argument.is_required || extra.is_some_and(|extra| extra.name == argument.name)
            });
            let samples = given.map(|argument| (argument.name.clone(), argument.sample()));
            missing(lenient, self.checked_words(&samples.collect::<Map<_, _>>()))
        };
        let always = samples(None);
        let sentence = |needed: &[String]| {
            let needed: Vec<_> = needed.iter().map(|needed| format!("`{needed}`")).collect();
            format!("Requires {}.", needed.join(", "))
        };
        let needs = self.arguments.iter().map(|argument| {
            let mut needed = samples(Some(argument));
            needed.retain(|needed| !always.contains(needed));
            (!argument.is_required && !needed.is_empty()).then(|| sentence(&needed))
        });
        let needs: Vec<_> = needs.collect();
        for (argument, needs) in self.arguments.iter_mut().zip(needs) {
            if let Some(needs) = needs {
                add_sentence(&mut argument.help, &needs);
            }
        }
        if !always.is_empty() {
            add_sentence(&mut self.about, &sentence(&always));
        }
    }
}

impl Argument {
    /// A value that a lenient program takes.
    fn sample(&self) -> Value {
        match self.form {
            Form::Flag(_) => true.into(),
            Form::Count(_) => 1.into(),
            Form::Option(_) | Form::Delimited(..) | Form::Positional => {
                vec!["x"; self.least].into()
            }
        }
    }
}

/// The program, with options that take any value.
fn lenient(command: Command) -> Command {
    command.mut_args(lenient_arg).mut_subcommands(lenient)
}

fn lenient_arg(arg: Arg) -> Arg {
    match arg.get_action() {
        ArgAction::Set | ArgAction::Append => arg.value_parser(ValueParser::os_string()),
        _ => arg,
    }
}

/// Returns the arguments that the program misses in these words, in its own notation.
fn missing(program: &mut Command, words: Result<Vec<String>, String>) -> Vec<String> {
    let Ok(words) = words else {
        return Vec::new();
    };
    let words = words
        .into_iter()
        .skip(usize::from(program.is_no_binary_name_set()));
    let error = match program.try_get_matches_from_mut(words) {
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => error,
        _ => return Vec::new(),
    };
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.clone(),
        Some(ContextValue::String(missing)) => vec![missing.clone()],
        _ => Vec::new(),
    }
}
