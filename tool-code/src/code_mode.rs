//! The tool that runs programs, and its builder.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde::Deserialize;
use toolwright::agent::{Agent, AgentTool};
use toolwright::args::Arena;
use toolwright::call::{Answer, BoxFuture, Call, Payload, WrapTool};
use toolwright::layers::{Approval, Handled, Layer, Next, Request};
use toolwright::schema::SchemaDoc;
use toolwright::{Context, Executor, Outcome, Schema, Tool, ToolDef, ToolError, Toolset};

use crate::answers::ENCODER;
use crate::engine::Ended;
use crate::interpreter::Interpreter;
use crate::limits::Limits;
use crate::program::{Clock, LIVE, Program, Rejection, Slot};
use crate::{search, signature, stubs, worker};

/// Calls of one `gather` that run at once.
const AT_ONCE: usize = 8;
/// What the model reads before the functions.
const ABOUT: &str = "Runs a Python program that calls the functions below, and returns its last expression as `value`, and what it \
    prints. Prefer one program over many calls. `await` every function, at the top level too; independent calls run at once by \
    `await asyncio.gather(f(1), g(2))` (`import asyncio`). A failed call raises an exception with the reason. Return what you need, \
    not everything: values are JSON. Nothing is kept between programs. There are `asyncio.gather`, `datetime`, `json`, `math`, `re`, \
    `itertools`, `collections` and `dataclasses`; no files, no network, no other packages, and no `match`, `yield`, \
    `random`, `time`, `asyncio.sleep`, `asyncio.create_task`, or arguments of `gather` by name.";
/// Builder of a tool that runs programs over other tools.
///
/// ```
/// use std::sync::Arc;
/// use toolwright::{Tool, tool, tools};
/// use toolwright_code::{CodeMode, Interpreter};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// toolwright_code::worker();
/// let run_code: Arc<dyn Tool> = CodeMode::new(&tools![add]).build().unwrap();
/// assert!(run_code.def().description.contains("async def add(a: int, b: int) -> int:"));
/// ```
#[must_use = "it is not a tool until `build` is called"]
pub struct CodeMode {
    tools: Toolset,
    executor: Box<dyn FnOnce(Toolset) -> Executor>,
    limits: Limits,
    rejection: Rejection,
    interpreter: Option<Interpreter>,
    environment: Vec<String>,
    clock: Arc<Clock>,
    name: String,
    is_searching: bool,
}

/// Error of [`CodeMode::build`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeModeError(String);

impl fmt::Display for CodeModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for CodeModeError {}

// Callers hand it on as it is.
#[allow(clippy::needless_pass_by_value)]
fn error(words: impl ToString) -> CodeModeError {
    CodeModeError(words.to_string())
}

/// A program.
#[derive(Deserialize, Schema)]
struct Code {
    /// The Python program
    code: String,
}

impl CodeMode {
    /// Begins a tool that runs programs over these tools.
    pub fn new(tools: &Toolset) -> Self {
        Self {
            tools: tools.clone(),
            executor: Box::new(|tools| {
                Executor::parallel(tools, AT_ONCE)
                    .layer(ShowProgram)
                    .layer(Approval::default())
            }),
            limits: Limits::default(),
            rejection: Rejection::default(),
            interpreter: None,
            environment: Vec::new(),
            clock: Arc::new(SystemTime::now),
            name: "run_code".to_owned(),
            is_searching: false,
        }
    }

    /// Sets the executor of the calls in programs. Default: eight calls at once, with [`ShowProgram`] and `Approval::default()`.
    /// The approvals of the agent that runs the tool are about the whole program, and not about its calls.
    pub fn executor(self, make: impl FnOnce(Toolset) -> Executor + 'static) -> Self {
        Self {
            executor: Box::new(make),
            ..self
        }
    }

    /// Sets the limits of a program.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the effect of a rejected call on its program. Default: [`Rejection::EndsProgram`].
    pub fn rejection(self, rejection: Rejection) -> Self {
        Self { rejection, ..self }
    }

    /// Sets where programs run. Default: [`Interpreter::Process`].
    pub fn interpreter(self, interpreter: Interpreter) -> Self {
        Self {
            interpreter: Some(interpreter),
            ..self
        }
    }

    /// Passes variables of the host's environment to the interpreter's process, by their names. Default: none. A program cannot
    /// read them.
    pub fn environment<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        Self {
            environment: names.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// Sets the clock that programs read by `datetime.now()`: when they begin, and when they go on. What it returns is part of the
    /// session, so a program reads the same times again. Default: the system's, in UTC.
    pub fn clock(self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self {
            clock: Arc::new(clock),
            ..self
        }
    }

    /// Sets the tool's name. Default: `run_code`.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// Leaves the functions out of the description, for many tools. A program finds them by the tool `find_tools`, which is added to
    /// those of the executor.
    pub fn search(self) -> Self {
        Self {
            is_searching: true,
            ..self
        }
    }

    /// Builds the tool. Its description has the functions that every conversation sees. A conversation that sees more can call them.
    ///
    /// # Errors
    /// Fails if a tool's name is not possible in Python or two names are equal there, and if programs would run in a process of
    /// this executable that never called [`worker`](crate::worker), or on a system that does not limit the memory of a process.
    ///
    /// # Panics
    /// If a tool refuses its own example, in a build with `debug_assertions`.
    pub fn build(self) -> Result<Arc<dyn Tool>, CodeModeError> {
        self.build_for(&Context::new())
    }

    /// Builds the tool with the functions that the conversation of this context sees in its description: for a
    /// [catalog](toolwright::executor::Source::catalog), whose tools depend on who asks.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_for(self, cx: &Context) -> Result<Arc<dyn Tool>, CodeModeError> {
        let interpreter = self.checked_interpreter()?;
        let mut tools = self.tools;
        let searching = search::tools();
        if self.is_searching {
            tools = tools.merge(&searching).map_err(error)?;
        }
        let executor = (self.executor)(tools.clone());
        let seen = executor.tools(cx);
        if self.is_searching && seen.get(search::NAME).is_none() {
            return Err(error(
                "the executor lacks `find_tools`, which is among the tools that it is given",
            ));
        }
        for tools in [&tools, &seen] {
            signature::functions(tools, |_| true).map_err(error)?;
        }
        let described = if self.is_searching { &searching } else { &seen };
        let functions = stubs::stubs(described);
        let program = Program {
            interpreter,
            environment: self.environment,
            limits: self.limits,
            rejection: self.rejection,
            clock: self.clock,
        };
        let agent = Agent::with_executor(program, executor.clone()).encoder(ENCODER);
        // Programs end by their own limits.
        let agent = agent.max_turns(u32::MAX).max_steps(u32::MAX);
        let inner = AgentTool::new(agent, self.name, format!("{ABOUT}\n\n{functions}")).build();
        let inner = inner.map_err(error)?;
        let mut def = inner.def().clone();
        def.input = SchemaDoc::of::<Code>();
        def.options.annotations.destructive = Some(false);
        def.options.annotations.open_world = Some(true);
        let limits = self.limits;
        Ok(Arc::new(CodeTool {
            inner,
            def,
            limits,
            executor,
        }))
    }

    fn checked_interpreter(&self) -> Result<Interpreter, CodeModeError> {
        worker::exit_if_marked();
        let wrong = |words: &str| Err(error(words));
        match &self.interpreter {
            Some(Interpreter::Process) | None if !worker::is_ready() => wrong(
                "programs run in a process of this executable, whose `main` must begin with `toolwright_code::worker()`; or choose \
                 another `interpreter`",
            ),
            None if !worker::LIMITS_MEMORY => wrong(
                "this system does not limit the memory of a process: choose an `interpreter` explicitly",
            ),
            chosen => Ok(chosen.clone().unwrap_or_default()),
        }
    }
}

/// The tool, around the agent whose model is the program.
struct CodeTool {
    inner: Arc<dyn Tool>,
    def: ToolDef,
    limits: Limits,
    executor: Executor,
}

/// A program that runs, for its layers and tools.
pub(crate) struct RunningCode {
    code: String,
    pub(crate) executor: Executor,
}

impl CodeTool {
    fn code(&self, call: &Call<'_>) -> Result<String, ToolError> {
        let Code { code } = call.decode()?;
        let most = self.limits.source;
        if code.len() > most {
            let words = format!("the program is longer than {most} bytes: split it");
            return Err(ToolError::failed(words));
        }
        Ok(code)
    }

    async fn run(&self, code: String, cx: Context) -> Result<Outcome, ToolError> {
        let input = serde_json::json!({ "input": code }).to_string();
        let executor = self.executor.clone();
        let cx = cx.with(RunningCode { code, executor });
        let arena = Arena::default();
        let answer = match self.inner.call(Call::new(&input, &arena, &cx)) {
            Answer::Ready(answer) => answer,
            Answer::Later(later) => LIVE.scope(Slot::default(), later).await,
        };
        match answer {
            Ok(Outcome::Value(text)) => {
                let text = text.to_plain();
                let ended: Ended = serde_json::from_str(&text).map_err(|error| {
                    ToolError::failed("the program has no result").with_source(error)
                })?;
                match failure(ended) {
                    Some(error) => Err(error),
                    None => Ok(Outcome::Value(Payload::json(text.into_owned()))),
                }
            }
            // Of an agent inside. An answer would become the result of the whole program.
            Ok(Outcome::AskUser { question, .. }) => {
                let words = "a call of the program asks a question, and nobody can be asked here: ";
                Err(ToolError::failed(format!("{words}{question}")).permanent())
            }
            other => other,
        }
    }
}

/// Returns the error of a program as the model reads it.
fn failure(ended: Ended) -> Option<ToolError> {
    let printed = Some(ended.printed).filter(|printed| !printed.is_empty());
    let printed = printed.map(|printed| format!("printed before:\n{printed}"));
    let more = printed.into_iter().chain(ended.warning);
    let error = ToolError::failed(ended.error?);
    Some(more.fold(error, ToolError::with_message))
}

impl WrapTool for CodeTool {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.inner
    }

    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match self.code(&call) {
            Ok(code) => Answer::later(self.run(code, call.context())),
            Err(error) => Answer::Ready(Err(error)),
        }
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        self.code(&call).map(drop)
    }
}

/// Layer that shows the program beside a call of it that waits, as the member `program` of its details. It stands outside of the
/// layer that asks.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShowProgram;

impl Layer for ShowProgram {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let cx = request.context().clone();
            let mut handled = next.run(request).await;
            if let (Handled::Wait(details), Some(running)) = (&mut handled, cx.get::<RunningCode>())
                && let Some(details) = details.as_object_mut()
            {
                details.insert("program".to_owned(), running.code.as_str().into());
            }
            handled
        })
    }
}
