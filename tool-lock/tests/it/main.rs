//! Locks and the comparison behind them, through the public interface.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod compare;
mod lock;
