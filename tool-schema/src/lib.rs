//! The schema of a tool's arguments: a tree that the compiler can read, a decoder by it, and its
//! way to and from JSON Schema. Use it through the crate `toolwright`.
//!
//! ```text
//!   Rust type ──derive──▶ shape::Shape ◀──read::tree── JSON Schema of others
//!                          │        │                        │
//!              decode ◀────┘        └────▶ render            └──▶ read::canonical ──▶ toolwright-provider
//!        text ▶ value, faults          JSON Schema text             (lowering)
//! ```
//!
//! In the order in which to read it:
//!
//! | module | job | begin at |
//! | --- | --- | --- |
//! | `shape` | the tree: the JSON of a type's values; `Kind` has the cases | `shape::Shape`, `shape::Schema` |
//! | `shape::std_types`, `shape::extern_types` | the trees of std's types and of other crates' | |
//! | `decode` | the hot way from a text to a value (`Json`, a serde deserializer), and the cold one: `walk` collects faults and repairs | `decode::Json`, `decode::faults` |
//! | `render` | a tree as JSON Schema | `render::SchemaDoc` |
//! | `read` | JSON Schema of others: `tree` to check values, `canonical` to publish or lower it | `read::canonical`, `read::tree` |
//! | `keyword`, `format` | the facts about each keyword and each format, each of them once | `keyword::Keyword` |
//! | `tokens` | a bound on the tokens of a text or tree | |
//! | `text`, `panics`, `span` | names and hidden characters; panics and spans of foreign code | |
//! | `derived` | functions for derived code | |
//!
//! A new kind of value is a case of `shape::Kind`: `decode`, `render`, `read`, the verdicts of `toolwright-provider` and the proofs of
//! `toolwright-lock` match on it, and the compiler names most of the places. A new
//! keyword is a row of `keyword`. Schema and decoder agree in both directions: `tests/it/schemas` tries both with every type.

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
