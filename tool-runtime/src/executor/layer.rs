use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::body::CallBody;
use super::redacted::Redacted;
use crate::tool::{ApprovalToken, BoxFuture, Contained, Context, FromToolError, Tool};
use toolwright_provider::call::{
    Annotations, ErrorKind, Meta, Outcome, ToolCall, ToolDef, ToolError, contained,
};

/// Middleware around every call: it may observe the call, change its arguments, answer it, ask first, or run it again.
///
/// A layer sees only calls that can run: the tool is known and visible, and the arguments are valid. Arguments that a
/// layer rewrites are decoded and validated again. A panic in a layer is an error of the call.
///
/// ```
/// use toolwright::{
///     Executor, ToolError, call::{BoxFuture, ErrorKind},
///     layers::{Handled, Layer, Next, Request}, tool, tools,
/// };
///
/// /// Refuses deletions on Fridays.
/// struct Fridays;
///
/// impl Layer for Fridays {
///     fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
///         Box::pin(async move {
///             if request.annotations().destructive == Some(true) {
///                 return ToolError::new(ErrorKind::Rejected, "not on a Friday").into();
///             }
///             next.run(request).await
///         })
///     }
/// }
///
/// /// Deletes a page.
/// #[tool(destructive)]
/// fn delete(page: u32) -> String {
///     format!("page {page} is deleted")
/// }
///
/// let executor = Executor::serial(&tools![delete]).layer(Fridays);
/// ```
pub trait Layer: Send + Sync {
    /// Handles a call. `next` runs the layers further in, and then the tool.
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled>;

    /// Returns true if the layer is about the work of a call, and not about the answer that a model reads first. Of a tool that
    /// works in the [background](toolwright_provider::call::ToolOptions::background), such a layer is around the work; all
    /// others are around its beginning. Default: false.
    fn is_about_work(&self) -> bool {
        false
    }

    /// Returns true if every call of this tool needs a decision, whatever its arguments. Only
    /// [`Executor::requires_approval`](crate::executor::Executor::requires_approval) reads it; calls do not depend on
    /// it. Default: false.
    fn requires_approval(&self, def: &ToolDef) -> bool {
        let _ = def;
        false
    }

    /// Returns true if the layer may leave a call of this tool [pending](Handled::Wait). An agent that is a tool is refused where
    /// such a call could not be decided. Default: the value of [`requires_approval`](Self::requires_approval).
    fn may_hold(&self, def: &ToolDef) -> bool {
        self.requires_approval(def)
    }
}

/// Outcome of a call in a layer.
#[derive(Debug, Clone)]
pub enum Handled {
    /// It is answered.
    Done(Result<Outcome, ToolError>),
    /// It is pending and has not run. Holds details for the person who decides.
    Wait(Value),
}

impl Handled {
    /// Returns true if a person may have to decide: the call waits, or its outcome is unknown.
    fn is_open(&self) -> bool {
        match self {
            Self::Wait(_) => true,
            Self::Done(outcome) => outcome.as_ref().is_err_and(ToolError::is_outcome_unknown),
        }
    }

    /// Returns the error, if the call failed.
    pub fn error(&self) -> Option<&ToolError> {
        match self {
            Self::Done(Err(error)) => Some(error),
            Self::Done(Ok(_)) | Self::Wait(_) => None,
        }
    }
}

impl From<Result<Outcome, ToolError>> for Handled {
    fn from(outcome: Result<Outcome, ToolError>) -> Self {
        Self::Done(outcome)
    }
}

impl From<Outcome> for Handled {
    fn from(outcome: Outcome) -> Self {
        Self::Done(Ok(outcome))
    }
}

impl FromToolError for Handled {
    fn from_tool_error(error: ToolError) -> Self {
        error.into()
    }
}

impl From<ToolError> for Handled {
    fn from(error: ToolError) -> Self {
        Self::Done(Err(error))
    }
}

/// Arguments that a call is bound to.
#[derive(Clone)]
enum ArgumentSeal {
    Open,
    /// Those with which it is passed on next.
    Closing,
    Closed(Arc<str>),
}

/// A call on its way through the layers. Cheap to clone.
#[derive(Clone)]
pub struct Request<'a> {
    call: ToolCall,
    /// Arguments that were validated last.
    checked: Arc<str>,
    /// Approved arguments, once validated; no others run.
    seal: ArgumentSeal,
    body: &'a CallBody<'a>,
}

impl<'a> Request<'a> {
    /// Makes a request for a call whose arguments are valid.
    pub(super) fn new(call: ToolCall, body: &'a CallBody<'a>) -> Self {
        Self {
            checked: Arc::clone(&call.arguments),
            call,
            seal: ArgumentSeal::Open,
            body,
        }
    }

    /// Returns the call with repaired arguments.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Returns the call's index in its batch, from 0.
    pub fn index(&self) -> usize {
        self.body.index
    }

    /// Returns the call's context.
    pub fn context(&self) -> &'a Context {
        self.body.cx
    }

    /// Returns true if a person or the host approved just these arguments; see
    /// [`Executor::run`](crate::executor::Executor::run). A layer that rewrites them revokes the approval.
    pub fn is_approved(&self) -> bool {
        self.body.is_approved(&self.call.arguments)
    }

    /// Returns the pending outcome of a call that a person must see first, if no layer further in asks: an approved
    /// call whose arguments a layer rewrote, or a call without the [required
    /// approval](toolwright_provider::call::ToolOptions::needs_approval).
    ///
    /// Such a call never reaches the tool. A layer that records calls before they run checks this first.
    pub fn reapproval(&self) -> Option<Handled> {
        if self.body.approved_others(&self.call.arguments) {
            let why = "a layer changed the arguments after they had been approved";
            return Some(Handled::Wait(json!({ "why": why })));
        }
        let lacks = self.needs_approval() && self.approval().is_none();
        lacks.then(|| Handled::Wait(json!({ "needs_approval": true })))
    }

    /// Returns true if the tool runs only with a person's approval.
    pub(crate) fn needs_approval(&self) -> bool {
        self.body.entry.needs_approval()
    }

    /// Returns the approval of exactly these arguments: from a decision, or from the seal of an `Approval`. `None` for
    /// tools that need no approval.
    fn approval(&self) -> Option<ApprovalToken> {
        let is_given = match &self.seal {
            ArgumentSeal::Closed(approved) => *approved == self.call.arguments,
            ArgumentSeal::Open | ArgumentSeal::Closing => self.is_approved(),
        };
        (is_given && self.needs_approval()).then(ApprovalToken::given)
    }

    /// Binds the call to these arguments.
    pub(crate) fn sealed(mut self) -> Self {
        self.seal = ArgumentSeal::Closing;
        self
    }

    /// Returns true if the call is bound to approved arguments.
    pub(crate) fn is_sealed(&self) -> bool {
        !matches!(self.seal, ArgumentSeal::Open)
    }

    /// Returns the tool.
    pub fn tool(&self) -> &'a Arc<dyn Tool> {
        self.body.tool
    }

    /// Returns the arguments without secrets.
    pub fn redacted(&self) -> Redacted<'_> {
        Redacted::new(&self.call, Some(self.body.tool))
    }

    /// Returns the tool's definition.
    pub fn def(&self) -> &'a ToolDef {
        self.body.tool.def()
    }

    /// Returns the tool's hints about its effects.
    pub fn annotations(&self) -> Annotations {
        self.body.entry.options().annotations
    }

    /// Returns the tool's attributes.
    pub fn attributes(&self) -> &'a Meta {
        self.body.entry.attributes()
    }

    /// Returns true if an answer may depend on the context.
    pub(crate) fn reads_context(&self) -> bool {
        self.body.entry.reads_context()
    }

    /// Returns true if the call is a search for tools.
    pub(crate) fn finds_tools(&self) -> bool {
        self.body.entry.searches()
    }

    /// Returns the tool's attributes, and those of the tools inside it that have others.
    pub(crate) fn all_attributes(&self) -> impl Iterator<Item = &'a Meta> {
        self.body.entry.all_attributes()
    }

    /// Replaces the arguments with the text of a JSON object.
    pub fn with_arguments(mut self, arguments: impl Into<Arc<str>>) -> Self {
        self.call.arguments = arguments.into();
        self
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("index", &self.index())
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}

/// The layers further in, then the tool. It may run more than once.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    layers: &'a [Arc<dyn Layer>],
}

impl<'a> Next<'a> {
    pub(super) fn new(layers: &'a [Arc<dyn Layer>]) -> Self {
        Self { layers }
    }

    /// Passes the call on. Rewritten arguments are decoded and validated first; invalid ones are the call's
    /// [`InvalidArgs`](toolwright_provider::call::ErrorKind::InvalidArgs) error.
    pub async fn run(self, mut request: Request<'a>) -> Handled {
        if request.call.arguments != request.checked {
            match request.body.check(&request.call) {
                Ok(call) => {
                    let seal = request.seal;
                    request = Request::new(call, request.body);
                    request.seal = seal;
                }
                Err(error) => return error.into(),
            }
        }
        match &request.seal {
            ArgumentSeal::Closing => {
                request.seal = ArgumentSeal::Closed(Arc::clone(&request.call.arguments));
            }
            ArgumentSeal::Closed(approved) if *approved != request.call.arguments => {
                return changed().into();
            }
            ArgumentSeal::Open | ArgumentSeal::Closed(_) => {}
        }
        let mut rest = self.layers.iter();
        let begins = request.body.is_background();
        let layer = rest.find(|layer| !(begins && layer.is_about_work()));
        let layers = rest.as_slice();
        let Some(layer) = layer else {
            if let Some(waits) = request.reapproval() {
                request.body.waits(Arc::clone(&request.call.arguments));
                return waits;
            }
            let approval = request.approval();
            let handled = Handled::from(request.body.attempts(&request.call, approval).await);
            if handled.is_open() {
                request.body.waits(Arc::clone(&request.call.arguments));
            }
            return handled;
        };
        let (body, arguments) = (request.body, Arc::clone(&request.call.arguments));
        body.clear_pending();
        let handling = contained(|| layer.call(request, Next { layers }));
        let handled = match handling.map(Contained::new) {
            Ok(handling) => handling.await,
            Err(error) => error.into(),
        };
        if handled.is_open() {
            body.waits(arguments);
        }
        handled
    }
}

#[cold]
fn changed() -> ToolError {
    ToolError::new(
        ErrorKind::Rejected,
        "the call was rejected: its arguments were changed after they had been approved",
    )
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}
