//! Types that only have schemars' trait.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::shape::{Foreign, Kind, Shape};

/// The tree of such a type: a leaf.
pub const fn foreign<T: JsonSchema + ?Sized>() -> &'static Shape<'static> {
    const {
        &Shape::new(Kind::Foreign(Foreign {
            input: || schema::<T>(SchemaSettings::draft2020_12().for_deserialize()),
            output: || schema::<T>(SchemaSettings::draft2020_12().for_serialize()),
        }))
    }
}

fn schema<T: JsonSchema + ?Sized>(settings: SchemaSettings) -> serde_json::Value {
    settings.into_generator().into_root_schema_for::<T>().into()
}
