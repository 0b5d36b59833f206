//! Calls that a tool makes itself, with the context of its own call.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use toolwright::layers::Retry;
use toolwright::{
    Context, DynTool, Executor, Tool, ToolCall, ToolError, ToolOptions, ToolResult, Toolset,
    call::{Cancel, ErrorKind, Progress},
    executor::{Batch, Event},
};

type Seen = Arc<Mutex<Vec<String>>>;

fn tool(
    name: &'static str,
    run: impl Fn(Context) -> Result<Value, ToolError> + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    let tool = DynTool::builder().name(name).description("Does something.");
    tool.options(ToolOptions::new().blocking(true))
        .handler_sync(move |_: Value, cx| run(cx))
        .build()
        .unwrap()
}

/// Notes, reports, and tells its key.
fn inner() -> Toolset {
    let inner = tool("inner", |cx| {
        cx.progress(Progress::new(1.0));
        let noted = cx.update_state("by", cx.call_id().unwrap_or_default());
        Ok(serde_json::json!({"noted": noted, "key": cx.idempotency_key(), "tool": cx.tool()}))
    });
    Toolset::new([inner]).unwrap()
}

/// Hands its call on, to a toolset or to an executor.
fn outer() -> Toolset {
    let call = || ToolCall::new("in", "inner", "{}");
    let by_set = tool("by_set", move |cx| {
        Ok(inner().call_blocking(&call(), &cx).value().unwrap())
    });
    let by_executor = tool("by_executor", move |cx| {
        let batch = Executor::serial(inner()).run_blocking(&[call()], &cx);
        Ok(batch.results().next().unwrap().value().unwrap())
    });
    let ready = tool("ready", |_| Ok(1.into()));
    Toolset::new([by_set, by_executor, ready]).unwrap()
}

fn calls(names: &[&str]) -> Vec<ToolCall> {
    let calls = names.iter().enumerate();
    calls
        .map(|(place, name)| ToolCall::new(place.to_string(), *name, "{}"))
        .collect()
}

#[test]
fn what_a_call_of_a_tool_says_is_said_for_the_tools_own_call() {
    let reports = Seen::default();
    let heard = Arc::clone(&reports);
    let executor = Executor::serial(outer()).on_event(move |event| {
        if let Event::Progress { index, name, .. } = event {
            heard.lock().unwrap().push(format!("{index} {name}"));
        }
    });
    // The first call of the batch has ended before.
    let batch = executor.run_blocking(&calls(&["ready", "by_set"]), &Context::new());
    let said = batch.results().last().unwrap().value().unwrap();
    assert_eq!(
        (&said["noted"], &said["tool"]),
        (&Value::from(true), &"inner".into())
    );
    let state = batch.state().and_then(|state| state.get("by").cloned());
    assert_eq!(state, Some("in".into()));
    assert_eq!(*reports.lock().unwrap(), ["1 inner"]);
}

#[test]
fn what_a_call_of_a_tool_notes_goes_with_the_tools_own_call() {
    let over = Cancel::new();
    let until = over.clone();
    let waits = tool("waits", move |_| {
        let began = Instant::now();
        while !until.is_cancelled() && began.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(1.into())
    });
    let fails = tool("fails", move |cx| {
        inner().call_blocking(&ToolCall::new("in", "inner", "{}"), &cx);
        over.cancel();
        Err(ToolError::failed("no"))
    });
    // The first call of the batch runs until then, and succeeds.
    let executor = Executor::parallel(Toolset::new([waits, fails]).unwrap(), 2);
    let batch = executor.run_blocking(&calls(&["waits", "fails"]), &Context::new());
    assert_eq!(batch.state(), None);
}

#[test]
fn no_two_calls_of_tools_have_one_idempotency_key() {
    let names = ["by_set", "by_set", "by_executor", "by_executor", "ready"];
    let executor = Executor::parallel(outer(), 8);
    let run = || {
        let batch = executor.run_blocking(&calls(&names), &Context::new().with_run("r1"));
        let said = batch.results().filter_map(ToolResult::value);
        let keys = said.filter_map(|said| Some(said.get("key")?.as_str()?.to_owned()));
        keys.collect::<BTreeSet<_>>()
    };
    let keys = run();
    assert_eq!(keys.len(), 4, "{keys:?}");
    assert!(keys.iter().all(|key| key.starts_with("r1/0/")), "{keys:?}");
    assert_eq!(run(), keys, "made again they have the same");
}

#[test]
fn a_run_of_its_own_has_the_keys_that_it_has_elsewhere() {
    let run = |cx: &Context| {
        let cx = cx.clone().with_run("own");
        let batch = Executor::serial(inner()).run_blocking(&calls(&["inner"]), &cx);
        batch.results().next().unwrap().value().unwrap()
    };
    let begins = tool("begins", move |cx| Ok(run(&cx)));
    let executor = Executor::serial(Toolset::new([begins]).unwrap());
    let batch = executor.run_blocking(&calls(&["begins"]), &Context::new().with_run("r1"));
    let inside = batch.results().next().unwrap().value();
    assert_eq!(inside, Some(run(&Context::new())));
}

#[test]
fn a_batch_inside_of_a_call_ends_with_the_call() {
    let ended = Seen::default();
    let saw = Arc::clone(&ended);
    let (sign, signs) = channel();
    let nested = tool("nested", move |cx| {
        let _ = sign.send(());
        let waits = tool("waits", |cx| {
            let (stop, began) = (cx.cancel(), Instant::now());
            while !stop.is_cancelled() && began.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok("ended".into())
        });
        let batch =
            Executor::serial(Toolset::new([waits]).unwrap()).run_blocking(&calls(&["waits"]), &cx);
        let kinds = batch.results().map(|result| result.outcome.as_ref().err());
        let kinds = kinds.map(|error| error.map(ToolError::kind));
        assert_eq!(kinds.collect::<Vec<_>>(), [Some(ErrorKind::Cancelled)]);
        saw.lock().unwrap().push("the batch inside".to_owned());
        Ok(Value::Null)
    });
    let tools = Toolset::new([nested]).unwrap();
    // When its time is over: on a busy machine that may be before it begins. And when the host says stop.
    let late = Executor::serial(&tools).timeout(Duration::from_millis(20));
    while signs.try_recv().is_err() {
        late.run_blocking(&calls(&["nested"]), &Context::new());
    }
    let stop = Cancel::new();
    let stops = stop.clone();
    std::thread::spawn(move || {
        signs.recv().unwrap();
        stops.cancel();
    });
    let told = Context::new().with_cancel(stop);
    Executor::serial(&tools).run_blocking(&calls(&["nested"]), &told);
    let began = Instant::now();
    while ended.lock().unwrap().len() < 2 {
        assert!(began.elapsed() < Duration::from_secs(5), "it runs on");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits, and looks at nothing; then counts itself.
fn stuck(go_on: Receiver<()>, ran: &Arc<AtomicUsize>) -> Toolset {
    let (go_on, ran) = (Mutex::new(go_on), Arc::clone(ran));
    let stuck = tool("stuck", move |_| {
        // Nobody sends where the test has failed.
        let _ = go_on.lock().unwrap().recv();
        ran.fetch_add(1, Ordering::SeqCst);
        Ok(1.into())
    });
    Toolset::new([stuck]).unwrap()
}

/// Makes calls of its own, one after the other, and awaits them.
fn awaiting(inside: &[Toolset]) -> Toolset {
    let inside = inside.to_vec();
    let awaits = DynTool::builder().name("awaits").description("Awaits.");
    let awaits = awaits.handler(move |_: Value, cx: Context| {
        let inside = inside.clone();
        async move {
            for tools in inside {
                let name = tools.iter().next().unwrap().def().name.clone();
                Executor::serial(tools).run(&calls(&[&name]), &cx).await;
            }
            std::future::pending::<()>().await;
            Ok::<_, ToolError>(())
        }
    });
    Toolset::new([awaits.build().unwrap()]).unwrap()
}

fn error(batch: &Batch) -> ToolError {
    batch.results().next().unwrap().outcome.clone().unwrap_err()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_on_a_call_whose_own_calls_cannot_be_stopped_says_that_the_outcome_is_unknown() {
    type Limit = fn(Executor, Duration) -> Executor;
    let short = Duration::from_millis(100);
    let limits: [(&str, Limit); 3] = [
        ("the call", Executor::timeout),
        ("the call, in a layer", |executor, limit| {
            executor.timeout(limit).layer(Retry::new(1))
        }),
        ("the batch", Executor::batch_timeout),
    ];
    for (of, limit) in limits {
        let (go_on, may) = channel();
        let ran = Arc::new(AtomicUsize::new(0));
        let tools = awaiting(&[stuck(may, &ran)]);
        let executor = limit(Executor::serial(&tools), short);
        let late = error(&executor.run(&calls(&["awaits"]), &Context::new()).await);
        assert_eq!(late.kind(), ErrorKind::Timeout, "{of}");
        assert!(late.is_outcome_unknown(), "{of}: {late}");
        let words = "its work may go on, and it is not known whether it took effect";
        assert_eq!(late.messages().last(), Some(words), "{of}");
        // And it does.
        go_on.send(()).unwrap();
        while ran.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        // The limit of a call cannot know what its tool has moved elsewhere; that of a batch asks the calls inside.
        let executor = limit(Executor::serial(awaiting(&[inner()])), short);
        let late = error(&executor.run(&calls(&["awaits"]), &Context::new()).await);
        assert_eq!(late.kind(), ErrorKind::Timeout, "{of}");
        let is_of_the_call = of != "the batch";
        assert_eq!(late.is_outcome_unknown(), is_of_the_call, "{of}: {late}");
    }
}
