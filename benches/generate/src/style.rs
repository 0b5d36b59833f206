//! How each of those that are measured writes a tool.

use std::fmt::Write;

use crate::{Arg, Tool};

/// Whose way it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Toolwright,
    /// A struct a tool, with derives of `serde` and `schemars`, and a match on the name.
    Derives,
    Rmcp,
    Rig,
    LlmTool,
    ToolsRs,
    Synaptic,
    Swiftide,
    Aisdk,
}

/// By hand, since the derive of `tools-rs` takes no enums.
const UNIT_SCHEMA: &str = "impl ToolSchema for Unit {\n    fn schema() -> serde_json::Value { serde_json::json!({\"type\": \"string\", \"enum\": [\"Celsius\", \"Fahrenheit\"]}) }\n}\n";

/// The text of each argument, one after the other.
fn each(tool: &Tool, write: impl Fn(&Arg) -> String) -> String {
    tool.args.iter().map(write).collect()
}

fn documented(tool: &Tool) -> String {
    each(tool, |Arg { name, ty, doc }| {
        format!("    /// {doc}\n    {name}: {ty},\n")
    })
}

fn bare(tool: &Tool) -> String {
    each(tool, |Arg { name, ty, .. }| format!("{name}: {ty}, "))
}

fn names(tool: &Tool) -> String {
    each(tool, |Arg { name, .. }| format!("{name}, "))
}

/// What every body does: it looks at its arguments, and answers.
fn body(tool: &Tool) -> String {
    let used = each(tool, |Arg { name, .. }| format!("&{name}, "));
    format!("let _ = ({used}); String::from(\"done\")")
}

impl Style {
    /// All there are.
    pub const ALL: [Self; 9] = [
        Self::Toolwright,
        Self::Derives,
        Self::Rmcp,
        Self::Rig,
        Self::LlmTool,
        Self::ToolsRs,
        Self::Synaptic,
        Self::Swiftide,
        Self::Aisdk,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Toolwright => "toolwright",
            Self::Derives => "serde+schemars",
            Self::Rmcp => "rmcp",
            Self::Rig => "rig",
            Self::LlmTool => "llm-tool",
            Self::ToolsRs => "tools-rs",
            Self::Synaptic => "synaptic",
            Self::Swiftide => "swiftide",
            Self::Aisdk => "aisdk",
        }
    }

    /// What the tools need in scope, `Unit` and `Line` beside it.
    pub fn uses(self) -> &'static str {
        match self {
            Self::Toolwright => "use toolwright::{Schema, Toolset, tool, tools};",
            Self::Derives => "use schemars::{JsonSchema, Schema, schema_for};",
            Self::Rmcp => {
                "use rmcp::handler::server::router::tool::ToolRouter;\nuse rmcp::handler::server::wrapper::Parameters;\nuse rmcp::{tool, tool_router};\nuse schemars::JsonSchema;"
            }
            Self::Rig => {
                "use rig_core::rig_tool;\nuse rig_core::tool::{ErasedTool, ToolExecutionError};\nuse schemars::JsonSchema;"
            }
            Self::LlmTool => "use llm_tool::{ToolRegistry, llm_tool};\nuse schemars::JsonSchema;",
            Self::ToolsRs => "use tools_rs::{ToolCollection, ToolSchema, collect_tools, tool};",
            Self::Synaptic => {
                "use std::sync::Arc;\nuse schemars::JsonSchema;\nuse synaptic::core::{SynapticError, Tool};\nuse synaptic::macros::tool;"
            }
            Self::Swiftide => {
                "use std::collections::HashSet;\nuse schemars::JsonSchema;\nuse swiftide::chat_completion::errors::ToolError;\nuse swiftide::chat_completion::{Tool, ToolOutput};\nuse swiftide::traits::AgentContext;\nuse swiftide_macros::tool;"
            }
            Self::Aisdk => {
                "use aisdk::core::tools::{Tool, ToolList};\nuse aisdk::macros::tool;\nuse schemars::JsonSchema;"
            }
        }
    }

    /// What the types beside the tools derive.
    pub fn derives(self) -> &'static str {
        match self {
            Self::Toolwright => "Deserialize, Schema",
            Self::ToolsRs => "Deserialize, Serialize, ToolSchema",
            Self::Aisdk | Self::Swiftide | Self::Synaptic | Self::Rig => {
                "Clone, Debug, Default, Deserialize, Serialize, JsonSchema"
            }
            Self::Derives | Self::Rmcp | Self::LlmTool => "Deserialize, JsonSchema",
        }
    }

    /// All that stands before the tools in a crate of their own.
    pub fn prelude(self) -> String {
        let (uses, derives) = (self.uses(), self.derives());
        let (unit, schema) = match self {
            Self::ToolsRs => ("Deserialize, Serialize", UNIT_SCHEMA),
            _ => (derives, ""),
        };
        let first = if derives.contains("Default") {
            "#[default] "
        } else {
            ""
        };
        format!(
            "#![allow(dead_code, unused_imports, unused_braces)]\nuse serde::{{Deserialize, Serialize}};\n{uses}\n/// Unit\n#[derive({unit})]\npub enum Unit {{ {first}Celsius, Fahrenheit }}\n{schema}\n#[derive({derives})]\npub struct Line {{ pub sku: String, pub qty: u32, pub price: f64, pub note: Option<String> }}\n"
        )
    }

    /// What its crate of tools depends on beside `serde` and `serde_json`, as lines of a manifest.
    pub fn dependencies(self) -> &'static str {
        match self {
            // The one that is measured; the caller knows where it is.
            Self::Toolwright => "",
            Self::Derives => "schemars = \"1\"\n",
            Self::Rmcp => "rmcp = \"3.9\"\nschemars = \"1\"\n",
            Self::Rig => "rig-core = \"0.44\"\nschemars = \"1\"\n",
            Self::LlmTool => "llm-tool = \"0.10\"\nschemars = \"1\"\n",
            Self::ToolsRs => {
                "tools-rs = \"0.3\"\ntools_core = \"0.3\"\ntools_macros = \"0.3\"\ninventory = \"0.3\"\n"
            }
            Self::Synaptic => {
                "synaptic = { version = \"0.4\", features = [\"macros\", \"schemars\"] }\nschemars = \"1\"\nasync-trait = \"0.1\"\n"
            }
            Self::Swiftide => {
                "swiftide = { version = \"0.32\", features = [\"swiftide-agents\"] }\nswiftide-macros = \"0.32\"\nschemars = \"1\"\nasync-trait = \"0.1\"\n"
            }
            Self::Aisdk => "aisdk = \"0.5\"\nschemars = \"1\"\n",
        }
    }

    /// The tools, and a function `set` that makes their set.
    pub fn module(self, tools: &[Tool]) -> String {
        let mut text = String::new();
        match self {
            Self::Rmcp => {
                for tool in tools {
                    let (camel, fields) = (&tool.camel, documented(tool));
                    let _ = writeln!(
                        text,
                        "#[derive(Deserialize, JsonSchema)]\npub struct {camel} {{\n{fields}}}"
                    );
                }
                text.push_str("pub struct All;\n#[tool_router]\nimpl All {\n");
            }
            Self::Derives => text.push_str("type Answer = serde_json::Result<String>;\n"),
            _ => {}
        }
        for tool in tools {
            text.push_str(&self.tool(tool));
        }
        if self == Self::Rmcp {
            text.push_str("}\n");
        }
        text.push_str(&self.set(tools));
        text
    }

    fn tool(self, tool: &Tool) -> String {
        let Tool {
            name, camel, doc, ..
        } = tool;
        let (documented, bare, names, body) =
            (documented(tool), bare(tool), names(tool), body(tool));
        match self {
            Self::Toolwright => format!(
                "/// {doc}\n#[tool]\npub fn {name}(\n{documented}) -> String {{ {body} }}\n"
            ),
            Self::Derives => format!(
                "/// {doc}\n#[derive(Deserialize, JsonSchema)]\n#[serde(deny_unknown_fields)]\npub struct {camel} {{\n{documented}}}\npub fn {name}({camel} {{ {names} }}: {camel}) -> String {{ {body} }}\n"
            ),
            Self::Rmcp => format!(
                "/// {doc}\n#[tool]\npub fn {name}(&self, Parameters({camel} {{ {names} }}): Parameters<{camel}>) -> String {{ {body} }}\n"
            ),
            Self::Rig => format!(
                "/// {doc}\n#[rig_tool]\npub fn {name}(\n{documented}) -> Result<String, ToolExecutionError> {{ Ok({{ {body} }}) }}\n"
            ),
            Self::LlmTool => format!(
                "/// {doc}\n#[llm_tool]\npub fn {name}(\n{documented}) -> String {{ {body} }}\n"
            ),
            Self::ToolsRs => {
                format!("#[tool]\n/// {doc}\npub async fn {name}({bare}) -> String {{ {body} }}\n")
            }
            Self::Synaptic => format!(
                "/// {doc}\n#[tool]\npub async fn {name}(\n{documented}) -> Result<String, SynapticError> {{ Ok({{ {body} }}) }}\n"
            ),
            Self::Swiftide => {
                let told = each(tool, |Arg { name, doc, .. }| {
                    format!(", param(name = \"{name}\", description = \"{doc}\")")
                });
                format!(
                    "#[tool(description = \"{doc}\"{told})]\npub async fn {name}(_cx: &dyn AgentContext, {bare}) -> Result<ToolOutput, ToolError> {{ Ok(ToolOutput::text({{ {body} }})) }}\n"
                )
            }
            Self::Aisdk => format!(
                "#[tool]\n/// {doc}\npub fn {name}({bare}) -> Tool {{ Ok({{ {body} }}) }}\n"
            ),
        }
    }

    fn set(self, tools: &[Tool]) -> String {
        let all = |write: fn(&Tool) -> String| tools.iter().map(write).collect::<String>();
        match self {
            Self::Toolwright => {
                format!(
                    "pub fn set() -> Toolset {{ tools![{}] }}\n",
                    all(|tool| format!("{}, ", tool.name))
                )
            }
            Self::Derives => format!(
                "pub fn call(name: &str, text: &str) -> Answer {{ Ok(match name {{ {} _ => String::new() }}) }}\npub fn set() -> Vec<Schema> {{ vec![{}] }}\n",
                all(|tool| format!("\"{0}\" => {0}(serde_json::from_str(text)?), ", tool.name)),
                all(|tool| format!("schema_for!({}), ", tool.camel)),
            ),
            Self::Rmcp => "pub fn set() -> ToolRouter<All> { All::tool_router() }\n".to_owned(),
            Self::Rig => format!(
                "pub fn set() -> Vec<Box<dyn ErasedTool>> {{ vec![{}] }}\n",
                all(|tool| format!("Box::new({}), ", tool.camel))
            ),
            Self::LlmTool => format!(
                "pub fn set() -> ToolRegistry {{ let mut set = ToolRegistry::new(); {} set }}\n",
                all(|tool| format!("set.register({}); ", tool.camel))
            ),
            Self::ToolsRs => "pub fn set() -> ToolCollection { collect_tools() }\n".to_owned(),
            Self::Synaptic => format!(
                "pub fn set() -> Vec<Arc<dyn Tool>> {{ vec![{}] }}\n",
                all(|tool| format!("{}(), ", tool.name))
            ),
            Self::Swiftide => format!(
                "pub fn set() -> HashSet<Box<dyn Tool>> {{ HashSet::from([{}]) }}\n",
                all(|tool| format!("{}(), ", tool.name))
            ),
            Self::Aisdk => format!(
                "pub fn set() -> ToolList {{ ToolList::new(vec![{}]) }}\n",
                all(|tool| format!("{}(), ", tool.name))
            ),
        }
    }
}
