//! From a request to its answer: the one way for all requests.

use std::sync::Arc;

use toolwright_json::{Object, list, quoted};
use toolwright_runtime::tool::Cancel;

use super::asker::{Asker, Origin};
use super::call::Calling;
use super::incoming::Request;
use super::outlet::Outlet;
use super::peer::{Capabilities, Hello, Peer};
use super::{Shared, definitions, logs};
use crate::protocol::{Fields, Id, RpcError, Version, key, notification};

/// JSON of a result, or an error.
pub(super) type Answered = Result<String, RpcError>;

/// What comes of a request.
pub(super) enum Answer {
    Now(Answered),
    /// It takes its time. Dropping it ends it.
    Later(BoxFuture),
}

type BoxFuture = std::pin::Pin<Box<dyn Future<Output = Answered> + Send>>;

/// Begins a request, which `stop` ends.
pub(super) fn begin(
    shared: &Arc<Shared>,
    request: &Request<'_>,
    origin: &Origin,
    stop: &Cancel,
) -> Answer {
    match try_begin(shared, request, origin, stop) {
        Ok(answer) => answer,
        Err(error) => Answer::Now(Err(error)),
    }
}

fn try_begin(
    shared: &Arc<Shared>,
    request: &Request<'_>,
    origin: &Origin,
    stop: &Cancel,
) -> Result<Answer, RpcError> {
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
    let asker = Asker::of(shared, request, origin)?;
    match (&**method, asker.version.is_modern()) {
        ("tools/call", _) => {
            let calling = Calling::new(shared, asker, request, stop)?;
            Ok(Answer::Later(Box::pin(calling.answer())))
        }
        ("tools/list", _) => definitions::page(shared, &asker, params).map(now),
        ("server/discover", true) => Ok(now(discover(shared))),
        ("subscriptions/listen", true) => {
            let wants = params.object("notifications").unwrap_or_default();
            let tools = wants.is_true("toolsListChanged");
            let (shared, id) = (Arc::clone(shared), request.id.clone());
            let listen = listen(shared, asker, id, tools, stop.clone());
            Ok(Answer::Later(Box::pin(listen)))
        }
        ("logging/setLevel", false) => {
            let level = params
                .text("level")
                .and_then(|level| logs::is_heard(&level));
            let level = level.ok_or_else(|| RpcError::invalid_params("there is no such level"))?;
            if let Some(peer) = &asker.peer {
                peer.set_logs(level);
            }
            Ok(now("{}".to_owned()))
        }
        _ => Err(RpcError::method_not_found(method)),
    }
}

fn now(result: String) -> Answer {
    Answer::Now(Ok(result))
}

/// `initialize`: the client's version, or the newest that has this greeting.
fn greet(shared: &Shared, peer: &Peer, params: &Fields<'_>) -> Answered {
    let Some(asked) = params.text("protocolVersion") else {
        return Err(RpcError::invalid_params(
            "these are no parameters of `initialize`: there is no `protocolVersion`",
        ));
    };
    let version = Version::read(&asked).filter(|version| !version.is_modern());
    let version = version.unwrap_or(Version::NEWEST_GREETED);
    let capabilities = Capabilities::new(params.some("capabilities").unwrap_or("{}"));
    peer.greet(Hello {
        version,
        capabilities: Arc::new(capabilities),
    });
    let result = Object::new()
        .text("protocolVersion", version.as_str())
        .json("capabilities", CAPABILITIES)
        .json("serverInfo", &shared.info())
        .maybe_text("instructions", shared.instructions.as_deref());
    Ok(result.end())
}

const CAPABILITIES: &str = r#"{"logging":{},"tools":{"listChanged":true}}"#;

/// What the server is, for clients that do not greet.
fn discover(shared: &Shared) -> String {
    let versions = Version::ALL.map(|version| quoted(version.as_str()));
    shared
        .complete()
        .json("supportedVersions", &list(versions))
        .json("capabilities", CAPABILITIES)
        .maybe_text("instructions", shared.instructions.as_deref())
        .json("ttlMs", "0")
        .text("cacheScope", "public")
        .end()
}

/// `subscriptions/listen`: tells a client of the changes that it wants to hear of, as long as both are there.
async fn listen(shared: Arc<Shared>, asker: Asker, id: Id, tools: bool, stop: Cancel) -> Answered {
    let Asker { out, peer, .. } = asker;
    let hung_up = peer.map_or_else(Cancel::new, |peer| peer.hung_up.clone());
    let mut changes = shared.registry.changes();
    let of =
        |object: Object| object.object("_meta", |meta| meta.json(key::SUBSCRIPTION, id.as_json()));
    let heard = if tools {
        r#"{"toolsListChanged":true}"#
    } else {
        "{}"
    };
    let params = of(Object::new()).json("notifications", heard).end();
    out.say(notification(
        "notifications/subscriptions/acknowledged",
        &params,
    ))
    .await;
    loop {
        tokio::select! {
            () = changes.changed(), if tools => {}
            () = stop.cancelled() => break,
            () = shared.stop.cancelled() => break,
            () = hung_up.cancelled() => break,
        }
        let params = of(Object::new()).end();
        if !out.say(notification(TOOLS_CHANGED, &params)).await {
            break;
        }
    }
    Ok(of(Object::new().text("resultType", "complete")).end())
}

/// Tells a client that greeted of changes, as long as it reads.
pub(super) async fn watch(shared: Arc<Shared>, out: Outlet, ended: Cancel) {
    let mut changes = shared.registry.changes();
    loop {
        tokio::select! {
            () = changes.changed() => {}
            () = ended.cancelled() => return,
        }
        if !out.say(notification(TOOLS_CHANGED, "{}")).await {
            return;
        }
    }
}

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
