//! The traffic of one connection: which answer is whose, and the server's requests.

mod guards;
mod health;
mod outgoing;
mod questions;

use std::collections::HashMap;
#[cfg(feature = "client-http")]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use toolwright_json::{ObjectWriter, object, strip_bom};
use toolwright_runtime::tool::{Cancel, Context, Progress};
use toolwright_schema::text::Printable;

pub(super) use self::guards::{PauseGuard, PendingRequest};
use self::health::Health;
use self::outgoing::message;
pub(super) use self::outgoing::{Outgoing, Request};
pub(super) use self::questions::ServerQuestion;
use super::answer::Answered;
use super::asking::Asking;
use super::elicit::ElicitationHandler;
use super::event::{ClientEvent, EventListener};
use super::handshake::Handshake;
use super::in_flight::InFlight;
use crate::protocol::{
    Fields, Frame, FrameError, Id, MessageKind, MessageParams, PartialMessage, array, key,
    notification, one_line, replaced, request,
};

/// So many requests of ours may wait to be sent: more wait before they are written down.
const MOST_UNSENT: usize = 64;

/// So many requests of the server's may be without an answer that was sent: more are passed over, since a
/// server that asks and does not read would fill the memory with answers.
const MOST_ASKED: usize = 256;

/// See the module.
pub(super) struct Connection {
    /// Requests of ours without an answer.
    waiting: Mutex<HashMap<u64, AnswerWaiter>>,
    last: AtomicU64,
    /// The server's requests without an answer that was sent, and what ends them.
    asked: Mutex<HashMap<(u64, Id), Cancel>>,
    /// Without a limit of its own: requests wait for room before they are written down, and answers are limited.
    out: mpsc::UnboundedSender<Outgoing>,
    capacity: Arc<Semaphore>,
    asker: ElicitationHandler,
    pub(super) events: EventListener,
    pub(super) hello: OnceLock<Handshake>,
    /// Rings when the server's tools may be others.
    pub(super) changed: Notify,
    pub(super) asking: Asking,
    /// A stream of the server's own notes was opened: a second time means that something may have been missed.
    #[cfg(feature = "client-http")]
    listened: AtomicBool,
    pub(super) health: Health,
    /// True if nothing is tolerated that the protocol forbids.
    pub(super) is_strict: bool,
    /// Fired to end the connection.
    pub(super) stop: Cancel,
    /// Fired when it has ended.
    pub(super) gone: Cancel,
}

/// A caller that waits for an answer.
struct AnswerWaiter {
    answer: oneshot::Sender<Answered>,
    /// Context that hears the call's progress.
    context: Option<Context>,
    /// Rings when the server says how far it is.
    alive: Arc<Notify>,
    /// Takes a question during the call, if the call can wait for its answer.
    question: Option<oneshot::Sender<ServerQuestion>>,
}

impl Connection {
    /// One whose messages go out by the receiver.
    pub(super) fn new(
        asker: ElicitationHandler,
        events: EventListener,
        asking: Asking,
        is_strict: bool,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<Outgoing>) {
        let (out, outgoing) = mpsc::unbounded_channel();
        let connection = Self {
            waiting: Mutex::default(),
            last: AtomicU64::new(0),
            asked: Mutex::default(),
            out,
            capacity: Arc::new(Semaphore::new(MOST_UNSENT)),
            asker,
            events,
            hello: OnceLock::new(),
            changed: Notify::new(),
            asking,
            #[cfg(feature = "client-http")]
            listened: AtomicBool::new(false),
            health: Health::default(),
            is_strict,
            stop: Cancel::new(),
            gone: Cancel::new(),
        };
        (Arc::new(connection), outgoing)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, AnswerWaiter>> {
        // Each change is one step, so a panic elsewhere leaves nothing half done.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<(u64, Id), Cancel>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_modern(&self) -> bool {
        self.hello
            .get()
            .is_some_and(|hello| hello.version.is_modern())
    }

    /// Returns the client's capabilities as JSON.
    pub(super) fn capabilities(&self, is_modern: bool) -> String {
        let mut all = ObjectWriter::new();
        if self.asker.is_there() || self.asker.pauses {
            all = all.json("elicitation", r#"{"form":{},"url":{}}"#);
        }
        if is_modern {
            all = all.object("extensions", |all| all.json(key::TASKS, "{}"));
        }
        all.end()
    }

    /// Sends a request when there is room: a server that does not read is not written to without end. A request that is
    /// dropped here is not sent.
    pub(super) async fn request(self: &Arc<Self>, request: Request) -> PendingRequest {
        let capacity = Arc::clone(&self.capacity).acquire_owned().await.ok();
        self.send(request, capacity)
    }

    /// Sends a request at once: a greeting, and the list that other requests may wait for.
    pub(super) fn send(
        self: &Arc<Self>,
        asked: Request,
        capacity: Option<OwnedSemaphorePermit>,
    ) -> PendingRequest {
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        let Request {
            head,
            params,
            meta,
            context,
            question,
            is_repeatable,
        } = asked;
        let is_call = context.is_some();
        let meta = if is_call {
            meta.json(key::PROGRESS_TOKEN, &id.to_string())
        } else {
            meta
        };
        let meta = meta.end();
        let params = if meta == "{}" {
            params
        } else {
            params.json("_meta", &meta)
        };
        let (answer, answered) = oneshot::channel();
        let alive = Arc::new(Notify::new());
        let may_be_task = self.is_modern() && head.method == "tools/call";
        let is_greeting = head.method == "initialize";
        let way = Arc::new(InFlight::new(may_be_task));
        let waiting = AnswerWaiter {
            answer,
            context,
            alive: Arc::clone(&alive),
            question,
        };
        self.waiting().insert(id, waiting);
        let outgoing = Outgoing {
            text: one_line(request(&Id::from(id), &head.method, &params.end())),
            head,
            is_repeatable,
            request: Some((id, Arc::clone(&way))),
            done: None,
            capacity,
            asked: None,
        };
        if self.out.send(outgoing).is_err() || self.gone.is_cancelled() {
            self.waiting().remove(&id);
        }
        PendingRequest {
            connection: Arc::downgrade(self),
            id: Some(id),
            is_greeting,
            way,
            answered,
            alive,
            reason: "nobody waits for the answer any more",
        }
    }

    /// Sends a notification. What it returns ends when it is out.
    pub(super) fn notify(&self, method: &str, params: &str) -> oneshot::Receiver<()> {
        let (done, is_out) = oneshot::channel();
        let mut outgoing = message(notification(method, params), None);
        outgoing.done = Some(done);
        method.clone_into(&mut outgoing.head.method);
        // Where the connection is gone, nobody hears of it.
        let _ = self.out.send(outgoing);
        is_out
    }

    /// Replaces halves of surrogate pairs in JSON of the server's.
    pub(super) fn readable(&self, json: String) -> String {
        let Some(replaced) = replaced(&json, &["nextCursor", "requestState", "taskId"]) else {
            return json;
        };
        self.bad("a message with half of a surrogate pair, which was replaced");
        replaced
    }

    /// Returns true if no further message goes out.
    pub(super) fn is_closed(&self) -> bool {
        self.gone.is_cancelled() || self.out.is_closed()
    }

    /// Returns true if somebody still waits for the answer to this request.
    #[cfg(feature = "client-http")]
    pub(super) fn is_wanted(&self, id: u64) -> bool {
        self.waiting().contains_key(&id)
    }

    /// Removes a request whose answer is not wanted.
    fn forget(&self, id: u64) {
        // A context is the host's, and is dropped behind the lock.
        let waiting = self.waiting().remove(&id);
        drop(waiting);
    }

    /// Hands an answer to whoever waits for it. Without anybody who waits, it does nothing.
    pub(super) fn settle(&self, id: u64, answered: Answered) {
        let waiting = self.waiting().remove(&id);
        if let Some(waiting) = waiting {
            let _ = waiting.answer.send(answered);
        }
    }

    /// The connection is over: who waits hears so.
    pub(super) fn end(&self) {
        self.gone.cancel();
        // A context is the host's, and is dropped behind the lock.
        drop(std::mem::take(&mut *self.waiting()));
        self.forget_asked(None);
    }

    /// Forgets the server's requests of all sessions but this one, so that they take no place in it.
    pub(super) fn forget_asked(&self, but: Option<u64>) {
        self.asked().retain(|(session, _), stop| {
            let stays = Some(*session) == but;
            if !stays {
                stop.cancel();
            }
            stays
        });
    }

    /// The server's own notes are heard from here on. What was said before the second time is not known.
    #[cfg(feature = "client-http")]
    pub(super) fn listens(&self) {
        if self.listened.swap(true, Ordering::AcqRel) {
            self.changed.notify_one();
        }
    }

    /// Takes a message that the server sent in the session of this number, on the stream of the request `of`, if there is one.
    pub(super) fn incoming(self: &Arc<Self>, session: u64, of: Option<u64>, text: &str) {
        let text = if self.is_strict {
            text
        } else {
            strip_bom(text)
        };
        self.take(session, of, text);
    }

    fn take(self: &Arc<Self>, session: u64, of: Option<u64>, text: &str) {
        let read = if self.is_strict {
            Frame::read_strict(text)
        } else {
            Frame::read(text)
        };
        let frame = match read {
            Ok(frame) => frame,
            // Servers of 2025-03-26 may send several messages in one.
            Err(FrameError::Array) => {
                let messages = array(text);
                if messages.is_empty() {
                    self.health.skip(text);
                    self.bad("a message that is not JSON-RPC: an array without messages");
                }
                for message in messages {
                    if message.starts_with('{') {
                        self.take(session, of, message);
                    } else {
                        self.health.skip(text);
                        self.bad("a message that is not JSON-RPC: it is not an object");
                    }
                }
                return;
            }
            Err(error) => {
                let why = match error {
                    FrameError::Json(error) => error.to_string(),
                    FrameError::Key(why) => why,
                    FrameError::Array | FrameError::NotAnObject => "it is not an object".to_owned(),
                };
                self.health.skip(text);
                let what = format!("a message that is not JSON-RPC: {why}");
                self.bad(&what);
                // Who waits for it hears so now.
                let torn =
                    PartialMessage::read(text).filter(|torn| torn.kind == MessageKind::Answer);
                if let Some(id) = torn.and_then(|torn| torn.id.as_number()) {
                    self.settle(id, Answered::Broken(what));
                }
                return;
            }
        };
        match (frame.method.as_deref(), frame.id()) {
            (Some(method), None) => self.notified(session, method, &frame),
            (Some(method), Some(id)) => self.asks((session, of), method, &id, &frame),
            (None, Some(id)) => {
                if let Some(id) = id.as_number() {
                    self.settle(id, Answered::of(&frame));
                }
            }
            (None, None) => {
                self.health.skip(text);
                let what = frame.error.unwrap_or("a message without a method");
                self.bad(&format!("not about any request: {}", short(what)));
            }
        }
    }

    fn notified(&self, session: u64, method: &str, frame: &Frame<'_>) {
        let none = Fields::default();
        let params = match &frame.params {
            MessageParams::Object(params) => params,
            _ => &none,
        };
        match method {
            "notifications/progress" if self.progressed(params).is_some() => {}
            "notifications/progress" => self.bad("a note of progress that says none"),
            "notifications/tools/list_changed" => self.changed.notify_one(),
            // The list was read before: what changed since was not heard.
            "notifications/subscriptions/acknowledged" => self.changed.notify_one(),
            "notifications/message" => {
                let text = self.readable(object(params.iter()));
                self.events.tell(&ClientEvent::Log(text));
            }
            // The server does not want an answer any more, and gets none.
            "notifications/cancelled" => {
                let id = params.some("requestId").and_then(Id::read);
                let stop = id.and_then(|id| self.asked().remove(&(session, id)));
                if let Some(stop) = stop {
                    stop.cancel();
                }
            }
            _ => {}
        }
    }

    /// Tells how far a call is. `None` if the note does not say so.
    fn progressed(&self, params: &Fields<'_>) -> Option<()> {
        let token = Id::read(params.some(key::PROGRESS_TOKEN)?)?;
        let number = |key: &str| params.some(key)?.parse::<f64>().ok();
        let mut progress = Progress::new(number("progress")?);
        progress.total = number("total");
        progress.message = params
            .lossy_text("message")
            .map(|text| text.into_owned().into());
        let id = token.as_number();
        let heard = id.and_then(|id| {
            let waiting = self.waiting();
            let waiting = waiting.get(&id)?;
            Some((Arc::clone(&waiting.alive), waiting.context.clone()))
        });
        // Behind the lock: the host may take its time.
        if let Some((alive, context)) = heard {
            alive.notify_one();
            if let Some(context) = context {
                context.progress(progress);
            }
        }
        Some(())
    }

    /// Returns the server's name for itself, which may be empty.
    pub(super) fn server_name(&self) -> String {
        let name = self.hello.get().and_then(|hello| hello.name.clone());
        name.unwrap_or_default()
    }

    pub(super) fn bad(&self, what: &str) {
        self.events.tell(&ClientEvent::BadMessage(short(what)));
    }
}

/// The start of a server's words.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 512;
    Printable::new(text).at_most(MOST).to_string()
}
