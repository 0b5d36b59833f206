//! What Toolwright costs, beside what people write without it.

mod calls;
mod hundred;
mod many;
mod tools;

use toolwright_benches_measure::Part;

/// All that is measured of Toolwright, the calls first.
pub const PARTS: [Part; 3] = [calls::groups, hundred::groups, many::groups];

/// The calls alone, which the gate watches.
pub const CALLS: [Part; 1] = [calls::groups];
