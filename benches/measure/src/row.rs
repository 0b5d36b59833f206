//! A row of a table: one way to do its group's work.

use std::any::Any;
use std::cell::LazyCell;
use std::time::{Duration, Instant};

/// So long is a row timed in one go: long beside the clock, and short beside what disturbs it.
const GO: Duration = Duration::from_micros(100);

/// How a row does its work.
pub enum Work {
    /// The same again and again.
    Again(Box<dyn Fn()>),
    /// What is outside of the time makes what is inside; what that returns is dropped outside, too.
    Fresh(Box<dyn Fn() -> Fresh>),
}

/// Work that can be done once.
pub type Fresh = Box<dyn FnOnce() -> Box<dyn Any>>;

/// One way to do the work of its group.
pub struct Row {
    /// Its group's name and its own: `order/borrowed`.
    pub name: String,
    /// At most so many times as long as the group's first row.
    pub target: Option<f64>,
    /// How long the text is that it makes, where that is a question.
    pub bytes: Option<usize>,
    /// Does the work. Made when it is asked for first: what one row needs, thousands of tools or threads, is not there
    /// while rows before it are timed.
    pub work: LazyCell<Work, Box<dyn FnOnce() -> Work>>,
}

impl Row {
    /// A row that does the same again and again.
    pub fn again(name: impl Into<String>, run: impl Fn() + 'static) -> Self {
        Self::made(name, || run)
    }

    /// The same, of work that is made first, outside of the time.
    pub fn made<F: Fn() + 'static>(
        name: impl Into<String>,
        make: impl FnOnce() -> F + 'static,
    ) -> Self {
        Self::new(name.into(), || Work::Again(Box::new(make())))
    }

    fn new(name: String, work: impl FnOnce() -> Work + 'static) -> Self {
        Self {
            name,
            target: None,
            bytes: None,
            work: LazyCell::new(Box::new(work)),
        }
    }

    /// A row whose work needs something that is made anew each time.
    pub fn fresh<T: 'static, U: 'static>(
        name: impl Into<String>,
        make: impl Fn() -> T + 'static,
        run: impl Fn(T) -> U + Clone + 'static,
    ) -> Self {
        let fresh = move || -> Fresh {
            let (input, run) = (make(), run.clone());
            Box::new(move || Box::new(run(input)))
        };
        Self::new(name.into(), || Work::Fresh(Box::new(fresh)))
    }

    /// With the length of what it makes.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// With a ratio to the group's first row that it should not go beyond.
    #[must_use]
    pub fn target(mut self, target: impl Into<Option<f64>>) -> Self {
        self.target = target.into();
        self
    }

    /// The name of its group.
    pub fn group(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// How long the work takes when it is done `times` times.
    pub fn time(&self, times: u32) -> Duration {
        match &*self.work {
            Work::Again(run) => {
                let start = Instant::now();
                for _ in 0..times {
                    run();
                }
                start.elapsed()
            }
            Work::Fresh(make) => {
                // One at a time, so that memory is used again, as it is by rows that do the same again.
                let mut time = Duration::ZERO;
                for _ in 0..times {
                    let run = make();
                    let start = Instant::now();
                    let answer = run();
                    time += start.elapsed();
                    drop(answer);
                }
                time
            }
        }
    }

    /// How often the work is done in one go.
    fn times(&self) -> u32 {
        let mut times = 1;
        while self.time(times) < GO {
            times *= 2;
        }
        times
    }
}

/// Rows that do the same work, of which the first is what the others are compared with.
pub struct Group(pub Vec<Row>);

impl Group {
    /// Its name.
    pub fn name(&self) -> &str {
        self.0.first().map_or("", Row::group)
    }

    /// The shortest time of each row in nanoseconds, of what fits in `span`, one go at least. The rows take turns, so
    /// that what disturbs one disturbs all.
    pub fn shortest(&self, span: Duration) -> Vec<f64> {
        let times: Vec<u32> = self.0.iter().map(Row::times).collect();
        let mut best = vec![f64::INFINITY; self.0.len()];
        let start = Instant::now();
        loop {
            for ((row, &times), best) in self.0.iter().zip(&times).zip(&mut best) {
                *best = best.min(row.time(times).as_secs_f64() * 1e9 / f64::from(times));
            }
            if start.elapsed() >= span {
                return best;
            }
        }
    }
}
