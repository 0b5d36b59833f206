use crate::shape::{Field, Kind, OutputPresence, Presence, Shape, Variant};

/// Returns true if the tree does not determine the type.
const fn is_unseen(shape: &Shape<'_>) -> bool {
    match shape.kind {
        Kind::Foreign(_) | Kind::Unknown => true,
        Kind::Bounded(base, _) => is_unseen(base),
        _ => false,
    }
}

/// Sets the properties of a derived field, one at a time.
impl Field<'_> {
    #[doc(hidden)]
    pub const fn written_as(mut self, output_name: &'static str) -> Self {
        self.output_name = output_name;
        self
    }

    #[doc(hidden)]
    pub const fn aliased(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    #[doc(hidden)]
    pub const fn titled(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    /// Makes a type spelled as an `Option` optional, unless its tree shows another type with that name.
    #[doc(hidden)]
    pub const fn optional(self) -> Self {
        match self.presence {
            Presence::Required if is_unseen(self.shape) => Self {
                presence: Presence::Optional,
                ..self
            },
            _ => self,
        }
    }

    #[doc(hidden)]
    pub const fn defaulted(mut self, default: fn() -> Option<String>) -> Self {
        self.presence = Presence::Defaulted;
        self.default = Some(default);
        self
    }

    #[doc(hidden)]
    pub const fn exemplified(mut self, example: fn() -> Option<String>) -> Self {
        self.example = Some(example);
        self
    }

    /// The keys of its type take its place; those of an `Option` are optional.
    #[doc(hidden)]
    pub const fn flattened(mut self) -> Self {
        self.flatten = true;
        self.presence = Presence::Optional;
        self
    }

    #[doc(hidden)]
    pub const fn deprecated(mut self) -> Self {
        self.deprecated = true;
        self
    }

    #[doc(hidden)]
    pub const fn not_read(mut self) -> Self {
        self.presence = Presence::Never;
        self
    }

    #[doc(hidden)]
    pub const fn not_written(mut self) -> Self {
        self.output = OutputPresence::Never;
        self
    }

    #[doc(hidden)]
    pub const fn sometimes_written(mut self) -> Self {
        self.output = OutputPresence::Sometimes;
        self
    }
}

/// Sets the properties of a derived variant, one at a time.
impl Variant<'_> {
    #[doc(hidden)]
    pub const fn written_as(mut self, output_name: &'static str) -> Self {
        self.output_name = output_name;
        self
    }

    #[doc(hidden)]
    pub const fn aliased(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
}
