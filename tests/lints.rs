//! Generated code is quiet under every lint that a host may deny, in a public position as well as
//! in a private one; `cargo clippy --all-targets` reads this file with clippy's lints, too. A program of its own: some
//! lints are for a whole crate, and a position is public at its root.
#![deny(
    warnings,
    future_incompatible,
    keyword_idents,
    let_underscore,
    nonstandard_style,
    refining_impl_trait,
    rust_2018_idioms,
    rust_2024_compatibility,
    unused,
    absolute_paths_not_starting_with_crate,
    ambiguous_negative_literals,
    deprecated_in_future,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    ffi_unwind_calls,
    impl_trait_redundant_captures,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_abi,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    missing_unsafe_on_extern,
    non_ascii_idents,
    redundant_imports,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_macro_rules,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
#![forbid(unsafe_code)]
#![deny(clippy::all, clippy::pedantic)]
// What these say of the functions below is said of what a person wrote.
#![allow(
    clippy::missing_errors_doc,
    clippy::must_use_candidate,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref
)]

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use toolwright::{Context, Provide, Schema, call::Scope, tool, tools};

/// A line.
#[derive(Debug, Clone, Deserialize, Serialize, Schema)]
pub struct Line {
    /// What.
    pub sku: String,
    /// How many.
    #[serde(default)]
    pub count: u32,
}

/// A speed.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, Schema)]
pub enum Speed {
    /// Slow.
    #[default]
    Slow,
    /// Fast.
    Fast,
}

/// A state.
#[derive(Debug, Provide)]
pub struct App {
    /// A name.
    pub name: String,
    /// Not provided.
    #[provide(skip)]
    pub other: String,
}

const fn always(_: &Scope<'_>) -> bool {
    true
}

fn is_short(text: &str, _: &u32) -> Result<(), String> {
    if text.len() < 9 {
        Ok(())
    } else {
        Err("too long".into())
    }
}

/// Least.
#[tool]
pub const fn least() {}

/// Most.
#[tool(read_only, blocking, timeout = "1s", meta(kind = "test"), visible = always)]
pub fn most<'a>(
    text: &'a str,
    maybe: Option<&str>,
    cow: Cow<'_, str>,
    line: &Line,
    lines: &[Line],
    more: Option<&[Line]>,
    #[arg(default = Speed::Fast)] speed: Speed,
    #[arg(default)] mut count: u32,
    #[arg(default = "x")] word: &str,
    #[arg(example = 3)] number: f64,
    #[state] app: &'a App,
    #[state] name: &String,
    #[context] cx: &Context,
) -> Result<Cow<'a, str>, std::num::ParseIntError> {
    count += text.parse::<u32>()? + line.count;
    let _ = (maybe, lines, more, speed, word, number, cx);
    Ok(format!("{count}{cow}{name}{}", app.other).into())
}

/// Checked.
#[tool(validate = is_short)]
pub fn checked(text: &str, #[arg(default)] count: u32) -> usize {
    text.len() + count as usize
}

/// Later.
#[tool]
pub async fn later(text: &str, line: Line) -> Result<String, String> {
    std::future::ready(()).await;
    Ok(format!("{text}{}", line.count))
}

/// Any.
#[tool]
pub fn any<T: Schema + serde::de::DeserializeOwned + Serialize>(what: T) -> T {
    what
}

/// Flat.
#[tool]
pub fn flat(#[arg(flatten)] line: Line) -> u32 {
    line.count
}

/// Old.
#[tool]
#[deprecated = "use `least`"]
pub const fn old() {}

/// A type with tools.
#[derive(Debug)]
pub struct Crm {
    /// Customers.
    pub count: u32,
    /// Name.
    pub name: String,
}

#[tool]
impl Crm {
    /// Count.
    #[tool]
    #[must_use]
    pub fn count(&self, #[arg(default = 1)] times: u32) -> u32 {
        self.count * times
    }

    /// Soon.
    #[tool]
    pub async fn soon(&self, line: &Line) -> u32 {
        std::future::ready(self.count + line.count).await
    }
}

/// Nobody but the list knows it; `tests/compile/tests/ui/dead_code` has one that no list knows.
#[tool]
fn collected() {}

mod private {
    /// Kept in the crate.
    #[toolwright::tool]
    pub(crate) const fn kept(a: u8) -> u8 {
        a
    }
}

#[test]
fn a_list_is_quiet() {
    let app = App {
        name: String::new(),
        other: String::new(),
    };
    let tools = tools![
        collected, least, most, checked, later, any::<Line> as "any_line", flat, private::kept,
        ..Crm { count: 1, name: String::new() }: Crm;
        state = app
    ];
    assert_eq!(tools.iter().len(), 10);
}
