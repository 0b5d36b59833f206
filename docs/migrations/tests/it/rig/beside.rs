// ANCHOR: beside
use rig_core::message::{EmptyToolName, ToolName};
use rig_core::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use toolwright::{Context, Encoder, ToolCall, Toolset};

/// The tools of a toolset, for an agent of rig.
pub fn for_rig(tools: &Toolset) -> Result<Vec<DynamicTool>, EmptyToolName> {
    let bridge = |def: &toolwright::ToolDef| {
        let (tools, name) = (tools.clone(), def.name.clone());
        Ok(DynamicTool::new(
            ToolName::new(def.name.clone())?,
            def.description.clone(),
            def.input.to_value(),
            move |arguments| {
                let (tools, call) = (
                    tools.clone(),
                    ToolCall::new("rig", &*name, arguments.to_string()),
                );
                Box::pin(async move {
                    let result = tools.call(&call, &Context::new()).await;
                    let text = result.content(Encoder::auto()).into_owned();
                    if result.is_success() {
                        Ok(ToolOutput::text(text))
                    } else {
                        Err(ToolExecutionError::other(text))
                    }
                })
            },
        ))
    };
    tools.definitions().map(bridge).collect()
}
// ANCHOR_END: beside
