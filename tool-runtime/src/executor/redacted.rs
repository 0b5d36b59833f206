use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::tool::Tool;
use toolwright_provider::call::ToolCall;
use toolwright_schema::decode::redact;
use toolwright_schema::panics::reported;
use toolwright_schema::text::Printable;

/// Arguments of a call without secrets, for logs; see [`Tool::redacted`].
///
/// The arguments of an unknown tool are omitted, because its secrets are unknown.
#[derive(Clone, Copy)]
pub struct Redacted<'a> {
    call: &'a ToolCall,
    tool: Option<&'a Arc<dyn Tool>>,
}

impl<'a> Redacted<'a> {
    pub(super) fn new(call: &'a ToolCall, tool: Option<&'a Arc<dyn Tool>>) -> Self {
        Self { call, tool }
    }

    /// Returns the text: JSON if the model wrote JSON or something is left out.
    pub fn text(&self) -> Cow<'a, str> {
        let arguments: &'a str = &self.call.arguments;
        let redacted =
            |tool: &'a Arc<dyn Tool>| reported("a tool's `redacted`", || tool.redacted(arguments));
        let redacted = self.tool.and_then(redacted);
        redacted.unwrap_or_else(|| redact(arguments).into())
    }
}

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printable::new(&self.text()).fmt(f)
    }
}

impl fmt::Debug for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
