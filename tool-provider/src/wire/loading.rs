//! Deferred tools: how a wire declares them, and how they get into a conversation.
//!
//! A wire that has a form of its own for this has a `loading.rs` in its folder. On all others `search_tools` is a tool
//! like any other, and the next request has the found tools.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::ToolDeclaration;
use crate::call::{Block, Encoder, Outcome, ToolCall, ToolResult};
use toolwright_schema::text::NameError;

/// Name of the tool that finds deferred tools and loads them.
pub const SEARCH_TOOLS: &str = "search_tools";

/// Group of deferred tools. Cheap to clone.
///
/// A model reads the descriptions of the groups, and finds their tools by a search.
///
/// ```
/// use toolwright::toolset::Namespace;
///
/// let crm = Namespace::new("crm").unwrap().describe("Customers and their orders");
/// assert_eq!(crm.name(), "crm");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Namespace {
    name: Arc<str>,
    description: Arc<str>,
}

impl Namespace {
    /// Creates a group.
    ///
    /// # Errors
    /// If a provider refuses the name. The rule is that of tools' names: 1 to 64 letters, digits, `_` and `-`, of ASCII.
    pub fn new(name: impl Into<Arc<str>>) -> Result<Self, NameError> {
        let name = name.into();
        NameError::check(&name)?;
        Ok(Self {
            name,
            description: Arc::default(),
        })
    }

    /// Sets the description for the model: the purpose of the tools, in a line.
    pub fn describe(mut self, description: impl Into<Arc<str>>) -> Self {
        self.description = description.into();
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description; empty by default.
    pub fn description(&self) -> &str {
        &self.description
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Namespace").field(&self.name).finish()
    }
}

/// How the deferred tools of a list get into a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loading {
    /// By the tool `search_tools`. The found tools are behind the other tools of the next request. This works with every
    /// model.
    #[default]
    Plain,
    /// By the tool `search_tools`, in the provider's own form, so that its prompt cache lives: `OpenAI`'s Responses has
    /// `tool_search` that the client executes (from GPT-5.4 on), Anthropic has tool references (from Claude 4.5 on).
    /// Other wires are [`Plain`](Self::Plain).
    ///
    /// Responses is sent the definitions that were found, and no others. Anthropic is sent all of them in each request, and
    /// counts the tokens of those that were found. It takes 10,000 of them; longer lists are [`Plain`](Self::Plain).
    Native,
    /// By the provider's search: of `OpenAI`'s Responses and of Anthropic (BM25). Both are sent all definitions. Other
    /// wires are [`Plain`](Self::Plain).
    Hosted,
    /// By the provider's search with regular expressions, of Anthropic alone. Other wires are as with
    /// [`Hosted`](Self::Hosted).
    HostedRegex,
}

impl Loading {
    /// Returns true if the provider searches.
    pub(crate) fn is_hosted(self) -> bool {
        matches!(self, Self::Hosted | Self::HostedRegex)
    }
}

/// A deferred tool, as it is sent to a provider.
pub(crate) struct Loadable<'a> {
    /// Name that the provider receives.
    pub(crate) name: &'a str,
    pub(crate) namespace: &'a Namespace,
    pub(crate) definition: Cow<'a, str>,
}

/// The deferred tools of a request.
pub(crate) trait Loads {
    /// Returns the tool of this name, its own or the provider's.
    fn loadable(&self, name: &str) -> Option<Loadable<'_>>;

    /// Returns the group of the tool that the provider knows by this name.
    fn namespace_of(&self, told: &str) -> Option<&Namespace>;

    /// Returns true if the request has the tool that the provider knows by this name, deferred or not.
    fn has(&self, told: &str) -> bool;
}

/// `loading.rs`: the wire's own form for deferred tools.
pub(super) trait WriteLoading: Sync {
    /// Returns the most deferred tools of a request. More are loaded as on other wires.
    fn most(&self) -> usize {
        usize::MAX
    }

    /// Declares `search_tools`.
    fn search(&self, tool: &ToolDeclaration<'_>) -> String;

    /// The name of the provider's own search, where a tool of the same name would be refused.
    fn reserved(&self, loading: Loading) -> Option<&'static str> {
        let _ = loading;
        None
    }

    /// Declares the provider's own search.
    fn hosted(&self, loading: Loading) -> String;

    /// Declares the deferred tools of a request, as far as it has to hold them.
    fn deferred(&self, tools: &[Loadable<'_>], loading: Loading) -> Vec<String>;

    /// Returns true if the provider would take its own messages back: tools may be in other groups since.
    fn takes_back(&self, native: &[String], loads: &dyn Loads) -> bool {
        let _ = (native, loads);
        true
    }

    /// Returns true if every tool may return references, and not only `search_tools`.
    fn refers_anywhere(&self) -> bool;

    /// Answers a call with the tools that it found.
    fn found(&self, result: &ToolResult, tools: &[Loadable<'_>], encoder: Encoder) -> Vec<String>;

    /// Loads tools without a search in this form: the `number`th time in a conversation.
    fn load(&self, number: usize, tools: &[Loadable<'_>]) -> Vec<String>;
}

/// Parts of a provider's own messages, beside text.
#[derive(Default)]
pub(super) struct Echoed {
    /// Ids of calls that may stay without an answer.
    pub(super) async_calls: Vec<String>,
    /// Ids of searches that the client executes.
    pub(super) searches: Vec<String>,
    /// Tools that the provider loaded, by the names that it knows.
    pub(super) loaded: Vec<String>,
}

/// Returns the names of the tools that an answer refers to.
pub(super) fn references(result: &ToolResult) -> impl Iterator<Item = &str> {
    let blocks = match &result.outcome {
        Ok(Outcome::Content(content)) => content.blocks(),
        _ => &[],
    };
    blocks.iter().filter_map(Block::tool)
}

/// Returns true if the call is a search for tools.
pub(super) fn is_search(call: &ToolCall) -> bool {
    call.name == SEARCH_TOOLS
}
