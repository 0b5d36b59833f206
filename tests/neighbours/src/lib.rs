//! Nothing but the features of its dependencies; the tests are the workspace's own.
