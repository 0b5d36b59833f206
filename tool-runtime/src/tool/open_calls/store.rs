//! The trait of stores of open calls.

use std::sync::Arc;

use super::{OpenCall, OpenCallError};
use crate::tool::BoxFuture;
use toolwright_provider::call::StoredOutcome;

/// Store of the open calls of [`OpenCalls`](super::OpenCalls), for those that outlive their process.
///
/// Data is durable when a future is ready. A dropped future may or may not have written.
pub trait OpenCallStore: Send + Sync {
    /// Records that a call begins, or begins again under the key that it had before. It does not begin if this fails.
    ///
    /// # Errors
    /// If the store fails.
    fn begin<'a>(&'a self, call: &'a OpenCall) -> BoxFuture<'a, Result<(), OpenCallError>>;

    /// Records the outcome of a call. The first outcome is final.
    ///
    /// # Errors
    /// [`OpenCallError::NotOpen`] and [`OpenCallError::Ended`], or if the store fails.
    fn end<'a>(
        &'a self,
        key: &'a str,
        outcome: &'a StoredOutcome,
    ) -> BoxFuture<'a, Result<(), OpenCallError>>;

    /// Returns the call with this key, open or ended.
    ///
    /// # Errors
    /// If the store fails.
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<OpenCall>, OpenCallError>>;

    /// Returns all calls that were not removed, in the order in which they began. A store for one process's list may
    /// return none.
    ///
    /// # Errors
    /// If the store fails.
    fn all(&self) -> BoxFuture<'_, Result<Vec<OpenCall>, OpenCallError>>;

    /// Removes a call whose result was taken. Does nothing if there is none.
    ///
    /// # Errors
    /// If the store fails.
    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), OpenCallError>>;
}

impl<S: OpenCallStore + ?Sized> OpenCallStore for Arc<S> {
    fn begin<'a>(&'a self, call: &'a OpenCall) -> BoxFuture<'a, Result<(), OpenCallError>> {
        (**self).begin(call)
    }

    fn end<'a>(
        &'a self,
        key: &'a str,
        outcome: &'a StoredOutcome,
    ) -> BoxFuture<'a, Result<(), OpenCallError>> {
        (**self).end(key, outcome)
    }

    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<OpenCall>, OpenCallError>> {
        (**self).get(key)
    }

    fn all(&self) -> BoxFuture<'_, Result<Vec<OpenCall>, OpenCallError>> {
        (**self).all()
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), OpenCallError>> {
        (**self).remove(key)
    }
}
