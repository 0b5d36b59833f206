//! A toolset made of a server.
