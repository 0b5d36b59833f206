//! Tool definitions, calls, and the dialects and wire formats of model providers, as pure text. Use it
//! through the crate `toolwright`.
//!
//! ```text
//!   call::ToolDef ──definitions──▶ dialect (lower, by table) ──▶ wire::request ──▶ a provider
//!   call::ToolCall ◀── wire::response, wire::stream ◀─────────────────────────────── its answer
//! ```
//!
//! In the order in which to read it:
//!
//! | module | job | begin at |
//! | --- | --- | --- |
//! | `call` | plain data: definitions and options of tools, calls, outcomes, results | `call::ToolDef`, `call::ToolOptions`, `call::Outcome` |
//! | `dialect::table` | each provider's rules, with a source at every line | `dialect::Dialect` |
//! | `dialect::lower` | a schema in a dialect's form, or why it cannot be | `dialect::lower` |
//! | `dialect::verdict` | the same question in `const`, for `targets` | |
//! | `dialect::inverse`, `dialect::restore` | arguments back from a lowered form | |
//! | `definitions` | the tools of a request: names, strictness, deferral, caches | `definitions::ToolList` |
//! | `wire` | one folder a provider, with `request`, `response` and `stream` | `wire::Wire` |
//!
//! A new dialect is a table; a new wire is a folder, a variant of `wire::Wire`, and its arms in `wire/mod.rs`. Lowering passes every schema that a verdict passes.

#[doc(hidden)]
pub mod call;
#[doc(hidden)]
pub mod definitions;
#[doc(hidden)]
pub mod dialect;
#[doc(hidden)]
pub mod wire;
