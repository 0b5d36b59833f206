//! A `pattern` of ours.

use proc_macro2::{Span, TokenStream};

use crate::ctxt::Ctxt;
use crate::span::{self, quote};

/// A pattern that can be run.
pub(super) struct CheckedPattern {
    /// As it is published.
    text: String,
    /// As it is run.
    regex: String,
}

impl CheckedPattern {
    /// Reads a pattern. An error is at `span`, the literal.
    pub(super) fn read(cx: &Ctxt, text: &str, span: Span) -> Option<Self> {
        match toolwright_pattern::checked(text) {
            Ok(regex) => Some(Self {
                text: text.to_owned(),
                regex,
            }),
            Err(refusal) => {
                cx.error_at(span, refusal.to_string());
                None
            }
        }
    }

    /// Returns true if a text matches.
    pub(super) fn is_match(&self, text: &str) -> bool {
        // It was built when it was read.
        toolwright_pattern::build(&self.regex).is_ok_and(|regex| regex.is_match(text))
    }

    /// The tokens of the runtime's `Pattern`.
    pub(super) fn tokens(&self) -> TokenStream {
        let (text, regex) = (span::literal(&self.text), span::literal(&self.regex));
        quote! {
            __tool::Pattern::new(#text, |__tool_text| {
                static REGEX: __tool::Regex = __tool::Regex::new(#regex);
                REGEX.is_match(__tool_text)
            })
        }
    }
}
