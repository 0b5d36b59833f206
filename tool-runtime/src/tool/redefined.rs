use std::borrow::Cow;
use std::sync::Arc;

use crate::tool::{Tool, WrapTool};
use toolwright_provider::call::ToolDef;
use toolwright_schema::text::NameError;

/// A tool with another definition.
pub(crate) struct Redefined {
    def: ToolDef,
    tool: Arc<dyn Tool>,
}

impl Redefined {
    pub(crate) fn share(def: ToolDef, tool: &Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(Self {
            def,
            tool: Arc::clone(tool),
        })
    }

    /// Returns the tool, with the caution that its own definition lacks and a tool inside it has.
    pub(crate) fn cautious(tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        let Some(mut inner) = tool.__inner() else {
            return tool;
        };
        let mut defs = vec![Cow::Borrowed(tool.def())];
        loop {
            defs.push(Cow::Borrowed(inner.def()));
            match inner.__inner() {
                Some(next) => inner = next,
                None => break,
            }
        }
        let add = |inside: Cow<'_, ToolDef>, def| with_caution_of(def, &inside);
        match defs.into_iter().rev().reduce(add) {
            Some(Cow::Owned(def)) => Self::share(def, &tool),
            _ => tool,
        }
    }

    /// Gives the tool another name. Its old names get the prefix.
    pub(crate) fn renamed(
        tool: &Arc<dyn Tool>,
        name: String,
        prefix: &str,
    ) -> Result<Arc<dyn Tool>, NameError> {
        NameError::check(&name)?;
        let mut def = tool.def().clone();
        def.name = name.into();
        let mut was = def.old_names().clone();
        for old in &mut was.names {
            *old = format!("{prefix}{old}").into();
        }
        def.set_old_names(was);
        Ok(Self::share(def, tool))
    }
}

fn with_caution_of<'a>(def: Cow<'a, ToolDef>, inside: &ToolDef) -> Cow<'a, ToolDef> {
    def.with_caution_of(inside).map_or(def, Cow::Owned)
}

impl WrapTool for Redefined {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn reads_context(&self) -> bool {
        self.tool.reads_context()
    }
}
