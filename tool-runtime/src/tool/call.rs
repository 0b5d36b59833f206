use std::fmt;

use serde::de::DeserializeOwned;

#[cfg(feature = "tokio")]
use crate::tool::ApprovalToken;
use crate::tool::{Approved, Context, decode_value};
use toolwright_provider::call::{Bytes, ToolCall, ToolError};
use toolwright_schema::decode::{Arena, Limits, Repairs};
use toolwright_schema::shape::Schema;

/// One call on its way through a tool.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    arguments: &'a str,
    arena: &'a Arena,
    context: &'a Context,
    of: Option<&'a ToolCall>,
    index: usize,
    /// Bits of [`ONLY_CHECK`] and others: a call is copied often, and one byte with it.
    flags: u8,
}

/// Only the arguments are checked.
const ONLY_CHECK: u8 = 1;
/// The arguments run only as they were written.
const EXACT: u8 = 2;
/// A person let the call run with just these arguments.
const APPROVED: u8 = 4;
/// The call was stored, and may use names of then.
const STORED: u8 = 8;

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("arguments", &Bytes(self.arguments))
            .field("context", self.context)
            .finish_non_exhaustive()
    }
}

impl<'a> Call<'a> {
    /// Makes a call. Values that the tool borrows live in the text or in `arena`.
    pub fn new(arguments: &'a str, arena: &'a Arena, context: &'a Context) -> Self {
        Self {
            arguments,
            arena,
            context,
            of: None,
            index: 0,
            flags: 0,
        }
    }

    /// Makes the call that a model requested. With the context of a call it belongs to that call, with its progress and
    /// state updates.
    pub fn of(call: &'a ToolCall, arena: &'a Arena, context: &'a Context) -> Self {
        Self {
            of: Some(call),
            index: context.batch_index(),
            ..Self::new(&call.arguments, arena, context)
        }
    }

    /// Sets the index in the batch.
    #[cfg(feature = "tokio")]
    pub(crate) fn at(self, index: usize) -> Self {
        Self { index, ..self }
    }

    /// Returns the text of the arguments.
    pub fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// Decodes the arguments as strictly as the schema of `T` says: for tools that are neither functions nor closures.
    ///
    /// # Errors
    /// An [`InvalidArgs`](toolwright_provider::call::ErrorKind::InvalidArgs) error that lists every fault.
    pub fn decode<T: Schema + DeserializeOwned>(&self) -> Result<T, ToolError> {
        const { T::SHAPE.can_be_read(T::REFS) };
        decode_value(self, Some(T::SHAPE))
    }

    /// Returns the approval of these arguments: for tools that are neither functions nor closures, and whose definition
    /// has [`needs_approval`](toolwright_provider::call::ToolOptions::needs_approval). A wrapper passes the approval on
    /// with the call; a call that the wrapper makes has none.
    ///
    /// # Errors
    /// A [`NotApproved`](toolwright_provider::call::ErrorKind::NotApproved) error if the call is not approved.
    pub fn approved(&self) -> Result<Approved<'a>, ToolError> {
        Approved::of(self)
    }

    /// Returns the call's context.
    pub fn context(&self) -> Context {
        match self.of {
            Some(call) => self
                .context
                .for_call(self.index, call.id.clone(), call.name.clone()),
            None => self.context.clone(),
        }
    }

    /// Returns the context that the call was given: for generated code that has no use for the call's own.
    #[doc(hidden)]
    pub fn __given_context(&self) -> &'a Context {
        self.context
    }

    pub(crate) fn limits(&self) -> Limits {
        self.context.limits()
    }

    /// Returns the level of repairs.
    pub(crate) fn repairs(&self) -> Repairs {
        match self.of {
            // No model wrote the text.
            None => Repairs::None,
            Some(_) if self.flags & EXACT != 0 => Repairs::None,
            Some(_) => self.context.repairs(),
        }
    }

    /// Marks the call as one of an [exact](toolwright_provider::call::ToolOptions::exact) tool, if it is not marked yet.
    #[inline]
    pub(crate) fn exact(mut self, is_exact: bool) -> Self {
        self.flags |= u8::from(is_exact) * EXACT;
        self
    }

    /// Marks a call that was stored, if it is not marked yet.
    #[inline]
    pub(crate) fn stored(mut self, is_stored: bool) -> Self {
        self.flags |= u8::from(is_stored) * STORED;
        self
    }

    /// Returns true if arguments are read under their old names.
    pub(crate) fn reads_old_names(&self) -> bool {
        self.flags & STORED != 0 || self.repairs() >= Repairs::Values
    }

    /// Sets the person's approval.
    #[cfg(feature = "tokio")]
    pub(crate) fn with_approval(self, approval: Option<ApprovalToken>) -> Self {
        let approval = u8::from(approval.is_some()) * APPROVED;
        Self {
            flags: (self.flags & !APPROVED) | approval,
            ..self
        }
    }

    pub(crate) fn is_approved(&self) -> bool {
        self.flags & APPROVED != 0
    }

    pub(crate) fn arena(&self) -> &'a Arena {
        self.arena
    }

    /// Replaces the arguments. The new ones are not approved.
    pub(crate) fn with_arguments(self, arguments: &'a str) -> Self {
        Self {
            arguments,
            flags: self.flags & !APPROVED,
            ..self
        }
    }

    /// Turns a check into a call; generated code reads the arguments again.
    #[doc(hidden)]
    pub fn running(mut self) -> Self {
        self.flags &= !ONLY_CHECK;
        self
    }

    pub(crate) fn checking(mut self) -> Self {
        self.flags |= ONLY_CHECK;
        self
    }

    pub(crate) fn is_check(&self) -> bool {
        self.flags & ONLY_CHECK != 0
    }
}
