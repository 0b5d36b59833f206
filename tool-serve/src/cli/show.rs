//! What the program says: answers on the standard output, all else on the standard error.

use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use toolwright_runtime::{
    Dialect, Outcome, Payload, Pending, PendingReason, Printable, Reply, Severity, ToolDef,
    ToolError, ToolResult, Toolset, lower,
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
    /// Whether a terminal shows the answers, and would do what control characters in them say.
    is_terminal: bool,
    to: BufWriter<Box<dyn Write>>,
}

impl Printer {
    /// Styles are kept where the output is a terminal that shows them.
    pub(super) fn new(output: Output) -> Self {
        Self {
            output,
            is_terminal: io::stdout().is_terminal(),
            to: BufWriter::new(Box::new(anstream::stdout())),
        }
    }

    /// The same, alone on the standard output: what tools print goes to the standard error.
    pub(super) fn alone(output: Output) -> io::Result<Self> {
        let is_terminal = io::stdout().is_terminal();
        let to = crate::stdout::take()?;
        Ok(Self {
            output,
            is_terminal,
            to: BufWriter::new(Box::new(to)),
        })
    }

    /// What tools and their definitions say: to a program as it is.
    fn line(&mut self, text: &str) -> io::Result<()> {
        if self.is_terminal {
            self.styled(&Printable::new(text).to_string())
        } else {
            self.styled(text)
        }
    }

    fn styled(&mut self, text: &str) -> io::Result<()> {
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
            let (name, words) = (Printable::new(&def.name), Printable::new(&words));
            let _ = writeln!(text, "{NAME}{name}{NAME:#}{gap}  {words}");
        }
        self.styled(&text)?;
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
            note("note", &repair.to_string());
        }
        match &result.outcome {
            Ok(Outcome::Content(content)) => self.line(&content.to_plain()),
            Ok(Outcome::AskUser { question, options }) => {
                note("the tool asks", question);
                for (name, value) in options {
                    let line = format!("{name}: {value}");
                    anstream::eprintln!("  {}", Printable::new(&line));
                }
                Ok(())
            }
            Ok(outcome) => {
                if let Outcome::Halt { reason, .. } = outcome {
                    note("the conversation would end", reason.as_str());
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
    let (why, shown) = (
        Printable::new(&why).one_line(),
        Printable::new(shown).one_line(),
    );
    for repair in &pending.repairs {
        note("note", &repair.to_string());
    }
    let name = Printable::new(&pending.call.name).one_line();
    anstream::eprintln!("{NOTE}waits:{NOTE:#} {why}\n  tool: {name}\n  arguments: {shown}");
}

/// Says what went wrong.
pub(crate) fn say(words: &str) {
    anstream::eprintln!("{ERROR}error:{ERROR:#} {}", Printable::new(words));
}

fn note(what: &str, words: &str) {
    anstream::eprintln!("{NOTE}{what}:{NOTE:#} {}", Printable::new(words));
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use super::*;

    /// What was written, to be looked at.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What a tool says is no command to a terminal, and to a program it is what the tool said.
    #[test]
    fn a_terminal_shows_what_a_tool_says_and_does_not_do_it() -> io::Result<()> {
        let said = "a\tb\n\u{1b}]0;x\u{7}\u{202e}";
        for (is_terminal, expected) in [
            (false, "a\tb\n\u{1b}]0;x\u{7}\u{202e}\n"),
            (true, "a\tb\n\\u{1b}]0;x\\u{7}\\u{202e}\n"),
        ] {
            let written = Written::default();
            let mut printer = Printer {
                output: Output::Text,
                is_terminal,
                to: BufWriter::new(Box::new(written.clone())),
            };
            printer.value(&Payload::text(said))?;
            let bytes = written.0.lock().unwrap_or_else(PoisonError::into_inner);
            assert_eq!(String::from_utf8_lossy(&bytes), expected);
        }
        Ok(())
    }
}
