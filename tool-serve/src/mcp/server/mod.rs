//! A server of a toolset.
