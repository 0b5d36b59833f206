//! What a command took.

use std::fs;
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Seconds.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// On the clock.
    pub(crate) clock_s: f64,
    /// That processors worked, all together; in steps of a hundredth. Nothing where the system does not tell.
    pub(crate) work_s: Option<f64>,
}

impl Cost {
    /// Before anything was measured.
    pub(crate) const NONE_YET: Self = Self {
        clock_s: f64::MAX,
        work_s: None,
    };

    /// Of what `run` does in processes that it waits for.
    pub(crate) fn of(run: impl FnOnce() -> Result<(), String>) -> Result<Self, String> {
        let (start, before) = (Instant::now(), children());
        run()?;
        Ok(Self {
            clock_s: start.elapsed().as_secs_f64(),
            work_s: children().zip(before).map(|(after, before)| after - before),
        })
    }

    /// The less of both, each for itself.
    pub(crate) fn improve(&mut self, other: Self) {
        self.clock_s = self.clock_s.min(other.clock_s);
        self.work_s = match (self.work_s, other.work_s) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
}

/// Seconds that processors worked for the children of this process that have ended, and theirs.
fn children() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the program's name, which may hold anything, stands the third field; the sixteenth and seventeenth are these
    // times, in hundredths of a second.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(13);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}
