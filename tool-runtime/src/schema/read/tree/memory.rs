//! Where the parts of a tree live.

#[cfg(feature = "validate")]
use bumpalo::Bump;

/// Where the parts of a tree live.
#[derive(Clone, Copy)]
pub(super) enum Memory<'a> {
    /// With their owner.
    #[cfg(feature = "validate")]
    Arena(&'a Bump),
    /// As long as the program: trees of its types, of which there are only so many.
    #[cfg(feature = "schemars")]
    Program(std::marker::PhantomData<&'a ()>),
}

impl<'a> Memory<'a> {
    pub(super) fn one<T: 'a>(self, value: T) -> &'a T {
        match self {
            #[cfg(feature = "validate")]
            Self::Arena(bump) => bump.alloc(value),
            #[cfg(feature = "schemars")]
            Self::Program(_) => Box::leak(Box::new(value)),
        }
    }

    pub(super) fn list<T: Copy + 'a>(self, values: &[T]) -> &'a [T] {
        match self {
            #[cfg(feature = "validate")]
            Self::Arena(bump) => bump.alloc_slice_copy(values),
            #[cfg(feature = "schemars")]
            Self::Program(_) => values.to_vec().leak(),
        }
    }

    pub(super) fn text(self, text: &str) -> &'a str {
        match self {
            #[cfg(feature = "validate")]
            Self::Arena(bump) => bump.alloc_str(text),
            #[cfg(feature = "schemars")]
            Self::Program(_) => text.to_owned().leak(),
        }
    }
}
