//! Output of commands: answers to the standard output, everything else to the standard error.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use clap::ArgMatches;
use serde_json::{Map, Value};
use toolwright_provider::call::{Outcome, Payload, ToolCall, ToolDef, ToolError, ToolResult};
use toolwright_provider::definitions::{Notice, NoticeKind};
use toolwright_provider::dialect::{Dialect, lower};
use toolwright_provider::wire::Namespace;
use toolwright_runtime::executor::{Executor, Pending, PendingReason, Reply};
use toolwright_runtime::tool::Context;
use toolwright_runtime::toolset::{Report, Severity, Toolset};
use toolwright_schema::text::Printable;
use toolwright_schema::tokens::Tokenizer;

use super::OutputFormat;
use super::command::summaries;
use super::exit::Exit;
use super::word;
use crate::answer;
use crate::definitions;
use toolwright_json::{ObjectWriter, list, object};
use toolwright_mcp::outside::details_in_words;

const NAME: Style = AnsiColor::Cyan.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Yellow.on_default().bold();

/// Prints the results of commands.
pub(super) struct Printer {
    pub(super) output: OutputFormat,
    /// True if a terminal shows the answers, which would interpret control characters.
    is_terminal: bool,
    to: BufWriter<Box<dyn Write>>,
}

impl Printer {
    /// Creates a printer. Styles are used if the output is a terminal that supports them.
    pub(super) fn new(output: OutputFormat) -> Self {
        Self {
            output,
            is_terminal: io::stdout().is_terminal(),
            to: BufWriter::new(Box::new(anstream::stdout())),
        }
    }

    /// Creates a printer that owns the standard output: the prints of tools go to the standard error.
    pub(super) fn exclusive(output: OutputFormat) -> io::Result<Self> {
        let is_terminal = io::stdout().is_terminal();
        let to = toolwright_http::stdout::take()?;
        Ok(Self {
            output,
            is_terminal,
            to: BufWriter::new(Box::new(to)),
        })
    }

    /// Prints a line of foreign text: escaped for a terminal, unchanged for a program.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        if self.is_terminal {
            self.styled(&Printable::new(text).to_string())
        } else {
            self.styled(text)
        }
    }

    pub(super) fn styled(&mut self, text: &str) -> io::Result<()> {
        self.to.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            self.to.write_all(b"\n")?;
        }
        self.to.flush()
    }

    /// Prints JSON: indented for people, compact for programs.
    fn json(&mut self, text: &str) -> io::Result<()> {
        match (self.output, toolwright_json::Value::parse(text)) {
            (OutputFormat::Text, Ok(json)) => self.line(&json.to_lines()),
            _ => self.line(text),
        }
    }

    /// Prints the tools; with a tokenizer also what each takes.
    pub(super) fn list(
        &mut self,
        executor: &Executor,
        tools: &Toolset,
        tokenizer: Option<&str>,
    ) -> io::Result<Exit> {
        let tokenizer = match self::tokenizer(tokenizer) {
            Ok(tokenizer) => tokenizer,
            Err(exit) => return Ok(exit),
        };
        if self.output == OutputFormat::Json {
            let tokenizer = tokenizer.unwrap_or(Tokenizer::Bound);
            self.line(&definitions::tools_json(executor, tools, tokenizer))?;
            return Ok(Exit::Done);
        }
        let longest = summaries(tools)
            .map(|(def, _)| def.name.chars().count())
            .max();
        let width = longest.unwrap_or_default();
        // Writing to a string cannot fail.
        let mut text = String::new();
        for (def, words) in summaries(tools) {
            let gap = " ".repeat(width - def.name.chars().count().min(width));
            let (name, words) = (Printable::new(&def.name), Printable::new(&words));
            let _ = write!(text, "{NAME}{name}{NAME:#}{gap}  ");
            let _ = tokenizer.map(|by| write!(text, "{:>6}  ", def.tokens(by)));
            let _ = write!(text, "{words}");
            let group = tools.namespace(&def.name).map(Namespace::name);
            let _ = group.map(|group| write!(text, " [{group}]"));
            text.push('\n');
        }
        let _ = tokenizer.map(|by| writeln!(text, "{}", taken(tools, by)));
        self.styled(&text)?;
        Ok(Exit::Done)
    }

    /// Prints the tools that words find, the best first. No match is not a success.
    pub(super) fn search(
        &mut self,
        tools: &Toolset,
        words: &str,
        most: usize,
        cx: &Context,
    ) -> io::Result<Exit> {
        let found = tools.search(words, most, &cx.scope());
        if self.output == OutputFormat::Json {
            let found = found.iter().map(|found| {
                ObjectWriter::new()
                    .text("name", &found.def.name)
                    .json("score", &found.score.to_string())
                    .end()
            });
            self.line(&object([("found", list(found))]))?;
            return Ok(Exit::Done);
        }
        if found.is_empty() {
            print_error("no tool has these words");
            return Ok(Exit::Failed);
        }
        let names = found.iter().map(|found| found.def.name.chars().count());
        let width = names.max().unwrap_or_default();
        let mut text = String::new();
        for found in found {
            let name = &found.def.name;
            let gap = " ".repeat(width - name.chars().count().min(width));
            let line = found.def.description.lines().next().unwrap_or_default();
            let (name, line) = (Printable::new(name), Printable::new(line));
            let score = found.score;
            let _ = writeln!(text, "{NAME}{name}{NAME:#}{gap}  {score:.2}  {line}");
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
                print_error(&error.to_string());
                return Ok(Exit::Usage);
            }
        };
        let defs: Vec<_> = match name {
            Some(name) => match tools.get(name) {
                Some(tool) => vec![tool.def()],
                None => {
                    let call = ToolCall::new("", name, "{}");
                    let error = tools.validate(&call, &Context::new()).err();
                    let words = error.map(|error| error.to_string()).unwrap_or_default();
                    print_error(&words);
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
                    print_error(&format!("{}: {why}", def.name));
                }
            }
        }
        match (name, schemas.as_slice()) {
            (Some(_), []) => {}
            (Some(_), [(_, schema), ..]) => self.json(schema)?,
            (None, all) => {
                let members = all.iter().map(|(name, schema)| (*name, schema));
                self.json(&object(members))?;
            }
        }
        Ok(if is_refused { Exit::Failed } else { Exit::Done })
    }

    /// Prints what the dialects asked for would refuse, after the notices of tools that come from another server.
    pub(super) fn check(
        &mut self,
        tools: &Toolset,
        notices: &[Notice],
        asked: &ArgMatches,
    ) -> io::Result<Exit> {
        let tokenizer = match self::tokenizer(word(asked, "tokens")) {
            Ok(tokenizer) => tokenizer,
            Err(exit) => return Ok(exit),
        };
        let mut dialects = Vec::new();
        for target in asked.get_many::<String>("target").unwrap_or_default() {
            match target.parse::<Dialect>() {
                _ if target == "all" => dialects.extend(Dialect::ALL),
                Ok(dialect) => dialects.push(dialect),
                Err(error) => {
                    print_error(&error.to_string());
                    return Ok(Exit::Usage);
                }
            }
        }
        let reports: Vec<_> = dialects
            .iter()
            .map(|dialect| tools.check(*dialect))
            .collect();
        let is_complete = !notices
            .iter()
            .any(|notice| notice.kind == NoticeKind::Refused);
        let is_accepted = is_complete && reports.iter().all(Report::is_accepted);
        match self.output {
            OutputFormat::Json => {
                let tokens = tokenizer.map(|by| (by, definitions::tokens(tools, by)));
                self.line(&list(
                    reports.iter().map(|one| report(one, notices, tokens)),
                ))?;
            }
            OutputFormat::Text => {
                for notice in notices {
                    self.line(&notice.to_string())?;
                }
                // What several dialects have in common is said once.
                let mut said = HashSet::new();
                for mut report in reports {
                    report.problems.retain(|problem| {
                        problem.severity == Severity::Error || said.insert(problem.to_string())
                    });
                    self.line(&report.to_string())?;
                }
                if let Some(tokenizer) = tokenizer {
                    self.line(&taken(tools, tokenizer))?;
                }
            }
        }
        Ok(if is_accepted {
            Exit::Done
        } else {
            Exit::Failed
        })
    }

    /// Prints the reply of a call. The tools say how the arguments of a pending one are shown.
    pub(super) fn reply(&mut self, reply: &Reply, tools: &Toolset) -> io::Result<()> {
        let json = self.output == OutputFormat::Json;
        match reply {
            Reply::Answered(result) if json => self.line(&answer::result_json(result, None)),
            Reply::Answered(result) => self.answered(result),
            Reply::Pending(pending) if json => {
                self.line(&answer::pending_json(pending, tools, None))
            }
            Reply::Pending(pending) => {
                print_pending(pending, tools);
                if !matches!(pending.reason, PendingReason::OutcomeUnknown(_)) {
                    anstream::eprintln!("  with `--approve` it runs");
                }
                Ok(())
            }
        }
    }

    fn answered(&mut self, result: &ToolResult) -> io::Result<()> {
        for repair in &result.repairs {
            print_note("note", &repair.to_string());
        }
        match &result.outcome {
            Ok(Outcome::Content(content)) => self.line(&content.to_plain()),
            Ok(Outcome::AskUser { question, options }) => {
                print_question(question, options);
                Ok(())
            }
            Ok(Outcome::Open { note, .. }) => {
                print_note("it goes on", note);
                Ok(())
            }
            Ok(outcome) => {
                if let Outcome::Halt { reason, .. } = outcome {
                    print_note("the conversation would end", reason.as_str());
                }
                outcome.payload().map_or(Ok(()), |value| self.value(value))
            }
            Err(error) => {
                print_tool_error(error);
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

/// Prints a tool's question, with what it shows beside it.
pub(super) fn print_question(question: &str, options: &Map<String, Value>) {
    print_note("the tool asks", question);
    for (name, value) in options {
        let line = format!("{name}: {value}");
        anstream::eprintln!("  {}", Printable::new(&line));
    }
}

/// Returns the reason why a call waits, in words.
pub(super) fn reason_words(reason: &PendingReason) -> String {
    match reason {
        PendingReason::Decision(details) => match details_in_words(details) {
            Some(details) => format!("a person has to decide ({details})"),
            None => "a person has to decide".to_owned(),
        },
        PendingReason::OutcomeUnknown(error) => {
            format!("it may have taken effect, so a person has to decide: {error}")
        }
        PendingReason::Question(question) => format!("the tool asks: {}", question.text),
        PendingReason::Agent => "the agent that it runs waits".to_owned(),
        PendingReason::NotRun => "it has not run yet".to_owned(),
        _ => "a person or the host answers calls of this tool".to_owned(),
    }
}

/// Prints the reason why a call is pending, with the arguments that the tools show.
pub(super) fn print_pending(pending: &Pending, tools: &Toolset) {
    let why = reason_words(&pending.reason);
    let shown = pending.shown(tools).arguments.unwrap_or_default();
    let (why, shown) = (
        Printable::new(&why).one_line(),
        Printable::new(&shown).one_line(),
    );
    for repair in &pending.repairs {
        print_note("note", &repair.to_string());
    }
    let name = Printable::new(&pending.call.name).one_line();
    anstream::eprintln!("{NOTE}waits:{NOTE:#} {why}\n  tool: {name}\n  arguments: {shown}");
}

/// Prints an error.
pub(crate) fn print_error(words: &str) {
    anstream::eprintln!("{ERROR}error:{ERROR:#} {}", Printable::new(words));
}

pub(super) fn print_note(what: &str, words: &str) {
    anstream::eprintln!("{NOTE}{what}:{NOTE:#} {}", Printable::new(words));
}

fn print_tool_error(error: &ToolError) {
    for message in error.messages() {
        print_error(message);
    }
}

/// Returns the schema of a tool, as it is or lowered to a dialect.
fn schema(def: &ToolDef, dialect: Option<Dialect>) -> Result<String, String> {
    let Some(dialect) = dialect else {
        return Ok(def.input.as_json().to_owned());
    };
    match lower(&def.input, dialect) {
        Ok(lowered) => Ok(lowered.schema.unwrap_or_else(|| "null".to_owned())),
        Err(reject) => Err(reject.to_string()),
    }
}

/// Returns the tokenizer of this name, or prints those that there are.
fn tokenizer(name: Option<&str>) -> Result<Option<Tokenizer>, Exit> {
    let found = name.map(str::parse::<Tokenizer>).transpose();
    found.map_err(|error| {
        print_error(&error.to_string());
        Exit::Usage
    })
}

/// Says what the definitions take.
fn taken(tools: &Toolset, tokenizer: Tokenizer) -> String {
    let tokens = definitions::tokens(tools, tokenizer);
    let how = match tokenizer {
        Tokenizer::Bound => "at most ",
        Tokenizer::Claude | Tokenizer::Gemini => "about ",
        _ => "",
    };
    let later = if tools
        .definitions()
        .any(|def| tools.namespace(&def.name).is_some())
    {
        "; deferred ones only once they are loaded"
    } else {
        ""
    };
    format!("the definitions take {how}{tokens} tokens of a request, by {tokenizer}{later}")
}

fn report(report: &Report, notices: &[Notice], tokens: Option<(Tokenizer, usize)>) -> String {
    let problems = report.problems.iter().map(|problem| {
        let severity = match problem.severity {
            Severity::Error => "error",
            _ => "note",
        };
        ObjectWriter::new()
            .text("severity", severity)
            .maybe_text("tool", problem.tool.as_deref())
            .text("code", problem.code.as_str())
            .maybe_text("path", problem.path.as_deref())
            .text("message", &problem.message)
            .text("help", &problem.help)
            .end()
    });
    let said = notices.iter().map(|notice| {
        ObjectWriter::new()
            .text("tool", &notice.tool)
            .text("kind", notice.kind.as_str())
            .text("message", &notice.message)
            .end()
    });
    let said = (!notices.is_empty()).then(|| list(said));
    let object = ObjectWriter::new()
        .text("dialect", report.dialect.name())
        .json("accepted", &report.is_accepted().to_string())
        .json("problems", &list(problems))
        .maybe_json("notices", said.as_deref());
    let object = match tokens {
        Some((tokenizer, tokens)) => object
            .json("tokens", &tokens.to_string())
            .text("tokenizer", tokenizer.name()),
        None => object,
    };
    object.end()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use super::*;

    /// Captured output.
    #[derive(Clone, Default)]
    struct CapturedOutput(Arc<Mutex<Vec<u8>>>);

    impl Write for CapturedOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Control characters from a tool are escaped on a terminal, and unchanged for a program.
    #[test]
    fn a_terminal_shows_what_a_tool_says_and_does_not_do_it() -> io::Result<()> {
        let said = "a\tb\n\u{1b}]0;x\u{7}\u{202e}";
        for (is_terminal, expected) in [
            (false, "a\tb\n\u{1b}]0;x\u{7}\u{202e}\n"),
            (true, "a\tb\n\\u{1b}]0;x\\u{7}\\u{202e}\n"),
        ] {
            let written = CapturedOutput::default();
            let mut printer = Printer {
                output: OutputFormat::Text,
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
