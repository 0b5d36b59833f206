//! A toolset over HTTP: calls, the `OpenAPI` document, a page to try the tools.
//!
//! [`HttpServer`] builds the routes; each module handles one of them, or one concern of all. `guard` comes before every
//! route, `listen` limits connections.

mod call;
mod decide;
mod guard;
mod listen;
mod mount;
mod openapi;
mod page;
mod stream;

use std::fmt;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{Extensions, StatusCode, header};
use axum::middleware::{from_fn, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;
use toolwright_json::{list, object};
use toolwright_provider::call::{ErrorKind, ToolCall};
use toolwright_runtime::executor::{ExclusiveGate, Executor, KeptCalls};
use toolwright_runtime::tool::{Cancel, Context, Grant};
use toolwright_runtime::toolset::Registry;
use toolwright_schema::tokens::Tokenizer;

use self::guard::Guard;
use self::mount::mount_path;
use crate::{answer, definitions};
use toolwright_http::answer::Counted;
use toolwright_http::body::Budget;
use toolwright_http::token;
use toolwright_mcp::outside::from_outside;
use toolwright_mcp::progress;
use toolwright_mcp::{HttpService, McpServer, ServerLimits};

/// Default time for calls in flight after the server stops.
const GRACE: Duration = Duration::from_secs(10);

/// A toolset over HTTP: `POST /tools/{name}`, `POST /calls/{id}`, `GET /tools`, `GET /tools/{name}/definitions`,
/// `GET /openapi.json`, `GET /health`, a page at `/`, and MCP at `/mcp`.
///
/// # Definitions
/// `GET /tools` lists the tools. `requires_approval` is true if every call of a tool waits for a person, as
/// [`Executor::requires_approval`] reads it from the tool and the executor's layers.
///
/// `GET /tools/{name}/definitions` has a member for each [`Wire`](toolwright_provider::wire::Wire), such as
/// `openai_chat`: the `dialect`, the `tools` of a request with this tool alone, and `notes` on what its schema no
/// longer says; or, in place of both, why the dialect `refused` it.
///
/// # Calls
/// The body of a call is the JSON text of the arguments, decoded as it arrives. The response is JSON too. With `Accept:
/// text/event-stream` it is a stream of events, and the last one is the answer. A client that disconnects cancels its
/// call.
///
/// Invalid values are [repaired](toolwright_schema::decode::Repair), and the `repairs` of the answer list the changes. Keys
/// are never repaired, since the author of the arguments is unknown. A strict [context](Self::context) switches repairs
/// off, as does a request with `Prefer: handling=strict`.
///
/// # Approvals
/// A call that waits for a person did not run: a layer [asks](toolwright_runtime::layers::Approval), or the tool is
/// manual. It is answered with status 202, its arguments, and an `id`. A [`Decision`](toolwright_runtime::tool::Decision) as
/// JSON to `POST /calls/{id}` continues it: `"approve"`, `{"reject": "why"}`, `{"edit": {…}}`, `{"answer": …}`. It runs
/// once, in the context of its caller.
///
/// A tool that [asks](toolwright_provider::call::Outcome::AskUser) has ended with a question, which is answered with
/// status 200 and an `id`. `{"answer": …}` to `POST /calls/{id}` becomes the result of the call, and `{"reject": "why"}`
/// its error; the tool does not run again. A question with the option `key` has no `id`, since its tool reads the answer
/// in another call.
///
/// The latest 4,096 of these calls are kept (64 MiB of arguments and of agents' conversations), each for an hour. Anybody who knows the id can
/// decide. `GET /calls` lists them for a caller whose [`Grant`] names a subject or a client, and
/// lists nothing for others. If callers may not approve their own calls, put a [layer](Self::routes) around `/calls`.
///
/// The server itself asks about no call. The layers of its [executor](Self::executor) do, such as
/// `Approval::default()`, which [`Serve`](crate::Serve) adds.
///
/// # Access
/// A request is refused if its `Host` is not an allowed name, or its `Origin` another site. Beyond the loopback
/// interface, the server requires a [token](Self::bearer) or [`allow_anyone`](Self::allow_anyone).
///
/// ```no_run
/// use toolwright::call::Cancel;
/// use toolwright::serve::http::HttpServer;
/// use toolwright::{tool, tools};
///
/// /// Finds orders of a customer.
/// #[tool(read_only)]
/// fn find_orders(customer: &str) -> Vec<String> {
///     vec![format!("17: two lamps for {customer}")]
/// }
///
/// # async fn serve() -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// HttpServer::new(tools![find_orders]).name("shop").serve(listener, Cancel::new()).await
/// # }
/// ```
pub struct HttpServer {
    registry: Registry,
    change: Change,
    name: String,
    version: String,
    about: Option<String>,
    cx: Context,
    guard: Guard,
    is_for_anyone: bool,
    routes: Option<Routes>,
    grace: Duration,
    mcp: ChangeMcp,
}

/// Change of an executor by the host.
pub(crate) type Change = Arc<dyn Fn(Executor) -> Executor + Send + Sync>;

/// Change of the server of MCP by the host.
pub(crate) type ChangeMcp = Arc<dyn Fn(McpServer) -> McpServer + Send + Sync>;

type Routes = Box<dyn FnOnce(Router) -> Router + Send>;

/// State shared by all requests.
struct ServerState {
    executor: Executor,
    name: String,
    version: String,
    cx: Context,
    /// Cancels running calls.
    end: Cancel,
    is_guarded: bool,
    budget: Budget,
    pending_calls: Arc<KeptCalls>,
    last_call: AtomicU64,
}

impl HttpServer {
    /// Creates a server for a toolset, or for a registry whose tools may change.
    pub fn new(tools: impl Into<Registry>) -> Self {
        Self {
            registry: tools.into(),
            change: Arc::new(|executor| executor),
            name: "tools".to_owned(),
            version: "0".to_owned(),
            about: None,
            cx: Context::new(),
            guard: Guard::default(),
            is_for_anyone: false,
            routes: None,
            grace: GRACE,
            mcp: Arc::new(|server| server),
        }
    }

    /// Changes the server of MCP at `/mcp`: prompts, resources, and whatever else it has. Several changes apply in order.
    pub fn mcp(self, change: impl Fn(McpServer) -> McpServer + Send + Sync + 'static) -> Self {
        let before = self.mcp;
        let mcp = Arc::new(move |server| change(before(server)));
        Self { mcp, ..self }
    }

    /// Changes the executors that run calls: layers, time limits, observers. Several changes apply in order. The tools
    /// stay those of the server.
    pub fn executor(self, change: impl Fn(Executor) -> Executor + Send + Sync + 'static) -> Self {
        let before = self.change;
        let change = Arc::new(move |executor| change(before(executor)));
        Self { change, ..self }
    }

    /// Sets the name in documents.
    pub fn name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        Self { name, ..self }
    }

    /// Sets the version.
    pub fn version(self, version: impl Into<String>) -> Self {
        let version = version.into();
        Self { version, ..self }
    }

    /// Sets a one-line description. Clients of MCP read it.
    pub fn about(self, about: impl Into<String>) -> Self {
        let about = Some(about.into());
        Self { about, ..self }
    }

    /// Sets the context of all calls. It takes precedence over an earlier one. A layer that puts a [`Context`] into a
    /// request's extensions overrides it for that request.
    pub fn context(self, cx: Context) -> Self {
        let cx = cx.with_fallback(&self.cx);
        Self { cx, ..self }
    }

    /// Requires this token (`Authorization: Bearer …`) on all routes except the page and `/health`. Surrounding
    /// whitespace is trimmed. With an empty or invalid token, [`serve`](Self::serve) fails, and the
    /// [routes](Self::into_router) admit nobody.
    pub fn bearer(mut self, token: impl Into<String>) -> Self {
        self.guard.token = Some(token::checked(&token.into()).map(str::to_owned));
        self
    }

    /// Allows requests to this host: `tools.example.com`, with or without a port. `localhost` and addresses are always
    /// allowed.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.guard.site.allow_host(host);
        self
    }

    /// Allows requests from pages of this origin (`https://app.example.com`), beside the server's own. Their browser lets them
    /// read the responses (CORS), without cookies.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.guard.site.allow_origin(origin);
        self
    }

    /// Allows serving beyond the loopback interface without a token. Use it if a [layer](Self::routes) or a proxy
    /// checks requests, or if anybody may call.
    pub fn allow_anyone(self) -> Self {
        Self {
            is_for_anyone: true,
            ..self
        }
    }

    /// Changes the routes: adds more of them, or layers around them. Hosts, origins and the token are checked before
    /// all of them.
    ///
    /// ```no_run
    /// # fn with(server: toolwright::serve::http::HttpServer) -> toolwright::serve::http::HttpServer {
    /// use toolwright::serve::axum::routing::get;
    ///
    /// server.routes(|router| router.route("/version", get(|| async { "1.2.0" })))
    /// # }
    /// ```
    ///
    /// The server uses `/`, `/health`, `/mcp`, `/openapi.json` and everything below `/tools`, `/calls` and `/page`. All
    /// other paths go to the `fallback` of the router, if it has one. A router that is merged into it cannot have its
    /// own.
    pub fn routes(self, change: impl FnOnce(Router) -> Router + Send + 'static) -> Self {
        Self {
            routes: Some(Box::new(change)),
            ..self
        }
    }

    /// Sets the time for calls in flight after the server was stopped. Default: 10 s. After that they are cancelled,
    /// and answered as cancelled.
    pub fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Returns the reason not to serve at this address.
    pub(crate) fn refusal(&self, address: SocketAddr) -> Option<&'static str> {
        if let Some(Err(reason)) = self.guard.token {
            return Some(reason);
        }
        let is_open =
            !address.ip().is_loopback() && self.guard.token.is_none() && !self.is_for_anyone;
        is_open.then_some(
            "everyone who reaches this address could call the tools; ask for a token \
             (`--token-env VARIABLE`), or say `--allow-anyone`",
        )
    }

    /// Returns the routes, for a server of the host's own. That server has to limit slow connections and their number,
    /// as [`serve`](Self::serve) does. `stop` cancels the calls in flight.
    ///
    /// The routes also work below a path, where the page and the document use that path. A layer can add a context for
    /// each request:
    ///
    /// ```
    /// use toolwright::serve::axum::extract::Request;
    /// use toolwright::serve::axum::routing::get;
    /// use toolwright::serve::axum::{Router, middleware};
    /// use toolwright::serve::http::HttpServer;
    /// use toolwright::{Context, Toolset, call::Cancel};
    ///
    /// /// What a tool finds by `cx.get::<User>()`.
    /// struct User(String);
    ///
    /// # fn app(tools: Toolset) -> Router {
    /// let tools = HttpServer::new(tools).into_router(&Cancel::new());
    /// let tools = tools.layer(middleware::map_request(|mut request: Request| async {
    ///     let user = User("whom a session or a token says".to_owned());
    ///     request.extensions_mut().insert(Context::new().with(user));
    ///     request
    /// }));
    /// Router::new().route("/", get(|| async { "my own" })).nest("/api", tools)
    /// # }
    /// ```
    pub fn into_router(self, stop: &Cancel) -> Router {
        self.router(stop, stop)
    }

    /// Builds the routes. `stop` ends long-lived streams, `end_calls` cancels the calls in flight.
    fn router(self, stop: &Cancel, end_calls: &Cancel) -> Router {
        let gate = ExclusiveGate::default();
        let mcp = self.mcp_service(stop, gate.clone());
        let executor = (self.change)(Executor::serial(&self.registry)).exclusive_across(&gate);
        let state = Arc::new(ServerState {
            executor: progress::with_progress(executor),
            name: self.name,
            version: self.version,
            cx: from_outside(self.cx),
            end: end_calls.clone(),
            is_guarded: self.guard.token.is_some(),
            budget: Budget::default(),
            pending_calls: Arc::default(),
            last_call: AtomicU64::new(0),
        });
        let answers = state.budget.answers.clone();
        let router = Router::new()
            .route("/tools", get(tools))
            .route("/tools/{name}", post(call::call))
            .route("/tools/{name}/definitions", get(definitions_of_tool))
            .route("/calls", get(waiting))
            .route("/calls/{id}", post(decide::decide))
            .route("/openapi.json", get(document))
            .with_state(state)
            .layer(map_response(move |response: Response| {
                // Counts the response until the client has read it.
                ready(response.map(|body| Body::new(Counted::new(body, &answers))))
            }))
            // Some clients add a slash.
            .route_service("/mcp/", mcp.clone())
            .route_service("/mcp", mcp);
        // Set before the host's routes, whose fallback replaces it.
        let router = router.fallback(nothing);
        let router = match self.routes {
            Some(change) => change(router),
            None => router,
        };
        let open = Router::new()
            .route("/health", get(health))
            .merge(page::routes());
        self.guard
            .protect(router, open, no_method)
            .layer(from_fn(guard::check_transfer))
            .layer(from_fn(guard::read_body_to_end))
            .layer(map_response(guard::add_security_headers))
    }

    /// Builds the MCP service of the tools, behind the same guard.
    fn mcp_service(&self, stop: &Cancel, gate: ExclusiveGate) -> HttpService {
        let limits = ServerLimits {
            grace: self.grace,
            ..ServerLimits::default()
        };
        // Whoever gets past the guard may call everything, unless the host knows better.
        let cx = match self.cx.get::<Grant>() {
            Some(_) => self.cx.clone(),
            None => self.cx.clone().with(Grant::unlimited()),
        };
        let mut server = McpServer::new(self.registry.clone());
        if let Some(about) = &self.about {
            server = server.instructions(about);
        }
        (self.mcp)(server.context(cx))
            .executor(|executor| (self.change)(executor))
            .name(self.name.clone())
            .version(self.version.clone())
            .limits(limits)
            .stopped_by(stop.clone())
            .gate(gate)
            .http()
            .guarded_elsewhere()
    }

    /// Serves until `stop` is fired. Then no connection is accepted, and calls in flight have their
    /// [grace](Self::grace) period.
    ///
    /// # Errors
    /// Fails with an invalid [token](Self::bearer), and beyond the loopback interface without a token or
    /// [`allow_anyone`](Self::allow_anyone).
    pub async fn serve(self, listener: TcpListener, stop: Cancel) -> io::Result<()> {
        if let Some(reason) = self.refusal(listener.local_addr()?) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let (grace, end_calls) = (self.grace, Cancel::new());
        let router = self.router(&stop, &end_calls);
        listen::listen(listener, router, stop, end_calls, grace).await;
        Ok(())
    }
}

impl ServerState {
    /// Returns the context of a request: that of its extensions over that of all calls.
    fn context(&self, extensions: &Extensions) -> Context {
        match extensions.get::<Context>() {
            Some(own) => own.clone().with_fallback(&self.cx),
            None => self.cx.clone(),
        }
    }

    fn next_id(&self) -> String {
        format!(
            "call_{}",
            self.last_call.fetch_add(1, Ordering::Relaxed) + 1
        )
    }
}

async fn tools(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    let tools = state.executor.tools(&state.context(request.extensions()));
    json(
        StatusCode::OK,
        definitions::tools_json(&state.executor, &tools, Tokenizer::Bound),
    )
}

/// Returns the calls of the caller that wait, oldest first.
async fn waiting(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    let cx = state.context(request.extensions());
    let calls = state.pending_calls.of_caller(&cx).into_iter();
    let calls = calls.map(|entry| {
        let tools = state.executor.tools(&entry.cx);
        answer::json_of(&entry.waiting(&tools))
    });
    json(StatusCode::OK, object([("calls", list(calls))]))
}

async fn definitions_of_tool(
    State(state): State<Arc<ServerState>>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(name)) = name else {
        return no_utf8_name();
    };
    let cx = state.context(request.extensions());
    // A hidden tool is not among them, and so as unknown as one that is nowhere.
    let tools = state.executor.tools(&cx);
    let tool = tools.filter(|tool| *tool.def().name == *name);
    if tool.iter().next().is_none() {
        let error = tools.validate(&ToolCall::new("", name, "{}"), &cx);
        let words = error.err().map(|error| error.to_string());
        let kind = ErrorKind::Unknown.as_str();
        return refused(StatusCode::NOT_FOUND, kind, &words.unwrap_or_default());
    }
    json(StatusCode::OK, definitions::by_wire_json(&tool))
}

async fn document(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    let tools = state.executor.tools(&state.context(request.extensions()));
    let mount = mount_path(request.extensions(), request.uri());
    let document = openapi::document(&tools, &state.name, &state.version, state.is_guarded, mount);
    json(StatusCode::OK, document)
}

async fn health() -> Response {
    json(StatusCode::OK, r#"{"status":"ok"}"#.to_owned())
}

async fn nothing() -> Response {
    refused(StatusCode::NOT_FOUND, "not_found", "there is nothing here")
}

async fn no_method() -> Response {
    let message = "there is something here, but not by this method";
    refused(StatusCode::METHOD_NOT_ALLOWED, "no_method", message)
}

fn no_utf8_name() -> Response {
    let message = "the name of the tool is not UTF-8";
    refused(StatusCode::BAD_REQUEST, "no_utf8", message)
}

/// Responds to a request that did not become a call.
fn refused(status: StatusCode, kind: &str, message: &str) -> Response {
    json(status, answer::refusal_json(kind, message))
}

fn json(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}
