//! The schema of a tool's arguments: a tree that the compiler can read, a decoder by it, and its
//! way to and from JSON Schema. Use it through the crate `toolwright`.

#[doc(hidden)]
pub mod decode;
#[doc(hidden)]
pub mod derived;
#[doc(hidden)]
pub mod format;
#[doc(hidden)]
pub mod keyword;
#[doc(hidden)]
pub mod panics;
#[doc(hidden)]
pub mod read;
#[doc(hidden)]
pub mod render;
#[doc(hidden)]
pub mod shape;
#[cfg(feature = "tracing")]
#[doc(hidden)]
pub mod span;
#[doc(hidden)]
pub mod text;
pub mod tokens;
