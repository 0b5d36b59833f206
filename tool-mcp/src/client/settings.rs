//! A host's settings of a connection.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Map, Value};
use toolwright_provider::call::ToolDef;
use toolwright_provider::wire::Namespace;
use toolwright_runtime::toolset::Registry;
use toolwright_schema::panics::reported;

use super::asking::Asking;
use super::elicit::ElicitationHandler;
use super::event::EventListener;
use crate::TraceContext;

/// Time after which a connection was good, however long the longest pause is.
const STOOD: Duration = Duration::from_secs(10);

/// Which tools a host wants.
#[derive(Clone, Default)]
pub(super) struct ToolFilter(pub(super) Option<Arc<Wanted>>);

type Wanted = dyn Fn(&ToolDef) -> bool + Send + Sync;

impl ToolFilter {
    pub(super) fn is_kept(&self, def: &ToolDef) -> bool {
        self.0.as_ref().is_none_or(|keep| keep(def))
    }
}

impl fmt::Debug for ToolFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "some" } else { "all" })
    }
}

/// In which trace a request is.
#[derive(Clone, Default)]
pub(super) struct Trace(pub(super) Option<Arc<Now>>);

type Now = dyn Fn() -> Option<TraceContext> + Send + Sync;

impl Trace {
    pub(super) fn now(&self) -> Option<TraceContext> {
        let now = self.0.as_ref()?;
        reported("a function for traces", || now()).flatten()
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "own"
        } else {
            "the call's"
        })
    }
}

#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) prefix: String,
    pub(super) keep: ToolFilter,
    /// True if hints of the server may lessen caution.
    pub(super) trusts_hints: bool,
    /// True if nothing is tolerated that the protocol forbids.
    pub(super) is_strict: bool,
    /// True if arguments are checked by the tools' schemas before they are sent.
    pub(super) checks_arguments: bool,
    /// The group of the tools, if they are deferred.
    pub(super) deferred: Option<Namespace>,
    pub(super) asker: ElicitationHandler,
    pub(super) events: EventListener,
    pub(super) trace: Trace,
    pub(super) asking: Asking,
    pub(super) registry: Option<Registry>,
    #[cfg(feature = "lock")]
    pub(super) lock: Option<super::lock::LockFile>,
    /// The host's knowledge of the tools.
    pub(super) meta: Map<String, Value>,
    /// Values are marked as sensitive, so that `Debug` does not show them.
    #[cfg(feature = "client-http")]
    pub(super) headers: Vec<(http::HeaderName, http::HeaderValue)>,
    #[cfg(all(feature = "oauth", feature = "client-http"))]
    pub(super) authorizer: Option<Arc<toolwright_oauth::client::Authorizer>>,
    pub(super) connect_limit: Duration,
    pub(super) list_limit: Duration,
    /// Longest silence of a call.
    pub(super) call_limit: Duration,
    /// Time limit of a call, as a tool's definition says it.
    pub(super) tool_timeout: Option<Duration>,
    pub(super) most_bytes: usize,
    pub(super) most_tools: usize,
    /// `None` for the default of a tool that is made at run time.
    pub(super) most_schema_bytes: Option<usize>,
    pub(super) backoff: Backoff,
    /// True if the newer greeting is tried first.
    pub(super) modern: Arc<AtomicBool>,
}

/// Pauses before a new connection after one that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backoff {
    pub(super) first: Duration,
    pub(super) longest: Duration,
}

impl Backoff {
    /// The time before the try of this number, from 0.
    pub(super) fn before(self, tries: u32) -> Duration {
        let factor = 2_u32.saturating_pow(tries.min(30));
        self.first.saturating_mul(factor).min(self.longest)
    }

    /// Returns true if a connection that stood for so long was good, so that the next try is a first one again.
    pub(super) fn is_good(self, stood: Duration) -> bool {
        stood > self.longest.min(STOOD)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            keep: ToolFilter::default(),
            trusts_hints: false,
            is_strict: false,
            checks_arguments: true,
            deferred: None,
            asker: ElicitationHandler::default(),
            events: EventListener::default(),
            trace: Trace::default(),
            asking: Asking::default(),
            registry: None,
            #[cfg(feature = "lock")]
            lock: None,
            meta: Map::new(),
            #[cfg(feature = "client-http")]
            headers: Vec::new(),
            #[cfg(all(feature = "oauth", feature = "client-http"))]
            authorizer: None,
            connect_limit: Duration::from_mins(1),
            list_limit: Duration::from_mins(1),
            call_limit: Duration::from_mins(1),
            tool_timeout: None,
            most_bytes: 16 * 1024 * 1024,
            most_tools: 4_096,
            most_schema_bytes: None,
            backoff: Backoff {
                first: Duration::from_millis(200),
                longest: Duration::from_secs(30),
            },
            modern: Arc::new(AtomicBool::new(true)),
        }
    }
}
