//! Tools of a toolset for agents of rig.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rig_core::completion::ToolDefinition;
use rig_core::tool::{DynamicTool, ToolContext, ToolExecutionError, ToolOutput};
use serde::Deserialize;
use serde_json::Value;
use toolwright::executor::{PendingReason, Reply};
use toolwright::wire::{DefinitionOptions, Definitions};
use toolwright::{Context, Dialect, Executor, ToolCall, ToolError, Toolset, Wire};

use crate::output::{failed, output_of};

/// Makes the context of a call of rig's.
type MakeContext = dyn Fn(&ToolContext) -> Context + Send + Sync;

/// Tools of a toolset for an agent of rig. Cheap to clone.
///
/// # Calls
/// Faults of the arguments and errors of tools, panics too, are failed results, which the model reads. A tool reads rig's
/// [`ToolContext`] as `cx.get::<ToolContext>()`. A call that waits for an approval or for an answer of a person is refused
/// in words.
#[derive(Clone)]
pub struct RigTools {
    executor: Executor,
    definitions: Definitions,
    declared: Arc<[ToolDefinition]>,
    context: Arc<MakeContext>,
    ids: Arc<CallIds>,
}

/// Ids of calls, since rig does not say its own to a tool. They differ in every process, so that no two calls share an
/// idempotency key.
struct CallIds {
    process: u64,
    next: AtomicU64,
}

/// Tool in the form that is read here, whatever provider rig writes it for.
#[derive(Deserialize)]
struct Declared {
    function: ToolDefinition,
}

impl RigTools {
    /// Converts tools for models without strict mode, which is the default of rig's providers.
    ///
    /// # Errors
    /// When providers would refuse the tools. The message has a line for each reason.
    pub fn new(tools: &Toolset) -> Result<Self, ToolError> {
        Self::in_dialect(tools, Dialect::OpenAiNonStrict)
    }

    /// Converts tools for a dialect, such as [`Dialect::OpenAiStrict`] for a model with `with_strict_tools`.
    ///
    /// rig declares all tools of a request as strict, or none. So tools that the strict mode cannot express, which
    /// [`Definitions::non_strict`] lists, are errors there.
    ///
    /// # Errors
    /// When the provider would refuse the tools. The message has a line for each reason.
    pub fn in_dialect(
        tools: &Toolset,
        options: impl Into<DefinitionOptions>,
    ) -> Result<Self, ToolError> {
        let definitions = Wire::OpenAiChat.definitions_in(tools, options);
        let definitions = definitions.map_err(failed)?;
        let reasons = definitions.non_strict().iter();
        let reasons: Vec<_> = reasons
            .map(|(name, why)| format!("{name}: {why}"))
            .collect();
        if !reasons.is_empty() {
            return Err(ToolError::failed(reasons.join("\n")));
        }
        let declared = serde_json::from_str(&definitions.text());
        let declared: Vec<Declared> = declared.map_err(failed)?;
        Ok(Self {
            executor: Executor::serial(tools),
            definitions,
            declared: declared.into_iter().map(|tool| tool.function).collect(),
            context: Arc::new(|_| Context::new()),
            ids: Arc::new(CallIds {
                process: RandomState::new().hash_one("call"),
                next: AtomicU64::new(0),
            }),
        })
    }

    /// Changes the executor: layers, time limits, observers. The tools stay those of the constructor.
    pub fn executor(mut self, change: impl FnOnce(Executor) -> Executor) -> Self {
        self.executor = change(self.executor);
        self
    }

    /// Sets the function that makes a call's context. Default: a new context.
    pub fn context(
        mut self,
        make: impl Fn(&ToolContext) -> Context + Send + Sync + 'static,
    ) -> Self {
        self.context = Arc::new(make);
        self
    }

    /// Returns the tools, for `dynamic_tools` of rig's `AgentBuilder`.
    pub fn tools(&self) -> Vec<DynamicTool> {
        let tools = self.declared.iter().map(|declared| {
            let renames = self.definitions.renames();
            let name = renames.from_provider(declared.name.as_str());
            let name: Arc<str> = name.unwrap_or(declared.name.as_str()).into();
            let tools = self.clone();
            DynamicTool::new_with_context(
                declared.name.clone(),
                declared.description.clone(),
                declared.parameters.clone(),
                move |context, arguments| {
                    let (tools, name, context) =
                        (tools.clone(), name.clone(), context.for_dispatch());
                    Box::pin(async move { tools.call(&name, &arguments, context).await })
                },
            )
        });
        tools.collect()
    }

    /// Returns the definitions. Their notes list what the dialect cannot express.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    async fn call(
        &self,
        name: &str,
        arguments: &Value,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolExecutionError> {
        let next = self.ids.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:016x}-{next}", self.ids.process);
        let mut call = ToolCall::new(id.as_str(), name, arguments.to_string());
        self.definitions.restore(&mut call);
        let cx = (self.context)(&context).with_definitions(&self.definitions);
        let batch = self.executor.run(&[call], &cx.with(context)).await;
        match batch.calls().first() {
            Some(Reply::Answered(result)) => output_of(result),
            Some(Reply::Pending(pending)) => Err(match &pending.reason {
                PendingReason::OutcomeUnknown(error) => ToolExecutionError::other(error),
                PendingReason::Decision(_) => ToolExecutionError::refused(
                    "the call did not run: it needs a person's approval, and nobody can be asked here",
                ),
                _ => ToolExecutionError::refused(
                    "the call did not run: it needs a person's answer, and nobody can be asked here",
                ),
            }),
            None => Err(ToolExecutionError::other("the call has no answer")),
        }
    }
}

impl fmt::Debug for RigTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RigTools")
            .field("executor", &self.executor)
            .finish_non_exhaustive()
    }
}
