//! The tool by which programs find others.

use toolwright::{Context, Toolset, tool, tools};

use crate::code_mode::RunningCode;
use crate::stubs::stubs_of;

/// Number of functions that one search returns.
const MAX_FOUND: usize = 8;

/// Name of the tool.
pub(crate) const NAME: &str = "find_tools";

/// Finds functions by words, and returns their declarations. Print them, and call the functions in your next program.
#[tool(read_only)]
fn find_tools(words: &str, cx: &Context) -> String {
    let Some(running) = cx.get::<RunningCode>() else {
        return "there is no program".to_owned();
    };
    // The set of a conversation that sees all tools keeps its index.
    let tools = running.executor.tools(cx);
    let found = tools.search(words, MAX_FOUND + 1, &cx.scope()).into_iter();
    let others = found.map(|found| found.def).filter(|def| def.name != NAME);
    let stubs = stubs_of(others.take(MAX_FOUND));
    if stubs.is_empty() {
        return "no function is about these words".to_owned();
    }
    stubs
}

pub(crate) fn tools() -> Toolset {
    tools![find_tools]
}
