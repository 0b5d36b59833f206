//! Responses of a server that requires access tokens.

use std::collections::BTreeSet;

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use toolwright_http::site::allow_every_page;
use toolwright_oauth::server::{Authorization, Refusal};
use toolwright_provider::call::ToolDef;
use toolwright_runtime::executor::Executor;
use toolwright_runtime::tool::{Context, Grant};

use super::body::Content;
use super::respond::{empty, json, refused};
use super::scopes::RequiredScopes;
use crate::protocol::code;
use crate::server::Shared;
use crate::server::incoming::ParseError;

/// Admits a request with the grant of its token, or returns the response that refuses it.
pub(super) async fn admit<B>(
    authorization: &Authorization,
    shared: &Shared,
    request: Request<B>,
) -> Result<Request<B>, Response<Content>> {
    if authorization.is_metadata(request.uri()) {
        return Err(metadata(authorization, shared, request.method()));
    }
    let refusal = match authorization.admit(request.headers()).await {
        Ok(grant) => {
            let (mut parts, body) = request.into_parts();
            let own = parts.extensions.get::<Context>().cloned();
            parts.extensions.insert(own.unwrap_or_default().with(grant));
            return Ok(Request::from_parts(parts, body));
        }
        Err(refusal) => refusal,
    };
    Err(match refusal {
        Refusal::Unauthorized { message, challenge } => {
            let bad = ParseError::new(code::INVALID_REQUEST, message);
            with_challenge(refused(StatusCode::UNAUTHORIZED, &bad), challenge)
        }
        Refusal::MissingScopes(scopes) => {
            challenged(authorization, RequiredScopes(scopes).refused(None))
        }
        Refusal::Unavailable => {
            let words = "the token could not be checked; try again later";
            let bad = ParseError::new(code::INTERNAL_ERROR, words);
            refused(StatusCode::SERVICE_UNAVAILABLE, &bad)
        }
    })
}

/// Adds the scopes to ask for to a response that refuses for lack of them.
pub(super) fn challenged(
    authorization: &Authorization,
    response: Response<Content>,
) -> Response<Content> {
    let scopes = response.extensions().get();
    let challenge = scopes.and_then(|RequiredScopes(scopes)| authorization.scope_challenge(scopes));
    with_challenge(response, challenge)
}

fn with_challenge(
    mut response: Response<Content>,
    challenge: Option<HeaderValue>,
) -> Response<Content> {
    if let Some(challenge) = challenge {
        let headers = response.headers_mut();
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// Responds with the server's metadata. Pages of any site may read them.
fn metadata(authorization: &Authorization, shared: &Shared, method: &Method) -> Response<Content> {
    let mut response = match *method {
        Method::GET | Method::HEAD => {
            let name = shared.title.as_ref().unwrap_or(&shared.name);
            let text = authorization.metadata_json(name, |required| all_scopes(shared, required));
            json(StatusCode::OK, text)
        }
        Method::OPTIONS => empty(StatusCode::NO_CONTENT),
        _ => return empty(StatusCode::METHOD_NOT_ALLOWED),
    };
    allow_every_page(response.headers_mut());
    response
}

/// Returns these scopes, and those of all tools, prompts and resources.
fn all_scopes(shared: &Shared, more: &[String]) -> Vec<String> {
    let catalogs = [&shared.prompts, &shared.resources].into_iter().flatten();
    let executors = catalogs.map(|catalog| &catalog.executor);
    let cx = shared.context.clone().with(Grant::unlimited());
    let of = |executor: &Executor| -> Vec<String> {
        let tools = executor.tools(&cx);
        let of = |def: &ToolDef| Grant::new().missing_scopes(def);
        tools.definitions().flat_map(of).collect()
    };
    let all: BTreeSet<String> = executors
        .chain([&shared.executor])
        .flat_map(of)
        .chain(more.iter().cloned())
        .collect();
    all.into_iter().collect()
}
