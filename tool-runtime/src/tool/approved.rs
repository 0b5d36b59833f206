use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use crate::tool::Call;
use toolwright_provider::call::{ErrorKind, ToolError};

/// A person's approval of one call, with the arguments that were shown.
///
/// A tool that takes one as a parameter cannot run without it, on any path. The model neither sees nor fills it. An
/// [`Executor`](crate::executor::Executor) leaves the call [pending](crate::executor::PendingReason::Decision) until
/// [`Executor::run`](crate::executor::Executor::run) brings [`Decision::Approve`](crate::tool::Decision::Approve) or
/// [`Decision::Edit`](crate::tool::Decision::Edit), or until an [`Approval`](crate::layers::Approval) that asks has its
/// answer. [`Toolset::call`](crate::toolset::Toolset::call) does not ask, and returns a
/// [`NotApproved`](ErrorKind::NotApproved) error.
///
/// An approval is for these arguments: a layer that rewrites them afterwards revokes it. It has no public constructor
/// and no `Clone`, so a function that takes one by value has been allowed to run once. Tests make one with
/// `toolwright_testing::approved`.
///
/// ```
/// use toolwright::call::{Approved, Decision};
/// use toolwright::{Context, Executor, ToolCall, tool, tools};
///
/// /// Pays a bill.
/// #[tool]
/// fn pay(bill: u32, yes: Approved<'_>) -> String {
///     format!("bill {bill} is paid, as approved: {}", yes.arguments())
/// }
///
/// let (executor, cx) = (Executor::serial(tools![pay]), Context::new());
/// let batch = executor.run_blocking(&[ToolCall::new("1", "pay", r#"{"bill": 7}"#)], &cx);
/// let pending = batch.pending().next().unwrap();
///
/// let batch = executor.run_blocking(&[pending.with_decision(Decision::Approve)], &cx);
/// let paid = batch.results().next().unwrap().content(Default::default());
/// assert_eq!(paid, r#"bill 7 is paid, as approved: {"bill": 7}"#);
/// ```
#[must_use = "a yes that nobody takes lets nothing run"]
pub struct Approved<'a>(Cow<'a, str>);

impl<'a> Approved<'a> {
    /// Makes the approval of a call.
    pub(crate) fn of(call: &Call<'a>) -> Result<Self, ToolError> {
        if call.is_approved() {
            Ok(Self(call.arguments().into()))
        } else {
            Err(not_approved())
        }
    }

    /// Returns the approved arguments, the text of a JSON object. Secret ones are in it, although people were shown the
    /// text without them.
    pub fn arguments(&self) -> &str {
        &self.0
    }

    /// Returns the approved arguments as a JSON value. Digits beyond 64 bits are lost;
    /// [`arguments`](Self::arguments) has them.
    pub fn to_value(&self) -> Value {
        // The call's arguments were decoded. Those of a call without any may be an empty text.
        serde_json::from_str(&self.0).unwrap_or_else(|_| Value::Object(serde_json::Map::new()))
    }
}

/// Makes an approval for the test of a function.
///
/// Not a method, since the compiler would suggest it.
pub(crate) fn approved_in_test(arguments: String) -> Approved<'static> {
    Approved(arguments.into())
}

impl fmt::Debug for Approved<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments may be secret.
        f.debug_struct("Approved").finish_non_exhaustive()
    }
}

/// Returns the error of a call that needs an approval and runs where no person can be asked.
#[cold]
pub(crate) fn not_approved() -> ToolError {
    let words =
        "the call did not run: the tool needs the approval of a person, and nobody was asked";
    ToolError::new(ErrorKind::NotApproved, words)
}

/// Proof that a person or the host let a call run with just its arguments. Only the layers' end makes one.
#[cfg(feature = "tokio")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApprovalToken(());

#[cfg(feature = "tokio")]
impl ApprovalToken {
    /// Makes the proof. The caller has compared the arguments that run with those that were approved.
    pub(crate) fn given() -> Self {
        Self(())
    }
}
