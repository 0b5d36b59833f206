use std::fmt::Write;

use super::Samples;
use toolwright_provider::call::{ErrorKind, ToolCall, ToolResult};
use toolwright_provider::dialect::Dialect;
use toolwright_runtime::tool::Context;
use toolwright_runtime::toolset::{ProblemCode, Toolset};
use toolwright_schema::decode::example;

/// Calls of every tool of a set: its examples, a small one, and then so many at random that its schema admits.
///
/// The same tools and seed give the same calls. A tool of which no valid arguments are found, since
/// its schema has words that no schema of ours has, is called with an empty object.
///
/// ```
/// use toolwright::{DynTool, ToolError, Toolset};
/// use toolwright_testing as testing;
///
/// let sum = DynTool::builder()
///     .name("sum")
///     .description("Adds.")
///     .typed_sync(|n: Vec<u8>, _| Ok::<_, ToolError>(n.len()))
///     .build();
/// assert!(sum.is_err()); // arguments are an object
/// let ping = DynTool::builder().name("ping").description("Answers.");
/// let ping = ping.handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>("pong")).build().unwrap();
/// let tools = Toolset::new([ping]).unwrap();
/// assert_eq!(testing::calls(&tools, 1, 2).len(), 3);
/// ```
pub fn calls(tools: &Toolset, seed: u64, random: usize) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    for def in tools.definitions() {
        let mut samples = Samples::of(&def.input, seed);
        let mut add = |arguments: Option<String>| {
            let id = format!("call_{}", calls.len());
            let arguments = arguments.unwrap_or_else(|| "{}".into());
            calls.push(ToolCall::new(id, def.name.as_ref(), arguments));
        };
        for example in &def.examples {
            add(Some(example.arguments.to_string()));
        }
        let small = def.input.shape().and_then(example);
        add(small.or_else(|| {
            (0..20)
                .filter_map(|_| samples.valid())
                .min_by_key(String::len)
        }));
        for _ in 0..random {
            add(samples.valid());
        }
    }
    calls
}

/// Asserts that every tool of a set takes what its schema admits and ends in a way that an author
/// meant: with a result or an error of its own, never with a panic, arguments that are refused, or a
/// result that cannot be written. Makes [`calls`] and runs them; returns the answers.
///
/// A default or an argument's example that its own bounds refuse is wrong, too.
///
/// A validator may refuse what a schema admits: such tools are not for this. A tool that is hidden from `cx` is an
/// error, since nothing of it is tested: give a context that shows it. Every tool runs, `destructive` ones too, and without an
/// approval: leave out a tool that must not run by [`Toolset::without`].
/// Only tools that [need an approval](toolwright_runtime::tool::Approved) do not run: their arguments are checked, and
/// their answer is the [`NotApproved`](ErrorKind::NotApproved) error. Call the function with [`approved`](crate::approved).
///
/// # Panics
/// When one does not, with the calls and what became of them.
#[track_caller]
pub fn assert_callable(tools: &Toolset, cx: &Context, seed: u64, random: usize) -> Vec<ToolResult> {
    let visible = tools.visible(&cx.scope());
    let calls = calls(&visible, seed, random);
    let results: Vec<_> = calls
        .iter()
        .map(|call| visible.call_blocking(call, cx))
        .collect();
    let mut wrong = String::new();
    for def in tools.definitions() {
        if visible.get(&def.name).is_none() {
            let line = format!("\n{}: hidden in this context, and not called", def.name);
            wrong.push_str(&line);
        }
    }
    // The dialect does not matter: these problems are those of every one.
    for problem in tools.check(Dialect::Mcp20260728).errors() {
        if let ProblemCode::RefusedDefault | ProblemCode::RefusedExample = problem.code {
            let _ = write!(wrong, "\n{problem}");
        }
    }
    for (call, result) in calls.iter().zip(&results) {
        if let Err(error) = &result.outcome
            && !matches!(
                error.kind(),
                ErrorKind::Failed | ErrorKind::NoHandler | ErrorKind::NotApproved
            )
        {
            let (name, arguments) = (&call.name, &call.arguments);
            let line = format!("\n{name}({arguments}): {}: {error}", error.kind().as_str());
            wrong.push_str(&line);
        }
    }
    assert!(wrong.is_empty(), "calls that no author meant:{wrong}");
    results
}
