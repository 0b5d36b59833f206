use std::ops::Deref;

use crate::tool::Context;
use toolwright_schema::decode::Arena;

/// A [`Context`] to read typed arguments in, with storage for the data that they borrow.
///
/// Arguments borrow from the text of their call. Text with escapes and repaired arguments differ from it and are stored
/// here. [`Context::reading`] makes one; make it for a call or a batch, since it only grows until it is dropped. It
/// dereferences to its context.
///
/// ```
/// use toolwright::{Context, ToolCall, tool};
///
/// /// Looks up a city.
/// #[tool(args = Lookup)]
/// fn lookup(city: &str) -> usize {
///     city.len()
/// }
///
/// let call = ToolCall::new("call_1", "lookup", r#"{"city": "Troms\u00f8"}"#);
/// let cx = Context::new().reading();
/// let args = Lookup::read(&call, &cx)?;
/// assert_eq!(args.city, "Tromsø");
/// # Ok::<(), toolwright::ToolError>(())
/// ```
#[derive(Debug, Default)]
pub struct Reading {
    context: Context,
    arena: Arena,
}

impl Reading {
    pub(crate) fn arena(&self) -> &Arena {
        &self.arena
    }
}

impl Deref for Reading {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Context {
    /// Returns the context with empty storage for typed arguments.
    pub fn reading(&self) -> Reading {
        Reading {
            context: self.clone(),
            arena: Arena::new(),
        }
    }
}
