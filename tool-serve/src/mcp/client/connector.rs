use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, header};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::watch;
use toolwright_runtime::{Cancel, Registry, ToolDef};

use super::elicit::{Asker, Elicitation};
use super::error::{ConnectError, ConnectErrorKind};
use super::event::{ClientEvent, Events};
use super::keep::Keeper;
use super::link::{Link, State};
use super::lists::Lists;
use super::remote::tools;
use super::server::{ServerAt, Target};
use super::session::Session;
use super::settings::{Backoff, Keep, Settings};
use super::{Client, Identity};
use crate::mcp::ElicitResult;
use crate::token;

/// How to connect to an MCP server; `await` it. See [`connect`](super::connect).
#[derive(Debug)]
#[must_use = "nobody connects until it is awaited"]
pub struct Connector {
    server: ServerAt,
    settings: Settings,
    /// What was asked for and cannot be.
    invalid: Option<String>,
}

impl Connector {
    pub(super) fn new(server: ServerAt) -> Self {
        Self {
            server,
            settings: Settings::default(),
            invalid: None,
        }
    }

    /// Puts `prefix` before the name of each of the server's tools, such as `github_`: so tools of two
    /// servers do not collide.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.settings.prefix = prefix.into();
        self
    }

    /// Takes only the tools for which `keep` says yes. It sees names as the server has them, without the
    /// prefix.
    pub fn keep(mut self, keep: impl Fn(&ToolDef) -> bool + Send + Sync + 'static) -> Self {
        self.settings.keep = Keep(Some(Arc::new(keep)));
        self
    }

    /// Says something of each of the server's tools, for the host: what layers decide by, such as
    /// `meta("risk", "high")` for an [`Approval`](toolwright_runtime::layers::Approval). The server
    /// cannot say it: of what it says, only keys with a `/` stand among a tool's attributes, and all
    /// others in one that is called `_meta`; its `icons` stand beside it.
    pub fn meta(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.settings.meta.insert(name.into(), value.into());
        self
    }

    /// Sends a header with every request to a URL. No header follows a redirect: there are none.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        // Space around a value is none of it, and stands there where one comes from a file.
        match (
            HeaderName::try_from(name),
            HeaderValue::try_from(value.trim_ascii()),
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

    /// Sends `Authorization: Bearer` with this token, without the space around it. One that is empty, or
    /// holds what no token can, is refused when this is awaited.
    pub fn bearer(mut self, token: &str) -> Self {
        match token::checked(token) {
            Ok(token) => self.header(header::AUTHORIZATION.as_str(), &format!("Bearer {token}")),
            Err(why) => {
                self.invalid = Some(why.to_owned());
                self
            }
        }
    }

    /// How long starting the server and saying hello may take: a minute, unless this is called. A
    /// call waits for a connection that was lost as long.
    pub fn connect_limit(mut self, limit: Duration) -> Self {
        self.settings.connect_limit = limit;
        self
    }

    /// How long reading the whole list of tools may take: a minute, unless this is called.
    pub fn list_limit(mut self, limit: Duration) -> Self {
        self.settings.list_limit = limit;
        self
    }

    /// How long a call may go without an answer, a note of progress or a question to a person: a
    /// minute, unless this is called. Then it is cancelled.
    pub fn call_limit(mut self, limit: Duration) -> Self {
        self.settings.call_limit = limit;
        self
    }

    /// How long a call may take at all, whatever the server tells about it: the
    /// [`timeout`](ToolDef::timeout) of the tools, which an executor keeps.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.tool_timeout = Some(timeout);
        self
    }

    /// The most bytes of one message from the server, and of its whole list of tools: 16 MiB, unless this
    /// is called. A larger message is passed over, and the call that it answers fails; a larger list is
    /// none, and the one before stays.
    pub fn most_bytes(mut self, bytes: usize) -> Self {
        self.settings.most_bytes = bytes;
        self
    }

    /// The most tools that the server may have: 4,096, unless this is called. A longer list is none, and
    /// the one before stays.
    pub fn most_tools(mut self, tools: usize) -> Self {
        self.settings.most_tools = tools;
        self
    }

    /// How long a new connection is waited for when one was lost, and that doubles up to how long:
    /// from 200 ms to 30 s, unless this is called.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.settings.backoff = Backoff { first, longest };
        self
    }

    /// Says hello as protocols before 2026-07-28 want it, at once. Otherwise the newer way is tried
    /// first, which costs older servers a message, and those that leave it unanswered 10 s.
    pub fn initialize(mut self) -> Self {
        self.settings.modern = false;
        self
    }

    /// Puts the tools into this registry, beside those of others: of a name that is taken there, the
    /// server's tool is refused, and [told](Client::notices). Without it the client has a registry of
    /// its own.
    pub fn registry(mut self, registry: &Registry) -> Self {
        self.settings.registry = Some(registry.clone());
        self
    }

    /// Asks a person what the server wants to know while a call runs. Without it the server is told
    /// that nobody can be asked, and one that asks all the same that the person declined.
    pub fn on_elicitation<F, R>(mut self, ask: F) -> Self
    where
        F: Fn(Elicitation) -> R + Send + Sync + 'static,
        R: Future<Output = ElicitResult> + Send + 'static,
    {
        self.settings.asker = Asker::new(ask);
        self
    }

    /// Tells what happens beside calls. It is called from where messages are read: what takes long
    /// belongs elsewhere.
    pub fn on_event(mut self, told: impl Fn(&ClientEvent) + Send + Sync + 'static) -> Self {
        self.settings.events = Events(Some(Arc::new(told)));
        self
    }

    async fn connect(self) -> Result<Client, ConnectError> {
        if let Some(words) = self.invalid {
            return Err(ConnectError::new(ConnectErrorKind::Invalid, words));
        }
        let target = self.server.0.into_target()?;
        if let (Target::Command(_), false) = (&target, self.settings.headers.is_empty()) {
            let words = "a command takes no headers; give it what it needs in its environment";
            return Err(ConnectError::new(ConnectErrorKind::Invalid, words));
        }
        let settings = Arc::new(self.settings);
        let (session, running) = Session::open(&target, &settings).await?;
        let identity = Identity::of(&session);
        let listed = session.list(&settings).await?;
        let stop = Cancel::new();
        let (state, watched) = watch::channel(State::Up(1, session.clone()));
        let link = Arc::new(Link {
            state: watched,
            settings: Arc::clone(&settings),
            runtime: Handle::current(),
            stop: stop.clone(),
        });
        let lists = Arc::new(Lists::new(settings.registry.clone()));
        let (tools, notices) = tools(&listed, &settings, &link);
        lists.put(tools, notices);
        let keeper = Keeper {
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

impl IntoFuture for Connector {
    type Output = Result<Client, ConnectError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.connect())
    }
}
