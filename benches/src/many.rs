//! One tool among many, and many calls at a time.

use std::convert::Infallible;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde::Deserialize;
use toolwright::{
    Context, DynTool, Encoder, Executor, Schema, Tool, ToolCall, Toolset, tool, tools,
};
use toolwright_benches_measure::{CALLS, Group, ID, NOTHING, Parallel, REST, compute, dispatch};

/// Answers.
#[tool]
fn seven() -> i64 {
    7
}

/// Sleeps for a millisecond.
#[tool]
async fn rest() -> i64 {
    tokio::time::sleep(REST).await;
    7
}

/// Computes.
#[tool(blocking)]
fn work() -> u64 {
    compute()
}

/// Of many calls that sleep, at most so many times as long as by hand.
const LIMIT: f64 = 1.17;

/// No arguments.
#[derive(Deserialize, Schema)]
struct Nothing {}

fn renamed(name: &'static str) -> Option<Arc<dyn Tool>> {
    let set = tools![seven].rename("seven", name).ok()?;
    set.iter().next().cloned()
}

fn at_run_time(name: &'static str) -> Option<Arc<dyn Tool>> {
    let tool = DynTool::builder().name(name).description("Answers.");
    let tool = tool.typed_sync(|Nothing {}, _| Ok::<_, Infallible>(7));
    tool.build().ok()
}

type Make = fn(&'static str) -> Option<Arc<dyn Tool>>;

/// Rows of calls among tools that `make` makes out of their names.
fn among(row: &str, make: Make) -> Vec<Group> {
    let set = move |names: &[&'static str]| {
        let set = Toolset::new(names.iter().filter_map(|name| make(name)));
        set.unwrap_or_default()
    };
    dispatch(row, set, |set, name| {
        let (set, cx) = (Rc::clone(set), Context::new());
        let call = ToolCall::new(ID, name, NOTHING);
        Box::new(move |answer| {
            let result = set.call_blocking(black_box(&call), &cx);
            answer(&result.content(Encoder::auto()));
        })
    })
}

/// All calls at once, by what everybody has.
fn join_all() -> Parallel {
    let set = tools![rest, work];
    Parallel::new("toolwright-join-all", move |tool, calls| {
        let set = set.clone();
        async move {
            let cx = Context::new();
            let calls: Vec<_> = (0..calls)
                .map(|at| ToolCall::new(format!("call_{at}"), tool, NOTHING))
                .collect();
            let answers = calls.iter().map(|call| set.call(call, &cx));
            let results = futures_util::future::join_all(answers).await;
            results
                .iter()
                .filter(|result| result.outcome.is_ok())
                .count()
        }
    })
}

/// A call, as people write it without a library.
async fn call(tool: &str, arguments: &str) -> Option<String> {
    let Nothing {} = serde_json::from_str(arguments).ok()?;
    let answer = match tool {
        "rest" => {
            tokio::time::sleep(REST).await;
            7
        }
        "work" => compute(),
        _ => return None,
    };
    serde_json::to_string(&answer).ok()
}

/// All calls at once, by what is the fastest without an executor: each is polled when it was woken, and none waits because the
/// task has worked for long. There are no limits, no order, and a panic ends all.
fn by_hand() -> Parallel {
    Parallel::new("HAND", move |tool, calls| async move {
        let calls: Vec<_> = (0..calls)
            .map(|at| (format!("call_{at}"), NOTHING.to_owned()))
            .collect();
        let answers: FuturesUnordered<_> = calls
            .iter()
            .map(|(id, arguments)| async move { (id, call(tool, arguments).await) })
            .collect();
        let answers: Vec<_> = tokio::task::unconstrained(answers.collect()).await;
        answers
            .iter()
            .filter(|(_, answer)| answer.is_some())
            .count()
    })
}

/// All calls at once, by the executor.
fn executor() -> Parallel {
    let executor = Executor::parallel(tools![rest, work], CALLS);
    Parallel::new("toolwright", move |tool, calls| {
        let executor = executor.clone();
        async move {
            let calls: Vec<_> = (0..calls)
                .map(|at| ToolCall::new(format!("call_{at}"), tool, NOTHING))
                .collect();
            let batch = executor.run(&calls, &Context::new()).await;
            let done = batch.results().filter(|result| result.outcome.is_ok());
            done.count()
        }
    })
}

pub(crate) fn groups() -> Vec<Group> {
    let mut groups = among("toolwright", renamed);
    let at_run_time = among("toolwright-dyn", at_run_time);
    for (group, rows) in groups.iter_mut().zip(at_run_time) {
        group.0.extend(rows.0);
    }
    let mut parallel = by_hand().groups();
    for (group, rows) in parallel.iter_mut().zip(executor().groups()) {
        let spawned = group.name().starts_with("parallel-rest-spawned");
        let rows = rows.0.into_iter();
        group
            .0
            .extend(rows.map(|row| row.target(spawned.then_some(LIMIT))));
    }
    for (group, rows) in parallel.iter_mut().zip(join_all().groups()) {
        group.0.extend(rows.0);
    }
    groups.extend(parallel);
    groups
}
