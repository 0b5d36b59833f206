//! Checks of inboxes.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::{did, owned, put, same};
use crate::store::Checkpointer;

/// Number of concurrent senders.
const MANY: usize = 16;

async fn send(store: &impl Checkpointer, session: &str, message: &str) -> bool {
    did("send", store.send(session, message).await)
}

async fn inbox(store: &impl Checkpointer, session: &str, after: u64, most: usize) -> Vec<String> {
    did("inbox", store.inbox(session, after, most).await)
}

/// Checks the messages of sessions, one after the other.
pub(super) async fn keeps_messages(store: &impl Checkpointer) {
    let is_sent = send(store, "mail", "for nobody").await;
    same(
        "whether a session that is not there gets a message",
        &is_sent,
        &false,
    );
    let first = did("a session with messages", put(store, "mail", None).await);
    did("another session", put(store, "other", None).await);
    same(
        "the messages of nobody",
        &inbox(store, "mail", 0, 9).await,
        &Vec::new(),
    );
    let texts = ["one", "", "three\0\u{1f600}\n\"", "one"];
    for text in texts {
        let is_sent = send(store, "mail", text).await;
        same("whether a message was sent", &is_sent, &true);
    }
    let is_sent = send(store, "other", "for another").await;
    same("whether another was sent", &is_sent, &true);
    for (after, most) in [(0, 100), (1, 2), (3, 1), (4, 9), (9, 9), (0, 0)] {
        let expected: Vec<_> = texts.iter().skip(after).take(most).copied().collect();
        let found = inbox(store, "mail", after as u64, most).await;
        let what = format!("messages behind {after}, at most {most}");
        same(&what, &found, &owned(&expected));
    }
    // No message gets in the way of the one who holds the session.
    did(
        "a checkpoint behind messages",
        put(store, "mail", Some(first)).await,
    );
    same(
        "messages behind a checkpoint",
        &inbox(store, "mail", 3, 9).await,
        &owned(&["one"]),
    );
    did("delete", store.delete("mail").await);
    did("a session of that name", put(store, "mail", None).await);
    let found = inbox(store, "mail", 0, 9).await;
    same("messages of one that was deleted", &found, &Vec::new());
    for session in ["mail", "other"] {
        did("delete", store.delete(session).await);
    }
}

/// Checks that each of many messages that are sent at once arrives, in an order that stays.
pub(super) async fn takes_all<C: Checkpointer + 'static>(one: C, other: C) {
    let stores = [Arc::new(one), Arc::new(other)];
    let [reader, _] = &stores;
    did("a session", put(&**reader, "crowd", None).await);
    let mut senders = JoinSet::new();
    for (number, store) in stores.iter().cycle().take(MANY).cloned().enumerate() {
        senders.spawn(async move { send(&*store, "crowd", &number.to_string()).await });
    }
    let mut read = Vec::new();
    while read.len() < MANY {
        let next = inbox(&**reader, "crowd", read.len() as u64, 3).await;
        if next.is_empty() && senders.is_empty() {
            break;
        }
        read.extend(next);
        let _ = senders.try_join_next();
        tokio::task::yield_now().await;
    }
    let again = inbox(&**reader, "crowd", 0, 100).await;
    same(
        "what was read while many sent, and afterwards",
        &read,
        &again,
    );
    let mut numbers: Vec<usize> = read.iter().filter_map(|one| one.parse().ok()).collect();
    numbers.sort_unstable();
    same(
        "what many have sent at once",
        &numbers,
        &(0..MANY).collect(),
    );
    did("delete", reader.delete("crowd").await);
}
