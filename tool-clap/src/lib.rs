//! Tools made of a [clap](https://docs.rs/clap) program: each subcommand is a tool of Toolwright.
//!
//! [`tools_of`] reads a [`Command`]. Options, flags, counts and positional arguments become the schema of the tool, and the
//! help becomes its description. A call runs the program as a [child process](Process), or a
//! [handler](ClapImport::handler_sync) of the parsed [`ArgMatches`].
//!
//! ```
//! use clap::{CommandFactory, FromArgMatches, Parser};
//! use toolwright::{Context, ToolCall, ToolError};
//! use toolwright_clap::tools_of;
//!
//! #[derive(Parser)]
//! enum Cli {
//!     /// Lists the orders of a customer.
//!     Orders {
//!         /// Name of the customer.
//!         customer: String,
//!         /// Most orders to list.
//!         #[arg(long, default_value_t = 20)]
//!         limit: u16,
//!     },
//! }
//!
//! let import = tools_of(Cli::command())
//!     .annotate(|name, options| match name {
//!         "orders" => options.read_only(true).destructive(false),
//!         _ => options,
//!     })
//!     .handler_sync(|matches, _cx| match Cli::from_arg_matches(&matches) {
//!         Ok(Cli::Orders { customer, limit }) => Ok(format!("{limit} orders of {customer}")),
//!         Err(error) => Err(ToolError::failed(error.to_string())),
//!     });
//! for notice in &import.notices {
//!     eprintln!("{notice}");
//! }
//!
//! let call = ToolCall::new("1", "orders", r#"{"customer": "--limit=1", "limit": 5}"#);
//! let result = import.tools.call_blocking(&call, &Context::new());
//! assert_eq!(result.value(), Some("5 orders of --limit=1".into()));
//! ```
//!
//! # Values
//!
//! A value never becomes another argument. An option is one word, `--limit=5`, and positional arguments follow `--`. A value
//! with a NUL is refused. Before a tool runs, and before its call is approved, clap parses the words in this process. The
//! call is refused if clap refuses them, or reads anything but the values of the call: a value that holds the delimiter of a
//! list, for example.
//!
//! # What is left out
//!
//! Each of these is a [`Notice`]:
//!
//! - Hidden subcommands and arguments. Use [`Command::mut_arg`] and [`Command::mut_subcommand`] to hide more.
//! - Arguments with a default in the environment, such as access tokens: the host sets them.
//! - Subcommands that serve, or write completions, with all below them. Their name or an alias has the word `serve`, `daemon`,
//!   `mcp`, `lsp`, `completion` or `completions`, or is `server`, `start-server` or the like. [`ClapImport::offer`] takes them in.
//! - Options without a long name, options that take several words at once, and positional arguments that cannot follow `--`.
//! - Arguments of an outer command that have the name of an inner one.
//! - Subcommands that a command takes without declaring them.
//!
//! `help` and the flags for help and version are left out without a notice. A subcommand that requires an argument of
//! these kinds is left out, unless the environment sets the argument.
//!
//! # What the schema says
//!
//! Types are those of clap's own parsers: integers with the bounds of their type, numbers, booleans, enums of possible
//! values. Any other type is a string, as are numbers whose parser refuses plain numbers. Ranges are not readable from
//! outside of clap, so that its check alone enforces them. Requirements and conflicts are sentences in descriptions, which
//! every provider accepts, and are enforced by the check.

mod argument;
mod notice;
mod process;
mod read;
mod words;

use std::any::Any;
use std::error::Error;
use std::fmt::{Debug, Display};
use std::future::{Future, ready};
use std::sync::Arc;

use clap::{ArgMatches, Command};
use serde_json::{Map, Value};
use toolwright::call::{Annotations, ErrorKind, Output};
use toolwright::schema::SchemaDoc;
use toolwright::text::portable_name;
use toolwright::toolset::DynToolBuilder;
use toolwright::{Context, DynTool, Outcome, Tool, ToolDef, ToolError, ToolOptions, Toolset};

pub use notice::{Notice, NoticeKind};
pub use process::Process;
use read::Leaf;

/// Reads a clap program. Each subcommand becomes a tool, named by its path: `remote add` is `remote_add`. A program without
/// subcommands is one tool. So is a command that also runs without its subcommands.
///
/// # Panics
///
/// As clap does in debug builds, if the command contradicts itself.
pub fn tools_of(command: Command) -> ClapImport {
    ClapImport {
        command,
        offered: Vec::new(),
        annotate: Box::new(|_, options| options),
    }
}

/// Settings of an import; see [`tools_of`].
#[must_use = "it has no tools until `process` or a handler is set"]
pub struct ClapImport {
    command: Command,
    offered: Vec<String>,
    annotate: Box<Annotate>,
}

type Annotate = dyn Fn(&str, ToolOptions) -> ToolOptions;

/// Tools of a clap program, in its order, and notices of what was left out or changed.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClapTools {
    /// The tools. Empty if no subcommand can be one.
    pub tools: Toolset,
    /// What was left out or changed.
    pub notices: Vec<Notice>,
}

impl ClapImport {
    /// Offers a subcommand that is left out because of its name, such as `serve`, with all below it. `name` is the name of
    /// the tool. That of a subcommand below, such as `mcp_list`, offers that one alone.
    pub fn offer(mut self, name: impl Into<String>) -> Self {
        self.offered.push(name.into());
        self
    }

    /// Changes the options of tools, by name. Default: every tool is destructive and open-world, and has the time limit of
    /// its process. Calls with an unknown effect should keep that caution: an approval policy decides by it.
    pub fn annotate(
        mut self,
        annotate: impl Fn(&str, ToolOptions) -> ToolOptions + 'static,
    ) -> Self {
        self.annotate = Box::new(annotate);
        self
    }

    /// Runs each call as a child process.
    pub fn process(self, process: Process) -> ClapTools {
        let process = Arc::new(process);
        let run = Arc::clone(&process);
        self.tools(Some(&process), move |tool, leaf| {
            let process = Arc::clone(&run);
            tool.handler(move |arguments: Map<String, Value>, _cx| {
                let (leaf, process) = (Arc::clone(&leaf), Arc::clone(&process));
                async move {
                    let words = leaf.words(&arguments).map_err(invalid)?;
                    process.run(leaf.name(), &words).await
                }
            })
        })
    }

    /// Runs each call by an asynchronous closure over the matches of the whole program, as `Command::get_matches` returns
    /// them.
    pub fn handler<F, R, T, E>(self, run: F) -> ClapTools
    where
        F: Fn(ArgMatches, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Output + Send + 'static,
        E: Display + Debug + Send + 'static,
    {
        let run = Arc::new(run);
        self.tools(None, move |tool, leaf| {
            let run = Arc::clone(&run);
            tool.handler(move |arguments: Map<String, Value>, cx| {
                let answer = leaf.matches(&arguments).map(|matches| run(matches, cx));
                async move {
                    match answer.map_err(invalid)?.await {
                        Ok(value) => Outcome::returned(value),
                        Err(error) => Err(tool_error(error)),
                    }
                }
            })
        })
    }

    /// Runs each call by a closure over the matches of the whole program.
    pub fn handler_sync<F, T, E>(self, run: F) -> ClapTools
    where
        F: Fn(ArgMatches, Context) -> Result<T, E> + Send + Sync + 'static,
        T: Output + Send + 'static,
        E: Display + Debug + Send + 'static,
    {
        self.handler(move |matches, cx| ready(run(matches, cx)))
    }

    fn tools(
        self,
        process: Option<&Process>,
        run: impl Fn(DynToolBuilder, Arc<Leaf>) -> DynToolBuilder,
    ) -> ClapTools {
        let (leaves, mut notices) = read::leaves(&self.command, &self.offered, process);
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for leaf in leaves {
            let leaf = Arc::new(leaf);
            let path = leaf.path();
            let refused = |why: String| Notice::of_command(&path, NoticeKind::CommandLeftOut, why);
            let name = portable_name(&leaf.name()).into_owned();
            if tools.iter().any(|tool| tool.def().name == name) {
                notices.push(refused(format!("another tool has the name `{name}`")));
                continue;
            }
            match self.tool(&name, &leaf, process, &run) {
                Ok(tool) => tools.push(tool),
                Err(error) => {
                    notices.push(refused(error.to_string()));
                    continue;
                }
            }
            if name != leaf.name() {
                let why = format!("its tool has the name `{name}`, since providers refuse its own");
                notices.push(Notice::of_command(&path, NoticeKind::Renamed, why));
            }
        }
        ClapTools {
            // The names differ.
            tools: Toolset::new(tools).unwrap_or_default(),
            notices,
        }
    }

    fn tool(
        &self,
        name: &str,
        leaf: &Arc<Leaf>,
        process: Option<&Process>,
        run: &impl Fn(DynToolBuilder, Arc<Leaf>) -> DynToolBuilder,
    ) -> Result<Arc<dyn Tool>, Box<dyn Error>> {
        let mut options = ToolOptions::new().annotations(Annotations {
            read_only: Some(false),
            destructive: Some(true),
            idempotent: Some(false),
            open_world: Some(true),
        });
        options.timeout = process.map(Process::executor_timeout);
        let mut def = ToolDef::new(name.to_owned(), leaf.description());
        def.input = SchemaDoc::parse(&leaf.schema())?;
        def.options = (self.annotate)(name, options);
        def.strip_hidden();
        let checked = Arc::clone(leaf);
        // The program has its own defaults.
        let tool = DynTool::builder().def(def).fill_defaults(false).validate(
            move |arguments: &Map<String, Value>| match checked.words(arguments) {
                Ok(_) => Ok(()),
                Err(message) => Err(vec![message]),
            },
        );
        Ok(run(tool, Arc::clone(leaf)).build()?)
    }
}

fn invalid(message: String) -> ToolError {
    ToolError::new(ErrorKind::InvalidArgs, message)
}

/// Converts an error of a handler: a [`ToolError`] stays as it is, and of any other the model reads the text.
fn tool_error<E: Display + Debug + 'static>(error: E) -> ToolError {
    let (message, detail) = (error.to_string(), format!("{error:?}"));
    let error: Box<dyn Any> = Box::new(error);
    match error.downcast() {
        Ok(error) => *error,
        Err(_) => ToolError::failed(message).with_debug(detail),
    }
}
