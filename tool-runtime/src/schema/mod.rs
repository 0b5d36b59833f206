//! JSON Schema: the tree that compiled types have, decoding by it, and its way to and from text.

pub(crate) mod decode;
pub(crate) mod format;
pub(crate) mod keyword;
pub(crate) mod read;
pub(crate) mod render;
pub(crate) mod shape;
