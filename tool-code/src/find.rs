//! Search of tools from inside a program.

use std::sync::Arc;

use serde::Deserialize;
use toolwright::call::{Answer, Call};
use toolwright::schema::SchemaDoc;
use toolwright::{Outcome, Schema, Tool, ToolDef, ToolError, Toolset};

use crate::signature::FIND_TOOLS;
use crate::stubs::stubs_of;

/// Number of tools that one search returns.
const MOST: usize = 8;

/// Tool that finds functions, and returns their stubs.
pub(crate) struct FindTools {
    def: ToolDef,
    tools: Toolset,
}

#[derive(Deserialize, Schema)]
struct Query {
    /// Words that the tool is about
    words: String,
}

impl FindTools {
    pub(crate) fn tool(tools: Toolset) -> Arc<dyn Tool> {
        let mut def = ToolDef::new(FIND_TOOLS, "Finds functions by words.");
        def.input = SchemaDoc::of::<Query>();
        def.output = Some(SchemaDoc::of_output::<String>());
        def.options.annotations.read_only = Some(true);
        Arc::new(Self { def, tools })
    }

    fn find(&self, call: &Call<'_>) -> Result<Outcome, ToolError> {
        let Query { words } = call.decode()?;
        let cx = call.context();
        let found = self.tools.search(&words, MOST, &cx.scope());
        if found.is_empty() {
            return Ok(Outcome::value("no function is about these words"));
        }
        Ok(Outcome::value(stubs_of(
            found.iter().map(|found| found.def),
        )))
    }
}

impl Tool for FindTools {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        Answer::Ready(self.find(&call))
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        call.decode::<Query>().map(drop)
    }
}
