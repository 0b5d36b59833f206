// ANCHOR: beside
use std::borrow::Cow;

use async_trait::async_trait;
use swiftide::chat_completion::errors::ToolError;
use swiftide::chat_completion::{Tool, ToolCall, ToolOutput, ToolSpec};
use swiftide::traits::AgentContext;
use toolwright::{Context, Encoder, ToolDef, Toolset};

/// A tool of a toolset, for an agent of swiftide.
#[derive(Clone)]
pub struct ForSwiftide {
    tools: Toolset,
    def: ToolDef,
}

impl ForSwiftide {
    pub fn all(tools: &Toolset) -> Vec<Box<dyn Tool>> {
        let bridge = |def: &ToolDef| Self {
            tools: tools.clone(),
            def: def.clone(),
        };
        tools
            .definitions()
            .map(|def| Box::new(bridge(def)) as Box<dyn Tool>)
            .collect()
    }
}

#[async_trait]
impl Tool for ForSwiftide {
    async fn invoke(&self, _: &dyn AgentContext, call: &ToolCall) -> Result<ToolOutput, ToolError> {
        let arguments = call.args().unwrap_or("{}");
        let call = toolwright::ToolCall::new(call.id(), call.name(), arguments);
        let result = self.tools.call(&call, &Context::new()).await;
        let text = result.content(Encoder::auto()).into_owned();
        Ok(if result.is_success() {
            ToolOutput::Text(text)
        } else {
            ToolOutput::Fail(text)
        })
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.def.name)
    }

    fn tool_spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.def.name.to_string(),
            description: self.def.description.to_string(),
            parameters_schema: self.def.input.to_value().try_into().ok(),
        }
    }
}
// ANCHOR_END: beside
