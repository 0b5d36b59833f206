//! Values that are made once, on first use.

use std::sync::OnceLock;

/// A map whose values are made on first use. It takes no lock and searches its keys linearly, so it is for a few of
/// them.
pub(crate) struct LazyMap<K, V>(OnceLock<Box<LazyEntry<K, V>>>);

struct LazyEntry<K, V> {
    key: K,
    value: V,
    next: LazyMap<K, V>,
}

impl<K, V> Default for LazyMap<K, V> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<K: PartialEq + Copy, V> LazyMap<K, V> {
    /// Returns the value of a key. If several threads ask for a missing one, one of them makes it.
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
                Box::new(LazyEntry { key, value, next })
            });
            if one.key == key {
                return &one.value;
            }
            place = &one.next;
        }
    }
}
