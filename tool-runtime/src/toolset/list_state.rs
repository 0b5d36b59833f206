use std::sync::Arc;

/// The state of a list, or only its type: for tests and programs that read definitions and call nothing.
///
/// ```
/// use toolwright::toolset::ListState;
/// use toolwright::{Toolset, tool, tools};
///
/// struct Db;
///
/// /// Counts the orders.
/// #[tool]
/// fn count_orders(#[state] _db: &Db) -> u32 {
///     7
/// }
///
/// fn shop(db: ListState<Db>) -> Toolset {
///     tools![count_orders; state = db]
/// }
///
/// // A program: `shop(Db::open()?.into())`. A test opens no database:
/// let tools = shop(ListState::Absent);
/// assert_eq!(tools.definitions().count(), 1);
/// ```
#[derive(Debug)]
pub enum ListState<S> {
    /// The state that the tools run with.
    Shared(Arc<S>),
    /// No state. Each call ends with [`ErrorKind::NoHandler`](toolwright_provider::call::ErrorKind::NoHandler).
    Absent,
}

impl<S> ListState<S> {
    pub(crate) fn share(&self) -> Self {
        match self {
            Self::Shared(state) => Self::Shared(Arc::clone(state)),
            Self::Absent => Self::Absent,
        }
    }
}

impl<S> From<S> for ListState<S> {
    fn from(state: S) -> Self {
        Self::Shared(Arc::new(state))
    }
}

impl<S> From<Arc<S>> for ListState<S> {
    fn from(state: Arc<S>) -> Self {
        Self::Shared(state)
    }
}
