use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// Collector of errors, so that one compile shows all of them.
///
/// Dropping it unread panics: an unreported error would let a wrong item through.
pub(crate) struct Ctxt(RefCell<Option<Vec<syn::Error>>>);

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self(RefCell::new(Some(Vec::new())))
    }

    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.0.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// Adds an error at the given tokens.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error at the given span.
    pub(crate) fn error_at(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Returns the value, or collects its error.
    pub(crate) fn ok<T>(&self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.push(error);
                None
            }
        }
    }

    /// Returns the number of errors so far.
    pub(crate) fn count(&self) -> usize {
        self.0.borrow().as_ref().map_or(0, Vec::len)
    }

    /// Returns all errors as one, if there are any.
    pub(crate) fn finish(self) -> syn::Result<()> {
        let errors = self.0.borrow_mut().take().unwrap_or_default();
        errors
            .into_iter()
            .reduce(|mut all, error| {
                all.combine(error);
                all
            })
            .map_or(Ok(()), Err)
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        let is_read = self.0.borrow().is_none() || std::thread::panicking();
        assert!(is_read, "the errors of a macro were not read");
    }
}
