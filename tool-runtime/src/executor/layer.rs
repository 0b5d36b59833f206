use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::body::Core;
use super::redacted::Redacted;
use crate::tool::{BoxFuture, Broken, Contained, Context, Tool};
use toolwright_provider::call::{
    Annotations, ErrorKind, Meta, Outcome, ToolCall, ToolDef, ToolError, contained,
};

/// Something around every call of an executor: it may look on, change the arguments, answer itself,
/// ask first, or call again.
///
/// A layer sees only calls that could run: the tool is known and visible, and its arguments are
/// those that it takes. Arguments that a layer rewrites are read and validated before anything
/// further in sees them. A panic in a layer is an error of the call.
///
/// ```
/// use toolwright::{
///     ErrorKind, Executor, Handled, Layer, Next, Request, ToolError, Toolset,
/// };
///
/// /// Lets nobody delete on a Friday.
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
/// let executor = Executor::serial(&Toolset::default()).layer(Fridays);
/// ```
pub trait Layer: Send + Sync {
    /// Handles a call; `next` is what lies further in.
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled>;
}

/// What became of a call.
#[derive(Debug, Clone)]
pub enum Handled {
    /// It is answered.
    Done(Result<Outcome, ToolError>),
    /// It waits for a decision, and has not run. What to show to who decides.
    Wait(Value),
}

impl Handled {
    /// The error, if the call failed.
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

impl Broken for Handled {
    fn broken(error: ToolError) -> Self {
        error.into()
    }
}

impl From<ToolError> for Handled {
    fn from(error: ToolError) -> Self {
        Self::Done(Err(error))
    }
}

/// Whether a call may run with other arguments.
#[derive(Clone)]
enum Seal {
    Open,
    /// With those that it is handed on with.
    Closing,
    Closed(Arc<str>),
}

/// A call on its way through the layers. Cheap to clone.
#[derive(Clone)]
pub struct Request<'a> {
    call: ToolCall,
    /// The arguments that were found right last.
    checked: Arc<str>,
    /// The arguments that somebody approved, once they are checked: no others run.
    seal: Seal,
    core: &'a Core<'a>,
}

impl<'a> Request<'a> {
    /// Of a call whose arguments are right.
    pub(super) fn new(call: ToolCall, core: &'a Core<'a>) -> Self {
        Self {
            checked: Arc::clone(&call.arguments),
            call,
            seal: Seal::Open,
            core,
        }
    }

    /// The call, with its arguments as they were repaired.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// The call's place in its batch, from 0.
    pub fn index(&self) -> usize {
        self.core.index
    }

    /// What the tool may know about the call.
    pub fn context(&self) -> &'a Context {
        self.core.cx
    }

    /// Whether a person or the host let the call run with just these arguments, after it had waited;
    /// see [`Executor::decide`](crate::Executor::decide). Not where a layer has rewritten them since.
    pub fn is_approved(&self) -> bool {
        self.core.is_approved(&self.call.arguments)
    }

    /// What becomes of a call that somebody let run, and whose arguments a layer has rewritten since:
    /// it waits, since nobody has seen these. Without this, whatever lies further in would run it.
    ///
    /// The tool's own code is never reached by such a call; a layer that notes what is about to run
    /// asks first.
    pub fn reapproval(&self) -> Option<Handled> {
        self.core.approved_others(&self.call.arguments).then(|| {
            let why = "a layer changed the arguments after they had been approved";
            Handled::Wait(json!({ "why": why }))
        })
    }

    /// The same call, which runs with these arguments or not at all.
    pub(crate) fn sealed(self) -> Self {
        Self {
            seal: Seal::Closing,
            ..self
        }
    }

    /// Whether it runs with these arguments or not at all.
    pub(crate) fn is_sealed(&self) -> bool {
        !matches!(self.seal, Seal::Open)
    }

    /// The tool.
    pub fn tool(&self) -> &'a Arc<dyn Tool> {
        self.core.tool
    }

    /// The call's arguments, as they may be logged and redacted.
    pub fn redacted(&self) -> Redacted<'_> {
        Redacted::new(&self.call, Some(self.core.tool))
    }

    /// The tool's definition.
    pub fn def(&self) -> &'a ToolDef {
        self.core.tool.def()
    }

    /// The tool's hints about its effects.
    pub fn annotations(&self) -> Annotations {
        self.core.entry.traits().annotations
    }

    /// The tool's attributes.
    pub fn attributes(&self) -> &'a Meta {
        self.core.entry.attributes()
    }

    /// The same call with other arguments: the text of a JSON object.
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

/// What lies further in than a layer: other layers, then the tool. It may be run more than once.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    layers: &'a [Arc<dyn Layer>],
}

impl<'a> Next<'a> {
    pub(super) fn new(layers: &'a [Arc<dyn Layer>]) -> Self {
        Self { layers }
    }

    /// Hands the call on. Arguments that were rewritten are read and validated first; wrong ones are
    /// the call's [`InvalidArgs`](crate::ErrorKind::InvalidArgs) error.
    pub async fn run(self, mut request: Request<'a>) -> Handled {
        if request.call.arguments != request.checked {
            match request.core.check(&request.call) {
                Ok(call) => {
                    let seal = request.seal;
                    request = Request::new(call, request.core);
                    request.seal = seal;
                }
                Err(error) => return error.into(),
            }
        }
        match &request.seal {
            Seal::Closing => request.seal = Seal::Closed(Arc::clone(&request.call.arguments)),
            Seal::Closed(approved) if *approved != request.call.arguments => {
                return changed().into();
            }
            Seal::Open | Seal::Closed(_) => {}
        }
        let Some((layer, layers)) = self.layers.split_first() else {
            if let Some(waits) = request.reapproval() {
                request.core.waits(Arc::clone(&request.call.arguments));
                return waits;
            }
            return request.core.attempt(&request.call).await.into();
        };
        let (core, arguments) = (request.core, Arc::clone(&request.call.arguments));
        core.goes_on();
        let handling = contained(|| layer.call(request, Next { layers }));
        let handled = match handling.map(Contained::new) {
            Ok(handling) => handling.await,
            Err(error) => error.into(),
        };
        if matches!(handled, Handled::Wait(_)) {
            core.waits(arguments);
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
