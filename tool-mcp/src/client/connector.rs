use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use toolwright_provider::call::ToolDef;
use toolwright_provider::definitions::NoticeKind;
use toolwright_provider::wire::Namespace;
use toolwright_runtime::tool::Cancel;
use toolwright_runtime::toolset::Registry;

use super::elicit::Elicitation;
use super::error::{ConnectError, ConnectErrorKind};
use super::event::{ClientEvent, EventListener};
use super::keep::Supervisor;
use super::link::{LinkState, Reconnector};
use super::lists::Lists;
use super::live_calls::LiveCalls;
#[cfg(feature = "lock")]
use super::lock::{LockFile, Reading};
use super::remote::tools;
use super::server::ServerAt;
#[cfg(all(feature = "oauth", feature = "client-http"))]
use super::server::Target;
use super::session::McpSession;
use super::settings::{Backoff, Settings, ToolFilter, Trace};
use super::{Client, Identity};
use crate::TraceContext;
use crate::elicit::ElicitResult;
#[cfg(feature = "client-http")]
use toolwright_http::token;
#[cfg(all(feature = "oauth", feature = "client-http"))]
use toolwright_oauth::client::{Authorizer, OAuth};

/// Builder of a connection to an MCP server. Await it to connect. See [`connect`](super::connect).
#[derive(Debug)]
#[must_use = "a connector does nothing unless awaited"]
pub struct Connector {
    server: ServerAt,
    settings: Settings,
    #[cfg(all(feature = "oauth", feature = "client-http"))]
    oauth: Option<OAuth>,
    /// The first setting that cannot be.
    invalid: Option<String>,
    /// Kinds of notices that are errors.
    denied: Vec<NoticeKind>,
}

impl Connector {
    pub(super) fn new(server: ServerAt) -> Self {
        Self {
            server,
            settings: Settings::default(),
            #[cfg(all(feature = "oauth", feature = "client-http"))]
            oauth: None,
            invalid: None,
            denied: Vec::new(),
        }
    }

    /// Adds a prefix to the names of the server's tools, such as `github_`, so that tools of two servers do not
    /// collide.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.settings.prefix = prefix.into();
        self
    }

    /// Keeps only the tools for which the predicate returns true. It gets names without the prefix.
    pub fn filter(mut self, predicate: impl Fn(&ToolDef) -> bool + Send + Sync + 'static) -> Self {
        self.settings.keep = ToolFilter(Some(Arc::new(predicate)));
        self
    }

    /// Holds the server's tools to a lock file. The client leaves out a tool that is new, or whose description, schema or hints
    /// differ from the file. A [notice](Client::notices) of kind [`LockMismatch`](NoticeKind::LockMismatch) describes the change,
    /// until somebody accepts it: with the environment variable `TOOLS_LOCK=update`, connecting writes the file, and with
    /// `accept-major` even if a change breaks callers.
    ///
    /// The client reads the file whenever it reads the list: when it connects, in each new session or connection, and when the
    /// server reports a change. Calls wait until the list of a new session is compared, at most as long as
    /// [connecting](Self::connect_timeout) may take. A call of a tool that is left out now is not sent: its error has the kind
    /// [`NotStarted`](toolwright_provider::call::ErrorKind::NotStarted).
    ///
    /// A missing file is an error of kind [`Lock`](ConnectErrorKind::Lock), or later leaves the previous list in place. The file
    /// contains the server's own names and hints, so it does not depend on other settings, except that a
    /// [`filter`](Self::filter) hides tools from it. It does not contain the server's instructions, prompts and resources.
    #[cfg(feature = "lock")]
    pub fn lock(mut self, file: impl Into<std::path::PathBuf>) -> Self {
        self.settings.lock = Some(LockFile::new(file.into()));
        self
    }

    /// Trusts what the server says of its tools' effects. By default its hints cannot lessen caution, since a server may say
    /// anything: each tool counts as `destructive` and `open_world`, and neither as `read_only` nor as `idempotent`, which are
    /// the protocol's defaults. So an [`Approval`](toolwright_runtime::layers::Approval) asks about its calls, no
    /// [`Cache`](toolwright_runtime::layers::Cache) keeps their answers, no [`Retry`](toolwright_runtime::layers::Retry)
    /// repeats them. Arguments run only as they were written where the server writes `destructiveHint: true`.
    ///
    /// With this, hints count, and the defaults hold for those that are absent. A tool that is `destructive` is not
    /// `read_only`, whatever its hints say.
    pub fn trust_hints(mut self) -> Self {
        self.settings.trusts_hints = true;
        self
    }

    /// Defers the tools in this group: a request has them once its conversation has found them. See
    /// [`Toolset::defer`](toolwright_runtime::toolset::Toolset::defer).
    pub fn defer(mut self, group: Namespace) -> Self {
        self.settings.deferred = Some(group);
        self
    }

    /// Adds an entry to the `meta` of all tools of the server, for layers to decide by, such as `meta("risk", "high")`
    /// for an [`Approval`](toolwright_runtime::layers::Approval). The server cannot set such entries: of its own, only
    /// keys with a `/` become entries, all others are under `_meta`, and `icons` stays beside them.
    pub fn meta(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.settings.meta.insert(name.into(), value.into());
        self
    }

    /// Adds a header to every request to a URL. At most three redirects by 307 and 308 are followed within the origin. A request
    /// with a header, a password in the URL or a token is redirected only to the same path, apart from a slash at its end, and to
    /// paths that the token's resource covers. Other redirects are errors.
    #[cfg(feature = "client-http")]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        // Space around a value is none of it, and stands there where one comes from a file.
        match (
            http::HeaderName::try_from(name),
            http::HeaderValue::try_from(value.trim_ascii()),
        ) {
            (Ok(name), Ok(mut value)) => {
                value.set_sensitive(true);
                self.settings.headers.push((name, value));
            }
            // The value may be a secret.
            _ => self.invalid = Some(format!("the header {name:?} or its value cannot be sent")),
        }
        self
    }

    /// Sends `Authorization: Bearer` with this token, trimmed. An empty or invalid token is an error when the connector
    /// is awaited.
    #[cfg(feature = "client-http")]
    pub fn bearer(mut self, token: &str) -> Self {
        match token::checked(token) {
            Ok(token) => self.header(
                http::header::AUTHORIZATION.as_str(),
                &format!("Bearer {token}"),
            ),
            Err(why) => {
                self.invalid = Some(why.to_owned());
                self
            }
        }
    }

    /// Authorizes the client by OAuth where the server asks for it. Beside [`bearer`](Self::bearer) or a
    /// [`header`](Self::header) `Authorization`, or without a URL, this is an error when the connector is awaited.
    #[cfg(all(feature = "oauth", feature = "client-http"))]
    pub fn oauth(mut self, oauth: OAuth) -> Self {
        self.oauth = Some(oauth);
        self
    }

    /// Sets the time limit for starting the server and the handshake. Default: 1 minute. A call waits as long for a
    /// reconnection.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.settings.connect_limit = limit;
        self
    }

    /// Sets the time limit for reading the whole list of tools. Default: 1 minute.
    pub fn list_timeout(mut self, limit: Duration) -> Self {
        self.settings.list_limit = limit;
        self
    }

    /// Sets how long a call may go without an answer, progress or a question. Default: 1 minute. Then it is cancelled.
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.settings.call_limit = limit;
        self
    }

    /// Sets the time limit of a whole call, whatever progress the server reports. It is the
    /// [`timeout`](toolwright_provider::call::ToolOptions::timeout) of the tools, which an executor enforces. It does not run while
    /// [somebody is asked](Self::on_elicitation).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.tool_timeout = Some(timeout);
        self
    }

    /// Limits the bytes of one message, and of the whole list of tools. Default: 16 MiB. A longer message is skipped,
    /// and its call fails. A longer list is refused, and the previous one stays.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.settings.most_bytes = bytes;
        self
    }

    /// Limits the number of tools. Default: 4,096. A longer list is refused, and the previous one stays.
    pub fn max_tools(mut self, tools: usize) -> Self {
        self.settings.most_tools = tools;
        self
    }

    /// Limits the bytes of a tool's schema, and its subschemas, of which there may be one for each 64 bytes. Default: 2 MiB. A tool
    /// with a longer one is left out, with a [notice](Client::notices). It bounds memory: the tree that checks arguments takes up to
    /// 20 times the bytes of the schema.
    pub fn max_schema_bytes(mut self, bytes: usize) -> Self {
        self.settings.most_schema_bytes = Some(bytes);
        self
    }

    /// Sets the first and the longest wait before a reconnection; the wait doubles each time. Default: 200 ms and 30 s.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.settings.backoff = Backoff { first, longest };
        self
    }

    /// Starts with the handshake of protocols before 2026-07-28. By default the newer one is tried first. With an older server
    /// this costs one extra request, or 10 s if the server does not answer it. A process that ends at it, or refuses the older
    /// one after 10 s of silence, is started again.
    pub fn initialize(mut self) -> Self {
        self.settings.modern = Arc::new(AtomicBool::new(false));
        self
    }

    /// Sets whether arguments are checked by a tool's schema before they are sent. Default: true. With false, only the
    /// server checks them, and its schemas are not read.
    pub fn check_arguments(mut self, checks: bool) -> Self {
        self.settings.checks_arguments = checks;
        self
    }

    /// Tolerates nothing that the protocol forbids. By default the client works with servers and gateways that deviate from it
    /// where nothing is lost by that. This switches off:
    ///
    /// - a new session after 400 or 401 (404 is the protocol's sign of a forgotten session),
    /// - `initialize` after an answer to `server/discover` that does not name an older version: 403 without `WWW-Authenticate`,
    ///   5xx, a page, nothing over HTTP, an error with a code of 2026-07-28,
    /// - redirects,
    /// - a byte order mark before a message, and half of a surrogate pair in one: the message is skipped, and its call fails,
    /// - `content` of a result that is not a list, and a `nextCursor` that is not a text: the result and the list are refused,
    /// - text beside structured content that has `1` where that has `1.0`: both are reported,
    /// - answers of a token endpoint that are not of the form of RFC 6749,
    /// - cookies.
    pub fn strict(mut self) -> Self {
        self.settings.is_strict = true;
        self
    }

    /// Makes [notices](Client::notices) of these kinds an error of the connection, of kind
    /// [`List`](ConnectErrorKind::List). It applies to the first list; a later one only changes the notices.
    pub fn deny(mut self, kinds: impl IntoIterator<Item = NoticeKind>) -> Self {
        self.denied.extend(kinds);
        self
    }

    /// Puts the tools into this registry, beside other tools. A tool whose name is taken there is refused, with a
    /// [notice](Client::notices). By default the client has a registry of its own.
    pub fn registry(mut self, registry: &Registry) -> Self {
        self.settings.registry = Some(registry.clone());
        self
    }

    /// Sets the handler of the server's questions to people. Without one, the server is told that elicitation is not
    /// supported, and a question is declined.
    pub fn on_elicitation<F, R>(mut self, ask: F) -> Self
    where
        F: Fn(Elicitation) -> R + Send + Sync + 'static,
        R: Future<Output = ElicitResult> + Send + 'static,
    {
        self.settings.asker.set(ask);
        self
    }

    /// Pauses the call of a tool while a person answers a question of the server.
    ///
    /// In an agent, the question is one of the session's `questions`. Its text is the server's message. Its options are the `server`,
    /// and the `schema` of the answer or the `url` that the person visits. A rejection declines. Behind an HTTP or MCP server of
    /// ours, the caller is asked.
    ///
    /// With a server of protocol 2026-07-28, no request is on its way meanwhile. The session stores the server's state, and the run
    /// after the answer makes the call again, also in another process. With an older server, the request stays on its way, as long as
    /// the connection lives. If it is gone, the run after the answer makes the call again if its tool is `read_only` or
    /// `idempotent`; the outcome of another call is unknown.
    ///
    /// The [handler](Self::on_elicitation) is asked where nothing stores a pending call, such as in an executor alone, and for tasks.
    /// It is also asked by an older server over pipes while several calls are under way or wait, since the question does not say of
    /// which call it is. Without a handler, such questions are declined, with an event.
    pub fn pause_on_elicitation(mut self) -> Self {
        self.settings.asker.pauses = true;
        self
    }

    /// Sets the function that says in which trace a request is. It is called inside of the request's span, for each request
    /// for a tool, a prompt or a resource; with `tracing-opentelemetry` it injects the context of `Span::current()`. Without
    /// it, and where it returns `None`, the trace in the call's [`Context`](toolwright_runtime::tool::Context) is sent, if
    /// there is one.
    pub fn trace_context(
        mut self,
        now: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.settings.trace = Trace(Some(Arc::new(now)));
        self
    }

    /// Sets the listener of connection events. It is called by the task that reads messages, so it must not block.
    pub fn on_event(mut self, listener: impl Fn(&ClientEvent) + Send + Sync + 'static) -> Self {
        self.settings.events = EventListener(Some(Arc::new(listener)));
        self
    }

    #[cfg_attr(
        not(all(feature = "oauth", feature = "client-http")),
        allow(unused_mut)
    )]
    async fn connect(mut self) -> Result<Client, ConnectError> {
        if let Some(words) = self.invalid {
            return Err(ConnectError::new(ConnectErrorKind::Invalid, words));
        }
        let target = self.server.0.into_target()?;
        #[cfg(feature = "client-http")]
        if !target.is_http() && !self.settings.headers.is_empty() {
            let words = "a command takes no headers; give it what it needs in its environment";
            return Err(ConnectError::new(ConnectErrorKind::Invalid, words));
        }
        #[cfg(all(feature = "oauth", feature = "client-http"))]
        if let Some(oauth) = self.oauth.take() {
            let authorizer = authorizer(oauth, &target, &self.settings);
            let invalid = |why| ConnectError::new(ConnectErrorKind::Invalid, why);
            self.settings.authorizer = Some(authorizer.map_err(invalid)?);
        }
        let settings = Arc::new(self.settings);
        let (session, running) = McpSession::open(&target, &settings).await?;
        let identity = Identity::of(&session);
        #[cfg(feature = "lock")]
        let counted = settings.lock.as_ref().map_or(0, LockFile::session);
        let listed = session.list(&settings).await?;
        let stop = Cancel::new();
        let (state, watched) = watch::channel(LinkState::Up(1, session.clone()));
        let link = Arc::new(Reconnector {
            state: watched,
            settings: Arc::clone(&settings),
            is_http: target.is_http(),
            stop: stop.clone(),
            live_calls: LiveCalls::default(),
        });
        let lists = Arc::new(Lists::new(settings.registry.clone()));
        let list = tools(&listed, &settings, &link);
        #[cfg(feature = "lock")]
        let list = list
            .hold(&settings, counted, Reading::First)
            .await
            .map_err(|error| ConnectError::new(ConnectErrorKind::Lock, error.to_string()))?;
        lists.put(list.tools, list.notices);
        let notices = lists.notices().into_iter();
        let denied = notices.filter(|notice| self.denied.contains(&notice.kind));
        let denied: Vec<_> = denied.map(|notice| notice.to_string()).collect();
        if !denied.is_empty() {
            lists.leave();
            let words = denied.join("\n");
            return Err(ConnectError::new(ConnectErrorKind::List, words));
        }
        let keeper = Supervisor {
            target,
            settings,
            state,
            stop,
            link: Arc::downgrade(&link),
            lists: Arc::downgrade(&lists),
        };
        tokio::spawn(keeper.run(session, running));
        Ok(Client {
            link,
            lists,
            identity,
        })
    }
}

#[cfg(all(feature = "oauth", feature = "client-http"))]
fn authorizer(
    oauth: OAuth,
    target: &Target,
    settings: &Settings,
) -> Result<Arc<Authorizer>, String> {
    let Target::Url(url) = target else {
        return Err("`oauth` is for servers behind a URL".to_owned());
    };
    let mut headers = settings.headers.iter();
    if headers.any(|(name, _)| name == http::header::AUTHORIZATION) {
        let words =
            "`oauth` takes no other authorization beside it: no `bearer`, no header of that name";
        return Err(words.to_owned());
    }
    let events = settings.events.clone();
    let on_store_error = move |words| events.tell(&ClientEvent::TokenStoreFailed(words));
    Authorizer::new(oauth, url, settings.is_strict, on_store_error).map_err(|error| error.0)
}

impl IntoFuture for Connector {
    type Output = Result<Client, ConnectError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.connect())
    }
}
