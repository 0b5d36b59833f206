//! `lock: "tools.lock"` at the head of a list: each tool is held against what the file says that it was.

use std::path::Path;

use proc_macro2::{Ident, TokenStream};
use syn::LitStr;

use crate::ctxt::Ctxt;
use crate::span::{SpanEnds, call_site_at_item, literal, quote, quote_call_site};

use super::retired::Retired;
use super::{Element, ElementKind};

/// The rules for the file's name, and that there is a file.
pub(super) fn validate(cx: &Ctxt, file: &LitStr) {
    let name = file.value();
    let path = Path::new(&name);
    if name.is_empty() || path.is_absolute() {
        cx.error(
            file,
            "a lock is a file of the package\nhelp: name it from the folder of `Cargo.toml`: `lock: \"tools.lock\"`",
        );
        return;
    }
    // Without cargo nobody knows the folder; the compiler looks there itself.
    let Some(folder) = std::env::var_os("CARGO_MANIFEST_DIR") else {
        return;
    };
    if !Path::new(&folder).join(path).is_file() {
        cx.error(
            file,
            format!(
                "there is no file `{name}` in the folder of `Cargo.toml`\nhelp: make an empty one, which means a first version: `touch {name}`"
            ),
        );
    }
}

/// The name of the constant with the lock.
pub(super) fn constant() -> Ident {
    Ident::new("__TOOL_LOCK", call_site_at_item())
}

/// The constant with the lock, and the checks in `const`, each at its place.
pub(super) fn check(
    file: &LitStr,
    unproven: &[Ident],
    elements: &[Element],
    retired: &[Retired],
) -> TokenStream {
    let constant = constant();
    let briefs = || [quote!(BRIEF), quote!(BRIEFS)];
    let listed = elements.iter().enumerate().map(|(index, element)| {
        let listed = match element.listed() {
            Some(_) => {
                let listed = element.listed_as(index);
                quote!(.listed(#listed))
            }
            None => quote!(.tools),
        };
        let brief = element.constant(briefs(), &listed);
        element.or(&quote!(__tool::Briefs::NONE), brief)
    });
    let last = |element: &Element| literal(element.name_in_lock());
    let names = elements.iter().map(|element| {
        let name = last(element);
        element.or(&quote!(""), quote!(#name))
    });
    // What belongs to an element that is on is listed anyhow.
    let off = elements
        .iter()
        .filter(|element| !element.cfg.is_empty())
        .map(|element| {
            let name = last(element);
            element.or(&quote!(#name), quote!(""))
        });
    // Nor is what is retired gone without a word.
    let retired = retired.iter().map(Retired::old);
    let accepted = unproven.iter().map(|tool| literal(tool.to_string()));
    let kept = elements.iter().enumerate().map(|(index, element)| {
        let is_unproven = element
            .last_name()
            .is_some_and(|last| unproven.contains(last));
        let (index, all) = (literal(index), literal(is_unproven));
        let place = element.place();
        let kept = place.start(quote!(__tool::kept));
        let (cfg, brief) = (
            &element.cfg,
            element.constant(briefs(), &TokenStream::new()),
        );
        let arguments = place.end(quote!((LOCK, LISTED, #index, #brief, UNPROVEN, #all)));
        quote!(#(#cfg)* const _: () = #kept #arguments;)
    });
    let place = SpanEnds::of(file);
    let at_file = |function: TokenStream, arguments: TokenStream| {
        let (function, arguments) = (place.start(function), place.end(arguments));
        quote!(#function #arguments)
    };
    let written = at_file(quote!(__tool::lock_is_written), quote!((SAID)));
    let read = at_file(quote!(__tool::lock), quote!((TEXT, IS_WRITTEN, LISTED)));
    let none_is_gone = at_file(
        quote!(__tool::none_is_gone),
        quote!((LOCK, LISTED, OFF, RETIRED)),
    );
    let count = literal(elements.len());
    let imports = quote_call_site!(
        use __tool::Unlocked as _;
    );
    quote! {
        #[allow(long_running_const_eval)]
        const #constant: __tool::Locked = {
            #imports
            const SAID: __tool::Option<&str> = ::core::option_env!("TOOLS_LOCK");
            const TEXT: &str = ::core::include_str!(::core::concat!(
                ::core::env!("CARGO_MANIFEST_DIR"), "/", #file
            ));
            const LISTED: &[__tool::Briefs; #count] = &[#(#listed),*];
            const UNPROVEN: &[&str] = &[#(#accepted),*];
            const OFF: &[&str] = &[#(#off),*];
            const RETIRED: &[&str] = &[#(#retired),*];
            const IS_WRITTEN: bool = #written;
            const LOCK: &__tool::Lock<#count> = &#read;
            #(#kept)*
            const _: () = #none_is_gone;
            __tool::Locked {
                file: #file,
                folder: if IS_WRITTEN { ::core::env!("CARGO_MANIFEST_DIR") } else { "" },
                accepts_breaks: __tool::lock_accepts(SAID),
                text: TEXT,
                off: OFF,
                retired: RETIRED,
                tools: || __tool::locked_tools(LISTED, &[#(#names),*]),
            }
        };
    }
}

impl Element {
    /// The name by which the file knows the element: what the list calls it, or else the last of its path.
    fn name_in_lock(&self) -> String {
        match (self.listed(), &self.what) {
            (Some(listed), ElementKind::One { .. }) => listed.name.value(),
            // A prefix is no name of a tool.
            (Some(listed), ElementKind::Many { .. }) => format!("{}*", listed.name.value()),
            (None, _) => self
                .last_name()
                .map(ToString::to_string)
                .unwrap_or_default(),
        }
    }
}
