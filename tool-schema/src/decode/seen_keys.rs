use hashbrown::HashSet;

/// The keys of a map so far: of two equal ones the last would win silently.
pub enum SeenKeys<'de> {
    /// Most maps are small, and then the call needs no allocation that the map itself does not.
    Few([&'de str; 8], usize),
    Many(HashSet<&'de str, foldhash::fast::RandomState>),
}

impl<'de> SeenKeys<'de> {
    /// Empty set of keys.
    pub(crate) const NONE: Self = Self::Few([""; 8], 0);

    /// Notes a key; `false` if it was there.
    pub(crate) fn note(&mut self, key: &'de str) -> bool {
        let (keys, count) = match self {
            Self::Few(keys, count) => (keys, count),
            Self::Many(keys) => return keys.insert(key),
        };
        if keys.iter().take(*count).any(|known| *known == key) {
            return false;
        }
        if let Some(free) = keys.get_mut(*count) {
            *free = key;
            *count += 1;
        } else {
            let many = keys.iter().copied().chain([key]).collect();
            *self = Self::Many(many);
        }
        true
    }
}
