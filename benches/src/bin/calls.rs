//! The table of what Toolwright costs, beside what people write by hand.

use std::process::ExitCode;

use toolwright_benches::PARTS;

fn main() -> ExitCode {
    toolwright_benches_measure::main(&PARTS)
}
