//! The layers around a shape: `null`, bounds, and the side of serde that is read or written.

use crate::shape::{Bounds, Kind, Shape, Side, Union};

impl<'s> Kind<'s> {
    /// Returns the shape inside a layer, on one of serde's sides. `None` if the kind is not a layer.
    #[inline]
    pub(crate) const fn layer(&self, side: Side) -> Option<&'s Shape<'s>> {
        match self {
            Kind::Nullable(inner) | Kind::Bounded(inner, _) => Some(inner),
            Kind::InOut { input, output } => Some(match side {
                Side::Input => input,
                Side::Output => output,
            }),
            _ => None,
        }
    }

    /// Returns the shape inside a layer. A union of one member is a layer, too.
    #[inline]
    pub const fn layer_or_only_member(&self, side: Side) -> Option<&'s Shape<'s>> {
        match self {
            Kind::Union(Union { members: [one], .. }) => Some(one),
            _ => self.layer(side),
        }
    }

    /// Returns true if the layer admits `null` beside its content.
    #[inline]
    pub const fn adds_null(&self) -> bool {
        matches!(self, Kind::Nullable(_))
    }

    /// Returns the bounds that the layer adds.
    #[inline]
    pub const fn bounds(&self) -> Option<&Bounds<'s>> {
        match self {
            Kind::Bounded(_, bounds) => Some(bounds),
            _ => None,
        }
    }
}

impl<'s> Shape<'s> {
    /// Returns the kind below the layers that hold when the shape is read.
    #[inline]
    pub const fn core(&self) -> &Kind<'s> {
        let mut shape = self;
        while let Some(inner) = shape.kind.layer(Side::Input) {
            shape = inner;
        }
        &shape.kind
    }

    /// Returns the kind below the layers, of which a union of one member is one.
    pub const fn only_core(&self) -> &Kind<'s> {
        let mut shape = self;
        while let Some(inner) = shape.kind.layer_or_only_member(Side::Input) {
            shape = inner;
        }
        &shape.kind
    }

    /// Returns the kind below the layers, including a recursive reference's target. `const` cannot follow one.
    #[inline]
    pub(crate) fn followed(&self) -> &Kind<'s> {
        let mut kind = self.core();
        while let Kind::Recursive(back) = kind {
            kind = back.shape().core();
        }
        kind
    }

    /// Returns the shape inside a layer, or the target of a recursive reference.
    #[inline]
    pub(crate) fn layer_or_target(&self) -> Option<&Shape<'s>> {
        match &self.kind {
            Kind::Recursive(back) => Some(back.shape()),
            kind => kind.layer(Side::Input),
        }
    }

    /// Returns true if one of the layers admits `null`.
    pub const fn is_nullable(&self) -> bool {
        let mut shape = self;
        while let Some(inner) = shape.kind.layer(Side::Input) {
            if shape.kind.adds_null() {
                return true;
            }
            shape = inner;
        }
        false
    }
}
