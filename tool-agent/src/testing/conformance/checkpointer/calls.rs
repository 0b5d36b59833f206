//! Checks of call records.

use toolwright_provider::call::ToolCall;

use super::{did, empty, history, put, same};
use crate::store::{Begin, Begun, CallRecord, CheckpointId, Checkpointer, End, NewCheckpoint};

fn call(id: &str) -> ToolCall {
    ToolCall::new(id, "pay", "{ \"to\": \"Øre \u{1f600}\",\n \"n\": 1.0 }")
}

/// Records a call that has no record yet.
pub(super) async fn begin(
    store: &impl Checkpointer,
    session: &str,
    after: CheckpointId,
    key: &str,
) -> u64 {
    match begin_as(store, session, after, key, &call(key), None).await {
        Begun::Recorded(revision) => revision,
        standing @ Begun::Standing(_) => {
            panic!("a call that nobody knows of is recorded, not {standing:?}")
        }
    }
}

/// Arguments of the model, for a call that runs again with others.
const WRITTEN: &str = "[\"as written\"]";

async fn begin_as(
    store: &impl Checkpointer,
    session: &str,
    after: CheckpointId,
    key: &str,
    call: &ToolCall,
    replaces: Option<u64>,
) -> Begun {
    let begin = Begin {
        session,
        after,
        key,
        call,
        model_arguments: replaces.map(|_| WRITTEN),
        replaces,
        lease: None,
    };
    did("a call that begins", store.begin_call(begin).await)
}

async fn end(store: &impl Checkpointer, session: &str, key: &str, revision: u64, outcome: &str) {
    let end = End {
        session,
        key,
        revision,
        outcome,
        lease: None,
    };
    let ended = store.end_call(end).await;
    did("a call that ends", ended);
}

async fn records(store: &impl Checkpointer, session: &str) -> Vec<CallRecord> {
    did("calls", store.calls(session).await)
}

/// Returns the record with this key.
async fn record(store: &impl Checkpointer, session: &str, key: &str) -> CallRecord {
    let records = records(store, session).await;
    match records.into_iter().find(|record| record.key == key) {
        Some(record) => record,
        None => panic!("the call `{key}` of `{session}` is recorded, and not listed"),
    }
}

pub(super) async fn are_recorded_once(store: &impl Checkpointer) {
    let after = did("a checkpoint", put(store, "calls", None).await);
    let first = begin(store, "calls", after, "k1").await;
    let second = begin(store, "calls", after, "k2").await;
    let running = CallRecord {
        key: "k1".to_owned(),
        call: call("k1"),
        model_arguments: None,
        revision: first,
        after,
        outcome: None,
    };
    same(
        "a call that runs",
        &record(store, "calls", "k1").await,
        &running,
    );
    let again = begin_as(store, "calls", after, "k1", &call("k1"), None).await;
    same(
        "the same call again",
        &again,
        &Begun::Standing(running.clone()),
    );

    // A person who has seen the record lets the call run again, with other arguments.
    let other = ToolCall::new("k1", "pay", "[]");
    let replaced = begin_as(store, "calls", after, "k1", &other, Some(first)).await;
    let Begun::Recorded(replaced) = replaced else {
        panic!("a record that was seen is replaced, not {replaced:?}");
    };
    same(
        "the revision of a record that is replaced",
        &replaced,
        &(first + 1),
    );
    let running = CallRecord {
        call: other.clone(),
        model_arguments: Some(WRITTEN.to_owned()),
        revision: replaced,
        ..running
    };
    end(store, "calls", "k1", first, "\"late\"").await;
    same(
        "a record after the end of the one that it replaced",
        &record(store, "calls", "k1").await,
        &running,
    );
    let again = begin_as(store, "calls", after, "k1", &other, Some(first)).await;
    same(
        "the same call, for a record that stands there no more",
        &again,
        &Begun::Standing(running.clone()),
    );

    end(store, "calls", "k1", replaced, "\"Øre\"").await;
    let ended = record(store, "calls", "k1").await;
    let expected = CallRecord {
        revision: replaced + 1,
        outcome: Some("\"Øre\"".to_owned()),
        ..running
    };
    same("a call that has ended", &ended, &expected);
    end(store, "calls", "k1", replaced, "\"twice\"").await;
    same(
        "a call that ends twice",
        &record(store, "calls", "k1").await,
        &expected,
    );
    let again = begin_as(store, "calls", after, "k1", &other, Some(replaced)).await;
    same(
        "a call that has ended since",
        &again,
        &Begun::Standing(expected),
    );

    overtaken(store, after, second).await;
}

/// Checks that an overtaken writer begins no call, and can still end the calls that it began: `k2`, in this revision.
async fn overtaken(store: &impl Checkpointer, after: CheckpointId, second: u64) {
    let newest = did("a checkpoint", put(store, "calls", Some(after)).await);
    for (what, replaces) in [("a new one", None), ("one again", Some(second))] {
        let key = if replaces.is_some() { "k2" } else { "k3" };
        let call = call(key);
        let begin = Begin {
            session: "calls",
            after,
            key,
            call: &call,
            model_arguments: None,
            replaces,
            lease: None,
        };
        match store.begin_call(begin).await {
            Err(error) if error.is_conflict() => {}
            result => panic!("who was overtaken and begins {what} meets a conflict: {result:?}"),
        }
    }
    end(store, "calls", "k2", second, "2").await;
    let ended = record(store, "calls", "k2").await.outcome;
    same(
        "a call that ends after others went on",
        &ended,
        &Some("2".to_owned()),
    );
    begin(store, "calls", newest, "k0").await;
    let keys = records(store, "calls").await;
    let keys: Vec<_> = keys.iter().map(|record| record.key.as_str()).collect();
    same(
        "calls in the order in which they first began",
        &keys,
        &vec!["k1", "k2", "k0"],
    );
}

pub(super) async fn belong_to_their_session(store: &impl Checkpointer) {
    let after = did("a checkpoint", put(store, "other", None).await);
    same(
        "the calls of a session that made none",
        &records(store, "other").await,
        &Vec::new(),
    );
    let revision = begin(store, "other", after, "k1").await;
    end(store, "other", "k1", revision, "null").await;
    let outcome = record(store, "calls", "k1").await.outcome;
    same(
        "a call after the end of another session's under the same key",
        &outcome,
        &Some("\"Øre\"".to_owned()),
    );
    did("delete", store.delete("other").await);
    same(
        "the calls of a session that is deleted",
        &records(store, "other").await,
        &Vec::new(),
    );
    same(
        "another session's calls then",
        &records(store, "calls").await.len(),
        &3,
    );
    // A writer that does not know of the deletion yet.
    end(store, "other", "k1", revision, "null").await;
    same(
        "the calls of a deleted session, of which one ends",
        &records(store, "other").await,
        &Vec::new(),
    );
}

/// Checks that a call begins together with its checkpoint, and neither is written where the writer was overtaken.
pub(super) async fn begin_with_their_checkpoint(store: &impl Checkpointer) {
    let first = did("a checkpoint", put(store, "both", None).await);
    let call = call("k");
    let write = async |after, key| {
        let new = NewCheckpoint {
            session: "both",
            ..empty(Some(after))
        };
        let begin = Begin {
            session: "both",
            after,
            key,
            call: &call,
            model_arguments: None,
            replaces: None,
            lease: None,
        };
        let (after, what) = store.put_and_begin(new, begin).await?;
        Ok(match what {
            Some(what) => (after, what),
            None => (after, store.begin_call(Begin { after, ..begin }).await?),
        })
    };
    let (second, begun) = did("a call with its checkpoint", write(first, "k").await);
    let Begun::Recorded(revision) = begun else {
        panic!("a call that nobody knows of is recorded with its checkpoint, not {begun:?}");
    };
    let expected = CallRecord {
        key: "k".to_owned(),
        call: call.clone(),
        model_arguments: None,
        revision,
        after: second,
        outcome: None,
    };
    let found = record(store, "both", "k").await;
    same("a call that began with its checkpoint", &found, &expected);
    match write(first, "k2").await {
        Err(error) if error.is_conflict() => {}
        result => {
            panic!("who was overtaken and begins with a checkpoint meets a conflict: {result:?}")
        }
    }
    let all = history(store, "both").await;
    same("the checkpoints of calls", &all, &vec![first, second]);
    let count = records(store, "both").await.len();
    same("the calls that began with a checkpoint", &count, &1);
    end(store, "both", "k", revision, "1").await;
    let (third, begun) = did(
        "the call again, with a checkpoint",
        write(second, "k").await,
    );
    let expected = CallRecord {
        revision: revision + 1,
        outcome: Some("1".to_owned()),
        ..expected
    };
    same(
        "a call that has ended, with a checkpoint",
        &begun,
        &Begun::Standing(expected),
    );
    let all = history(store, "both").await;
    same("the checkpoints then", &all, &vec![first, second, third]);
    did("delete", store.delete("both").await);
}
