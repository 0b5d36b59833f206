//! The tools of MCP servers in a toolset.

mod answer;
mod arguments;
mod asking;
mod call;
mod child;
mod connection;
mod connector;
mod elicit;
mod error;
mod error_data;
mod event;
#[cfg(feature = "client-http")]
mod events_stream;
mod group;
mod handshake;
#[cfg(feature = "client-http")]
mod http;
mod in_flight;
mod input_required;
mod keep;
mod link;
mod lists;
mod live_calls;
#[cfg(feature = "lock")]
mod lock;
mod offers;
mod pages;
mod paused_input;
mod remote;
mod result;
mod server;
mod session;
mod settings;
mod stderr;
mod stdio;
mod task;

use std::fmt;
use std::sync::Arc;

use toolwright_provider::call::ToolDef;
use toolwright_provider::definitions::Notice;
use toolwright_runtime::toolset::{Registry, Toolset};

pub use self::connector::Connector;
pub use self::elicit::Elicitation;
pub use self::error::{ConnectError, ConnectErrorKind};
pub use self::event::ClientEvent;
use self::link::{LinkState, Reconnector};
use self::lists::Lists;
pub use self::offers::{PromptArgument, PromptInfo, PromptMessage, ResourceInfo};
pub use self::server::ServerAt;
use self::session::McpSession;
#[cfg(all(feature = "oauth", feature = "client-http"))]
pub use toolwright_oauth::client::{
    AuthorizationRequest, OAuth, OAuthHostError, StoredTokens, TokenStore,
};

/// Connects to an MCP server and makes a toolset of its tools. The server is a command, which speaks over its standard
/// input and output, or a URL of streamable HTTP.
///
/// ```no_run
/// use std::process::Command;
/// use toolwright::{Context, ToolCall};
/// use toolwright::mcp;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let mut command = Command::new("npx");
/// command.args(["-y", "@modelcontextprotocol/server-filesystem", "/tmp/my notes"]);
/// let files = mcp::connect(command).prefix("files_").await?;
/// let docs = mcp::connect("https://docs.example/mcp").bearer("…").prefix("docs_").await?;
///
/// let tools = files.toolset().merge(&docs.toolset())?;
/// let call = ToolCall::new("1", "files_list_directory", r#"{"path": "/tmp/my notes"}"#);
/// println!("{:?}", tools.call(&call, &Context::new()).await.outcome);
/// # Ok(())
/// # }
/// ```
///
/// - Arguments are checked by the tool's schema before they are sent (see
///   [`DynToolBuilder::parameters`](toolwright_runtime::dyn_tool::DynToolBuilder::parameters)), unless
///   [`check_arguments`](Connector::check_arguments) is off. They are sent as they were written, digit for digit.
/// - What a server says is untrusted input. Its messages are limited, and unreadable ones are skipped. Invisible
///   characters are removed from the texts of its tools. [`Client::notices`] lists all changes and refusals. The
///   *texts* of its tools reach your model unchanged otherwise, so connect only to servers that you trust.
/// - Its tools count as `destructive`, whatever it says of their effects, unless the host
///   [trusts its hints](Connector::trust_hints).
/// - A call is sent once, unless the server forgot its session before it read the call. If the connection is lost before
///   the answer, the call fails with an unknown outcome. Tools that are `read_only` or `idempotent` may be called again
///   by a [`Retry`](toolwright_runtime::layers::Retry).
///
/// Dropping the [`Client`] and all of its tools closes the connection, and ends the server's process.
pub fn connect(server: impl Into<ServerAt>) -> Connector {
    Connector::new(server.into())
}

/// Connection to an MCP server, created by [`connect`]. It reconnects when it is lost.
///
/// The connection lives as long as the client or one of its tools. The list of tools follows the server's as long as
/// the client lives.
pub struct Client {
    link: Arc<Reconnector>,
    lists: Arc<Lists>,
    identity: Identity,
}

/// The server's description of itself, as its first greeting had it.
#[derive(Debug, Clone, Default)]
struct Identity {
    name: Option<String>,
    version: Option<String>,
    protocol: Option<String>,
    instructions: Option<String>,
}

impl Identity {
    fn of(session: &McpSession) -> Self {
        let Some(hello) = session.hello() else {
            return Self::default();
        };
        Self {
            name: hello.name.clone(),
            version: hello.server_version.clone(),
            protocol: Some(hello.version.as_str().to_owned()),
            instructions: hello.instructions.as_deref().map(visible),
        }
    }
}

/// The same rule as for the words of tools.
fn visible(words: &str) -> String {
    let mut def = ToolDef::new("instructions", words.to_owned());
    def.strip_hidden();
    def.description.into_owned()
}

impl Client {
    /// Returns the server's tools as they are now. The returned toolset never changes; the [`registry`](Self::registry)
    /// does.
    pub fn toolset(&self) -> Toolset {
        self.lists.tools()
    }

    /// Returns the registry that follows the server's list: the one that was [given](Connector::registry), or one of
    /// this server alone. Executors and agents can use it as their source of tools.
    pub fn registry(&self) -> &Registry {
        self.lists.registry()
    }

    /// Returns the changes and refusals of the current list.
    pub fn notices(&self) -> Vec<Notice> {
        self.lists.notices()
    }

    /// Returns the server's name for itself. This and its other descriptions are those of the first connection.
    pub fn server_name(&self) -> Option<&str> {
        self.identity.name.as_deref()
    }

    /// Returns the server's version.
    pub fn server_version(&self) -> Option<&str> {
        self.identity.version.as_deref()
    }

    /// Returns the protocol version in use, such as `2025-11-25`.
    pub fn protocol(&self) -> Option<&str> {
        self.identity.protocol.as_deref()
    }

    /// Returns the server's instructions without invisible characters, for a system prompt if you trust the server.
    pub fn instructions(&self) -> Option<&str> {
        self.identity.instructions.as_deref()
    }

    /// Returns true while connected. Over HTTP, where every message is a request of its own, this is false after a request that
    /// did not reach the server, or for which the server opened no new session, until a later one is answered.
    pub fn is_connected(&self) -> bool {
        matches!(&*self.link.state.borrow(), LinkState::Up(_, session) if session.connection.health.is_reached())
    }

    /// Closes the connection and waits for the end of it and of the server's process. Calls of its tools fail from then
    /// on. A shared registry loses the tools.
    pub async fn close(self) {
        self.lists.leave();
        self.link.stop.cancel();
        let mut state = self.link.state.clone();
        // Until who keeps the connection is gone.
        while state.changed().await.is_ok() {}
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.identity.name)
            .field("tools", &self.lists.tools().iter().len())
            .field("is_connected", &self.is_connected())
            .finish_non_exhaustive()
    }
}
