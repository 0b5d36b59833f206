//! Everything that a provider would refuse or change in a toolset.

use std::collections::HashSet;
use std::fmt;

use crate::tool::Context;
use crate::toolset::Toolset;
use toolwright_provider::call::{ErrorKind, ToolCall, ToolDef};
use toolwright_provider::dialect::{
    Dialect, Limit, LowerError, LowerErrorCode, Lowered, Renames, lower_all, shares,
};
use toolwright_schema::decode::{Checker, RefusedDefault, Repairs, refused_defaults, schema_notes};
use toolwright_schema::keyword::{Keyword, Subschemas};
#[cfg(feature = "tracing")]
use toolwright_schema::panics::reported;
use toolwright_schema::read::{Ordered, read};
use toolwright_schema::shape::{Kind, Object};
use toolwright_schema::text::escaped;
use toolwright_schema::text::{Printable, find, name};

/// Report of the tools that a dialect's provider would refuse or change: [`Toolset::check`].
///
/// `Display` prints all of it, a line or two for each problem.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The dialect.
    pub dialect: Dialect,
    /// Number of tools.
    pub tools: usize,
    /// The problems: those of all tools together, then each tool's, in the toolset's order.
    pub problems: Vec<Problem>,
}

/// One problem of a toolset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Severity.
    pub severity: Severity,
    /// The tool's name; `None` for a problem of all tools.
    pub tool: Option<String>,
    /// Kind of problem.
    pub code: ProblemCode,
    /// Place in the tool's arguments, as in [`LowerError::path`]; `None` for the whole tool.
    pub path: Option<String>,
    /// Message: the problem in words.
    pub message: String,
    /// Help: the change to make; empty if none is needed.
    pub help: String,
}

/// Severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// The provider refuses it, or it should not be sent.
    Error,
    /// It is sent, with a difference worth knowing.
    Note,
}

/// Kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemCode {
    /// The dialect cannot express the arguments.
    Rejected(LowerErrorCode),
    /// A request holds too much of this.
    TooMany(Limit),
    /// A text holds invisible characters, which only a model reads.
    HiddenText,
    /// The bounds of a parameter or field refuse its default. Definitions leave it out; a call without the argument
    /// still gets it.
    RefusedDefault,
    /// The tool does not take the arguments of an example, or an argument does not take its own. Definitions leave out
    /// the arguments.
    RefusedExample,
    /// A description or the list's instructions name a tool that the set lacks.
    UnknownTool,
    /// The list's instructions name an argument that the tool lacks.
    UnknownArgument,
    /// The provider gets another name.
    Renamed,
    /// A description is longer than the provider is known to have taken.
    LongDescription,
    /// The only argument is a struct, so a model writes one object inside of another.
    NestedArguments,
    /// Requests leave the tool out, since others wrote its schema and the provider refuses it.
    LeftOut,
    /// A part of a run-time schema, or of one that a function returns, is not checked, or is read by its probable meaning. The
    /// path is a JSON pointer into the schema, behind the path of the argument that it describes.
    Lenient,
}

impl ProblemCode {
    /// Returns the stable name: that of the rejection, `too_many_` and the limit's name, `hidden_text`,
    /// `refused_default`, `refused_example`, `unknown_tool`, `unknown_argument`, `renamed`, `long_description`,
    /// `nested_arguments`, `left_out`, `lenient`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rejected(code) => code.as_str(),
            Self::TooMany(limit) => limit.too_many(),
            Self::HiddenText => "hidden_text",
            Self::RefusedDefault => "refused_default",
            Self::RefusedExample => "refused_example",
            Self::UnknownTool => "unknown_tool",
            Self::UnknownArgument => "unknown_argument",
            Self::Renamed => "renamed",
            Self::LongDescription => "long_description",
            Self::NestedArguments => "nested_arguments",
            Self::LeftOut => "left_out",
            Self::Lenient => "lenient",
        }
    }
}

impl ProblemCode {
    fn severity(self) -> Severity {
        match self {
            Self::Renamed
            | Self::LongDescription
            | Self::NestedArguments
            | Self::LeftOut
            | Self::Lenient => Severity::Note,
            _ => Severity::Error,
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::TooMany(Limit::Tools) => "send the tools that a turn needs, and no others",
            Self::TooMany(_) => "send some of the tools without strictness",
            Self::HiddenText => "write the text anew, without it",
            Self::RefusedDefault => "change the default or the bounds, or make it an `Option`",
            Self::RefusedExample => "change the example: a model does as it is shown",
            Self::UnknownTool => "add it to the set, or take the link out of the doc comment",
            Self::LongDescription => "say it in fewer words",
            Self::NestedArguments => {
                "mark it `#[arg(flatten)]`, and its fields are the tool's arguments"
            }
            _ => "",
        }
    }
}

impl Problem {
    /// Makes a problem of a tool, or of all tools, with the severity and the help of its code.
    pub(super) fn new<'n>(
        tool: impl Into<Option<&'n str>>,
        code: ProblemCode,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity: code.severity(),
            tool: tool.into().map(str::to_owned),
            code,
            path: None,
            message: message.into(),
            help: code.help().to_owned(),
        }
    }
}

impl Report {
    /// Returns true if the provider accepts all tools.
    pub fn is_accepted(&self) -> bool {
        self.errors().next().is_none()
    }

    /// Returns the errors.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        let is_error = |problem: &&Problem| problem.severity == Severity::Error;
        self.problems.iter().filter(is_error)
    }

    /// Returns the notes.
    pub fn notes(&self) -> impl Iterator<Item = &Problem> {
        let is_note = |problem: &&Problem| problem.severity == Severity::Note;
        self.problems.iter().filter(is_note)
    }

    fn rejected(&mut self, tool: &str, reject: LowerError) {
        let what = match reject.code {
            LowerErrorCode::RootNotObject
            | LowerErrorCode::RootUnion
            | LowerErrorCode::OpenObject => "the arguments",
            _ => "what stands there",
        };
        let message = format!("{what}{}", reject.code.words());
        self.problems.push(Problem {
            path: Some(reject.path),
            help: reject.help,
            ..Problem::new(tool, ProblemCode::Rejected(reject.code), message)
        });
    }

    fn about(&mut self, def: &ToolDef, code: ProblemCode, message: impl Into<String>) {
        self.problems.push(Problem::new(&*def.name, code, message));
    }

    /// Checks the limits of one request against the sums over all tools that it may have: of deferred ones those with the
    /// largest shares, as many as are loaded at once.
    fn quantities(&mut self, tools: &Toolset, lowered: &[(bool, Lowered)]) {
        let dialect = self.dialect;
        if let Some(most) = dialect.most_tools() {
            self.too_many(Limit::Tools, tools.most_sent(), most);
            return;
        }
        for share in shares(dialect) {
            let of = |deferred: bool| {
                let tools = lowered
                    .iter()
                    .filter(move |(is_deferred, _)| *is_deferred == deferred);
                tools.map(|(_, lowered)| (share.of)(lowered))
            };
            let mut loaded: Vec<usize> = of(true).collect();
            loaded.sort_unstable_by(|one, other| other.cmp(one));
            let loaded: usize = loaded.iter().take(tools.most_loaded()).sum();
            self.too_many(share.limit, of(false).sum::<usize>() + loaded, share.most);
        }
    }

    fn too_many(&mut self, limit: Limit, total: usize, most: usize) {
        if total > most {
            let message = format!("{total} {limit}, and one request may hold {most}");
            let problem = Problem::new(None, ProblemCode::TooMany(limit), message);
            self.problems.push(problem);
        }
    }

    /// Checks a tool's texts for invisible characters.
    fn texts(&mut self, def: &ToolDef) {
        let own = [
            ("name", Some(&def.name)),
            ("title", def.title.as_ref()),
            ("description", Some(&def.description)),
        ];
        for (what, text) in own {
            if let Some(found) = text.and_then(|text| hidden(text)) {
                self.hidden(&def.name, None, what, found);
            }
        }
        for (schema, side) in [(Some(&def.input), ""), (def.output.as_ref(), "output")] {
            if let Some(schema) = schema {
                let schema = read(schema.as_json()).unwrap_or(Ordered::Bool(true));
                self.schema(&def.name, &schema, side);
            }
        }
    }

    /// Checks the texts of a schema and its subschemas.
    fn schema(&mut self, tool: &str, schema: &Ordered, path: &str) {
        let Ordered::Object(entries) = schema else {
            return;
        };
        for (keyword, value) in entries {
            let holds = Keyword::of(keyword).map_or(Subschemas::None, Keyword::subschemas);
            let start = match holds {
                Subschemas::Definitions => Some(format!("{path}#/{keyword}")),
                Subschemas::Map => Some(path.to_owned()),
                _ => None,
            };
            match (holds, value, start) {
                (_, Ordered::Object(inner), Some(start)) => {
                    for (name, schema) in inner {
                        let part = escaped(name);
                        if let Some(found) = hidden(name) {
                            self.hidden(tool, Some(start.clone()), "name of a key", found);
                        }
                        self.schema(tool, schema, &format!("{start}/{part}"));
                    }
                }
                (Subschemas::Schema | Subschemas::SchemaOrList, Ordered::Object(_), _) => {
                    self.schema(tool, value, &format!("{path}/*"));
                }
                (Subschemas::List | Subschemas::SchemaOrList, Ordered::Array(members), _) => {
                    for (index, member) in members.iter().enumerate() {
                        self.schema(tool, member, &format!("{path}/?{index}"));
                    }
                }
                _ => {
                    if let Some(found) = hidden(keyword).or_else(|| hidden_in(value)) {
                        self.hidden(tool, Some(path.to_owned()), keyword, found);
                    }
                }
            }
        }
    }

    fn hidden(&mut self, tool: &str, path: Option<String>, what: &str, char: char) {
        let (what, kind) = (Printable::new(what).one_line(), name(char));
        let message = format!(
            "the {what} holds U+{:04X}, {kind}, which a model reads and a person does not see",
            u32::from(char)
        );
        let path = path.map(|path| {
            if path.is_empty() {
                "/".to_owned()
            } else {
                path
            }
        });
        self.problems.push(Problem {
            path,
            ..Problem::new(tool, ProblemCode::HiddenText, message)
        });
    }

    fn defaults(&mut self, def: &ToolDef) {
        let shape = def.input.input_shape();
        for RefusedDefault { path, json, fault } in shape.into_iter().flat_map(refused_defaults) {
            let fault = fault.message;
            let message = format!("the default {json} is refused by its own bounds: {fault}");
            self.problems.push(Problem {
                path: Some(path),
                ..Problem::new(&*def.name, ProblemCode::RefusedDefault, message)
            });
        }
    }

    /// Notes the unchecked parts of schemas that arrived at run time, or that functions return.
    fn leniences(&mut self, def: &ToolDef) {
        let notes = match def.input.input_shape() {
            Some(shape) => schema_notes(shape),
            // No limit on size: the schema is in memory already.
            None => match Checker::of(def.input.as_json(), usize::MAX) {
                Ok(checker) => checker.notes().cloned().collect(),
                Err(_) => return,
            },
        };
        self.problems.extend(notes.into_iter().map(|note| Problem {
            path: Some(note.at),
            ..Problem::new(&*def.name, ProblemCode::Lenient, note.message)
        }));
    }

    fn tool(&mut self, def: &ToolDef, renames: &Renames) {
        self.texts(def);
        self.defaults(def);
        self.leniences(def);
        self.problems.extend(refused_examples(def));
        if let Some(told) = renames.to_provider(&def.name)
            && told != def.name
        {
            let message = format!("the provider does not take the name, and is told `{told}`");
            self.about(def, ProblemCode::Renamed, message);
        }
        if let Some(name) = only_struct(def) {
            let message = format!("`{name}` is the only argument, and an object");
            self.about(def, ProblemCode::NestedArguments, message);
        }
        if let Some(most) = self.dialect.longest_description()
            && let len = def.description.chars().count()
            && len > most
        {
            let message = format!(
                "the description has {len} characters, and more than {most} have been refused"
            );
            self.about(def, ProblemCode::LongDescription, message);
        }
    }
}

/// Returns the problems of the examples, if the tool's schema was known when the program compiled.
fn refused_examples(def: &ToolDef) -> impl Iterator<Item = Problem> {
    let refused = def.refused_examples().into_iter();
    refused.map(|RefusedDefault { path, json, fault }| {
        let path = Some(path).filter(|path| !path.is_empty());
        refused_example(def, path, &json, &fault)
    })
}

fn refused_example(
    def: &ToolDef,
    path: Option<String>,
    json: &str,
    why: &dyn fmt::Display,
) -> Problem {
    let message = format!("the example {json} is refused: {why}");
    Problem {
        path,
        ..Problem::new(&*def.name, ProblemCode::RefusedExample, message)
    }
}

/// Returns the only argument of a tool, if it is a struct.
fn only_struct(def: &ToolDef) -> Option<&str> {
    let Kind::Object(Object {
        fields: [field], ..
    }) = def.input.shape()?.kind
    else {
        return None;
    };
    let is_struct = matches!(field.shape.kind, Kind::Object(_)) && !field.flatten;
    is_struct.then_some(field.name)
}

/// Returns the first invisible character of a text.
fn hidden(text: &str) -> Option<char> {
    find(text).map(|(_, char)| char)
}

/// Returns the first invisible character of a value.
fn hidden_in(value: &Ordered) -> Option<char> {
    match value {
        Ordered::String(text) => hidden(text),
        Ordered::Array(items) => items.iter().find_map(hidden_in),
        Ordered::Object(entries) => entries
            .iter()
            .find_map(|(key, value)| hidden(key).or_else(|| hidden_in(value))),
        _ => None,
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Note => "note",
        })
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.severity)?;
        // A name from elsewhere may hold anything.
        if let Some(tool) = &self.tool {
            write!(f, ": {}", Printable::new(tool).one_line())?;
        }
        if let Some(path) = &self.path {
            write!(f, ": {}", Printable::new(path).one_line())?;
        }
        write!(f, ": {}: {}", self.code, Printable::new(&self.message))?;
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", Printable::new(&self.help))?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dialect, tools, .. } = self;
        let word = if *tools == 1 { "tool" } else { "tools" };
        let errors = self.errors().count();
        if errors == 0 {
            write!(f, "{dialect} accepts {tools} {word}")?;
        } else {
            write!(f, "{dialect} does not accept ")?;
            let refused: HashSet<_> = self.errors().map(|error| error.tool.as_ref()).collect();
            // An error of no tool is one of all.
            match refused.len() {
                refused if refused < *tools && !self.errors().any(|error| error.tool.is_none()) => {
                    write!(f, "{refused} of {tools} {word}")?;
                }
                _ => write!(f, "{tools} {word}")?,
            }
            let word = if errors == 1 { "error" } else { "errors" };
            write!(f, ": {errors} {word}")?;
        }
        for problem in &self.problems {
            write!(f, "\n{problem}")?;
        }
        Ok(())
    }
}

impl Toolset {
    /// Reports all problems that a dialect's provider would have with these tools. It includes everything that `tools!`
    /// with `targets` refuses at compile time, and problems that only the running program knows: schemas that the
    /// compiler cannot see, and tools from elsewhere.
    ///
    /// A request is assumed to have the deferred tools that cost most, as many as [are loaded](LoadOptions::at_most) at
    /// once.
    ///
    /// For a strict mode, all tools are checked as strict ones. [`Wire::definitions_in`] sends some without strictness,
    /// and notes it.
    ///
    /// ```
    /// use toolwright::{Dialect, DynTool, ToolDef, Toolset, schema::SchemaDoc};
    ///
    /// let mut def = ToolDef::new("store", "Stores.");
    /// def.input = SchemaDoc::parse(r#"{"type": "object", "properties": {"record": false}}"#).unwrap();
    /// let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    /// assert!(tools.check(Dialect::Mcp20260728).is_accepted());
    /// assert_eq!(
    ///     tools.check(Dialect::OpenAiStrict).to_string(),
    ///     "openai_strict does not accept 1 tool: 1 error
    /// error: store: /record: false_schema: what stands there can have no value
    ///   help: no value fits `false`: leave the key out"
    /// );
    /// ```
    ///
    /// [`Wire::definitions_in`]: crate::Wire::definitions_in
    pub fn check(&self, dialect: Dialect) -> Report {
        let mut report = Report {
            dialect,
            tools: self.iter().len(),
            problems: Vec::new(),
        };
        let renames = Renames::new(dialect, self.definitions().map(|def| &*def.name));
        let mut accepted = Vec::new();
        for entry in self.entries() {
            let def = entry.def();
            match lower_all(&def.input, dialect) {
                Ok(lowered) => accepted.push((entry.is_deferred(), lowered)),
                Err(rejects) => {
                    for reject in rejects {
                        report.rejected(&def.name, reject);
                    }
                }
            }
            report.tool(def, &renames);
            if entry.is_left_out(dialect) {
                let message = "requests leave the tool out; the other tools work";
                report.about(def, ProblemCode::LeftOut, message);
            }
            if def.input.input_shape().is_none() {
                report.problems.extend(self.examples_at_run_time(def));
            }
            for own in def.mentions() {
                if !self.definitions().any(|def| def.own_name() == own) {
                    let message = format!("the description names `{own}`, which the set lacks");
                    report.about(def, ProblemCode::UnknownTool, message);
                }
            }
        }
        for instructions in &self.set.inherited.instructions {
            if let Err(refused) = instructions.render(self) {
                report.problems.extend_from_slice(refused.problems());
            }
        }
        // Problems of all tools come first.
        let of_tools = std::mem::take(&mut report.problems);
        report.quantities(self, &accepted);
        report.problems.extend(of_tools);
        report
    }

    /// Returns the problems of the examples of a tool whose schema arrived at run time: the tool checks them.
    fn examples_at_run_time(&self, def: &ToolDef) -> impl Iterator<Item = Problem> {
        let cx = Context::new().with_repairs(Repairs::None);
        def.examples.iter().filter_map(move |example| {
            let call = ToolCall::new("", &*def.name, &*example.arguments);
            let error = self.validate(&call, &cx).err()?;
            // A tool that cannot be called here is another problem.
            (error.kind() == ErrorKind::InvalidArgs)
                .then(|| refused_example(def, None, &example.arguments, &error))
        })
    }

    /// Checks the examples of compiled tools where a program starts to offer the tools.
    ///
    /// # Errors
    /// When a tool refuses an example, in a build with `debug_assertions`. Other builds warn by `tracing`.
    #[doc(hidden)]
    pub fn check_examples(&self) -> Result<(), String> {
        let problems = self.definitions().flat_map(refused_examples);
        let problems: Vec<_> = problems.map(|problem| problem.to_string()).collect();
        if problems.is_empty() {
            return Ok(());
        }
        let text = problems.join("\n");
        if cfg!(debug_assertions) {
            return Err(text);
        }
        #[cfg(feature = "tracing")]
        reported("a subscriber", || tracing::warn!("{text}"));
        Ok(())
    }
}
