use toolwright_provider::dialect::Dialect;
use toolwright_runtime::toolset::Toolset;

/// Asserts that a provider accepts a toolset: what [`Toolset::check`] says, as a test of those tools
/// that the compiler cannot look into.
///
/// ```
/// use toolwright::{Dialect, DynTool, ToolDef, Toolset};
/// use toolwright_testing as testing;
///
/// let tools = Toolset::new([DynTool::declare(ToolDef::new("ping", "Answers."))]).unwrap();
/// testing::assert_accepted(&tools, Dialect::OpenAiStrict);
/// ```
///
/// # Panics
/// When it does not, with the whole report.
#[track_caller]
pub fn assert_accepted(tools: &Toolset, dialect: Dialect) {
    let report = tools.check(dialect);
    assert!(report.is_accepted(), "{report}");
}
