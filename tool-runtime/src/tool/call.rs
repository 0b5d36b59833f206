use std::fmt;

use serde::de::DeserializeOwned;

use crate::tool::{Context, decode_value};
use toolwright_provider::call::{Bytes, ToolCall, ToolError};
use toolwright_schema::decode::{Limits, Repairs, Store};
use toolwright_schema::shape::Schema;

/// One call on its way through a tool: the arguments, and what belongs to them.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    arguments: &'a str,
    store: &'a Store,
    context: &'a Context,
    of: Option<&'a ToolCall>,
    index: usize,
    only_check: bool,
    is_destructive: bool,
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("arguments", &Bytes(self.arguments))
            .field("context", self.context)
            .finish_non_exhaustive()
    }
}

impl<'a> Call<'a> {
    /// A call with these arguments. What a tool borrows from them lives in the text or in `store`.
    pub fn new(arguments: &'a str, store: &'a Store, context: &'a Context) -> Self {
        Self {
            arguments,
            store,
            context,
            of: None,
            index: 0,
            only_check: false,
            is_destructive: false,
        }
    }

    /// The call that a model asked for. With the context of a call it is one that this call makes, and
    /// what it says on its way is said for that.
    pub fn of(call: &'a ToolCall, store: &'a Store, context: &'a Context) -> Self {
        Self {
            of: Some(call),
            index: context.batch_index(),
            ..Self::new(&call.arguments, store, context)
        }
    }

    /// The same call, at this place of its batch.
    #[cfg(feature = "tokio")]
    pub(crate) fn at(self, index: usize) -> Self {
        Self { index, ..self }
    }

    /// The arguments' text.
    pub fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// The arguments as a `T`, read as strictly as its schema says: for a tool that is neither a
    /// function nor a closure.
    ///
    /// # Errors
    /// An [`InvalidArgs`](crate::ErrorKind::InvalidArgs) error in the words of every tool here.
    pub fn decode<T: Schema + DeserializeOwned>(&self) -> Result<T, ToolError> {
        decode_value(self, Some(T::SHAPE))
    }

    /// What the tool may know about this call.
    pub fn context(&self) -> Context {
        match self.of {
            Some(call) => self
                .context
                .for_call(self.index, call.id.clone(), call.name.clone()),
            None => self.context.clone(),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.context.limits()
    }

    /// Whether the arguments were written for a provider's strict mode.
    pub(crate) fn is_lowered(&self) -> bool {
        self.context.is_lowered()
    }

    /// How far what the model meant may be read where it wrote something else.
    pub(crate) fn repairs(&self) -> Repairs {
        match self.of {
            // Text that no model wrote.
            None => Repairs::None,
            Some(_) if self.is_destructive => self.context.repairs().min(Repairs::Values),
            Some(_) => self.context.repairs(),
        }
    }

    /// The same call, of a tool that is destructive or, as far as this definition says, is not.
    #[inline]
    pub(crate) fn destructive(self, is_destructive: bool) -> Self {
        Self {
            is_destructive: self.is_destructive | is_destructive,
            ..self
        }
    }

    pub(crate) fn store(&self) -> &'a Store {
        self.store
    }

    /// The same call, with its arguments in other words.
    pub(crate) fn with_arguments(self, arguments: &'a str) -> Self {
        Self { arguments, ..self }
    }

    /// The same call, to be run: for generated code that looks at the arguments once more.
    #[doc(hidden)]
    pub fn running(self) -> Self {
        Self {
            only_check: false,
            ..self
        }
    }

    pub(crate) fn checking(self) -> Self {
        Self {
            only_check: true,
            ..self
        }
    }

    pub(crate) fn is_check(&self) -> bool {
        self.only_check
    }
}
