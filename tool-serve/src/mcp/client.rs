//! The tools of MCP servers in a toolset.

mod abandoned;
mod arguments;
mod books;
mod call;
mod child;
mod connector;
mod desk;
mod elicit;
mod error;
mod event;
mod events_stream;
mod frame;
mod group;
mod handler;
mod http;
mod keep;
mod lines;
mod link;
mod lists;
mod notice;
mod pages;
mod remote;
mod result;
mod server;
mod session;
mod settings;
mod slot;
mod stderr;
mod stdio;

use std::fmt;
use std::sync::Arc;

use toolwright_runtime::{Registry, ToolDef, Toolset};

pub use self::connector::Connector;
pub use self::elicit::Elicitation;
pub use self::error::{ConnectError, ConnectErrorKind};
pub use self::event::ClientEvent;
use self::link::{Link, State};
use self::lists::Lists;
pub use self::notice::{Notice, NoticeKind};
pub use self::server::ServerAt;
use self::session::Session;

/// Connects to an MCP server, whose tools then are tools like any other: a command that is started and
/// speaks over its standard input and output, or a URL of streamable HTTP.
///
/// ```no_run
/// use std::process::Command;
/// use toolwright::{Context, ToolCall};
/// use toolwright::serve::mcp;
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
/// - Arguments are checked here before anything is sent: by the tool's schema with the feature
///   `validate` (see [`DynToolBuilder::parameters`](toolwright_runtime::DynToolBuilder::parameters)),
///   and always for being an object without equal keys. They are sent as they were written, digit for
///   digit.
/// - What the server says is no more trusted than what a model says: its messages are limited, one that
///   cannot be read is passed over, characters that nobody sees are taken out of the words of its tools,
///   and what is refused of its list stands in [`Client::notices`]. The *words* of its tools reach your
///   model as they are: connect to servers that you trust.
/// - A call is sent once. If the connection is lost before the answer, the call fails, and the error says
///   that its effect is not known, except for tools that say they are `read_only` or `idempotent`, which a
///   [`Retry`](toolwright_runtime::layers::Retry) may call again.
///
/// Dropping the [`Client`] and all of its tools ends the connection, and the server's process.
pub fn connect(server: impl Into<ServerAt>) -> Connector {
    Connector::new(server.into())
}

/// A connection to an MCP server, made by [`connect`]. It is made anew when it is lost.
///
/// The connection lives as long as this or one of its tools; the list of tools follows the server's as
/// long as this lives.
pub struct Client {
    link: Arc<Link>,
    lists: Arc<Lists>,
    identity: Identity,
}

/// What the server said of itself when it said hello, at first.
#[derive(Debug, Clone, Default)]
struct Identity {
    name: Option<String>,
    version: Option<String>,
    protocol: Option<String>,
    instructions: Option<String>,
}

impl Identity {
    fn of(session: &Session) -> Self {
        let Some(info) = session.info() else {
            return Self::default();
        };
        let server = info.server_info.as_ref();
        Self {
            name: server.map(|server| server.name.clone()),
            version: server.map(|server| server.version.clone()),
            protocol: Some(info.protocol_version.to_string()),
            instructions: info.instructions.as_deref().map(visible),
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
    /// The server's tools as they are now. What is returned never changes; see
    /// [`registry`](Self::registry) for what does.
    pub fn toolset(&self) -> Toolset {
        self.lists.tools()
    }

    /// The registry that follows the server's list: the one that was
    /// [given](Connector::registry), or one of the server's tools alone. Its snapshots are sources
    /// of an executor's and an agent's tools.
    pub fn registry(&self) -> &Registry {
        self.lists.registry()
    }

    /// What of the server's present list was not taken as it is.
    pub fn notices(&self) -> Vec<Notice> {
        self.lists.notices()
    }

    /// The server's name, as it calls itself. This and what else it said of itself is of the first
    /// connection.
    pub fn server_name(&self) -> Option<&str> {
        self.identity.name.as_deref()
    }

    /// The server's version.
    pub fn server_version(&self) -> Option<&str> {
        self.identity.version.as_deref()
    }

    /// The version of the protocol that is spoken, such as `2025-11-25`.
    pub fn protocol(&self) -> Option<&str> {
        self.identity.protocol.as_deref()
    }

    /// What the server says about how it is used, without characters that nobody sees: for a system
    /// prompt, if you trust the server.
    pub fn instructions(&self) -> Option<&str> {
        self.identity.instructions.as_deref()
    }

    /// Whether there is a connection at the moment.
    pub fn is_connected(&self) -> bool {
        matches!(&*self.link.state.borrow(), State::Up(..))
    }

    /// Ends the connection and waits for its end, and for that of the server's process. Calls of its
    /// tools fail from then on. A registry that others share loses the tools.
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
            .field("tools", &self.lists.tools().len())
            .field("is_connected", &self.is_connected())
            .finish_non_exhaustive()
    }
}
