//! Deferred tools of a list, which a request does not hold until a conversation has loaded them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::cache::{DefinitionCache, EncodedTool, LoweredTool};
use super::notice::{Notice, NoticeKind};
use super::strict_tools::hidden_characters;
use super::{CachedDefinition, Definitions, DefinitionsError, DefinitionsInner, ToolList};
use crate::call::ToolDef;
use crate::dialect::{Dialect, Inverse, LowerError};
use crate::wire::{Loadable, Loads, Namespace, ToolDeclaration, Wire};

/// Deferred tools of a list.
#[doc(hidden)]
pub trait Catalog: fmt::Debug + Send + Sync {
    /// The tool that finds the others.
    fn search(&self) -> (&ToolDef, &EncodedTool);

    /// Returns the deferred tool of this name.
    fn find(&self, name: &str) -> Option<Deferred<'_>>;

    /// Returns all of them, in order.
    fn each(&self) -> Vec<Deferred<'_>>;
}

/// A deferred tool.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Deferred<'t> {
    /// The tool's definition.
    pub def: &'t ToolDef,
    /// Its cached definitions.
    pub encoded: &'t EncodedTool,
    /// The tool's group.
    pub namespace: &'t Namespace,
}

/// The deferred part of a list, whose first tools are sent in every request.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Deferral<'t> {
    /// The number of those tools.
    pub stable: usize,
    /// The number of the other ones.
    pub deferred: usize,
    /// The other ones.
    pub catalog: &'t Arc<dyn Catalog>,
    /// Cached definitions that do not depend on the tools that a conversation has loaded.
    pub cache: &'t DefinitionCache,
}

/// The tools that a request is to have, before they are in its dialect.
pub(super) struct RequestedTools<'t> {
    pub(super) tools: Vec<CachedDefinition<'t>>,
    /// The place from which on the conversation has loaded them.
    pub(super) loaded: usize,
    /// The names of all tools of a list with deferred ones, in order: loading does not change them.
    pub(super) names: Vec<&'t str>,
    /// Notices of tools that are left out.
    pub(super) left_out: Vec<Notice>,
    /// The deferred tools, if they are loaded in the provider's own form.
    pub(super) catalog: Option<Arc<dyn Catalog>>,
}

impl<'t> RequestedTools<'t> {
    pub(super) fn of(tools: &'t (impl ToolList + ?Sized), native: Option<Deferral<'t>>) -> Self {
        let deferral = tools.deferral();
        let most = native.map_or(usize::MAX, |deferral| deferral.stable);
        // Follows the search, which a provider's own form declares without us.
        let loaded = deferral.map_or(usize::MAX, |deferral| deferral.stable + 1);
        let names = deferral.map(|_| tools.all().map(|(def, _)| &*def.name).collect());
        Self {
            tools: tools.encoded().take(most).collect(),
            loaded,
            names: names.unwrap_or_default(),
            left_out: Vec::new(),
            catalog: native.map(|deferral| Arc::clone(deferral.catalog)),
        }
    }

    /// Leaves out foreign tools and loaded tools that the provider would refuse: neither must end the conversation. If
    /// more tools are loaded than the provider accepts, the oldest are left out.
    pub(super) fn leave_out(&mut self, wire: Wire, dialect: Dialect) {
        let (mut at, first_loaded) = (0.., self.loaded);
        self.tools.retain(|(def, encoded)| {
            let is_loaded = at.next().is_some_and(|at| at >= first_loaded);
            let Some(refused) = encoded.refused(wire, dialect, def, is_loaded) else {
                return true;
            };
            self.left_out.push(refused);
            if !is_loaded {
                self.loaded -= 1;
            }
            false
        });
        if let Some(most) = dialect.most_tools() {
            let over = self.tools.len().saturating_sub(most);
            if over > 0 && self.loaded <= most {
                self.tools.drain(self.loaded..self.loaded + over);
            }
        }
    }
}

impl EncodedTool {
    /// The tool as it is sent once it is loaded. A provider that compiles the schemas of all strict tools, deferred or not,
    /// takes few of them, so there deferred ones are not strict.
    pub(super) fn deferred(
        &self,
        wire: Wire,
        dialect: Dialect,
        def: &ToolDef,
    ) -> Result<&Arc<LoweredTool>, &LowerError> {
        let loose = dialect.non_strict();
        if wire == Wire::Anthropic {
            return self.lowered(wire, loose, def);
        }
        let strict = self.lowered(wire, dialect, def);
        strict.or_else(|refused| {
            if dialect.is_strict() {
                self.lowered(wire, loose, def)
            } else {
                Err(refused)
            }
        })
    }
}

impl EncodedTool {
    /// Returns a notice if a request leaves the tool out: the provider does not take it, and it is loaded, or one of others.
    #[doc(hidden)]
    pub fn refused(
        &self,
        wire: Wire,
        dialect: Dialect,
        def: &ToolDef,
        is_loaded: bool,
    ) -> Option<Notice> {
        if !is_loaded && !def.is_given() {
            return None;
        }
        let kind = NoticeKind::Refused;
        let (_, hidden) = self.visible(def);
        if let Some(place) = hidden.and_then(|hidden| hidden.left.first()) {
            return Some(Notice::new(&*def.name, kind, hidden_characters(place)));
        }
        let lowered = if is_loaded {
            self.deferred(wire, dialect, def)
        } else {
            let strict = self.lowered(wire, dialect, def);
            strict.or_else(|_| self.lowered(wire, dialect.non_strict(), def))
        };
        Some(Notice::of_rejected(&*def.name, kind, lowered.err()?))
    }
}

impl DefinitionsInner {
    fn deferred<'m>(&'m self, tool: &Deferred<'m>) -> Option<Loadable<'m>> {
        let (wire, dialect) = (self.wire, self.dialect);
        if tool
            .encoded
            .refused(wire, dialect, tool.def, true)
            .is_some()
        {
            return None;
        }
        let one = tool.encoded.deferred(wire, dialect, tool.def).ok()?;
        let renames = self.renames.get();
        let name = renames.and_then(|renames| renames.to_provider(&tool.def.name));
        let definition = match renames {
            Some(renames) => one.text_as(self.wire, renames, (tool.def, tool.encoded)),
            None => Cow::Borrowed(&*one.text),
        };
        Some(Loadable {
            name: name.unwrap_or(&tool.def.name),
            namespace: tool.namespace,
            definition,
        })
    }

    /// Restores a model's arguments for a loaded tool.
    pub(super) fn loaded_inverse(&self, name: &str) -> Option<&Inverse> {
        let tool = self.catalog.as_ref()?.find(name)?;
        let one = tool
            .encoded
            .deferred(self.wire, self.dialect, tool.def)
            .ok()?;
        Some(&one.lowered.inverse)
    }

    /// Writes `search_tools` and the loaded deferred tools.
    pub(super) fn write_deferred(&self) -> Result<Vec<String>, DefinitionsError> {
        let Some(catalog) = &self.catalog else {
            return Ok(Vec::new());
        };
        let each = if self.loading.is_hosted() || self.wire == Wire::Anthropic {
            catalog.each()
        } else {
            Vec::new()
        };
        let each: Vec<_> = each.iter().filter_map(|tool| self.deferred(tool)).collect();
        if let Some(name) = self.wire.reserved(self.loading)
            && (catalog.find(name).is_some() || self.tools.iter().any(|tool| *tool.name == *name))
        {
            let mut error = DefinitionsError::default();
            let why = "the provider's own search has this name".to_owned();
            error.note(name, why);
            return Err(error);
        }
        let (def, encoded) = catalog.search();
        let search = encoded
            .deferred(self.wire, self.dialect, def)
            .map_err(|refused| {
                let mut error = DefinitionsError::default();
                error.note(&def.name, refused.to_string());
                error
            })?;
        let (lowered, dialect) = (&search.lowered, search.dialect);
        let search = ToolDeclaration::lowered(self.wire, &def.name, def, lowered, dialect);
        Ok(self.wire.write_deferred(&search, &each, self.loading))
    }
}

impl Loads for Definitions {
    fn loadable(&self, name: &str) -> Option<Loadable<'_>> {
        let renames = self.0.renames.get();
        let own = renames.and_then(|renames| renames.from_provider(name));
        let tool = self.0.catalog.as_ref()?.find(own.unwrap_or(name))?;
        self.0.deferred(&tool)
    }

    fn namespace_of(&self, told: &str) -> Option<&Namespace> {
        self.loadable(told).map(|tool| tool.namespace)
    }

    fn has(&self, told: &str) -> bool {
        let renames = self.0.renames.get();
        let own = renames.and_then(|renames| renames.from_provider(told));
        let own = own.unwrap_or(told);
        self.defers(own) || self.0.tools.iter().any(|tool| *tool.name == *own)
    }
}
