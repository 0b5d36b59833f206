//! Tools of a server that a client of rmcp is connected to.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, JsonObject, PaginatedRequestParams, Tool as Listed,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::Map;
use serde_json::value::RawValue;
use tokio::time::timeout;
use toolwright::call::{ErrorKind, Meta};
use toolwright::text::{Printable, portable_name};
use toolwright::{Context, DynTool, Outcome, Tool, ToolDef, ToolError, Toolset, Wire};

use crate::outcome::outcome;

/// Number of pages of a list that are read, at most.
const MAX_PAGES: usize = 1_000;

/// Number of tools that are taken of a list, at most.
const MAX_TOOLS: usize = 4_096;

/// Time limit of one page.
const PAGE_LIMIT: Duration = Duration::from_mins(1);

/// Tools of a server, from [`toolset_of`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PeerTools {
    /// The tools, in the server's order.
    pub toolset: Toolset,
    /// The server's tools that are not in the toolset.
    pub refused: Vec<RefusedTool>,
}

/// Tool of a server that cannot be offered to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedTool {
    /// Name of the tool, safe to print.
    pub name: String,
    /// Reason, for people.
    pub reason: String,
}

/// Lists the tools of a server and returns them as a toolset, whose calls go through `peer`.
///
/// A running client of rmcp derefs to its peer. The toolset does not keep the client running: after the client has
/// stopped, calls fail. It does not follow changes of the server's list. To follow them, list the tools again in
/// `ClientHandler::on_tool_list_changed`, and put them into a [`Registry`](toolwright::Registry).
///
/// - A name that some provider refuses is changed by [`portable_name`].
/// - Invisible characters are removed from descriptions. A tool is refused if its schema contains some.
/// - Entries of `_meta` reach the host only if their key contains a `/`. Layers read keys such as `risk`, which the host
///   sets and not the server. The others are in the tool's `meta` under `_meta`.
/// - What the server says of its tools' effects does not lessen caution: by the protocol's defaults each tool counts as
///   `destructive` and `open_world`, and neither as `read_only` nor as `idempotent`.
/// - Arguments are checked against the tool's schema before they are sent.
///
/// A call ends with the time limit of its [`Executor`](toolwright::Executor), or when its context is cancelled; rmcp then
/// cancels the request at the server. An error says if the call may have taken effect.
///
/// # Errors
/// When the list cannot be read, takes longer than a minute per page, or has more than 1,000 pages or 4,096 tools.
pub async fn toolset_of(peer: &Peer<RoleClient>) -> Result<PeerTools, ToolError> {
    let (mut tools, mut refused) = (Vec::new(), Vec::new());
    let mut names = HashSet::new();
    for listed in list(peer).await? {
        let name = Printable::new(&listed.name).one_line().at_most(128);
        let name = name.to_string();
        match tool(peer, listed, &name) {
            Ok(tool) if names.insert(tool.def().name.clone()) => tools.push(tool),
            Ok(_) => {
                let reason = "another tool of the server has this name".to_owned();
                refused.push(RefusedTool { name, reason });
            }
            Err(reason) => refused.push(RefusedTool { name, reason }),
        }
    }
    // The names are distinct, so there is no conflict.
    let toolset = Toolset::new(tools).unwrap_or_default();
    Ok(PeerTools { toolset, refused })
}

/// Reads all pages of the list.
async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Listed>, ToolError> {
    let unread = |reason: &str| {
        ToolError::failed(format!(
            "the list of the MCP server's tools cannot be read: {reason}"
        ))
    };
    let (mut tools, mut cursors, mut next) = (Vec::new(), HashSet::new(), None);
    for _ in 0..MAX_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(next.clone());
        let page = timeout(PAGE_LIMIT, peer.list_tools(Some(params))).await;
        let page = page.map_err(|_| unread("the server did not answer in time"))?;
        let page = page.map_err(|error| unread(&error.to_string()).with_source(error))?;
        tools.extend(page.tools);
        if tools.len() > MAX_TOOLS {
            return Err(unread(&format!("more than {MAX_TOOLS} tools")));
        }
        next = page.next_cursor.filter(|cursor| !cursor.is_empty());
        match &next {
            None => return Ok(tools),
            Some(cursor) if !cursors.insert(cursor.clone()) => {
                return Err(unread("its pages go in a circle"));
            }
            Some(_) => {}
        }
    }
    Err(unread(&format!("more than {MAX_PAGES} pages")))
}

/// Makes a tool, or says why it is refused.
fn tool(peer: &Peer<RoleClient>, listed: Listed, shown: &str) -> Result<Arc<dyn Tool>, String> {
    let text = serde_json::to_string(&listed).map_err(|error| error.to_string())?;
    let mut def = Wire::Mcp
        .parse_definition(&text)
        .map_err(|error| error.to_string())?;
    def.name = portable_name(&def.name).into_owned().into();
    def.meta = meta(listed.meta.map(|meta| meta.0), listed.icons.as_ref());
    if let Some(place) = def.strip_hidden().left.first() {
        return Err(format!("{place} of a schema holds invisible characters"));
    }
    describe(&mut def, shown);
    def.options.exact = def.options.annotations.destructive == Some(true);
    def.options.annotations = def.options.annotations.foreign(false);
    def.mark_foreign();
    let (peer, name) = (peer.clone(), listed.name);
    // The text, which keeps all digits if the program's `serde_json` does.
    let run = move |arguments: Box<RawValue>, cx: Context| {
        let (peer, call) = (peer.clone(), CallToolRequestParams::new(name.clone()));
        async move {
            let no_object = "the arguments are not objects";
            let arguments = serde_json::from_str(arguments.get())
                .map_err(|_| ToolError::new(ErrorKind::InvalidArgs, no_object))?;
            run(&peer, call.with_arguments(arguments), &cx).await
        }
    };
    // The server fills its own defaults.
    let tool = DynTool::builder().def(def).fill_defaults(false);
    tool.handler(run).build().map_err(|error| error.to_string())
}

/// Adds a description where there is none: models need one, and the protocol does not.
fn describe(def: &mut ToolDef, shown: &str) {
    if def.description.trim().is_empty() {
        def.description = match &def.title {
            Some(title) if !title.trim().is_empty() => title.clone(),
            _ => format!("The tool `{shown}`; its server does not say more.").into(),
        };
    }
}

fn meta(listed: Option<JsonObject>, icons: Option<&Vec<rmcp::model::Icon>>) -> Meta {
    let listed = listed.unwrap_or_default().into_iter();
    let (mut meta, rest): (Map<_, _>, Map<_, _>) = listed.partition(|(key, _)| key.contains('/'));
    if !rest.is_empty() {
        meta.insert("_meta".to_owned(), rest.into());
    }
    if let Some(Ok(icons)) = icons.map(serde_json::to_value) {
        meta.insert("icons".to_owned(), icons);
    }
    meta.into()
}

async fn run(
    peer: &Peer<RoleClient>,
    call: CallToolRequestParams,
    cx: &Context,
) -> Result<Outcome, ToolError> {
    let stop = cx.cancel();
    if stop.is_cancelled() {
        let words = "the call was cancelled before it was sent";
        return Err(ToolError::new(ErrorKind::Cancelled, words));
    }
    if peer.is_transport_closed() {
        let words = "the connection to the MCP server is closed; the call was not sent";
        return Err(ToolError::new(ErrorKind::NotStarted, words).permanent());
    }
    // Dropping this future cancels the request at the server, so an executor's time limit does, too.
    let response = tokio::select! {
        biased;
        response = peer.call_tool_once(call) => response,
        () = stop.cancelled() => Err(ServiceError::Cancelled { reason: None }),
    };
    match response {
        Ok(CallToolResponse::Complete(result)) => outcome(result),
        Ok(CallToolResponse::InputRequired(_)) => Err(ToolError::failed(
            "the MCP server asks for more before it answers, which is not supported here",
        )),
        // A client that does not declare tasks gets none. Where it does, this one goes on.
        Ok(_) => {
            let words =
                "the MCP server answers with a task, which is not supported here; it may still run";
            Err(ToolError::failed(words).permanent().with_outcome_unknown())
        }
        Err(error) => Err(failure(error)),
    }
}

/// Converts an error, and says whether the call may have taken effect.
fn failure(error: ServiceError) -> ToolError {
    let unknown = "whether it took effect is not known";
    match error {
        ServiceError::McpError(error) => {
            let message = Printable::new(error.message.trim()).at_most(2_000);
            let words = format!("the MCP server refused the call: {message}");
            ToolError::failed(words).with_debug(format!("JSON-RPC error {}", error.code.0))
        }
        ServiceError::Cancelled { .. } => {
            let words = format!("the call was cancelled; {unknown}");
            ToolError::new(ErrorKind::Cancelled, words).with_outcome_unknown()
        }
        ServiceError::UnexpectedResponse => {
            let words = "the MCP server's answer is not a result of a tool";
            ToolError::new(ErrorKind::InvalidReturn, words)
        }
        error => {
            let words =
                format!("the connection to the MCP server failed during the call; {unknown}");
            let failed = ToolError::failed(words).with_source(error);
            failed.permanent().with_outcome_unknown()
        }
    }
}
