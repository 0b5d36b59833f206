//! Allocates the parts of a tree.

use bumpalo::Bump;

/// Allocates the parts of a tree.
#[derive(Clone, Copy)]
pub(super) enum Memory<'a> {
    /// In an arena that the tree owns.
    Arena(&'a Bump),
    /// Leaked, for the types of the program: their number is fixed when it is compiled.
    Program(std::marker::PhantomData<&'a ()>),
}

impl<'a> Memory<'a> {
    pub(super) fn one<T: 'a>(self, value: T) -> &'a T {
        match self {
            Self::Arena(bump) => bump.alloc(value),
            Self::Program(_) => Box::leak(Box::new(value)),
        }
    }

    pub(super) fn list<T: Copy + 'a>(self, values: &[T]) -> &'a [T] {
        match self {
            Self::Arena(bump) => bump.alloc_slice_copy(values),
            Self::Program(_) => values.to_vec().leak(),
        }
    }

    pub(super) fn text(self, text: &str) -> &'a str {
        match self {
            Self::Arena(bump) => bump.alloc_str(text),
            Self::Program(_) => text.to_owned().leak(),
        }
    }
}
