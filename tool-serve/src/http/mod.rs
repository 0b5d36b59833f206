//! A toolset over HTTP: calls, its `OpenAPI` document, a page to try it.

mod below;
mod call;
mod decide;
mod guard;
mod listen;
mod openapi;
mod page;
mod stream;
mod waiting;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Extensions, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;
use toolwright_runtime::{Cancel, Context, Executor, Registry};

use self::below::below;
use self::guard::Guard;
use self::waiting::Waiting;
use crate::body::Room;
use crate::mcp::{HttpService, ServerLimits};
use crate::turns::Turns;
use crate::{answer, definitions, from_outside, progress, token};

/// How long calls in flight have to end after the server was told to.
const GRACE: Duration = Duration::from_secs(10);

/// A toolset over HTTP: `POST /tools/{name}`, `POST /calls/{id}`, `GET /tools`, `GET /openapi.json`, `GET /health`, a page
/// at `/`, and MCP at `/mcp`.
///
/// The body of a call is the arguments' JSON text, which the tool's decoder reads as it came; its
/// answer is JSON too, or with `Accept: text/event-stream` events, of which the last one is the answer.
/// A client that goes away cancels its call.
///
/// A call that waits for a person (a layer [asks](toolwright_runtime::layers::Approval), or the tool is manual)
/// did not run. It is answered with status 202, the arguments that it would run with, and an `id`; a
/// [`Decision`](toolwright_runtime::Decision) as JSON to `POST /calls/{id}` goes on with it:
/// `"approve"`, `{"reject": "why"}`, `{"edit": {…}}`, `{"answer": …}`. It runs once, for whoever called. The
/// latest 4,096 calls are kept (64 MiB of arguments), each for an hour. Whoever knows the id decides: where callers may not
/// approve their own calls, put a [layer](Self::routes) around `/calls`.
///
/// The server asks about no call by itself: which calls wait is said by the layers of its
/// [executor](Self::executor), such as `Approval::default()`. The program of [`Serve`](crate::Serve) has that one.
///
/// Values that a caller got wrong are [repaired](toolwright_runtime::Repair), and the answer's `repairs`
/// say how; keys never are, since nobody knows who wrote them. A [context](Self::context) that is
/// strict switches that off, as does a request with `Prefer: handling=strict`.
///
/// Requests are refused whose `Host` is a name that is not allowed, or whose `Origin` is another site.
/// Beyond the loopback it serves only with a [token](Self::bearer), or where [anyone](Self::allow_anyone)
/// may call.
///
/// ```no_run
/// # async fn serve(tools: toolwright::Toolset) -> std::io::Result<()> {
/// use toolwright::Cancel;
/// use toolwright::serve::http::HttpServer;
///
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// HttpServer::new(tools).name("shop").serve(listener, Cancel::new()).await
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
}

/// What a host makes of an executor.
pub(crate) type Change = Arc<dyn Fn(Executor) -> Executor + Send + Sync>;

type Routes = Box<dyn FnOnce(Router) -> Router + Send>;

/// What every request has to do with.
struct Shared {
    registry: Registry,
    executor: Executor,
    name: String,
    version: String,
    cx: Context,
    /// Ends calls that run.
    end: Cancel,
    turns: Turns,
    is_guarded: bool,
    room: Room,
    waiting: Waiting,
    last_call: AtomicU64,
}

impl HttpServer {
    /// A server of these tools: a toolset, or a registry whose tools may change.
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
        }
    }

    /// The same server, with what `change` makes of the executors that run its calls: layers, time
    /// limits, observers; said again, of what was made of them before. Its tools stay the server's.
    pub fn executor(self, change: impl Fn(Executor) -> Executor + Send + Sync + 'static) -> Self {
        let before = self.change;
        let change = Arc::new(move |executor| change(before(executor)));
        Self { change, ..self }
    }

    /// The same server under this name, in its documents.
    pub fn name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        Self { name, ..self }
    }

    /// The same server, of this version.
    pub fn version(self, version: impl Into<String>) -> Self {
        let version = version.into();
        Self { version, ..self }
    }

    /// The same server, with a line on what it is for: what clients of MCP are told of it.
    pub fn about(self, about: impl Into<String>) -> Self {
        let about = Some(about.into());
        Self { about, ..self }
    }

    /// The same server, with what all calls know, over what was said before. A layer that puts a
    /// [`Context`] into a request's extensions says more about that request's call.
    pub fn context(self, cx: Context) -> Self {
        let cx = cx.over(&self.cx);
        Self { cx, ..self }
    }

    /// The same server, which asks for this token (`Authorization: Bearer …`) wherever tools are: not
    /// for the page itself, nor for `/health`. Space around it is none of it; with one that is empty, or
    /// that no header can hold, the server does not [serve](Self::serve), and its
    /// [routes](Self::into_router) let nobody in.
    pub fn bearer(mut self, token: impl Into<String>) -> Self {
        self.guard.token = Some(token::checked(&token.into()).map(str::to_owned));
        self
    }

    /// The same server, which is also reached under this name: `tools.example.com`, with or without a
    /// port. `localhost` and addresses always are.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.guard.hosts.push(host.into().to_ascii_lowercase());
        self
    }

    /// The same server, which pages of this origin (`https://app.example.com`) may call, beside its
    /// own.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.guard.origins.push(origin.into().to_ascii_lowercase());
        self
    }

    /// The same server, which serves beyond the loopback although it asks for no token: where a
    /// [layer](Self::routes) or a proxy does, or nobody has to.
    pub fn allow_anyone(self) -> Self {
        Self {
            is_for_anyone: true,
            ..self
        }
    }

    /// The same server, with what becomes of its routes: more of them, or layers around them. Hosts,
    /// origins and the token are checked before, for all of them.
    ///
    /// ```no_run
    /// # fn with(server: toolwright::serve::http::HttpServer) -> toolwright::serve::http::HttpServer {
    /// use toolwright::serve::axum::routing::get;
    ///
    /// server.routes(|router| router.route("/version", get(|| async { "1.2.0" })))
    /// # }
    /// ```
    ///
    /// Taken are `/`, `/health`, `/mcp`, `/openapi.json` and what is below `/tools`, `/calls` and `/page`. What is
    /// elsewhere goes to the `fallback` that the router is given, if any; a router that is merged into it
    /// has none of its own.
    pub fn routes(self, change: impl FnOnce(Router) -> Router + Send + 'static) -> Self {
        Self {
            routes: Some(Box::new(change)),
            ..self
        }
    }

    /// The same server, which gives calls in flight so long after it was told to end; 10 s if nothing
    /// is said. Then they are cancelled, and answered as that.
    pub fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Why it would not serve at this address, if it would not.
    pub(crate) fn why_not(&self, address: SocketAddr) -> Option<&'static str> {
        if let Some(Err(why)) = self.guard.token {
            return Some(why);
        }
        let is_open =
            !address.ip().is_loopback() && self.guard.token.is_none() && !self.is_for_anyone;
        is_open.then_some(
            "everyone who reaches this address could call the tools; ask for a token \
             (`--token-env VARIABLE`), or say `--allow-anyone`",
        )
    }

    /// The routes, for a server of the host's own. What [`serve`](Self::serve) does about slow and
    /// about too many connections is then the host's to do. `stop` cancels the calls in flight.
    ///
    /// A host with routes of its own puts these below a path, where the page and the document find
    /// themselves too; and a layer says who asks:
    ///
    /// ```
    /// use toolwright::serve::axum::extract::Request;
    /// use toolwright::serve::axum::routing::get;
    /// use toolwright::serve::axum::{Router, middleware};
    /// use toolwright::serve::http::HttpServer;
    /// use toolwright::{Cancel, Context, Toolset};
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

    /// `stop` ends what a server says unasked, `end_calls` the calls in flight.
    fn router(self, stop: &Cancel, end_calls: &Cancel) -> Router {
        let turns = Turns::default();
        let mcp = self.mcp(stop, turns.clone());
        let shared = Arc::new(Shared {
            executor: progress::told((self.change)(Executor::serial(&self.registry))),
            name: self.name,
            version: self.version,
            cx: from_outside(self.cx),
            end: end_calls.clone(),
            turns,
            registry: self.registry,
            is_guarded: self.guard.token.is_some(),
            room: Room::default(),
            waiting: Waiting::default(),
            last_call: AtomicU64::new(0),
        });
        let router = Router::new()
            .route("/tools", get(tools))
            .route("/tools/{name}", post(call::call))
            .route("/calls/{id}", post(decide::decide))
            .route("/openapi.json", get(document))
            .with_state(shared)
            .route_service("/mcp", mcp);
        // Before the host's routes, so that a fallback of theirs takes its place.
        let router = router.fallback(nothing);
        let router = match self.routes {
            Some(change) => change(router),
            None => router,
        };
        let open = Router::new()
            .route("/health", get(health))
            .merge(page::routes());
        self.guard
            .around(router, open)
            .method_not_allowed_fallback(no_method)
            .layer(axum::middleware::map_response(guard::harden))
    }

    /// The same tools over MCP, behind the same guard.
    fn mcp(&self, stop: &Cancel, turns: Turns) -> HttpService {
        let limits = ServerLimits {
            grace: self.grace,
            ..ServerLimits::default()
        };
        let mut server = crate::mcp::McpServer::new(self.registry.clone());
        if let Some(about) = &self.about {
            server = server.instructions(about);
        }
        server
            .executor(|executor| (self.change)(executor))
            .name(self.name.clone())
            .version(self.version.clone())
            .context(self.cx.clone())
            .limits(limits)
            .stopped_by(stop.clone())
            .turns(turns)
            .http()
            .guarded_elsewhere()
    }

    /// Serves until `stop` is fired: connections are then no longer taken, and calls in flight have
    /// their [grace](Self::grace).
    ///
    /// # Errors
    /// When the [token](Self::bearer) is none; or when it would serve beyond the loopback, and neither asks
    /// for a token nor is for [anyone](Self::allow_anyone).
    pub async fn serve(self, listener: TcpListener, stop: Cancel) -> io::Result<()> {
        if let Some(why) = self.why_not(listener.local_addr()?) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let (grace, end_calls) = (self.grace, Cancel::new());
        let router = self.router(&stop, &end_calls);
        listen::listen(listener, router, stop, end_calls, grace).await;
        Ok(())
    }
}

impl Shared {
    /// What is known of a request: of whoever asks, by a layer around the routes; of all calls.
    fn context(&self, extensions: &Extensions) -> Context {
        match extensions.get::<Context>() {
            Some(own) => own.clone().over(&self.cx),
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

async fn tools(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let tools = shared.executor.tools(&shared.context(request.extensions()));
    json(StatusCode::OK, definitions::list_of(&tools))
}

async fn document(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let tools = shared.executor.tools(&shared.context(request.extensions()));
    let below = below(request.extensions(), request.uri());
    let document = openapi::document(
        &tools,
        &shared.name,
        &shared.version,
        shared.is_guarded,
        below,
    );
    json(StatusCode::OK, document)
}

async fn health() -> Response {
    json(StatusCode::OK, r#"{"status":"ok"}"#.to_owned())
}

async fn nothing() -> Response {
    refused(StatusCode::NOT_FOUND, "not_found", "there is nothing here")
}

async fn no_method() -> Response {
    let words = "there is something here, but not by this method";
    refused(StatusCode::METHOD_NOT_ALLOWED, "no_method", words)
}

/// An answer to what never became a call.
fn refused(status: StatusCode, kind: &str, words: &str) -> Response {
    json(status, answer::refused(kind, words))
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
