use std::fmt::Write;

use toolwright_provider::dialect::{Dialect, lower};
use toolwright_runtime::toolset::Toolset;

/// The definitions of a set in every dialect, as text to keep beside a test: what a provider is
/// sent for each tool, what it is not told, and what it would refuse. The same set gives the same
/// text, always.
///
/// ```
/// use toolwright::{DynTool, ToolDef, Toolset};
/// use toolwright_testing as testing;
///
/// let tools = Toolset::new([DynTool::declare(ToolDef::new("ping", "Answers."))]).unwrap();
/// let text = testing::snapshot(&tools);
/// assert!(text.contains("== gemini_json\nping: Answers.\n"));
/// ```
pub fn snapshot(tools: &Toolset) -> String {
    let mut out = String::new();
    for dialect in Dialect::ALL {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "== {}", dialect.name());
        for def in tools.definitions() {
            let _ = writeln!(out, "{}: {}", def.name, def.description);
            match lower(&def.input, dialect) {
                Ok(lowered) => {
                    let schema = lowered.schema.as_deref().unwrap_or("no parameters");
                    let _ = writeln!(out, "  {schema}");
                    for note in &lowered.notes {
                        let _ = writeln!(out, "  note {note}");
                    }
                }
                Err(reject) => {
                    let _ = writeln!(out, "  refused {reject}");
                }
            }
        }
    }
    out
}
