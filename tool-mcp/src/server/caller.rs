//! The maker of a request.

use std::sync::Arc;
use std::time::SystemTime;

use toolwright_json::{ObjectWriter, list, quoted};
use toolwright_runtime::tool::{Context, Grant};

use super::incoming::Request;
use super::peer::{Capabilities, Peer, fresh_id};
use super::sink::Sink;
use super::{Shared, logs};
use crate::TraceContext;
use crate::protocol::{RpcError, Version, code, key};

/// Source of a request.
#[derive(Clone)]
pub(super) struct RequestOrigin {
    /// The client on the pipe, or in the session. `None` of a client without one.
    pub(super) peer: Option<Arc<Peer>>,
    /// The way of messages that belong to the request.
    pub(super) out: Sink,
    /// The context of whoever asks, from a layer around the HTTP service.
    pub(super) own: Option<Context>,
}

/// The maker of a request, with their abilities.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) version: Version,
    pub(super) capabilities: Arc<Capabilities>,
    /// The client reads what calls say on their way.
    pub(super) logs: bool,
    /// JSON of the token under which the client wants to hear of the request's progress.
    pub(super) token: Option<Box<str>>,
    pub(super) cx: Context,
    pub(super) peer: Option<Arc<Peer>>,
    pub(super) out: Sink,
}

impl Caller {
    /// By what the request says of itself, or by what the client said when it greeted.
    pub(super) fn of(
        shared: &Shared,
        request: &Request<'_>,
        origin: &RequestOrigin,
    ) -> Result<Self, RpcError> {
        let said = match request.meta.version() {
            Some(version) => Some(version.map_err(|asked| unsupported(&asked))?),
            None => None,
        };
        let peer = origin.peer.clone();
        let greeted = peer.as_ref().and_then(|peer| Some((peer, peer.hello()?)));
        let (version, capabilities, logs, session) = match (said, greeted) {
            // A client that greeted may say its version all the same.
            (said, Some((peer, hello))) if !said.is_some_and(Version::is_modern) => {
                let session = peer.id().to_owned();
                (hello.version, hello.capabilities, peer.logs(), session)
            }
            (Some(version), _) => {
                let meta = &request.meta.0;
                let Some(can) = meta.some(key::CAPABILITIES) else {
                    let words = format!("`_meta` has no `{}`", key::CAPABILITIES);
                    return Err(RpcError::invalid_params(words));
                };
                let level = meta.text(key::LOG_LEVEL);
                let logs = level.is_some_and(|level| logs::is_heard(&level) == Some(true));
                (version, Arc::new(Capabilities::new(can)?), logs, fresh_id())
            }
            (None, _) => {
                let words = "the request says no version of the protocol, and no `initialize` came before it";
                return Err(RpcError::invalid_params(words));
            }
        };
        let mut cx = context(shared, &session, origin.own.clone());
        if let Some(trace) = TraceContext::read(&request.meta.0) {
            cx = cx.__with_own(trace);
        }
        Ok(Self {
            version,
            capabilities,
            logs,
            token: request.meta.progress_token().map(Box::from),
            cx,
            peer,
            out: origin.out.clone(),
        })
    }
}

/// Returns the context of a request: of whoever asks, by a layer around the HTTP service; under that, of the session;
/// under both, of all calls.
pub(super) fn context(shared: &Shared, session: &str, own: Option<Context>) -> Context {
    let session = Context::new().with_session(session);
    match own {
        Some(own) => own.with_fallback(&session).with_fallback(&shared.context),
        None => session.with_fallback(&shared.context),
    }
}

/// To whom sessions and tasks belong: a subject of an issuer, or a program that acts for nobody.
pub(super) fn owner(grant: &Grant) -> Option<String> {
    let (kind, who) = match (grant.subject(), grant.client_id()) {
        (Some(subject), _) => ("subject", subject),
        (None, client) => ("client", client?),
    };
    let issuer = grant.issuer().unwrap_or_default();
    Some(list([quoted(issuer), quoted(kind), quoted(who)]))
}

/// Ends with the grant, if it ends.
pub(super) async fn expires(cx: &Context) {
    match cx.get::<Grant>().and_then(Grant::expires_at) {
        Some(at) => {
            let left = at.duration_since(SystemTime::now());
            tokio::time::sleep(left.unwrap_or_default()).await;
        }
        None => std::future::pending().await,
    }
}

/// The error of a request that takes a stream, of a client that accepts none.
pub(super) fn not_acceptable() -> RpcError {
    let words = "the request takes a client that accepts `text/event-stream`, and was not run";
    RpcError::new(code::NOT_ACCEPTABLE, words)
}

pub(super) fn unsupported(asked: &str) -> RpcError {
    let versions = Version::SERVED.map(|version| quoted(version.as_str()));
    let data = ObjectWriter::new()
        .json("supported", &list(versions))
        .text("requested", asked);
    let words = format!("the protocol version `{asked}` is not supported");
    RpcError::new(code::UNSUPPORTED_VERSION, words).with_data(data.end())
}
