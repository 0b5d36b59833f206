use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{CallSpan, Offloaded, OwnedCall, ToolEntry, contained};
use crate::dyn_tool::DynTool;
use crate::tool::{Context, Tool};
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError};
use toolwright_schema::decode::Arena;

/// A call that counts how often it runs.
fn counted(ran: &Arc<AtomicUsize>) -> Result<OwnedCall, Box<dyn std::error::Error>> {
    let ran = Arc::clone(ran);
    let tool = DynTool::builder().name("count").description("Counts.");
    let tool = tool.handler_sync(move |_: serde_json::Value, _| {
        ran.fetch_add(1, Ordering::SeqCst);
        Ok::<_, ToolError>(())
    });
    let tool: Arc<dyn Tool> = tool.build()?;
    Ok(OwnedCall {
        entry: ToolEntry::new(tool),
        call: ToolCall::new("1", "count", "{}"),
        cx: Context::new(),
        index: 0,
        is_stored: false,
        approval: None,
        arena: Arc::new(Arena::new()),
        span: CallSpan::default(),
        _place: None,
    })
}

/// No test from outside can cause this: no thread could be started, and a moment later there is one.
#[test]
fn work_that_another_thread_took_first_is_answered_with_what_it_came_to()
-> Result<(), Box<dyn std::error::Error>> {
    let ran = Arc::new(AtomicUsize::new(0));
    let answer = Offloaded::thread(counted(&ran)?, None, |run| {
        contained(|| {
            assert!(thread::spawn(run).join().is_ok());
            panic!("no thread");
        })
    });
    assert!(crate::tool::wait(answer).flatten().is_ok());
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn work_that_was_taken_back_does_not_begin() -> Result<(), Box<dyn std::error::Error>> {
    let ran = Arc::new(AtomicUsize::new(0));
    let mut kept = None;
    let answer = Offloaded::thread(counted(&ran)?, None, |run| {
        kept = Some(run);
        Err("no thread")
    });
    if let Some(run) = kept.take() {
        run();
    }
    let error = crate::tool::wait(answer).flatten();
    assert_eq!(
        error.map_err(|error| error.kind()).err(),
        Some(ErrorKind::NotStarted)
    );
    assert_eq!(ran.load(Ordering::SeqCst), 0);
    // Dropped work does not begin, either.
    drop(Offloaded::thread(counted(&ran)?, None, |run| {
        kept = Some(run);
        Ok::<_, ToolError>(())
    }));
    if let Some(run) = kept {
        run();
    }
    assert_eq!(ran.load(Ordering::SeqCst), 0);
    Ok(())
}
