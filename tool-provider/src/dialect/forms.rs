//! Plans for arguments where only the schema is known, and not the dialect that the model received it in.

use super::inverse::Inverse;
use super::lower::Lowering;
use super::table;
use toolwright_schema::read::Ordered;

impl Inverse {
    /// Returns the plan that brings a value back to a schema from any dialect's form of it. `None` if that
    /// is the schema's own form.
    pub fn of_forms(schema: &Ordered) -> Option<Self> {
        let lowering = Lowering {
            rules: &table::FORMS,
            is_argument: true,
            tells_all: false,
            is_foreign: false,
        };
        // A schema that is broken or too large is sent to no provider, in no form.
        let plan = lowering.run(schema.clone()).ok()?.inverse;
        (!plan.steps().is_empty()).then_some(plan)
    }
}
