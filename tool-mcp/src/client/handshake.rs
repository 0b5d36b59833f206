//! The greeting of a client and a server.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolwright_json::{ObjectWriter, list, quoted};

use super::answer::{Answered, ServerRefusal};
use super::connection::{Connection, Request, short};
use super::error::{ConnectError, ConnectErrorKind};
use crate::protocol::{Fields, Version, array, code, key, string};

/// Time limit of the answer to the newer greeting. Some older servers never answer it.
const PROBE: Duration = Duration::from_secs(10);

/// A server's description of itself.
#[derive(Debug, Clone)]
pub(super) struct Handshake {
    pub(super) version: Version,
    pub(super) name: Option<String>,
    pub(super) server_version: Option<String>,
    pub(super) instructions: Option<String>,
    /// It announces tools.
    pub(super) has_tools: bool,
    /// It tells when its list of tools changes.
    pub(super) tells_of_tools: bool,
}

impl Handshake {
    /// Out of the result of a greeting, in which `info` is the server.
    fn read(version: Version, result: &Fields<'_>, info: Option<Fields<'_>>) -> Self {
        let info = info.unwrap_or_default();
        let text = |key: &str| info.lossy_text(key).map(Cow::into_owned);
        let tools = result
            .object("capabilities")
            .and_then(|all| all.object("tools"));
        Self {
            version,
            name: text("name"),
            server_version: text("version"),
            instructions: result.lossy_text("instructions").map(Cow::into_owned),
            has_tools: tools.is_some(),
            tells_of_tools: tools.is_some_and(|tools| tools.is_true("listChanged")),
        }
    }
}

/// Returns the client's description of itself as JSON.
pub(super) fn client_info() -> String {
    ObjectWriter::new()
        .text("name", "toolwright")
        .text("version", env!("CARGO_PKG_VERSION"))
        .end()
}

/// Returns the `_meta` of each request since 2026-07-28.
pub(super) fn modern_meta(meta: ObjectWriter, capabilities: &str) -> ObjectWriter {
    meta.text(key::VERSION, Version::V2026_07_28.as_str())
        .json(key::CLIENT_INFO, &client_info())
        .json(key::CAPABILITIES, capabilities)
}

/// The outcome of a greeting.
pub(super) enum Greeting {
    Done,
    /// The server was confused by the newer one, as some older servers are: it disconnected, or it answered neither that nor
    /// the older one after it.
    Confused(ConnectError),
}

/// Says hello: with the newer greeting first, if `modern` says so.
pub(super) async fn greet(
    connection: &Arc<Connection>,
    modern: bool,
) -> Result<Greeting, ConnectError> {
    let (mut refused, mut is_silent) = (None, false);
    if modern {
        match discover(connection).await? {
            Found::Newest(hello) => {
                let _ = connection.hello.set(hello);
                return Ok(Greeting::Done);
            }
            Found::Older => {}
            Found::Unclear(error) => refused = Some(error),
            // It may just be slow to start, so the older greeting goes to the same server first.
            Found::Silent => is_silent = true,
            Found::Disconnected => return Ok(Greeting::Confused(went_away())),
        }
    }
    let hello = match initialize(connection).await {
        Ok(hello) => hello,
        Err(error) if is_silent => return Ok(Greeting::Confused(error)),
        Err(error) => return Err(error.after(refused)),
    };
    let _ = connection.hello.set(hello);
    // What follows must not overtake it.
    let _ = connection.notify("notifications/initialized", "{}").await;
    Ok(Greeting::Done)
}

/// The answers to the newer greeting.
enum Found {
    Newest(Handshake),
    Older,
    /// The answer is not one of an older server, such as that of a gateway that does not know the method.
    Unclear(ConnectError),
    /// There is none.
    Silent,
    Disconnected,
}

/// `server/discover`.
///
/// Source: "Backward Compatibility" of the protocol's stdio and streamable HTTP.
async fn discover(connection: &Arc<Connection>) -> Result<Found, ConnectError> {
    let newest = Version::V2026_07_28;
    let mut tries = 0;
    loop {
        tries += 1;
        let mut request = Request::new("server/discover");
        request.meta = modern_meta(request.meta, &connection.capabilities(true));
        let mut pending = connection.send(request, None);
        let answered = match connection.asking.timeout(PROBE, pending.answer()).await {
            Some(Some(answered)) => answered,
            Some(None) => return Ok(Found::Disconnected),
            None => return Ok(Found::Silent),
        };
        let unclear = |error| {
            if connection.is_strict {
                Err(error)
            } else {
                Ok(Found::Unclear(error))
            }
        };
        return match answered {
            Answered::Result(result) => {
                let result = Fields::of(&result).unwrap_or_default();
                if !versions(result.some("supportedVersions")).contains(&newest) {
                    return Ok(Found::Older);
                }
                let meta = result.object("_meta").unwrap_or_default();
                let info = meta
                    .object(key::SERVER_INFO)
                    .or_else(|| result.object("serverInfo"));
                Ok(Found::Newest(Handshake::read(newest, &result, info)))
            }
            Answered::Error(refusal) => {
                let data = refusal.data.as_deref().unwrap_or("{}");
                let data = Fields::of(data).unwrap_or_default();
                let supported = versions(data.some("supported"));
                match refusal.code.parse() {
                    // It may have meant another request than the first.
                    Ok(code::UNSUPPORTED_VERSION) if supported.contains(&newest) && tries < 2 => {
                        continue;
                    }
                    Ok(code::UNSUPPORTED_VERSION)
                        if supported.iter().any(|version| !version.is_modern()) =>
                    {
                        Ok(Found::Older)
                    }
                    Ok(code::UNSUPPORTED_VERSION)
                        if data
                            .some("supported")
                            .is_some_and(|all| !array(all).is_empty()) =>
                    {
                        let words = "the server speaks no version that is spoken here";
                        Err(ungreeted(&format!("{words}: {}", refusal.message)))
                    }
                    // Servers of the newer kind alone have these codes, and some of them speak older versions, too.
                    Ok(
                        code::UNSUPPORTED_VERSION
                        | code::HEADER_MISMATCH
                        | code::MISSING_CAPABILITY,
                    ) => unclear(ungreeted(&refusal.message)),
                    _ => Ok(Found::Older),
                }
            }
            // What is not an answer comes of a server that does not know the question.
            Answered::Broken(_) | Answered::NotStarted(_) => Ok(Found::Older),
            #[cfg(feature = "client-http")]
            Answered::Http(answer) => match refused(&answer) {
                None => Ok(Found::Older),
                Some(error) if answer.wants_authorization() => Err(error),
                Some(error) => unclear(error),
            },
            #[cfg(feature = "client-http")]
            Answered::Lost(why) if !pending.way.is_sent() => Err(ungreeted(&why)),
            #[cfg(feature = "client-http")]
            Answered::Lost(why) => unclear(ungreeted(&why)),
        };
    }
}

/// The versions of a list that are known here.
fn versions(list: Option<&str>) -> Vec<Version> {
    let all = list.map(array).unwrap_or_default().into_iter();
    all.filter_map(|one| Version::read(&string(one)?)).collect()
}

/// The greeting of the versions before 2026-07-28.
pub(super) async fn initialize(connection: &Arc<Connection>) -> Result<Handshake, ConnectError> {
    let mut request = Request::new("initialize");
    request.params = request
        .params
        .text("protocolVersion", Version::NEWEST_GREETED.as_str())
        .json("capabilities", &connection.capabilities(false))
        .json("clientInfo", &client_info());
    let answered = connection.send(request, None).answer().await;
    let result = match answered.ok_or_else(went_away)? {
        Answered::Result(result) => result,
        Answered::Error(ServerRefusal { message, .. }) => return Err(ungreeted(&message)),
        Answered::Broken(why) | Answered::NotStarted(why) => return Err(ungreeted(&why)),
        #[cfg(feature = "client-http")]
        Answered::Http(answer) => {
            let error = refused(&answer);
            return Err(error.unwrap_or_else(|| ungreeted(&answer.words)));
        }
        #[cfg(feature = "client-http")]
        Answered::Lost(why) => return Err(ungreeted(&why)),
    };
    let result = Fields::of(&result).unwrap_or_default();
    let Some(version) = result.text("protocolVersion") else {
        return Err(ungreeted("its answer names no version of the protocol"));
    };
    let Some(known) = Version::read(&version).filter(|version| !version.is_modern()) else {
        let known = Version::ALL.map(|version| quoted(version.as_str()));
        let words = format!(
            "it speaks version `{version}`, and the client one of {}",
            list(known)
        );
        return Err(ungreeted(&words));
    };
    Ok(Handshake::read(known, &result, result.object("serverInfo")))
}

/// A status that no greeting of another kind would change. `None` for one by which an older server may say that it does
/// not know the newer greeting.
#[cfg(feature = "client-http")]
fn refused(answer: &super::answer::HttpAnswer) -> Option<ConnectError> {
    let status = answer.status;
    if answer.is_denied {
        let words = format!("the server answered {}", answer.words);
        return Some(ConnectError::new(ConnectErrorKind::Unauthorized, words));
    }
    if matches!(status.as_u16(), 401 | 403) {
        let words = "the server wants to know who asks, or asks somebody else (HTTP 401 or 403); give a token or a header";
        return Some(ConnectError::new(ConnectErrorKind::Unauthorized, words));
    }
    let is_final = !status.is_client_error() || status.as_u16() == 429;
    is_final.then(|| ungreeted(&answer.words))
}

fn ungreeted(why: &str) -> ConnectError {
    let words = format!("the server did not say hello: {}", short(why));
    ConnectError::new(ConnectErrorKind::Handshake, words)
}

pub(super) fn silent(limit: Duration) -> ConnectError {
    let words = format!("the server did not say hello within {limit:?}");
    ConnectError::new(ConnectErrorKind::Timeout, words)
}

pub(super) fn went_away() -> ConnectError {
    let words = "the server went away before it said hello";
    ConnectError::new(ConnectErrorKind::Handshake, words)
}
