use std::fmt;

use tokio_util::sync::CancellationToken;

/// Tells work to stop. Cheap to clone; all clones are one.
///
/// A host keeps one and gives it to the [`Context`](crate::Context) of a conversation. An
/// [`Executor`](crate::Executor) then ends all calls that run, and answers them and those that did
/// not begin as cancelled. A tool can look at [`Context::cancel`](crate::Context::cancel) itself:
/// what blocks a thread cannot be ended from outside.
///
/// ```
/// use toolwright::{Context, call::Cancel};
///
/// let stop = Cancel::new();
/// let cx = Context::new().with_cancel(stop.clone());
/// stop.cancel();
/// assert!(cx.cancel().is_cancelled());
/// ```
#[derive(Clone, Default)]
pub struct Cancel(CancellationToken);

impl Cancel {
    /// One that nobody has fired yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fires it, and all of its children. A second time changes nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it was fired.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it is fired.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// One that is fired with this one, and can be fired alone.
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}
