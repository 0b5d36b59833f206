//! Help for the tests of those who write tools.

mod accepted;
#[cfg(feature = "schemars")]
mod agreement;
mod approved;
mod calls;
pub mod conformance;
mod decimal;
mod make;
mod mutate;
mod mutation;
mod numbers;
mod pattern;
mod pick;
mod read_rules;
mod rng;
mod rules;
mod samples;
mod snapshot;
mod strings;
mod value;
mod write;

pub use self::accepted::assert_accepted;
#[cfg(feature = "schemars")]
pub use self::agreement::{Disagreement, agrees};
pub use self::approved::approved;
pub use self::calls::{assert_callable, calls};
pub use self::mutation::Mutation;
pub use self::samples::{Sample, Samples};
pub use self::snapshot::snapshot;
