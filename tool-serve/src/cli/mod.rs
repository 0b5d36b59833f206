//! The command line of a toolset: commands and flags made of its schemas.
