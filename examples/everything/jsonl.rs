//! Calls as lines of JSON, each answered with a line.

use std::borrow::Cow;
use std::io::{self, BufRead, Read, Write};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolwright::{
    Context, DynTool, Encoder, Registry, Repair, SchemaDoc, ToolCall, ToolError, ToolResult,
};

/// Arguments of 8 MiB are 48 MiB in a string that escapes each of their bytes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// A line: a call, or a tool to register. The parts are read one by one, so that an answer carries
/// the line's `id` even if another part is wrong.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
    #[serde(borrow)]
    name: Option<&'l RawValue>,
    #[serde(borrow)]
    arguments: Option<&'l RawValue>,
    #[serde(borrow)]
    repair: Option<&'l RawValue>,
    #[serde(borrow)]
    register: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Registration {
    name: String,
    description: String,
    parameters: Option<SchemaDoc>,
}

#[derive(Serialize)]
struct Reply<'r> {
    id: Option<&'r RawValue>,
    ok: bool,
    code: Option<&'static str>,
    text: Cow<'r, str>,
    value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<Repaired<'r>>,
}

#[derive(Serialize)]
struct Repaired<'r> {
    path: &'r str,
    kind: &'static str,
    from: &'r str,
    to: &'r str,
}

impl<'r> Repaired<'r> {
    fn of(repair: &'r Repair) -> Self {
        Self {
            path: &repair.path,
            kind: repair.kind.as_str(),
            from: &repair.from,
            to: &repair.to,
        }
    }
}

/// A line that is neither a call nor a registration: a code, and what is wrong.
struct Bad {
    code: &'static str,
    text: String,
}

impl Bad {
    fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self {
            code,
            text: text.into(),
        }
    }

    fn reply(self, id: Option<&RawValue>) -> Reply<'_> {
        Reply {
            id,
            ok: false,
            code: Some(self.code),
            text: self.text.into(),
            value: None,
            repairs: Vec::new(),
        }
    }
}

/// Answers every line until there is none left. Blank lines are no lines.
pub(crate) fn serve(
    registry: &Registry,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = (&mut input)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(());
        }
        if !bytes.ends_with(b"\n") && bytes.len() as u64 == LONGEST_LINE {
            input.skip_until(b'\n')?;
            let text = format!("the line is longer than {LONGEST_LINE} bytes");
            write(&mut output, &Bad::new("too_large", text).reply(None))?;
        } else if !bytes.trim_ascii().is_empty() {
            answer(registry, bytes.trim_ascii(), &mut output)?;
        }
    }
}

fn write(output: &mut impl Write, reply: &Reply<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *output, reply)?;
    output.write_all(b"\n")?;
    output.flush()
}

fn answer(registry: &Registry, line: &[u8], output: &mut impl Write) -> io::Result<()> {
    let line = match parse(line) {
        Ok(line) => line,
        Err(bad) => return write(output, &bad.reply(None)),
    };
    if let Some(tool) = line.register {
        let reply = match register(registry, tool) {
            Ok(text) => Reply {
                id: line.id,
                ok: true,
                code: None,
                text: text.into(),
                value: None,
                repairs: Vec::new(),
            },
            Err(bad) => bad.reply(line.id),
        };
        return write(output, &reply);
    }
    match call(&line) {
        Ok((call, cx)) => {
            let result = registry.snapshot().call_blocking(&call, &cx);
            write(output, &told(line.id, &result)?)
        }
        Err(bad) => write(output, &bad.reply(line.id)),
    }
}

fn parse(line: &[u8]) -> Result<Line<'_>, Bad> {
    let no_json = |why: String| Bad::new("invalid_json", format!("the line is no JSON: {why}"));
    let text = std::str::from_utf8(line).map_err(|error| no_json(error.to_string()))?;
    // serde takes an array for a struct.
    if !text.trim_start().starts_with('{') {
        return Err(match serde_json::from_str::<&RawValue>(text) {
            Ok(_) => Bad::new("not_object", "the line is no JSON object"),
            Err(error) => no_json(error.to_string()),
        });
    }
    serde_json::from_str(text).map_err(|error| {
        if error.is_data() {
            // All else is taken as it stands.
            Bad::new("duplicate_key", format!("the line has {error}"))
        } else {
            no_json(error.to_string())
        }
    })
}

/// The call that a line asks for, and how it is to be read.
fn call(line: &Line<'_>) -> Result<(ToolCall, Context), Bad> {
    let name = match line.name {
        Some(name) => string(name, "`name`")?,
        None => return Err(Bad::new("missing_argument", "the line has no `name`")),
    };
    // Providers send nothing, or `null`, for a call without arguments.
    let arguments = match line.arguments {
        None => String::new(),
        Some(raw) if raw.get().starts_with('"') => string(raw, "`arguments`")?,
        Some(raw) => raw.get().to_owned(),
    };
    let cx = match line.repair.map(RawValue::get) {
        None | Some("true") => Context::new(),
        Some("false") => Context::new().strict(),
        Some(_) => return Err(Bad::new("wrong_type", "`repair` is no boolean")),
    };
    let id = line.id.map_or("", RawValue::get);
    Ok((ToolCall::new(id, name, arguments), cx))
}

fn string(raw: &RawValue, part: &str) -> Result<String, Bad> {
    serde_json::from_str(raw.get()).map_err(|error| {
        if error.is_data() {
            Bad::new("wrong_type", format!("{part} is no string"))
        } else {
            Bad::new("invalid_json", format!("{part} is no JSON: {error}"))
        }
    })
}

/// Adds a tool that answers with its arguments as they were sent.
fn register(registry: &Registry, tool: &RawValue) -> Result<String, Bad> {
    let invalid = |why: String| Bad::new("invalid_tool", format!("no tool was registered: {why}"));
    if !tool.get().starts_with('{') {
        return Err(Bad::new("wrong_type", "`register` is no object"));
    }
    let tool: Registration =
        serde_json::from_str(tool.get()).map_err(|error| invalid(error.to_string()))?;
    let note = match tool.parameters {
        Some(_) if !cfg!(feature = "validate") => {
            "; its arguments are checked where this is built with the feature `validate`"
        }
        _ => "",
    };
    let text = format!("`{}` is registered{note}", tool.name);
    let mut builder = DynTool::builder()
        .name(tool.name)
        .description(tool.description)
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

/// What a call came to.
fn told<'r>(id: Option<&'r RawValue>, result: &'r ToolResult) -> io::Result<Reply<'r>> {
    let (code, value) = match &result.outcome {
        Ok(outcome) => (None, outcome.payload().map(|value| value.to_json())),
        Err(error) => {
            let fault = error.faults().first().map(|fault| fault.code.as_str());
            (Some(fault.unwrap_or(error.kind().as_str())), None)
        }
    };
    // What was sent over several lines is answered on one: between JSON's tokens any space will do,
    // and inside its strings no line ends.
    let on_one_line = |json: Cow<'_, str>| RawValue::from_string(json.replace(['\n', '\r'], " "));
    Ok(Reply {
        id,
        ok: result.is_success(),
        code,
        text: result.content(Encoder::auto()),
        value: value.map(on_one_line).transpose()?,
        repairs: result.repairs.iter().map(Repaired::of).collect(),
    })
}
