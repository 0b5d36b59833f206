//! What all that is measured has in common: the work, what people write by hand for it, and the clock.

pub mod arguments;
mod call;
mod definitions;
mod dispatch;
pub mod hand;
mod parallel;
mod program;
mod row;
mod types;

pub use self::call::{Answer, ID, calls, ready_calls};
pub use self::definitions::{definitions, open_ai, start_up};
pub use self::dispatch::{NOTHING, Ready, dispatch, sizes};
pub use self::parallel::{CALLS, Parallel, REST, compute, now, runtime};
pub use self::program::{Part, count, main};
pub use self::row::{Group, Row, Work};

pub use {serde, serde_json};
