//! Checks of leases.

use std::time::Duration;

use toolwright_provider::call::ToolCall;

use super::{calls, did, empty, put, same};
use crate::store::{
    Begin, Begun, CheckpointError, CheckpointId, Checkpointer, End, Lease, NewCheckpoint,
};

/// Time of a lease that does not end during a check.
const LONG: Duration = Duration::from_mins(10);
/// Time of a lease whose end a check waits for.
const SHORT: Duration = Duration::from_millis(300);

async fn write(
    store: &impl Checkpointer,
    after: Option<CheckpointId>,
    lease: Lease,
) -> Result<CheckpointId, CheckpointError> {
    let new = NewCheckpoint {
        session: "leased",
        lease,
        ..empty(after)
    };
    store.put(new).await
}

async fn begin(
    store: &impl Checkpointer,
    after: CheckpointId,
    key: &str,
    lease: Option<CheckpointId>,
) -> Result<Begun, CheckpointError> {
    let call = ToolCall::new(key, "pay", "{}");
    let begin = Begin {
        session: "leased",
        after,
        key,
        call: &call,
        model_arguments: None,
        replaces: None,
        lease,
    };
    store.begin_call(begin).await
}

async fn end(
    store: &impl Checkpointer,
    key: &str,
    lease: Option<CheckpointId>,
) -> Result<(), CheckpointError> {
    let end = End {
        session: "leased",
        key,
        revision: 1,
        outcome: "1",
        lease,
    };
    store.end_call(end).await
}

async fn outcome(store: &impl Checkpointer, key: &str) -> Option<String> {
    let records = did("calls", store.calls("leased").await);
    let record = records.into_iter().find(|record| record.key == key);
    record.and_then(|record| record.outcome)
}

#[track_caller]
fn is_held<T>(what: &str, result: Result<T, CheckpointError>, most: Duration) {
    match result {
        Err(CheckpointError::Held { session, left }) => {
            same(
                "the session whose lease is held",
                &session.as_str(),
                &"leased",
            );
            assert!(
                !left.is_zero() && left <= most,
                "{what}: the lease has {left:?} left of {most:?}"
            );
        }
        Err(error) => panic!("{what}: somebody holds the lease, not `{error}`"),
        Ok(_) => panic!("{what}: somebody holds the lease"),
    }
}

#[track_caller]
fn is_lost<T>(what: &str, result: Result<T, CheckpointError>) {
    match result {
        Err(CheckpointError::LeaseLost { session }) => {
            same(
                "the session whose lease is lost",
                &session.as_str(),
                &"leased",
            );
        }
        Err(error) => panic!("{what}: the lease is lost, not `{error}`"),
        Ok(_) => panic!("{what}: the lease is lost"),
    }
}

/// Checks that a session that is not there has no lease to keep.
async fn unknown_sessions_have_none(store: &impl Checkpointer) {
    let token = CheckpointId::new(1);
    for (what, lease) in [
        ("kept", Lease::Keep(token, LONG)),
        ("released", Lease::Release(token)),
    ] {
        let what = format!("a lease of an unknown session that is {what}");
        is_lost(&what, write(store, None, lease).await);
        is_lost(&what, write(store, Some(token), lease).await);
    }
    is_lost(
        "a call in an unknown session",
        begin(store, token, "k0", Some(token)).await,
    );
    let there = did("a session", store.latest("leased").await);
    same("the session after refused writes", &there, &None);
}

pub(super) async fn fence(store: &impl Checkpointer, other: &impl Checkpointer) {
    let first = write(store, None, Lease::Take(LONG)).await;
    let first = did("a checkpoint that takes the lease", first);
    let before = Some(first);
    for (what, lease) in [
        ("without one", Lease::None),
        ("that takes it", Lease::Take(LONG)),
    ] {
        is_held(
            &format!("a checkpoint {what}"),
            write(other, before, lease).await,
            LONG,
        );
        // They have seen an older state, and hear of the lease all the same.
        is_held(
            &format!("a checkpoint {what}, behind none"),
            write(other, None, lease).await,
            LONG,
        );
    }
    is_held("a call", begin(other, first, "k0", None).await, LONG);
    let begun = did(
        "a call of the holder",
        begin(store, first, "k1", before).await,
    );
    same("a call of the holder", &begun, &Begun::Recorded(1));
    let second = did(
        "the holder",
        write(store, before, Lease::Keep(first, LONG)).await,
    );
    did(
        "the holder renews",
        store.renew("leased", first, LONG).await,
    );

    // A lease ends by itself. It is kept as long as nobody takes another.
    did("a short time", store.renew("leased", first, SHORT).await);
    is_held(
        "before the end",
        write(other, Some(second), Lease::None).await,
        SHORT,
    );
    tokio::time::sleep(SHORT * 2).await;
    did("the holder, late", store.renew("leased", first, LONG).await);
    is_held(
        "after it was renewed",
        write(other, Some(second), Lease::None).await,
        LONG,
    );
    did("a short time", store.renew("leased", first, SHORT).await);
    tokio::time::sleep(SHORT * 2).await;
    let third = write(other, Some(second), Lease::Take(LONG)).await;
    let third = did("another, after the end of the lease", third);
    stale_writes_fail(store, other, first, third).await;
    unknown_sessions_have_none(store).await;
}

/// Checks that whoever sleeps past its lease, `first`, writes nothing after another took one, `third`. Then leases end in
/// other ways.
async fn stale_writes_fail(
    store: &impl Checkpointer,
    other: &impl Checkpointer,
    first: CheckpointId,
    third: CheckpointId,
) {
    let stale = Some(first);
    is_lost(
        "a checkpoint",
        write(store, stale, Lease::Keep(first, LONG)).await,
    );
    is_lost(
        "a last checkpoint",
        write(store, Some(third), Lease::Release(first)).await,
    );
    is_lost("a renewal", store.renew("leased", first, LONG).await);
    is_lost(
        "a release",
        store.renew("leased", first, Duration::ZERO).await,
    );
    is_lost("a call", begin(store, third, "k2", stale).await);
    is_lost("the end of a call", end(store, "k1", stale).await);
    same(
        "the outcome of a call whose run lost its lease",
        &outcome(store, "k1").await,
        &None,
    );
    did("the end of an open call", end(store, "k1", None).await);
    let ended = outcome(store, "k1").await;
    same("the outcome of an open call", &ended, &Some("1".to_owned()));

    // A person who knows that the holder is dead.
    let fourth = write(store, Some(third), Lease::TakeOver(LONG)).await;
    let fourth = did("a checkpoint that takes over", fourth);
    is_lost(
        "the holder before",
        write(other, Some(fourth), Lease::Keep(third, LONG)).await,
    );
    let fifth = write(store, Some(fourth), Lease::Release(fourth)).await;
    let fifth = did("a checkpoint that releases the lease", fifth);
    is_lost(
        "one that is released",
        write(store, Some(fifth), Lease::Keep(fourth, LONG)).await,
    );
    is_lost(
        "one that is released",
        store.renew("leased", fourth, LONG).await,
    );
    let sixth = did("nobody's lease", put(other, "leased", Some(fifth)).await);
    let seventh = did(
        "a new one",
        write(other, Some(sixth), Lease::Take(LONG)).await,
    );
    did(
        "a release",
        other.renew("leased", seventh, Duration::ZERO).await,
    );
    calls::begin(store, "leased", seventh, "k3").await;
    // A lease of another session is none of this one.
    let elsewhere = did("another session", put(store, "unleased", None).await);
    is_lost(
        "another session's",
        write(store, Some(seventh), Lease::Keep(elsewhere, LONG)).await,
    );
    is_lost("none's", store.renew("leased", elsewhere, LONG).await);
    for session in ["leased", "unleased"] {
        did("delete", store.delete(session).await);
    }
    is_lost(
        "of a deleted session",
        store.renew("leased", seventh, LONG).await,
    );
}
