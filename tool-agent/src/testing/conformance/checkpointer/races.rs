//! Checks with concurrent writers.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::task::JoinSet;
use toolwright_provider::call::ToolCall;

use super::{did, history, put, same};
use crate::store::{Begin, Begun, Checkpointer};

/// Number of concurrent writers.
const MANY: usize = 16;

pub(super) async fn one_wins<C: Checkpointer + 'static>(one: C, other: C) {
    let stores = [Arc::new(one), Arc::new(other)];
    let store = || stores.iter().cycle().take(MANY).cloned();

    // The checkpoints of one session.
    let mut newest = None;
    for _ in 0..4 {
        let after = newest;
        let put = store().map(|store| async move { put(&store, "race", after).await });
        let mut won = Vec::new();
        for result in all(put).await {
            match result {
                Ok(id) => won.push(id),
                Err(error) => assert!(
                    error.is_conflict(),
                    "of many who put a checkpoint at once all but one meet a conflict: {error}"
                ),
            }
        }
        same(
            "how many of those who put a checkpoint at once did",
            &won.len(),
            &1,
        );
        newest = won.pop();
    }
    let [store_here, ..] = &stores;
    same(
        "how many checkpoints are kept then",
        &history(store_here, "race").await.len(),
        &4,
    );

    // The beginning of one call.
    let Some(after) = newest else { return };
    let all_begin = store().map(|store| async move {
        let call = ToolCall::new("c", "pay", "{}");
        let begin = Begin {
            session: "race",
            after,
            key: "k",
            call: &call,
            model_arguments: None,
            replaces: None,
            lease: None,
        };
        did(
            "a call that many begin at once",
            store.begin_call(begin).await,
        )
    });
    let begun = all(all_begin).await;
    let recorded = begun
        .iter()
        .filter(|begun| matches!(begun, Begun::Recorded(_)));
    same(
        "how many of those who begin a call at once do",
        &recorded.count(),
        &1,
    );

    // Sessions of their own.
    let put = store().enumerate().map(|(place, store)| async move {
        let put = put(&store, &format!("race {place}"), None).await;
        did("one of many sessions at once", put)
    });
    let ids: BTreeSet<_> = all(put).await.into_iter().collect();
    same(
        "how many numbers as many checkpoints have",
        &ids.len(),
        &MANY,
    );
}

/// Runs all futures, each on a task of its own, and returns their outputs.
async fn all<T: Send + 'static>(
    work: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    work.collect::<JoinSet<_>>().join_all().await
}
