//! Schemas of the types that everybody has: what serde writes for them, said exactly.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::{Array, Kind, Schema, Shape};

macro_rules! plain {
    ($($ty:ty => $shape:expr;)*) => {$(
        impl Schema for $ty {
            const SHAPE: &'static Shape = &$shape;
        }
    )*};
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Schema for $ty {
            const SHAPE: &'static Shape =
                &Shape::integer(<$ty>::MIN as i128, <$ty>::MAX as u128, <$ty>::BITS);
        }
    )*};
}

// The casts widen: `i128` and `u128` hold every bound.
#[allow(
    clippy::cast_lossless,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]
const _: () = {
    integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
};

plain! {
    bool => Shape::new(Kind::Bool);
    f32 => Shape::new(Kind::Number { max: f32::MAX as f64 });
    f64 => Shape::new(Kind::Number { max: f64::MAX });
    char => Shape::string(1, Some(1));
    str => Shape::string(0, None);
    String => Shape::string(0, None);
    Path => Shape::string(0, None);
    PathBuf => Shape::string(0, None);
    () => Shape::new(Kind::Null);
    serde_json::Value => Shape::new(Kind::Any);
    serde_json::value::RawValue => Shape::new(Kind::Any);
    serde_json::Map<String, serde_json::Value> => Shape::new(Kind::Map {
        keys: String::SHAPE,
        values: serde_json::Value::SHAPE,
    });
}

macro_rules! transparent {
    ($($ty:ident)*) => {$(
        impl<T: Schema + ?Sized> Schema for $ty<T> {
            const SHAPE: &'static Shape = T::SHAPE;
        }
    )*};
}

transparent! { Box Rc Arc }

impl<T: Schema + ?Sized> Schema for &T {
    const SHAPE: &'static Shape = T::SHAPE;
}

impl<T: Schema + ToOwned + ?Sized> Schema for Cow<'_, T> {
    const SHAPE: &'static Shape = T::SHAPE;
}

impl<T: Schema> Schema for Option<T> {
    // JSON has one null: `Option<Option<T>>` admits no more than `Option<T>`.
    const SHAPE: &'static Shape = match T::SHAPE.kind {
        Kind::Nullable(_) | Kind::Null | Kind::Any => T::SHAPE,
        _ => &Shape::new(Kind::Nullable(T::SHAPE)),
    };
}

macro_rules! lists {
    ($($ty:ty, $unique:expr;)*) => {$(
        impl<T: Schema> Schema for $ty {
            const SHAPE: &'static Shape = &Shape::new(Kind::Array(Array {
                items: T::SHAPE,
                min_len: 0,
                max_len: None,
                unique: $unique,
            }));
        }
    )*};
}

lists! {
    [T], false;
    Vec<T>, false;
    VecDeque<T>, false;
    BTreeSet<T>, true;
}

impl<T: Schema, S> Schema for HashSet<T, S> {
    const SHAPE: &'static Shape = BTreeSet::<T>::SHAPE;
}

impl<T: Schema, const N: usize> Schema for [T; N] {
    const SHAPE: &'static Shape = &Shape::new(Kind::Array(Array {
        items: T::SHAPE,
        min_len: N as u64,
        max_len: Some(N as u64),
        unique: false,
    }));
}

impl<K: Schema, V: Schema> Schema for BTreeMap<K, V> {
    const SHAPE: &'static Shape = &Shape::new(Kind::Map {
        keys: K::SHAPE,
        values: V::SHAPE,
    });
}

impl<K: Schema, V: Schema, S> Schema for HashMap<K, V, S> {
    const SHAPE: &'static Shape = BTreeMap::<K, V>::SHAPE;
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: Schema),+> Schema for ($($name,)+) {
            const SHAPE: &'static Shape = &Shape::new(Kind::Tuple(&[$($name::SHAPE),+]));
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}
