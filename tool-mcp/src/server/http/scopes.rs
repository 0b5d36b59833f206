//! Requests for what the caller lacks scopes for.

use std::collections::BTreeSet;

use http::{Response, StatusCode};
use toolwright_json::{Object, list, quoted};
use toolwright_provider::call::ToolDef;
use toolwright_runtime::executor::Executor;
use toolwright_runtime::tool::{Context, Grant};

use super::body::HttpBody;
use super::json;
use crate::protocol::{Id, RpcError, code, error_response};
use crate::server::Shared;
use crate::server::incoming::Request;

/// The scopes that a request needs. It stands in the response that refuses it, for what adds where a client gets them.
#[derive(Clone)]
pub(super) struct Needs(pub(super) Vec<String>);

impl Needs {
    /// What the request needs, if its caller lacks some of it. Of what is hidden for other reasons nothing is told.
    pub(super) fn of(shared: &Shared, request: &Request<'_>, cx: &Context) -> Option<Self> {
        let grant = cx.get::<Grant>()?;
        let all = cx.clone().with(Grant::unlimited());
        let name = || request.params.text("name");
        let (registry, executor, name) = match &*request.method {
            "tools/call" => (&shared.registry, &shared.executor, name()?.into_owned()),
            "prompts/get" => {
                let prompts = shared.prompts.as_ref()?;
                (&prompts.registry, &prompts.executor, name()?.into_owned())
            }
            "resources/read" => {
                let resources = shared.resources.as_ref()?;
                let (name, _) = resources.find(&all, &request.params.text("uri")?)?;
                (&resources.registry, &resources.executor, name)
            }
            _ => return None,
        };
        let tool = registry.get(&name)?;
        let def = tool.def();
        if grant.admits(def) || !executor.tools(&all).contains(&name) {
            return None;
        }
        Some(Self(Grant::new().missing_scopes(def)))
    }

    /// What is answered: the scopes stand in `data`.
    pub(super) fn refused(self, id: Option<&Id>) -> Response<HttpBody> {
        let words = format!(
            "the access token lacks a scope: this needs {}",
            self.0.join(" ")
        );
        let scopes = list(self.0.iter().map(|scope| quoted(scope)));
        let error = RpcError::new(code::INVALID_REQUEST, words)
            .with_data(Object::new().json("scopes", &scopes).end());
        let mut response = json(
            StatusCode::FORBIDDEN,
            error_response(id.map(Id::as_json), &error),
        );
        response.extensions_mut().insert(self);
        response
    }
}

/// These scopes, and those of everything that the server has.
#[cfg(feature = "oauth")]
pub(super) fn of_all(shared: &Shared, more: &[String]) -> Vec<String> {
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
