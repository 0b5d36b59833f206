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

    pub(crate) fn renamed(tool: &Arc<dyn Tool>, name: String) -> Result<Arc<dyn Tool>, NameError> {
        NameError::check(&name)?;
        let mut def = tool.def().clone();
        def.name = name.into();
        Ok(Self::share(def, tool))
    }
}

impl WrapTool for Redefined {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    fn def(&self) -> &ToolDef {
        &self.def
    }
}
