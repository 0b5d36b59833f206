//! Runs the code of a `background` tool in a task, as a separate batch.

use tokio::runtime::Handle;

use super::{Batch, DecidedCall, Executor, PendingReason, Reply};
use crate::tool::{Context, Decision, OpenCallHandle, OpenCalls, failed, key_of};
use crate::toolset::ToolEntry;
use toolwright_provider::call::{Outcome, StoredOutcome, ToolCall, ToolError};

/// Note for the model, until the result follows.
const NOTE: &str =
    "it has begun and goes on in the background; its result will follow in a message";

/// Starts the call's code in a task. Returns `None` if there is no runtime for it.
pub(super) async fn in_background(
    open: &OpenCalls,
    executor: &Executor,
    entry: &ToolEntry,
    call: &ToolCall,
    cx: &Context,
) -> Option<Result<Outcome, ToolError>> {
    let runtime = Handle::try_current().ok()?;
    let handle = match open.keep(call, cx).await {
        Ok(Some(handle)) => handle,
        // It has begun before.
        Ok(None) => return Some(Ok(noted(key_of(call, cx), cx))),
        Err(error) => return Some(Err(error)),
    };
    let executor = executor.of_background(entry, open.time_limit());
    let outcome = noted(handle.key().to_owned(), cx);
    let cx = cx.in_background(handle.call(), handle.cancel());
    let decided = [DecidedCall::new(call.clone(), 0, Decision::Approve)];
    runtime.spawn(async move {
        let batch = executor.run(&decided, &cx).await;
        end(handle, &batch).await;
    });
    Some(Ok(outcome))
}

/// Notes that the call stays open, until it is answered otherwise.
fn noted(key: String, cx: &Context) -> Outcome {
    cx.note_open(&key);
    Outcome::Open {
        key,
        note: NOTE.to_owned(),
    }
}

/// Ends the call with the result of its batch.
async fn end(handle: OpenCallHandle, batch: &Batch) {
    let unwritten = |_| failed("its result cannot be written");
    let outcome = match batch.calls().first() {
        Some(Reply::Answered(result)) => StoredOutcome::of(result)
            .map_or_else(unwritten, |outcome| {
                outcome.with_updates(batch.updates().to_vec())
            }),
        Some(Reply::Pending(pending)) => match &pending.reason {
            PendingReason::OutcomeUnknown(error) => return handle.leave_unknown(error),
            _ => failed("a layer asks somebody about a call that has begun"),
        },
        None => failed("it has no result"),
    };
    // The store's failure is not the call's: it has ended here in any case.
    let _ = handle.store(outcome).await;
}
