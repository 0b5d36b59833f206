//! Requests for what the caller lacks scopes for.

use http::{Response, StatusCode};
use toolwright_json::{ObjectWriter, list, quoted};
use toolwright_runtime::tool::{Context, Grant};

use super::body::Content;
use super::respond::json;
use crate::protocol::{Id, RpcError, code, error_response};
use crate::server::incoming::Request;
use crate::server::{Shared, caller, tasks};

/// The scopes that a request needs. It stands in the response that refuses it, for what adds where a client gets them.
#[derive(Clone)]
pub(super) struct RequiredScopes(pub(super) Vec<String>);

impl RequiredScopes {
    /// Returns the scopes that the request needs, if its caller lacks some. Of what is hidden for other reasons nothing is told.
    pub(super) fn of(
        shared: &Shared,
        request: &Request<'_>,
        own: Option<&Context>,
    ) -> Option<Self> {
        let grant = grant(shared, own)?;
        let all = || {
            let cx = caller::context(shared, "", own.cloned());
            cx.with(grant.clone().with_every_scope())
        };
        let name = || request.params.text("name");
        let (registry, executor, name) = match &*request.method {
            "tools/call" => (&shared.registry, &shared.executor, name()?),
            "prompts/get" => {
                let prompts = shared.prompts.as_ref()?;
                (&prompts.registry, &prompts.executor, name()?)
            }
            "resources/read" | "resources/subscribe" => {
                let resources = shared.resources.as_ref()?;
                let (name, _) = resources.find(&all(), &request.params.text("uri")?)?;
                (&resources.registry, &resources.executor, name.into())
            }
            // What a call came to is for those who may make the call.
            "tasks/get" | "tasks/update" | "tasks/cancel" => {
                let id = request.params.text("taskId")?;
                let needed = tasks::scopes(&tasks::find(shared, &all(), &id)?);
                let is_admitted = needed.iter().all(|scope| grant.has_scope(scope));
                return (!is_admitted).then_some(Self(needed));
            }
            _ => return None,
        };
        let tool = registry.get(&name)?;
        let def = tool.def();
        // A call of a hidden tool is refused later.
        if grant.admits(def) || executor.tools(&all()).get(&name).is_none() {
            return None;
        }
        Some(Self(Grant::new().missing_scopes(def)))
    }

    /// Answers with the scopes in `data`.
    pub(super) fn refused(self, id: Option<&Id>) -> Response<Content> {
        let words = format!(
            "the access token lacks a scope: this needs {}",
            self.0.join(" ")
        );
        let scopes = list(self.0.iter().map(|scope| quoted(scope)));
        let error = RpcError::new(code::INVALID_REQUEST, words)
            .with_data(ObjectWriter::new().json("scopes", &scopes).end());
        let mut response = json(
            StatusCode::FORBIDDEN,
            error_response(id.map(Id::as_json), &error),
        );
        response.extensions_mut().insert(self);
        response
    }
}

/// Returns the grant of whoever asks, from a layer around the HTTP service or the host of all.
pub(super) fn grant<'a>(shared: &'a Shared, own: Option<&'a Context>) -> Option<&'a Grant> {
    let own = own.and_then(|own| own.get());
    own.or_else(|| shared.context.get())
}
