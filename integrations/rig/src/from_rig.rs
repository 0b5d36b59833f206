//! Tools of rig's for toolsets.

use std::future::Future;
use std::sync::Arc;

use rig_core::completion::ToolDefinition;
use rig_core::tool::{
    DynamicTool, ErasedTool, ToolContext, ToolExecutionError, ToolOutput, tool_definition,
};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright::schema::SchemaDoc;
use toolwright::{Context, DynTool, Tool, ToolDef, ToolError};

use crate::output::{failed, outcome_of, tool_error_of};

/// Makes a tool of a typed tool of rig's, such as one of `#[rig_tool]`.
///
/// It gets the model's text as its arguments, and a [`ToolContext`] that is the context's value of that type, or a new one:
/// `Context::new().with(ToolContext::new())`.
///
/// # Errors
/// When no provider takes the tool's name, or its description is empty.
pub fn from_tool(tool: impl rig_core::tool::Tool + 'static) -> Result<Arc<dyn Tool>, ToolError> {
    let (definition, tool) = (tool_definition(&tool), Arc::new(tool));
    dyn_tool(definition, move |arguments, mut context| {
        let tool = tool.clone();
        async move { tool.execute(arguments, &mut context).await.into_result() }
    })
}

/// Makes a tool of a tool that rig defines at run time, such as an agent of rig's.
///
/// See [`from_tool`]. rig reads its arguments into a `serde_json::Value` first.
///
/// # Errors
/// When no provider takes the tool's name, or its description is empty.
pub fn from_dynamic_tool(tool: DynamicTool) -> Result<Arc<dyn Tool>, ToolError> {
    dyn_tool(tool.definition(), move |arguments, mut context| {
        let tool = tool.clone();
        async move {
            let arguments: Value = serde_json::from_str(&arguments)
                .map_err(|error| ToolExecutionError::invalid_args(error.to_string()))?;
            tool.execute_with(&mut context, arguments).await
        }
    })
}

fn dyn_tool<R>(
    definition: ToolDefinition,
    run: impl Fn(String, ToolContext) -> R + Send + Sync + 'static,
) -> Result<Arc<dyn Tool>, ToolError>
where
    R: Future<Output = Result<ToolOutput, ToolExecutionError>> + Send + 'static,
{
    let schema = SchemaDoc::parse(&definition.parameters.to_string());
    let mut def = ToolDef::new(definition.name.as_str().to_owned(), definition.description);
    def.input = schema.map_err(failed)?;
    let handler = move |arguments: Box<RawValue>, cx: Context| {
        let context = cx.get::<ToolContext>().map(ToolContext::for_dispatch);
        let output = run(arguments.get().to_owned(), context.unwrap_or_default());
        async move { output.await.map(outcome_of).map_err(tool_error_of) }
    };
    // The tool fills its own defaults.
    let tool = DynTool::builder()
        .def(def)
        .fill_defaults(false)
        .handler(handler);
    tool.build().map_err(failed)
}
