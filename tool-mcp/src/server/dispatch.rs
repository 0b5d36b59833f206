//! From a request to its answer: the one way for all requests.

use std::borrow::Cow;
use std::sync::Arc;

use toolwright_json::{ObjectWriter, list, quoted};
use toolwright_runtime::tool::{Cancel, Context};

use super::call::CallTask;
use super::caller::{Caller, RequestOrigin, expires};
use super::incoming::Request;
use super::peer::{Capabilities, Handshake, Peer};
use super::sink::Sink;
use super::updates::{Filter, MOST_SUBSCRIPTIONS, MOST_URI, Subscription, of_subscription};
use super::{Shared, call, completion, definitions, logs, tasks};
#[cfg(feature = "tracing")]
use crate::TraceContext;
use crate::protocol::{Fields, Id, RpcError, Version, array, code, key, notification, string};
use crate::trace::{RequestSpan, Spanned};

/// JSON of a result, or an error.
pub(super) type Answered = Result<String, RpcError>;

/// The outcome of a request.
pub(super) enum RpcAnswer {
    Now(Answered),
    /// It takes its time. Dropping it ends it.
    Later(BoxFuture),
}

type BoxFuture = std::pin::Pin<Box<dyn Future<Output = Answered> + Send>>;

/// Begins a request, which `stop` ends.
pub(super) fn begin(
    shared: &Arc<Shared>,
    request: &Request<'_>,
    origin: &RequestOrigin,
    stop: &Cancel,
) -> RpcAnswer {
    let span = span(shared, request, origin);
    let answer = match span.inside(|| try_begin(shared, request, origin, stop)) {
        Ok(answer) => answer,
        Err(error) => RpcAnswer::Now(Err(error)),
    };
    match answer {
        RpcAnswer::Now(answer) => {
            record(&span, &answer);
            RpcAnswer::Now(answer)
        }
        RpcAnswer::Later(later) if span.is_none() => RpcAnswer::Later(later),
        RpcAnswer::Later(later) => RpcAnswer::Later(Box::pin(async move {
            let answer = span.around(later).await;
            record(&span, &answer);
            answer
        })),
    }
}

/// The request's span, whose parent may be in another program.
fn span(shared: &Shared, request: &Request<'_>, origin: &RequestOrigin) -> RequestSpan {
    let version = match request.meta.version() {
        Some(version) => version.ok(),
        None => origin
            .peer
            .as_ref()
            .and_then(|peer| Some(peer.hello()?.version)),
    };
    let span = RequestSpan::open("server", || Spanned {
        method: &request.method,
        target: ["name", "uri"]
            .iter()
            .find_map(|key| request.params.text(key)),
        id: Some(request.id.to_text()),
        session: origin.peer.as_ref().map(|peer| peer.id()),
        version: version.map(Version::as_str),
        is_http: origin.out.is_http(),
    });
    #[cfg(feature = "tracing")]
    if let Some(adopt) = shared.adopt.0.as_ref().filter(|_| !span.is_none())
        && let Some(trace) = TraceContext::read(&request.meta.0)
    {
        span.first(|span| adopt(span, &trace));
    }
    #[cfg(not(feature = "tracing"))]
    let _ = shared;
    span
}

fn record(span: &RequestSpan, answer: &Answered) {
    match answer {
        Ok(result) => span.answered(result),
        Err(error) => span.refused(error.code),
    }
}

fn try_begin(
    shared: &Arc<Shared>,
    request: &Request<'_>,
    origin: &RequestOrigin,
    stop: &Cancel,
) -> Result<RpcAnswer, RpcError> {
    let Request { method, params, .. } = request;
    // These two come before a greeting.
    if !request.is_modern()
        && let Some(peer) = &origin.peer
    {
        match &**method {
            "initialize" => return greet(shared, peer, params).map(now),
            "ping" => return Ok(now("{}".to_owned())),
            _ => {}
        }
    }
    let caller = Caller::of(shared, request, origin)?;
    match (&**method, caller.version.is_modern()) {
        ("tools/call" | "prompts/get" | "resources/read", _) if is_offered(shared, method) => {
            let calling = CallTask::new(shared, caller, request, stop)?;
            Ok(RpcAnswer::Later(Box::pin(calling.answer())))
        }
        ("tools/list", _) => definitions::page(shared, &caller, params).map(now),
        ("prompts/list", _) if let Some(prompts) = &shared.prompts => {
            prompts.prompts(shared, &caller, params).map(now)
        }
        ("resources/list", _) if let Some(all) = &shared.resources => {
            all.resources(shared, &caller, params, false).map(now)
        }
        ("resources/templates/list", _) if let Some(all) = &shared.resources => {
            all.resources(shared, &caller, params, true).map(now)
        }
        ("resources/subscribe" | "resources/unsubscribe", false) if shared.resources.is_some() => {
            let Some(uri) = params.text("uri") else {
                return Err(RpcError::invalid_params("`uri` is not a string"));
            };
            if method == "resources/subscribe" && !may_read(shared, &caller.cx, &uri) {
                return Err(call::no_resource(caller.version, &uri));
            }
            if let Some(peer) = &caller.peer {
                peer.subscribe(uri.into_owned(), method == "resources/subscribe")?;
            }
            Ok(now("{}".to_owned()))
        }
        ("completion/complete", _) if shared.completes() => {
            let complete = completion::complete(shared, &caller, params)?;
            Ok(RpcAnswer::Later(until(shared, stop, complete)))
        }
        ("tasks/get" | "tasks/update" | "tasks/cancel", true) => {
            match tasks::answer(shared, &caller, method, params)? {
                RpcAnswer::Later(later) => Ok(RpcAnswer::Later(until(shared, stop, later))),
                now @ RpcAnswer::Now(_) => Ok(now),
            }
        }
        ("server/discover", true) => Ok(now(discover(shared))),
        ("subscriptions/listen", true) => {
            let filter = params.object("notifications").unwrap_or_default();
            let wants = wants(shared, &caller.cx, &filter);
            let (shared, id) = (Arc::clone(shared), request.id.clone());
            let listen = listen(shared, caller, id, wants, stop.clone());
            Ok(RpcAnswer::Later(Box::pin(listen)))
        }
        ("logging/setLevel", false) => {
            let level = params
                .text("level")
                .and_then(|level| logs::is_heard(&level));
            let level = level.ok_or_else(|| RpcError::invalid_params("there is no such level"))?;
            if let Some(peer) = &caller.peer {
                peer.set_logs(level);
            }
            Ok(now("{}".to_owned()))
        }
        _ => Err(RpcError::method_not_found(method)),
    }
}

/// Runs work until nobody waits for it.
fn until(
    shared: &Shared,
    stop: &Cancel,
    later: impl Future<Output = Answered> + Send + 'static,
) -> BoxFuture {
    let (stop, end_calls) = (stop.clone(), shared.end_calls.clone());
    Box::pin(async move {
        tokio::select! {
            biased;
            answer = later => answer,
            () = stop.cancelled() => Err(RpcError::new(code::INTERNAL_ERROR, "the request was cancelled")),
            () = end_calls.cancelled() => Err(RpcError::new(code::INTERNAL_ERROR, "the server ends")),
        }
    })
}

fn now(result: String) -> RpcAnswer {
    RpcAnswer::Now(Ok(result))
}

/// `initialize`: agrees on a version.
fn greet(shared: &Shared, peer: &Peer, params: &Fields<'_>) -> Answered {
    let Some(asked) = params.text("protocolVersion") else {
        return Err(RpcError::invalid_params(
            "these are not parameters of `initialize`: there is no `protocolVersion`",
        ));
    };
    let version = Version::greeted(&asked);
    let can = Capabilities::new(params.some("capabilities").unwrap_or("{}"))?;
    peer.greet(Handshake {
        version,
        capabilities: Arc::new(can),
    });
    let result = ObjectWriter::new()
        .text("protocolVersion", version.as_str())
        .json("capabilities", &capabilities(shared, version))
        .json("serverInfo", &shared.info())
        .maybe_text("instructions", shared.instructions.as_deref());
    Ok(result.end())
}

/// Returns the server's capabilities.
fn capabilities(shared: &Shared, version: Version) -> String {
    let changes = |object: ObjectWriter| object.json("listChanged", "true");
    let mut all = ObjectWriter::new()
        .json("logging", "{}")
        .object("tools", changes);
    if shared.prompts.is_some() {
        all = all.object("prompts", changes);
    }
    if shared.resources.is_some() {
        all = all.object("resources", |object| {
            changes(object).json("subscribe", "true")
        });
    }
    if shared.completes() {
        all = all.json("completions", "{}");
    }
    if version.is_modern() {
        all = all.object("extensions", |all| all.json(key::TASKS, "{}"));
    }
    all.end()
}

/// Describes the server to clients that do not greet.
fn discover(shared: &Shared) -> String {
    let versions = Version::SERVED.map(|version| quoted(version.as_str()));
    shared
        .complete()
        .json("supportedVersions", &list(versions))
        .json("capabilities", &capabilities(shared, Version::V2026_07_28))
        .maybe_text("instructions", shared.instructions.as_deref())
        .json("ttlMs", "0")
        .text("cacheScope", "public")
        .end()
}

/// Returns true if requests of this method are for something that the server has.
fn is_offered(shared: &Shared, method: &str) -> bool {
    match method {
        "prompts/get" => shared.prompts.is_some(),
        "resources/read" => shared.resources.is_some(),
        _ => true,
    }
}

/// Returns the part of a filter of notifications that the server can tell.
fn wants(shared: &Shared, cx: &Context, asked: &Fields<'_>) -> Filter {
    let uris = asked.some("resourceSubscriptions").map(array);
    let uris = uris.unwrap_or_default().into_iter().filter_map(string);
    let has_resources = shared.resources.is_some();
    Filter {
        tools: asked.is_true("toolsListChanged"),
        prompts: asked.is_true("promptsListChanged") && shared.prompts.is_some(),
        resources: asked.is_true("resourcesListChanged") && has_resources,
        uris: uris
            .filter(|uri| uri.len() <= MOST_URI && may_read(shared, cx, uri))
            .map(Cow::into_owned)
            .take(MOST_SUBSCRIPTIONS)
            .collect(),
    }
}

/// Returns true if there is a resource of this URI for whoever asks.
fn may_read(shared: &Shared, cx: &Context, uri: &str) -> bool {
    let resources = shared.resources.as_ref();
    resources.is_some_and(|all| all.find(cx, uri).is_some())
}

/// `subscriptions/listen`: tells a client of the changes that it wants to hear of, as long as both are there.
async fn listen(
    shared: Arc<Shared>,
    caller: Caller,
    id: Id,
    wants: Filter,
    stop: Cancel,
) -> Answered {
    let Caller { out, peer, cx, .. } = caller;
    let hung_up = peer.map_or_else(Cancel::new, |peer| peer.hung_up.clone());
    let mut news = Subscription::new(&shared, Some(id.clone()));
    let params = of_subscription(ObjectWriter::new(), &id).json("notifications", &wants.to_json());
    out.say(notification(
        "notifications/subscriptions/acknowledged",
        &params.end(),
    ))
    .await;
    loop {
        let note = tokio::select! {
            note = news.next(|| wants.clone(), |uri| may_read(&shared, &cx, uri)) => note,
            () = stop.cancelled() => break,
            // The client comes back with a new token.
            () = expires(&cx) => break,
            () = shared.stop.cancelled() => break,
            () = hung_up.cancelled() => break,
        };
        if !out.say(note).await {
            break;
        }
    }
    Ok(of_subscription(ObjectWriter::new().text("resultType", "complete"), &id).end())
}

/// Tells a client that greeted of changes, as long as it reads.
pub(super) async fn watch(shared: Arc<Shared>, peer: Arc<Peer>, cx: Context, out: Sink) {
    let mut news = Subscription::new(&shared, None);
    loop {
        let note = tokio::select! {
            note = news.next(|| peer.wants(), |uri| may_read(&shared, &cx, uri)) => note,
            () = peer.hung_up.cancelled() => return,
        };
        if !out.say(note).await {
            return;
        }
    }
}
