//! Tool definitions, calls, and the dialects and wire formats of model providers, as pure text. Use it
//! through the crate `toolwright`.

#[doc(hidden)]
pub mod call;
#[doc(hidden)]
pub mod definitions;
#[doc(hidden)]
pub mod dialect;
#[doc(hidden)]
pub mod wire;
