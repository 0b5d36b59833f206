//! From the arguments of a call to words of a command line, and the check that a program reads them as they are meant.

use std::ffi::OsStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use serde_json::{Map, Value};

use crate::argument::{Argument, Form};
use crate::read::Leaf;

impl Leaf {
    /// Returns the words of a call, with the program's name in front, if the program reads them as they are meant.
    pub(crate) fn words(&self, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
        self.matches(arguments)?;
        self.build(arguments, &[])
    }

    /// Returns the words that a check parses: with those that the environment sets.
    pub(crate) fn checked_words(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<Vec<String>, String> {
        self.build(arguments, &self.preset)
    }

    fn build(
        &self,
        arguments: &Map<String, Value>,
        preset: &[(usize, String)],
    ) -> Result<Vec<String>, String> {
        let mut words = Vec::new();
        for (level, name) in self.names.iter().enumerate() {
            words.push(name.clone());
            let preset = preset.iter().filter(|(of, _)| *of == level);
            words.extend(preset.map(|(_, word)| word.clone()));
            for argument in self
                .arguments
                .iter()
                .filter(|argument| argument.level == level)
            {
                argument.push_options(arguments, &mut words)?;
            }
        }
        let is_positional = |argument: &&Argument| matches!(argument.form, Form::Positional);
        let mut positionals: Vec<_> = self.arguments.iter().filter(is_positional).collect();
        positionals.sort_by_key(|argument| argument.index);
        let mut behind = Vec::new();
        for argument in positionals {
            behind.extend(argument.values(arguments)?);
        }
        if !behind.is_empty() {
            words.push("--".to_owned());
            words.append(&mut behind);
        }
        Ok(words)
    }

    /// Parses a call as the program does. Returns the matches, if they are what the call says.
    pub(crate) fn matches(&self, arguments: &Map<String, Value>) -> Result<ArgMatches, String> {
        let words = self.checked_words(arguments)?;
        let mut command = Command::clone(&self.command);
        let skipped = usize::from(command.is_no_binary_name_set());
        let all = command
            .try_get_matches_from_mut(words.into_iter().skip(skipped))
            .map_err(|error| words_of(&error, &command))?;
        let mut matches = &all;
        for (level, ids) in self.ids.iter().enumerate() {
            for id in ids {
                let of = |argument: &&Argument| argument.level == level && argument.id == *id;
                let argument = self.arguments.iter().find(of);
                let is_as_given = match argument {
                    Some(argument) => argument.is_read(matches, arguments)?,
                    None => !is_given(matches, id),
                };
                if !is_as_given {
                    let name = argument.map_or(id, |argument| &argument.name);
                    return Err(format!(
                        "the program would read `{name}` otherwise than it is given here"
                    ));
                }
            }
            matches = match (matches.subcommand(), self.names.get(level + 1)) {
                (Some((read, inner)), Some(name)) if read == name => inner,
                (None, None) => matches,
                _ => return Err("the program would read another subcommand".to_owned()),
            };
        }
        Ok(all)
    }
}

impl Argument {
    fn push_options(
        &self,
        arguments: &Map<String, Value>,
        words: &mut Vec<String>,
    ) -> Result<(), String> {
        let values = self.values(arguments)?;
        match &self.form {
            Form::Flag(long) | Form::Count(long) => {
                words.extend(values.iter().map(|_| format!("--{long}")));
            }
            Form::Option(long) => {
                words.extend(values.iter().map(|value| format!("--{long}={value}")));
            }
            Form::Delimited(long, delimiter) if !values.is_empty() => {
                words.push(format!("--{long}={}", values.join(&delimiter.to_string())));
            }
            Form::Delimited(..) | Form::Positional => {}
        }
        Ok(())
    }

    /// Returns the texts of the values; of a flag or a count, one text for each time that it is given.
    fn values(&self, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
        let value = match arguments.get(&self.name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(value) => value,
        };
        let times = match (&self.form, value) {
            (Form::Flag(_), value) => Some(usize::from(*value == Value::Bool(true))),
            (Form::Count(_), value) => Some(text(value).parse().unwrap_or(0)),
            _ => None,
        };
        if let Some(times) = times {
            return Ok(vec![String::new(); times.min(usize::from(u8::MAX))]);
        }
        let texts: Vec<String> = match value {
            Value::Array(values) => values.iter().map(text).collect(),
            value => vec![text(value)],
        };
        if texts.iter().any(|text| text.contains('\0')) {
            let name = &self.name;
            return Err(format!("`{name}` has a NUL, which no argument may have"));
        }
        Ok(texts)
    }

    /// Returns whether the program read this argument as the call gives it.
    fn is_read(
        &self,
        matches: &ArgMatches,
        arguments: &Map<String, Value>,
    ) -> Result<bool, String> {
        let values = self.values(arguments)?;
        if values.is_empty() || !is_given(matches, &self.id) {
            return Ok(values.is_empty() && !is_given(matches, &self.id));
        }
        Ok(match self.form {
            Form::Flag(_) => true,
            Form::Count(_) => matches.get_count(&self.id) as usize == values.len(),
            Form::Option(_) | Form::Delimited(..) | Form::Positional => {
                let read = matches.try_get_raw(&self.id).ok().flatten();
                read.is_some_and(|read| read.eq(values.iter().map(OsStr::new)))
            }
        })
    }
}

fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(ValueSource::CommandLine)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // `5.0` is an integer in JSON, and none in Rust.
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        },
        value => value.to_string(),
    }
}

/// Returns true for a value that the environment of this process sets. It may be a secret, and no call can mend it.
fn is_of_environment(error: &clap::Error, program: &Command) -> bool {
    fn sets(command: &Command, argument: &str) -> bool {
        let mut arguments = command.get_arguments();
        arguments.any(|arg| arg.get_env().is_some() && arg.to_string() == argument)
            || command.get_subcommands().any(|inner| sets(inner, argument))
    }
    let is_about_value = matches!(
        error.kind(),
        ErrorKind::InvalidValue
            | ErrorKind::ValueValidation
            | ErrorKind::TooManyValues
            | ErrorKind::TooFewValues
            | ErrorKind::WrongNumberOfValues
    );
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => is_about_value && sets(program, argument),
        // The words of a call are UTF-8.
        _ => error.kind() == ErrorKind::InvalidUtf8,
    }
}

/// Returns what is wrong, without the usage and the advice for people at a terminal.
fn words_of(error: &clap::Error, program: &Command) -> String {
    if is_of_environment(error, program) {
        return "the host's environment is not valid".to_owned();
    }
    if let ErrorKind::DisplayHelp
    | ErrorKind::DisplayVersion
    | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand = error.kind()
    {
        return "the program needs arguments".to_owned();
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = ["\n\nUsage:", "\n\nFor more information"]
        .iter()
        .filter_map(|end| text.find(end))
        .min();
    let text = end.and_then(|end| text.get(..end)).unwrap_or(text);
    text.trim().to_owned()
}
