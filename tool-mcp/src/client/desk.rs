//! What is under way on one connection: which answer is whose.
//!
//! `rmcp` reads every message into maps and numbers of `serde_json`, in which digits and equal keys are
//! lost, and gives up a whole list for one tool that it cannot read. So the texts of calls and lists
//! go past it: an outgoing request carries its [`Slot`], the answer's text is put there, and `rmcp` gets
//! an empty answer in its place.

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomRequest, ErrorCode, ErrorData,
    GetExtensions, GetMeta, NumberOrString, ProgressToken, RequestId, ServerJsonRpcMessage,
    ServerNotification, ServerRequest, ServerResult,
};
use serde_json::value::RawValue;
use tokio::sync::{Notify, Semaphore};
use toolwright_runtime::tool::Progress;
use toolwright_schema::text::Printable;

use super::books::{Asked, Books, Entry, Open};
use super::event::{ClientEvent, Events};
use super::frame::{Answered, Frame, Progressed, written};
use super::slot::{Carried, Slot};
use crate::protocol::{Kind, Torn};

/// So many requests of ours may wait to be sent: more wait before they are written down.
const MOST_UNSENT: usize = 64;

/// The requests of one connection that are not answered.
pub(super) struct Desk {
    books: Mutex<Books>,
    /// Where requests wait to be sent.
    pub(super) room: Arc<Semaphore>,
    pub(super) events: Events,
    /// Rings when the server's tools may be others.
    pub(super) changed: Notify,
    /// How many people are being asked something: a call that waits for them is not slow.
    pub(super) asking: AtomicUsize,
    /// Whether the server was greeted, and a stream of its own notes was opened: a second time means
    /// that something may have been missed.
    pub(super) said_hello: AtomicBool,
    pub(super) listened: AtomicBool,
}

/// A message on its way out.
pub(super) struct Outgoing {
    pub(super) text: String,
    /// Where a request's answer goes.
    pub(super) slot: Option<Arc<Slot>>,
    /// What is answered. It is held until the message is sent.
    _asked: Option<Asked>,
}

impl Desk {
    pub(super) fn new(events: Events) -> Arc<Self> {
        Arc::new(Self {
            books: Mutex::default(),
            room: Arc::new(Semaphore::new(MOST_UNSENT)),
            events,
            changed: Notify::new(),
            asking: AtomicUsize::new(0),
            said_hello: AtomicBool::new(false),
            listened: AtomicBool::new(false),
        })
    }

    /// The server forgot the session, and there is a new one. Its tools may be others.
    pub(super) fn begins_anew(&self) {
        self.changed.notify_one();
    }

    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        // Each change is one step, so a panic elsewhere leaves nothing half done.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A message on its way out, with a call's arguments as the model wrote them; nothing where the
    /// server need not hear of it.
    pub(super) fn outgoing(
        self: &Arc<Self>,
        message: &ClientJsonRpcMessage,
    ) -> serde_json::Result<Option<Outgoing>> {
        let (mut slot, mut asked) = (None, None);
        match message {
            ClientJsonRpcMessage::Request(request) => {
                self.opened(&request.id, &request.request);
                slot = slot_of(&request.request);
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = cancelled.params.request_id.as_ref().and_then(number)
                    && self.close(id).is_some_and(|slot| slot.withdraw())
                {
                    return Ok(None);
                }
            }
            ClientJsonRpcMessage::Response(response) => {
                asked = Some(Asked::new(self, &response.id));
            }
            ClientJsonRpcMessage::Error(error) => {
                asked = error.id.as_ref().map(|id| Asked::new(self, id));
            }
        }
        let arguments = slot.as_ref().and_then(|slot| slot.arguments.as_deref());
        let text = written(message, arguments)?;
        Ok(Some(Outgoing {
            text,
            slot,
            _asked: asked,
        }))
    }

    /// Takes a request out of the books. Its slot, if somebody waits.
    fn close(&self, id: i64) -> Option<Arc<Slot>> {
        let open = self.books().close(id)?;
        open.slot?.upgrade()
    }

    fn opened(self: &Arc<Self>, id: &RequestId, request: &ClientRequest) {
        let Some(id) = number(id) else {
            return;
        };
        let Some(slot) = slot_of(request) else {
            let is_greeting = matches!(
                request,
                ClientRequest::DiscoverRequest(_) | ClientRequest::InitializeRequest(_)
            );
            self.books().open_own(id, is_greeting);
            return;
        };
        // A request that is sent once more, in a new session, has one.
        slot.entry.get_or_init(|| Entry::new(self, id));
        let token = match request.get_meta().get_progress_token() {
            Some(ProgressToken(NumberOrString::Number(token))) => Some(token),
            _ => None,
        };
        self.books().open(id, Arc::downgrade(&slot), token);
    }

    /// What `rmcp` is to hear of a message from the server: nothing where it is done with here.
    pub(super) fn incoming(&self, text: &str) -> Option<ServerJsonRpcMessage> {
        let frame = match serde_json::from_str::<Frame<'_>>(text) {
            Ok(frame) => frame,
            Err(error) => {
                let what = format!("a message that is no JSON-RPC: {error}");
                self.bad(what.clone());
                // Who waits for it hears so now.
                let torn = Torn::read(text).filter(|torn| torn.kind == Kind::Answer)?;
                let id: RequestId = serde_json::from_str(torn.id.as_json()).ok()?;
                return self.fail(number(&id)?, &what);
            }
        };
        match (frame.method.as_deref(), frame.id()) {
            (Some(method), None) => self.notified(method, &frame, text),
            (Some(_), Some(id)) => {
                // Told behind the lock: the host may take its time.
                let asked = self.books().ask(&id);
                match asked {
                    Ok(()) => Some(read_request(text, id)),
                    Err(why) => {
                        self.bad(why);
                        None
                    }
                }
            }
            (None, Some(id)) => self.answered(&id, &frame, text),
            (None, None) => {
                let what = frame
                    .error
                    .map_or("a message without a method", RawValue::get);
                self.bad(format!("not about any request: {}", short(what)));
                None
            }
        }
    }

    fn notified(
        &self,
        method: &str,
        frame: &Frame<'_>,
        text: &str,
    ) -> Option<ServerJsonRpcMessage> {
        let params = frame.params.map_or("{}", RawValue::get);
        match method {
            "notifications/progress" => match serde_json::from_str::<Progressed>(params) {
                Ok(progressed) => self.progressed(progressed),
                Err(error) => self.bad(format!("a note of progress: {error}")),
            },
            "notifications/tools/list_changed" => self.changed.notify_one(),
            "notifications/message" => self.events.tell(&ClientEvent::Log(params.to_owned())),
            other => match serde_json::from_str(text) {
                Ok(message) => {
                    self.recalled(&message);
                    return Some(message);
                }
                Err(error) => self.bad(format!("the note `{}`: {error}", short(other))),
            },
        }
        None
    }

    /// The server does not want an answer any more, and gets none.
    fn recalled(&self, message: &ServerJsonRpcMessage) {
        if let ServerJsonRpcMessage::Notification(notification) = message
            && let ServerNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.books().tell(id);
        }
    }

    /// `rmcp` would hand each note to a task of its own, so that they could overtake one another.
    fn progressed(&self, told: Progressed) {
        let slot = told.token().and_then(|token| self.books().slot_of(token));
        // Behind the lock, which the end of a slot takes.
        let Some(slot) = slot.and_then(|slot| slot.upgrade()) else {
            return;
        };
        slot.alive.notify_one();
        if let Some(context) = &slot.context {
            let mut progress = Progress::new(told.progress);
            progress.total = told.total;
            progress.message = told.message.map(Into::into);
            context.progress(progress);
        }
    }

    fn answered(
        &self,
        id: &RequestId,
        frame: &Frame<'_>,
        text: &str,
    ) -> Option<ServerJsonRpcMessage> {
        let number = number(id)?;
        // There is none where the call was cancelled, or answered before.
        let Open { slot, .. } = self.books().close(number)?;
        let id = NumberOrString::Number(number);
        let Some(slot) = slot else {
            let message = serde_json::from_str(text);
            return Some(message.unwrap_or_else(|error| {
                let said = frame.refusal().unwrap_or_else(|| unreadable(&error));
                ServerJsonRpcMessage::error(said, Some(id))
            }));
        };
        let slot = slot.upgrade()?;
        // One answer alone: the request has left the books.
        let _ = slot.answer.set(Answered::of(frame));
        if slot.is_list
            && let Ok(message) = serde_json::from_str(text)
        {
            return Some(message);
        }
        let nothing = ServerResult::empty(());
        Some(ServerJsonRpcMessage::response(nothing, id))
    }

    /// The request of this id gets no answer that could be read, and this is why.
    pub(super) fn fail(&self, id: i64, why: &str) -> Option<ServerJsonRpcMessage> {
        self.settle(id, Answered::Broken(why.to_owned()), why)
    }

    /// The request of this id comes to this; `why` is for `rmcp`, where the request is its own.
    pub(super) fn settle(
        &self,
        id: i64,
        answered: Answered,
        why: &str,
    ) -> Option<ServerJsonRpcMessage> {
        let Open { slot, .. } = self.books().close(id)?;
        let id = NumberOrString::Number(id);
        match slot {
            Some(slot) => {
                let _ = slot.upgrade()?.answer.set(answered);
                let nothing = ServerResult::empty(());
                Some(ServerJsonRpcMessage::response(nothing, id))
            }
            None => {
                let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, why.to_owned(), None);
                Some(ServerJsonRpcMessage::error(error, Some(id)))
            }
        }
    }

    // It is made for this, as an argument.
    #[allow(clippy::needless_pass_by_value)]
    pub(super) fn bad(&self, what: String) {
        self.events.tell(&ClientEvent::BadMessage(short(&what)));
    }
}

fn slot_of(request: &ClientRequest) -> Option<Arc<Slot>> {
    let carried = request.extensions().get::<Carried>();
    carried.map(|carried| Arc::clone(&carried.0))
}

/// A request of the server's. One that `rmcp` cannot read is answered all the same: it becomes one that
/// nobody knows.
fn read_request(text: &str, id: RequestId) -> ServerJsonRpcMessage {
    serde_json::from_str(text).unwrap_or_else(|_| {
        let unknown = CustomRequest::new("unreadable request", None);
        ServerJsonRpcMessage::request(ServerRequest::CustomRequest(unknown), id)
    })
}

fn unreadable(error: &serde_json::Error) -> ErrorData {
    let words = format!("the server's answer cannot be read: {error}");
    ErrorData::new(ErrorCode::PARSE_ERROR, words, None)
}

/// Our ids are numbers; some servers send them back as strings.
pub(super) fn number(id: &RequestId) -> Option<i64> {
    match id {
        NumberOrString::Number(id) => Some(*id),
        NumberOrString::String(id) => id.parse().ok(),
    }
}

/// The start of a text that nobody vouches for, in one line, in which all is seen that is there.
pub(super) fn piece(text: &str) -> String {
    const MOST: usize = 200;
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    Printable::new(&line).one_line().at_most(MOST).to_string()
}

/// The start of a server's words.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 512;
    Printable::new(text).at_most(MOST).to_string()
}
