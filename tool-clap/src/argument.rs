//! One argument of clap as a property of a schema.

use std::any::TypeId;
use std::path::PathBuf;

use clap::builder::{PossibleValue, ValueRange};
use clap::{Arg, ArgAction, Command};
use serde_json::{Value, json};

/// An argument that a tool takes.
pub(crate) struct Argument {
    /// Number of the commands above the one that declares it.
    pub(crate) level: usize,
    /// Id in the matches.
    pub(crate) id: String,
    /// Name of the property.
    pub(crate) name: String,
    pub(crate) form: Form,
    /// Place of a positional argument, from 1.
    pub(crate) index: Option<usize>,
    pub(crate) is_required: bool,
    /// Least number of values.
    pub(crate) least: usize,
    /// JSON Schema, without its description, in the order in which it is written.
    pub(crate) schema: Vec<(&'static str, Value)>,
    pub(crate) help: String,
}

/// The words of an argument.
pub(crate) enum Form {
    /// `--long`, if true.
    Flag(String),
    /// `--long` so many times.
    Count(String),
    /// `--long=value` for each value.
    Option(String),
    /// `--long=value,value`.
    Delimited(String, char),
    /// Words after `--`.
    Positional,
}

/// Why an argument is left out; `None` if it needs no notice.
pub(crate) type LeftOut = Option<&'static str>;

/// Reads an argument of a built command; a positional one if its words may follow `--`. Returns it with a note if it takes fewer forms than the program does.
pub(crate) fn read(
    arg: &Arg,
    level: usize,
    may_follow: bool,
) -> Result<(Argument, Option<&'static str>), LeftOut> {
    let action = arg.get_action();
    if is_help(action) {
        return Err(None);
    }
    if arg.is_hide_set() {
        return Err(Some("it is hidden"));
    }
    if arg.get_env().is_some() {
        return Err(Some(
            "it has a default in the environment, which the host sets",
        ));
    }
    let range = arg.get_num_args().unwrap_or(ValueRange::SINGLE);
    let mut note = None;
    let (form, is_list) = match (arg.get_long(), action) {
        _ if arg.is_positional() => {
            if !may_follow {
                return Err(Some("it cannot follow `--`, where another argument begins"));
            }
            let is_list = range.max_values() > 1 || matches!(action, ArgAction::Append);
            (Form::Positional, is_list)
        }
        (None, _) => return Err(Some("it has no long name")),
        (Some(long), ArgAction::SetTrue | ArgAction::SetFalse) => (Form::Flag(long.into()), false),
        (Some(long), ArgAction::Count) => (Form::Count(long.into()), false),
        (Some(_), _) if range.min_values() > 1 => {
            return Err(Some("it takes several words at once"));
        }
        (Some(_), _) if range.max_values() == 0 => return Err(Some("it takes no value")),
        (Some(long), ArgAction::Set | ArgAction::Append) => {
            let is_list = matches!(action, ArgAction::Append);
            let delimiter = arg.get_value_delimiter();
            if range.min_values() == 0 {
                note = Some("the form without a value is not offered");
            } else if range.max_values() > 1 && !is_list && delimiter.is_none() {
                note = Some("one value is offered of several");
            }
            match delimiter {
                Some(delimiter) => (Form::Delimited(long.into(), delimiter), true),
                None => (Form::Option(long.into()), is_list),
            }
        }
        _ => return Err(Some("its action is not known here")),
    };
    let least = match &form {
        Form::Positional => range.min_values().max(1),
        _ => 1,
    };
    let name = match arg.get_long() {
        Some(long) if !arg.is_positional() => long.replace('-', "_"),
        _ => arg.get_id().to_string(),
    };
    let argument = Argument {
        level,
        id: arg.get_id().to_string(),
        name,
        index: arg.get_index(),
        is_required: arg.is_required_set(),
        least,
        schema: schema(arg, &form, is_list, least, range),
        help: help(arg),
        form,
    };
    Ok((argument, note))
}

pub(crate) fn is_help(action: &ArgAction) -> bool {
    use ArgAction::{Help, HelpLong, HelpShort, Version};
    matches!(action, Help | HelpLong | HelpShort | Version)
}

fn schema(
    arg: &Arg,
    form: &Form,
    is_list: bool,
    least: usize,
    range: ValueRange,
) -> Vec<(&'static str, Value)> {
    match form {
        Form::Flag(_) => return vec![("type", "boolean".into())],
        Form::Count(_) => {
            return vec![
                ("type", "integer".into()),
                ("minimum", 0.into()),
                ("maximum", u8::MAX.into()),
            ];
        }
        Form::Option(_) | Form::Delimited(..) | Form::Positional => {}
    }
    let (kind, mut schema) = values(arg);
    // clap splits defaults, too.
    let delimiter = arg.get_value_delimiter();
    let split = |text: &str| match delimiter {
        Some(delimiter) => text.split(delimiter).map(|part| kind.value(part)).collect(),
        None => vec![kind.value(text)],
    };
    let defaults = arg.get_default_values().iter();
    let defaults = defaults.flat_map(|value| value.to_str().map_or_else(|| vec![None], split));
    let defaults: Option<Vec<Value>> = defaults.collect();
    let mut defaults = match defaults {
        Some(values) if !values.is_empty() && !arg.is_hide_default_value_set() => Some(values),
        _ => None,
    };
    if is_list {
        let items = schema
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        schema = vec![
            ("type", "array".into()),
            ("items", Value::Object(items.collect())),
        ];
        if arg.is_required_set() || least > 1 {
            schema.push(("minItems", least.into()));
        }
        if matches!(form, Form::Positional)
            && range.max_values() < usize::MAX
            && range.max_values() > 1
        {
            schema.push(("maxItems", range.max_values().into()));
        }
        schema.extend(defaults.map(|values| ("default", Value::Array(values))));
    } else {
        schema.extend(
            defaults
                .as_mut()
                .and_then(Vec::pop)
                .map(|value| ("default", value)),
        );
    }
    schema
}

/// JSON types of one value.
enum Kind {
    String,
    Boolean,
    Integer,
    Number,
}

impl Kind {
    /// Returns a default as JSON.
    fn value(&self, text: &str) -> Option<Value> {
        match self {
            Self::String => Some(text.into()),
            Self::Boolean => text.parse::<bool>().ok().map(Value::from),
            Self::Integer => text.parse::<i64>().ok().map(Value::from),
            Self::Number => text.parse::<f64>().ok().map(Value::from),
        }
    }
}

/// Returns the type and the schema of one value.
fn values(arg: &Arg) -> (Kind, Vec<(&'static str, Value)>) {
    let id = arg.get_value_parser().type_id();
    if id == TypeId::of::<bool>() && accepts(arg, "true") && accepts(arg, "false") {
        return (Kind::Boolean, vec![("type", "boolean".into())]);
    }
    let possible = arg.get_possible_values();
    let names = possible.iter().filter(|value| !value.is_hide_set());
    let names: Vec<&str> = names.map(PossibleValue::get_name).collect();
    if !names.is_empty() {
        let schema = vec![("type", "string".into()), ("enum", json!(names))];
        return (Kind::String, schema);
    }
    let integer = INTEGERS.iter().find(|(integer, ..)| id == integer());
    let is_float = id == TypeId::of::<f64>() || id == TypeId::of::<f32>();
    if (integer.is_none() && !is_float) || !takes_numbers(arg) {
        let mut schema = vec![("type", "string".into())];
        // An empty path is refused.
        let least = (id == TypeId::of::<PathBuf>()).then_some(("minLength", 1.into()));
        schema.extend(least);
        return (Kind::String, schema);
    }
    let Some((_, least, most)) = integer else {
        return (Kind::Number, vec![("type", "number".into())]);
    };
    let mut schema = vec![("type", "integer".into())];
    schema.extend(least.map(|least| ("minimum", least.into())));
    schema.extend(most.map(|most| ("maximum", most.into())));
    (Kind::Integer, schema)
}

type Integer = (fn() -> TypeId, Option<i64>, Option<i64>);

/// Integer types with their bounds, as far as a schema says them.
const INTEGERS: [Integer; 12] = [
    (TypeId::of::<u8>, Some(0), Some(u8::MAX as i64)),
    (TypeId::of::<u16>, Some(0), Some(u16::MAX as i64)),
    (TypeId::of::<u32>, Some(0), Some(u32::MAX as i64)),
    (TypeId::of::<u64>, Some(0), None),
    (TypeId::of::<u128>, Some(0), None),
    (TypeId::of::<usize>, Some(0), None),
    (TypeId::of::<i8>, Some(i8::MIN as i64), Some(i8::MAX as i64)),
    (
        TypeId::of::<i16>,
        Some(i16::MIN as i64),
        Some(i16::MAX as i64),
    ),
    (
        TypeId::of::<i32>,
        Some(i32::MIN as i64),
        Some(i32::MAX as i64),
    ),
    (TypeId::of::<i64>, None, None),
    (TypeId::of::<i128>, None, None),
    (TypeId::of::<isize>, None, None),
];

/// Returns whether the argument takes plain numbers. A parser of the program's own may read `5s` into an integer.
fn takes_numbers(arg: &Arg) -> bool {
    let defaults = arg.get_default_values().iter();
    let samples = ["0", "1", "2", "10", "100", "1000"].into_iter();
    samples
        .chain(defaults.filter_map(|value| value.to_str()))
        .any(|text| accepts(arg, text))
}

/// Returns whether the argument's parser takes this text.
fn accepts(arg: &Arg, text: &str) -> bool {
    let arg = Arg::new("value").value_parser(arg.get_value_parser().clone());
    let command = Command::new("value").no_binary_name(true).arg(arg);
    command.try_get_matches_from(["--", text]).is_ok()
}

fn help(arg: &Arg) -> String {
    let help = arg.get_long_help().or_else(|| arg.get_help());
    let mut lines: Vec<String> = help.map(ToString::to_string).into_iter().collect();
    let values = arg.get_possible_values();
    for value in values.iter().filter(|value| !value.is_hide_set()) {
        let meaning = value.get_help();
        lines.extend(meaning.map(|meaning| format!("- {}: {meaning}", value.get_name())));
    }
    lines.join("\n")
}
