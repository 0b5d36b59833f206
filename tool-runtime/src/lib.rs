//! Tools, toolsets and the executor: all that a tool needs when no model is there. Use it through the
//! crate `toolwright`.
//!
//! ```text
//!   #[tool] ──__private──▶ tool::Tool ──▶ toolset::Toolset ──▶ executor::Executor ──▶ executor::Batch
//!   DynTool ─────────────▶                                      dispatch ▶ layers ▶ body ▶ reply
//! ```
//!
//! In the order in which to read it:
//!
//! | module | job | begin at |
//! | --- | --- | --- |
//! | `tool` | the trait, a call with its context and approval, wrappers, open calls | `tool::Tool`, `tool::Call`, `tool::Context` |
//! | `toolset` | tools by name: lookup, old names, visibility, search, deferral, the report | `toolset::Toolset` |
//! | `dyn_tool` | tools whose schema arrives at run time | `dyn_tool::DynTool` |
//! | `executor` | a batch of calls: `dispatch` decides, `scheduler` starts, `body` is one call, `batch_state` holds the replies | `executor::Executor` |
//! | `layers` | approval, retry, cache and others around a call | `layers::Layer` |
//! | `__private` | functions for generated code; not stable | `__private::entry`, `__private::slot` |
//! | `sync` | locks, or shuttle's | |
//!
//! `ARCHITECTURE.md` says where an option of tools goes; the executor reads it from the toolset's entry. A new layer is a file in `layers`. Every call is answered once, or waits:
//! `executor::batch_state` keeps that, and `tests/it/invariant.rs` tests it.

#[doc(hidden)]
pub mod __private;
#[doc(hidden)]
pub mod dyn_tool;
#[cfg(feature = "tokio")]
#[doc(hidden)]
pub mod executor;
#[cfg(feature = "tokio")]
#[doc(hidden)]
pub mod layers;
mod sync;
#[doc(hidden)]
pub mod tool;
#[doc(hidden)]
pub mod toolset;
