//! What a line says: a call, a turn of calls, or a tool to register.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright::{Context, DynTool, Registry, ToolCall, ToolError, ToolOptions, schema::SchemaDoc};

/// The parts of a line, or of a call in a batch. They are read one by one, so that an answer carries
/// the `id` even if another part is wrong.
#[derive(Deserialize)]
pub(crate) struct Line<'l> {
    #[serde(borrow)]
    pub(crate) id: Option<&'l RawValue>,
    #[serde(borrow)]
    name: Option<&'l RawValue>,
    #[serde(borrow)]
    arguments: Option<&'l RawValue>,
    #[serde(borrow)]
    repair: Option<&'l RawValue>,
    #[serde(borrow)]
    register: Option<&'l RawValue>,
    #[serde(borrow)]
    batch: Option<&'l RawValue>,
}

/// What a line asks for.
pub(crate) enum Asked<'l> {
    Register(&'l RawValue),
    Call(ToolCall, Context),
    Batch(Vec<Item<'l>>, Context),
}

/// One of a batch's calls.
pub(crate) struct Item<'l> {
    pub(crate) id: Option<&'l RawValue>,
    pub(crate) call: Result<ToolCall, Bad>,
}

#[derive(Deserialize)]
struct Registration {
    name: String,
    description: String,
    parameters: Option<SchemaDoc>,
    #[serde(default)]
    manual: bool,
}

/// What is none of that: a code, and what is wrong.
pub(crate) struct Bad {
    pub(crate) code: &'static str,
    pub(crate) text: String,
}

impl Bad {
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self {
            code,
            text: text.into(),
        }
    }
}

/// The parts of a JSON object; `what` it is, for messages.
pub(crate) fn parse<'l>(text: &'l [u8], what: &str) -> Result<Line<'l>, Bad> {
    let no_json = |why: String| Bad::new("invalid_json", format!("{what} is not JSON: {why}"));
    let text = std::str::from_utf8(text).map_err(|error| no_json(error.to_string()))?;
    // serde takes an array for a struct.
    if !text.trim_start().starts_with('{') {
        return Err(match serde_json::from_str::<&RawValue>(text) {
            Ok(_) => Bad::new("not_object", format!("{what} is not a JSON object")),
            Err(error) => no_json(error.to_string()),
        });
    }
    serde_json::from_str(text).map_err(|error| {
        if error.is_data() {
            // All else is taken as it stands.
            Bad::new("duplicate_key", format!("{what} has {error}"))
        } else {
            no_json(error.to_string())
        }
    })
}

/// What a line asks for, whose parts these are.
pub(crate) fn asked<'l>(line: &Line<'l>) -> Result<Asked<'l>, Bad> {
    if let Some(batch) = line.batch {
        if line.name.is_some() || line.arguments.is_some() || line.register.is_some() {
            let text = "a line with a `batch` has no `name`, `arguments` or `register` beside it";
            return Err(Bad::new("unknown_argument", text));
        }
        let items = serde_json::from_str::<Vec<&RawValue>>(batch.get());
        let items = items.map_err(|_| Bad::new("wrong_type", "`batch` is not an array"))?;
        return Ok(Asked::Batch(
            items.into_iter().map(item).collect(),
            context(line)?,
        ));
    }
    match line.register {
        Some(tool) => Ok(Asked::Register(tool)),
        None => Ok(Asked::Call(call(line, "the line")?, context(line)?)),
    }
}

fn item(raw: &RawValue) -> Item<'_> {
    match parse(raw.get().as_bytes(), "the call") {
        Ok(line) => Item {
            id: line.id,
            call: one_of_many(&line),
        },
        Err(bad) => Item {
            id: None,
            call: Err(bad),
        },
    }
}

fn one_of_many(line: &Line<'_>) -> Result<ToolCall, Bad> {
    let theirs = [
        ("repair", line.repair),
        ("register", line.register),
        ("batch", line.batch),
    ];
    match theirs.into_iter().find(|(_, part)| part.is_some()) {
        Some((part, _)) => Err(Bad::new(
            "unknown_argument",
            format!("`{part}` is a part of a line, and of no call in a batch"),
        )),
        None => call(line, "the call"),
    }
}

fn call(line: &Line<'_>, what: &str) -> Result<ToolCall, Bad> {
    let name = match line.name {
        Some(name) => string(name, "`name`")?,
        None => {
            return Err(Bad::new(
                "missing_argument",
                format!("{what} has no `name`"),
            ));
        }
    };
    // Providers send nothing, or `null`, for a call without arguments.
    let arguments = match line.arguments {
        None => String::new(),
        Some(raw) if raw.get().starts_with('"') => string(raw, "`arguments`")?,
        Some(raw) => raw.get().to_owned(),
    };
    let id = line.id.map_or("", RawValue::get);
    Ok(ToolCall::new(id, name, arguments))
}

/// How the arguments are to be read.
fn context(line: &Line<'_>) -> Result<Context, Bad> {
    match line.repair.map(RawValue::get) {
        None | Some("true") => Ok(Context::new()),
        Some("false") => Ok(Context::new().with_repairs(toolwright::args::Repairs::None)),
        Some(_) => Err(Bad::new("wrong_type", "`repair` is not a boolean")),
    }
}

fn string(raw: &RawValue, part: &str) -> Result<String, Bad> {
    serde_json::from_str(raw.get()).map_err(|error| {
        if error.is_data() {
            Bad::new("wrong_type", format!("{part} is not a string"))
        } else {
            Bad::new("invalid_json", format!("{part} is not JSON: {error}"))
        }
    })
}

/// Adds a tool that answers with its arguments as they were sent; one that is `manual` leaves that
/// to whoever called.
pub(crate) fn register(registry: &Registry, tool: &RawValue) -> Result<String, Bad> {
    let invalid = |why: String| Bad::new("invalid_tool", format!("no tool was registered: {why}"));
    if !tool.get().starts_with('{') {
        return Err(Bad::new("wrong_type", "`register` is not an object"));
    }
    let tool: Registration =
        serde_json::from_str(tool.get()).map_err(|_| invalid(unreadable(tool)))?;
    let text = format!("`{}` is registered", tool.name);
    let mut builder = DynTool::builder()
        .name(tool.name)
        .description(tool.description)
        .options(ToolOptions::new().manual(tool.manual))
        .handler_sync(|arguments: Box<RawValue>, _| Ok::<_, ToolError>(arguments));
    if let Some(parameters) = tool.parameters {
        builder = builder.parameters(parameters);
    }
    let tool = builder
        .build()
        .map_err(|error| invalid(error.to_string()))?;
    registry.insert(tool);
    Ok(text)
}

/// What is wrong with a tool that cannot be read.
fn unreadable(tool: &RawValue) -> String {
    type Is = fn(&str) -> bool;
    let parts: [(&str, &str, Is); 4] = [
        ("name", "a string", |text| text.starts_with('"')),
        ("description", "a string", |text| text.starts_with('"')),
        (
            "parameters",
            "a JSON Schema, an object or a boolean",
            |text| text.starts_with(['{', 't', 'f', 'n']),
        ),
        ("manual", "a boolean", |text| text.starts_with(['t', 'f'])),
    ];
    let Ok(given) = serde_json::from_str::<HashMap<String, &RawValue>>(tool.get()) else {
        return "a key of it is not a text".to_owned();
    };
    for (part, what, is) in parts {
        match given.get(part) {
            Some(value) if !is(value.get()) => return format!("its `{part}` is not {what}"),
            None if matches!(part, "name" | "description") => {
                return format!("its `{part}` is missing");
            }
            _ => {}
        }
    }
    "a key is given more than once, or a text of it is broken".to_owned()
}
