//! A tool of a set, with the facts that calls need.

use std::sync::Arc;

use super::ToolEntry;
use crate::tool::{Call, Context, Filter, Grant, Redefined, Scope, Tool};
#[cfg(feature = "tokio")]
use toolwright_provider::call::{Meta, ToolOptions};
use toolwright_provider::call::{SCOPES, ToolCall, ToolDef};
use toolwright_provider::definitions::Stripped;
use toolwright_schema::decode::Arena;
use toolwright_schema::panics::reported;
#[cfg(feature = "tokio")]
use toolwright_schema::text::ShortStr;

impl ToolEntry {
    pub(crate) fn new(tool: Arc<dyn Tool>) -> Self {
        let tool = Redefined::cautious(tool);
        // Asked once: a definition may be anybody's code.
        let def = tool.def();
        let has_mentions = def.mentions().next().is_some();
        Self {
            name: def.name.as_ref().into(),
            attributes: def.meta.clone(),
            #[cfg(feature = "tokio")]
            inside: def.all_attributes().skip(1).cloned().collect(),
            options: def.options,
            #[cfg(feature = "tokio")]
            reads_context: tool.reads_context(),
            // One look at both, so that calls of other tools pay for neither.
            may_hide: tool.__may_hide()
                || def.meta.get(SCOPES).is_some()
                || def.options.needs_approval,
            is_exact: def.is_exact(),
            old_names: def
                .old_names()
                .names
                .iter()
                .map(|old| (&**old).into())
                .collect(),
            retired: Vec::new(),
            has_mentions,
            namespace: None,
            searches: false,
            prints: false,
            tool,
            encoded: Arc::default(),
        }
    }

    pub(crate) fn def(&self) -> &ToolDef {
        self.tool.def()
    }

    /// Returns the published definition, and the characters that were removed from it.
    pub(super) fn visible(&self) -> (&ToolDef, Option<&Stripped>) {
        self.encoded.visible(self.def())
    }

    /// Makes a call of the tool.
    #[inline]
    pub(crate) fn call<'a>(
        &self,
        call: &'a ToolCall,
        arena: &'a Arena,
        cx: &'a Context,
    ) -> Call<'a> {
        Call::of(call, arena, cx).exact(self.is_exact)
    }

    /// Returns true if the conversation's grant and the tool allow it.
    pub(super) fn shows(&self, scope: &Scope<'_>) -> bool {
        Grant::is_given(scope, &self.attributes) && self.tool.visible(scope)
    }

    /// Returns true if a conversation may see the tool. Code that panics hides it.
    pub(super) fn is_visible(&self, scope: &Scope<'_>, filter: Option<&Filter>) -> bool {
        let says = |what, asked: &dyn Fn() -> bool| reported(what, asked).unwrap_or(false);
        (!self.may_hide || says("a tool's `visible`", &|| self.shows(scope)))
            && filter
                .filter(|_| !self.searches)
                .is_none_or(|filter| says("a filter", &|| filter.passes(self.def(), scope)))
    }
}

#[cfg(feature = "tokio")]
impl ToolEntry {
    pub(crate) fn name(&self) -> &ShortStr {
        &self.name
    }

    pub(crate) fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    /// Returns true if the tool runs only with a person's approval.
    pub(crate) fn needs_approval(&self) -> bool {
        self.options.needs_approval
    }

    pub(crate) fn attributes(&self) -> &Meta {
        &self.attributes
    }

    /// Returns the attributes of the tool, and of those inside it that have others.
    pub(crate) fn all_attributes(&self) -> impl Iterator<Item = &Meta> {
        std::iter::once(&self.attributes).chain(&self.inside)
    }

    /// Returns true if the tool is the search of its set, whose answers depend on all that decides visibility.
    pub(crate) fn searches(&self) -> bool {
        self.searches
    }

    pub(crate) fn reads_context(&self) -> bool {
        self.reads_context
    }

    pub(crate) fn options(&self) -> &ToolOptions {
        &self.options
    }
}
