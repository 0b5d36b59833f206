//! What the program says: answers on the standard output, all else on the standard error.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use anstyle::{AnsiColor, Style};
use toolwright_runtime::{
    Dialect, Outcome, Payload, Pending, PendingReason, Reply, Severity, ToolDef, ToolError,
    ToolResult, Toolset, lower,
};

use super::Output;
use super::command::first_sentence;
use super::exit::Exit;
use crate::answer;
use crate::definitions;
use crate::json::{Json, list, object, quoted};

const NAME: Style = AnsiColor::Cyan.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Yellow.on_default().bold();

/// Writes what a command comes to.
pub(super) struct Printer {
    output: Output,
    to: BufWriter<Box<dyn Write>>,
}

impl Printer {
    /// Styles are kept where the output is a terminal that shows them.
    pub(super) fn new(output: Output) -> Self {
        Self {
            output,
            to: BufWriter::new(Box::new(anstream::stdout())),
        }
    }

    /// The same, alone on the standard output: what tools print goes to the standard error.
    pub(super) fn alone(output: Output) -> io::Result<Self> {
        let to = crate::stdout::take()?;
        Ok(Self {
            output,
            to: BufWriter::new(Box::new(to)),
        })
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.to.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            self.to.write_all(b"\n")?;
        }
        self.to.flush()
    }

    /// JSON: in lines for people, compact for programs.
    fn json(&mut self, text: &str) -> io::Result<()> {
        match (self.output, Json::read(text)) {
            (Output::Text, Some(json)) => self.line(&json.to_lines()),
            _ => self.line(text),
        }
    }

    pub(super) fn list(&mut self, tools: &Toolset) -> io::Result<Exit> {
        if self.output == Output::Json {
            self.line(&definitions::list_of(tools))?;
            return Ok(Exit::Done);
        }
        let longest = tools
            .definitions()
            .map(|def| def.name.chars().count())
            .max();
        let width = longest.unwrap_or_default();
        // Writing to a string cannot fail.
        let mut text = String::new();
        for def in tools.definitions() {
            let gap = " ".repeat(width - def.name.chars().count().min(width));
            let words = first_sentence(&def.description).split_whitespace();
            let words = words.collect::<Vec<_>>().join(" ");
            let _ = writeln!(text, "{NAME}{}{NAME:#}{gap}  {words}", def.name);
        }
        self.line(&text)?;
        Ok(Exit::Done)
    }

    pub(super) fn schemas(
        &mut self,
        tools: &Toolset,
        name: Option<&str>,
        dialect: Option<&str>,
    ) -> io::Result<Exit> {
        let dialect = match dialect.map(str::parse::<Dialect>).transpose() {
            Ok(dialect) => dialect,
            Err(error) => {
                say(&error.to_string());
                return Ok(Exit::Usage);
            }
        };
        let defs: Vec<_> = match name {
            Some(name) => match tools.get(name) {
                Some(tool) => vec![tool.def()],
                None => {
                    let error = tools.validate(name, "{}").err();
                    let words = error.map(|error| error.to_string()).unwrap_or_default();
                    say(&words);
                    return Ok(Exit::UnknownTool);
                }
            },
            None => tools.definitions().collect(),
        };
        let mut schemas = Vec::new();
        let mut is_refused = false;
        for def in defs {
            match schema(def, dialect) {
                Ok(schema) => schemas.push((def.name.as_ref(), schema)),
                Err(why) => {
                    is_refused = true;
                    say(&format!("{}: {why}", def.name));
                }
            }
        }
        match (name, schemas.as_slice()) {
            (Some(_), []) => {}
            (Some(_), [(_, schema), ..]) => self.json(schema)?,
            (None, all) => {
                let members = all
                    .iter()
                    .map(|(name, schema)| (*name, schema.as_str().into()));
                self.json(&object(members))?;
            }
        }
        Ok(if is_refused { Exit::Failed } else { Exit::Done })
    }

    pub(super) fn check<'t>(
        &mut self,
        tools: &Toolset,
        targets: impl Iterator<Item = &'t str>,
    ) -> io::Result<Exit> {
        let mut dialects = Vec::new();
        for target in targets {
            match target.parse::<Dialect>() {
                _ if target == "all" => dialects.extend(Dialect::ALL),
                Ok(dialect) => dialects.push(dialect),
                Err(error) => {
                    say(&error.to_string());
                    return Ok(Exit::Usage);
                }
            }
        }
        let reports: Vec<_> = dialects
            .iter()
            .map(|dialect| tools.check(*dialect))
            .collect();
        let is_accepted = reports.iter().all(toolwright_runtime::Report::is_accepted);
        match self.output {
            Output::Json => self.line(&list(reports.iter().map(report)))?,
            Output::Text => {
                for report in &reports {
                    self.line(&report.to_string())?;
                }
            }
        }
        Ok(if is_accepted {
            Exit::Done
        } else {
            Exit::Failed
        })
    }

    /// What a call came to; `shown` are the arguments of one that waits, without their secrets.
    pub(super) fn reply(
        &mut self,
        reply: &Reply,
        shown: impl FnOnce(&Pending) -> String,
    ) -> io::Result<()> {
        let json = self.output == Output::Json;
        match reply {
            Reply::Answered(result) if json => self.line(&answer::answered(result)),
            Reply::Answered(result) => self.answered(result),
            Reply::Pending(pending) if json => {
                self.line(&answer::pending(pending, &shown(pending), None))
            }
            Reply::Pending(pending) => {
                waits(pending, &shown(pending));
                anstream::eprintln!("  with `--approve` it runs");
                Ok(())
            }
        }
    }

    fn answered(&mut self, result: &ToolResult) -> io::Result<()> {
        for repair in &result.repairs {
            anstream::eprintln!("{NOTE}note:{NOTE:#} {repair}");
        }
        match &result.outcome {
            Ok(Outcome::Content(content)) => self.line(&content.to_plain()),
            Ok(Outcome::AskUser { question, options }) => {
                anstream::eprintln!("{NOTE}the tool asks:{NOTE:#} {question}");
                for (name, value) in options {
                    anstream::eprintln!("  {name}: {value}");
                }
                Ok(())
            }
            Ok(outcome) => {
                if let Outcome::Halt { reason, .. } = outcome {
                    anstream::eprintln!("{NOTE}the conversation would end:{NOTE:#} {reason}");
                }
                outcome.payload().map_or(Ok(()), |value| self.value(value))
            }
            Err(error) => {
                failed(error);
                Ok(())
            }
        }
    }

    fn value(&mut self, value: &Payload) -> io::Result<()> {
        match value.as_text() {
            Some(text) => self.line(text),
            None => self.json(&value.to_json()),
        }
    }
}

/// Says what a call waits for, with its arguments as they may be shown.
pub(super) fn waits(pending: &Pending, shown: &str) {
    let why = match &pending.reason {
        PendingReason::Decision(ask) => format!("a person has to decide: {ask}"),
        _ => "a person or the host answers calls of this tool".to_owned(),
    };
    let (why, shown) = (visible(&why), visible(shown));
    let name = &pending.call.name;
    anstream::eprintln!("{NOTE}waits:{NOTE:#} {why}\n  tool: {name}\n  arguments: {shown}");
}

/// The text with characters that nobody sees written out: who says yes has to see what to.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii_graphic() || char == ' ' {
            out.push(char);
        } else {
            // Behind a letter, where an accent that belongs to it is not written out.
            out.extend(format!("a{char}").escape_debug().skip(1));
        }
    }
    out
}

/// Says what went wrong.
pub(crate) fn say(words: &str) {
    anstream::eprintln!("{ERROR}error:{ERROR:#} {words}");
}

fn failed(error: &ToolError) {
    for message in error.messages() {
        say(message);
    }
}

/// A tool's schema, as it is or as a dialect has it.
fn schema(def: &ToolDef, dialect: Option<Dialect>) -> Result<String, String> {
    let Some(dialect) = dialect else {
        return Ok(def.input.as_json().to_owned());
    };
    match lower(&def.input, dialect) {
        Ok(lowered) => Ok(lowered.schema.unwrap_or_else(|| "null".to_owned())),
        Err(reject) => Err(reject.to_string()),
    }
}

fn report(report: &toolwright_runtime::Report) -> String {
    let problems = report.problems.iter().map(|problem| {
        let severity = match problem.severity {
            Severity::Error => "error",
            _ => "note",
        };
        let mut members = vec![("severity", quoted(severity).into())];
        if let Some(tool) = &problem.tool {
            members.push(("tool", quoted(tool).into()));
        }
        members.push(("code", quoted(problem.code.as_str()).into()));
        if let Some(path) = &problem.path {
            members.push(("path", quoted(path).into()));
        }
        members.push(("message", quoted(&problem.message).into()));
        members.push(("help", quoted(&problem.help).into()));
        object(members)
    });
    object([
        ("dialect", quoted(report.dialect.name()).into()),
        ("accepted", report.is_accepted().to_string().into()),
        ("problems", list(problems).into()),
    ])
}
