//! Numbers that proptest chose, which it can make fewer and smaller.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

/// Each number once, in order; 0 when they are used up. Clones share them.
#[derive(Clone)]
pub(crate) struct Draws(Arc<Mutex<std::vec::IntoIter<u8>>>);

impl Draws {
    pub(crate) fn new(numbers: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(numbers.into_iter())))
    }

    /// As many numbers, always the same for the same seed.
    pub(crate) fn seeded(seed: u64, most: usize) -> Self {
        let mut random = seed;
        let numbers = (0..most).map(|_| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            random.to_be_bytes()[0]
        });
        Self::new(numbers.collect())
    }

    pub(crate) fn below(&self, most: usize) -> usize {
        usize::from(self.0.lock().unwrap().next().unwrap_or_default()) % most
    }

    pub(crate) fn one<T: Copy>(&self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.0.lock().unwrap().len() == 0
    }
}
