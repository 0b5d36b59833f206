//! Values that are made once, each when it is first asked for.

use std::sync::OnceLock;

/// A map whose values are made when they are first asked for. It takes no lock and searches its keys
/// one by one, so it is for a handful of them.
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
