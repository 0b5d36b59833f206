//! What threads share, in many schedules of these threads. Shuttle runs one at a time and decides at
//! each lock who goes on; a schedule that fails is printed, to be run again.
#![allow(clippy::unwrap_used)]

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};

use serde_json::{Value, json};
use shuttle::future::{block_on, yield_now};
use shuttle::sync::Mutex;
use shuttle::thread;
use shuttled_runtime::dyn_tool::DynTool;
use shuttled_runtime::executor::{Batch, Event, Executor, Halted};
use shuttled_runtime::tool::{Cancel, Context, Tool};
use shuttled_runtime::toolset::{Registry, Toolset};
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError};

const SCHEDULES: usize = 2_000;

fn saying(name: &'static str, value: u32) -> Arc<dyn Tool> {
    DynTool::builder()
        .name(name)
        .description("Says a number.")
        .handler_sync(move |_: Value, _| Ok::<_, ToolError>(value))
        .build()
        .unwrap()
}

fn names(tools: &Toolset) -> Vec<String> {
    let names = tools.definitions().map(|def| def.name.to_string());
    names.collect()
}

#[test]
fn no_change_of_a_registry_is_lost() {
    shuttle::check_random(
        || {
            let registry =
                Registry::from(Toolset::new([saying("shared", 0), saying("old", 0)]).unwrap());
            let before = registry.snapshot();
            let changers: Vec<_> = ["a", "b"]
                .into_iter()
                .map(|own| {
                    let registry = registry.clone();
                    thread::spawn(move || {
                        assert!(registry.insert(saying(own, 1)).is_none());
                        assert!(registry.insert(saying("shared", 1)).is_some());
                        assert!(registry.get(own).is_some());
                        // Two may try; one takes it out.
                        registry.remove("old").is_some()
                    })
                })
                .collect();
            let looker = {
                let registry = registry.clone();
                thread::spawn(move || {
                    let (first, second) = (registry.snapshot(), registry.snapshot());
                    // Nothing that was put in goes away again, and no name stands twice.
                    for name in ["a", "b", "shared"] {
                        assert!(second.get(name).is_some() || first.get(name).is_none());
                        assert!(names(&second).iter().filter(|found| *found == name).count() <= 1);
                    }
                    assert!(first.get("old").is_some() || second.get("old").is_none());
                })
            };
            let took: Vec<_> = changers
                .into_iter()
                .map(|one| one.join().unwrap())
                .collect();
            looker.join().unwrap();
            assert_eq!(took.iter().filter(|took| **took).count(), 1);
            let mut after = names(&registry.snapshot());
            assert_eq!(after.remove(0), "shared");
            after.sort();
            assert_eq!(after, ["a", "b"]);
            assert_eq!(names(&before), ["shared", "old"]);
        },
        SCHEDULES,
    );
}

#[test]
fn of_two_that_put_in_a_new_name_one_may() {
    shuttle::check_random(
        || {
            let registry = Registry::new();
            let other = registry.clone();
            let one = thread::spawn(move || other.insert_new(saying("new", 1)).is_ok());
            let mine = registry.insert_new(saying("new", 2)).is_ok();
            assert!(mine != one.join().unwrap());
            assert_eq!(names(&registry.snapshot()), ["new"]);
        },
        SCHEDULES,
    );
}

/// A tool that lets others go on a few times before it answers.
fn slow(ran: &Arc<AtomicUsize>) -> Arc<dyn Tool> {
    let ran = Arc::clone(ran);
    DynTool::builder()
        .name("slow")
        .description("Takes a while.")
        .handler(move |_: Value, _| {
            ran.fetch_add(1, Ordering::SeqCst);
            async {
                for _ in 0..3 {
                    yield_now().await;
                }
                Ok::<_, ToolError>(1)
            }
        })
        .build()
        .unwrap()
}

/// Whether each call was cancelled.
fn cancelled(batch: &Batch) -> Vec<bool> {
    let one = |result: &toolwright_provider::call::ToolResult| match &result.outcome {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Cancelled);
            true
        }
    };
    batch.results().map(one).collect()
}

#[test]
fn calls_that_finish_as_the_batch_is_cancelled_are_answered_once() {
    shuttle::check_random(
        || {
            for at_once in [1, 3] {
                let (ran, finished) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
                let count = Arc::clone(&finished);
                let executor = Executor::parallel(Toolset::new([slow(&ran)]).unwrap(), at_once)
                    .on_event(move |event| {
                        if let Event::Finished { .. } = event {
                            count.fetch_add(1, Ordering::SeqCst);
                        }
                    });
                let calls = ["1", "2", "3"].map(|id| ToolCall::new(id, "slow", "{}"));
                let stop = Cancel::new();
                let cx = Context::new().with_cancel(stop.clone());
                let firing = thread::spawn(move || {
                    thread::yield_now();
                    stop.cancel();
                });
                let batch = block_on(executor.run(&calls, &cx));
                firing.join().unwrap();
                let ids: Vec<_> = batch.results().map(|result| &*result.id).collect();
                assert_eq!(ids, ["1", "2", "3"]);
                assert_eq!(finished.load(Ordering::SeqCst), 3);
                let cancelled = cancelled(&batch);
                if cancelled.contains(&true) {
                    assert_eq!(batch.halted(), Some(&Halted::Cancelled));
                }
                // One after the other: behind a cancelled call nothing succeeds, nor runs.
                if at_once == 1 {
                    assert!(cancelled.is_sorted());
                    let done = cancelled.iter().filter(|cancelled| !**cancelled).count();
                    assert!((done..=done + 1).contains(&ran.load(Ordering::SeqCst)));
                }
            }
        },
        SCHEDULES,
    );
}

/// What a call waits for, and who waits.
#[derive(Default)]
struct Door {
    open: bool,
    waits: Option<Waker>,
}

/// A tool that waits until another thread lets it go on.
fn waiting(door: &Arc<Mutex<Door>>, name: &'static str) -> Arc<dyn Tool> {
    let door = Arc::clone(door);
    DynTool::builder()
        .name(name)
        .description("Waits.")
        .handler(move |_: Value, _| {
            let door = Arc::clone(&door);
            poll_fn(move |task| {
                let mut door = door.lock().unwrap();
                if door.open {
                    return Poll::Ready(Ok::<_, ToolError>(1));
                }
                door.waits = Some(task.waker().clone());
                Poll::Pending
            })
        })
        .build()
        .unwrap()
}

#[test]
fn calls_that_other_threads_wake_have_their_turn() {
    shuttle::check_random(
        || {
            for at_once in [1, 3] {
                let names = ["a", "b", "c"];
                let doors: [Arc<Mutex<Door>>; 3] = Default::default();
                let tools = doors.iter().zip(names);
                let tools = Toolset::new(tools.map(|(door, name)| waiting(door, name))).unwrap();
                let calls = names.map(|name| ToolCall::new(name, name, "{}"));
                let openers = doors.map(|door| {
                    thread::spawn(move || {
                        let waits = {
                            let mut door = door.lock().unwrap();
                            door.open = true;
                            door.waits.take()
                        };
                        // More than once, and after the call has ended.
                        if let Some(waits) = waits {
                            waits.wake_by_ref();
                            thread::yield_now();
                            waits.wake();
                        }
                    })
                });
                let executor = Executor::parallel(tools, at_once);
                let batch = block_on(executor.run(&calls, &Context::new()));
                let done = batch.results().filter(|result| result.is_success());
                assert_eq!(done.count(), 3);
                for opener in openers {
                    opener.join().unwrap();
                }
            }
        },
        SCHEDULES,
    );
}

/// A tool whose thread goes on when the tool has answered.
fn leaving(noted: &Arc<Mutex<Vec<thread::JoinHandle<bool>>>>) -> Arc<dyn Tool> {
    let noted = Arc::clone(noted);
    DynTool::builder()
        .name("leaving")
        .description("Leaves work behind.")
        .handler_sync(move |_: Value, cx| {
            let cx = cx.clone();
            let behind = thread::spawn(move || {
                let heard = cx.update_state("n", 1);
                // Not heard, it is told to stop or will be.
                let _ = cx.cancel();
                heard
            });
            noted.lock().unwrap().push(behind);
            Ok::<_, ToolError>(1)
        })
        .build()
        .unwrap()
}

#[test]
fn what_is_noted_is_known_and_what_comes_too_late_is_told_so() {
    shuttle::check_random(
        || {
            let behind = Arc::default();
            let executor = Executor::serial(Toolset::new([leaving(&behind)]).unwrap());
            let calls = [ToolCall::new("1", "leaving", "{}")];
            let batch = block_on(executor.run(&calls, &Context::new()));
            let behind = behind.lock().unwrap().pop().unwrap();
            let heard = behind.join().unwrap();
            let known = batch.state().and_then(|state| state.get("n"));
            assert_eq!(known, heard.then_some(&json!(1)));
        },
        SCHEDULES,
    );
}
