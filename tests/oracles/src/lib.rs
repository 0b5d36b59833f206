//! Nothing but its dependencies; the tests are the workspace's own.
