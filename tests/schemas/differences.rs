//! Where our schema is not schemars', and where a tool decodes what the schema does not admit.

/// Types whose schema differs from schemars', and why.
pub(crate) const OF: &[(&str, &str)] = &[];

/// Samples that the schema refuses and that are decoded all the same, and why.
pub(crate) const DECODED: &[(&str, &str, &str)] = &[];
