//! What is made once, and kept beside what it is made of.

use std::sync::OnceLock;

/// A value a key, each made when it is first asked for. There is no lock, and keys are looked for one
/// by one: it is for a handful of them.
pub(crate) struct Kept<K, V>(OnceLock<Box<One<K, V>>>);

struct One<K, V> {
    key: K,
    value: V,
    next: Kept<K, V>,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<K: PartialEq + Copy, V> Kept<K, V> {
    /// The value of this key. Of several threads that ask for one that is not there yet, one makes it.
    #[inline]
    pub(crate) fn get_or_make(&self, key: K, make: impl Fn() -> V) -> &V {
        match self.0.get() {
            Some(one) if one.key == key => &one.value,
            _ => self.find_or_make(key, make),
        }
    }

    #[inline(never)]
    fn find_or_make(&self, key: K, make: impl Fn() -> V) -> &V {
        let mut place = self;
        loop {
            let one = place.0.get_or_init(|| {
                let (value, next) = (make(), Self::default());
                Box::new(One { key, value, next })
            });
            if one.key == key {
                return &one.value;
            }
            place = &one.next;
        }
    }
}
