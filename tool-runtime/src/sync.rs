//! Locks for data that threads share: std's, or in `tests/shuttle` those that try schedules out.

#[cfg(not(shuttle))]
pub(crate) use std::sync::RwLock;
#[cfg(all(not(shuttle), feature = "tokio"))]
pub(crate) use std::sync::{Mutex, MutexGuard};

#[cfg(shuttle)]
pub(crate) use shuttle::sync::{Mutex, MutexGuard, RwLock};
