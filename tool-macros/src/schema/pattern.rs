use proc_macro2::TokenStream;

use crate::ctxt::Ctxt;
use crate::model::Text;
use crate::span::{self, quote};

/// A pattern that can be run.
pub(super) struct Pattern {
    /// As it is published.
    text: String,
    /// As it is run.
    regex: String,
}

impl Pattern {
    /// Reads it; what is wrong with it is told where the literal stands.
    pub(super) fn read(cx: &Ctxt, text: &Text) -> Option<Self> {
        match toolwright_pattern::checked(&text.value) {
            Ok(regex) => Some(Self {
                text: text.value.clone(),
                regex,
            }),
            Err(refusal) => {
                cx.error_at(text.span, refusal.to_string());
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
