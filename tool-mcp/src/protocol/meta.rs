//! `_meta`: what a message says beside what it is about.

use super::fields::{Fields, FieldsError};
use super::version::Version;

/// Keys of the protocol's own.
///
/// Source: "`_meta`" of the protocol's 2026-07-28, and W3C Trace Context.
pub(crate) mod key {
    pub(crate) const PROGRESS_TOKEN: &str = "progressToken";
    pub(crate) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
    pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// The name of the extension.
    pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";
    /// The same when a call is made again.
    pub(crate) const IDEMPOTENCY_KEY: &str = "toolwright/idempotency_key";
}

/// The `_meta` of a request's parameters; empty if there is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestMeta<'t>(pub(crate) Fields<'t>);

impl<'t> RequestMeta<'t> {
    /// Reads it out of the parameters.
    ///
    /// # Errors
    /// Fails if `_meta` is there and is not an object.
    pub(crate) fn of(params: &Fields<'t>) -> Result<Self, FieldsError> {
        match params.some("_meta") {
            Some(meta) => Fields::of(meta).map(Self),
            None => Ok(Self::default()),
        }
    }

    /// The version that the request is of, if it says one; `Err` with the text if nobody here knows it.
    pub(crate) fn version(&self) -> Option<Result<Version, String>> {
        let text = self.0.text(key::VERSION)?;
        Some(Version::served(&text).ok_or_else(|| text.into_owned()))
    }

    /// JSON of the token of progress: a string or an integer.
    pub(crate) fn progress_token(&self) -> Option<&'t str> {
        let token = self.0.some(key::PROGRESS_TOKEN)?;
        super::Id::read(token).map(|_| token)
    }
}
