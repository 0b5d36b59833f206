//! A client, and what passes between it and the server beside calls.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use toolwright_json::ObjectWriter;
use toolwright_runtime::tool::Cancel;

use super::incoming::Incoming;
use super::requests::Requests;
use super::sink::Sink;
use super::updates::{Filter, MOST_SUBSCRIPTIONS, MOST_URI};
use crate::protocol::{Fields, Id, RpcError, Version, code, notification, request};

/// The longest JSON of what a client can do, in bytes.
const MOST_CAPABILITIES: usize = 64 * 1024;

/// Time that an answer may take, once it was read, to whoever waits for it.
const STILL_HEARD: Duration = Duration::from_millis(500);

/// A client on a pipe, or in a session over HTTP.
#[derive(Default)]
pub(super) struct Peer {
    /// Made where it is asked for.
    id: OnceLock<String>,
    hello: Mutex<Option<Handshake>>,
    logs: AtomicBool,
    watches: AtomicBool,
    /// URIs of resources.
    subscribed: Mutex<HashSet<String>>,
    pub(super) requests: Arc<Requests>,
    /// Questions to the client, and who waits for the answers.
    asked: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    last_asked: AtomicU64,
    /// Nothing that the client says is heard any more.
    pub(super) hung_up: Cancel,
}

/// JSON of a result or of an error.
type Answer = Result<String, String>;

/// A client's description of itself.
#[derive(Clone)]
pub(super) struct Handshake {
    pub(super) version: Version,
    pub(super) capabilities: Arc<Capabilities>,
}

/// A client's capabilities: an object's JSON.
#[derive(Default)]
pub(super) struct Capabilities(String);

impl Capabilities {
    /// # Errors
    /// If they are too long to be kept.
    pub(super) fn new(json: &str) -> Result<Self, RpcError> {
        if json.len() > MOST_CAPABILITIES {
            let words =
                format!("the client's capabilities are longer than {MOST_CAPABILITIES} bytes");
            return Err(RpcError::invalid_params(words));
        }
        Ok(Self(json.to_owned()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.fields().some(name).is_some()
    }

    pub(super) fn has_extension(&self, name: &str) -> bool {
        let all = self.fields().object("extensions");
        all.is_some_and(|all| all.some(name).is_some())
    }

    /// Returns true if the client asks its user by forms; one that names no form of asking means these.
    pub(super) fn can_ask(&self) -> bool {
        let asks = self.fields().object("elicitation");
        asks.is_some_and(|asks| asks.some("form").is_some() || asks.some("url").is_none())
    }

    fn fields(&self) -> Fields<'_> {
        Fields::of(&self.0).unwrap_or_default()
    }
}

impl Peer {
    pub(super) fn on_a_pipe() -> Self {
        Self {
            requests: Arc::new(Requests::on_a_pipe()),
            ..Self::default()
        }
    }

    /// Returns its calls' name for it: another one each time, in this process and in others.
    pub(super) fn id(&self) -> &str {
        self.id.get_or_init(fresh_id)
    }

    pub(super) fn greet(&self, hello: Handshake) {
        *self.said() = Some(hello);
    }

    /// Returns the client's greeting, if it greeted.
    pub(super) fn hello(&self) -> Option<Handshake> {
        self.said().clone()
    }

    #[cfg(feature = "server-http")]
    pub(super) fn is_before(&self, version: Version) -> bool {
        self.hello().is_some_and(|hello| hello.version < version)
    }

    /// Returns true if the client begins to hear of changes, which it does once.
    pub(super) fn starts_to_watch(&self) -> bool {
        !self.watches.swap(true, Ordering::Relaxed)
    }

    /// Begins, or ends, a subscription to the resource of this URI.
    pub(super) fn subscribe(&self, uri: String, begins: bool) -> Result<(), RpcError> {
        let mut subscribed = self
            .subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !begins {
            subscribed.remove(&uri);
            return Ok(());
        }
        if uri.len() > MOST_URI {
            let words = format!("the URI is longer than {MOST_URI} bytes");
            return Err(RpcError::invalid_params(words));
        }
        if subscribed.len() >= MOST_SUBSCRIPTIONS && !subscribed.contains(&uri) {
            let words = format!("there are more than {MOST_SUBSCRIPTIONS} subscriptions");
            return Err(RpcError::new(code::INVALID_REQUEST, words));
        }
        subscribed.insert(uri);
        Ok(())
    }

    /// Returns the changes that it hears of: of all lists, and of the resources that it subscribed to.
    pub(super) fn wants(&self) -> Filter {
        let subscribed = self
            .subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Filter {
            tools: true,
            prompts: true,
            resources: true,
            uris: subscribed.clone(),
        }
    }

    fn said(&self) -> MutexGuard<'_, Option<Handshake>> {
        self.hello.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the client wants to read what calls say on their way.
    pub(super) fn logs(&self) -> bool {
        self.logs.load(Ordering::Relaxed)
    }

    pub(super) fn set_logs(&self, logs: bool) {
        self.logs.store(logs, Ordering::Relaxed);
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Answer>>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message that wants no answer.
    pub(super) fn hear(&self, message: &Incoming<'_>) {
        match message {
            Incoming::Notification { method, params } if method == "notifications/cancelled" => {
                if let Some(id) = params.some("requestId").and_then(Id::read) {
                    self.requests.cancel(&id);
                }
            }
            Incoming::Response {
                id: Some(id),
                answer,
            } => self.answered(id, *answer),
            _ => {}
        }
    }

    /// The client's answer to a request of ours. One that nobody waits for is passed over.
    fn answered(&self, id: &Id, answer: Result<&str, &str>) {
        let waits = id.as_number().and_then(|id| self.asked().remove(&id));
        if let Some(waits) = waits {
            let _ = waits.send(answer.map(str::to_owned).map_err(str::to_owned));
        }
    }

    /// Asks the client something, and waits for its answer: JSON of a result.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn ask(
        &self,
        out: &Sink,
        method: &str,
        params: &str,
        limit: Duration,
        stop: &Cancel,
    ) -> Result<String, String> {
        let number = self.last_asked.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.asked().insert(number, answer);
        let asked = Asked { peer: self, number };
        let id = Id::from(number);
        if !out.say(request(&id, method, params)).await {
            return Err("the client is gone".to_owned());
        }
        let answer = tokio::select! {
            answer = timeout(limit, answered) => answer,
            () = stop.cancelled() => {
                // Nobody's user is asked for a call that is over.
                let reason = "the call was cancelled";
                let params = ObjectWriter::new().json("requestId", id.as_json()).text("reason", reason);
                let note = notification("notifications/cancelled", &params.end());
                let _ = timeout(STILL_HEARD, out.say(note)).await;
                return Err(reason.to_owned());
            }
            () = self.nobody_answers() => {
                return Err("the client has hung up, and its user's answer would not be heard".to_owned());
            }
        };
        drop(asked);
        match answer {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(error))) => {
                let message = Fields::of(&error).ok().and_then(|error| {
                    let message = error.text("message")?;
                    Some(message.into_owned())
                });
                Err(message.unwrap_or(error))
            }
            Ok(Err(_)) => Err("the client is gone".to_owned()),
            Err(_) => Err(format!("the client did not answer within {limit:?}")),
        }
    }

    /// Waits until no answer of the client's can come any more. One that it sent before it hung up may still be on its way.
    async fn nobody_answers(&self) {
        self.hung_up.cancelled().await;
        sleep(STILL_HEARD).await;
    }
}

/// An id for a session, or for a request of a client without one.
pub(super) fn fresh_id() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    static PROCESS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    let last = LAST.fetch_add(1, Ordering::Relaxed);
    format!("{:016x}", PROCESS.hash_one(last))
}

/// Somebody waits for an answer, until this is dropped.
struct Asked<'p> {
    peer: &'p Peer,
    number: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.peer.asked().remove(&self.number);
    }
}
