use std::borrow::Cow;
use std::sync::Arc;

use crate::tool::{Answer, Call, Ran, Scope, Tool};
use toolwright_provider::call::{ToolDef, ToolError};
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

impl Tool for Redefined {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        self.tool.call(call)
    }

    fn __run<'a>(&'a self, call: Call<'a>) -> Ran<'a> {
        self.tool.__run(call)
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        self.tool.validate(call)
    }

    fn shown<'t>(&self, arguments: &'t str) -> Cow<'t, str> {
        self.tool.shown(arguments)
    }

    fn visible(&self, scope: &Scope<'_>) -> bool {
        self.tool.visible(scope)
    }

    fn __may_hide(&self) -> bool {
        self.tool.__may_hide()
    }

    fn resumes(&self) -> bool {
        self.tool.resumes()
    }
}
