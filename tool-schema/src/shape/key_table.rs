//! The keys of an object that may be in one way alone.

use crate::shape::{Field, Kind, Object, Unwrapped};

/// The keys that are read of such an object: its own, and those of structs that are flattened into it. It
/// takes no allocation to know them.
#[derive(Default)]
pub(crate) struct KeyTable<'s> {
    /// Runs of fields without flattened ones.
    runs: [&'s [Field<'s>]; 4],
    /// True if other keys are permitted.
    pub(crate) open: bool,
}

impl<'s> KeyTable<'s> {
    /// Returns the keys of an object; nothing if it may be in more than one way, or flattens too many structs.
    pub(crate) fn of(object: &Object<'s>) -> Option<Self> {
        let mut keys = Self::default();
        keys.add(object, 0)?;
        Some(keys)
    }

    /// Adds the keys of an object behind the runs that are used, and returns how many are used then.
    fn add(&mut self, object: &Object<'s>, mut used: usize) -> Option<usize> {
        self.open |= object.open;
        let mut fields = object.fields;
        loop {
            let own = fields.iter().position(|field| field.flatten);
            let (own, rest) = fields.split_at_checked(own.unwrap_or(fields.len()))?;
            if !own.is_empty() {
                *self.runs.get_mut(used)? = own;
                used += 1;
            }
            let [flattened, behind @ ..] = rest else {
                return Some(used);
            };
            used = self.add_flattened(flattened, used)?;
            fields = behind;
        }
    }

    fn add_flattened(&mut self, field: &Field<'s>, used: usize) -> Option<usize> {
        let inner = Unwrapped::of(field.shape);
        match inner.kind {
            _ if !field.is_read() => Some(used),
            // The keys of an optional field are optional, and those of a secret are secret.
            _ if inner.is_secret || inner.nullable && !field.is_required() => None,
            Kind::Object(object) => self.add(object, used),
            _ => None,
        }
    }

    /// Returns the fields, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'s Field<'s>> + use<'s> {
        self.runs.into_iter().flatten()
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.runs.iter().map(|run| run.len()).sum()
    }

    /// Returns the field that is read as this key, and its place.
    pub(crate) fn find(&self, key: &str) -> Option<(usize, &'s Field<'s>)> {
        self.fields()
            .enumerate()
            .find(|(_, field)| field.is_read_as(key))
    }
}
