use std::fmt;

use tokio_util::sync::CancellationToken;

/// Cancellation token. Cheap to clone; clones share their state.
///
/// A host gives one to the [`Context`](crate::tool::Context) of a conversation. When it fires, an
/// [`Executor`](crate::executor::Executor) ends all calls in flight, and answers them and those that did not begin as cancelled.
/// A tool that blocks a thread checks [`Context::cancel`](crate::tool::Context::cancel) itself, because nothing can stop it
/// from outside.
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
    /// Makes a token that has not fired.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fires the token and its children. Firing twice changes nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Returns true if the token has fired.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until the token fires.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// Makes a token that fires with this one, and can fire alone.
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}
