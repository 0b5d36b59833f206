//! What is under way on one connection: which answer is whose.
//!
//! `rmcp` reads every message into maps and numbers of `serde_json`, in which digits and equal keys are
//! lost, and gives up a whole list for one tool that it cannot read. So the texts of calls and lists
//! go past it: an outgoing request carries its [`Slot`], the answer's text is put there, and `rmcp` gets
//! an empty answer in its place.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomRequest, ErrorCode, ErrorData,
    GetExtensions, GetMeta, NumberOrString, RequestId, ServerJsonRpcMessage, ServerRequest,
    ServerResult,
};
use serde_json::value::RawValue;
use tokio::sync::Notify;
use toolwright_runtime::{Context, Progress};

use super::event::{ClientEvent, Events};
use super::frame::{Answered, Frame, Progressed, written};

/// Where the answer to one request goes.
#[derive(Default)]
pub(super) struct Slot {
    /// The arguments of a call, as they are sent.
    pub(super) arguments: Option<Box<RawValue>>,
    /// Who hears how far the call is.
    pub(super) context: Option<Context>,
    /// What the server answered.
    pub(super) answer: OnceLock<Answered>,
    /// Rings when the server says how far it is.
    pub(super) alive: Notify,
    /// Whether the server may have read the request.
    pub(super) sent: AtomicBool,
    /// A list, whose text `rmcp` also wants to see: from it come the headers of later calls.
    is_list: bool,
}

impl Slot {
    /// One for a call.
    pub(super) fn call(arguments: Box<RawValue>, context: Context) -> Arc<Self> {
        Arc::new(Self {
            arguments: Some(arguments),
            context: Some(context),
            ..Self::default()
        })
    }

    /// One for a page of a list.
    pub(super) fn list() -> Arc<Self> {
        Arc::new(Self {
            is_list: true,
            ..Self::default()
        })
    }

    pub(super) fn is_sent(&self) -> bool {
        self.sent.load(Ordering::Acquire)
    }
}

/// How a request carries its slot through `rmcp`.
#[derive(Clone)]
pub(super) struct Carried(pub(super) Arc<Slot>);

/// The requests of one connection that are not answered.
pub(super) struct Desk {
    books: Mutex<Books>,
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

#[derive(Default)]
struct Books {
    open: HashMap<i64, Open>,
    /// Which request goes by a token of progress.
    tokens: HashMap<i64, i64>,
    handshake: Option<i64>,
}

#[derive(Default)]
struct Open {
    /// None for the handshake, and for what `rmcp` asks for itself.
    slot: Option<Arc<Slot>>,
    token: Option<i64>,
}

impl Books {
    fn close(&mut self, id: i64) -> Option<Open> {
        let open = self.open.remove(&id)?;
        if let Some(token) = open.token {
            self.tokens.remove(&token);
        }
        Some(open)
    }
}

impl Desk {
    pub(super) fn new(events: Events) -> Arc<Self> {
        Arc::new(Self {
            books: Mutex::default(),
            events,
            changed: Notify::new(),
            asking: AtomicUsize::new(0),
            said_hello: AtomicBool::new(false),
            listened: AtomicBool::new(false),
        })
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // Each change is one step, so a panic elsewhere leaves nothing half done.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text of a message on its way out, with a call's arguments as the model wrote them.
    pub(super) fn outgoing(&self, message: &ClientJsonRpcMessage) -> serde_json::Result<String> {
        let slot = match message {
            ClientJsonRpcMessage::Request(request) => {
                self.opened(&request.id, &request.request);
                slot_of(&request.request)
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = cancelled.params.request_id.as_ref().and_then(number)
                {
                    self.books().close(id);
                }
                None
            }
            _ => None,
        };
        let arguments = slot.as_ref().and_then(|slot| slot.arguments.as_deref());
        written(message, arguments)
    }

    fn opened(&self, id: &RequestId, request: &ClientRequest) {
        let Some(id) = number(id) else {
            return;
        };
        let mut books = self.books();
        if matches!(
            request,
            ClientRequest::InitializeRequest(_) | ClientRequest::DiscoverRequest(_)
        ) {
            // A server that starts slowly answers the first way to say hello when the second is
            // under way; `rmcp` takes that for a broken handshake.
            if let Some(before) = books.handshake.replace(id) {
                books.close(before);
            }
        }
        let slot = slot_of(request);
        let mut token = None;
        if slot.is_some()
            && let Some(named) = request.get_meta().get_progress_token()
            && let NumberOrString::Number(named) = named.0
        {
            books.tokens.insert(named, id);
            token = Some(named);
        }
        books.open.insert(id, Open { slot, token });
    }

    /// What `rmcp` is to hear of a message from the server: nothing where it is done with here.
    pub(super) fn incoming(&self, text: &str) -> Option<ServerJsonRpcMessage> {
        let frame = match serde_json::from_str::<Frame<'_>>(text) {
            Ok(frame) => frame,
            Err(error) => {
                self.bad(format!("a message that is no JSON-RPC: {error}"));
                return None;
            }
        };
        match (frame.method.as_deref(), frame.id()) {
            (Some(method), None) => self.notified(method, &frame, text),
            (Some(_), Some(id)) => Some(read_request(text, id)),
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
            _ => match serde_json::from_str(text) {
                Ok(message) => return Some(message),
                Err(error) => self.bad(format!("the note `{}`: {error}", short(method))),
            },
        }
        None
    }

    /// `rmcp` would hand each note to a task of its own, so that they could overtake one another.
    fn progressed(&self, told: Progressed) {
        let slot = {
            let books = self.books();
            let id = told.token().and_then(|token| books.tokens.get(&token));
            id.and_then(|id| books.open.get(id)?.slot.clone())
        };
        let Some(slot) = slot else {
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
            return Some(message.unwrap_or_else(|error| unreadable(id, &error)));
        };
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
        let Open { slot, .. } = self.books().close(id)?;
        let id = NumberOrString::Number(id);
        match slot {
            Some(slot) => {
                let _ = slot.answer.set(Answered::Broken(why.to_owned()));
                let nothing = ServerResult::empty(());
                Some(ServerJsonRpcMessage::response(nothing, id))
            }
            None => {
                let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, why.to_owned(), None);
                Some(ServerJsonRpcMessage::error(error, Some(id)))
            }
        }
    }

    pub(super) fn bad(&self, what: String) {
        self.events.tell(&ClientEvent::BadMessage(what));
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

fn unreadable(id: RequestId, error: &serde_json::Error) -> ServerJsonRpcMessage {
    let words = format!("the server's answer cannot be read: {error}");
    let error = ErrorData::new(ErrorCode::PARSE_ERROR, words, None);
    ServerJsonRpcMessage::error(error, Some(id))
}

/// Our ids are numbers; some servers send them back as strings.
pub(super) fn number(id: &RequestId) -> Option<i64> {
    match id {
        NumberOrString::Number(id) => Some(*id),
        NumberOrString::String(id) => id.parse().ok(),
    }
}

/// The start of a server's words.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 512;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
