//! Checks of a store, one per guarantee of the trait.

mod calls;
mod inbox;
mod leases;
mod races;

use std::fmt::Debug;
use std::sync::LazyLock;

use serde_json::{Map, json};

use crate::session::Node;
use crate::store::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Keep, Lease, NewCheckpoint, Written,
};

/// Checks that a store keeps the guarantees of its trait:
/// - Checkpoints are added only after the newest one, and are read back unchanged.
/// - Numbers grow and are never reused.
/// - A call is recorded once, also together with its checkpoint.
/// - A lease keeps other writers out, and a lost one writes nothing. This takes about a second.
/// - Messages of an inbox arrive once, and in their order.
/// - Old checkpoints are pruned, single ones deleted, and the rest stays as it was.
/// - One of several concurrent writers wins.
/// - Data is there when the store is opened again.
///
/// `open` opens the same store each time, which has to be empty at first. The suite calls it several times and uses
/// several handles concurrently, on tasks of the test's runtime. It cannot check that a write survives the end of the
/// process.
///
/// ```
/// use toolwright::agent::{MemoryCheckpointer, testing};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let store = MemoryCheckpointer::new();
/// testing::conformance::checkpointer(async || store.clone()).await;
/// # });
/// ```
///
/// # Panics
/// Panics if a guarantee does not hold, and outside of a tokio runtime with a clock.
pub async fn checkpointer<C: Checkpointer + 'static>(open: impl AsyncFn() -> C) {
    let store = open().await;
    let there = did("sessions", store.sessions(None, 1).await);
    assert!(
        there.is_empty(),
        "the suite begins with an empty store: {there:?} is there"
    );
    are_put_behind_the_newest(&store).await;
    come_back_as_they_were(&store).await;
    sessions_are_listed(&store).await;
    what_is_deleted_is_gone(&store).await;
    calls::are_recorded_once(&store).await;
    calls::belong_to_their_session(&store).await;
    calls::begin_with_their_checkpoint(&store).await;
    callers_take_theirs_with_them(&store).await;
    old_ones_are_pruned(&store).await;
    single_ones_are_deleted(&store).await;
    inbox::keeps_messages(&store).await;
    drop(store);
    races::one_wins(open().await, open().await).await;
    inbox::takes_all(open().await, open().await).await;
    leases::fence(&open().await, &open().await).await;
    is_there_for_the_next(&open).await;
}

/// Returns the value of an operation that must succeed.
fn did<T>(what: &str, result: Result<T, CheckpointError>) -> T {
    match result {
        Ok(done) => done,
        Err(error) => panic!("{what}: {error}"),
    }
}

#[track_caller]
fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) {
    assert!(found == expected, "{what}: {expected:?}, not {found:?}");
}

/// Returns an empty checkpoint.
fn empty<'a>(after: Option<CheckpointId>) -> NewCheckpoint<'a> {
    static NOTHING: LazyLock<Map<String, serde_json::Value>> = LazyLock::new(Map::new);
    NewCheckpoint {
        session: "",
        after,
        parent: after,
        written: Written::Update,
        next: Node::Model,
        at_ms: 0,
        metadata: &NOTHING,
        body: "{}",
        caller: None,
        lease: Lease::None,
    }
}

/// Writes an empty checkpoint.
async fn put(
    store: &impl Checkpointer,
    session: &str,
    after: Option<CheckpointId>,
) -> Result<CheckpointId, CheckpointError> {
    let new = NewCheckpoint {
        session,
        ..empty(after)
    };
    store.put(new).await
}

fn ids(checkpoints: &[Checkpoint]) -> Vec<CheckpointId> {
    checkpoints.iter().map(|one| one.id).collect()
}

async fn history(store: &impl Checkpointer, session: &str) -> Vec<CheckpointId> {
    ids(&did("history", store.history(session).await))
}

async fn are_put_behind_the_newest(store: &impl Checkpointer) {
    let first = did("a session's first checkpoint", put(store, "a", None).await);
    let other = did("another session's", put(store, "b", None).await);
    let second = put(store, "a", Some(first)).await;
    let second = did("a checkpoint behind the newest one", second);
    assert!(
        first < other && other < second,
        "numbers grow, over all sessions: {first}, {other}, {second}"
    );

    let cases = [
        ("behind an older one", "a", Some(first), Some(second)),
        ("as if there were none", "a", None, Some(second)),
        ("behind another session's", "a", Some(other), Some(second)),
        ("behind one, where there is none", "c", Some(second), None),
    ];
    for (what, of, after, newest) in cases {
        match put(store, of, after).await {
            Err(CheckpointError::Conflict {
                session,
                expected,
                found,
            }) => same(
                &format!("the conflict of a checkpoint {what}"),
                &(session.as_str(), expected, found),
                &(of, after, newest),
            ),
            result => panic!("a checkpoint {what} is a conflict, not {result:?}"),
        }
    }
    let kept = [history(store, "a").await, history(store, "c").await];
    same(
        "what is kept after conflicts",
        &kept,
        &[vec![first, second], Vec::new()],
    );
    let latest = did("latest", store.latest("a").await);
    same("the newest one", &latest.map(|one| one.id), &Some(second));
    let latest = did("latest", store.latest("c").await);
    same("the newest one where there is none", &latest, &None);
}

/// Checks all fields of a checkpoint, with all kinds of values.
async fn come_back_as_they_were(store: &impl Checkpointer) {
    let metadata = [
        Map::new(),
        Map::from_iter([
            ("title".to_owned(), json!("Øre \u{1f600} \"'\\ %_\n")),
            ("tags".to_owned(), json!([1, 2.5, null, {"": []}])),
        ]),
    ];
    let long = format!("{{\"text\":\"{}\"}}", "é".repeat(600_000));
    let bodies = ["{}", "{\"a\":\"Øre \u{1f600} ''\\n\"}", &long];
    let (session, mut all) = ("Øre \u{1f600} %_'\"\\", Vec::<Checkpoint>::new());
    for (place, written) in Written::ALL.into_iter().enumerate() {
        let nodes = [Node::Model, Node::Tools, Node::End];
        let newest = all.last().map(|one| one.id);
        let mut one = Checkpoint {
            // The store assigns it.
            id: CheckpointId::new(0),
            session: session.to_owned(),
            // A branch continues an older checkpoint.
            parent: if place == 4 {
                all.first().map(|one| one.id)
            } else {
                newest
            },
            written,
            next: at(&nodes, place),
            at_ms: 1_700_000_000_123 + place as u64,
            metadata: at(&metadata, place),
            body: at(&bodies, place).to_owned(),
        };
        let new = NewCheckpoint {
            session,
            after: newest,
            parent: one.parent,
            written,
            next: one.next,
            at_ms: one.at_ms,
            metadata: &one.metadata,
            body: &one.body,
            caller: None,
            lease: Lease::None,
        };
        one.id = did("a checkpoint", store.put(new).await);
        let latest = did("latest", store.latest(session).await);
        same("the newest one", &latest, &Some(one.clone()));
        all.push(one);
    }
    for one in &all {
        let found = did("get", store.get(one.id).await);
        same("one of a number", &found.as_ref(), &Some(one));
    }
    let found = did("history", store.history(session).await);
    same("all of a session, the oldest first", &found, &all);
    let nobody = CheckpointId::new(1 << 40);
    let found = did("get", store.get(nobody).await);
    same("one of a number that was never given", &found, &None);
    did("delete", store.delete(session).await);
}

/// Returns one of a few values, in rotation.
fn at<T: Clone>(of: &[T], place: usize) -> T {
    match of.iter().cycle().nth(place) {
        Some(one) => one.clone(),
        None => panic!("none to take"),
    }
}

/// Checks the order of sessions: by code points, which a database's collation may change.
async fn sessions_are_listed(store: &impl Checkpointer) {
    let mut names = ["", "B", "a", "a ", "a b", "aa", "b", "ä", "\u{1f600}"];
    for name in ["B", "a ", "\u{1f600}", "aa", "ä", "", "a b"] {
        did("a session of any name", put(store, name, None).await);
    }
    names.sort_unstable();
    let all = did("sessions", store.sessions(None, 100).await);
    same("sessions in the order of their text", &all, &owned(&names));
    for (after, most) in [(None, 3), (Some("a"), 2), (Some("a "), 100), (Some("A"), 1)] {
        let behind = names
            .iter()
            .filter(|name| after.is_none_or(|after| **name > after));
        let behind: Vec<_> = behind.take(most).copied().collect();
        let found = did("sessions", store.sessions(after, most).await);
        let what = format!("sessions behind {after:?}, at most {most}");
        same(&what, &found, &owned(&behind));
    }
    let none = did("sessions", store.sessions(Some("\u{1f600}"), 9).await);
    same("sessions behind the last one", &none, &Vec::new());
    let none = did("sessions", store.sessions(None, 0).await);
    same("at most no sessions", &none, &Vec::new());
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

async fn what_is_deleted_is_gone(store: &impl Checkpointer) {
    let before = did("latest", store.latest("a").await).map(|one| one.id);
    let last = did("a checkpoint", put(store, "a", before).await);
    let gone = did("delete", store.delete("a").await);
    same("whether something was deleted", &gone, &true);
    let gone = did("delete", store.delete("a").await);
    same("whether something was deleted again", &gone, &false);
    same(
        "what is deleted, by its session",
        &history(store, "a").await,
        &Vec::new(),
    );
    let found = did("get", store.get(last).await);
    same("what is deleted, by its number", &found, &None);
    let names = did("sessions", store.sessions(None, 100).await);
    assert!(
        !names.iter().any(|name| name == "a") && names.iter().any(|name| name == "a "),
        "a session that is deleted is not listed, and others are: {names:?}"
    );
    match put(store, "a", Some(last)).await {
        Err(error) if error.is_conflict() => {}
        result => panic!("behind one that is deleted is a conflict, not {result:?}"),
    }
    let again = did("a deleted session's name", put(store, "a", None).await);
    assert!(
        again > last,
        "a number is not given again, though {last} is deleted: {again}"
    );
}

async fn callers_take_theirs_with_them(store: &impl Checkpointer) {
    let ids = [
        ("outer", None),
        ("inner", Some("outer")),
        ("innermost", Some("inner")),
        ("other", None),
    ];
    for (session, caller) in ids {
        let new = NewCheckpoint {
            session,
            caller,
            ..empty(None)
        };
        let first = did("a session with a caller", store.put(new).await);
        calls::begin(store, session, first, "k").await;
        // A later checkpoint does not say the caller again.
        let new = NewCheckpoint {
            session,
            ..empty(Some(first))
        };
        did("a session with a caller, again", store.put(new).await);
    }
    let gone = did("delete", store.delete("outer").await);
    same(
        "whether a session with inner ones was deleted",
        &gone,
        &true,
    );
    let left: Vec<_> = did("sessions", store.sessions(None, 100).await);
    let left = ids.map(|(id, _)| left.iter().any(|left| left == id));
    let what = "whether a session is left once that which called it is deleted, and one that nobody called";
    same(what, &left, &[false, false, false, true]);
    let calls = did("calls", store.calls("innermost").await);
    same(
        "the calls of an inner session that is deleted",
        &calls,
        &Vec::new(),
    );
    did("delete", store.delete("other").await);
}

async fn old_ones_are_pruned(store: &impl Checkpointer) {
    let bodies = [
        "{\"t\":[\"Øre\"]}",
        "{\"t\":[\"Øre\",1]}",
        "{\"t\":[\"Øre\",1,2]}",
        "{\"t\":[]}",
        "{\"t\":[3]}",
    ];
    let mut newest = None;
    for (body, at_ms) in bodies.iter().zip([10, 20, 30, 20, 50]) {
        let new = NewCheckpoint {
            session: "old",
            body,
            at_ms,
            ..empty(newest)
        };
        newest = Some(did("a checkpoint", store.put(new).await));
    }
    let mut all = did("history", store.history("old").await);
    let keep = |newest, since_ms| Keep { newest, since_ms };
    let cases = [
        (keep(10, u64::MAX), 0, "fewer than are kept"),
        (keep(0, 10), 0, "none that are old"),
        (keep(4, u64::MAX), 1, "all but four"),
        (keep(0, 30), 1, "those before one that is kept by its time"),
        (keep(0, u64::MAX), 2, "all but the newest"),
        (keep(0, u64::MAX), 0, "the newest alone"),
    ];
    for (keep, expected, what) in cases {
        let pruned = did("prune", store.prune("old", keep).await);
        same(&format!("how many are pruned: {what}"), &pruned, &expected);
        all.drain(..expected);
        let left = did("history", store.history("old").await);
        same(
            &format!("what is left once some are pruned: {what}"),
            &left,
            &all,
        );
        for one in &all {
            let found = did("get", store.get(one.id).await);
            same(
                "one that is left, by its number",
                &found.as_ref(),
                &Some(one),
            );
        }
    }
    let next = did(
        "a checkpoint after some were pruned",
        put(store, "old", newest).await,
    );
    let latest = did("latest", store.latest("old").await);
    same(
        "the newest one then",
        &latest.map(|one| one.id),
        &Some(next),
    );
    let none = did("prune", store.prune("nobody", keep(0, u64::MAX)).await);
    same("how many are pruned where there is no session", &none, &0);
    did("delete", store.delete("old").await);
}

async fn single_ones_are_deleted(store: &impl Checkpointer) {
    let bodies = ["[1]", "[1,2]", "[1,2,3]", "[1,2,3,4]", "[5]"];
    let mut newest = None;
    for body in bodies {
        let new = NewCheckpoint {
            session: "one",
            body,
            ..empty(newest)
        };
        newest = Some(did("a checkpoint", store.put(new).await));
    }
    let other = did("another session's", put(store, "another", None).await);
    let other = did(
        "another session's",
        put(store, "another", Some(other)).await,
    );
    let mut all = did("history", store.history("one").await);
    let deletes = async |id| {
        did(
            "delete_checkpoint",
            store.delete_checkpoint("one", id).await,
        )
    };
    for place in [1, 0, 1] {
        let one = all.remove(place).id;
        same("whether one is deleted", &deletes(one).await, &true);
        let left = did("history", store.history("one").await);
        same("what is left once one is deleted", &left, &all);
        same("whether one is deleted again", &deletes(one).await, &false);
        let found = did("get", store.get(one).await);
        same("one that is deleted, by its number", &found, &None);
        for one in &all {
            let found = did("get", store.get(one.id).await);
            let what = "one that is left, by its number";
            same(what, &found.as_ref(), &Some(one));
        }
    }
    if let Some(newest) = newest {
        let what = "whether the newest one is deleted";
        same(what, &deletes(newest).await, &false);
    }
    let what = "whether one of another session is deleted";
    same(what, &deletes(other).await, &false);
    let next = did(
        "a checkpoint after some were deleted",
        put(store, "one", newest).await,
    );
    let latest = did("latest", store.latest("one").await);
    same(
        "the newest one then",
        &latest.map(|one| one.id),
        &Some(next),
    );
    did("delete", store.delete("one").await);
    did("delete", store.delete("another").await);
}

async fn is_there_for_the_next<C: Checkpointer>(open: &impl AsyncFn() -> C) {
    let store = open().await;
    let id = did("a checkpoint", put(&store, "kept", None).await);
    calls::begin(&store, "kept", id, "k").await;
    drop(store);
    let store = open().await;
    same(
        "what is there for whoever opens the store next",
        &history(&store, "kept").await,
        &vec![id],
    );
    let calls = did("calls", store.calls("kept").await);
    same("calls that are there then", &calls.len(), &1);
    did("delete", store.delete("kept").await);
    drop(store);
    let again = did("a checkpoint", put(&open().await, "kept", None).await);
    assert!(
        again > id,
        "a number is not given again by whoever opens the store next, though {id} is deleted: {again}"
    );
}
