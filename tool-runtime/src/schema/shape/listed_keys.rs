//! The keys of an object that may be in one way alone.

use crate::schema::shape::{Field, Kind, Object, Peeled};

/// The keys that are read of such an object: its own, and those of structs that are flattened into it. It
/// takes no allocation to know them.
#[derive(Clone, Copy, Default)]
pub(crate) struct ListedKeys<'s> {
    /// Fields that stand beside each other.
    runs: [&'s [Field<'s>]; 4],
    /// Other keys may stand there.
    pub(crate) open: bool,
}

impl<'s> ListedKeys<'s> {
    /// Returns the keys of an object; nothing if it may be in more than one way, or flattens too many structs.
    pub(crate) fn of(object: &Object<'s>) -> Option<Self> {
        let mut keys = Self::default();
        keys.add(object).then_some(keys)
    }

    fn add(&mut self, object: &Object<'s>) -> bool {
        self.open |= object.open;
        let mut fields = object.fields;
        while let Some(at) = fields.iter().position(|field| field.flatten)
            && let Some((own, [flattened, behind @ ..])) = fields.split_at_checked(at)
        {
            if !self.push(own) || !self.add_flattened(flattened) {
                return false;
            }
            fields = behind;
        }
        self.push(fields)
    }

    fn push(&mut self, run: &'s [Field<'s>]) -> bool {
        match self.runs.iter_mut().find(|run| run.is_empty()) {
            Some(free) => {
                *free = run;
                true
            }
            None => run.is_empty(),
        }
    }

    fn add_flattened(&mut self, field: &Field<'s>) -> bool {
        let inner = Peeled::of(field.shape);
        match inner.kind {
            _ if !field.is_read() => true,
            // Keys of what may be missing may be missing, and those of a secret are secret.
            _ if inner.is_secret || inner.nullable && !field.is_required() => false,
            Kind::Object(object) => self.add(object),
            _ => false,
        }
    }

    /// Returns the fields, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'s Field<'s>> {
        self.runs.into_iter().flatten()
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.runs.iter().map(|run| run.len()).sum()
    }

    /// Returns the field at a place.
    #[inline]
    pub(crate) fn get(&self, mut index: usize) -> Option<&'s Field<'s>> {
        for run in self.runs {
            match run.get(index) {
                Some(field) => return Some(field),
                None => index -= run.len(),
            }
        }
        None
    }

    /// Returns the field that is read as this key, and its place.
    pub(crate) fn find(&self, key: &str) -> Option<(usize, &'s Field<'s>)> {
        self.fields()
            .enumerate()
            .find(|(_, field)| field.is_read_as(key))
    }
}
