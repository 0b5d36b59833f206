//! Layers for an [`Executor`](crate::executor::Executor): they retry, cache, approve or limit every call.
//!
//! ```
//! use std::time::Duration;
//!
//! use toolwright::layers::{Approval, Cache, CallLimit, ConcurrencyLimit, Retry, Risk};
//! use toolwright::{Executor, Toolset, call::Decision};
//!
//! let tools = Toolset::default();
//! let executor = Executor::parallel(&tools, 8)
//!     .layer(Approval::at_least(Risk::High).ask(|ask| async move {
//!         if &*ask.call.name == "pay" { Decision::Approve } else { Decision::Reject("no".into()) }
//!     }))
//!     .layer(CallLimit::per_run(50))
//!     .layer(Cache::new(1_000).ttl(Duration::from_secs(60)))
//!     .layer(Retry::new(3))
//!     .layer(ConcurrencyLimit::of("search", 2));
//! ```
//!
//! The first layer sees a call first and its answer last. So the order matters: a `Cache` before an
//! `Approval` answers without asking; a `Retry` before a `ConcurrencyLimit` gives its permit back between two attempts,
//! behind it it keeps the permit.
//!
//! These rules hold for all of them, and for layers of your own:
//!
//! - **Calls.** They see calls that could run: of a tool that is there and visible, with arguments that
//!   it takes. Definitions and visibility are not theirs to change. Calls of `manual` tools come to
//!   them once somebody has [decided](crate::executor::Executor::run).
//! - **Panics.** A panic of a layer, of a closure that it was given, or of a future of its own is a
//!   [`Panicked`](toolwright_provider::call::ErrorKind::Panicked) error of the call, and layers further out see it as
//!   one. A call that had not been passed on does not run.
//! - **Time.** A limit on a tool is one on each attempt of its own code. Layers are not limited: an
//!   approval may take its time, and so may a wait between attempts or for a permit. All of it counts
//!   towards a batch's limit ([`Executor::batch_timeout`](crate::executor::Executor::batch_timeout)), and towards the calls that run at
//!   once.
//! - **Cancellation.** A call that is cancelled is dropped with all of its layers, wherever it is.
//!   None of the layers here keeps a permit or half an answer by that; a [`CallLimit`] has counted it.

mod approval;
mod cache;
mod call_limit;
mod concurrency_limit;
mod levels;
mod retry;
#[cfg(feature = "tower")]
mod tower;

use std::sync::Arc;

use toolwright_provider::call::ToolDef;

#[doc(inline)]
pub use crate::executor::{Handled, Layer, Next, Request};

pub use self::approval::{Approval, Ask};
pub use self::cache::Cache;
pub use self::call_limit::CallLimit;
pub use self::concurrency_limit::ConcurrencyLimit;
pub use self::levels::Levels;
pub use self::retry::Retry;
#[cfg(feature = "tower")]
pub use self::tower::{Tower, TowerRequest, TowerService};
#[doc(inline)]
pub use toolwright_provider::call::Risk;

/// Names of tools.
type Names = Vec<Arc<str>>;

fn names<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Names {
    names.into_iter().map(Into::into).collect()
}

fn lists(names: &Names, def: &ToolDef) -> bool {
    names.iter().any(|listed| def.is_called(listed))
}
