//! What the compiler can find out about the types of a type's fields.

use std::marker::PhantomData;

use crate::schema::shape::{
    Back, Bounds, Field, Id, Kind, Object, OutputPresence, Presence, Refs, Schema, Shape, Union,
    Variant,
};

use super::Has;

impl<T: Schema + ?Sized> Has<T> {
    /// The targets of the type's cut edges.
    pub const __REFS: Option<&'static Refs> = Some(T::REFS);
}

/// The targets, if there are any.
pub const fn refs_of(refs: Option<&'static Refs>) -> &'static Refs {
    match refs {
        Some(refs) => refs,
        None => &Refs::NONE,
    }
}

/// `Told::<T>::__SHAPE` is the tree of a type that tells its schema only at run time; see [`Has`] for
/// how.
#[derive(Debug)]
pub struct Told<T: ?Sized>(PhantomData<fn(&T)>);

#[cfg(feature = "schemars")]
impl<T: schemars::JsonSchema + ?Sized> Told<T> {
    /// The type's tree: a leaf that nobody can look into before the program runs.
    pub const __SHAPE: Option<&'static Shape<'static>> = Some(crate::schema::shape::foreign::<T>());
}

/// See [`Told`].
pub trait ToldNot {
    /// No tree.
    const __SHAPE: Option<&'static Shape<'static>> = None;
}

impl<T: ?Sized> ToldNot for Told<T> {}

/// The tree that is known, ours first.
pub const fn known(
    ours: Option<&'static Shape<'static>>,
    theirs: Option<&'static Shape<'static>>,
) -> &'static Shape<'static> {
    const UNKNOWN: &Shape<'_> = &Shape::new(Kind::Unknown);
    match (ours, theirs) {
        (Some(shape), _) | (None, Some(shape)) => shape,
        (None, None) => UNKNOWN,
    }
}

/// The tree of values that are for the tool alone.
pub const fn secret(shape: &'static Shape<'static>) -> Shape<'static> {
    Shape::new(Kind::Narrow(shape, Bounds::NONE)).secret()
}

/// Finds where a type's schema comes from; method lookup tries more references first.
#[derive(Debug)]
pub struct SchemaOf<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> SchemaOf<T> {
    /// The probe.
    pub const NEW: Self = Self(PhantomData);
}

/// A schema was found.
#[derive(Debug)]
pub struct Found;

/// No schema was found.
#[derive(Debug)]
pub struct Lacking;

/// A type with our trait.
pub trait SchemaOfOurs {
    /// Where it comes from.
    fn __find(&self) -> Found {
        Found
    }
}

impl<T: Schema + ?Sized> SchemaOfOurs for &&SchemaOf<T> {}

/// A type with schemars' trait.
pub trait SchemaOfForeign {
    /// Where it comes from.
    fn __find(&self) -> Found {
        Found
    }
}

#[cfg(feature = "schemars")]
impl<T: schemars::JsonSchema + ?Sized> SchemaOfForeign for &SchemaOf<T> {}

/// Any other type.
pub trait SchemaOfAny {
    /// Nowhere.
    fn __find(&self) -> Lacking {
        Lacking
    }
}

impl<T: ?Sized> SchemaOfAny for SchemaOf<T> {}

/// The type has the schema that was found.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "the model would not know what to write here",
    note = "derive `toolwright::Schema` for `{Self}`, beside `serde::Deserialize`"
)]
pub trait HasSchema<F> {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> HasSchema<Found> for T {}

// Where one impl alone could hold, inference takes it as given and reports unlike types instead.
#[diagnostic::do_not_recommend]
impl<T: ?Sized> HasSchema<std::convert::Infallible> for T {}

// Of what was not found the bound fails where it is lacking: at the type itself or at one inside it.
impl<T: Schema + ?Sized> HasSchema<Lacking> for T {}

/// The bound is the one error of a type that has no schema.
pub fn has_schema<T: HasSchema<F> + ?Sized, F>(found: F) -> F {
    found
}

/// An edge back to a type that contains this one.
#[derive(Debug)]
pub struct Cut<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Schema + ?Sized> Schema for Cut<T> {
    const ID: Id = T::ID;
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Back(Back::new(
        T::ID,
        // A function's body is not part of the constant, so this is no cycle.
        || T::SHAPE,
    )));
    const REFS: &'static Refs = &Refs {
        targets: &[T::SHAPE],
        of: &[],
    };
}

/// Whether a tree does not say what its type is.
const fn is_unseen(shape: &Shape<'_>) -> bool {
    match shape.kind {
        Kind::Foreign(_) | Kind::Unknown => true,
        Kind::Narrow(base, _) => is_unseen(base),
        _ => false,
    }
}

/// An object of these fields and no others.
pub const fn object(fields: &'static [Field<'static>]) -> Kind<'static> {
    Kind::Object(Object {
        fields,
        open: false,
    })
}

/// An object of these fields and any others.
pub const fn open_object(fields: &'static [Field<'static>]) -> Kind<'static> {
    Kind::Object(Object { fields, open: true })
}

/// A union whose members serde tells apart by their keys.
pub const fn union(members: &'static [Shape<'static>]) -> Kind<'static> {
    Kind::Union(Union {
        members,
        buffered: false,
    })
}

/// A union of which serde reads a value before it knows the member.
pub const fn buffered_union(members: &'static [Shape<'static>]) -> Kind<'static> {
    Kind::Union(Union {
        members,
        buffered: true,
    })
}

/// The identity of a type, from the place where it is derived.
#[doc(hidden)]
#[macro_export]
macro_rules! __id_of {
    ($name:ident) => {
        $crate::__private::Id::of(
            ::core::concat!(
                ::core::module_path!(),
                ":",
                ::core::line!(),
                ":",
                ::core::column!(),
                ":",
                ::core::stringify!($name)
            ),
            ::core::stringify!($name),
        )
    };
}
pub use crate::__id_of as id_of;

/// What a derive says of a field, one word at a time.
impl Field<'_> {
    #[doc(hidden)]
    pub const fn written_as(self, output_name: &'static str) -> Self {
        Self {
            output_name,
            ..self
        }
    }

    #[doc(hidden)]
    pub const fn aliased(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    #[doc(hidden)]
    pub const fn titled(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    /// What is spelled as an `Option` may be missing, unless its tree says that it is another type of that name.
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
    pub const fn defaulted(self, default: fn() -> Option<String>) -> Self {
        Self {
            presence: Presence::Defaulted,
            default: Some(default),
            ..self
        }
    }

    #[doc(hidden)]
    pub const fn exemplified(self, example: fn() -> Option<String>) -> Self {
        Self {
            example: Some(example),
            ..self
        }
    }

    /// The keys of its type stand in its place: of an `Option` none have to be there.
    #[doc(hidden)]
    pub const fn flattened(self) -> Self {
        Self {
            flatten: true,
            presence: Presence::Optional,
            ..self
        }
    }

    #[doc(hidden)]
    pub const fn deprecated(self) -> Self {
        Self {
            deprecated: true,
            ..self
        }
    }

    #[doc(hidden)]
    pub const fn not_read(self) -> Self {
        Self {
            presence: Presence::Never,
            ..self
        }
    }

    #[doc(hidden)]
    pub const fn not_written(self) -> Self {
        Self {
            output: OutputPresence::Never,
            ..self
        }
    }

    #[doc(hidden)]
    pub const fn sometimes_written(self) -> Self {
        Self {
            output: OutputPresence::Sometimes,
            ..self
        }
    }
}

/// The same of a variant.
impl Variant<'_> {
    #[doc(hidden)]
    pub const fn written_as(self, output_name: &'static str) -> Self {
        Self {
            output_name,
            ..self
        }
    }

    #[doc(hidden)]
    pub const fn aliased(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
}

#[cfg(feature = "schemars")]
pub use self::emit::to_schemars;

#[cfg(feature = "schemars")]
mod emit {
    use schemars::{Schema, SchemaGenerator};
    use serde_json::Value;

    use crate::schema::render::SchemaDoc;
    use crate::schema::shape::Shape;
    use crate::schema::shape::Side;

    /// Our tree as schemars' schema, of the side that is asked for. Recursive types move to the
    /// generator's definitions, under names that hold for this tree alone.
    pub fn to_schemars(shape: &'static Shape<'static>, generator: &mut SchemaGenerator) -> Schema {
        let side = if generator.contract().is_serialize() {
            Side::Output
        } else {
            Side::Input
        };
        let mut value = SchemaDoc::from_shape(shape, side).to_value();
        let Some(Value::Object(defs)) = value.as_object_mut().and_then(|root| root.remove("$defs"))
        else {
            return Schema::try_from(value).unwrap_or_default();
        };
        let prefix = generator
            .settings()
            .definitions_path
            .trim_matches('/')
            .to_owned();
        let mut renamed = Vec::new();
        for (name, body) in &defs {
            let mut free = name.clone();
            let mut number = 1;
            while generator
                .definitions()
                .get(&free)
                .is_some_and(|known| known != body)
            {
                number += 1;
                free = format!("{name}{number}");
            }
            renamed.push((format!("#/$defs/{name}"), format!("#/{prefix}/{free}")));
            generator.definitions_mut().insert(free, body.clone());
        }
        let own = defs
            .iter()
            .zip(&renamed)
            .find(|((_, body), _)| **body == value);
        if let Some((_, (_, target))) = own {
            value = serde_json::json!({ "$ref": target });
        }
        refer(&mut value, &renamed);
        for (_, target) in &renamed {
            let name = target.rsplit('/').next().unwrap_or_default();
            if let Some(body) = generator.definitions_mut().get_mut(name) {
                refer(body, &renamed);
            }
        }
        Schema::try_from(value).unwrap_or_default()
    }

    fn refer(value: &mut Value, renamed: &[(String, String)]) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| refer(item, renamed)),
            Value::Object(entries) => {
                for (key, value) in entries {
                    let target = renamed.iter().find(|(old, _)| value.as_str() == Some(old));
                    match target {
                        Some((_, new)) if key == "$ref" => *value = Value::String(new.clone()),
                        _ => refer(value, renamed),
                    }
                }
            }
            _ => {}
        }
    }
}

/// The tree of a type that has one of ours; a function, so that an error about the type is shown
/// under it.
pub const fn shape<T: Schema + ?Sized>() -> &'static Shape<'static> {
    T::SHAPE
}

/// The tree of what a tool returns, for a type that has one of ours.
pub const fn output<T: Schema + ?Sized>() -> Option<&'static Shape<'static>> {
    Some(T::SHAPE)
}

/// The tree of a tool that returns nothing.
pub const NO_OUTPUT: Option<&'static Shape<'static>> = None;
