//! Schemas of std's types, exactly as serde writes them.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

use crate::shape::{
    Array, Field, Id, Int, IntegerRange, Kind, Map, NumberRange, Refs, Schema, Shape, Union,
    Variant,
};

macro_rules! plain {
    ($($ty:ty => $shape:expr;)*) => {$(
        impl Schema for $ty {
            const ID: Id = Id::of(stringify!($ty), "");
            const SHAPE: &'static Shape<'static> = &$shape;
        }
    )*};
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Schema for $ty {
            const ID: Id = Id::of(stringify!($ty), "");
            const SHAPE: &'static Shape<'static> =
                &Shape::integer(<$ty>::MIN as i128, <$ty>::MAX as u128, <$ty>::BITS);
        }

        impl Schema for NonZero<$ty> {
            const ID: Id = Id::of("NonZero", "").with(<$ty>::ID);
            const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Integer(IntegerRange {
                // Zero is left out by the bound where it is the first.
                min: Int::signed(if <$ty>::MIN == 0 { 1 } else { <$ty>::MIN as i128 }),
                max: Int::unsigned(<$ty>::MAX as u128),
                min_is_width: <$ty>::BITS >= 32 && <$ty>::MIN != 0,
                max_is_width: <$ty>::BITS >= 32,
                not_zero: <$ty>::MIN != 0,
                multiple_of: 0,
            })).self_checked();
        }
    )*};
}

// The casts widen: `i128` and `u128` hold every bound.
#[allow(
    clippy::cast_lossless,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unused_comparisons
)]
const _: () = {
    integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
};

const SECONDS: &str = "Whole seconds";
const NANOS: &str = "Nanoseconds beyond the seconds";
const NANO: &Shape<'_> = &Shape::integer(0, 999_999_999, 0);
/// Up to the last whole second that `SystemTime` holds on every platform. It is Windows' own: there a time is a number
/// of 100 ns since 1601, of 63 bits. Elsewhere serde reads later ones too; a schema is the same everywhere.
const SECONDS_OF_TIME: &Shape<'_> = &Shape::integer(0, 910_692_730_084, 0);

plain! {
    bool => Shape::new(Kind::Bool);
    f32 => Shape::number(NumberRange::F32);
    f64 => Shape::number(f64::MAX);
    char => Shape::string(1, Some(1)).self_checked();
    str => Shape::string(0, None);
    String => Shape::string(0, None);
    Path => Shape::string(0, None);
    PathBuf => Shape::string(0, None);
    () => Shape::new(Kind::Null);
    serde_json::Value => Shape::new(Kind::Any);
    serde_json::value::RawValue => Shape::new(Kind::Any);
    serde_json::Number => Shape::number(f64::MAX);
    serde_json::Map<String, serde_json::Value> => Shape::new(Kind::Map(Map {
        keys: String::SHAPE,
        values: serde_json::Value::SHAPE,
        min_len: 0,
        max_len: None,
    }));
    Ipv4Addr => Shape::format("ipv4").self_checked();
    Ipv6Addr => Shape::format("ipv6").self_checked();
    IpAddr => Shape::new(Kind::Union(Union::of(&[Shape::format("ipv4"), Shape::format("ipv6")]))).self_checked();
    // An address and a port: no format of JSON Schema.
    SocketAddr => Shape::parsed("IP address and port, such as `127.0.0.1:80` or `[::1]:80`");
    SocketAddrV4 => Shape::parsed("IPv4 address and port, such as `127.0.0.1:80`");
    SocketAddrV6 => Shape::parsed("IPv6 address and port, such as `[::1]:80`");
    Duration => Shape::object(&[
        Field::new("secs", SECONDS, u64::SHAPE),
        Field::new("nanos", NANOS, NANO),
    ]);
    SystemTime => Shape::object(&[
        Field::new("secs_since_epoch", "Whole seconds since 1970-01-01T00:00:00Z", SECONDS_OF_TIME),
        Field::new("nanos_since_epoch", NANOS, NANO),
    ]);
}

macro_rules! transparent {
    ($($ty:ident $(($bound:ident))?;)*) => {$(
        impl<T: Schema $(+ $bound)? + ?Sized> Schema for $ty<T> {
            const ID: Id = T::ID;
            const SHAPE: &'static Shape<'static> = T::SHAPE;
            const REFS: &'static Refs = T::REFS;
        }
    )*};
}

macro_rules! transparent_sized {
    ($($ty:ident)*) => {$(
        impl<T: Schema> Schema for $ty<T> {
            const ID: Id = T::ID;
            const SHAPE: &'static Shape<'static> = T::SHAPE;
            const REFS: &'static Refs = T::REFS;
        }
    )*};
}

transparent! { Box; Rc; Arc; RefCell; Mutex; RwLock; }
transparent_sized! { Wrapping Saturating Reverse Cell }

impl<T: Schema + ?Sized> Schema for &T {
    const ID: Id = T::ID;
    const SHAPE: &'static Shape<'static> = T::SHAPE;
    const REFS: &'static Refs = T::REFS;
}

impl<T: Schema + ToOwned + ?Sized> Schema for Cow<'_, T> {
    const ID: Id = T::ID;
    const SHAPE: &'static Shape<'static> = T::SHAPE;
    const REFS: &'static Refs = T::REFS;
}

impl<T: ?Sized> Schema for PhantomData<T> {
    const ID: Id = Id::of("PhantomData", "");
    const SHAPE: &'static Shape<'static> = <()>::SHAPE;
}

impl<T: Schema> Schema for Option<T> {
    const ID: Id = Id::of("Option", "").with(T::ID);
    // For a type that admits `null`: the key of an `Option` may be missing, that of others not.
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Nullable(T::SHAPE));
    const REFS: &'static Refs = T::REFS;
}

impl<T: Schema, E: Schema> Schema for Result<T, E> {
    const ID: Id = Id::of("Result", "").with(T::ID).with(E::ID);
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Union(Union::of(&[
        Shape::object(&[Field::new("Ok", "", T::SHAPE).always()]),
        Shape::object(&[Field::new("Err", "", E::SHAPE).always()]),
    ])));
    const REFS: &'static Refs = &Refs::through(&[T::REFS, E::REFS]);
}

macro_rules! lists {
    ($($ty:ty, $unique:expr;)*) => {$(
        impl<T: Schema> Schema for $ty {
            const ID: Id = Id::of("list", "").with(T::ID);
            const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Array(Array {
                items: T::SHAPE,
                min_len: 0,
                max_len: None,
                unique: $unique,
            }));
            const REFS: &'static Refs = T::REFS;
        }
    )*};
}

lists! {
    [T], false;
    Vec<T>, false;
    VecDeque<T>, false;
    LinkedList<T>, false;
    BinaryHeap<T>, false;
    BTreeSet<T>, true;
}

impl<T: Schema, S> Schema for HashSet<T, S> {
    const ID: Id = BTreeSet::<T>::ID;
    const SHAPE: &'static Shape<'static> = BTreeSet::<T>::SHAPE;
    const REFS: &'static Refs = T::REFS;
}

impl<T: Schema, const N: usize> Schema for [T; N] {
    const ID: Id = Id::of("array", "").with(T::ID);
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Array(Array {
        items: T::SHAPE,
        min_len: N as u64,
        max_len: Some(N as u64),
        unique: false,
    }))
    .self_checked();
    const REFS: &'static Refs = T::REFS;
}

impl<K: Schema, V: Schema> Schema for BTreeMap<K, V> {
    const ID: Id = Id::of("map", "").with(K::ID).with(V::ID);
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Map(Map {
        keys: K::SHAPE,
        values: V::SHAPE,
        min_len: 0,
        max_len: None,
    }));
    const REFS: &'static Refs = V::REFS;
}

impl<K: Schema, V: Schema, S> Schema for HashMap<K, V, S> {
    const ID: Id = BTreeMap::<K, V>::ID;
    const SHAPE: &'static Shape<'static> = BTreeMap::<K, V>::SHAPE;
    const REFS: &'static Refs = V::REFS;
}

/// The tuples of the names before the `;`, then with each of those after it: an error lists the first by these names.
macro_rules! tuples {
    ($($name:ident)+;) => {
        impl<$($name: Schema),+> Schema for ($($name,)+) {
            const ID: Id = Id::of("tuple", "")$(.with($name::ID))+;
            const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Tuple(&[$($name::SHAPE),+]));
            const REFS: &'static Refs = &Refs::through(&[$($name::REFS),+]);
        }
    };
    ($($name:ident)+; $next:ident $($rest:ident)*) => {
        tuples! { $($name)+; }
        tuples! { $($name)+ $next; $($rest)* }
    };
}

tuples! { A; B C D E F G H I J K L M N O P }

macro_rules! ranges {
    ($($ty:ident => $($key:literal)+;)*) => {$(
        impl<T: Schema> Schema for $ty<T> {
            const ID: Id = Id::of(stringify!($ty), "").with(T::ID);
            const SHAPE: &'static Shape<'static> =
                &Shape::object(&[$(Field::new($key, "", T::SHAPE)),+]);
            const REFS: &'static Refs = T::REFS;
        }
    )*};
}

ranges! {
    Range => "start" "end";
    RangeInclusive => "start" "end";
    RangeFrom => "start";
    RangeTo => "end";
}

impl<T: Schema> Schema for Bound<T> {
    const ID: Id = Id::of("Bound", "").with(T::ID);
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Union(Union::of(&[
        Shape::new(Kind::Enum(&[Variant::new("Unbounded", "")])),
        Shape::object(&[Field::new("Included", "", T::SHAPE).always()]),
        Shape::object(&[Field::new("Excluded", "", T::SHAPE).always()]),
    ])));
    const REFS: &'static Refs = T::REFS;
}
