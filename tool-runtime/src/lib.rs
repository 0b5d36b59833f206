//! Runtime of tools without a model: schema, decoding, toolset and registry, wire formats. Use it through
//! the crate `toolwright`.

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
