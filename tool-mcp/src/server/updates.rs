//! Notifications of changes.

use std::collections::HashSet;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use toolwright_json::{ObjectWriter, list, quoted};
use toolwright_runtime::toolset::Changes;

use super::Shared;
use super::catalog::OfferSet;
use crate::protocol::{Id, key, notification};

/// Notifies subscribed clients that a resource changed: see [`McpServer::updates`](super::McpServer::updates). Clones share
/// one channel. A client that is more than 256 updates behind misses the oldest.
#[derive(Debug, Clone)]
pub struct ResourceUpdates(broadcast::Sender<String>);

/// So many updates may wait for a client that does not read; of more the oldest are not told.
const MOST_WAITING: usize = 256;

impl Default for ResourceUpdates {
    fn default() -> Self {
        Self(broadcast::channel(MOST_WAITING).0)
    }
}

impl ResourceUpdates {
    /// Creates a handle.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells the clients that subscribed to the resource of this URI.
    pub fn updated(&self, uri: impl Into<String>) {
        // Nobody may have.
        let _ = self.0.send(uri.into());
    }
}

/// The changes that a client wants to hear of.
#[derive(Debug, Clone, Default)]
pub(super) struct Filter {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    /// Resources by their URIs.
    pub(super) uris: HashSet<String>,
}

/// So many resources may a client subscribe to.
pub(super) const MOST_SUBSCRIPTIONS: usize = 1_024;

/// The longest URI of a subscription, in bytes.
pub(super) const MOST_URI: usize = 8 * 1024;

impl Filter {
    /// As a filter of notifications.
    pub(super) fn to_json(&self) -> String {
        let lists = [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ];
        let wanted = lists.into_iter().filter(|(_, wants)| *wants);
        let mut filter = wanted.fold(ObjectWriter::new(), |object, (key, _)| {
            object.json(key, "true")
        });
        if !self.uris.is_empty() {
            let mut uris: Vec<_> = self.uris.iter().map(|uri| quoted(uri)).collect();
            uris.sort_unstable();
            filter = filter.json("resourceSubscriptions", &list(uris));
        }
        filter.end()
    }
}

/// Changes, from now on.
pub(super) struct Subscription {
    tools: Changes,
    prompts: Option<Changes>,
    resources: Option<Changes>,
    updates: broadcast::Receiver<String>,
    /// In the `_meta` of each note.
    id: Option<Id>,
}

impl Subscription {
    pub(super) fn new(shared: &Shared, id: Option<Id>) -> Self {
        let of = |catalog: &Option<OfferSet>| catalog.as_ref().map(|one| one.registry.changes());
        Self {
            tools: shared.registry.changes(),
            prompts: of(&shared.prompts),
            resources: of(&shared.resources),
            updates: shared.updates.0.subscribe(),
            id,
        }
    }

    /// The next note for a client. `wants` is looked at when something changes, and `may_read` when a resource does.
    pub(super) async fn next(
        &mut self,
        wants: impl Fn() -> Filter,
        may_read: impl Fn(&str) -> bool,
    ) -> String {
        loop {
            tokio::select! {
                () = self.tools.changed() => if wants().tools {
                    return self.note("notifications/tools/list_changed", None);
                },
                () = changed(&mut self.prompts) => if wants().prompts {
                    return self.note("notifications/prompts/list_changed", None);
                },
                () = changed(&mut self.resources) => if wants().resources {
                    return self.note("notifications/resources/list_changed", None);
                },
                update = self.updates.recv() => match update {
                    Ok(uri) if wants().uris.contains(&uri) && may_read(&uri) => {
                        return self.note("notifications/resources/updated", Some(&uri));
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => std::future::pending().await,
                },
            }
        }
    }

    fn note(&self, method: &str, uri: Option<&str>) -> String {
        let params = match &self.id {
            Some(id) => of_subscription(ObjectWriter::new(), id),
            None => ObjectWriter::new(),
        };
        notification(method, &params.maybe_text("uri", uri).end())
    }
}

/// Marks parameters or a result as those of a subscription.
pub(super) fn of_subscription(object: ObjectWriter, id: &Id) -> ObjectWriter {
    object.object("_meta", |meta| meta.json(key::SUBSCRIPTION, id.as_json()))
}

async fn changed(changes: &mut Option<Changes>) {
    match changes {
        Some(changes) => changes.changed().await,
        None => std::future::pending().await,
    }
}
