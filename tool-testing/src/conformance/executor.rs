use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use toolwright_provider::call::{ErrorKind, Outcome, ToolCall, ToolError, ToolOptions, ToolResult};
use toolwright_runtime::dyn_tool::{BuildError, DynTool};
use toolwright_runtime::executor::Batch;
use toolwright_runtime::tool::{Cancel, Context, Tool};
use toolwright_runtime::toolset::Toolset;

/// Result of a turn: the answers in call order, and the calls that wait.
#[derive(Debug, Clone)]
pub struct TurnResult {
    /// The answers.
    pub answered: Vec<ToolResult>,
    /// The calls without an answer.
    pub pending: Vec<ToolCall>,
}

impl From<Batch> for TurnResult {
    fn from(batch: Batch) -> Self {
        Self {
            pending: batch
                .pending()
                .map(|pending| pending.call.clone())
                .collect(),
            answered: batch.into_results().collect(),
        }
    }
}

/// Checks that `run` answers each call of a turn once, in call order, under its own id, or lists it as
/// pending. This holds whatever tools do, and whatever a model calls.
///
/// ```
/// use toolwright::{Executor};
/// use toolwright_testing as testing;
///
/// testing::conformance::executor(|tools, calls, cx| {
///     Executor::parallel(tools, 4).run_blocking(calls, cx).into()
/// });
/// ```
///
/// # Panics
/// When it is not so.
#[track_caller]
pub fn executor(run: impl Fn(&Toolset, &[ToolCall], &Context) -> TurnResult) {
    let ran = Arc::new(AtomicUsize::new(0));
    let tools = match tools(&ran) {
        Ok(tools) => tools,
        Err(error) => panic!("the tools of this suite: {error}"),
    };
    let cx = Context::new();
    let check = |what: &str, names: &[&str], expected: &[Option<ErrorKind>]| {
        let turn = run(&tools, &calls(names), &cx);
        assert!(turn.pending.is_empty(), "{what}: calls wait: {turn:?}");
        in_order(what, &turn.answered);
        let kinds: Vec<_> = turn.answered.iter().map(kind).collect();
        assert!(kinds == expected, "{what}: {expected:?}, not {kinds:?}");
        turn
    };

    check("no calls", &[], &[]);
    let turn = check("one call", &["good"], &[None]);
    let value = turn.answered.first().and_then(ToolResult::value);
    assert!(value == Some("good".into()), "one call: {value:?}");
    check(
        "an unknown tool among others",
        &["good", "nope", "good"],
        &[None, Some(ErrorKind::Unknown), None],
    );
    let fails = [Some(ErrorKind::Failed), None];
    check("a tool that fails", &["fails", "good"], &fails);
    let turn = check(
        "a tool that panics",
        &["good", "panics", "later"],
        &[None, Some(ErrorKind::Panicked), None],
    );
    let told = turn.answered.iter().any(|result| {
        let content = result.content(toolwright_provider::call::Encoder::auto());
        content.contains("secret")
    });
    assert!(!told, "the model reads what a panic says");
    let unwritable = [Some(ErrorKind::Encoding), None];
    check(
        "a value that is not JSON",
        &["unwritable", "good"],
        &unwritable,
    );
    check(
        "what is asked and what halts",
        &["asks", "good"],
        &[None, None],
    );

    let same = ["x", "x"].map(|id| ToolCall::new(id, "good", "{}"));
    let turn = run(&tools, &same, &cx);
    let ids: Vec<_> = turn.answered.iter().map(|result| &*result.id).collect();
    assert!(ids == ["x", "x"], "equal ids: both run, not {ids:?}");

    let many = vec!["later"; 50];
    check("many calls", &many, &vec![None; many.len()]);

    let turn = run(&tools, &calls(&["manual", "good", "nope"]), &cx);
    let waits: Vec<_> = turn.pending.iter().map(|call| &*call.name).collect();
    assert!(waits == ["manual"], "a manual tool waits: {waits:?}");
    let answered: Vec<_> = turn.answered.iter().map(|result| &*result.name).collect();
    assert!(
        answered == ["good", "nope"],
        "beside one that waits: {answered:?}"
    );

    let before = ran.load(Ordering::SeqCst);
    let stop = Cancel::new();
    stop.cancel();
    let turn = run(&tools, &calls(&["good", "later"]), &cx.with_cancel(stop));
    let kinds: Vec<_> = turn.answered.iter().map(kind).collect();
    let cancelled = Some(ErrorKind::Cancelled);
    assert!(kinds == [cancelled; 2], "cancelled before: {kinds:?}");
    assert!(
        ran.load(Ordering::SeqCst) == before,
        "a tool ran after its end"
    );
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.outcome.as_ref().err().map(ToolError::kind)
}

#[track_caller]
fn in_order(what: &str, answers: &[ToolResult]) {
    for (index, answer) in answers.iter().enumerate() {
        let id = format!("call_{index}");
        assert!(
            *answer.id == *id,
            "{what}: {id} is answered under {}",
            answer.id
        );
    }
}

fn calls(names: &[&str]) -> Vec<ToolCall> {
    let calls = names.iter().enumerate();
    calls
        .map(|(index, name)| ToolCall::new(format!("call_{index}"), *name, "{}"))
        .collect()
}

fn tools(ran: &Arc<AtomicUsize>) -> Result<Toolset, BuildError> {
    type Answer = Result<Outcome, ToolError>;
    let tool = |name: &'static str, answer: fn() -> Answer| {
        let ran = Arc::clone(ran);
        DynTool::builder()
            .name(name)
            .description("For a test.")
            .handler_sync(move |_: Value, _| {
                ran.fetch_add(1, Ordering::SeqCst);
                answer()
            })
            .build()
    };
    let later = DynTool::builder()
        .name("later")
        .description("For a test.")
        .handler(|_: Value, _| async { Ok::<_, ToolError>("later") })
        .build()?;
    let manual = DynTool::builder()
        .name("manual")
        .description("For a test.")
        .options(ToolOptions::new().manual(true))
        .build()?;
    let all: Vec<Arc<dyn Tool>> = vec![
        tool("good", || Ok(Outcome::value("good")))?,
        tool("fails", || Err(ToolError::failed("no")))?,
        tool("panics", || panic!("a secret"))?,
        tool("asks", || Ok(Outcome::ask("Which?")))?,
        tool("unwritable", || {
            let map = std::collections::HashMap::from([(vec![1], 1)]);
            Ok(Outcome::value(map))
        })?,
        later,
        manual,
    ];
    // Their names differ.
    Ok(Toolset::new(all).unwrap_or_default())
}
